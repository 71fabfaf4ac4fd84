//go:build bench

package bench

import "testing"

// window measures first paint; see firstpaint.py.
func window(t *testing.T, results *table) {}
