package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// listen answers subscriptions/listen (2026-07-28). The same request is sent again with an id of its own whenever the stream ends.
func (l *link) listen(request *http.Request, out *outgoing) (*http.Response, error) {
	var params struct {
		Params struct {
			Notifications struct {
				Tools     bool     `json:"toolsListChanged"`
				Prompts   bool     `json:"promptsListChanged"`
				Resources bool     `json:"resourcesListChanged"`
				URIs      []string `json:"resourceSubscriptions"`
			} `json:"notifications"`
		} `json:"params"`
	}
	if err := json.Unmarshal(out.body, &params); err != nil {
		return nil, fmt.Errorf("the outgoing subscriptions/listen cannot be read: %w", err)
	}
	wanted := params.Params.Notifications
	return l.startEndless(request, &endless{
		name: "subscriptions/listen",
		out:  out,
		open: func(ctx context.Context, s *endless) (*http.Response, error) {
			if s.attempts > 1 {
				l.wire.forget(s.out.request)
				body, err := withID(out.body, fmt.Sprintf("%s-again-%d", out.rawID, s.attempts-1))
				if err != nil {
					return nil, err
				}
				s.out = l.note(ctx, body)
			}
			response, err := l.session.send(withBody(request.WithContext(ctx), s.out.body), s.out)
			if err != nil {
				return nil, err
			}
			if err := denied(response); err != nil {
				l.discard(response, s.out)
				return nil, err
			}
			return response, nil
		},
		missed: func() [][]byte {
			messages := listChanged(wanted.Tools, wanted.Prompts, wanted.Resources)
			for _, uri := range wanted.URIs {
				params, _ := json.Marshal(map[string]string{"uri": uri}) // strings always marshal
				messages = append(messages, fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":%s}`, params))
			}
			return messages
		},
	}), nil
}

// withID returns the message under another id.
func withID(message []byte, id string) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(message, &fields); err != nil {
		return nil, err
	}
	fields["id"] = json.RawMessage(strconv.Quote(id))
	return json.Marshal(fields)
}

// listChanged returns the notifications that make go-sdk drop its cache and the lists be fetched again.
func listChanged(tools, prompts, resources bool) (messages [][]byte) {
	for _, list := range []struct {
		on   bool
		name string
	}{{tools, "tools"}, {prompts, "prompts"}, {resources, "resources"}} {
		if list.on {
			messages = append(messages, fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/%s/list_changed"}`, list.name))
		}
	}
	return messages
}
