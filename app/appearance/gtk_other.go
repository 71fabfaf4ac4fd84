//go:build !linux || !production

package appearance

func applyDark(bool) {}
