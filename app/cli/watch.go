package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"jackfield/backend/mcp"
)

func (p *program) watchCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "watch [ID…]",
		Short: "Connect and print what happens, until it is interrupted",
		Long: `Watch connects the enabled servers, or the named ones, prints how they are, and then every event. With --json these are JSON
lines: first one of type "snapshot", then one per event. A question of a server is declined
here: nobody called it.`,
		RunE: p.run(noDash(p.watch)),
	}
}

type eventDoc struct {
	Type     string       `json:"type"`
	Seq      uint64       `json:"seq"`
	Time     string       `json:"time"`
	ServerID string       `json:"serverId"`
	Server   *statusDoc   `json:"server,omitempty"`
	Call     *historyDoc  `json:"call,omitempty"`
	Progress *progressDoc `json:"progress,omitempty"`
	Ask      *askDoc      `json:"ask,omitempty"`
	Problem  *problemDoc  `json:"problem,omitempty"`
	Trouble  *troubleDoc  `json:"trouble,omitempty"`
	Message  *messageDoc  `json:"message,omitempty"`
	Log      *logDoc      `json:"log,omitempty"`
	URI      string       `json:"uri,omitempty"`
	State    string       `json:"state,omitempty"`
	Via      string       `json:"transport,omitempty"`
	Code     string       `json:"code,omitempty"`
	Text     string       `json:"text,omitempty"`
}

type progressDoc struct {
	Progress float64 `json:"progress"`
	Total    float64 `json:"total"` // 0 if unknown
	Message  string  `json:"message"`
}

type askDoc struct {
	ID      string        `json:"id"`
	Mode    mcp.AskMode   `json:"mode"`
	CallID  string        `json:"callId"`
	Message string        `json:"message"`
	Closed  bool          `json:"closed"`
	Outcome mcp.AskAction `json:"outcome"`
	Reason  string        `json:"reason"`
}

type troubleDoc struct {
	Kind    mcp.TroubleKind `json:"kind"`
	Message string          `json:"message"` // "" when it is over
	Hint    string          `json:"hint"`
	Count   int             `json:"count"`
}

type messageDoc struct {
	Dir       mcp.Direction `json:"dir"`
	Kind      string        `json:"kind"`
	Method    string        `json:"method"`
	RPCID     string        `json:"rpcId"`
	CallID    string        `json:"callId"`
	Bytes     int           `json:"bytes"`
	LatencyMs float64       `json:"latencyMs"`
	HTTP      int           `json:"http"`
	Problem   string        `json:"problem"`
}

type logDoc struct {
	Level  string `json:"level"`
	Logger string `json:"logger"`
	Text   string `json:"text"`
}

// newEvent shows an event without the contents of messages: arguments and results can hold secrets.
func newEvent(event mcp.Event) eventDoc {
	doc := eventDoc{
		Type: string(event.Type), Seq: event.Seq, Time: timestamp(event.Time), ServerID: event.ServerID,
		URI: event.URI, State: string(event.State), Via: string(event.Transport), Code: event.Code, Text: event.Text,
	}
	if event.Server != nil {
		row := newStatus(*event.Server)
		doc.Server = &row
	}
	if event.Call != nil {
		row := newHistory(event.Call.Call)
		row.Arguments, row.Result = nil, nil
		doc.Call = &row
		if event.Call.Progress != nil {
			progress := progressDoc(*event.Call.Progress)
			doc.Progress = &progress
		}
	}
	if ask := event.Ask; ask != nil {
		doc.Ask = &askDoc{ask.ID, ask.Mode, ask.CallID, ask.Message, ask.Closed, ask.Outcome, ask.Reason}
	}
	if event.Problem != nil {
		problem := problemDoc(*event.Problem)
		doc.Problem = &problem
	}
	if trouble := event.Trouble; trouble != nil {
		doc.Trouble = &troubleDoc{trouble.Kind, trouble.Message, trouble.Hint, trouble.Count}
	}
	if m := event.Message; m != nil {
		doc.Message = &messageDoc{m.Dir, m.Kind, m.Method, m.RPCID, m.CallID, m.Bytes, milliseconds(m.Latency), m.HTTP, m.Problem}
	}
	if event.Log != nil {
		doc.Log = &logDoc{event.Log.Level, event.Log.Logger, event.Log.Text}
	}
	return doc
}

func (p *program) watch(ctx context.Context, names []string) error {
	return p.with(ctx, len(names) == 0, func(s *session) error {
		var ids []string
		for _, name := range names {
			id, err := s.find(ctx, name)
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		events, cancel := s.Manager.Subscribe()
		defer cancel()
		snapshot := s.Manager.Snapshot()
		snapshot.Servers = slices.DeleteFunc(snapshot.Servers, func(row mcp.Status) bool {
			return len(ids) > 0 && !slices.Contains(ids, row.Server.ID)
		})
		if err := p.printSnapshot(snapshot); err != nil {
			return err
		}
		connecting, stop := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			s.connectAll(connecting, ids) // the events tell how it goes
		}()
		defer func() {
			stop()
			<-ended
		}()
		for {
			select {
			case <-ctx.Done():
				if errors.Is(context.Cause(ctx), errInterrupted) {
					return nil // this is how watching ends
				}
				return p.ending(failureOf(ctx, ctx.Err()))
			case event, ok := <-events:
				if !ok {
					return nil
				}
				if event.Type == mcp.EventAsk && !event.Ask.Closed {
					err := s.Manager.Answer(ctx, event.Ask.ID, mcp.Answer{Action: mcp.ActionDecline})
					if err != nil && !errors.Is(err, mcp.ErrUnknownAsk) && ctx.Err() == nil {
						p.out.complain("A question could not be declined: %v", err)
					}
				}
				if event.Seq <= snapshot.Seq || (len(ids) > 0 && !slices.Contains(ids, event.ServerID)) {
					continue
				}
				if err := p.printEvent(event); err != nil {
					return err
				}
			}
		}
	})
}

func (p *program) printSnapshot(snapshot mcp.Snapshot) error {
	if !p.out.json {
		return p.out.table(statusTable(snapshot.Servers...))
	}
	rows := []statusDoc{}
	for _, row := range snapshot.Servers {
		rows = append(rows, newStatus(row))
	}
	return p.out.document(struct {
		Type    string      `json:"type"`
		Seq     uint64      `json:"seq"`
		Servers []statusDoc `json:"servers"`
	}{"snapshot", snapshot.Seq, rows})
}

func (p *program) printEvent(event mcp.Event) error {
	if p.out.json {
		return p.out.document(newEvent(event))
	}
	text := describe(event)
	if text == "" {
		return nil
	}
	return p.out.printf("%s  %s  %s\n", event.Time.Local().Format("15:04:05.000"), visible(event.ServerID, false), visible(text, false))
}

// describe is an event as a line; "" for those that only programs want.
func describe(event mcp.Event) string {
	switch event.Type {
	case mcp.EventServer:
		return string(event.Server.State) + ": " + event.Server.Detail
	case mcp.EventRemoved:
		return "removed"
	case mcp.EventCatalog:
		return "the catalog changed"
	case mcp.EventCall:
		call := event.Call
		text := string(call.Kind) + " " + call.Name + ": " + string(call.Outcome)
		if call.Progress != nil && call.Progress.Message != "" {
			text += ", " + call.Progress.Message
		}
		return text
	case mcp.EventAsk:
		if event.Ask.Closed {
			return strings.TrimSpace("question closed: " + string(event.Ask.Outcome) + " " + event.Ask.Reason)
		}
		return "question: " + event.Ask.Message
	case mcp.EventProblem:
		return "problem with " + event.Problem.Subject + ": " + event.Problem.Message
	case mcp.EventLog:
		return strings.TrimSpace(event.Log.Level+" "+event.Log.Logger) + ": " + event.Log.Text
	case mcp.EventUpdated:
		return "updated: " + event.URI
	case mcp.EventTrouble:
		if event.Trouble.Message == "" {
			return string(event.Trouble.Kind) + ": works again"
		}
		return event.Trouble.Message
	case mcp.EventTrace:
		return ""
	}
	return event.Text
}
