package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"jackfield/backend/egress"
	"jackfield/backend/store"
)

const maxID = 64

var validID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Register stores a new server and makes no request. It returns the id: the given one, or one made from the name.
func (m *Manager) Register(ctx context.Context, server store.Server) (string, error) {
	return m.register(ctx, server, false)
}

// Add registers, connects and discovers. The id is valid also when connecting failed.
func (m *Manager) Add(ctx context.Context, server store.Server) (string, error) {
	id, err := m.register(ctx, server, false)
	if err != nil {
		return id, err
	}
	return id, m.Connect(ctx, id)
}

// Adhoc is Add without storing anything: the server lives as long as the Manager.
func (m *Manager) Adhoc(ctx context.Context, server store.Server) (string, error) {
	id, err := m.register(ctx, server, true)
	if err != nil {
		return id, err
	}
	return id, m.Connect(ctx, id)
}

func (m *Manager) register(ctx context.Context, server store.Server, adhoc bool) (string, error) {
	if err := checkServer(&server); err != nil {
		return "", err
	}
	server.CreatedAt = m.clock.Now()
	server.UpdatedAt = server.CreatedAt
	server.Learned, server.LastError = store.Learned{}, nil
	server.Approved = ""
	if server.Source == store.SourceTyped {
		server.Approved = store.CommandHash(server)
	} else {
		server.Enabled = false // nothing that came by a link or in a file runs by itself
	}

	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return "", ErrClosed
	}
	if server.ID == "" {
		server.ID = m.freeIDLocked(server.Name)
	} else if _, taken := m.conns[server.ID]; taken {
		m.mu.Unlock()
		return "", fail(CodeUsage, fmt.Sprintf("There is a server %q already.", server.ID), "Choose another id, or edit that server.", nil)
	}
	c := newConn(server)
	c.adhoc = adhoc
	m.conns[server.ID] = c // before it is stored, so that nobody else gets the id
	m.mu.Unlock()

	if !adhoc {
		stored, err := m.put(ctx, server)
		if err != nil {
			m.mu.Lock()
			delete(m.conns, server.ID)
			m.mu.Unlock()
			return "", err
		}
		m.mu.Lock()
		c.server = stored
		m.mu.Unlock()
	}
	m.mu.Lock()
	m.publishLocked(c)
	m.mu.Unlock()
	return server.ID, nil
}

// put stores a server and returns it as it is stored: its secrets are in the vault then, and no longer in the row.
func (m *Manager) put(ctx context.Context, server store.Server) (stored store.Server, err error) {
	err = m.writer.now(ctx, func(ctx context.Context) error {
		if err := m.options.Store.PutServer(ctx, server); err != nil {
			return err
		}
		var err error
		stored, err = m.options.Store.Server(ctx, server.ID)
		return err
	})
	if err != nil {
		return store.Server{}, fail(CodeInternal, "The server cannot be stored: "+err.Error(), "Check the data directory.", err)
	}
	return stored, nil
}

// freeIDLocked makes an id from a name: lower case, letters, digits and hyphens, beginning with a letter.
func (m *Manager) freeIDLocked(name string) string {
	id := idFrom(name)
	for n := 2; ; n++ {
		if _, taken := m.conns[id]; !taken {
			return id
		}
		suffix := "-" + strconv.Itoa(n)
		base := idFrom(name)
		id = base[:min(len(base), maxID-len(suffix))] + suffix
	}
}

var notInID = regexp.MustCompile(`[^a-z0-9]+`)

func idFrom(name string) string {
	id := strings.Trim(notInID.ReplaceAllString(strings.ToLower(name), "-"), "-")
	if id == "" || id[0] < 'a' || id[0] > 'z' {
		id = strings.TrimSuffix("id-"+id, "-")
	}
	return strings.TrimRight(id[:min(len(id), maxID)], "-")
}

// checkServer refuses an entry that could never connect, and fills in what follows from the rest.
func checkServer(s *store.Server) error {
	usage := func(message, hint string) error { return fail(CodeUsage, message, hint, nil) }
	s.Headers, s.Env = hide(s.Headers), hide(s.Env)
	if s.ID != "" && !validID.MatchString(s.ID) {
		return usage(fmt.Sprintf("%q cannot be an id.", s.ID), "Use letters, digits, dots, hyphens and underscores, at most 64.")
	}
	if s.Transport == "" {
		s.Transport = store.TransportAuto
		if s.Command != "" {
			s.Transport = store.TransportStdio
		}
	}
	switch s.Transport {
	case store.TransportStdio:
		if strings.TrimSpace(s.Command) == "" {
			return usage("The server has no command.", "Enter the program to run.")
		}
		if strings.ContainsRune(s.Command+strings.Join(s.Args, "")+s.Cwd, 0) {
			return usage("The command holds a NUL character.", "Remove it.")
		}
		s.Name = firstOf(s.Name, s.Command)
	case store.TransportBuiltin:
		s.Name = firstOf(s.Name, s.ID)
	case store.TransportAuto, store.TransportStreamableHTTP, store.TransportSSE:
		u, err := checkURL(s.URL)
		if err != nil {
			return err
		}
		s.Name = firstOf(s.Name, u.Host)
	default:
		return usage(fmt.Sprintf("There is no transport %q.", s.Transport), "Use auto, streamable-http, sse or stdio.")
	}
	switch s.Era {
	case "":
		s.Era = store.EraAuto
	case store.EraAuto, store.EraModern, store.EraLegacy:
	default:
		return usage(fmt.Sprintf("There is no protocol era %q.", s.Era), "Use auto, modern or legacy.")
	}
	if err := checkRoots(s); err != nil {
		return err
	}
	if s.LogLevel != "" && !slices.Contains(store.LogLevels, s.LogLevel) {
		return usage(fmt.Sprintf("There is no log level %q.", s.LogLevel), "Use debug, info, notice, warning, error, critical, alert or emergency.")
	}
	for _, v := range s.Env {
		if v.Name == "" || strings.ContainsAny(v.Name, "=\x00") || strings.ContainsRune(valueOf(v), 0) {
			return usage(fmt.Sprintf("%q cannot be an environment variable.", v.Name), "Correct its name and value.")
		}
	}
	for _, v := range s.Headers {
		if !validHeader(v) {
			return usage(fmt.Sprintf("%q cannot be an HTTP header.", v.Name), "Correct its name and value.")
		}
	}
	return nil
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

func validHeader(v store.Variable) bool {
	return headerName.MatchString(v.Name) && !strings.ContainsAny(valueOf(v), "\r\n\x00")
}

// checkURL accepts http and https URLs with a host and without credentials.
func checkURL(raw string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	switch {
	case err != nil:
		// Not err itself: it repeats the URL, which may hold a token.
		return nil, fail(CodeUsage, "The address is not a URL.", "Enter it like https://example.com/mcp.", nil)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fail(CodeRefusedURL, fmt.Sprintf("An address of the kind %q is not used.", u.Scheme+":"), "Use https://, or http:// for a server on this computer.", nil)
	case u.Hostname() == "":
		return nil, fail(CodeUsage, "The address has no host.", "Enter it like https://example.com/mcp.", nil)
	case u.User != nil:
		return nil, fail(CodeRefusedURL, "The address holds a user name or password.", "Leave it out, and add a header instead.", nil)
	}
	return u, nil
}

func firstOf(values ...string) string {
	for _, v := range values {
		if strings.TrimSpace(v) != "" {
			return v
		}
	}
	return ""
}

// Edit replaces a stored entry. A change of endpoint, command, headers or environment rebuilds a live connection; a change of origin also
// signs out, since a sign-in belongs to the server that it was made for. Where an entry came from stays, and so does what was approved
// of one that was not typed.
func (m *Manager) Edit(ctx context.Context, server store.Server) error {
	if err := checkServer(&server); err != nil {
		return err
	}
	m.mu.Lock()
	c, err := m.findLocked(server.ID)
	if err != nil {
		m.mu.Unlock()
		return err
	}
	old := c.server
	// What a client can do is said once, when it connects: having roots at all is a part of that, which roots is not.
	rebuild := !sameEndpoint(old, server) || (len(old.Roots) == 0) != (len(server.Roots) == 0)
	server.CreatedAt, server.UpdatedAt = old.CreatedAt, m.clock.Now()
	server.Learned, server.LastError = old.Learned, old.LastError
	if rebuild {
		server.Learned, server.LastError = store.Learned{}, nil
	}
	server.Source, server.Approved = old.Source, old.Approved
	if server.Source == store.SourceTyped {
		server.Approved = store.CommandHash(server)
	}
	moved := !sameOrigin(old, server)
	if moved {
		c.attempt.end(errChanged)
	}
	m.mu.Unlock()
	if moved {
		// Before the new address is stored, so that no crash can leave the old token with it.
		if err := m.dropGrant(ctx, c, old); err != nil {
			return err
		}
	}
	if !c.adhoc {
		if server, err = m.put(ctx, server); err != nil {
			return err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.removed.Load() {
		return fmt.Errorf("%w: %s", ErrUnknownServer, server.ID)
	}
	if moved {
		c.signIn, c.account = nil, nil
	}
	wasUp := c.link != nil || c.dial != nil || c.loop != nil
	if rebuild {
		m.dropLocked(c, errChanged)
		c.failure, c.last, c.catalog = nil, learned{}, Catalog{ServerID: c.id, Version: c.catalog.Version + 1}
		c.linkProblems = nil
		clear(c.listProblems)
		clear(c.subscriptions)
		m.releaseKeysLocked(c.id)
		m.emit(Event{Type: EventCatalog, ServerID: c.id})
	} else {
		server.Learned, server.LastError = c.server.Learned, c.server.LastError
	}
	c.server = server
	switch {
	case rebuild && (wasUp || server.Enabled), server.Enabled && !old.Enabled:
		m.retryLocked(c, 0)
	case old.Enabled && !server.Enabled:
		m.dropLocked(c, errDisconnected)
	case c.link != nil:
		m.adjustLocked(c, old)
	}
	m.publishLocked(c)
	return nil
}

// sameEndpoint says whether a connection made for one entry may serve the other. A new field of store.Server must be decided on
// in endpointFields or cosmeticFields; a test sees to that.
func sameEndpoint(a, b store.Server) bool {
	if !sameVariables(a.Headers, b.Headers) || !sameVariables(a.Env, b.Env) || !sameSignIn(a.SignIn, b.SignIn) {
		return false
	}
	va, vb := reflect.ValueOf(a), reflect.ValueOf(b)
	for _, name := range endpointFields() {
		if slices.Contains([]string{"Headers", "Env", "SignIn"}, name) {
			continue
		}
		if !equalField(va.FieldByName(name).Interface(), vb.FieldByName(name).Interface()) {
			return false
		}
	}
	return true
}

// sameSignIn compares what a person chose about signing in. A secret that is given is a new one.
func sameSignIn(a, b store.SignInConfig) bool {
	if !b.ClientSecret.IsZero() || !b.PrivateKey.IsZero() || !slices.Equal(a.Scopes, b.Scopes) {
		return false
	}
	for _, c := range []*store.SignInConfig{&a, &b} {
		c.Mode = store.SignInMode(firstOf(string(c.Mode), string(store.SignInAuto)))
		c.ClientSecret, c.PrivateKey, c.HasSecret, c.HasKey, c.Scopes = store.Secret{}, store.Secret{}, false, false, nil
	}
	return reflect.DeepEqual(a, b)
}

// sameOrigin says whether a sign-in for one entry may serve the other.
func sameOrigin(a, b store.Server) bool {
	if !reachable(a) || !reachable(b) {
		return reachable(a) == reachable(b)
	}
	ua, errA := url.Parse(a.URL)
	ub, errB := url.Parse(b.URL)
	return errA == nil && errB == nil && egress.SameOrigin(ua, ub)
}

// reachable says whether a server is at an address, so that one can sign in to it.
func reachable(s store.Server) bool {
	return s.Transport != store.TransportStdio && s.Transport != store.TransportBuiltin
}

// equalField compares two values of a field; an empty list is no list.
func equalField(a, b any) bool {
	va, vb := reflect.ValueOf(a), reflect.ValueOf(b)
	if va.Kind() == reflect.Slice && va.Len() == 0 && vb.Len() == 0 {
		return true
	}
	return reflect.DeepEqual(a, b)
}

func endpointFields() []string {
	return []string{"Transport", "URL", "Headers", "Command", "Args", "Env", "Cwd", "Era", "TrustLocalNetwork", "ClientID", "SignIn"}
}

func cosmeticFields() []string {
	return []string{"ID", "Name", "Retry", "Timeouts", "Enabled", "Roots", "LogLevel", "Source", "Approved", "Learned", "LastError", "CreatedAt", "UpdatedAt"}
}

// Remove closes the connection and deletes the row, its secrets and its history.
func (m *Manager) Remove(ctx context.Context, id string) error {
	m.mu.Lock()
	c, err := m.findLocked(id)
	if err != nil {
		m.mu.Unlock()
		return err
	}
	c.removed.Store(true)
	c.attempt.end(errRemoved)
	closed := m.dropLocked(c, errRemoved)
	delete(m.conns, id)
	m.releaseKeysLocked(id)
	m.publishLocked(c)
	m.emit(Event{Type: EventRemoved, ServerID: id})
	m.mu.Unlock()

	var stored error
	if !c.adhoc {
		if failure := m.dropGrant(ctx, c, c.server); failure != nil {
			m.log.Warn("the sign-in of a removed server", "server", id, "error", failure) // it is deleted with the row
		}
		stored = m.writer.now(ctx, func(ctx context.Context) error { return m.options.Store.DeleteServer(ctx, id) })
		if stored != nil {
			stored = fail(CodeInternal, "The server was closed, but its row cannot be deleted: "+stored.Error(), "Check the data directory, and remove it again after a restart.", stored)
		}
	}
	err = waitFor(ctx, closed)
	m.trace.forget(id)
	return errors.Join(stored, err)
}

// SetEnabled stores the switch; disabling closes the connection, enabling connects in the background.
func (m *Manager) SetEnabled(ctx context.Context, id string, enabled bool) error {
	m.mu.Lock()
	c, err := m.findLocked(id)
	if err != nil {
		m.mu.Unlock()
		return err
	}
	server := c.server
	m.mu.Unlock()
	server.Enabled = enabled
	if !enabled {
		// The last error belongs to a connection that is not wanted any more.
		if err := m.Disconnect(ctx, id); err != nil {
			return err
		}
	}
	return m.Edit(ctx, server)
}

// SubscribeResource asks the server for notifications/resources/updated of a URI, or stops them.
func (m *Manager) SubscribeResource(ctx context.Context, id, uri string, on bool) error {
	c, link, err := m.ready(ctx, id)
	if err != nil {
		return err
	}
	if !slices.Contains(link.learned.capabilities, "resources.subscribe") {
		return fail(CodeUsage, "The server does not offer subscriptions to resources.", "Read the resource again instead.", nil)
	}
	if err := link.subscribe(ctx, uri, on); err != nil {
		return describe(err, link.wire.Cause())
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if on {
		c.subscriptions[uri] = struct{}{}
	} else {
		delete(c.subscriptions, uri)
	}
	return nil
}
