package envelope

import (
	"encoding/json"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// readInvocation reads a frame's params (spec 2.6). It looks at the outer shape
// alone: what may stand in params, query and body is the façade's word. state is
// read only where it is trusted; identity is known, and not read yet.
func readInvocation(params json.RawMessage, trust bool) (facade.Invocation, *failure) {
	var inv facade.Invocation
	switch jsontext.KindOf(params) {
	case jsontext.Invalid:
		return inv, nil // no params: the empty invocation
	case jsontext.Object:
	case jsontext.Array:
		return inv, invalidParams("params are given by position; send them by name, as one object with the members params, query, body",
			typeDetail("", "send an object, not an array"))
	default:
		return inv, invalidParams("params are not an object; send one with the members params, query, body, or leave params out",
			typeDetail("", "send an object"))
	}
	var details []schema.Detail
	for name, value := range jsontext.Members(params) {
		kind := jsontext.KindOf(value)
		switch name {
		case "params", "query", "state":
			switch kind {
			case jsontext.Object:
			case jsontext.Null: // as peers send what they do not have
				continue
			default:
				details = append(details, typeDetail(name, "send an object, or leave "+name+" out"))
				continue
			}
			switch name {
			case "params":
				inv.Params = value
			case "query":
				inv.Query = value
			case "state":
				if trust && json.Unmarshal(value, &inv.State) != nil {
					details = append(details, typeDetail(name, "send numbers that a double can hold"))
				}
			}
		case "body":
			inv.Body = value // null stays null: absent is something else
		case "trace":
			switch kind {
			case jsontext.String:
				inv.Trace = jsontext.Unquote(value)
			case jsontext.Null:
			default:
				details = append(details, typeDetail(name, "send a traceparent as a string, or leave trace out"))
			}
		case "identity":
		default:
			details = append(details, schema.Detail{
				Path: name, Pointer: "/" + jsontext.Token(name), Code: schema.UnknownKey,
				Message: "an invocation has no such member; its members are params, query, body, state, trace, identity",
			})
		}
	}
	if len(details) == 0 {
		return inv, nil
	}
	var unknown []string
	for _, d := range details {
		if d.Code == schema.UnknownKey {
			unknown = append(unknown, d.Path)
		}
	}
	message := "params are not an invocation; the details name what to send instead"
	if len(unknown) > 0 {
		message = "an invocation has no member " + quoteAll(unknown) + "; its members are params, query, body, state, trace, identity"
	}
	return inv, invalidParams(message, details[:min(len(details), schema.MaxDetails)]...)
}

func invalidParams(message string, details ...schema.Detail) *failure {
	return &failure{InvalidParams, facade.Invalid(message, details...)}
}

// typeDetail is the refusal of a member of the wrong kind; name "" is params itself.
func typeDetail(name, message string) schema.Detail {
	d := schema.Detail{Path: name, Code: "type", Message: message}
	if name != "" {
		d.Pointer = "/" + name
	}
	return d
}
