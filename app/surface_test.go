package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"jackfield/app/api"
	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

func TestBoundMethodRejectsWithAFailure(t *testing.T) {
	d := &Desktop{ctx: t.Context(), log: slog.New(slog.DiscardHandler)}
	for _, test := range []struct {
		name string
		body func(context.Context) error
		code string
	}{
		{"an error", func(context.Context) error { return mcp.ErrUnknownServer }, mcp.CodeUnknownServer},
		{"a panic", func(context.Context) error { panic("boom") }, mcp.CodeInternal},
		{"a nil pointer", func(context.Context) error { var x *api.Call; x.ID = ""; return nil }, mcp.CodeInternal},
		{"a nil map", func(context.Context) error { add(nil); return nil }, mcp.CodeInternal},
	} {
		err := bound0(d, test.name, test.body)
		var failure api.Failure
		if err == nil || json.Unmarshal([]byte(err.Error()), &failure) != nil || failure.Code != test.code || failure.Hint == "" {
			t.Errorf("%s: got %v", test.name, err)
		}
	}
	if err := bound0(d, "fine", func(context.Context) error { return nil }); err != nil {
		t.Errorf("got %v", err)
	}
}

// Every bound method, also of a Desktop that is not connected to anything, settles its promise.
func TestNoBoundMethodPanics(t *testing.T) {
	for _, target := range []any{&Desktop{ctx: t.Context(), log: slog.New(slog.DiscardHandler)}} {
		value := reflect.ValueOf(target)
		for i := range value.NumMethod() {
			method := value.Type().Method(i)
			t.Run(method.Name, func(t *testing.T) {
				var arguments []reflect.Value
				for j := range value.Method(i).Type().NumIn() {
					arguments = append(arguments, reflect.Zero(value.Method(i).Type().In(j)))
				}
				value.Method(i).Call(arguments) // a panic fails the test
			})
		}
	}
}

func TestExpand(t *testing.T) {
	for _, test := range []struct {
		template string
		values   map[string]string
		want     string
		field    string
	}{
		{"orders://{id}", map[string]string{"id": "a b/ä"}, "orders://a%20b%2F%C3%A4", ""},
		{"file:///{+path}", map[string]string{"path": "a/b"}, "file:///a/b", ""},
		{"x://{a}/{b:3}{?q,r}", map[string]string{"a": "1", "b": "12345", "r": "z"}, "x://1/123?r=z", ""},
		{"x://{a}{/rest*}", map[string]string{"a": "1"}, "x://1", ""},
		{"x://plain", nil, "x://plain", ""},
		{"x://{+a}{#b}", map[string]string{"a": "/%C3%A4/%zz?", "b": "日本!"}, "x:///%C3%A4/%25zz?#%E6%97%A5%E6%9C%AC!", ""},
		{"x{.a}{/b,c}{;d}{?e,f}{&g}", map[string]string{"a": "1", "b": "2", "c": "3", "d": "4", "e": "5", "f": "6&=", "g": "7"}, "x.1/2/3;d=4?e=5&f=6%26%3D&g=7", ""},
		{"x://{a:2}", map[string]string{"a": "日本語"}, "x://%E6%97%A5%E6%9C%AC", ""},
		{"x://{a}", nil, "", "/a"},
		{"x://{a}{+b}", map[string]string{"a": "1"}, "", "/b"},
		{"x://{a}", map[string]string{"a": "1", "c": "2"}, "", "/c"},
		{"x://{a", map[string]string{"a": "1"}, "", "invalid"},
		{"x://{}", nil, "", "invalid"},
		{"x://{a b}", map[string]string{"a b": "1"}, "", "invalid"},
	} {
		got, err := expand(test.template, test.values)
		var problem *mcp.Error
		switch {
		case test.field == "":
			if err != nil || got != test.want {
				t.Errorf("%s: got %q, %v", test.template, got, err)
			}
		case !errors.As(err, &problem), problem.Hint == "":
			t.Errorf("%s: got %q, %v", test.template, got, err)
		case test.field != "invalid" && (len(problem.Fields) != 1 || problem.Fields[0].Pointer != test.field):
			t.Errorf("%s: fields %+v", test.template, problem.Fields)
		}
	}
}

func TestPlace(t *testing.T) {
	screen := screenSize{1920, 1080}
	for _, test := range []struct {
		name   string
		before placement
		screen screenSize
		want   placement
	}{
		{"the first time", placement{}, screen, placement{Width: defaultWidth, Height: defaultHeight}},
		{"as it was", placement{X: 100, Y: 50, Width: 1000, Height: 700, Placed: true}, screen, placement{X: 100, Y: 50, Width: 1000, Height: 700, Placed: true}},
		{"on a smaller screen", placement{X: 100, Y: 50, Width: 3000, Height: 2000, Placed: true}, screen, placement{X: 100, Y: 50, Width: 1920, Height: 1080}},
		{"on a screen that is gone", placement{X: 2500, Y: 50, Width: 1000, Height: 700, Placed: true}, screen, placement{X: 2500, Y: 50, Width: 1000, Height: 700}},
		{"off the edge", placement{X: -50, Y: 0, Width: 1000, Height: 700, Placed: true}, screen, placement{X: -50, Y: 0, Width: 1000, Height: 700}},
		{"nonsense", placement{Width: -1, Height: 5, Placed: true}, screen, placement{Width: defaultWidth, Height: defaultHeight, Placed: true}},
		{"too small", placement{Width: 10, Height: 10}, screen, placement{Width: minWidth, Height: minHeight}},
		{"an unknown screen", placement{X: 1, Y: 1, Width: 1000, Height: 700, Placed: true}, screenSize{}, placement{X: 1, Y: 1, Width: 1000, Height: 700}},
	} {
		if got := place(test.before, test.screen); got != test.want {
			t.Errorf("%s: got %+v, want %+v", test.name, got, test.want)
		}
	}
}

func TestSettingsSurviveInTheStore(t *testing.T) {
	s, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got, err := loadSettings(t.Context(), s); err != nil || got != defaults {
		t.Errorf("before anything is stored: %+v, %v", got, err)
	}
	want := api.Settings{Theme: "dark", AskWindow: "inline", Density: "comfortable"}
	if _, err := saveSettings(t.Context(), s, want); err != nil {
		t.Fatal(err)
	}
	if got, err := loadSettings(t.Context(), s); err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := saveSettings(t.Context(), s, api.Settings{Theme: "neon", AskWindow: "hologram"}); err != nil || got != defaults {
		t.Errorf("unknown values gave %+v, %v", got, err)
	}
	if err := s.SetSetting(t.Context(), placementKey, "{"); err != nil {
		t.Fatal(err)
	}
	if p, settings := loadPlacement(t.Context(), s, slog.New(slog.DiscardHandler)); p != (placement{}) || settings != defaults {
		t.Errorf("a damaged placement gave %+v, %+v", p, settings)
	}
}

func TestPromptPageIsServedUnderTheNameThatWailsOpens(t *testing.T) {
	pages := pageFS{fstest.MapFS{"index.html": {Data: []byte("main")}, "prompt.html": {Data: []byte("prompt")}, "a.js": {Data: []byte("js")}}, "prompt.html"}
	for name, want := range map[string]string{"index.html": "prompt", "a.js": "js"} {
		if got, err := pages.FS.(fstest.MapFS).ReadFile(name); err != nil || (name != "index.html" && string(got) != want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		file, err := pages.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		text := make([]byte, 16)
		n, err := file.Read(text)
		if err != nil || string(text[:n]) != want {
			t.Errorf("%s: %q, %v", name, text[:n], err)
		}
	}
}

func TestWindowTitleIsInert(t *testing.T) {
	got := windowTitle(api.Ask{ServerName: "Evil\n\u202Emoc.elgoog\x1b[2J" + strings.Repeat("x", 100)})
	if strings.ContainsAny(got, "\n\u202E\x1b") || len([]rune(got)) > 80 {
		t.Errorf("got %q", got)
	}
	if got := windowTitle(api.Ask{}); got != "a server asks" {
		t.Errorf("got %q", got)
	}
}

// add panics for a nil map.
func add(m map[string]int) { m["a"] = 1 }
