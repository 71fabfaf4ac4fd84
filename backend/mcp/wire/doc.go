// Package wire stands between go-sdk and the world: processes, HTTP, the raw bytes. It records every message as it was
// on the wire, repairs what a server got wrong before go-sdk decodes it, names each repair as a Problem, and hands the raw result
// of a call to whoever put a *Call into that call's context.
package wire
