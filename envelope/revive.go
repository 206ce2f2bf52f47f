package envelope

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema/jsontext"
)

// reply is one answer frame as it was read.
type reply struct {
	id     string // its text
	code   int    // JSON-RPC's integer of a failure
	result json.RawMessage
	failed *facade.Error // nil: result holds the answer
}

// readReply reads one answer frame of checked JSON; false: it is none. The result is
// read on the way by result, which is given where it begins and gives where it ends;
// nil: it is only found.
func readReply(v json.RawMessage, result func(text []byte, at int) (end int)) (reply, bool) {
	var r reply
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
			r.result = value
		case `"error"`:
			failed = value
		}
		return end
	})
	r.id = string(id)
	if jsontext.IsNull(failed) && r.result != nil {
		failed = nil // as some peers send it beside a result
	}
	if jsontext.Unquote(version) != "2.0" || id == nil || (r.result == nil) == (failed == nil) {
		return r, false
	}
	if failed == nil {
		return r, true
	}
	r.code, r.failed = revive(failed)
	return r, r.failed != nil
}

// answers says whether the reply is the one to a frame. The id may come back as the
// number that was sent or as a string of it: both are one id to many hosts.
func (r *reply) answers(id int64) bool { return idNumber(r.id) == strconv.FormatInt(id, 10) }

// idNumber is the text of an id without the quotes a host may have put around it.
func idNumber(id string) string {
	if len(id) > 2 && id[0] == '"' {
		return id[1 : len(id)-1]
	}
	return id
}

// revive is the failure a failure frame's error tells, as it was where it happened
// (spec 7.3), or nil where it is no error of JSON-RPC.
//
// A peer that sends no KitError beside a reserved integer is understood by the
// integer.
func revive(v json.RawMessage) (int, *facade.Error) {
	integer, err := strconv.Atoi(string(jsontext.Get(v, "code")))
	if err != nil {
		return 0, nil
	}
	message := jsontext.Unquote(jsontext.Get(v, "message"))
	data := jsontext.Get(v, "data")
	if jsontext.Unquote(jsontext.Get(data, "code")) == "" {
		return integer, foreign(integer, message, data)
	}
	e := new(facade.Error)
	if err := e.UnmarshalJSON(data); err != nil {
		return integer, foreign(integer, message, data) // of our form, and of another content
	}
	if e.Message == "" {
		e.Message = message
	}
	return integer, e
}

// foreign is the failure of a peer that sent no KitError.
func foreign(integer int, message string, data json.RawMessage) *facade.Error {
	e := &facade.Error{Message: message, Details: facade.ReviveDetails(data)}
	switch integer {
	case MethodNotFound:
		e.Code = facade.NotFound
	case ParseError, InvalidRequest, InvalidParams:
		e.Code = facade.BadRequest
	default:
		e.Code = facade.InternalError
		e.Details = map[string]any{"originalCode": integer, "details": e.Details}
	}
	return e
}
