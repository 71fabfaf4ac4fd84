package mcp

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"jackfield/backend/store"
)

// maxProblems bounds what is kept of a server that does everything wrong.
const maxProblems = 200

// conn is the live side of one server. Manager.mu guards every field.
type conn struct {
	id     string // does not change, so it may be read without the lock
	server store.Server
	adhoc  bool // never stored
	tap    *tap // of a diagnosis, whose conn is in no list and whose row is shown to nobody; else nil

	gen   uint64 // rises with every attempt and every close
	link  *link  // the live connection, nil if there is none
	dial  *flight
	find  *flight // discovery
	loop  *loop   // background connecting with retry
	since time.Time
	away  *store.Failure // the server of the live connection cannot be reached at the moment

	loaded        bool // the catalog belongs to the live connection
	catalog       Catalog
	dirty         map[listKind]bool // lists that the server says have changed
	refetching    bool
	attempts      int
	maxAttempts   int
	retryAt       time.Time
	failure       *store.Failure
	linkProblems  []Problem              // of this connection
	listProblems  map[listKind][]Problem // of the last load of each list
	subscriptions map[string]struct{}
	latency       time.Duration
	attempt       *signInAttempt // to sign in, under way
	signIn        *store.SignIn  // the running or the last attempt
	account       *store.Account // nil if not signed in
	last          learned        // of the last good connection, kept while there is none
	removed       atomic.Bool    // set once, with the lock held
}

// learned is what a handshake told.
type learned struct {
	transport       store.Transport
	era             store.Era
	protocolVersion string
	info            Implementation
	instructions    string
	capabilities    []string
}

// loop is the background work that connects with retry. It is replaced, never reused.
type loop struct {
	cancel context.CancelCauseFunc
	wake   chan struct{} // capacity 1: try at once instead of waiting
}

func (c *conn) factsLocked() facts {
	return facts{
		dialing: c.dial != nil, retrying: c.loop != nil, live: c.link != nil,
		away:        c.away != nil,
		discovering: c.find != nil, loaded: c.loaded, failure: c.failure,
		signingIn: c.attempt != nil,
	}
}

// busyLocked says whether background work is under way.
func (c *conn) busyLocked() bool {
	return c.dial != nil || c.loop != nil || c.find != nil || c.refetching
}

// statusLocked is the whole row as of now. Its slices are never changed afterwards.
func (c *conn) statusLocked(now time.Time) Status {
	s := Status{
		Server: c.server, State: c.factsLocked().state(), Generation: c.gen,
		Transport: c.last.transport, Era: c.last.era, ProtocolVersion: c.last.protocolVersion,
		ServerInfo: c.last.info, Instructions: c.last.instructions, Capabilities: c.last.capabilities,
		Latency: c.latency, CatalogVersion: c.catalog.Version,
		Counts: Counts{
			Tools: len(c.catalog.Tools), Prompts: len(c.catalog.Prompts),
			Resources: len(c.catalog.Resources), Templates: len(c.catalog.Templates),
		},
		Attempts: c.attempts, MaxAttempts: c.maxAttempts, RetryAt: c.retryAt, Failure: c.failure,
		Problems: c.problemsLocked(),
		SignIn:   c.signIn, Account: c.account, NeedsReview: c.server.NeedsReview(),
	}
	if c.link != nil {
		s.PID = c.link.wire.PID()
	}
	if s.Away = c.link != nil && c.away != nil; s.Away {
		s.Failure = c.away
	}
	s.Detail = detail(s, now)
	return s
}

func (c *conn) problemsLocked() []Problem {
	problems := slices.Clone(c.linkProblems)
	for _, kind := range allLists {
		problems = append(problems, c.listProblems[kind]...)
	}
	return problems
}

// noteLocked keeps a problem; the same one counts once.
func (c *conn) noteLocked(list *[]Problem, p Problem) bool {
	if len(*list) >= maxProblems || slices.Contains(*list, p) {
		return false
	}
	*list = append(slices.Clip(*list), p)
	return true
}
