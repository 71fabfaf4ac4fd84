package mcp

import "encoding/json"

// Catalog is what a server offers. Each item keeps its JSON as it came, so that unknown fields and large numbers survive.
type Catalog struct {
	ServerID  string
	Version   uint64
	Tools     []Tool
	Prompts   []Prompt
	Resources []Resource
	Templates []ResourceTemplate
}

// Tool is one entry of tools/list. Raw holds the whole entry as the server sent it.
type Tool struct {
	Name, Title, Description string
	Key                      string // unique over all servers, and safe as a function name for AI SDKs
	InputSchema              json.RawMessage
	OutputSchema             json.RawMessage // nil if none
	Annotations              Annotations
	Raw                      json.RawMessage
}

// Annotations are a tool's hints; nil means that the server did not say.
type Annotations struct {
	ReadOnly, Destructive, Idempotent, OpenWorld *bool
}

// Prompt is one entry of prompts/list.
type Prompt struct {
	Name, Title, Description string
	Arguments                []PromptArgument
	Raw                      json.RawMessage
}

// PromptArgument is an argument of a prompt. Prompt arguments are strings.
type PromptArgument struct {
	Name, Title, Description string
	Required                 bool
}

// Resource is one entry of resources/list.
type Resource struct {
	URI, Name, Title, Description, MIMEType string
	Size                                    int64 // -1 if the server did not say
	Raw                                     json.RawMessage
}

// ResourceTemplate is one entry of resources/templates/list; URITemplate is of RFC 6570.
type ResourceTemplate struct {
	URITemplate, Name, Title, Description, MIMEType string
	Raw                                             json.RawMessage
}
