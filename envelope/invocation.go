package envelope

import (
	"encoding/json"
	"fmt"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// readInvocation reads a frame's params (spec 2.6). It checks the outer shape only: the façade
// judges what params, query and body hold. state is read only where trust is set. identity is
// the token of a signed request, which package signing has read.
//
//	{"params":{"id":"p1"},"query":{…},"body":{…},"state":{…},"trace":"00-…"}
//
// An unknown member is an error (-32602), so that a misspelled one is not lost. All faults are
// reported together, up to schema.MaxDetails.
func readInvocation(params json.RawMessage, trust bool) (facade.Invocation, *failure) {
	var inv facade.Invocation
	switch jsontext.KindOf(params) {
	case jsontext.Invalid, jsontext.Null:
		return inv, nil // absent, or the null that some clients send for it: the empty invocation
	case jsontext.Object:
	case jsontext.Array:
		return inv, notAnInvocation(typeDetail("", "must go by name, as one object with the members params, query, body; not by position"))
	default:
		return inv, notAnInvocation(typeDetail("", "must be an object with the members params, query, body, or be left out"))
	}
	var details []schema.Detail
	for name, value := range jsontext.Members(params) {
		kind := jsontext.KindOf(value)
		switch name {
		case "params", "query", "state":
			switch kind {
			case jsontext.Object:
			case jsontext.Null: // some clients send it for absent
				continue
			default:
				details = append(details, typeDetail(name, "must be an object, or be left out"))
				continue
			}
			switch name {
			case "params":
				inv.Params = value
			case "query":
				inv.Query = value
			case "state":
				if trust && json.Unmarshal(value, &inv.State) != nil {
					details = append(details, typeDetail(name, "must hold numbers that a double can hold"))
				}
			}
		case "body":
			inv.Body = value // null stays null, which differs from absent
		case "trace":
			switch kind {
			case jsontext.String:
				inv.Trace = jsontext.Unquote(value)
			case jsontext.Null:
			default:
				details = append(details, typeDetail(name, "must be a traceparent, a string, or be left out"))
			}
		// Read by package signing, and only where a Verifier is set; a known name everywhere.
		case "identity":
		default:
			details = append(details, schema.Detail{
				Path: name, Pointer: "/" + jsontext.Token(name), Code: schema.UnknownKey,
				Message: "is not a member of an invocation; its members are params, query, body, state, trace, identity",
			})
		}
	}
	if len(details) == 0 {
		return inv, nil
	}
	return inv, notAnInvocation(details...)
}

// notAnInvocation is -32602 with its details. A detail's message continues the sentence
// that begins with the member's name.
func notAnInvocation(details ...schema.Detail) *failure {
	details = details[:min(len(details), schema.MaxDetails)]
	first := details[0].Path
	if first == "" {
		first = "params"
	}
	message := first + " " + details[0].Message
	if len(details) > 1 {
		message = fmt.Sprintf("%d things are refused, each with a detail; the first: %s", len(details), message)
	}
	return &failure{Code: InvalidParams, Err: kiterror.Invalid(message, details...)}
}

// typeDetail is the refusal of a member of the wrong kind; name "" is params itself.
func typeDetail(name, message string) schema.Detail {
	d := schema.Detail{Path: name, Code: "type", Message: message}
	if name != "" {
		d.Pointer = "/" + name
	}
	return d
}
