package scheme

import "testing"

func TestAPathIsQuotedOnlyWhereItNeedsTo(t *testing.T) {
	for path, want := range map[string]string{
		"/opt/jackfield/jackfield-desktop": "/opt/jackfield/jackfield-desktop",
		"/opt/my programs/jackfield":       `"/opt/my programs/jackfield"`,
	} {
		got, err := quoteExec(path)
		if err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", path, got, err, want)
		}
		if back := execProgram(got + " %u"); back != path {
			t.Errorf("%s is read as %s", got, back)
		}
	}
}
