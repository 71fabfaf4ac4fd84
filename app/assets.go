package app

import (
	"io/fs"
	"net/http"
	"strings"

	"jackfield/app/api"
	"jackfield/app/frames"
)

// documents serves what is too large for a binding: /call/{id}/result and /trace/{n}. Anything else goes to next.
func (d *Desktop) documents(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /call/{id}/result", func(w http.ResponseWriter, r *http.Request) {
		result, err := d.callResult(r.Context(), r.PathValue("id"))
		serve(w, "application/json", result, err)
	})
	mux.HandleFunc("GET /trace/{n}", func(w http.ResponseWriter, r *http.Request) {
		body, err := d.traceBody(r.PathValue("n"))
		serve(w, "text/plain; charset=utf-8", body, err)
	})
	mux.Handle("/", next)
	return frames.Protect(mux)
}

func serve(w http.ResponseWriter, contentType string, body []byte, err error) {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	if err != nil {
		header.Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		body = []byte((&api.Reject{Failure: api.FailureOf(err)}).Error())
	} else {
		header.Set("Content-Type", contentType)
	}
	_, _ = w.Write(body) // a page that went away needs no answer
}

// pageFS shows another page under the name that Wails opens.
type pageFS struct {
	fs.FS
	page string
}

func (p pageFS) Open(name string) (fs.File, error) {
	if name == "index.html" || strings.HasSuffix(name, "/index.html") {
		name = p.page
	}
	return p.FS.Open(name)
}
