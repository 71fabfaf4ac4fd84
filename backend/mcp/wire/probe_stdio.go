package wire

// probe minds the answer of a process to server/discover.
type probe struct{}
