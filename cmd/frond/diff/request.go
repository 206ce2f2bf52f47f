package diff

import (
	"cmp"
	"strings"
)

// requestRules are tried on every member of a request: params, query, body. A member that
// callers may not send, such as a read-only field, counts as absent.
var requestRules = []rule[pair[member]]{
	{changeKind{"request-field-removed", Breaking, onCalls, "a field is gone: unknown_key", keepField, ""}, func(p pair[member]) *change { return changed(sends(p.was) && p.is == nil, typeOf(p.was), "") }},
	{changeKind{"request-field-closed", Breaking, onCalls, "a field cannot be sent any more: read_only or immutable", "accept the field until its senders have stopped", ""}, both(func(was, is *member) *change {
		return changed(was.sendable && !is.sendable, typeOf(was), "not accepted")
	})},
	{changeKind{"request-field-required", Breaking, onCalls, "a field has to be sent", "write lifecycle.create for it: optional, a value, now or a generator", ""}, func(p pair[member]) *change {
		if !sends(p.was) {
			return changed(sends(p.is) && p.is.required, "", "required "+typeOf(p.is))
		}
		return changed(sends(p.is) && p.is.required && !p.was.required, "optional", "required")
	}},
	{changeKind{"request-type-changed", Breaking, onCalls, "a field takes values of another type", "add a field of another name with the new type, and deprecate this one", ""}, sent(func(was, is *member) *change {
		return changed(!takes(typesOf(is.shape), typesOf(was.shape)), typeOf(was), typeOf(is))
	})},
	{changeKind{"request-null-refused", Breaking, onCalls, "a field no longer takes null", "keep null in its type: [string, 'null']", ""}, sent(func(was, is *member) *change { return changed(was.nullable && !is.nullable, "null", "no null") })},
	{changeKind{"request-values-narrowed", Breaking, onCalls, "an enum, a bound, a pattern or a format is new or tighter", "keep the wider rule, and check the narrower one where the value is used", ""}, sent(func(was, is *member) *change { return joined(compareValues(was.shape, is.shape).less) })},
	{changeKind{"request-relation-changed", Breaking, onCalls, "a field holds ids of another entity, or has begun to hold ids", "add a field of another name", ""}, sent(func(was, is *member) *change {
		return changed(is.relation != "" && was.relation != is.relation, was.relation, is.relation)
	})},
	{changeKind{"request-default-changed", Dangerous, onCalls, "a field that is not sent gets another value", "check who relies on the old one", ""}, sent(func(was, is *member) *change {
		return changed(!was.required && !is.required && was.filled != is.filled, cmp.Or(was.filled, "null"), cmp.Or(is.filled, "null"))
	})},
	{changeKind{"request-schema-changed", Dangerous, onCalls, "a keyword without a rule, or the conversion, has changed", "compare both cards", ""}, sent(unruled)},
	{changeKind{"request-field-added", safe, onCalls, "a field can be sent now", noAction, ""}, func(p pair[member]) *change {
		return changed(!sends(p.was) && sends(p.is) && !p.is.required, "", typeOf(p.is))
	}},
	{changeKind{"request-field-optional", safe, onCalls, "a field may be left out now", noAction, ""}, sent(func(was, is *member) *change { return changed(was.required && !is.required, "required", "optional") })},
	{changeKind{"request-type-widened", safe, onCalls, "a field takes values of more types, or null", noAction, ""}, sent(func(was, is *member) *change {
		if takesMore(is, was) {
			return &change{typeOf(was), typeOf(is)}
		}
		return changed(!was.nullable && is.nullable, "no null", "null")
	})},
	{changeKind{"request-values-widened", safe, onCalls, "a field takes more values", noAction, ""}, sent(func(was, is *member) *change { return joined(compareValues(was.shape, is.shape).more) })},
}

// nameRules are tried on every member of requests and results that a rename pairs.
var nameRules = []rule[pair[member]]{
	{changeKind{"field-renamed", Breaking, onReads, "a field has another name, as renamed: declares", "keep the old name next to the new one until no client uses it", ""}, both(func(was, is *member) *change {
		return changed(was.name != is.name && is.until[was.name] == "", was.name, is.name)
	})},
	{changeKind{"old-field-until", Dangerous, onCalls, "a field has another name; the old one is answered until a day (until: under renamed)", "have the callers use the new name before that day", ""}, both(func(was, is *member) *change {
		until := is.until[was.name]
		return changed(until != "" && was.name != is.name, was.name, is.name+"; the old one until "+until)
	})},
}

// keepField is the way out of a field that is gone.
const keepField = "keep the field and write deprecated: true until no client uses it; if only its name has changed, declare the old name under renamed"

// sends reports whether a member is there and may be sent.
func sends(m *member) bool { return m != nil && m.sendable }

// sent looks at a member that may be sent to both versions.
func sent(find func(was, is *member) *change) func(pair[member]) *change {
	return func(p pair[member]) *change {
		if !sends(p.was) || !sends(p.is) {
			return nil
		}
		return find(p.was, p.is)
	}
}

// takesMore reports whether a takes more types of values than b.
func takesMore(a, b *member) bool {
	more, fewer := typesOf(a.shape), typesOf(b.shape)
	return takes(more, fewer) && !takes(fewer, more)
}

// typeOf is the type of a member in words; "" of nil.
func typeOf(m *member) string {
	if m == nil {
		return ""
	}
	if m.shape.Nullable && m.shape.Type != "" {
		return shapeText(m.shape) + " or null"
	}
	return shapeText(m.shape)
}

// unruled is what differs in keywords that no other rule compares.
func unruled(was, is *member) *change {
	if was.converts != is.converts {
		return &change{"conversion " + was.converts, "conversion " + is.converts}
	}
	names := otherKeywords(was.shape, is.shape)
	return changed(len(names) > 0, "", "another "+strings.Join(names, ", "))
}
