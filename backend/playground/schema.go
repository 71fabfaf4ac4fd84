package playground

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schema is a JSON Schema as text, in the order in which it was written (forms show fields in that order), and ready to
// check a document. go-sdk's own checking would decode numbers to float64.
type schema struct {
	text    json.RawMessage
	checker *jsonschema.Schema
}

// compileSchemas returns schemas/*.json by name.
func compileSchemas() (map[string]*schema, error) {
	files, err := fs.Glob(embedded, "schemas/*.json")
	if err != nil {
		return nil, fmt.Errorf("reading the schemas: %w", err)
	}
	schemas := make(map[string]*schema, len(files))
	for _, file := range files {
		text, err := embedded.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading the schemas: %w", err)
		}
		compiled, err := compileSchema(file, text)
		if err != nil {
			return nil, fmt.Errorf("reading schema %s: %w", file, err)
		}
		schemas[strings.TrimSuffix(path.Base(file), ".json")] = compiled
	}
	return schemas, nil
}

func compileSchema(name string, text []byte) (*schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(name, document); err != nil {
		return nil, err
	}
	checker, err := compiler.Compile(name)
	if err != nil {
		return nil, err
	}
	var compact bytes.Buffer // a line break in it would break newline-delimited JSON-RPC
	if err := json.Compact(&compact, text); err != nil {
		return nil, err
	}
	return &schema{text: compact.Bytes(), checker: checker}, nil
}

// check returns what is wrong with a document as a sentence for each place, or nil.
func (s *schema) check(document []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return fmt.Errorf("it is not JSON: %w", err)
	}
	err = s.checker.Validate(value)
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return err
	}
	var lines []string
	for _, unit := range invalid.BasicOutput().Errors {
		if unit.Error == nil {
			continue
		}
		place := unit.InstanceLocation
		if place == "" {
			place = "the whole"
		}
		lines = append(lines, place+": "+unit.Error.String())
	}
	return errors.New(strings.Join(lines, "\n"))
}
