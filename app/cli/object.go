package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// object is a JSON object that keeps the order of its members and the bytes of their values, so that numbers keep their
// digits.
type object []member

type member struct {
	name  string
	value json.RawMessage
}

// parseObject reads one JSON object and nothing after it.
func parseObject(text []byte) (object, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	token, err := decoder.Token()
	if err != nil {
		return nil, jsonProblem(err)
	}
	if token != json.Delim('{') {
		return nil, errors.New("it is not a JSON object")
	}
	var o object
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, jsonProblem(err)
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, jsonProblem(err)
		}
		o.set(name.(string), value)
	}
	if _, err := decoder.Token(); err != nil {
		return nil, jsonProblem(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON object")
	}
	return o, nil
}

func jsonProblem(err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends too early to be JSON")
	case errors.As(err, &syntax):
		return fmt.Errorf("it is not JSON at byte %d: %w", syntax.Offset, err)
	}
	return fmt.Errorf("it is not JSON: %w", err)
}

// get returns a member's value, nil if there is none.
func (o object) get(name string) json.RawMessage {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// set replaces a member or appends it.
func (o *object) set(name string, value json.RawMessage) {
	for i := range *o {
		if (*o)[i].name == name {
			(*o)[i].value = value
			return
		}
	}
	*o = append(*o, member{name, value})
}

// encode writes the object in its order.
func (o object) encode() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(quote(m.name))
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// array encodes a list of values.
func array(values []json.RawMessage) json.RawMessage {
	b := []byte{'['}
	for i, value := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, value...)
	}
	return append(b, ']')
}

// quote encodes a text as a JSON string, without escaping for HTML.
func quote(text string) json.RawMessage {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		panic(err) // a string always encodes
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// remove takes a member out.
func (o *object) remove(name string) {
	*o = slices.DeleteFunc(*o, func(m member) bool { return m.name == name })
}
