package store

// Store is one open data file.
type Store struct{}
