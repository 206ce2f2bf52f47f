package envelope

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// appendResult appends a success frame; write appends its result.
func appendResult(dst []byte, id json.RawMessage, write func([]byte) []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	dst = append(dst, `,"result":`...)
	return append(write(dst), '}')
}

// appendFailure appends a failure frame (spec 2.6, 7.1).
func appendFailure(dst []byte, id json.RawMessage, f *failure) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	dst = fmt.Appendf(dst, `,"error":{"code":%d,"message":`, f.Code)
	dst = jsontext.AppendString(dst, f.Err.Message)
	dst = append(dst, `,"data":`...)
	dst = f.Err.AppendJSON(dst)
	return append(dst, "}}"...)
}

// Response is one response frame as it was read: a result or a failure.
type Response struct {
	ID     string // its text
	Result json.RawMessage
	Code   int             // JSON-RPC's integer of a failure
	Err    *kiterror.Error // nil: Result is the answer
}

// ReadResponse reads one response frame of checked JSON; false: v is not a response frame.
// result reads the result: it is called with the offset of the result's begin and returns the
// offset of its end. nil: the result is skipped.
func ReadResponse(v json.RawMessage, result func(text []byte, at int) (end int)) (Response, bool) {
	var r Response
	var version, id, failed json.RawMessage
	begin := len(v) - len(bytes.TrimLeft(v, " \n\t\r"))
	jsontext.Walk(v, begin, func(name []byte, at int) (end int) {
		if result != nil && string(name) == `"result"` {
			end = result(v, at)
		} else {
			end = jsontext.Skip(v, at)
		}
		switch value := v[at:end:end]; string(name) {
		case `"jsonrpc"`:
			version = value
		case `"id"`:
			id = value
		case `"result"`:
			r.Result = value
		case `"error"`:
			failed = value
		}
		return end
	})
	r.ID = string(id)
	if jsontext.IsNull(failed) && r.Result != nil {
		failed = nil // some hosts send it with a result
	}
	if jsontext.Unquote(version) != "2.0" || id == nil || (r.Result == nil) == (failed == nil) {
		return r, false
	}
	if failed == nil {
		return r, true
	}
	r.Code, r.Err = revive(failed)
	return r, r.Err != nil
}

// Answers says whether the response is the one to the request with this id.
func (r *Response) Answers(id int64) bool { return r.Number() == strconv.FormatInt(id, 10) }

// Number is the text of the id without quotes: many hosts return the number that was
// sent as a string.
func (r *Response) Number() string {
	if id := r.ID; len(id) > 2 && id[0] == '"' {
		return id[1 : len(id)-1]
	}
	return r.ID
}

// revive reads the error of a failure frame as the KitError it was at the host (spec 7.3); nil:
// it is not an error of JSON-RPC. Without a KitError the integer decides the code.
func revive(v json.RawMessage) (int, *kiterror.Error) {
	integer, err := strconv.Atoi(string(jsontext.Get(v, "code")))
	if err != nil {
		return 0, nil
	}
	message := jsontext.Unquote(jsontext.Get(v, "message"))
	data := jsontext.Get(v, "data")
	if jsontext.Unquote(jsontext.Get(data, "code")) == "" {
		return integer, foreign(integer, message, data)
	}
	e := new(kiterror.Error)
	if err := e.UnmarshalJSON(data); err != nil {
		return integer, foreign(integer, message, data) // the shape of a KitError with other contents
	}
	if e.Message == "" {
		e.Message = message
	}
	return integer, e
}

// foreign is the failure of a host that sends no KitError.
func foreign(integer int, message string, data json.RawMessage) *kiterror.Error {
	e := &kiterror.Error{Message: message}
	switch integer {
	case MethodNotFound:
		e.Code = kiterror.NotFound
	case ParseError, InvalidRequest, InvalidParams:
		e.Code = kiterror.BadRequest
	default:
		e.Foreign(strconv.AppendInt(nil, int64(integer), 10), data)
		return e
	}
	e.ReviveDetails(data)
	return e
}
