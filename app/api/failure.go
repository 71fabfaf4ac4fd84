package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"jackfield/app/browser"
	"jackfield/backend/mcp"
	"jackfield/backend/store"
	"jackfield/backend/store/vault"
)

// CodeAskClosed is the code of an answer that came too late; the other codes are those of package mcp.
const CodeAskClosed = "ask_closed"

// Sentence is an error that already reads as a person should see it.
type Sentence interface {
	error
	Hint() string
}

// FailureOf is the one mapping from an error to what a person reads.
func FailureOf(err error) Failure {
	var known *mcp.Error
	var plain Sentence
	var sealed *vault.SealedError
	switch {
	case errors.As(err, &known):
		out := Failure{
			Code: known.Code, Message: known.Message, Hint: known.Hint, ExitCode: known.ExitCode, Stderr: known.Stderr,
			Fields: each(known.Fields, fieldError),
		}
		if out.Code == "" {
			out.Code = mcp.CodeInternal
		}
		return out
	case errors.Is(err, mcp.ErrUnknownServer):
		return Failure{
			Code: mcp.CodeUnknownServer, Message: "This server is not in the list any more.",
			Hint: "It may have been removed in another window or by the command line.",
		}
	case errors.Is(err, mcp.ErrUnknownAsk):
		return Failure{
			Code: CodeAskClosed, Message: "This question is no longer open.",
			Hint: "It was answered elsewhere, or what it belonged to has ended.",
		}
	case errors.Is(err, mcp.ErrClosed):
		return Failure{Code: mcp.CodeClosed, Message: "Jackfield is quitting.", Hint: "Start it again."}
	case errors.Is(err, store.ErrNotFound):
		return Failure{
			Code: mcp.CodeUnknownItem, Message: "This entry is not there any more.",
			Hint: "The history keeps a limited number of calls per server.",
		}
	case errors.Is(err, browser.ErrRefused):
		return Failure{
			Code: mcp.CodeRefusedURL, Message: sentence(err.Error()), Hint: "Copy the address if you trust it, and open it yourself.",
		}
	case errors.As(err, &sealed):
		return Failure{Code: mcp.CodeSecret, Message: sealed.Status.Detail, Hint: hintOf(sealed.Status.Hint)}
	case errors.Is(err, vault.ErrNoSecret):
		return Failure{
			Code: mcp.CodeSecret, Message: "A secret of this server was not kept.", Hint: "Edit the server and enter it again.",
		}
	case errors.As(err, &plain):
		return Failure{Code: mcp.CodeUsage, Message: plain.Error(), Hint: plain.Hint()}
	case errors.Is(err, context.Canceled):
		return Failure{Code: mcp.CodeCancelled, Message: "This was cancelled.", Hint: "Try again."}
	default:
		return Failure{
			Code: mcp.CodeInternal, Message: sentence(err.Error()),
			Hint: "Try again. If it stays, the log file in the data directory says more.",
		}
	}
}

// hintOf never leaves a person without a next step.
func hintOf(hint string) string {
	if hint == "" {
		return "Open Settings, Secrets."
	}
	return hint
}

// sentence gives an error text, which Go writes without, a capital letter and a full stop.
func sentence(text string) string {
	if text == "" {
		return "Something failed without saying why."
	}
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

// Reject is the error that a bound method returns: Wails hands its text to the page.
type Reject struct{ Failure Failure }

func (r *Reject) Error() string {
	text, err := json.Marshal(r.Failure)
	if err != nil { // strings and numbers only, so this cannot be; but a promise must never hang on it
		return fmt.Sprintf(`{"code":%q,"message":%q,"hint":""}`, mcp.CodeInternal, "the error could not be encoded")
	}
	return string(text)
}
