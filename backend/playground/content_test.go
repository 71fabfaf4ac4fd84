package playground

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestShowContentHasEveryKindAndKeepsEveryDigit(t *testing.T) {
	everywhere(t, func(t *testing.T, transport, version string) {
		c := connect(t, openPlayground(t, t.TempDir()), transport, version, nil, nil)
		result := c.call("show_content", nil)
		if result.IsError {
			t.Fatal(text(t, result))
		}
		kinds := map[string]int{}
		for _, content := range result.Content {
			switch content := content.(type) {
			case *mcp.TextContent:
				kinds["text"]++
			case *mcp.ImageContent:
				kinds["image"]++
				if _, err := png.Decode(bytes.NewReader(content.Data)); err != nil || content.MIMEType != "image/png" {
					t.Errorf("the picture: %v", err)
				}
				if content.Annotations == nil || content.Annotations.Priority == 0 || len(content.Annotations.Audience) == 0 {
					t.Error("the picture has no annotations")
				}
			case *mcp.AudioContent:
				kinds["audio"]++
				if !bytes.HasPrefix(content.Data, []byte("RIFF")) || string(content.Data[8:16]) != "WAVEfmt " || len(content.Data) != 4044 {
					t.Error("the sound is not a WAV file")
				}
			case *mcp.ResourceLink:
				kinds["link"]++
				if _, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: content.URI}); err != nil {
					t.Errorf("the link leads nowhere: %v", err)
				}
			case *mcp.EmbeddedResource:
				if content.Resource.Blob != nil {
					kinds["blob"]++
				} else {
					kinds["resource"]++
				}
			}
		}
		for _, kind := range []string{"text", "image", "audio", "link", "blob", "resource"} {
			if kinds[kind] == 0 {
				t.Errorf("no %s", kind)
			}
		}
		if !strings.Contains(c.raw.String(), `"bigInteger":9007199254740993`) {
			t.Error("the big integer lost digits")
		}
	})
}

func TestShowContentReturnsTheKindsThatWereAskedFor(t *testing.T) {
	c := connect(t, openPlayground(t, t.TempDir()), "pipe", "2026-07-28", nil, nil)
	result := c.call("show_content", map[string]any{"kinds": []string{"image"}})
	if len(result.Content) != 2 { // and the text of the structured content
		t.Errorf("%d blocks", len(result.Content))
	}
}
