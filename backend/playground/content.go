package playground

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type contentInput struct {
	Kinds []string `json:"kinds"`
}

func (p *Playground) showContent(_ context.Context, _ *mcp.CallToolRequest, in contentInput) (*mcp.CallToolResult, error) {
	picture, err := picture()
	if err != nil {
		return nil, fmt.Errorf("drawing the picture: %w", err)
	}
	available := []struct {
		kind    string
		content mcp.Content
	}{
		{"text", &mcp.TextContent{
			Text:        "This text is meant for you alone, and it matters most.",
			Annotations: &mcp.Annotations{Audience: []mcp.Role{"user"}, Priority: 1},
		}},
		{"image", &mcp.ImageContent{
			Data: picture, MIMEType: "image/png",
			Annotations: &mcp.Annotations{Audience: []mcp.Role{"user"}, Priority: 0.7},
		}},
		{"audio", &mcp.AudioContent{
			Data: tone(), MIMEType: "audio/wav",
			Annotations: &mcp.Annotations{Audience: []mcp.Role{"user", "assistant"}, Priority: 0.3},
		}},
		{"resource_link", &mcp.ResourceLink{
			URI: aboutURI, Name: "about", Title: "About the Playground", MIMEType: "text/markdown",
			Description: "A resource that you can read", Annotations: &mcp.Annotations{Audience: []mcp.Role{"assistant"}, Priority: 0.5},
		}},
		{"text_resource", &mcp.EmbeddedResource{
			Resource: &mcp.ResourceContents{
				URI: "playground://files/table.csv", MIMEType: "text/csv", Text: "plug,line\n1,Berlin\n2,Lisbon\n3,Osaka\n",
			},
			Annotations: &mcp.Annotations{Audience: []mcp.Role{"user"}, Priority: 0.4},
		}},
		{"blob_resource", &mcp.EmbeddedResource{
			Resource: &mcp.ResourceContents{
				URI: "playground://files/bytes.bin", MIMEType: "application/octet-stream", Blob: []byte{0, 1, 2, 0xfd, 0xfe, 0xff},
			},
		}},
	}
	var content []mcp.Content
	kinds := []string{}
	for _, a := range available {
		if in.Kinds == nil || slices.Contains(in.Kinds, a.kind) {
			content, kinds = append(content, a.content), append(kinds, a.kind)
		}
	}
	return structured(map[string]any{
		"kinds":      kinds,
		"bigInteger": json.Number("9007199254740993"), // 2^53 + 1: lost by a client that reads numbers as float64
		"ratio":      0.1,
		"nothing":    nil,
		"nested": map[string]any{
			"flags":  map[string]bool{"on": true, "off": false},
			"points": []map[string]float64{{"x": 0, "y": 1.5}, {"x": -2, "y": 3e10}},
		},
	}, content...)
}

// picture draws a jack field: rows of sockets, one of them plugged.
func picture() ([]byte, error) {
	const columns, rows, cell = 8, 5, 24
	img := image.NewNRGBA(image.Rect(0, 0, columns*cell, rows*cell))
	for y := range rows * cell {
		for x := range columns * cell {
			dx, dy := x%cell-cell/2, y%cell-cell/2
			shade := color.NRGBA{R: 0x5a, G: 0x3c, B: 0x22, A: 0xff}
			switch d := dx*dx + dy*dy; {
			case d < 16:
				shade = color.NRGBA{R: 0x14, G: 0x10, B: 0x0c, A: 0xff}
				if x/cell == 5 && y/cell == 2 {
					shade = color.NRGBA{R: 0xe0, G: 0x40, B: 0x30, A: 0xff}
				}
			case d < 64:
				shade = color.NRGBA{R: 0xd8, G: 0xb0, B: 0x58, A: 0xff}
			}
			img.SetNRGBA(x, y, shade)
		}
	}
	var out bytes.Buffer
	err := png.Encode(&out, img)
	return out.Bytes(), err
}

// tone is half a second of 440 Hz, fading, as a WAV file: 8 bits, mono, 8000 samples a second.
func tone() []byte {
	const rate, samples = 8000, 4000
	var out bytes.Buffer
	out.WriteString("RIFF")
	out.Write(binary.LittleEndian.AppendUint32(nil, 36+samples))
	out.WriteString("WAVEfmt ")
	header := binary.LittleEndian.AppendUint32(nil, 16)  // bytes of the format
	header = binary.LittleEndian.AppendUint16(header, 1) // PCM
	header = binary.LittleEndian.AppendUint16(header, 1) // channels
	header = binary.LittleEndian.AppendUint32(header, rate)
	header = binary.LittleEndian.AppendUint32(header, rate) // bytes a second
	header = binary.LittleEndian.AppendUint16(header, 1)    // bytes a frame
	header = binary.LittleEndian.AppendUint16(header, 8)    // bits a sample
	out.Write(header)
	out.WriteString("data")
	out.Write(binary.LittleEndian.AppendUint32(nil, samples))
	for i := range samples {
		fade := 1 - float64(i)/samples
		out.WriteByte(byte(128 + 100*fade*math.Sin(2*math.Pi*440*float64(i)/rate)))
	}
	return out.Bytes()
}
