// Package cli is the command line over the same back end as the window: the same servers, sign-ins and history. One file
// holds one command; flags and arguments are decided by pure functions, so that they are tested without a server.
//
// Output is a promise to scripts: with --json exactly one JSON document (or JSON lines, for streams) goes to stdout, in
// the shapes of shapes.go, whose fields may be added to but are never renamed; everything else goes to stderr. The exit
// statuses are in exit.go.
//
// Concurrency: a program is one run. Its session owns the back end and one goroutine that hands the Manager's events to
// the progress line and to the asker; both have ended when the session is closed.
package cli
