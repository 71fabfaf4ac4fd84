package oauth

import (
	"slices"

	"jackfield/backend/store"
)

// redirectKinds is the order in which the ways back are tried: the pinned one alone; else the one that worked at this issuer, then this
// program's scheme where the system hands it over, then the loopback addresses. What the issuer refused before comes last: it may have
// changed its mind, but nobody should wait for that.
func redirectKinds(pinned store.RedirectKind, note store.IssuerNote, scheme bool) []store.RedirectKind {
	if pinned != store.RedirectAuto {
		return []store.RedirectKind{pinned}
	}
	kinds := []store.RedirectKind{store.RedirectScheme, store.RedirectLoopback, store.RedirectLocalhost}
	rank := func(kind store.RedirectKind) int {
		switch {
		case kind == note.Redirect:
			return 0
		case slices.Contains(note.Refused, kind):
			return 2
		}
		return 1
	}
	slices.SortStableFunc(kinds, func(a, b store.RedirectKind) int { return rank(a) - rank(b) })
	if !scheme {
		kinds = slices.DeleteFunc(kinds, func(k store.RedirectKind) bool { return k == store.RedirectScheme })
	}
	return kinds
}

// noteWon and noteRefused are what an attempt teaches about an issuer.
func noteWon(note store.IssuerNote, kind store.RedirectKind) store.IssuerNote {
	note.Redirect = kind
	note.Refused = slices.DeleteFunc(slices.Clone(note.Refused), func(k store.RedirectKind) bool { return k == kind })
	return note
}

func noteRefused(note store.IssuerNote, kind store.RedirectKind) store.IssuerNote {
	if note.Redirect == kind {
		note.Redirect = store.RedirectAuto
	}
	if !slices.Contains(note.Refused, kind) {
		note.Refused = append(slices.Clone(note.Refused), kind)
	}
	return note
}

// redirectName is a kind as a person reads it.
func redirectName(kind store.RedirectKind) string {
	if kind == store.RedirectScheme {
		return "jackfield://"
	}
	return string(kind)
}
