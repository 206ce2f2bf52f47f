package envelope

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema/jsontext"
)

// The integers of a failure frame (JSON-RPC 2.0 section 5.1; spec 7.1).
const (
	ParseError     = -32700
	InvalidRequest = -32600
	MethodNotFound = -32601
	InvalidParams  = -32602
	Failed         = -32000 // a call's own failure: look at error.data
)

// frame is one JSON-RPC request as it was read.
type frame struct {
	id     json.RawMessage // as it was sent, to be echoed byte for byte; nil: a notification
	method string
	params json.RawMessage // nil: none
}

// failure is why a frame is answered with an error: JSON-RPC's integer and ours.
type failure struct {
	code int
	err  *facade.Error
}

func invalidRequest(format string, args ...any) *failure {
	return &failure{InvalidRequest, facade.Errorf(facade.BadRequest, format, args...)}
}

var nullID = json.RawMessage("null")

// readFrame reads one frame of checked JSON. Where it fails, the frame holds the
// id to answer with: the one sent, or null where there is none to be read, since
// what is not a frame cannot be told to be a notification (section 5).
func readFrame(v json.RawMessage) (frame, *failure) {
	f := frame{}
	if jsontext.KindOf(v) != jsontext.Object {
		f.id = nullID
		return f, invalidRequest(`a frame is an object: send {"jsonrpc":"2.0","id":1,"method":"entity.op","params":{}}`)
	}
	var version, method json.RawMessage
	var unknown []string
	for name, value := range jsontext.Members(v) {
		switch name {
		case "jsonrpc":
			version = value
		case "id":
			f.id = value
		case "method":
			method = value
		case "params":
			f.params = value
		default:
			unknown = append(unknown, name)
		}
	}
	fail := func(format string, args ...any) (frame, *failure) {
		if f.id == nil {
			f.id = nullID
		}
		return f, invalidRequest(format, args...)
	}
	switch jsontext.KindOf(f.id) {
	case jsontext.Invalid, jsontext.String, jsontext.Number, jsontext.Null:
	default:
		f.id = nil
		return fail("the id is neither a string nor a number nor null: send one of these, or no id for a notification")
	}
	if string(version) != `"2.0"` && jsontext.Unquote(version) != "2.0" {
		return fail(`the member jsonrpc is not "2.0": send "jsonrpc":"2.0"`)
	}
	if jsontext.KindOf(method) != jsontext.String {
		return fail(`the member method is not a string: send "method":"entity.op"`)
	}
	// A misspelt params would be a call without any, so nothing unknown is let pass.
	if len(unknown) > 0 {
		return fail("a frame has no member %s: its members are jsonrpc, id, method and params", quoteAll(unknown))
	}
	f.method = jsontext.Unquote(method)
	return f, nil
}

// appendResult appends the success frame up to its result, which write appends.
func appendResult(dst []byte, id json.RawMessage, write func([]byte) []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	dst = append(dst, `,"result":`...)
	return append(write(dst), '}')
}

// appendFailure appends the failure frame (spec 2.6, 7.1).
func appendFailure(dst []byte, id json.RawMessage, f *failure) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	dst = fmt.Appendf(dst, `,"error":{"code":%d,"message":`, f.code)
	dst = jsontext.AppendString(dst, f.err.Message)
	dst = append(dst, `,"data":`...)
	dst = f.err.AppendJSON(dst)
	return append(dst, "}}"...)
}

// quoteAll names members in a message, ten at most.
func quoteAll(names []string) string {
	const most = 10
	var b strings.Builder
	for i, n := range names {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(names)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.Write(jsontext.Quote(n))
	}
	return b.String()
}
