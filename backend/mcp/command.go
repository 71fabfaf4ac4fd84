package mcp

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"jackfield/backend/mcp/wire"
	"jackfield/backend/store"
)

// resolveCommand finds the program of a stdio server in the PATH that it will run with, and puts its environment together.
// No shell is involved: arguments arrive as they are written.
func resolveCommand(server store.Server, environ []string) (wire.Command, *Error) {
	env := slices.Clone(environ)
	for _, v := range server.Env {
		env = setEnv(env, v.Name, valueOf(v))
	}
	dir, err := resolveDir(server.Cwd, env)
	if err != nil {
		return wire.Command{}, err
	}
	path, err := lookCommand(server.Command, dir, env)
	if err != nil {
		return wire.Command{}, err
	}
	return wire.Command{Path: path, Args: server.Args, Env: env, Dir: dir}, nil
}

// resolveDir is the working directory: absolute, there, and a directory. The person's home is the default, because the
// directory that a desktop program was started in means nothing. Who has no home (a service, a container) keeps this program's.
func resolveDir(cwd string, env []string) (string, *Error) {
	if cwd == "" {
		home := getEnv(env, homeVariable())
		if info, err := os.Stat(home); err != nil || !info.IsDir() {
			return "", nil
		}
		cwd = home
	}
	dir := expandHome(cwd, env)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(getEnv(env, homeVariable()), dir)
	}
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return "", fail(CodeNotFound, fmt.Sprintf("The working directory %s cannot be used: %s", dir, trimError(err)), "Correct the directory of this server.", err)
	case !info.IsDir():
		return "", fail(CodeNotFound, fmt.Sprintf("%s is not a directory.", dir), "Correct the directory of this server.", nil)
	}
	return dir, nil
}

// lookCommand finds the file to run. A bare name is looked up in PATH, everything else is a path, relative to dir.
func lookCommand(command, dir string, env []string) (string, *Error) {
	name := expandHome(unquote(command), env)
	if name == "" {
		return "", fail(CodeUsage, "The server has no command.", "Enter the program to run.", nil)
	}
	extensions := getEnv(env, "PATHEXT")
	if strings.ContainsRune(name, '/') || runtime.GOOS == "windows" && strings.ContainsAny(name, `\:`) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		for _, candidate := range candidates(runtime.GOOS, name, extensions) {
			if executable(candidate) {
				return candidate, checkInterpreter(candidate, env)
			}
		}
		if info, err := os.Stat(name); err == nil && !info.IsDir() {
			return "", notExecutable(name)
		}
		return "", fail(CodeNotFound, fmt.Sprintf("There is no program %s.", name), "Correct the path of the command.", nil)
	}
	path := getEnv(env, "PATH")
	var refused *Error
	for _, folder := range filepath.SplitList(path) {
		if !filepath.IsAbs(folder) {
			continue // "." in PATH would run whatever lies in the working directory
		}
		for _, candidate := range candidates(runtime.GOOS, filepath.Join(folder, name), extensions) {
			if executable(candidate) {
				return candidate, checkInterpreter(candidate, env)
			}
			if info, err := os.Stat(candidate); refused == nil && err == nil && info.Mode().IsRegular() {
				refused = notExecutable(candidate)
			}
		}
	}
	if refused != nil {
		return "", refused
	}
	return "", fail(CodeNotFound, fmt.Sprintf("The command %q was not found.", name), searched(path), nil)
}

// searched is the next step for a program that is not in PATH.
func searched(path string) string {
	return fmt.Sprintf("Install it, or give its full path. Searched in PATH: %s", path)
}

func notExecutable(name string) *Error {
	return fail(CodeNotFound, fmt.Sprintf("%s is not executable.", name), "Make the file executable, or start it through its interpreter.", nil)
}

// unquote takes off what comes along when a command is copied: white space around it, and quotes around the whole.
func unquote(command string) string {
	command = strings.TrimSpace(command)
	for _, quote := range []string{`"`, `'`} {
		if inner, ok := strings.CutPrefix(command, quote); ok && strings.HasSuffix(inner, quote) {
			return strings.TrimSuffix(inner, quote)
		}
	}
	return command
}

// candidates are the file names that a command may mean. On Windows that is the name itself only if it ends in an extension of PATHEXT;
// otherwise the name with each of them, in their order.
func candidates(goos, name, pathext string) []string {
	if goos != "windows" {
		return []string{name}
	}
	if pathext == "" {
		pathext = ".COM;.EXE;.BAT;.CMD"
	}
	var names []string
	for extension := range strings.SplitSeq(pathext, ";") {
		extension = strings.TrimSpace(extension)
		if extension == "" || extension == "." {
			continue
		}
		extension = "." + strings.TrimPrefix(extension, ".")
		if len(name) > len(extension) && strings.EqualFold(name[len(name)-len(extension):], extension) {
			return []string{name}
		}
		names = append(names, name+extension)
	}
	return names
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}

// checkInterpreter looks whether the interpreter of a script is there. Without it the system says that the script itself does not exist,
// and a script for "env node" ends with status 127.
func checkInterpreter(path string, env []string) *Error {
	if runtime.GOOS == "windows" {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil // a program may be executable and not readable
	}
	defer file.Close()
	first := make([]byte, 256)
	n, _ := io.ReadFull(file, first) // a short file is read as far as it goes
	program, byName := interpreter(first[:n])
	switch {
	case program == "":
		return nil
	case !byName:
		if _, err := os.Stat(program); err == nil {
			return nil
		}
		return fail(CodeNotFound, fmt.Sprintf("%s is a script for %s, which is not there.", path, program), "Install that program, or correct the first line of the script.", nil)
	}
	search := getEnv(env, "PATH")
	for _, folder := range filepath.SplitList(search) {
		if executable(filepath.Join(folder, program)) {
			return nil
		}
	}
	return fail(CodeNotFound, fmt.Sprintf("%s is a script for %q, which was not found.", path, program), searched(search), nil)
}

// interpreter reads the first line of a script: the program that runs it, and whether that is a name which env looks up in PATH.
func interpreter(start []byte) (program string, byName bool) {
	line, ok := strings.CutPrefix(string(start), "#!")
	if !ok {
		return "", false
	}
	line, _, whole := strings.Cut(line, "\n")
	words := strings.Fields(line)
	if !whole || len(words) == 0 {
		return "", false
	}
	if filepath.Base(words[0]) != "env" {
		return words[0], false
	}
	for _, word := range words[1:] {
		// Options such as -S and settings such as A=b come before the name.
		if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
			return word, !strings.Contains(word, "/")
		}
	}
	return words[0], false
}

func homeVariable() string {
	if runtime.GOOS == "windows" {
		return "USERPROFILE"
	}
	return "HOME"
}

// expandHome replaces a leading ~ by the home directory.
func expandHome(path string, env []string) string {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || rest != "" && rest[0] != '/' && rest[0] != os.PathSeparator {
		return path
	}
	return filepath.Join(getEnv(env, homeVariable()), rest)
}

// getEnv returns the last value of a variable, as a process sees it.
func getEnv(env []string, name string) string {
	for _, entry := range slices.Backward(env) {
		if key, value, ok := strings.Cut(entry, "="); ok && sameVariable(key, name) {
			return value
		}
	}
	return ""
}

// setEnv sets a variable once.
func setEnv(env []string, name, value string) []string {
	env = slices.DeleteFunc(env, func(entry string) bool {
		key, _, ok := strings.Cut(entry, "=")
		return ok && sameVariable(key, name)
	})
	return append(env, name+"="+value)
}

func sameVariable(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}
