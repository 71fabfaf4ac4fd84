package wire

import (
	"bytes"
	"math"
	"math/big"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxSafe is the greatest integer that survives go-sdk's decoding of ids through float64.
const maxSafe = 1<<53 - 1

// canonical brings a JSON-RPC id into the form that the pending map is keyed by: an integer in decimal ("4" also for 4.0
// and 4e0), a string with its quotes. "" for everything that cannot be an id of ours.
func canonical(id []byte) string {
	id = bytes.TrimSpace(id)
	if len(id) == 0 {
		return ""
	}
	if id[0] == '"' {
		text, ok := stringOf(id)
		if !ok {
			return ""
		}
		return strconv.Quote(text)
	}
	if n, err := strconv.ParseInt(string(id), 10, 64); err == nil {
		return strconv.FormatInt(n, 10)
	}
	f, err := strconv.ParseFloat(string(id), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > maxSafe {
		return ""
	}
	return strconv.FormatInt(int64(f), 10)
}

// unquoted turns the canonical form of a string id that reads as an integer into that of the integer, else "".
func unquoted(canonicalID string) string {
	text, err := strconv.Unquote(canonicalID)
	if err != nil || canonicalID == "" || canonicalID[0] != '"' {
		return ""
	}
	return canonical([]byte(text))
}

// plainID reports whether go-sdk gives an id back exactly as it came: a string, or an integer of at most 53 bits.
func plainID(id []byte) bool {
	if len(id) > 0 && id[0] == '"' {
		_, ok := stringOf(id)
		return ok
	}
	n, ok := new(big.Int).SetString(string(id), 10)
	return ok && n.IsInt64() && n.Int64() >= -maxSafe && n.Int64() <= maxSafe && n.String() == string(id)
}

// sdkID makes go-sdk's id from ours.
func sdkID(canonicalID string) (jsonrpc.ID, error) {
	if text, err := strconv.Unquote(canonicalID); err == nil && canonicalID[0] == '"' {
		return jsonrpc.MakeID(text)
	}
	f, err := strconv.ParseFloat(canonicalID, 64)
	if err != nil {
		return jsonrpc.ID{}, err
	}
	return jsonrpc.MakeID(f)
}
