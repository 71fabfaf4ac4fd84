package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"jackfield/backend/mcp/wire"
	"jackfield/backend/store"
)

const (
	maxRounds = 10
	// A round that carries only a requestState says "not yet" (MCP 2026-07-28, multi-round-trip requests).
	roundWait = 250 * time.Millisecond
)

// rounds sends a request, and again with answers for as long as the server asks for input (SEP-2322).
func (m *Manager) rounds(ctx context.Context, call *runningCall, request CallRequest) error {
	mirrored := false
	for round := 1; ; round++ {
		if err := call.link.send(ctx, request); err != nil {
			if !mirrored && m.mirrorAgain(ctx, call) {
				mirrored = true
				round--
				continue
			}
			return err
		}
		if call.link.learned.era != store.EraModern {
			return nil
		}
		result := readResult(call.wire.Result())
		if !result.InputRequired {
			return nil
		}
		if round == maxRounds {
			return fail(CodeProtocol, fmt.Sprintf("The server still asked for input after %d rounds.", maxRounds),
				"The call was given up. The rounds are kept with it.", nil)
		}
		responses, err := m.answerInputs(ctx, call, result.InputRequests)
		if err != nil {
			return err
		}
		call.wire.Again(responses, result.RequestState)
		if responses == nil {
			select {
			case <-m.clock.After(roundWait):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
}

// headerMismatch is the JSON-RPC error of MCP 2026-07-28, basic/transports/streamable-http, for headers that do not say what the body says.
const headerMismatch = "-32020"

// awaitTools waits for the first discovery: which arguments belong into headers only the list of tools says. One that has failed holds up
// no call; the server refuses what lacks a header, and says so.
func (m *Manager) awaitTools(ctx context.Context, c *conn) {
	m.mu.Lock()
	wait := !c.loaded && c.failure == nil
	m.mu.Unlock()
	if wait {
		_ = m.discover(ctx, c, false) // its error is kept in the row
	}
}

// mirrorAgain loads the tools again after a refusal for headers that do not match, and says whether the call can be sent once more: the
// schema that told which arguments to mirror was old. The server refused before it ran anything.
func (m *Manager) mirrorAgain(ctx context.Context, call *runningCall) bool {
	rounds, link := call.wire.Rounds(), call.link
	if call.row.Kind != store.KindTool || len(rounds) == 0 || plain(wire.Get(rounds[len(rounds)-1].Error, "code")) != headerMismatch {
		return false
	}
	found, err := m.fetch(ctx, call.conn, link, []listKind{listTools}, true)
	if err != nil {
		return false // the refusal says more
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if call.conn.link != link {
		return false
	}
	m.replaceLocked(call.conn, found)
	m.publishLocked(call.conn)
	problem := Problem{
		Code: "header_mismatch", ServerID: call.conn.id, Subject: call.row.Name,
		Message: "The server refused the call because its headers did not match the arguments. The list of tools was loaded again and the call sent once more.",
	}
	call.noteLocked(problem)
	m.noteLinkLocked(call.conn, problem)
	return true
}

// answerInputs asks the person everything that one round wants to know, all at once, and returns the answers.
func (m *Manager) answerInputs(ctx context.Context, call *runningCall, requests json.RawMessage) (json.RawMessage, error) {
	type waiting struct {
		key string
		ask *openAsk
	}
	var asked []waiting
	responses := map[string]json.RawMessage{}
	for quoted, raw := range wire.Fields(requests) {
		key := plain(quoted)
		method, params := plain(wire.Get(raw, "method")), wire.Get(raw, "params")
		var ask Ask
		switch {
		case method == "elicitation/create":
			ask = elicitation(params)
		case method == "sampling/createMessage" && slices.Contains(m.options.Modes, AskSampling):
			ask = sampling(params)
		case method == "roots/list" && len(m.roots(call.conn)) > 0:
			var err error
			if responses[key], err = rootsResponse(m.roots(call.conn)); err != nil {
				return nil, err
			}
			continue
		default:
			return nil, fail(CodeProtocol, fmt.Sprintf("The server asked for %q, which this client does not offer.", method),
				"The server has to ask for nothing that the client did not announce.", nil)
		}
		open, err := m.openAsk(call.conn, call.link, call, ask)
		if err != nil {
			return nil, err
		}
		asked = append(asked, waiting{key, open})
	}
	for _, a := range asked {
		answer, err := m.awaitAnswer(ctx, a.ask)
		if err != nil {
			return nil, err
		}
		if responses[a.key], err = inputResponse(a.ask.Mode, answer); err != nil {
			return nil, err
		}
	}
	if len(responses) == 0 {
		return nil, nil
	}
	return json.Marshal(responses)
}

// elicitResponse is an answer as the protocol has it (MCP 2026-07-28, ElicitResult).
type elicitResponse struct {
	Action  AskAction       `json:"action"`
	Content json.RawMessage `json:"content,omitempty"`
}

// inputResponse is an answer as the protocol has it, with all its digits.
func inputResponse(mode AskMode, answer Answer) (json.RawMessage, error) {
	if mode != AskSampling {
		return json.Marshal(elicitResponse(answer))
	}
	if answer.Action != ActionAccept {
		return nil, fail(CodeCancelled, "The call could not go on: its server wanted a model's answer and got none.", "Run it again to answer.", nil)
	}
	return answer.Content, nil
}

// elicitation reads the params of an elicitation/create.
func elicitation(params json.RawMessage) Ask {
	ask := Ask{
		Mode: AskMode(plain(wire.Get(params, "mode"))), Message: plain(wire.Get(params, "message")),
		Schema: wire.Get(params, "requestedSchema"), URL: plain(wire.Get(params, "url")), URLID: plain(wire.Get(params, "elicitationId")),
	}
	// Without a mode it is a form: revisions before 2025-11-25 know no other.
	if ask.Mode == "" {
		ask.Mode = AskForm
		if ask.URL != "" {
			ask.Mode = AskURL
		}
	}
	return ask
}

// elicitResult is an answer as the protocol has it. The values keep their digits.
func elicitResult(answer Answer) (*sdk.ElicitResult, error) {
	result := &sdk.ElicitResult{Action: string(answer.Action)}
	if answer.Action != ActionAccept || answer.Content == nil {
		return result, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(answer.Content, &fields); err != nil {
		return nil, errors.New("the content of an answer is not an object")
	}
	result.Content = make(map[string]any, len(fields))
	for name, value := range fields {
		result.Content[name] = value
	}
	return result, nil
}
