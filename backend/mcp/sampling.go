package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"jackfield/backend/mcp/wire"
)

// Sampling (MCP, sampling/createMessage): a server wants a model's answer. This program has no model; the person writes or pastes the answer,
// or declines. What the server asked is shown as it came.

// samplingDeclined is what the specification's example answers when a person does not want it.
const samplingDeclined = -1

// byHand is who wrote an answer, where a model's name is expected and the person gave none.
const byHand = "written by hand"

// samplingForm is what the person fills in. It is this program's: a surface that can show forms can take an answer.
const samplingForm = `{"type":"object","properties":{
	"content":{"type":"string","title":"Answer","description":"What a language model would write.","contentMediaType":"text/plain"},
	"model":{"type":"string","title":"Model","description":"Who wrote it; \"` + byHand + `\" if you leave it out."},
	"stopReason":{"type":"string","title":"Why it ends","description":"\"endTurn\" if you leave it out.","examples":["endTurn","stopSequence","maxTokens"]}
},"required":["content"]}`

// sampling makes the ask of a sampling/createMessage.
func sampling(params json.RawMessage) Ask {
	return Ask{
		Mode: AskSampling, Message: "The server wants an answer that a language model would write.",
		Schema: json.RawMessage(samplingForm), Sampling: params,
	}
}

// sample handles a sampling/createMessage of a legacy server.
//
//lint:ignore SA1019 servers go on sampling: the feature is deprecated by SEP-2577, not gone
func (m *Manager) sample(ctx context.Context, c *conn, l *link, meta sdk.Meta) (*sdk.CreateMessageWithToolsResult, error) {
	key, _ := meta[wire.AskKey].(string)
	raw, of, found := l.wire.Ask(key)
	if !found {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the request has no params"}
	}
	answer, err := m.ask(ctx, c, l, of, sampling(raw))
	if err != nil {
		return nil, err
	}
	return samplingResult(answer)
}

// samplingResult is an answer as the protocol has it. There is no result that says no: a declined sampling is an error for a legacy server, and
// ends the call of a modern one, which has nothing to go on with.
//
//lint:ignore SA1019 servers go on sampling: the feature is deprecated by SEP-2577, not gone
func samplingResult(answer Answer) (*sdk.CreateMessageWithToolsResult, error) {
	switch answer.Action {
	case ActionDecline:
		return nil, &jsonrpc.Error{Code: samplingDeclined, Message: "User rejected sampling request"}
	case ActionCancel:
		return nil, &jsonrpc.Error{Code: samplingDeclined, Message: "User dismissed sampling request"}
	}
	//lint:ignore SA1019 as above
	result := &sdk.CreateMessageWithToolsResult{}
	if err := json.Unmarshal(answer.Content, result); err != nil {
		return nil, errors.New("the content of an answer is not a result of sampling")
	}
	return result, nil
}

// checkSampling checks what a person wrote for a model, and makes it a whole CreateMessageResult: a plain text becomes a block of content, and
// who wrote it is said.
func checkSampling(content json.RawMessage) (json.RawMessage, error) {
	wrong := func(pointer, message string) error {
		f := fail(CodeInvalidAnswer, message, `Write {"content":"…"}, or a whole CreateMessageResult.`, nil)
		f.Fields = []FieldError{{Pointer: pointer, Message: message}}
		return f
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(content, &fields); err != nil || fields == nil {
		return nil, wrong("", "The answer is not a JSON object.")
	}
	body := bytes.TrimSpace(fields["content"])
	switch {
	case len(body) == 0:
		return nil, wrong("/content", "The answer has no content.")
	case body[0] == '"':
		fields["content"] = json.RawMessage(`{"type":"text","text":` + string(body) + `}`)
	case body[0] != '{' && body[0] != '[':
		return nil, wrong("/content", "The content is a text, a block of content, or a list of blocks.")
	}
	for name, value := range map[string]string{"role": `"assistant"`, "model": `"` + byHand + `"`, "stopReason": `"endTurn"`} {
		if given := fields[name]; len(given) == 0 || string(given) == `""` {
			fields[name] = json.RawMessage(value)
		}
	}
	whole, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("putting an answer together: %w", err)
	}
	// go-sdk sends the result, so it has to understand it.
	//lint:ignore SA1019 servers go on sampling: the feature is deprecated by SEP-2577, not gone
	result := sdk.CreateMessageWithToolsResult{}
	if err := json.Unmarshal(whole, &result); err != nil {
		return nil, wrong("/content", "This is not content that a model could answer with: "+firstLine(err.Error(), 200))
	}
	if result.Role != "assistant" {
		return nil, wrong("/role", "A model's answer has the role assistant.")
	}
	return whole, nil
}
