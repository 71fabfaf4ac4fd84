// Package mcp is the connection manager: servers, connections, catalogs, calls and the questions that servers ask.
//
// Ownership. A Manager owns every stored server's live side (a conn), every connection generation below it (a link), every
// running call and every open ask. One mutex, Manager.mu, guards all of that; what needs it held says "locked" in its name.
// It is never held while the network, a process, the store or a listener is waited for: effects run in goroutines that take
// the lock again to commit, and commit only if the generation that they started with is still the current one.
//
// Concurrency. Every method is safe for concurrent use. Connecting and discovering are single-flight per server: who comes
// second waits for the same result. The caller's context bounds how long the caller waits, not the flight, which has its own
// deadline and ends with Disconnect, Remove or Close. Every goroutine is counted and Close waits for all of them.
//
// Decisions are pure functions beside their effects: state.go derives the state and its sentence from facts, retry.go the next
// delay, outcome.go how a call ended, failure.go what an error means to a person.
package mcp
