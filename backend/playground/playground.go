// Package playground is the demo server that Jackfield brings: what a newcomer plugs into first.
package playground

// Playground is the demo server; its state is one SQLite file.
type Playground struct{}

// ServerID of the stored entry.
const ServerID = "playground"
