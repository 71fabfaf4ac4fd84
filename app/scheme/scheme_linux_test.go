package scheme

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// home is a person's home without anything in it, and a system without anything installed.
type home struct {
	t                    *testing.T
	config, data, system string
}

func newHome(t *testing.T) home {
	dir := t.TempDir()
	h := home{t, filepath.Join(dir, "config"), filepath.Join(dir, "data"), filepath.Join(dir, "system")}
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", h.config)
	t.Setenv("XDG_DATA_HOME", h.data)
	t.Setenv("XDG_DATA_DIRS", h.system)
	t.Setenv("XDG_CONFIG_DIRS", filepath.Join(dir, "etc"))
	t.Setenv("XDG_CURRENT_DESKTOP", "")
	t.Setenv("DESKTOP_SESSION", "")
	return h
}

func (h home) program(name string) string {
	h.t.Helper()
	path := filepath.Join(h.t.TempDir(), name)
	h.write(path, "#!/bin/sh\n", 0o755)
	return path
}

func (h home) write(path, text string, mode os.FileMode) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		h.t.Fatal(err)
	}
}

func (h home) read(path string) string {
	h.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(text)
}

// install puts a desktop entry into the system, as a package does.
func (h home) install(id, program string) {
	h.write(filepath.Join(h.system, "applications", id), "[Desktop Entry]\nType=Application\nName=x\nExec="+program+" %u\nMimeType="+MIMEType+";\n", 0o644)
	h.write(filepath.Join(h.system, "applications", cacheName), "[MIME Cache]\n"+MIMEType+"="+id+";\n", 0o644)
}

func (h home) state(r *Registrar) State {
	h.t.Helper()
	state, err := r.State(h.t.Context())
	if err != nil || state.Detail == "" || !state.Supported {
		h.t.Fatalf("%+v, %v", state, err)
	}
	return state
}

func (h home) launch(r *Registrar, wish Wish) Wish {
	h.t.Helper()
	after, err := r.Launch(h.t.Context(), wish)
	if err != nil {
		h.t.Fatal(err)
	}
	return after
}

func TestTheFirstLaunchRegisters(t *testing.T) {
	h := newHome(t)
	r := New(h.program(`jack "field" $1 50%`))
	if got := h.state(r); got.Registered || got.Other != "" {
		t.Fatalf("before: %+v", got)
	}
	if after := h.launch(r, NotAsked); after != On {
		t.Errorf("remembered %q", after)
	}
	if got := h.state(r); !got.Registered {
		t.Errorf("after: %+v", got)
	}
	// What the desktop's own tools say counts.
	entry := filepath.Join(h.data, "applications", entryName)
	if out, err := exec.Command("desktop-file-validate", entry).CombinedOutput(); err != nil {
		t.Errorf("the desktop entry is not valid: %v %s", err, out)
	}
	out, err := exec.Command("xdg-mime", "query", "default", MIMEType).Output()
	if err != nil || strings.TrimSpace(string(out)) != entryName {
		t.Errorf("xdg-mime says %q, %v (it is in the package xdg-utils)", out, err)
	}
	if err := r.Unregister(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := h.state(r); got.Registered || got.Other != "" {
		t.Errorf("after taking it back: %+v", got)
	}
	if after := h.launch(r, Off); after != Off || h.state(r).Registered {
		t.Errorf("a launch undid what the person said: %q", after)
	}
	out, _ = exec.Command("xdg-mime", "query", "default", MIMEType).Output() // its status says nothing
	if strings.Contains(string(out), entryName) {
		t.Errorf("xdg-mime still says %q", out)
	}
}

func TestOtherDefaultsStay(t *testing.T) {
	h := newHome(t)
	list := filepath.Join(h.config, listName)
	const before = "[Default Applications]\ntext/html=firefox.desktop\n\n[Added Associations]\ntext/plain=x.desktop;\n"
	h.write(list, before, 0o600)
	r := New(h.program("jackfield-desktop"))
	for range 2 {
		if err := r.Register(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := h.read(list); strings.Count(got, MIMEType) != 1 || !strings.Contains(got, "text/html=firefox.desktop\n") {
		t.Errorf("registered:\n%s", got)
	}
	if err := r.Unregister(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := h.read(list); got != before {
		t.Errorf("taken back:\n%s", got)
	}
	if info, err := os.Stat(list); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode changed: %v, %v", info, err)
	}
}

func TestAMovedProgramRegistersAgain(t *testing.T) {
	h := newHome(t)
	old := h.program("jackfield-desktop")
	if err := New(old).Register(t.Context()); err != nil {
		t.Fatal(err)
	}
	moved := New(h.program("jackfield-desktop"))
	if got := h.state(moved); got.Registered || got.Stale || got.Other != old {
		t.Errorf("while the old one is there, it is another program: %+v", got)
	}
	if after := h.launch(moved, On); after != On || h.state(moved).Registered {
		t.Error("taken away from a program that is there")
	}
	if err := os.Remove(old); err != nil {
		t.Fatal(err)
	}
	if got := h.state(moved); !got.Stale {
		t.Errorf("gone: %+v", got)
	}
	if after := h.launch(moved, On); after != On || !h.state(moved).Registered {
		t.Errorf("not registered again: %+v", h.state(moved))
	}
}

func TestAnotherProgramIsNotReplacedSilently(t *testing.T) {
	for _, how := range []string{"by default", "by its cache"} {
		t.Run(how, func(t *testing.T) {
			h := newHome(t)
			other := h.program("other")
			h.install("other.desktop", other)
			if how == "by default" {
				h.write(filepath.Join(h.config, listName), "[Default Applications]\n"+MIMEType+"=gone.desktop;other.desktop\n", 0o644)
			}
			r := New(h.program("jackfield-desktop"))
			if after := h.launch(r, NotAsked); after != NotAsked {
				t.Errorf("remembered %q", after)
			}
			if got := h.state(r); got.Registered || got.Other != other || !strings.Contains(got.Detail, other) {
				t.Fatalf("%+v", got)
			}
			if err := r.Register(t.Context()); err != nil { // the person says so
				t.Fatal(err)
			}
			if got := h.state(r); !got.Registered {
				t.Errorf("%+v", got)
			}
			if err := r.Unregister(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := h.state(r); got.Other != other {
				t.Errorf("the other one is not back: %+v", got)
			}
		})
	}
}

func TestAPackageRegistersForEverybody(t *testing.T) {
	h := newHome(t)
	program := h.program("jackfield-desktop")
	t.Setenv("PATH", filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	h.install("app.jackfield.Jackfield.desktop", "jackfield-desktop") // as the package writes it: without a path
	r := New(program)
	if got := h.state(r); !got.Registered {
		t.Fatalf("%+v", got)
	}
	if after := h.launch(r, NotAsked); after != On {
		t.Errorf("remembered %q", after)
	}
	if _, err := os.Stat(h.data); !os.IsNotExist(err) {
		t.Errorf("something was written: %v", err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(program, link); err != nil {
		t.Fatal(err)
	}
	if got := h.state(New(link)); !got.Registered {
		t.Errorf("through a symbolic link: %+v", got)
	}
}

func TestAHiddenEntryAndAStrangeIDAreNone(t *testing.T) {
	h := newHome(t)
	h.write(filepath.Join(h.data, "applications", "x.desktop"), "[Desktop Entry]\nHidden=true\nExec=/bin/true\n", 0o644)
	h.write(filepath.Join(h.config, listName), "[Default Applications]\n"+MIMEType+"=x.desktop;../x.desktop;/etc/x.desktop\n", 0o644)
	if got := h.state(New(h.program("j"))); got.Other != "" {
		t.Errorf("%+v", got)
	}
}

func TestADataDirectoryThatCannotBeWrittenIsAnError(t *testing.T) {
	h := newHome(t)
	h.write(h.data, "a file", 0o644)
	r := New(h.program("j"))
	if after, err := r.Launch(t.Context(), NotAsked); err == nil || after != NotAsked {
		t.Errorf("%q, %v", after, err)
	}
}
