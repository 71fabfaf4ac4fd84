package mcp

// State is where a server's connection stands. The values are stored, sent to the UI and printed by the command line.
type State string

const (
	StateDisconnected   State = "disconnected"   // a stored row without a live connection
	StateConnecting     State = "connecting"     // an attempt is under way, or the next one is waiting
	StateAuthenticating State = "authenticating" // the server answered 401: the person has to sign in
	StateConnected      State = "connected"      // the handshake is done; the catalog is not there (yet, or discovery failed)
	StateDiscovering    State = "discovering"    // the catalog is being loaded
	StateReady          State = "ready"          // connected, catalog loaded
	StateFailed         State = "failed"         // gave up; Status.Failure says why
)
