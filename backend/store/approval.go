package store

// CommandHash is what an approval of a stdio entry is tied to: command, arguments, environment (names, and values that are not secret)
// and working directory. "" for an entry that runs nothing.
func CommandHash(server Server) string { return "" }

// NeedsReview says that a person has to look at the entry before it may run: it was not typed, and what it would run is not what was
// approved.
func (s Server) NeedsReview() bool { return false }
