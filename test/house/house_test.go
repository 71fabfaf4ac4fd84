// Package house holds the tests of the shape of the whole: which package may import which, and what every file must have.
package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"jackfield/app/frames"
)

const root = "../.."

type pkg struct {
	ImportPath string
	Dir        string
	Imports    []string
	Deps       []string
	GoFiles    []string
	CgoFiles   []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	command := exec.Command("go", "list", "-json=ImportPath,Dir,Imports,Deps,GoFiles,CgoFiles", "./...")
	command.Dir = root
	out, err := command.Output()
	if err != nil {
		t.Fatalf("listing packages: %v", err)
	}
	var all []pkg
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 8 {
		t.Fatalf("only %d packages found", len(all))
	}
	return all
}

func within(path, prefix string) bool { return path == prefix || strings.HasPrefix(path, prefix+"/") }

func TestImportsPointOneWay(t *testing.T) {
	const wails = "github.com/wailsapp/wails"
	for _, p := range packages(t) {
		for _, dependency := range p.Deps {
			switch {
			case within(p.ImportPath, "jackfield/backend") &&
				(strings.HasPrefix(dependency, wails) || within(dependency, "jackfield/app")):
				t.Errorf("%s depends on %s: the back end knows no surface", p.ImportPath, dependency)
			case (within(p.ImportPath, "jackfield/app/cli") || within(p.ImportPath, "jackfield/cmd")) &&
				strings.HasPrefix(dependency, wails):
				t.Errorf("%s depends on %s: the command line links no window system", p.ImportPath, dependency)
			}
		}
		if within(p.ImportPath, "jackfield/backend/store") {
			for _, dependency := range p.Deps {
				if within(dependency, "jackfield/backend") && !within(dependency, "jackfield/backend/store") {
					t.Errorf("%s depends on %s: the store imports no sibling", p.ImportPath, dependency)
				}
			}
		}
		for _, imported := range p.Imports {
			if within(imported, "jackfield/backend/mcp/wire") && !within(p.ImportPath, "jackfield/backend/mcp") {
				t.Errorf("%s imports %s: only the Manager speaks to the wire", p.ImportPath, imported)
			}
		}
	}
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	for _, p := range packages(t) {
		documented := false
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			documented = documented || file.Doc != nil
		}
		if !documented && len(p.GoFiles)+len(p.CgoFiles) > 0 {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}

// sources calls check with every file of the front end that is written by hand.
func sources(t *testing.T, check func(path, text string)) {
	t.Helper()
	count := 0
	err := filepath.WalkDir(filepath.Join(root, "frontend", "src"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		count++
		relative, err := filepath.Rel(filepath.Join(root, "frontend"), path)
		check(filepath.ToSlash(relative), string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if count < 10 {
		t.Fatalf("only %d source files found", count)
	}
}

func TestOnlyOneFileOfTheFrontEndKnowsWails(t *testing.T) {
	imports := regexp.MustCompile(`from\s+"[^"]*wailsjs/`)
	sources(t, func(path, text string) {
		if path != "src/backend.ts" && imports.MatchString(text) {
			t.Errorf("%s imports wailsjs: go through src/backend.ts, so that the page also runs in a browser", path)
		}
	})
}

// On Linux any iframe in the window could call bound methods.
func TestNoFrameInTheFrontEnd(t *testing.T) {
	frame := regexp.MustCompile(`<(iframe|frame|object|embed)[\s>]|createElement\(\s*["'](iframe|frame|object|embed)`)
	sources(t, func(path, text string) {
		if !strings.Contains(path, ".test.") && frame.MatchString(text) {
			t.Errorf("%s makes a frame", path)
		}
	})
}

// The build writes the policy into both pages, and the program sends it as a header: neither may be weaker than the other.
func TestBothContentSecurityPoliciesAreTheSame(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "frontend", "vite.config.ts"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, found := strings.Cut(string(text), "const policy = [")
	list, _, closed := strings.Cut(list, "]")
	if !found || !closed {
		t.Fatal("frontend/vite.config.ts has no policy list")
	}
	var page []string
	for _, match := range regexp.MustCompile(`"([^"]+)"`).FindAllStringSubmatch(list, -1) {
		page = append(page, match[1])
	}
	header := strings.Split(frames.Policy, "; ")
	if !slices.Equal(page, header) {
		t.Errorf("the policies differ:\n  page %q\nheader %q", page, header)
	}
	for _, must := range []string{"default-src 'none'", "script-src 'self'", "frame-src 'none'", "object-src 'none'", "base-uri 'none'"} {
		if !slices.Contains(page, must) {
			t.Errorf("the policy lacks %q", must)
		}
	}
	if strings.Contains(strings.Join(page, ";"), "unsafe-eval") {
		t.Error("the policy allows eval")
	}
}
