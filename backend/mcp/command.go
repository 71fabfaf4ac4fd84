package mcp

import (
	"fmt"
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
	if command == "" {
		return "", fail(CodeUsage, "The server has no command.", "Enter the program to run.", nil)
	}
	name := expandHome(command, env)
	if strings.ContainsRune(name, '/') || runtime.GOOS == "windows" && strings.ContainsAny(name, `\:`) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		for _, candidate := range candidates(name, env) {
			if executable(candidate) {
				return candidate, nil
			}
		}
		if info, err := os.Stat(name); err == nil && !info.IsDir() {
			return "", fail(CodeNotFound, fmt.Sprintf("%s is not executable.", name), "Make the file executable, or start it through its interpreter.", nil)
		}
		return "", fail(CodeNotFound, fmt.Sprintf("There is no program %s.", name), "Correct the path of the command.", nil)
	}
	path := getEnv(env, "PATH")
	for _, folder := range filepath.SplitList(path) {
		if !filepath.IsAbs(folder) {
			continue // "." in PATH would run whatever lies in the working directory
		}
		for _, candidate := range candidates(filepath.Join(folder, name), env) {
			if executable(candidate) {
				return candidate, nil
			}
		}
	}
	return "", fail(CodeNotFound, fmt.Sprintf("The command %q was not found.", command),
		fmt.Sprintf("Install it, or give its full path. Searched in PATH: %s", path), nil)
}

// candidates are the file names that a command may mean: on Windows with the extensions of PATHEXT.
func candidates(name string, env []string) []string {
	if runtime.GOOS != "windows" {
		return []string{name}
	}
	extensions := getEnv(env, "PATHEXT")
	if extensions == "" {
		extensions = ".COM;.EXE;.BAT;.CMD"
	}
	var names []string
	if filepath.Ext(name) != "" {
		names = append(names, name)
	}
	for extension := range strings.SplitSeq(extensions, ";") {
		names = append(names, name+extension)
	}
	return names
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
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
