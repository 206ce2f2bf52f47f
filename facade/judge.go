package facade

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// admitNamed judges the input of a named operation: each part against the card that
// it declares. A part without a card takes nothing.
func admitNamed(x *execution) {
	renameBody(&x.viewer, x.op.Input)
	in, op := &x.call.Invocation, x.op
	params := sentParams(&x.viewer, in)
	if op.Open {
		x.params, x.query = anyObject(&x.viewer, params, "/params"), anyObject(&x.viewer, in.Query, "/query")
	} else {
		x.params, x.query = judgePart(&x.viewer, op.Params, params, "/params"), judgePart(&x.viewer, op.Query, in.Query, "/query")
	}
	switch {
	case op.Input != nil:
		x.body = judgeBody(&x.viewer, op.Input, schema.Create, in.Body)
	case !op.Open:
		onlyKeys(&x.viewer, in.Body, "/body", nil)
	}
}

// judgePart judges params or query, and answers the members their card knows.
func judgePart(x *viewer, card *schema.Entity, text json.RawMessage, at string) json.RawMessage {
	if card == nil {
		onlyKeys(x, text, at, nil)
		return nil
	}
	o, details := card.Judge(schema.Plain, text, at)
	x.details = append(x.details, details...)
	return o.AppendJSON(nil)
}

// anyObject is params or query of an operation that nobody has a card of: an object,
// which is judged where it runs.
func anyObject(x *viewer, text json.RawMessage, at string) json.RawMessage {
	switch jsontext.KindOf(text) {
	case jsontext.Invalid, jsontext.Null, jsontext.Object:
	default:
		x.refuse(schema.Detail{Path: ".", Pointer: at, Code: "type", Message: "must be an object"})
	}
	return text
}

// judgeBody judges a body, and refuses the fields that the scope takes from the caller: hidden fields do
// not exist, preset and read-only ones cannot be sent. A required field that the caller
// cannot send is FORBIDDEN, without its name where it is hidden.
func judgeBody(x *viewer, card *schema.Entity, mode schema.Mode, text json.RawMessage) schema.Object {
	o, details := card.Judge(mode, text, "/body")
	scope := x.doorScope
	if !x.door.Shapes(card) {
		scope = access.Open // an input view is the operation's own, not the door's
	}
	if x.inside {
		o, details = unbounded(card, o, details, text)
	}
	locked, barred, first := false, "", len(x.details)
	for _, d := range details {
		top, _, _ := strings.Cut(d.Path, ".")
		switch {
		case scope.Set.Get(top) != nil:
			continue // the collector answers for it; named below where it was sent
		case scope.Hides(top):
			locked = locked || d.Code == "required"
			continue
		case d.Code == "required" && x.door.keeper.gives(x, mode, top, d.Path):
			continue
		case scope.ReadsOnly(top):
			if d.Code == "required" {
				barred = top
			}
			continue
		}
		x.refuse(d)
	}
	if len(scope.Hide) > 0 || len(scope.Set) > 0 || len(scope.ReadOnly) > 0 {
		for name := range jsontext.Members(text) {
			at := "/body/" + jsontext.Token(name)
			switch {
			case scope.Hides(name):
				x.refuse(kiterror.UnknownKey(at, msgUnknown))
			case scope.Set.Get(name) != nil:
				x.refuse(schema.Detail{Path: name, Pointer: at, Code: schema.ReadOnly, Message: "is set for you; leave it out"})
			case scope.ReadsOnly(name):
				x.refuse(schema.Detail{Path: name, Pointer: at, Code: schema.ReadOnly, Message: "is not yours to write; leave it out"})
			}
		}
	}
	if len(scope.Hide) > 0 {
		unknownFirst(x.details[first:], text)
	}
	switch {
	case locked:
		// Nothing the caller could send would do, and the field is not ours to name.
		x.verdict = &kiterror.Error{Code: kiterror.Forbidden, Message: "you may not create this: it takes a field that you do not see"}
	case barred != "":
		x.verdict = kiterror.Errorf(kiterror.Forbidden, "you may not create this: it takes %s, which you may only read", barred)
	}
	return o
}

// unknownFirst moves unknown keys before everything else, in the order they were sent, as
// the judge has them: else the place of a detail would distinguish a hidden field from one
// that does not exist.
func unknownFirst(details []schema.Detail, text json.RawMessage) {
	place := map[string]int{}
	for name := range jsontext.Members(text) {
		place[name] = len(place)
	}
	of := func(d schema.Detail) int {
		if d.Code != schema.UnknownKey {
			return len(place)
		}
		top, _, _ := strings.Cut(d.Path, ".")
		return place[top]
	}
	slices.SortStableFunc(details, func(a, b schema.Detail) int { return of(a) - of(b) })
}

// unbounded judges again the fields that the judge refused for the boundary alone: the boundary holds
// for callers, and the author's own code is inside it. The other side of a relation
// has no place in the row and stays refused.
func unbounded(card *schema.Entity, o schema.Object, details []schema.Detail, text json.RawMessage) (schema.Object, []schema.Detail) {
	var again schema.Object
	rest := details[:0:0]
	for _, d := range details {
		p := card.Property(d.Path)
		if p == nil || !p.Stored || d.Code == schema.Immutable && p.Axes.Primary || d.Code != schema.ReadOnly && d.Code != schema.Immutable {
			rest = append(rest, d)
			continue
		}
		again = append(again, schema.Member{Name: p.Name, Value: jsontext.Get(text, p.Name)})
	}
	if again == nil {
		return o, details
	}
	_, further := card.Judge(schema.Plain, again.AppendJSON(nil), "/body")
	for _, d := range further {
		if top, _, _ := strings.Cut(d.Path, "."); again.Get(top) != nil {
			rest = append(rest, d)
		}
	}
	return append(o, again...), rest
}

// sentParams is params as the wire has them, for an operation that takes no id or judges it with
// others. An id that came twice is refused.
func sentParams(x *viewer, in *Invocation) json.RawMessage {
	if in.ID != nil && jsontext.Get(in.Params, "id") != nil {
		x.refuse(schema.Detail{Path: "id", Pointer: "/params/id", Code: "oneOf", Message: "is both the id of the call and a member of params; send one of the two"})
	}
	return in.ParamsJSON()
}

// onlyKeys refuses every key of an object that is not among names, and everything
// that is no object. No text and null are an empty object.
func onlyKeys(x *viewer, text json.RawMessage, at string, names []string) {
	anyObject(x, text, at)
	for name := range jsontext.Members(text) {
		if x.full() {
			return
		}
		if !slices.Contains(names, name) {
			message := "is nothing that " + x.where() + " takes; leave it out"
			if len(names) > 0 {
				message = "is nothing that " + x.where() + " takes" + kiterror.Instead(name, names, x.Suggests())
			}
			x.refuse(kiterror.UnknownKey(at+"/"+jsontext.Token(name), message))
		}
	}
}

// msgUnknown is the judge's own message: a hidden field is refused with the words for one
// that does not exist.
const msgUnknown = "is not part of the card; leave it out"
