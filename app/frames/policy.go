// Package frames keeps everything but the page itself away from Go. On Linux any script in any frame of a Wails window can call
// bound methods, because Wails looks at the address of the page and not at the frame that sent the message. Two walls stand
// against that: Protect, a content security policy under which no frame gets a script, and Guard, which takes the message
// handler away from frames. Neither keeps state.
package frames

import "net/http"

// Policy is the content security policy of every page; the pages repeat it in a meta element. It allows no eval, no inline
// script and no frame.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
	"media-src blob: data:; font-src 'self'; connect-src 'self'; frame-src 'none'; child-src 'none'; object-src 'none'; " +
	"base-uri 'none'; form-action 'none'"

// Protect sets the policy on every answer of a window's own server.
func Protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", Policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}
