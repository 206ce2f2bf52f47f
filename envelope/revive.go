package envelope

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// reply is one answer frame as it was read.
type reply struct {
	id     string // its text
	result json.RawMessage
	failed *facade.Error // nil: result holds the answer
}

// readReply reads one answer frame of checked JSON; false: it is none.
func readReply(v json.RawMessage) (reply, bool) {
	var r reply
	var version, id, failed json.RawMessage
	for name, value := range jsontext.Members(v) {
		switch name {
		case "jsonrpc":
			version = value
		case "id":
			id = value
		case "result":
			r.result = value
		case "error":
			failed = value
		}
	}
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
	r.failed = revive(failed)
	return r, r.failed != nil
}

// revive is the failure a failure frame's error tells, as it was where it happened
// (spec 7.3), or nil where it is no error of JSON-RPC.
//
// A code that is not in the table becomes INTERNAL_ERROR with the details
// {originalCode, details}. A peer that sends no KitError beside a reserved integer
// is understood by the integer.
func revive(v json.RawMessage) *facade.Error {
	integer, err := strconv.Atoi(string(jsontext.Get(v, "code")))
	if err != nil {
		return nil
	}
	message := jsontext.Unquote(jsontext.Get(v, "message"))
	data := jsontext.Get(v, "data")
	code := facade.Code(jsontext.Unquote(jsontext.Get(data, "code")))
	if code == "" {
		return foreign(integer, message, data)
	}
	e := &facade.Error{
		Code:      code,
		Message:   jsontext.Unquote(jsontext.Get(data, "message")),
		Entity:    jsontext.Unquote(jsontext.Get(data, "entity")),
		Operation: jsontext.Unquote(jsontext.Get(data, "operation")),
		Details:   reviveDetails(jsontext.Get(data, "details")),
	}
	if e.Message == "" {
		e.Message = message
	}
	if !code.Known() {
		e.Code = facade.InternalError
		e.Details = map[string]any{"originalCode": string(code), "details": e.Details}
	}
	return e
}

// foreign is the failure of a peer that sent no KitError.
func foreign(integer int, message string, data json.RawMessage) *facade.Error {
	e := &facade.Error{Message: message, Details: reviveDetails(data)}
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

// reviveDetails is details as they were: a list of schema.Detail where it is one,
// else plain JSON values as encoding/json has them.
func reviveDetails(v json.RawMessage) any {
	switch jsontext.KindOf(v) {
	case jsontext.Invalid, jsontext.Null:
		return nil
	case jsontext.Array:
		var details []schema.Detail
		dec := json.NewDecoder(bytes.NewReader(v))
		dec.DisallowUnknownFields()
		if dec.Decode(&details) == nil && len(details) > 0 && coded(details) {
			return details
		}
	}
	var plain any
	_ = json.Unmarshal(v, &plain) // a number that no double holds leaves the rest
	return plain
}

func coded(details []schema.Detail) bool {
	for _, d := range details {
		if d.Code == "" || d.Message == "" {
			return false
		}
	}
	return true
}
