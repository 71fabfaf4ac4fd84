package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	testInDocument = regexp.MustCompile("`(Test[A-Za-z0-9_]+)`")
	testInSource   = regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9_]+)\(`)
)

// Documents that say of each row of a table which test shows it. A row without a test that exists is only a promise.
func TestWhatDocumentsPromiseIsTested(t *testing.T) {
	have := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git"):
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, match := range testInSource.FindAllStringSubmatch(string(text), -1) {
			have[match[1]] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range []string{"advisories.md", "reference-parity.md", "sharp-edges.md"} {
		text, err := os.ReadFile(filepath.Join(root, "docs", document))
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		head := true // the row above the line of dashes
		for line := range strings.Lines(string(text)) {
			switch {
			case !strings.HasPrefix(line, "|"):
				head = true
				continue
			case strings.HasPrefix(line, "|-") || strings.HasPrefix(line, "| -"):
				head = false
				continue
			case head:
				continue
			}
			rows++
			named := testInDocument.FindAllStringSubmatch(line, -1)
			if len(named) == 0 {
				t.Errorf("%s: no test is named in: %s", document, strings.TrimSpace(line))
			}
			for _, match := range named {
				if !have[match[1]] {
					t.Errorf("%s names %s, which is no test", document, match[1])
				}
			}
		}
		if rows == 0 {
			t.Errorf("%s has no row", document)
		}
	}
}
