package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

func (p *program) doctorCommand() *cobra.Command {
	var flags serverFlags
	command := &cobra.Command{
		Use:   "doctor TARGET",
		Short: "Go through a connection step by step and show where it fails",
		Long: `Doctor connects to one server and prints each step with its time: name resolution, TCP, TLS, HTTP, the era, the sign-in,
the handshake, the capabilities and each list; for a command, where it was found and whether it started. The first step that fails
says why and what to do next. It opens a connection of its own, and starts a process of its own, beside one that is live.

The exit status is that of the failed step: 0 if there is none.`,
		Example: `  jackfield doctor docs
  jackfield doctor --url https://example.com/mcp
  jackfield --json doctor -- npx -y some-server`,
	}
	flags.registerTarget(command.Flags())
	command.RunE = p.run(func(ctx context.Context, l line) error {
		t, err := flags.required(l, command.Flags().Changed)
		if err != nil {
			return err
		}
		if len(t.rest) > 0 {
			return usage("See `jackfield doctor --help`.", "%q is one too many.", t.rest[0])
		}
		return p.with(ctx, false, func(s *session) error { return p.doctor(ctx, s, t) })
	})
	return command
}

func (p *program) doctor(ctx context.Context, s *session, t *target) error {
	var found mcp.Diagnosis
	var err error
	if t.adhoc != nil {
		found, err = s.Manager.DiagnoseAdhoc(ctx, *t.adhoc)
	} else {
		var id string
		if id, err = s.find(ctx, t.id); err != nil {
			return err
		}
		found, err = s.Manager.Diagnose(ctx, id)
	}
	if err != nil {
		return err
	}
	if p.out.json {
		err = p.out.document(newDiagnosis(found))
	} else {
		err = p.printDiagnosis(found)
	}
	if err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return reported(exitStatus(failureOf(ctx, ctx.Err()).Code))
	case found.Failure != nil:
		return reported(exitStatus(found.Failure.Code))
	}
	return nil
}

func (p *program) printDiagnosis(found mcp.Diagnosis) error {
	var t table
	for _, step := range found.Steps {
		took := ""
		if step.Took > 0 {
			took = step.Took.Round(100 * time.Microsecond).String()
		}
		t.row(cell{string(step.Status), stepStyle(step.Status)}, plain(step.Title), dim(took), plain(step.Detail))
	}
	if err := p.out.table(&t); err != nil {
		return err
	}
	if found.Failure == nil {
		if found.Server.Transport == store.TransportStdio && len(found.Stderr) > 0 {
			p.out.note("Its last lines on stderr:")
			for _, line := range found.Stderr {
				p.out.note("  %s", line)
			}
		}
		return nil
	}
	failure := *found.Failure
	failure.Stderr = found.Stderr
	p.out.explain(&mcp.Error{Failure: failure})
	return nil
}

func stepStyle(status mcp.StepStatus) style {
	switch status {
	case mcp.StepOK:
		return styleGood
	case mcp.StepWarning:
		return styleBusy
	case mcp.StepFailed:
		return styleBad
	case mcp.StepSkipped:
	}
	return styleDim
}

// diagnosisDoc is the document of doctor.
type diagnosisDoc struct {
	ServerID  string          `json:"serverId"`
	Name      string          `json:"name"`
	Transport store.Transport `json:"transport"` // that answered; if none did, the configured one
	endpointDoc
	OK              bool         `json:"ok"`
	Failed          string       `json:"failed"` // the name of a step, "" if none failed
	DurationMs      float64      `json:"durationMs"`
	Steps           []stepDoc    `json:"steps"`
	Era             store.Era    `json:"era"`
	ProtocolVersion string       `json:"protocolVersion"`
	ServerInfo      infoDoc      `json:"serverInfo"`
	Counts          countsDoc    `json:"counts"`
	Error           *errorDoc    `json:"error"`
	Stderr          []string     `json:"stderr"`
	Problems        []problemDoc `json:"problems"`
}

type stepDoc struct {
	Name       string         `json:"name"`
	Title      string         `json:"title"`
	Status     mcp.StepStatus `json:"status"`
	DurationMs float64        `json:"durationMs"`
	Detail     string         `json:"detail"`
	Hint       string         `json:"hint,omitempty"`
}

func newDiagnosis(d mcp.Diagnosis) diagnosisDoc {
	doc := diagnosisDoc{
		ServerID: d.Server.ID, Name: d.Server.Name, Transport: d.Transport, endpointDoc: newEndpoint(d.Server),
		OK: d.Failure == nil, Failed: d.Failed, DurationMs: milliseconds(d.Took), Steps: []stepDoc{},
		Era: d.Era, ProtocolVersion: d.ProtocolVersion, Counts: countsDoc(d.Counts),
		ServerInfo: infoDoc{Name: d.ServerInfo.Name, Version: d.ServerInfo.Version, Title: d.ServerInfo.Title},
		Error:      storedError(d.Failure), Stderr: append([]string{}, d.Stderr...), Problems: newProblems(d.Problems),
	}
	if doc.Transport == "" {
		doc.Transport = d.Server.Transport
	}
	for _, step := range d.Steps {
		doc.Steps = append(doc.Steps, stepDoc{step.Name, step.Title, step.Status, milliseconds(step.Took), step.Detail, step.Hint})
	}
	return doc
}
