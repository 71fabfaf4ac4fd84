package paste

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"jackfield/backend/store"
)

// nameFromURL is the host without its usual decoration: mcp.linear.app is linear.app.
func nameFromURL(text string) string {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Hostname() == "" {
		return "server"
	}
	host := parsed.Host
	for _, prefix := range []string{"www.", "mcp.", "api."} {
		if rest := strings.TrimPrefix(host, prefix); strings.Contains(rest, ".") {
			host = rest
		}
	}
	return host
}

// runners are programs that run a package or a script: the name of that says more than theirs.
var runners = map[string][]string{ // with the words that may stand before the package
	"npx": nil, "bunx": nil, "uvx": nil, "pnpx": nil,
	"npm": {"exec", "x"}, "pnpm": {"dlx", "exec"}, "yarn": {"dlx"}, "bun": {"x", "run"}, "deno": {"run"},
	"uv": {"tool", "run"}, "pipx": {"run"}, "go": {"run"},
	"node": nil, "tsx": nil, "python": nil, "python3": nil, "py": nil, "ruby": nil, "php": nil,
}

// inline are the flags with which runners take code from the command line.
var inline = []string{"-c", "-e", "--eval"}

func nameFromCommand(words []string) string {
	program := baseName(words[0])
	before, runs := runners[strings.ToLower(program)]
	if !runs {
		return orServer(program)
	}
	for i := 1; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "-m" && i+1 < len(words): // python -m package
			return orServer(words[i+1])
		case slices.Contains(inline, word): // what follows is a program, not the name of one
			return orServer(program)
		case strings.HasPrefix(word, "-"), slices.Contains(before, word):
			continue
		}
		return orServer(packageName(word))
	}
	return orServer(program)
}

// packageName is what is left of @scope/name@1.2, ./dist/name.js and github.com/owner/name@latest.
func packageName(word string) string {
	if i := strings.LastIndex(word, "@"); i > 0 && !strings.ContainsAny(word[i:], `/\`) { // a version, not a scope in a path
		word = word[:i]
	}
	name := baseName(word)
	if !slices.Contains(vague, strings.ToLower(name)) {
		return name
	}
	// server-files/dist/index.js is server-files.
	folders := strings.Split(path.Dir(strings.ReplaceAll(word, `\`, "/")), "/")
	for _, folder := range slices.Backward(folders) {
		if strings.Trim(folder, "./~") == "" || strings.HasSuffix(folder, ":") {
			break
		}
		if !slices.Contains(vague, strings.ToLower(folder)) {
			return folder
		}
	}
	return name
}

// vague names say nothing about a server.
var vague = []string{"index", "main", "server", "app", "cli", "start", "run", "__main__", "dist", "build", "out", "src", "lib", "bin", "cmd"}

func baseName(word string) string {
	name := path.Base(strings.ReplaceAll(word, `\`, "/"))
	switch extension := strings.ToLower(path.Ext(name)); extension {
	case ".exe", ".cmd", ".bat", ".sh", ".js", ".mjs", ".cjs", ".ts", ".py", ".jar", ".rb", ".php":
		name = name[:len(name)-len(extension)]
	}
	return name
}

func orServer(name string) string {
	if strings.Trim(name, "./ ") == "" {
		return "server"
	}
	return name
}

// NameOf is a name for a server that has none.
func NameOf(server store.Server) string {
	if server.Transport == store.TransportStdio {
		return nameFromCommand(append([]string{server.Command}, server.Args...))
	}
	return nameFromURL(server.URL)
}
