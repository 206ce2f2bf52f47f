package diff

// resultRules are tried on every member of a result, and of a fact's data.
var resultRules = []rule[memberPair]{
	{
		changeKind{"result-field-removed", Breaking, onReads, "a field is gone", keepField, ""},
		func(p memberPair) *change { return changed(p.was != nil && p.is == nil, of(p.was), "") },
	},
	{
		changeKind{"result-type-changed", Breaking, onReads, "a field has values of a type that readers do not know", "add a field of another name with the new type, and deprecate this one", ""},
		had(func(p memberPair) *change {
			return changed(!takes(typesOf(p.was.shape), typesOf(p.is.shape)), of(p.was), of(p.is))
		}),
	},
	{
		changeKind{"result-null-added", Breaking, onReads, "a field may be null or absent that never was", "fill the field for every row, or add a field of another name", ""},
		had(func(p memberPair) *change {
			return changed(!p.was.nullable && p.is.nullable, "never null", "may be null")
		}),
	},
	{
		changeKind{"result-enum-value-added", Dangerous, onReads, "a field has another value, which its readers may not know", "inform its readers before a row has the value", ""},
		had(func(p memberPair) *change {
			var l limited
			enums(&l, enumOf(p.was.shape), enumOf(p.is.shape))
			return joined(l.more)
		}),
	},
	{
		changeKind{"result-values-widened", Dangerous, onReads, "a bound, a pattern or a format that readers may rely on is gone or wider", "check columns and checks of the readers", ""},
		had(func(p memberPair) *change { return joined(compareLimits(p.was.shape, p.is.shape).more) }),
	},
	{
		changeKind{"result-relation-changed", Breaking, onReads, "a field holds ids of another entity", "add a field of another name", ""},
		had(func(p memberPair) *change {
			return changed(p.was.relation != "" && p.was.relation != p.is.relation, p.was.relation, p.is.relation)
		}),
	},
	{
		changeKind{"result-computed-changed", Dangerous, onCalls, "a computed field has another expression", "check who relies on the old value", ""},
		had(func(p memberPair) *change { return changed(p.was.filled != p.is.filled, p.was.filled, p.is.filled) }),
	},
	{
		changeKind{"result-schema-changed", Dangerous, onReads, "a keyword without a rule, or the conversion, has changed", "compare both cards", ""},
		had(func(p memberPair) *change { return unruled(p) }),
	},
	{
		changeKind{"result-field-added", safe, onReads, "a field is new", "no action needed", ""},
		func(p memberPair) *change { return changed(p.was == nil && p.is != nil, "", of(p.is)) },
	},
	{
		changeKind{"result-type-narrowed", safe, onReads, "a field has values of fewer types, or is never null", "no action needed", ""},
		had(func(p memberPair) *change {
			was, is := typesOf(p.was.shape), typesOf(p.is.shape)
			if takes(was, is) && !takes(is, was) {
				return &change{of(p.was), of(p.is)}
			}
			return changed(p.was.nullable && !p.is.nullable, "may be null", "never null")
		}),
	},
	{
		changeKind{"result-values-narrowed", safe, onReads, "a field has fewer values", "no action needed", ""},
		had(func(p memberPair) *change { return joined(compareValues(p.was.shape, p.is.shape).less) }),
	},
}

// had is a find for a member that both versions answer.
func had(find func(memberPair) *change) func(memberPair) *change {
	return when(func(p memberPair) bool { return p.was != nil && p.is != nil }, find)
}
