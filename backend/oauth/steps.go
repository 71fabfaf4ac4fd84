package oauth

import (
	"slices"
	"time"

	"jackfield/backend/store"
)

// Steps of an attempt, in order. The last is the caller's.
const (
	stepDiscover  = "discover"
	stepRegister  = "register"
	stepAuthorize = "authorize"
	stepExchange  = "exchange"
	stepConnect   = "connect"
)

const (
	stepWaiting = "waiting"
	stepWorking = "working"
	stepDone    = "done"
	stepFailed  = "failed"
	stepSkipped = "skipped"
)

// maxExchanges bounds what is kept of one step.
const maxExchanges = 50

func newSteps() []store.SignInStep {
	var steps []store.SignInStep
	for _, name := range []string{stepDiscover, stepRegister, stepAuthorize, stepExchange, stepConnect} {
		steps = append(steps, store.SignInStep{Name: name, State: stepWaiting})
	}
	return steps
}

// change applies f to the row and reports it.
func (a *attempt) change(f func(row *store.SignIn)) {
	a.mu.Lock()
	f(&a.row)
	row := a.rowLocked()
	a.mu.Unlock()
	a.report(row)
}

// rowLocked is the row as a value that does not change any more.
func (a *attempt) rowLocked() store.SignIn {
	row := a.row
	row.Scopes = slices.Clone(row.Scopes)
	row.Steps = slices.Clone(row.Steps)
	for i := range row.Steps {
		row.Steps[i].Exchanges = slices.Clone(row.Steps[i].Exchanges)
	}
	return row
}

func (a *attempt) snapshot() store.SignIn {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.rowLocked()
}

// step is the one of a name, in the row.
func step(row *store.SignIn, name string) *store.SignInStep {
	i := slices.IndexFunc(row.Steps, func(s store.SignInStep) bool { return s.Name == name })
	return &row.Steps[i]
}

// begin starts a step, or goes on with one that was begun before.
func (a *attempt) begin(name, detail string) {
	a.change(func(row *store.SignIn) {
		s := step(row, name)
		s.State, s.Detail = stepWorking, detail
		if s.StartedAt.IsZero() {
			s.StartedAt = time.Now()
		}
		row.State = store.SignInWorking
		row.Detail = detail
		a.current = name
	})
}

// end finishes a step.
func (a *attempt) end(name, state, detail string) {
	a.change(func(row *store.SignIn) {
		s := step(row, name)
		s.State, s.Detail = state, detail
		if !s.StartedAt.IsZero() {
			s.Took = time.Since(s.StartedAt)
		}
	})
}

// record files a request under the step that is under way.
func (a *attempt) record(exchange store.HTTPExchange) {
	a.change(func(row *store.SignIn) {
		s := step(row, a.current)
		if len(s.Exchanges) < maxExchanges {
			s.Exchanges = append(s.Exchanges, exchange)
		}
	})
}
