package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// fakeServer is a stdio server that misbehaves as its argument says. It writes its frames by hand, since no library would
// write most of them.
func fakeServer() int {
	mode := ""
	if len(os.Args) > 1 {
		mode = os.Args[1]
	}
	f := &fake{mode: mode, in: bufio.NewReaderSize(os.Stdin, 1<<20)}
	return f.serve()
}

type fake struct {
	mode string
	in   *bufio.Reader
}

type fakeRequest struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Cursor    string          `json:"cursor"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

const (
	goodTool  = `{"name":"good","description":"works","inputSchema":{"type":"object","properties":{"text":{"type":"string"},"n":{"type":"integer"}}}}`
	otherTool = `{"name":"other","inputSchema":{"type":"object"}}`
)

func (f *fake) serve() int {
	switch f.mode {
	case "exit":
		fmt.Fprintln(os.Stderr, "cannot read the configuration\x1b[2J")
		return 3
	case "mute":
		time.Sleep(time.Hour)
	case "banner":
		fmt.Println("Server is starting ...")
	case "bom":
		fmt.Print("\ufeff")
	}
	for {
		line, err := f.in.ReadString('\n')
		if err != nil {
			return 0
		}
		var request fakeRequest
		if err := json.Unmarshal([]byte(line), &request); err != nil {
			fmt.Fprintln(os.Stderr, "not JSON:", err)
			return 9
		}
		if request.Method == "" || request.ID == nil {
			if request.Method == "notifications/cancelled" && f.mode == "deaf" {
				fmt.Fprintln(os.Stderr, "was cancelled")
			}
			continue
		}
		if code := f.answer(request); code >= 0 {
			return code
		}
	}
}

func (f *fake) send(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func (f *fake) result(request fakeRequest, result string) {
	f.send(`{"jsonrpc":"2.0","id":%s,"result":%s}`, request.ID, result)
}

func (f *fake) error(request fakeRequest, code int, message string) {
	f.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, request.ID, code, message)
}

// answer returns an exit status, or -1 to go on.
func (f *fake) answer(request fakeRequest) int {
	switch request.Method {
	case "initialize":
		switch f.mode {
		case "nonsense":
			f.result(request, `"hello"`)
			return -1
		case "silent":
			return -1
		case "version":
			f.result(request, `{"protocolVersion":"1999-01-01","capabilities":{"tools":{}},"serverInfo":{"name":"fake","version":"1"}}`)
			return -1
		}
		f.result(request, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"fake","version":"1"}}`)
	case "tools/list":
		f.list(request)
	case "tools/call":
		return f.call(request)
	default:
		f.error(request, -32601, "method not found")
	}
	return -1
}

func (f *fake) list(request fakeRequest) {
	switch f.mode {
	case "lists":
		f.result(request, `{"tools":"none"}`)
		return
	case "malformed":
		f.result(request, `{"tools":[`+goodTool+`,{"name":42,"inputSchema":{"type":"object"}},`+otherTool+`]}`)
		return
	case "schemaless":
		f.result(request, `{"tools":[`+goodTool+`,{"name":"bare"}]}`)
		return
	case "twins":
		f.result(request, `{"tools":[`+goodTool+`,`+goodTool+`]}`)
		return
	case "cursor":
		f.result(request, `{"tools":[`+goodTool+`],"nextCursor":"again"}`)
		return
	case "pages":
		if request.Params.Cursor == "" {
			f.result(request, `{"tools":[`+goodTool+`],"nextCursor":"2"}`)
			return
		}
		f.result(request, `{"tools":[`+otherTool+`]}`)
		return
	case "steering":
		f.result(request, `{"tools":[{"name":"good","description":"\u001b[31mred \u202e gnol","inputSchema":{"type":"object"}}]}`)
		return
	case "late":
		f.result(request, `{"tools":[]}`)
		f.mode = "late again"
		go func() {
			time.Sleep(300 * time.Millisecond)
			f.send(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		}()
		return
	case "stuck list":
		return
	}
	f.result(request, `{"tools":[`+goodTool+`,`+otherTool+`]}`)
}

func (f *fake) call(request fakeRequest) int {
	switch f.mode {
	case "die":
		fmt.Fprintln(os.Stderr, "out of memory")
		return 7
	case "deaf":
		return -1
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Hour)
	case "big":
		f.result(request, `{"content":[{"type":"text","text":"`+strings.Repeat("x", 20<<20)+`"}]}`)
	case "video":
		f.result(request, `{"content":[{"type":"video","url":"https://example.com/v"},{"type":"text","text":"after"}]}`)
	case "digits":
		f.result(request, `{"content":[],"structuredContent":{"id":9007199254740993,"ratio":1.10}}`)
	case "nonresult":
		f.result(request, `"text"`)
	case "empty":
		f.result(request, `{"content":[]}`)
	case "refuse":
		f.error(request, -32602, "the argument text is missing")
	case "progress":
		for i := range 3 {
			f.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"x","progress":%d,"total":3}}`, i)
		}
		f.result(request, `{"content":[{"type":"text","text":"done"}]}`)
	case "env":
		dir, err := os.Getwd()
		if err != nil {
			return 9
		}
		text, err := json.Marshal(fmt.Sprintf("dir=%s args=%q env=%s", dir, os.Args[2:], os.Getenv("FAKE")))
		if err != nil {
			return 9
		}
		f.result(request, `{"content":[{"type":"text","text":`+string(text)+`}]}`)
	case "ask", "askurl", "sample":
		params := `{"message":"Who are you?","requestedSchema":{"type":"object","properties":{` +
			`"name":{"type":"string","title":"Your name","minLength":2},"age":{"type":"integer","minimum":0,"default":30},` +
			`"colour":{"type":"string","enum":["r","g","b"],"enumNames":["red","green","blue"]},"ok":{"type":"boolean"}},` +
			`"required":["name","colour"]}}`
		if f.mode == "askurl" {
			params = `{"mode":"url","message":"Sign in there","url":"https://example.com/signin?x=1","elicitationId":"e1"}`
		}
		method := "elicitation/create"
		if f.mode == "sample" {
			method, params = "sampling/createMessage", `{"messages":[{"role":"user","content":{"type":"text","text":"Sum it up"}}],"maxTokens":5}`
		}
		f.send(`{"jsonrpc":"2.0","id":"ask-1","method":"%s","params":%s}`, method, params)
		line, err := f.in.ReadString('\n')
		if err != nil {
			return 9
		}
		var answer fakeRequest
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			return 9
		}
		text, err := json.Marshal("answer: " + string(answer.Result) + string(answer.Error))
		if err != nil {
			return 9
		}
		f.result(request, `{"content":[{"type":"text","text":`+string(text)+`}]}`)
	default:
		text, err := json.Marshal("arguments: " + string(request.Params.Arguments))
		if err != nil {
			return 9
		}
		f.result(request, `{"content":[{"type":"text","text":`+string(text)+`}]}`)
	}
	return -1
}
