// Package person stands in for the person who signs in: it agrees to the authorization server, and it is the browser that fills in the
// forms of one. It exists for tests; nothing of the program uses it.
package person
