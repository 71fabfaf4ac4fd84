package scheme

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// entryName is not the name of the package's own entry, which it would hide from the menus.
	entryName = "app.jackfield.Jackfield.links.desktop"
	listName  = "mimeapps.list"
	cacheName = "mimeinfo.cache"
	defaults  = "Default Applications"
	added     = "Added Associations"
	removed   = "Removed Associations"
	entry     = "Desktop Entry"
)

// places are the directories of the XDG Base Directory Specification, the person's own first.
type places struct {
	config, data []string
	desktops     []string // XDG_CURRENT_DESKTOP in small letters
}

// New looks where the environment says.
func New(program string) *Registrar {
	home, _ := os.UserHomeDir() // without one, there are only the absolute directories below
	first := func(name, fallback string) string {
		if dir := os.Getenv(name); filepath.IsAbs(dir) {
			return dir
		}
		if home == "" {
			return ""
		}
		return filepath.Join(home, fallback)
	}
	list := func(name, fallback string) []string {
		var dirs []string
		value := os.Getenv(name)
		if value == "" {
			value = fallback
		}
		for _, dir := range filepath.SplitList(value) {
			if filepath.IsAbs(dir) {
				dirs = append(dirs, dir)
			}
		}
		return dirs
	}
	p := places{
		config: append([]string{first("XDG_CONFIG_HOME", ".config")}, list("XDG_CONFIG_DIRS", "/etc/xdg")...),
		data:   append([]string{first("XDG_DATA_HOME", ".local/share")}, list("XDG_DATA_DIRS", "/usr/local/share:/usr/share")...),
	}
	for _, desktop := range strings.Split(os.Getenv("XDG_CURRENT_DESKTOP"), ":") {
		if desktop != "" {
			p.desktops = append(p.desktops, strings.ToLower(desktop))
		}
	}
	return &Registrar{program: resolve(program), places: p}
}

func resolve(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// State follows the specification "Association between MIME types and applications": the first default that exists wins, then the first
// program that says it can.
func (r *Registrar) State(context.Context) (State, error) {
	state := State{Supported: r.places.data[0] != "" && r.places.config[0] != ""}
	own, err := r.target(r.ownEntry())
	if err != nil {
		return State{}, err
	}
	if own != "" && own != r.program {
		_, err := os.Stat(own)
		state.Stale = errors.Is(err, os.ErrNotExist)
	}
	handler, program, err := r.handler()
	if err != nil {
		return State{}, err
	}
	switch {
	case handler == "":
		state.Detail = "No program gets jackfield links."
	case program == r.program:
		state.Registered = true
		state.Detail = "jackfield links open this program."
	case handler == r.ownEntry() && state.Stale:
		state.Detail = "jackfield links lead to where this program was before: " + program + "."
	default:
		state.Stale = false
		state.Other = program
		state.Detail = "jackfield links open another program: " + program + "."
	}
	return state, nil
}

func (r *Registrar) ownEntry() string {
	return filepath.Join(r.places.data[0], "applications", entryName)
}

// handler is the desktop entry that gets the links, with the program behind it.
func (r *Registrar) handler() (path, program string, err error) {
	var refused []string
	for _, file := range r.places.lists() {
		keys, err := readKeys(file)
		if err != nil {
			return "", "", err
		}
		for _, id := range keys.list(defaults, MIMEType) {
			if path, program, err := r.entry(id); err != nil || path != "" {
				return path, program, err
			}
		}
		for _, id := range keys.list(added, MIMEType) {
			if slices.Contains(refused, id) {
				continue
			}
			if path, program, err := r.entry(id); err != nil || path != "" {
				return path, program, err
			}
		}
		refused = append(refused, keys.list(removed, MIMEType)...)
	}
	for _, dir := range r.places.data {
		keys, err := readKeys(filepath.Join(dir, "applications", cacheName))
		if err != nil {
			return "", "", err
		}
		for _, id := range keys.list("MIME Cache", MIMEType) {
			if slices.Contains(refused, id) {
				continue
			}
			if path, program, err := r.entry(id); err != nil || path != "" {
				return path, program, err
			}
		}
	}
	return "", "", nil
}

// lists are the files with associations, the strongest first.
func (p places) lists() []string {
	var files []string
	add := func(dir string) {
		for _, desktop := range p.desktops {
			files = append(files, filepath.Join(dir, desktop+"-"+listName))
		}
		files = append(files, filepath.Join(dir, listName))
	}
	for _, dir := range p.config {
		add(dir)
	}
	for _, dir := range p.data {
		add(filepath.Join(dir, "applications"))
	}
	return files
}

// entry finds a desktop entry by its id. path is "" if there is none, or none that can be started.
func (r *Registrar) entry(id string) (path, program string, err error) {
	if id != filepath.Base(id) {
		return "", "", nil
	}
	for _, dir := range r.places.data {
		path := filepath.Join(dir, "applications", id)
		program, err := r.target(path)
		if err != nil || program != "" {
			return path, program, err
		}
	}
	return "", "", nil
}

// target is the program that a desktop entry starts, "" if there is no such entry.
func (r *Registrar) target(path string) (string, error) {
	keys, err := readKeys(path)
	if err != nil {
		return "", err
	}
	program := execProgram(keys.get(entry, "Exec"))
	if program == "" || keys.get(entry, "Hidden") == "true" {
		return "", nil
	}
	if !filepath.IsAbs(program) {
		if found, err := exec.LookPath(program); err == nil {
			program = found
		}
	}
	return resolve(program), nil
}

// readKeys takes a file that is not there for an empty one.
func readKeys(path string) (*keyFile, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
		return &keyFile{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading what opens jackfield links: %w", err)
	}
	return parseKeyFile(string(text)), nil
}

// Register makes this program the one that gets the links, for this person. It is called when the person wants that, or when nobody
// else has them.
func (r *Registrar) Register(ctx context.Context) error {
	if r.places.data[0] == "" || r.places.config[0] == "" {
		return UnsupportedError{}
	}
	quoted, err := quoteExec(r.program)
	if err != nil {
		return err
	}
	text := strings.Join([]string{
		"[" + entry + "]", "Type=Application", "Name=Jackfield", "Comment=Opens jackfield links", "Exec=" + quoted + " %u",
		"Icon=app.jackfield.Jackfield", "Terminal=false", "NoDisplay=true", "StartupNotify=true", "StartupWMClass=jackfield",
		"MimeType=" + MIMEType + ";", "",
	}, "\n")
	if err := replace(r.ownEntry(), text); err != nil {
		return err
	}
	r.tellDesktop(ctx)
	// The list is written here and not by xdg-mime, which is not everywhere and asks other programs of the desktop.
	return r.change(func(keys *keyFile) { keys.set(defaults, MIMEType, entryName+";") })
}

// Unregister takes back what Register did, and leaves what others did.
func (r *Registrar) Unregister(ctx context.Context) error {
	if r.places.data[0] == "" || r.places.config[0] == "" {
		return UnsupportedError{}
	}
	err := r.change(func(keys *keyFile) {
		rest := slices.DeleteFunc(keys.list(defaults, MIMEType), func(id string) bool { return id == entryName })
		if len(rest) == 0 {
			keys.remove(defaults, MIMEType)
			return
		}
		keys.set(defaults, MIMEType, strings.Join(rest, ";")+";")
	})
	if err != nil {
		return err
	}
	if err := os.Remove(r.ownEntry()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("removing the desktop entry for jackfield links: %w", err)
	}
	r.tellDesktop(ctx)
	return nil
}

// change rewrites the person's list of defaults, if that changes anything.
func (r *Registrar) change(edit func(*keyFile)) error {
	path := filepath.Join(r.places.config[0], listName)
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("reading the list of default programs: %w", err)
	}
	keys := parseKeyFile(string(text))
	edit(keys)
	if after := keys.String(); after != string(text) {
		return replace(path, after)
	}
	return nil
}

// replace writes a whole file or leaves the old one. A link stays a link: the person may keep such files elsewhere.
func replace(path, text string) error {
	path = resolve(path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("making a place for the registration of jackfield links: %w", err)
	}
	mode := os.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".jackfield-*")
	if err != nil {
		return fmt.Errorf("registering for jackfield links: %w", err)
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("registering for jackfield links: %w", err), os.Remove(file.Name()))
	}
	return nil
}

// tellDesktop refreshes the cache of the person's desktop entries. The default in the list counts without it, so that it may fail.
func (r *Registrar) tellDesktop(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_ = exec.CommandContext(ctx, "update-desktop-database", filepath.Dir(r.ownEntry())).Run()
}
