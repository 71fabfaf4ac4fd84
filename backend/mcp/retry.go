package mcp

import (
	"slices"
	"time"

	"jackfield/backend/store"
)

const (
	defaultAttempts  = 3
	defaultBaseDelay = 500 * time.Millisecond
	defaultMaxDelay  = 5 * time.Second

	// A connection that lived shorter than this counts as another failed attempt. Otherwise a server that dies right
	// after its handshake would be started again without end.
	stableAfter = 10 * time.Second
)

// retryPolicy fills in the defaults of a server's policy.
func retryPolicy(r store.Retry) store.Retry {
	if r.MaxAttempts == 0 {
		r.MaxAttempts = defaultAttempts
	}
	if r.BaseDelay <= 0 {
		r.BaseDelay = defaultBaseDelay
	}
	if r.MaxDelay <= 0 {
		r.MaxDelay = defaultMaxDelay
	}
	r.MaxDelay = max(r.MaxDelay, r.BaseDelay)
	return r
}

// retryDelay is the wait after the attempt with this number (from 1), with full jitter: anything from 0 up to
// base*2^attempt, capped. random is in [0,1). ok is false when no further attempt is allowed.
func retryDelay(r store.Retry, attempt int, random float64) (delay time.Duration, ok bool) {
	r = retryPolicy(r)
	if r.MaxAttempts >= 0 && attempt >= r.MaxAttempts {
		return 0, false
	}
	ceiling := r.MaxDelay
	// Doubling stops before it could overflow: 2^20 times any base of a millisecond or more is above every sane cap.
	if attempt < 20 {
		ceiling = min(r.MaxDelay, r.BaseDelay<<attempt)
		if ceiling <= 0 {
			ceiling = r.MaxDelay
		}
	}
	return time.Duration(random * float64(ceiling)), true
}

// heals says whether the same attempt may succeed later by itself. A missing sign-in or secret, a command that is bad or not approved,
// or a refused address needs the person.
func heals(code string) bool {
	return !slices.Contains([]string{
		CodeAuthRequired, CodeScope, CodeSignIn, CodeSecret, CodeReview, CodeNotFound, CodeRefusedURL, CodeUsage, CodeClosed, CodeCancelled,
	}, code)
}
