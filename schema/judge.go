package schema

import (
	"encoding/json"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/frondhost/frond/schema/jsontext"
)

// Entity.Judge and how it is built. A judgement reads the value's text once:
//
//	value   {"titel": "Tea", "price": -1, "id": "p1"}       card: id (read-only), title, price
//	        members by place in the card; titel is counted as a stranger
//	fields  in declaration order: id read_only, title required, price minimum
//	whole   minProperties and the like, not in a patch
//	keys    only where a stranger was seen: a second walk names unknown keys at every depth
//
// The walk of a valid value allocates little; the cost of good messages is paid by refused
// ones.

// judge is what [Entity.Judge] runs: a checker for each field, and the keywords of the card
// itself. It never changes.
type judge struct {
	// card has the entity's fields as props, in their order.
	card *objectRules
	// whole is the engine for the card's keywords about the object as a whole, such as anyOf,
	// or nil.
	whole *jsonschema.Schema
	// must says for each field whether the caller has to supply it: the card's required list,
	// which is final (docs/decisions/judge.md).
	must []bool
	// bare says that the card has no properties and accepts any key.
	bare bool
}

// Judge judges a value against the card and returns the members that the card knows, in
// declaration order, as they were sent: Judge does not fill in, decode or coerce values. Keys
// that the card accepts without naming them (a bare object, additionalProperties) follow in the
// order of the value. An absent value counts as {}, and so does null unless the value is a patch:
// null in place of a patch is refused.
//
// Details name every refusal, at most MaxDetails: unknown keys in the order of the value, then
// fields in declaration order. Their pointers begin with at, such as "/body". No detail means
// that the value is accepted.
//
// The value has passed [jsontext.Check]. Judge may be called from many goroutines; it is the
// same code on every surface, in the gateway and in a consumer that rebuilt the card (spec
// 1.5).
//
//	mode     absent, required   in: closed   update: forbidden, primary   card's own keywords
//	Create   required           read_only    accepted                     judged
//	Update   accepted           read_only    immutable                    not judged
//	Plain    required           accepted     accepted                     judged
//	Patch    as Update, and nested objects as parts of those in the row
//
// At Create the empty list of the other side of a relation is accepted, and left out of the result.
func (e *Entity) Judge(mode Mode, value json.RawMessage, at string) (Object, []Detail) {
	j := judging{at: at}
	switch kind := jsontext.KindOf(value); {
	// An absent body is an object without members: its refusals name the missing ones. An
	// absent patch is refused, because a patch misses no member and would be accepted without
	// effect.
	case kind == jsontext.Invalid, kind == jsontext.Null && !mode.patches():
		value = json.RawMessage("{}")
	case kind != jsontext.Object:
		j.refuse("type", "must be an object", map[string]any{"type": "object"})
		return nil, j.refused
	}
	c := e.judge.card
	var room [20]json.RawMessage
	values := room[:min(len(c.props), len(room))]
	if len(c.props) > len(room) {
		values = make([]json.RawMessage, len(c.props))
	}
	var further Object
	members, strangers := 0, 0
	for raw, v := range jsontext.RawMembers(value) {
		i, name := c.find(raw)
		switch {
		case i >= 0:
			values[i] = v
			members++
		case e.judge.bare || !c.refuses(name):
			further = append(further, Member{name, v})
		default:
			strangers++
		}
	}
	// Fields are judged in the order of the card, not of the value, so that the same mistakes
	// have the same details in any order of the keys.
	out := make(Object, 0, members+len(further))
	for i, p := range e.Fields {
		v := values[i]
		if v == nil {
			// Absent: fine in a patch; else the list of required names says it (spec 2.3).
			if !mode.patches() && e.judge.must[i] {
				j.push(p.Name)
				j.refuse("required", msgRequired, nil)
				j.pop()
			}
			continue
		}
		if mode == Create && p.isEmptyInverse(v) {
			continue
		}
		j.push(p.Name)
		if code, message := p.Forbids(mode); code != "" {
			j.refuse(code, message, nil)
		} else {
			if mode == Patch && p.Merges() {
				j.patch(c.props[i].checker, nil, v)
			} else {
				j.value(c.props[i].checker, v)
			}
			out = append(out, Member{p.Name, v})
		}
		j.pop()
	}
	// Keywords about the object as a whole cannot be judged from a patch.
	if !mode.patches() {
		e.judge.wholeObject(&j, value, members+len(further)+strangers)
	}
	if j.strange || strangers > 0 {
		e.unknownKeys(&j, mode, value)
	}
	return append(out, further...), j.details()
}

// wholeObject judges a value of so many members by the card's keywords about the object.
func (d *judge) wholeObject(j *judging, value json.RawMessage, members int) {
	if d.whole != nil {
		j.engine(d.whole, value)
		return
	}
	if c := d.card; c.minProperties >= 0 && members < c.minProperties {
		j.refuse(limit("minProperties", float64(c.minProperties)))
	}
	if c := d.card; c.maxProperties >= 0 && members > c.maxProperties {
		j.refuse(limit("maxProperties", float64(c.maxProperties)))
	}
}

// unknownKeys names the unknown keys of a body, at any depth, in the order of the value. It is
// a second walk, and runs only where the first one saw such a key. A field that may not be
// sent at all is not looked into.
func (e *Entity) unknownKeys(j *judging, mode Mode, value json.RawMessage) {
	c := e.judge.card
	for raw, v := range jsontext.RawMembers(value) {
		i, name := c.find(raw)
		switch {
		case i >= 0:
			if code, _ := e.Fields[i].Forbids(mode); code == "" {
				j.push(e.Fields[i].Name)
				j.keys(c.props[i].checker, v)
				j.pop()
			}
		case e.judge.bare || !c.refuses(name):
		default:
			j.refuseUnknown(name)
		}
	}
}

// isEmptyInverse reports whether a value is the empty list of a many relation whose rows lead back. At creation it is like the
// absent field, so that consumers may fill it in (spec 2.3).
func (p *Property) isEmptyInverse(value json.RawMessage) bool {
	return !p.Stored && !p.Axes.In.Closed && IsEmptyList(value)
}

// IsEmptyList reports whether a JSON value is a list without elements.
func IsEmptyList(value json.RawMessage) bool {
	if jsontext.KindOf(value) != jsontext.Array {
		return false
	}
	for range jsontext.Elements(value) {
		return false
	}
	return true
}

// Forbids returns the code and the message for a field that may not be sent at all in a mode,
// else "". They depend on the field alone, never on the value.
func (p *Property) Forbids(mode Mode) (code, message string) {
	switch {
	case mode == Plain:
		return "", ""
	case p.Axes.In.Closed && mode.patches():
		return ReadOnly, msgReadPatch
	case p.Axes.In.Closed:
		return ReadOnly, msgReadOnly
	case !p.Stored && p.Link != nil && p.Link.Through != nil:
		return ReadOnly, "leads through rows in between; create and delete those instead"
	case !p.Stored && p.Link != nil && p.Link.Inverse != nil:
		return ReadOnly, "is the other side of a relation; set " + p.Link.Inverse.Name + " of " + p.Link.Target.Name + " instead"
	// A many relation whose target is not known yet (CompileOptions.Unknown): it may turn out
	// to be the other side of a field over there.
	case !p.Stored && p.Link == nil:
		return ReadOnly, "leads to " + p.Axes.Relation.To + ", of which nothing is known here yet"
	case mode.patches() && (p.Axes.Update == UpdateForbidden || p.Axes.Primary):
		return Immutable, msgImmutable
	}
	return "", ""
}

// patches says whether absent fields keep their values.
func (m Mode) patches() bool { return m == Update || m == Patch }

// details returns the refusals of a run: unknown keys first, without duplicates, at most
// MaxDetails; nil for an accepted value.
func (j *judging) details() []Detail {
	if len(j.unknown) == 0 {
		return j.refused
	}
	all := j.unknown
	for _, d := range j.refused {
		if d.Code == UnknownKey && slices.ContainsFunc(j.unknown, func(u Detail) bool { return u.Pointer == d.Pointer }) {
			continue // the engine saw it too
		}
		all = append(all, d)
	}
	return all[:min(len(all), MaxDetails)]
}

// newJudge builds the judge of an entity. The card's own list says which fields are required,
// so that every consumer of the card gives the same verdict (spec 2.3).
func newJudge(e *Entity, b *builder) *judge {
	j := &judge{bare: e.Card.Fields == nil, must: make([]bool, len(e.Fields))}
	for i, p := range e.Fields {
		j.must[i] = slices.Contains(e.Card.Required, p.Name)
	}
	extra := e.Card.Extra
	if j.card = b.object(e.Card.Fields, extra, ""); j.card == nil {
		j.card = &objectRules{minProperties: -1, maxProperties: -1}
	}
	// b.object leaves a card with this keyword open. If it is false, keys outside properties
	// are unknown keys all the same, and named first in the verdict.
	if v := extra.Get("unevaluatedProperties"); v != nil && extra.Get("additionalProperties") == nil {
		j.card.closed = jsontext.KindOf(v) == jsontext.False
	}
	if engineNeeded(extra) {
		j.whole = b.engineOfWhole(e.Card)
	}
	return j
}
