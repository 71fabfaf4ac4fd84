package oauth

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"jackfield/backend/store"
)

// pagePatience is how long the browser's page waits for the exchange; the window tells the rest.
const pagePatience = 20 * time.Second

// outcome is what the page says at the end.
type outcome struct {
	title, text string
	status      int
}

// listener is the loopback address of one attempt. It lives while the attempt waits for the browser, and serves nothing but the callback.
type listener struct {
	redirect string // redirect URI
	hosts    []string
	deliver  func(response) (<-chan outcome, error) // called once per request that has the right form
	servers  []*http.Server
	work     sync.WaitGroup
}

// listen binds the loopback address of a kind, at a port or, with "0", any. For localhost it answers on IPv4 and, where there is one, on
// IPv6: which of them the browser takes is the browser's business.
func listen(ctx context.Context, kind store.RedirectKind, port string) (*listener, error) {
	for tries := 1; ; tries++ {
		l, err := listenAt(ctx, kind, port)
		if err == nil || port != "0" || tries == 5 { // any port: the next one may be free on both
			return l, err
		}
	}
}

func listenAt(ctx context.Context, kind store.RedirectKind, port string) (*listener, error) {
	var config net.ListenConfig
	four, err := config.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		return nil, fmt.Errorf("listening for the browser: %w", err)
	}
	_, port, err = net.SplitHostPort(four.Addr().String())
	if err != nil {
		return nil, errors.Join(err, four.Close())
	}
	l := &listener{redirect: redirectOf(kind, port), hosts: []string{"127.0.0.1:" + port}}
	sockets := []net.Listener{four}
	if kind == store.RedirectLocalhost {
		l.hosts = append(l.hosts, "localhost:"+port, "[::1]:"+port)
		six, err := listenSix(ctx, port)
		if err != nil {
			return nil, errors.Join(err, four.Close())
		}
		if six != nil {
			sockets = append(sockets, six)
		}
	}
	for _, socket := range sockets {
		server := &http.Server{Handler: l, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10}
		l.servers = append(l.servers, server)
		l.work.Go(func() { _ = server.Serve(socket) }) // ends with close, which is its only error
	}
	return l, nil
}

// listenSix binds the IPv6 half of localhost. On a machine without IPv6 there is none, which is fine: its localhost is the other address.
// A port that somebody else has there is not: the browser might take the code to them.
func listenSix(ctx context.Context, port string) (net.Listener, error) {
	var config net.ListenConfig
	six, err := config.Listen(ctx, "tcp6", net.JoinHostPort("::1", port))
	if err == nil {
		return six, nil
	}
	probe, none := config.Listen(ctx, "tcp6", "[::1]:0")
	if none != nil {
		return nil, nil
	}
	return nil, errors.Join(fmt.Errorf("listening for the browser: %w", err), probe.Close())
}

// close lets pages that are being written go out, and gives the port back.
func (l *listener) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	for _, server := range l.servers {
		if server.Shutdown(ctx) != nil {
			_ = server.Close()
		}
	}
	l.work.Wait()
}

func (l *listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !slices.Contains(l.hosts, r.Host):
		// A page on the internet whose name was made to lead here (DNS rebinding).
		show(w, outcome{"Not here", "This address is only for the sign-in of Jackfield.", http.StatusForbidden})
	case r.URL.EscapedPath() != loopbackPath: // as it was sent: "/%63allback" is another path
		show(w, outcome{"Not found", "This address is only for the sign-in of Jackfield.", http.StatusNotFound})
	case r.Method != http.MethodGet:
		w.Header().Set("Allow", http.MethodGet)
		show(w, outcome{"Not allowed", "This address is only for the sign-in of Jackfield.", http.StatusMethodNotAllowed})
	default:
		l.callback(w, r)
	}
}

func (l *listener) callback(w http.ResponseWriter, r *http.Request) {
	answer, err := parseResponse(r.URL.RawQuery)
	var done <-chan outcome
	if err == nil {
		done, err = l.deliver(answer)
	}
	if err != nil {
		show(w, outcome{"This is not the sign-in that Jackfield waits for", "Nothing was changed: " + err.Error() + ".", http.StatusBadRequest})
		return
	}
	select {
	case end := <-done:
		show(w, end)
	case <-time.After(pagePatience):
		show(w, outcome{"Go back to Jackfield", "The sign-in is not finished yet. Jackfield shows how it goes.", http.StatusOK})
	case <-r.Context().Done():
	}
}

// page is all that the listener ever serves: no script, nothing from elsewhere, and every text escaped.
var page = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{{.Title}} · Jackfield</title>
<style>
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:18vh auto 0;padding:0 1.5rem}
h1{font-size:1.35rem;margin:0 0 .5rem}
p{margin:0;opacity:.8}
</style></head><body><main><h1>{{.Title}}</h1><p>{{.Text}}</p></main></body></html>
`))

func show(w http.ResponseWriter, o outcome) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Connection", "close")
	w.WriteHeader(o.status)
	// The browser may be gone; then nobody reads the page.
	_ = page.Execute(w, struct{ Title, Text string }{o.title, o.text})
	if flusher, ok := w.(http.Flusher); ok {
		flusher.Flush()
	}
}
