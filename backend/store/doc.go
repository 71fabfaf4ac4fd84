// Package store keeps what outlives the program in one SQLite file: servers, call history, settings.
// It knows rows, not connections, and imports no sibling package. A Store is safe for concurrent use, and two
// processes (the window and the command line) may have the same file open at once.
package store
