package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// clientCapabilities is what a connection says that this client can do. Roots are named only where a person chose some, and sampling only
// where a person can answer: a server that hears of a capability uses it, and would wait for nothing.
func clientCapabilities(modes []AskMode, roots []string) *sdk.ClientCapabilities {
	// Never nil: go-sdk would advertise roots then.
	c := &sdk.ClientCapabilities{Elicitation: elicitationCapability(modes)}
	if len(roots) > 0 {
		//lint:ignore SA1019 servers go on asking for roots: the feature is deprecated by SEP-2577, not gone
		c.RootsV2 = &sdk.RootCapabilities{ListChanged: true}
	}
	if slices.Contains(modes, AskSampling) {
		//lint:ignore SA1019 servers go on sampling: the feature is deprecated by SEP-2577, not gone
		c.Sampling = &sdk.SamplingCapabilities{}
	}
	return c
}

// elicitationCapability is what the client says about the modes it can ask in; nil for none.
func elicitationCapability(modes []AskMode) *sdk.ElicitationCapabilities {
	if !slices.Contains(modes, AskForm) && !slices.Contains(modes, AskURL) {
		return nil
	}
	c := &sdk.ElicitationCapabilities{}
	for _, mode := range modes {
		switch mode {
		case AskForm:
			c.Form = &sdk.FormElicitationCapabilities{}
		case AskURL:
			c.URL = &sdk.URLElicitationCapabilities{}
		}
	}
	return c
}

// capabilityNames flattens the server's capabilities into sorted names.
func capabilityNames(c *sdk.ServerCapabilities) []string {
	var names []string
	add := func(there bool, name string) {
		if there {
			names = append(names, name)
		}
	}
	add(c.Completions != nil, "completions")
	//lint:ignore SA1019 servers go on sending logs: the feature is deprecated by SEP-2577, not gone
	add(c.Logging != nil, "logging")
	add(c.Prompts != nil, "prompts")
	add(c.Prompts != nil && c.Prompts.ListChanged, "prompts.listChanged")
	add(c.Resources != nil, "resources")
	add(c.Resources != nil && c.Resources.ListChanged, "resources.listChanged")
	add(c.Resources != nil && c.Resources.Subscribe, "resources.subscribe")
	add(c.Tools != nil, "tools")
	add(c.Tools != nil && c.Tools.ListChanged, "tools.listChanged")
	for _, name := range slices.Sorted(maps.Keys(c.Experimental)) {
		names = append(names, "experimental."+name)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Extensions)) {
		names = append(names, "extensions."+name)
	}
	return names
}

// logMessage shows the data of a log notification as text: a string as it is, everything else as JSON.
//
//lint:ignore SA1019 servers go on sending logs: the feature is deprecated by SEP-2577, not gone
func logMessage(p *sdk.LoggingMessageParams) *LogMessage {
	text, ok := p.Data.(string)
	if !ok {
		data, err := json.Marshal(p.Data)
		if err != nil {
			data = fmt.Append(nil, p.Data)
		}
		text = string(data)
	}
	return &LogMessage{Level: string(p.Level), Logger: p.Logger, Text: text}
}
