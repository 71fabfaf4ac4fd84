package app

import "jackfield/app/api"

// Prompt is the only thing bound to a prompt window: it shows one ask and takes one answer.
type Prompt struct{}

// Ask returns what the window shows.
func (p *Prompt) Ask() (api.AskWindow, error) { return api.AskWindow{}, errNotBuilt }

// Answer hands the answer to the main process. A form that does not fit rejects with code invalid_answer and its fields;
// the window stays open.
func (p *Prompt) Answer(answer api.Answer) error { return errNotBuilt }
