package scheme

import "testing"

func TestAtLaunch(t *testing.T) {
	for _, test := range []struct {
		name     string
		wish     Wish
		state    State
		register bool
		after    Wish
	}{
		{"the first launch", NotAsked, State{Supported: true}, true, On},
		{"the first launch, installed by a package", NotAsked, State{Supported: true, Registered: true}, false, On},
		{"the first launch, another program has them", NotAsked, State{Supported: true, Other: "/opt/x"}, false, NotAsked},
		{"the other program is gone", NotAsked, State{Supported: true}, true, On},
		{"a later launch", On, State{Supported: true, Registered: true}, false, On},
		{"the program was moved", On, State{Supported: true, Stale: true}, true, On},
		{"moved, and the data are new", NotAsked, State{Supported: true, Stale: true}, true, On},
		{"somebody took it away", On, State{Supported: true}, false, On},
		{"another program took it", On, State{Supported: true, Other: "/opt/x"}, false, On},
		{"taken back", Off, State{Supported: true}, false, Off},
		{"taken back, and moved", Off, State{Supported: true, Stale: true}, false, Off},
		{"registered by the installer", NotAsked, State{Registered: true}, false, NotAsked},
	} {
		register, after := AtLaunch(test.wish, test.state)
		if register != test.register || after != test.after {
			t.Errorf("%s: %v, %q", test.name, register, after)
		}
	}
}

func TestExecSurvivesQuoting(t *testing.T) {
	for _, path := range []string{
		"/usr/bin/jackfield-desktop", "/home/a b/x", `/x/"quoted"/y`, "/x/`id`/$(id)/$HOME", `/x/back\slash\s\n`, "/x/100%/%u/%%f", "/x/;#&|<>*?",
		"/x/日本語", `/x/\`, "/x/'",
	} {
		quoted, err := quoteExec(path)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if got := execProgram(quoted + " %u"); got != path {
			t.Errorf("%s: %s reads as %s", path, quoted, got)
		}
	}
	for _, path := range []string{"/x/a\nExec=/bin/evil", "/x/a\rb", "/x/a\x00", "/x/a\tb", "/x/A=b"} {
		if quoted, err := quoteExec(path); err == nil {
			t.Errorf("%q became %q", path, quoted)
		}
	}
	for value, want := range map[string]string{
		"jackfield-desktop %u": "jackfield-desktop", `"/a b/c" %u`: "/a b/c", `"/a`: "", "": "", `"/a\\"b" x`: `/a"b`, "plain": "plain",
	} {
		if got := execProgram(value); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}

func TestKeyFileKeepsWhatItDoesNotChange(t *testing.T) {
	const before = "# mine\n[Added Associations]\ntext/html=a.desktop;\n\n[Default Applications]\ntext/html=a.desktop;\n\n[Other]\nx=y\n"
	keys := parseKeyFile(before)
	keys.set("Default Applications", MIMEType, "j.desktop;")
	const with = "# mine\n[Added Associations]\ntext/html=a.desktop;\n\n[Default Applications]\ntext/html=a.desktop;\n" +
		MIMEType + "=j.desktop;\n\n[Other]\nx=y\n"
	if got := keys.String(); got != with {
		t.Errorf("set:\n%s", got)
	}
	keys.set("Default Applications", MIMEType, "k.desktop;")
	if got := keys.get("Default Applications", MIMEType); got != "k.desktop;" {
		t.Errorf("replaced: %q", got)
	}
	keys.remove("Default Applications", MIMEType)
	if got := keys.String(); got != before {
		t.Errorf("removed:\n%s", got)
	}
	empty := parseKeyFile("")
	empty.set("A", "b", "c")
	if got := empty.String(); got != "[A]\nb=c\n" {
		t.Errorf("new: %q", got)
	}
}
