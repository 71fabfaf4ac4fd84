package wire

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const fine = `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"fine"}]}}`

// TestAnswers puts each bad answer in the way of one call, in both eras. The call ends as it should, the deviation is named, the bytes are
// in the record, and the session lives on.
func TestAnswers(t *testing.T) {
	asStatus := func(want int) func(error) error {
		return func(err error) error {
			var status *StatusError
			if !errors.As(err, &status) || status.Status != want {
				return fmt.Errorf("want *StatusError %d", want)
			}
			return nil
		}
	}
	asRPC := func(want int64) func(error) error {
		return func(err error) error {
			var rpc *jsonrpc.Error
			if !errors.As(err, &rpc) || rpc.Code != want {
				return fmt.Errorf("want JSON-RPC error %d", want)
			}
			return nil
		}
	}
	isLost := func(err error) error {
		if !errors.Is(err, ErrLost) {
			return errors.New("want ErrLost")
		}
		return nil
	}
	asAuth := func(want int) func(error) error {
		return func(err error) error {
			var auth *AuthRequired
			if !errors.As(err, &auth) || auth.Status != want {
				return fmt.Errorf("want *AuthRequired %d", want)
			}
			return nil
		}
	}
	for name, test := range map[string]struct {
		answer  handler
		fails   func(error) error // nil: the call succeeds
		problem string
		record  string
	}{
		"JSON":                              {status(200, "application/json", fine), nil, "", `"fine"`},
		"JSON with charset":                 {status(200, "Application/JSON; charset=utf-8", fine), nil, "", `"fine"`},
		"JSON with a broken parameter":      {status(200, "application/json; charset", fine), nil, "", `"fine"`},
		"JSON as text/plain":                {status(200, "text/plain", fine), nil, "content_type", `"fine"`},
		"JSON as octet-stream":              {status(200, "application/octet-stream", fine), nil, "content_type", `"fine"`},
		"JSON of no type":                   {status(200, "", fine), nil, "content_type", `"fine"`},
		"JSON as an event stream":           {status(200, "text/event-stream", fine), nil, "content_type", `"fine"`},
		"pretty JSON as an event stream":    {status(200, "text/event-stream", strings.ReplaceAll(fine, ",", ",\n  ")), nil, "content_type", `"fine"`},
		"JSON under 201":                    {status(201, "application/json", fine), nil, "", `"fine"`},
		"JSON result under 400":             {status(400, "application/json", fine), nil, "status", `"fine"`},
		"JSON with a byte order mark":       {status(200, "application/json", "\xef\xbb\xbf"+fine), nil, "bom", `"fine"`},
		"white space around JSON":           {status(200, "application/json", " \r\n"+fine+"\n\n"), nil, "", `"fine"`},
		"gzip":                              {gzipped(fine), nil, "", `"fine"`},
		"batch":                             {status(200, "application/json", "["+fine+"]"), nil, "batch", `"fine"`},
		"batch with a notification":         {status(200, "application/json", `[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}},`+fine+"]"), nil, "batch", `"fine"`},
		"event stream":                      {status(200, "text/event-stream", "event: message\ndata: "+fine+"\n\n"), nil, "", `"fine"`},
		"event stream with CRLF":            {status(200, "text/event-stream", "event: message\r\ndata: "+fine+"\r\n\r\n"), nil, "", `"fine"`},
		"event stream with lone CR":         {status(200, "text/event-stream", "event: message\rdata: "+fine+"\r\r"), nil, "", `"fine"`},
		"event stream with BOM":             {status(200, "text/event-stream", "\xef\xbb\xbfdata: "+fine+"\n\n"), nil, "", `"fine"`},
		"event stream without blank line":   {status(200, "text/event-stream", "data: "+fine), nil, "", `"fine"`},
		"event stream of several lines":     {status(200, "text/event-stream", "data:"+strings.ReplaceAll(fine, ",", ",\ndata:")+"\n\n"), nil, "", `"fine"`},
		"event stream with a batch":         {status(200, "text/event-stream", "data: ["+fine+"]\n\n"), nil, "batch", `"fine"`},
		"event stream with foreign events":  {status(200, "text/event-stream", "event: ping\ndata: {}\n\n: comment\n\ndata: "+fine+"\n\n"), nil, "stream_noise", `{}`},
		"event stream with junk data":       {status(200, "text/event-stream", "data: hello\n\ndata: "+fine+"\n\n"), nil, "stream_noise", `hello`},
		"event stream with a line of junk":  {status(200, "text/event-stream", "hello\ndata: "+fine+"\n\n"), nil, "", `"fine"`},
		"event stream that goes on":         {slowly("text/event-stream", "data: "+fine+"\n\n", 30*time.Second), nil, "", `"fine"`},
		"html":                              {status(200, "text/html", "<h1>Welcome</h1>"), asStatus(200), "no_message", "Welcome"},
		"html called JSON":                  {status(200, "application/json", "<h1>Welcome</h1>"), asStatus(200), "no_message", "Welcome"},
		"empty 200":                         {status(200, "application/json", ""), asStatus(200), "no_message", ""},
		"202":                               {status(202, "", ""), asStatus(202), "no_message", ""},
		"204":                               {status(204, "", ""), asStatus(204), "no_message", ""},
		"304":                               {status(304, "", ""), asStatus(304), "", ""},
		"400 text":                          {status(400, "text/plain", "bad"), asStatus(400), "", "bad"},
		"403 text":                          {status(403, "text/plain", "forbidden"), asStatus(403), "", "forbidden"},
		"404 unknown tool":                  {status(404, "application/json", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"no such tool"}}`), asRPC(-32602), "", "no such tool"},
		"405 text":                          {status(405, "text/plain", "no"), asStatus(405), "", "no"},
		"413 html":                          {status(413, "text/html", "<p>too large"), asStatus(413), "", "too large"},
		"422 JSON of its own":               {status(422, "application/json", `{"detail":"nope"}`), asStatus(422), "", "nope"},
		"429":                               {status(429, "text/plain", "slow down"), asStatus(429), "", "slow"},
		"500 text":                          {status(500, "text/plain", "oops"), asStatus(500), "", "oops"},
		"500 event stream":                  {status(500, "text/event-stream", "data: oops\n\n"), asStatus(500), "", "oops"},
		"502 html":                          {status(502, "text/html", "<p>bad gateway"), asStatus(502), "", "gateway"},
		"503 empty":                         {status(503, "", ""), asStatus(503), "", ""},
		"JSON-RPC error under 400":          {status(400, "application/json", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"bad args"}}`), asRPC(-32602), "", "bad args"},
		"JSON-RPC error under 500":          {status(500, "application/json", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"boom"}}`), asRPC(-32000), "", "boom"},
		"401":                               {challenge(401, `Bearer resource_metadata="https://example.com/x"`), asAuth(401), "", ""},
		"401 without challenge":             {status(401, "text/plain", "who?"), asAuth(401), "", ""},
		"403 with a challenge":              {challenge(403, `Bearer error="insufficient_scope"`), asAuth(403), "", ""},
		"reset before the answer":           {reset("", ""), isLost, "", ""},
		"reset inside the JSON":             {reset("application/json", `{"jsonrpc":"2.0","id":ID,"resu`), isLost, "", ""},
		"reset inside an event":             {reset("text/event-stream", `data: {"jsonrpc":"2.0","id":ID,"resu`), isLost, "stream_noise", `"resu`},
		"event stream that ends empty":      {status(200, "text/event-stream", ""), isLost, "", ""},
		"event stream without the answer":   {status(200, "text/event-stream", ": hello\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"x\"}}\n\n"), isLost, "", "notifications/message"},
		"redirect 301":                      {redirect(301, "/elsewhere"), asRedirect("/elsewhere"), "", ""},
		"redirect 302 to another origin":    {redirect(302, "https://example.com/mcp"), asRedirect("https://example.com/mcp"), "", ""},
		"redirect 307 to another origin":    {redirect(307, "https://example.com/mcp"), asRedirect("https://example.com/mcp"), "", ""},
		"redirect to something not the web": {redirect(307, "file:///etc/passwd"), asRedirect(""), "", ""},
		"redirect without a target":         {redirect(308, ""), asRedirect(""), "", ""},
		"redirect for ever":                 {func(w http.ResponseWriter, r *http.Request, id string) { redirect(307, r.URL.Path)(w, r, id) }, asRedirect(""), "", ""},
	} {
		for _, modern := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, modern %v", name, modern), func(t *testing.T) {
				f := newFakeHTTP(t, modern)
				p := mustConnect(t, f.URL, Config{}, nil)
				f.on("tools/call bad", test.answer)
				ctx, cancel := context.WithTimeout(p.ctx, 5*time.Second)
				defer cancel()
				call := &Call{ID: "bad", Placeholder: true}
				_, err := p.CallTool(WithCall(ctx, call), &sdk.CallToolParams{Name: "bad"})
				switch {
				case test.fails == nil && err != nil:
					t.Errorf("the call failed: %v", err)
				case test.fails == nil && !strings.Contains(string(call.Result()), `"fine"`):
					t.Errorf("raw result %q", call.Result())
				case test.fails != nil && err == nil:
					t.Error("the call succeeded")
				case test.fails != nil:
					// The type is in the error or, where go-sdk keeps only a text, in the call.
					if wrong := test.fails(errors.Join(err, call.Err())); wrong != nil {
						t.Errorf("%v, got %v / %v", wrong, err, call.Err())
					}
				}
				if codes := p.journal.codes(); test.problem == "" && len(codes) > 0 || test.problem != "" && !slices.Contains(codes, test.problem) {
					t.Errorf("problems %q, want %q", codes, test.problem)
				}
				if test.record != "" && !p.journal.has(In, test.record) {
					t.Errorf("%q is not in the record", test.record)
				}
				if n := len(f.requests("tools/call bad")); n != 1 && name != "redirect for ever" {
					t.Errorf("the call was sent %d times", n)
				}
				if call, err := p.call("good"); err != nil || !strings.Contains(string(call.Result()), `"fine"`) {
					t.Errorf("the session did not live on: %v, %q", err, call.Result())
				}
				p.wire.mu.Lock()
				if n := len(p.wire.requests.byID); n != 0 {
					t.Errorf("%d requests still count as pending", n)
				}
				p.wire.mu.Unlock()
			})
		}
	}
}

func challenge(code int, value string) handler {
	return func(w http.ResponseWriter, r *http.Request, id string) {
		w.Header().Set("WWW-Authenticate", value)
		status(code, "text/plain", "who?")(w, r, id)
	}
}

func gzipped(body string) handler {
	return func(w http.ResponseWriter, _ *http.Request, id string) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, strings.ReplaceAll(body, "ID", id))
		_ = z.Close()
	}
}

// slowly keeps the response open behind its body.
func slowly(contentType, body string, d time.Duration) handler {
	return func(w http.ResponseWriter, r *http.Request, id string) {
		status(200, contentType, body)(w, r, id)
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
		case <-time.After(d):
		}
	}
}

func redirect(code int, to string) handler {
	return func(w http.ResponseWriter, _ *http.Request, _ string) {
		if to != "" {
			w.Header().Set("Location", to)
		}
		w.WriteHeader(code)
	}
}

func asRedirect(to string) func(error) error {
	return func(err error) error {
		var redirect *RedirectError
		if !errors.As(err, &redirect) || !strings.HasSuffix(redirect.To, to) {
			return fmt.Errorf("want *RedirectError to %q", to)
		}
		return nil
	}
}
