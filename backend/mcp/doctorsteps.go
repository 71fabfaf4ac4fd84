package mcp

import (
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"jackfield/backend/store"
)

// probe is the outcome of one thing that was tried by itself.
type probe struct {
	ran     bool
	took    time.Duration
	detail  string
	failure *Error
}

// listProbe is the outcome of loading one list.
type listProbe struct {
	offered bool
	count   int
	probe
	problems []Problem
}

// doctorFacts are everything that the steps of a diagnosis depend on.
type doctorFacts struct {
	server store.Server
	ended  *Error // the whole diagnosis was ended from outside, before its own end

	settings, resolve, tcp, tls, command probe

	proxy     string // that stands between here and the server, "" if none
	speaksTLS bool   // an http address whose port takes a TLS handshake

	messages  []Message
	exchanges []exchange
	begun     time.Time // of the handshake
	pid       int
	connected *learned // nil: no handshake
	failure   *Error   // of the handshake
	lists     map[listKind]listProbe
}

// remote says whether the server is reached by HTTP.
func (f doctorFacts) remote() bool {
	switch f.server.Transport {
	case store.TransportStdio, store.TransportBuiltin:
		return false
	case store.TransportAuto, store.TransportStreamableHTTP, store.TransportSSE:
	}
	return true
}

// said says whether the server has sent a message of the protocol.
func (f doctorFacts) said() bool {
	return slices.ContainsFunc(f.messages, func(m Message) bool { return m.Dir == In && m.Kind != "noise" })
}

// sent returns the first request of a method and what came back for it; nil where there is none.
func (f doctorFacts) sent(method string) (request, answer *Message) {
	for i, m := range f.messages {
		switch {
		case m.Method != method:
		case m.Dir == Out && request == nil:
			request = &f.messages[i]
		case m.Dir == In && answer == nil:
			answer = &f.messages[i]
		}
	}
	return request, answer
}

// needsSignIn says whether the handshake failed for want of a sign-in.
func (f doctorFacts) needsSignIn() bool {
	if f.failure == nil {
		return false
	}
	switch f.failure.Code {
	case CodeAuthRequired, CodeScope, CodeSignIn, CodeAuthServer:
		return true
	}
	return false
}

// stepList puts the steps together. What comes after the first failure was not reached.
type stepList struct {
	steps   []Step
	failed  string
	failure *Error
}

func (l *stepList) add(s Step) {
	if l.failed != "" {
		s = Step{Name: s.Name, Title: s.Title, Status: StepSkipped, Detail: "Not reached"}
	}
	l.steps = append(l.steps, s)
}

func (l *stepList) fail(name, title string, took time.Duration, detail string, failure *Error) {
	if l.failed != "" {
		l.add(Step{Name: name, Title: title})
		return
	}
	if detail == "" {
		detail = failure.Message
	} else {
		detail += ": " + failure.Message
	}
	l.steps = append(l.steps, Step{Name: name, Title: title, Status: StepFailed, Took: took, Detail: detail, Hint: failure.Hint})
	l.failed, l.failure = name, failure
}

// probed adds what was tried by itself.
func (l *stepList) probed(name, title string, p probe, skipped string) {
	switch {
	case p.failure != nil:
		l.fail(name, title, p.took, p.detail, p.failure)
	case p.ran:
		l.add(Step{Name: name, Title: title, Status: StepOK, Took: p.took, Detail: p.detail})
	default:
		l.add(Step{Name: name, Title: title, Status: StepSkipped, Detail: skipped})
	}
}

// steps decides, from facts alone, how far a connection came. The handshake has one failure; it belongs to the first step for whose
// success there is no evidence.
func (f doctorFacts) steps() *stepList {
	l := &stepList{}
	l.probed(StepSettings, "Settings", f.settings, "")
	if f.remote() {
		through := ""
		if f.proxy != "" {
			through = "The proxy " + f.proxy + " connects to the server; its answer counts"
		}
		l.probed(StepResolve, "Name resolution", f.resolve, "")
		l.probed(StepTCP, "TCP", f.tcp, "")
		none := "Not used: the address begins with http://"
		if strings.HasPrefix(f.server.URL, "https:") {
			none = through
		}
		l.probed(StepTLS, "TLS", f.tls, none)
		f.httpStep(l)
	} else if f.server.Transport == store.TransportStdio {
		l.probed(StepCommand, "Command", f.command, "")
		f.startStep(l)
	}
	f.eraStep(l)
	f.authStep(l)
	f.initializeStep(l)
	f.capabilitiesStep(l)
	if l.failed != "" {
		for _, kind := range allLists {
			l.add(Step{Name: listStep(kind), Title: listTitle(kind)})
		}
		return l
	}
	f.listSteps(l)
	return l
}

func (f doctorFacts) broken() *Error {
	if f.failure != nil {
		return f.failure
	}
	if f.ended != nil {
		return f.ended
	}
	return fail(CodeInternal, "The diagnosis ended without a result.", "Try again.", nil)
}

func (f doctorFacts) httpStep(l *stepList) {
	const name, title = StepHTTP, "HTTP"
	last := exchange{}
	for _, e := range f.exchanges {
		// A later request that got no answer at all says less than the answer to an earlier one.
		if e.status != 0 || last.status == 0 {
			last = e
		}
		if e.status != 0 && usable(e) {
			break
		}
	}
	if f.connected != nil || f.said() || f.needsSignIn() || usable(last) {
		l.add(Step{Name: name, Title: title, Status: StepOK, Took: last.took, Detail: last.words()})
		return
	}
	failure := f.broken()
	switch {
	case f.speaksTLS:
		failure = fail(CodeUnreachable, "The port speaks TLS, and was asked without.", "Use https:// in the address of this server.", failure)
	case last.status >= 200 && last.status < 300 && last.contentType != "":
		failure = fail(failure.Code, fmt.Sprintf("The address answers with %s, which is no answer of MCP.", mediaType(last.contentType)),
			"Check the address: it must be the MCP endpoint, often ending in /mcp or /sse. This may be the address of a web page.", failure)
	}
	l.fail(name, title, last.took, last.words(), failure)
}

func (e exchange) words() string {
	if e.status == 0 {
		return ""
	}
	words := strings.TrimSpace(fmt.Sprintf("HTTP %d %s", e.status, http.StatusText(e.status)))
	if e.contentType != "" {
		words += ", " + mediaType(e.contentType)
	}
	return words
}

// usable says whether the head of an answer is one that the transport allows.
func usable(e exchange) bool {
	media := mediaType(e.contentType)
	return e.status == http.StatusAccepted || e.status == http.StatusOK && (media == "application/json" || media == "text/event-stream")
}

func mediaType(header string) string {
	media, _, err := mime.ParseMediaType(header)
	if err != nil {
		return firstLine(header, 80)
	}
	return media
}

func (f doctorFacts) startStep(l *stepList) {
	const name, title = StepStart, "Start"
	started := f.pid != 0 || len(f.messages) > 0 || f.connected != nil // nothing is sent before it runs
	if f.failure != nil && (!started || f.failure.Code == CodeExited && !f.said()) {
		l.fail(name, title, 0, "", f.failure)
		return
	}
	if !started {
		l.fail(name, title, 0, "", f.broken())
		return
	}
	step := Step{Name: name, Title: title, Status: StepOK}
	if f.pid != 0 {
		step.Detail = fmt.Sprintf("Process %d", f.pid)
	}
	if len(f.messages) > 0 && !f.begun.IsZero() {
		step.Took = max(f.messages[0].Time.Sub(f.begun), 0)
	}
	l.add(step)
}

func (f doctorFacts) eraStep(l *stepList) {
	const name, title = StepEra, "Era"
	discover, answer := f.sent("server/discover")
	initialize, hello := f.sent("initialize")
	step := Step{Name: name, Title: title, Status: StepOK}
	switch {
	case f.connected != nil && f.connected.era == store.EraModern:
		step.Detail = "Modern: MCP " + f.connected.protocolVersion
		if answer != nil {
			step.Took = answer.Latency
		}
	case f.connected != nil:
		step.Detail = "Legacy: MCP " + f.connected.protocolVersion
	case f.needsSignIn():
		step.Status, step.Detail = StepSkipped, "Not known before the sign-in"
	case hello != nil && f.server.Era == store.EraModern:
		l.fail(name, title, 0, "", f.broken())
		return
	case initialize != nil && discover == nil:
		step.Detail = "Legacy, as set for this server"
	case initialize != nil:
		step.Detail = "Not modern, so legacy was tried"
	default:
		l.fail(name, title, 0, "", f.broken())
		return
	}
	if initialize != nil && discover != nil {
		step.Took = max(initialize.Time.Sub(discover.Time), 0)
		switch {
		case answer == nil:
			step.Detail += "; server/discover got no answer"
		case answer.Kind == "error":
			step.Detail += "; server/discover was refused"
		}
	}
	l.add(step)
}

func (f doctorFacts) authStep(l *stepList) {
	const name, title = StepAuth, "Sign-in"
	if f.needsSignIn() {
		l.fail(name, title, 0, "", f.failure)
		return
	}
	step := Step{Name: name, Title: title, Status: StepOK, Detail: "Not asked for"}
	switch {
	case !f.remote():
		step.Status, step.Detail = StepSkipped, "Only servers on the network ask for it"
	case slices.ContainsFunc(f.exchanges, func(e exchange) bool { return e.authorized }):
		step.Detail = "The Authorization header was accepted"
	}
	l.add(step)
}

func (f doctorFacts) initializeStep(l *stepList) {
	const name, title = StepInitialize, "Initialize"
	_, hello := f.sent("initialize")
	switch {
	case f.connected == nil:
		l.fail(name, title, 0, "", f.broken())
	case f.connected.era == store.EraModern:
		l.add(Step{Name: name, Title: title, Status: StepSkipped, Detail: "This revision has none; server/discover told as much"})
	default:
		step := Step{Name: name, Title: title, Status: StepOK, Detail: f.connected.info.words()}
		if hello != nil {
			step.Took = hello.Latency
		}
		l.add(step)
	}
}

func (i Implementation) words() string {
	return strings.TrimSpace(firstOf(i.Title, i.Name) + " " + i.Version)
}

func (f doctorFacts) capabilitiesStep(l *stepList) {
	step := Step{Name: StepCapabilities, Title: "Capabilities", Status: StepOK}
	if f.connected != nil {
		step.Detail = strings.Join(f.connected.capabilities, ", ")
		if step.Detail == "" {
			step.Status, step.Detail = StepWarning, "The server says that it offers nothing"
		}
	}
	l.add(step)
}

func (f doctorFacts) listSteps(l *stepList) {
	var rest stepList // one list that fails does not hide the others
	for _, kind := range allLists {
		p := f.lists[kind]
		name, title := listStep(kind), listTitle(kind)
		switch {
		case !p.offered:
			rest.add(Step{Name: name, Title: title, Status: StepSkipped, Detail: "Not offered"})
			continue
		case !p.ran:
			p.failure = f.broken()
		}
		if p.failure != nil {
			one := stepList{}
			one.fail(name, title, p.took, "", p.failure)
			rest.steps = append(rest.steps, one.steps...)
			if l.failed == "" {
				l.failed, l.failure = name, p.failure
			}
			continue
		}
		step := Step{Name: name, Title: title, Status: StepOK, Took: p.took, Detail: fmt.Sprint(p.count)}
		if len(p.problems) > 0 {
			step.Status = StepWarning
			step.Detail += "; " + p.problems[0].Subject + ": " + p.problems[0].Message
			if n := len(p.problems) - 1; n > 0 {
				step.Detail += fmt.Sprintf(" And %d more.", n)
			}
		}
		rest.steps = append(rest.steps, step)
	}
	l.steps = append(l.steps, rest.steps...)
}

func listStep(kind listKind) string {
	switch kind {
	case listTools:
		return StepTools
	case listPrompts:
		return StepPrompts
	case listResources:
		return StepResources
	case listTemplates:
	}
	return StepTemplates
}

func listTitle(kind listKind) string {
	switch kind {
	case listTools:
		return "Tools"
	case listPrompts:
		return "Prompts"
	case listResources:
		return "Resources"
	case listTemplates:
	}
	return "Resource templates"
}
