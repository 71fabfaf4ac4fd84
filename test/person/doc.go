// Package person stands in for the person who signs in and is asked: it agrees to the authorization server, it is the browser that fills in
// the forms of one, and it accepts what a server asks. It exists for tests; nothing of the program uses it.
package person
