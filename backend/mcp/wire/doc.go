// Package wire stands between go-sdk and the world: processes, HTTP, the raw bytes. It records every message as it was
// on the wire, repairs what a server got wrong before go-sdk decodes it, names each repair as a Problem, and hands the raw result
// of a call to whoever put a *Call into that call's context.
//
// Ownership: a Wire is one generation of one connection. It makes one transport, which go-sdk connects and closes; Close ends
// what go-sdk's own Close does not, and waits for it. A process belongs to the transport that started it and dies with it, together
// with its group; Sweep ends what was left when the whole program was killed.
//
// Concurrency: everything exported may be used from several goroutines. Each Wire has one lock, which guards the pending map
// and its small relatives, and is never held while the Observer is called or bytes are read or written. A byte stream is read in
// go-sdk's reading goroutine; a process has two goroutines more, which end with it.
package wire
