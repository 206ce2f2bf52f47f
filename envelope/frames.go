package envelope

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// requestFrame is one request frame as it was read.
type requestFrame struct {
	ID     json.RawMessage // as it was sent, to be echoed byte for byte; nil: a notification
	Method string
	Params json.RawMessage // nil: absent
}

// nullID is the id of an answer to a request without one.
var nullID = json.RawMessage("null")

// failure is the error of a failure frame: JSON-RPC's integer and the KitError.
type failure struct {
	Code int
	Err  *kiterror.Error // its message is the frame's, all of it is error.data
}

// invalid is a BAD_REQUEST under [InvalidRequest].
func invalid(format string, args ...any) *failure {
	return &failure{InvalidRequest, kiterror.Errorf(kiterror.BadRequest, format, args...)}
}

// AppendRequest appends a request frame. params appends its params, or is nil.
func AppendRequest(dst []byte, id int64, method string, params func([]byte) []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = strconv.AppendInt(dst, id, 10)
	dst = append(dst, `,"method":`...)
	dst = jsontext.AppendString(dst, method)
	if params != nil {
		dst = params(append(dst, `,"params":`...))
	}
	return append(dst, '}')
}

// readRequest reads one request frame of checked JSON. On failure the ID of the request is the
// one to answer with: the id in the frame, or null if that cannot be read, since an invalid
// frame is not known to be a notification (JSON-RPC 2.0 section 5).
func readRequest(v json.RawMessage) (requestFrame, *failure) {
	r := requestFrame{}
	if jsontext.KindOf(v) != jsontext.Object {
		r.ID = nullID
		return r, invalid(`a frame is an object: send {"jsonrpc":"2.0","id":1,"method":"entity.op","params":{}}`)
	}
	var version, method json.RawMessage
	var unknown []string
	for name, value := range jsontext.Members(v) {
		switch name {
		case "jsonrpc":
			version = value
		case "id":
			r.ID = value
		case "method":
			method = value
		case "params":
			r.Params = value
		default:
			unknown = append(unknown, name)
		}
	}
	fail := func(format string, args ...any) (requestFrame, *failure) {
		if r.ID == nil {
			r.ID = nullID
		}
		return r, invalid(format, args...)
	}
	switch jsontext.KindOf(r.ID) {
	case jsontext.Invalid, jsontext.String, jsontext.Number, jsontext.Null:
	default:
		r.ID = nil
		return fail("the id is neither a string nor a number nor null: send one of these, or no id for a notification")
	}
	if string(version) != `"2.0"` && jsontext.Unquote(version) != "2.0" {
		return fail(`the member jsonrpc is not "2.0": send "jsonrpc":"2.0"`)
	}
	if jsontext.KindOf(method) != jsontext.String {
		return fail(`the member method is not a string: send "method":"entity.op"`)
	}
	// A misspelt params would be a call without any, so an unknown member is refused.
	if len(unknown) > 0 {
		return fail("a frame has no member %s: its members are jsonrpc, id, method and params", quoteAll(unknown))
	}
	r.Method = jsontext.Unquote(method)
	return r, nil
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

// Path is the path of a host's calls, after its base address (spec 4.1).
const Path = "/_kit/call"

// Discover is the reserved method that answers the discovery document (spec 2.5).
const Discover = "rpc.discover"

// Atomic is the reserved method that makes several calls as one transaction (docs/atomic.md). A host that takes it
// says "atomic": true of a Frond in its discovery document.
const Atomic = "rpc.atomic"

// TimeoutHeader carries the milliseconds that the caller waits for the answer, so that the host
// can stop when they have passed. It is optional: a host may ignore it
// (docs/decisions/remotes.md).
const TimeoutHeader = "X-Kit-Timeout"

// FilesPath is the path of the files of a host's rows for gateways, after its base address:
//
//	GET    /_kit/files?ids=f1,f2            {"files":[{"id":"f1","name":"a.png","type":"image/png","size":3,"sha256":"…","made":"…"}]}
//	GET    /_kit/files?id=f1&size=thumb     the bytes, whole or a range
//	POST   /_kit/files?fields=album.cover   a form with the parts file and identity; 201 with the description
//	DELETE /_kit/files?id=f1                204: a file that no row has taken
//
// It is additive: a host that has it names fileFields in its discovery document.
const FilesPath = "/_kit/files"

// StateHeader has the caller's state of an unsigned request for files: JSON in base64url, without padding.
const StateHeader = "X-Kit-State"

// The parts of a form that brings a file. PartIdentity has a second token, which binds the hash of the file;
// an unsigned form lacks it.
const (
	PartFile     = "file"
	PartIdentity = "identity"
)

const (
	// MaxBatch is how many frames one batch may have.
	MaxBatch = 100
	// MaxAnswer is how many bytes an answer may have: a client reads no more unless its
	// options say so, and a host puts no more into the answer to a batch.
	MaxAnswer = 8 << 20
	// MaxOffset bounds how many rows of a list can be skipped. Hosts count in 32 bits.
	MaxOffset = 1 << 31
)

// The integers of a failure frame (JSON-RPC 2.0 section 5.1; spec 7.1).
const (
	ParseError     = -32700
	InvalidRequest = -32600
	MethodNotFound = -32601
	InvalidParams  = -32602
	callFailed     = -32000 // the failure of a call: error.data says which
)

// MethodKey is the key of an operation in maps. Entity names match without regard to
// case, operations by case.
func MethodKey(entity, operation string) string { return strings.ToLower(entity) + "." + operation }
