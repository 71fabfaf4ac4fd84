package appearance

import (
	"slices"
	"testing"
)

func TestDecide(t *testing.T) {
	for _, test := range []struct {
		theme         string
		system        scheme
		wanted, known bool
	}{
		{"light", dark, false, true},
		{"dark", light, true, true},
		{"system", dark, true, true},
		{"system", light, false, true},
		{"system", unknown, false, false},
		{"", dark, true, true},
	} {
		if wanted, known := decide(test.theme, test.system); wanted != test.wanted || known != test.known {
			t.Errorf("%+v: got %v, %v", test, wanted, known)
		}
	}
}

func TestChangesAreAppliedInOrder(t *testing.T) {
	var applied []bool
	a := &Appearance{apply: func(dark bool) { applied = append(applied, dark) }, theme: "system"}
	a.Set("system") // unknown: the toolkit's default stays
	a.Set("dark")
	a.change(func() { a.system = light })
	a.Set("system")
	a.change(func() { a.system = dark })
	if want := []bool{true, true, false, true}; !slices.Equal(applied, want) || !a.Dark() {
		t.Errorf("got %v, want %v; dark %v", applied, want, a.Dark())
	}
}
