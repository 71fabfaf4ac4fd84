package wire

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// lostIn reads the body of a 404 or 400, decides, and leaves the body as it was.
func lostIn(response *http.Response) (body []byte, isLost bool) {
	body = readBrief(response.Body)
	rest := response.Body
	response.Body = struct {
		io.Reader
		io.Closer
	}{bytes.NewReader(body), rest}
	response.ContentLength = int64(len(body))
	return body, sessionLost(response.StatusCode, body)
}

// sessionLost judges an answer to a request that carried a session id. 404 is what the specification says; it is a refusal, nothing has
// run. Some servers say 404 for an unknown item instead, as a JSON-RPC error that does not speak of a session. 400 with words about a
// session is a guess (the TypeScript SDK).
func sessionLost(status int, body []byte) bool {
	text := strings.ToLower(string(body[:min(len(body), 4<<10)]))
	speaks := strings.Contains(text, "session") || strings.Contains(text, "server not initialized")
	var answer struct {
		Error struct {
			Code int64 `json:"code"`
		} `json:"error"`
	}
	code := int64(0)
	if json.Unmarshal(body, &answer) == nil {
		code = answer.Error.Code
	}
	switch code {
	case jsonrpc.CodeMethodNotFound, jsonrpc.CodeInvalidParams, jsonrpc.CodeInternalError:
		// It got as far as the request itself: "session_id is missing" is about an argument.
		return false
	}
	switch status {
	case http.StatusNotFound:
		return code == 0 || code == -32001 || speaks
	case http.StatusBadRequest:
		return speaks
	}
	return false
}
