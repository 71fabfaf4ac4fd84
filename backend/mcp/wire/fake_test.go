package wire

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// server is a stdio server of the legacy era, written by hand so that every byte of it can be wrong.
type server struct {
	out    *bufio.Writer
	answer func(id, method string, params json.RawMessage) (raw string, ok bool) // overrides a good answer
	write  func(raw string)                                                      // overrides one line per message
	onEOF  func()
}

func (s *server) send(raw string) {
	if s.write != nil {
		s.write(raw)
		return
	}
	s.out.WriteString(raw + "\n")
	s.out.Flush()
}

func (s *server) run() {
	s.out = bufio.NewWriterSize(os.Stdout, 1<<20)
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			if s.onEOF != nil {
				s.onEOF()
			}
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
		}
		if json.Unmarshal(line, &m) != nil || m.ID == nil || m.Method == "" {
			continue
		}
		if s.answer != nil {
			if raw, ok := s.answer(string(m.ID), m.Method, m.Params); ok {
				if raw != "" {
					s.send(raw)
				}
				continue
			}
		}
		s.send(good(string(m.ID), m.Method))
	}
}

// good is what a correct server answers.
func good(id, method string) string {
	switch method {
	case "initialize":
		return `{"jsonrpc":"2.0","id":` + id + `,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"fake","version":"1"}}}`
	case "tools/list":
		return `{"jsonrpc":"2.0","id":` + id + `,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}}`
	case "tools/call":
		return `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"done"}]}}`
	case "ping":
		return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}`
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32601,"message":"no such method"}}`
}

// bigText and bigObjects are answers of 10 MB: one text full of escapes, and 200,000 small objects.
func bigText(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"` + strings.Repeat(`a line of text with \"quotes\"\n`, 10<<20/34) + `"}]}}`
}

func bigObjects(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[],"structuredContent":{"rows":[{}` + strings.Repeat(`,{"name":"abcdefghijklmnopqrstuvwxyz","value":123456}`, 200_000) + `]}}}`
}

// on answers one method with a text in which ID stands for the id.
func on(method, raw string) func(id, m string, params json.RawMessage) (string, bool) {
	return func(id, m string, _ json.RawMessage) (string, bool) {
		return strings.ReplaceAll(raw, "ID", id), m == method
	}
}

// do runs something when a method arrives and answers nothing.
func do(method string, f func()) func(id, m string, params json.RawMessage) (string, bool) {
	return func(_, m string, _ json.RawMessage) (string, bool) {
		if m == method {
			f()
		}
		return "", m == method
	}
}

func forever() {
	for {
		time.Sleep(time.Hour)
	}
}

// grandchild starts a process that outlives this one unless its group is ended. It prints its pid to stderr.
func grandchild(holdStdout bool) {
	cmd := exec.Command("sleep", "300")
	if holdStdout {
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	fmt.Fprintln(os.Stderr, "grandchild", cmd.Process.Pid)
}

const greeting = `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"done"}]}}`

// fake is the process that a mode stands for.
func fake(mode string) {
	s := &server{}
	fmt.Fprintln(os.Stderr, "pid", os.Getpid())
	raw := func(text string) { s.out.WriteString(text); s.out.Flush() }
	switch mode {
	case "digits":
		if err := digitServer().Run(context.Background(), &sdk.StdioTransport{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		return
	case "good":

	// How messages are framed.
	case "banner":
		fmt.Println("Fake server 1.0\n[ready] {port: 1}")
	case "banner without line end":
		fmt.Print("ready> ")
	case "log lines":
		s.write = func(text string) { raw(`{"level":"info","msg":"x"}` + "\n" + text + "\n") }
	case "bom first":
		fmt.Print("\xef\xbb\xbf")
	case "bom on each":
		s.write = func(text string) { raw("\xef\xbb\xbf" + text + "\n") }
	case "trailing blank":
		s.write = func(text string) { raw(text + " \n") }
	case "leading blank":
		s.write = func(text string) { raw("  " + text + "\n") }
	case "two on a line":
		s.write = func(text string) { raw(`{"jsonrpc":"2.0","method":"notifications/x"}` + text + "\n") }
	case "pretty-printed":
		s.write = func(text string) {
			var b bytes.Buffer
			json.Indent(&b, []byte(text), "", "  ")
			raw(b.String() + "\n")
		}
	case "crlf":
		s.write = func(text string) { raw(text + "\r\n") }
	case "content-length":
		s.write = func(text string) { raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text)) }
	case "seven bytes":
		s.write = func(text string) {
			for text += "\n"; text != ""; {
				n := min(7, len(text))
				raw(text[:n])
				text = text[n:]
				time.Sleep(time.Millisecond)
			}
		}
	case "no line end":
		s.write = raw
	case "batches":
		s.write = func(text string) { raw(`[{"jsonrpc":"2.0","method":"notifications/x"},` + text + "]\n") }
	case "invalid utf-8":
		s.answer = on("tools/call", "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\xff\xfe\"}]}}")
	case "20 MB":
		s.answer = on("tools/call", `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"`+strings.Repeat(`line\n`, 4<<20)+`"}]}}`)
	case "10 MB text":
		s.answer = on("tools/call", bigText("ID"))
	case "10 MB objects":
		s.answer = on("tools/call", bigObjects("ID"))
	case "line end within a string":
		s.answer = once("tools/call", "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\nb\"}]}}")
	case "broken off":
		s.answer = once("tools/call", `{"jsonrpc":"2.0","id":ID,"result":{"content":[`+"\n"+`{"jsonrpc":"2.0","method":"notifications/x"}`)
	case "broken json":
		s.answer = once("tools/call", `{"jsonrpc":"2.0","id":ID,"result":{"content":[}}}`)

	// What messages say.
	case "string ids":
		s.answer = func(id, m string, _ json.RawMessage) (string, bool) { return good(`"`+id+`"`, m), true }
	case "ids with a fraction":
		s.answer = func(id, m string, _ json.RawMessage) (string, bool) { return good(id+".0", m), true }
	case "no version":
		s.answer = func(id, m string, _ json.RawMessage) (string, bool) {
			return strings.Replace(good(id, m), `"jsonrpc":"2.0",`, "", 1), true
		}
	case "upper case keys":
		s.answer = func(id, m string, _ json.RawMessage) (string, bool) {
			return strings.NewReplacer(`"jsonrpc"`, `"JSONRPC"`, `"id"`, `"ID"`, `"result"`, `"Result"`, `"error"`, `"Error"`).Replace(good(id, m)), true
		}
	case "nulls":
		s.answer = func(id, m string, _ json.RawMessage) (string, bool) {
			return strings.Replace(good(id, m), `"jsonrpc":"2.0",`, `"jsonrpc":"2.0","method":null,"params":null,`, 1), true
		}
	case "every answer twice":
		s.answer = func(id, m string, _ json.RawMessage) (string, bool) { return good(id, m) + "\n" + good(id, m), true }
	case "an unknown id":
		s.answer = func(id, m string, _ json.RawMessage) (string, bool) {
			return good("4711", m) + "\n" + good(id, m), true
		}
	case "error with id null":
		s.answer = once("tools/call", `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}`)
	case "error as text":
		s.answer = once("tools/call", `{"jsonrpc":"2.0","id":ID,"error":"no"}`)
	case "error code as text":
		s.answer = once("tools/call", `{"jsonrpc":"2.0","id":ID,"error":{"code":"-7","message":"no"}}`)
	case "no result":
		s.answer = once("tools/call", `{"jsonrpc":"2.0","id":ID}`)
	case "unknown content":
		s.answer = on("tools/call", `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"video"}]}}`)
	case "deep":
		s.answer = on("tools/call", `{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":`+strings.Repeat(`{"a":`, 3000)+`1`+strings.Repeat(`}`, 3000)+`}}`)
	case "a bad tool":
		s.answer = on("tools/list", `{"jsonrpc":"2.0","id":ID,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}},{"name":7}]}}`)

	// How the era is told.
	case "silent on discover":
		s.answer = do("server/discover", func() {})
	case "silent":
		s.answer = func(string, string, json.RawMessage) (string, bool) { return "", true }
	case "exits on discover":
		s.answer = do("server/discover", func() { os.Exit(5) })
	case "closes stdout on discover":
		s.answer = do("server/discover", func() { os.Stdout.Close(); forever() })
	case "stuck after discover":
		fmt.Fprintln(os.Stderr, "up")
		s.answer = do("server/discover", forever)
	case "nonsense on discover":
		s.answer = on("server/discover", "Error: unknown method server/discover")
	case "id null on discover":
		s.answer = on("server/discover", `{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}`)
	case "late on discover":
		late := ""
		s.answer = func(id, m string, _ json.RawMessage) (string, bool) {
			switch m {
			case "server/discover":
				late = good(id, m)
				return "", true
			case "initialize":
				return late + "\n" + good(id, m), true
			}
			return "", false
		}

	// How processes end.
	case "exits at start":
		fmt.Fprintln(os.Stderr, "cannot find my configuration")
		os.Exit(3)
	case "exits after discover, always":
		s.answer = func(_, m string, _ json.RawMessage) (string, bool) {
			fmt.Fprintln(os.Stderr, "refused", m)
			os.Exit(6)
			return "", true
		}
	case "exits in a call":
		s.answer = do("tools/call", func() { fmt.Fprintln(os.Stderr, "out of cheese"); os.Exit(4) })
	case "killed in a call":
		s.answer = do("tools/call", func() { killSelf(); forever() })
	case "closes stdout in a call":
		s.answer = do("tools/call", func() { os.Stdout.Close(); forever() })
	case "exits while a grandchild holds stdout":
		s.answer = do("tools/call", func() { grandchild(true); os.Exit(4) })
	case "exits while a detached one holds stdout":
		s.answer = do("tools/call", func() {
			cmd := exec.Command("sleep", "4")
			cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
			detach(cmd)
			if cmd.Start() != nil {
				os.Exit(9)
			}
			os.Exit(4)
		})
	case "grandchild":
		grandchild(false)
	case "grandchild ignores TERM and EOF":
		cmd := exec.Command("sh", "-c", "trap '' TERM; echo grandchild $$ >&2; while :; do sleep 1; done")
		cmd.Stderr = os.Stderr
		if cmd.Start() != nil {
			os.Exit(9)
		}
	case "ignores EOF":
		s.onEOF = forever
	case "ignores TERM and EOF":
		ignoreTerm()
		s.onEOF = forever
	case "stops reading":
		s.answer = do("tools/call", forever)
	case "floods stderr":
		for range 100_000 {
			fmt.Fprintln(os.Stderr, strings.Repeat("x", 100))
		}
		fmt.Fprintln(os.Stderr, strings.Repeat("y", 100_000)+"\nlast line")
	case "owner": // a program that is killed without having closed its wire
		w := New(Config{Observer: Observer{Record: func(r Record) {
			if r.Dir == Stderr {
				fmt.Println(string(r.Raw))
			}
		}}})
		if _, err := client().Connect(context.Background(), w.Stdio(self("grandchild ignores TERM and EOF")), nil); err != nil {
			fmt.Println(err)
		}
		forever()
	case "asks":
		s.answer = func(id, m string, _ json.RawMessage) (string, bool) {
			if m != "tools/call" {
				return "", false
			}
			return `{"jsonrpc":"2.0","id":"q1","method":"elicitation/create","params":{"message":"Who?","requestedSchema":{"type":"object","properties":{"id":{"type":"string","format":"uuid"},` +
				`"deep":{"type":"object"},"n":{"const":9007199254740993}}},"_meta":{"k":1}}}` + "\n" + strings.ReplaceAll(greeting, "ID", id), true
		}
	default:
		fmt.Fprintln(os.Stderr, "unknown mode", mode)
		os.Exit(2)
	}
	s.run()
}

// once answers the first request of a method with a text, later ones well.
func once(method, raw string) func(id, m string, params json.RawMessage) (string, bool) {
	done := false
	return func(id, m string, _ json.RawMessage) (string, bool) {
		if m != method || done {
			return "", false
		}
		done = true
		return strings.ReplaceAll(raw, "ID", id), true
	}
}
