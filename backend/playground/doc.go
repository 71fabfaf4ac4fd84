// Package playground is the demo server that Jackfield brings: what a newcomer plugs into first.
//
// It is a real MCP server over a real transport, so that everything the program shows of it was received and not made
// up. It speaks every protocol revision that go-sdk does. A Playground owns its file, its sessions and its handlers, and
// is safe for concurrent use; Close ends all of them.
package playground
