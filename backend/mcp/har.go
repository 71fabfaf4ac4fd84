package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"jackfield/backend/mcp/wire"
)

// The types of HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/), as far as a trace can fill them. Sizes that are not known are -1, as
// it says. Times are in milliseconds.
type (
	harEntry struct {
		Started  string      `json:"startedDateTime"`
		Time     float64     `json:"time"`
		Request  harRequest  `json:"request"`
		Response harResponse `json:"response"`
		Cache    struct{}    `json:"cache"`
		Timings  harTimings  `json:"timings"`
		Comment  string      `json:"comment,omitempty"`
	}
	harRequest struct {
		Method      string    `json:"method"`
		URL         string    `json:"url"`
		Version     string    `json:"httpVersion"`
		Cookies     []harPair `json:"cookies"`
		Headers     []harPair `json:"headers"`
		Query       []harPair `json:"queryString"`
		Post        *harPost  `json:"postData,omitempty"`
		HeadersSize int       `json:"headersSize"`
		BodySize    int       `json:"bodySize"`
	}
	harResponse struct {
		Status      int        `json:"status"`
		StatusText  string     `json:"statusText"`
		Version     string     `json:"httpVersion"`
		Cookies     []harPair  `json:"cookies"`
		Headers     []harPair  `json:"headers"`
		Content     harContent `json:"content"`
		Redirect    string     `json:"redirectURL"`
		HeadersSize int        `json:"headersSize"`
		BodySize    int        `json:"bodySize"`
		Comment     string     `json:"comment,omitempty"`
	}
	harPost struct {
		MimeType string    `json:"mimeType"`
		Params   []harPair `json:"params"`
		Text     string    `json:"text"`
	}
	harContent struct {
		Size     int    `json:"size"`
		MimeType string `json:"mimeType"`
		Text     string `json:"text,omitempty"`
		Encoding string `json:"encoding,omitempty"`
		Comment  string `json:"comment,omitempty"`
	}
	harTimings struct {
		Send    float64 `json:"send"`
		Wait    float64 `json:"wait"`
		Receive float64 `json:"receive"`
	}
	harPair struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
)

// exportHAR writes the HTTP exchanges behind some messages. What did not go over HTTP has no place in this format; a comment counts it.
func (r *recorder) exportHAR(w io.Writer, entries []*traced, creator Implementation) error {
	var order []*wire.Exchange
	messages := map[*wire.Exchange][]*traced{}
	left := 0
	for _, e := range entries {
		if e.http == nil || e.http.Head().Sent.IsZero() {
			left++
			continue
		}
		if messages[e.http] == nil {
			order = append(order, e.http)
		}
		messages[e.http] = append(messages[e.http], e)
	}
	slices.SortStableFunc(order, func(a, b *wire.Exchange) int { return a.Head().Sent.Compare(b.Head().Sent) })
	comment := "Secrets are replaced by ***. A body is put together from the messages that it held."
	if left > 0 {
		comment += fmt.Sprintf(" %d messages and lines of processes that did not go over HTTP are not in it; an export as JSON lines has them.", left)
	}
	intro, err := json.Marshal(map[string]any{"name": firstOf(creator.Title, creator.Name), "version": creator.Version})
	if err != nil {
		return writing(err)
	}
	note, err := json.Marshal(comment)
	if err != nil {
		return writing(err)
	}
	// Entry by entry: a trace may be larger than the memory.
	if _, err := fmt.Fprintf(w, `{"log":{"version":"1.2","creator":%s,"pages":[],"comment":%s,"entries":[`, intro, note); err != nil {
		return writing(err)
	}
	for i, exchange := range order {
		entry, err := json.Marshal(r.harEntry(exchange.Head(), messages[exchange]))
		if err != nil {
			return writing(err)
		}
		if i > 0 {
			entry = append([]byte(",\n"), entry...)
		}
		if _, err := w.Write(entry); err != nil {
			return writing(err)
		}
	}
	if _, err := io.WriteString(w, "]}}\n"); err != nil {
		return writing(err)
	}
	return nil
}

func (r *recorder) harEntry(head wire.Head, messages []*traced) harEntry {
	version := head.Proto
	if version == "" {
		version = "HTTP/1.1"
	}
	entry := harEntry{
		Started: head.Sent.Format(time.RFC3339Nano),
		Request: harRequest{
			Method: head.Method, URL: head.URL, Version: version, Cookies: []harPair{}, Headers: harHeaders(head.RequestHeader),
			Query: harQuery(head.URL), HeadersSize: -1,
		},
		Response: harResponse{
			Status: head.Status, StatusText: http.StatusText(head.Status), Version: version, Cookies: []harPair{},
			Headers: harHeaders(head.ResponseHeader), Redirect: head.ResponseHeader.Get("Location"), HeadersSize: -1, BodySize: -1, Comment: head.Error,
		},
		Timings: harTimings{Wait: milliseconds(head.Wait)},
	}
	if head.Times > 1 {
		entry.Comment = fmt.Sprintf("Sent %d times; the last one is shown.", head.Times)
	}
	answer := &entry.Response.Content
	answer.MimeType = head.ResponseHeader.Get("Content-Type")
	events := mediaType(answer.MimeType) == "text/event-stream"
	var text []byte
	end := head.Sent.Add(head.Wait)
	for _, e := range messages {
		body, kept := r.exported(e)
		if !kept {
			answer.Comment = "A large body is no longer kept."
		}
		switch {
		case e.Dir == Out:
			entry.Request.Post = &harPost{MimeType: head.RequestHeader.Get("Content-Type"), Params: []harPair{}, Text: string(body)}
			entry.Request.BodySize = e.Bytes
		case events:
			text = append(append(append(text, "data: "...), body...), "\n\n"...)
			answer.Size += e.Bytes
		default:
			text = append(text, body...)
			answer.Size += e.Bytes
		}
		if e.Dir == In && e.Time.After(end) {
			end = e.Time
		}
	}
	answer.Text, answer.Encoding = textOf(text)
	entry.Timings.Receive = milliseconds(end.Sub(head.Sent.Add(head.Wait)))
	entry.Time = entry.Timings.Wait + entry.Timings.Receive
	return entry
}

func harHeaders(header http.Header) []harPair {
	pairs := []harPair{}
	for name, values := range header {
		for _, value := range values {
			pairs = append(pairs, harPair{name, value})
		}
	}
	slices.SortFunc(pairs, func(a, b harPair) int { return strings.Compare(a.Name, b.Name) })
	return pairs
}

func harQuery(address string) []harPair {
	pairs := []harPair{}
	u, err := url.Parse(address)
	if err != nil {
		return pairs
	}
	for name, values := range u.Query() {
		for _, value := range values {
			pairs = append(pairs, harPair{name, value})
		}
	}
	slices.SortFunc(pairs, func(a, b harPair) int { return strings.Compare(a.Name, b.Name) })
	return pairs
}
