package diff

import "strings"

// requestRules are tried on every member of a request: params, query, body. A member that may
// not be sent, such as a read-only field, counts as one that is not there.
var requestRules = []rule[memberPair]{
	{
		changeKind{"request-field-removed", Breaking, onCalls, "a field is gone: sending it is refused with unknown_key", keepField, ""},
		func(p memberPair) *change {
			return changed(sends(p.was) && p.is == nil, of(p.was), "")
		},
	},
	{
		changeKind{"request-field-closed", Breaking, onCalls, "a field cannot be sent any more: sending it is refused with read_only or immutable", "accept the field until its senders have stopped", ""},
		func(p memberPair) *change {
			return changed(sends(p.was) && p.is != nil && !p.is.sendable, of(p.was), "not accepted")
		},
	},
	{
		changeKind{"request-field-required", Breaking, onCalls, "a field has to be sent", "write lifecycle.create for it: optional, a value, now or a generator", ""},
		func(p memberPair) *change {
			if !sends(p.is) || !p.is.required || sends(p.was) && p.was.required {
				return nil
			}
			if !sends(p.was) {
				return &change{"", "required " + of(p.is)}
			}
			return &change{"optional", "required"}
		},
	},
	{
		changeKind{"request-type-changed", Breaking, onCalls, "a field takes values of another type", "add a field of another name with the new type, and deprecate this one", ""},
		sent(func(p memberPair) *change {
			return changed(!takes(typesOf(p.is.shape), typesOf(p.was.shape)), of(p.was), of(p.is))
		}),
	},
	{
		changeKind{"request-null-refused", Breaking, onCalls, "a field does not take null any more", "keep null in its type: [string, 'null']", ""},
		sent(func(p memberPair) *change { return changed(p.was.nullable && !p.is.nullable, "null", "no null") }),
	},
	{
		changeKind{"request-values-narrowed", Breaking, onCalls, "a field takes fewer values: an enum, a bound, a pattern or a format is new or tighter", "keep the wider rule, and check the narrower one where the value is used", ""},
		sent(func(p memberPair) *change { return joined(compareValues(p.was.shape, p.is.shape).less) }),
	},
	{
		changeKind{"request-relation-changed", Breaking, onCalls, "a field holds ids of another entity, or has begun to hold ids", "add a field of another name", ""},
		sent(func(p memberPair) *change {
			return changed(p.is.relation != "" && p.was.relation != p.is.relation, p.was.relation, p.is.relation)
		}),
	},
	{
		changeKind{"request-default-changed", Dangerous, onCalls, "a field that is not sent gets another value", "check who relies on the old one", ""},
		sent(func(p memberPair) *change {
			return changed(!p.was.required && !p.is.required && p.was.filled != p.is.filled, orNull(p.was.filled), orNull(p.is.filled))
		}),
	},
	{
		changeKind{"request-schema-changed", Dangerous, onCalls, "a keyword without a rule, or the conversion, has changed", "compare both cards", ""},
		sent(func(p memberPair) *change { return unruled(p) }),
	},
	{
		changeKind{"request-field-added", safe, onCalls, "a field may be sent that could not be sent before", "no action needed", ""},
		func(p memberPair) *change {
			return changed(!sends(p.was) && sends(p.is) && !p.is.required, "", of(p.is))
		},
	},
	{
		changeKind{"request-field-optional", safe, onCalls, "a field may be left out that had to be sent", "no action needed", ""},
		sent(func(p memberPair) *change { return changed(p.was.required && !p.is.required, "required", "optional") }),
	},
	{
		changeKind{"request-type-widened", safe, onCalls, "a field takes values of more types, or null", "no action needed", ""},
		sent(func(p memberPair) *change {
			was, is := typesOf(p.was.shape), typesOf(p.is.shape)
			if takes(is, was) && !takes(was, is) {
				return &change{of(p.was), of(p.is)}
			}
			return changed(!p.was.nullable && p.is.nullable, "no null", "null")
		}),
	},
	{
		changeKind{"request-values-widened", safe, onCalls, "a field takes more values", "no action needed", ""},
		sent(func(p memberPair) *change { return joined(compareValues(p.was.shape, p.is.shape).more) }),
	},
}

// nameRules are tried on every member of requests and results that a rename pairs.
var nameRules = []rule[memberPair]{
	{
		changeKind{"field-renamed", Breaking, onReads, "a field has another name, as renamed: declares", "keep the old name next to the new one until no client uses it", ""},
		had(func(p memberPair) *change {
			return changed(p.was.name != p.is.name && p.is.until[p.was.name] == "", p.was.name, p.is.name)
		}),
	},
	{
		changeKind{"old-field-until", Dangerous, onCalls, "a field has another name; the old one is answered until a day (until: under renamed)", "have the callers use the new name before that day", ""},
		func(p memberPair) *change {
			if p.was == nil || p.is == nil || p.is.until[p.was.name] == "" {
				return nil
			}
			return changed(p.was.name != p.is.name, p.was.name, p.is.name+"; the old one until "+p.is.until[p.was.name])
		},
	},
}

// keepField is the way out of a field that is gone.
const keepField = "keep the field and write deprecated: true until no client uses it; if only its name has changed, declare the old name under renamed"

// sends reports whether a member is there and may be sent.
func sends(m *member) bool { return m != nil && m.sendable }

// sent is a find for a member that may be sent to both versions.
func sent(find func(memberPair) *change) func(memberPair) *change {
	return when(func(p memberPair) bool { return sends(p.was) && sends(p.is) }, find)
}

// of is the type of a member in words; "" of nil.
func of(m *member) string {
	if m == nil {
		return ""
	}
	if m.shape.Nullable && m.shape.Type != "" {
		return shapeText(m.shape) + " or null"
	}
	return shapeText(m.shape)
}

// unruled is what differs in keywords that no other rule compares.
func unruled(p memberPair) *change {
	names := otherKeywords(p.was.shape, p.is.shape)
	if p.was.converts != p.is.converts {
		return &change{"conversion " + p.was.converts, "conversion " + p.is.converts}
	}
	if len(names) == 0 {
		return nil
	}
	return &change{"", "another " + strings.Join(names, ", ")}
}

// orNull names the value of an absent field.
func orNull(filled string) string {
	if filled == "" {
		return "null"
	}
	return filled
}
