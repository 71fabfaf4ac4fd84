package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

const (
	maxSchema   = 1 << 20 // bytes of a schema that is compiled, and of a document that is checked
	maxFindings = 50
)

// errRemote refuses references out of a schema: a server must not make this program fetch anything
// (MCP 2026-07-28, security considerations of JSON Schema references).
var errRemote = errors.New("references to other documents are not followed")

type noLoader struct{}

func (noLoader) Load(url string) (any, error) { return nil, fmt.Errorf("%s: %w", url, errRemote) }

// email is the usual sense of the word, narrower than RFC 5321: forms are filled in by people.
var email = regexp.MustCompile(`^[^\s@<>"(),:;]+@[^\s@<>"(),:;.]+(\.[^\s@<>"(),:;.]+)*$`)

// compileSchema compiles a schema of a server.
func compileSchema(raw json.RawMessage) (*jsonschema.Schema, error) {
	if len(raw) > maxSchema {
		return nil, fmt.Errorf("the schema has %d bytes; more than %d are not compiled", len(raw), maxSchema)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	const location = "mem:///schema.json"
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noLoader{})
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	compiler.RegisterFormat(&jsonschema.Format{Name: "email", Validate: func(v any) error {
		if s, ok := v.(string); ok && !email.MatchString(s) {
			return errors.New("not an email address")
		}
		return nil
	}})
	if err := compiler.AddResource(location, document); err != nil {
		return nil, err
	}
	return compiler.Compile(location)
}

// checkDocument checks a JSON document against a schema. The findings are sorted by pointer; nil means that it fits.
func checkDocument(schema *jsonschema.Schema, raw json.RawMessage) ([]FieldError, error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	err = schema.Validate(value)
	if err == nil {
		return nil, nil
	}
	invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return nil, err
	}
	var found []FieldError
	collect(invalid, &found)
	slices.SortStableFunc(found, func(a, b FieldError) int { return strings.Compare(a.Pointer, b.Pointer) })
	found = slices.Compact(found)
	return found[:min(len(found), maxFindings)], nil
}

// collect turns the leaves of a validation error into sentences.
func collect(e *jsonschema.ValidationError, found *[]FieldError) {
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		// The branches say what each of the alternatives would have wanted; to a person that is noise.
		if choices := constants(e); len(choices) > 0 {
			add(found, e.InstanceLocation, "This has to be one of: "+strings.Join(choices, ", ")+".")
			return
		}
		add(found, e.InstanceLocation, sentenceFor(e.ErrorKind))
		return
	}
	if len(e.Causes) > 0 {
		for _, cause := range e.Causes {
			collect(cause, found)
		}
		return
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			add(found, append(slices.Clone(e.InstanceLocation), name), "This is required.")
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			add(found, append(slices.Clone(e.InstanceLocation), name), "This field is not expected.")
		}
	default:
		add(found, e.InstanceLocation, sentenceFor(e.ErrorKind))
	}
}

func add(found *[]FieldError, at []string, message string) {
	*found = append(*found, FieldError{Pointer: pointer(at...), Message: message})
}

// constants returns the values when every alternative is one constant, as titled enums are written.
func constants(e *jsonschema.ValidationError) []string {
	var values []string
	for _, cause := range e.Causes {
		for len(cause.Causes) == 1 {
			cause = cause.Causes[0]
		}
		c, ok := cause.ErrorKind.(*kind.Const)
		if !ok {
			return nil
		}
		values = append(values, show(c.Want))
	}
	return values
}

// sentenceFor says what is wrong in words.
func sentenceFor(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return fmt.Sprintf("This has to be %s, not %s.", alternatives(k.Want), article(k.Got))
	case *kind.Enum:
		return "This has to be one of: " + strings.Join(shows(k.Want), ", ") + "."
	case *kind.Const:
		return fmt.Sprintf("This has to be %s.", show(k.Want))
	case *kind.Format:
		return formatSentence(k)
	case *kind.Pattern:
		return fmt.Sprintf("%s does not match the pattern %s.", show(k.Got), k.Want)
	case *kind.Minimum:
		return fmt.Sprintf("%s is less than the minimum, %s.", rat(k.Got), rat(k.Want))
	case *kind.Maximum:
		return fmt.Sprintf("%s is more than the maximum, %s.", rat(k.Got), rat(k.Want))
	case *kind.ExclusiveMinimum:
		return fmt.Sprintf("%s has to be more than %s.", rat(k.Got), rat(k.Want))
	case *kind.ExclusiveMaximum:
		return fmt.Sprintf("%s has to be less than %s.", rat(k.Got), rat(k.Want))
	case *kind.MultipleOf:
		return fmt.Sprintf("%s is not a multiple of %s.", rat(k.Got), rat(k.Want))
	case *kind.MinLength:
		if k.Want == 1 {
			return "This must not be empty."
		}
		return fmt.Sprintf("This is too short: %s, at least %d are needed.", count(k.Got, "character"), k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("This is too long: %s, at most %d are allowed.", count(k.Got, "character"), k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("Too few: %s, at least %d are needed.", count(k.Got, "item"), k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("Too many: %s, at most %d are allowed.", count(k.Got, "item"), k.Want)
	case *kind.UniqueItems:
		return fmt.Sprintf("Items %d and %d are the same.", k.Duplicates[0]+1, k.Duplicates[1]+1)
	case *kind.MinProperties:
		return fmt.Sprintf("Too few fields: %d, at least %d are needed.", k.Got, k.Want)
	case *kind.MaxProperties:
		return fmt.Sprintf("Too many fields: %d, at most %d are allowed.", k.Got, k.Want)
	case *kind.DependentRequired:
		return fmt.Sprintf("With %s, these are required too: %s.", strconv.Quote(k.Prop), strings.Join(k.Missing, ", "))
	case *kind.FalseSchema:
		return "Nothing is allowed here."
	case *kind.Not:
		return "This value is not allowed."
	case *kind.OneOf:
		if len(k.Subschemas) > 1 {
			return "This fits more than one of the alternatives, but has to fit exactly one."
		}
		return "This fits none of the alternatives."
	case *kind.AnyOf:
		return "This fits none of the alternatives."
	case *kind.Contains:
		return "None of the items is of the required kind."
	}
	return "This does not fit the schema."
}

func formatSentence(k *kind.Format) string {
	example := map[string]string{
		"email":     "an email address, such as name@example.com",
		"uri":       "a full address, such as https://example.com/",
		"date":      "a date, such as 2026-11-30",
		"date-time": "a date with time and zone, such as 2026-11-30T12:00:00Z",
		"uuid":      "a UUID",
	}[k.Want]
	if example == "" {
		example = "of the format " + k.Want
	}
	return fmt.Sprintf("%s is not %s.", show(k.Got), example)
}

func article(kind string) string {
	switch kind {
	case "null":
		return "null"
	case "integer", "array", "object":
		return "an " + kind
	}
	return "a " + kind
}

func alternatives(kinds []string) string {
	words := make([]string, len(kinds))
	for i, kind := range kinds {
		words[i] = article(kind)
	}
	return strings.Join(words, " or ")
}

func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func show(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return firstLine(string(text), 100)
}

func shows(values []any) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = show(v)
	}
	return texts
}

// rat writes a number as a person would: as an integer or a decimal fraction.
func rat(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	if f, exact := r.Float64(); exact {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return strings.TrimRight(strings.TrimRight(r.FloatString(12), "0"), ".")
}

// pointer writes a JSON pointer (RFC 6901). No tokens mean the whole document, "".
func pointer(tokens ...string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(token))
	}
	return b.String()
}

// checkAnswer refuses an answer that the protocol or the form's schema does not allow, and returns what is sent.
func checkAnswer(mode AskMode, schema json.RawMessage, answer Answer) (Answer, error) {
	switch answer.Action {
	case ActionDecline, ActionCancel:
		// The protocol has no content there.
		return Answer{Action: answer.Action}, nil
	case ActionAccept:
	default:
		return Answer{}, fail(CodeInvalidAnswer, fmt.Sprintf("There is no answer %q.", answer.Action), "Accept, decline or cancel.", nil)
	}
	if mode == AskURL {
		return Answer{Action: ActionAccept}, nil
	}
	if mode == AskSampling {
		var err error
		answer.Content, err = checkSampling(answer.Content)
		return answer, err
	}
	content := bytes.TrimSpace(answer.Content)
	if len(content) == 0 {
		content = []byte("{}")
	}
	if !json.Valid(content) || content[0] != '{' {
		f := fail(CodeInvalidAnswer, "The answer is not a JSON object.", "Fill in the form.", nil)
		f.Fields = []FieldError{{Message: "This has to be an object."}}
		return Answer{}, f
	}
	answer.Content = content
	if len(schema) == 0 {
		return answer, nil
	}
	compiled, err := compileSchema(schema)
	if err != nil {
		// The schema is the server's fault. The person can still answer, and the server will judge the answer.
		return answer, nil
	}
	fields, err := checkDocument(compiled, content)
	if err != nil {
		return Answer{}, fail(CodeInvalidAnswer, "The answer cannot be checked: "+err.Error(), "Fill in the form again.", err)
	}
	if len(fields) > 0 {
		f := fail(CodeInvalidAnswer, "The answer does not fit the form.", "Correct the fields and accept again.", nil)
		f.Fields = fields
		return Answer{}, f
	}
	return answer, nil
}

// checkOutput checks structuredContent against the tool's outputSchema (MCP 2025-06-18, "Output Schema"). What cannot be
// checked is a problem, not a violation.
func (m *Manager) checkOutput(call *runningCall, result json.RawMessage) []FieldError {
	m.mu.Lock()
	var schema json.RawMessage
	for _, tool := range call.conn.catalog.Tools {
		if tool.Name == call.row.Name {
			schema = tool.OutputSchema
		}
	}
	m.mu.Unlock()
	if schema == nil {
		return nil
	}
	note := func(code, message string) {
		m.mu.Lock()
		call.noteLocked(Problem{Code: code, ServerID: call.conn.id, Subject: call.row.Name, Message: message})
		m.mu.Unlock()
	}
	structured := readResult(result).Structured
	switch {
	case structured == nil:
		return []FieldError{{Message: "The tool has an outputSchema, but its result has no structuredContent."}}
	case len(structured) > maxSchema:
		note("output_not_checked", "The structuredContent is too large to be checked against the outputSchema.")
		return nil
	}
	compiled, err := call.link.outputSchema(call.row.Name, schema)
	if err != nil {
		note("output_schema", "The tool's outputSchema cannot be used: "+firstLine(err.Error(), 300))
		return nil
	}
	fields, err := checkDocument(compiled, structured)
	if err != nil {
		note("output_not_checked", "The structuredContent could not be checked: "+firstLine(err.Error(), 300))
	}
	return fields
}

// compiled is a compiled outputSchema, or why there is none, with the text it was made from.
type compiled struct {
	source json.RawMessage
	schema *jsonschema.Schema
	err    error
}

// outputSchema compiles a tool's schema when it is first needed.
func (l *link) outputSchema(tool string, source json.RawMessage) (*jsonschema.Schema, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known, ok := l.schemas[tool]
	if !ok || !bytes.Equal(known.source, source) {
		known = compiled{source: source}
		known.schema, known.err = compileSchema(source)
		l.schemas[tool] = known
	}
	return known.schema, known.err
}
