package diff

// resultRules are tried on every member of a result, and of a fact's data.
var resultRules = []rule[pair[member]]{
	{changeKind{"result-field-removed", Breaking, onReads, "a field is gone", keepField, ""}, gone(typeOf)},
	{changeKind{"result-type-changed", Breaking, onReads, "a field has values of another type", "add a field of another name with the new type, and deprecate this one", ""}, turned(func(was, is *member) bool { return !takes(typesOf(was.shape), typesOf(is.shape)) }, typeOf)},
	{changeKind{"result-null-added", Breaking, onReads, "a field may be null or absent now", "fill the field for every row, or add a field of another name", ""}, begins(mayBeNull, "never null", "may be null")},
	{changeKind{"result-enum-value-added", Dangerous, onReads, "a field has a further value", "inform its readers before a row has the value", ""}, both(func(was, is *member) *change {
		var l limited
		enums(&l, enumOf(was.shape), enumOf(is.shape))
		return joined(l.more)
	})},
	{changeKind{"result-values-widened", Dangerous, onReads, "a bound, a pattern or a format is gone or wider", "check columns and checks of the readers", ""}, both(func(was, is *member) *change { return joined(compareLimits(was.shape, is.shape).more) })},
	{changeKind{"result-relation-changed", Breaking, onReads, "a field holds ids of another entity", "add a field of another name", ""}, both(func(was, is *member) *change {
		return changed(was.relation != "" && was.relation != is.relation, was.relation, is.relation)
	})},
	{changeKind{"result-computed-changed", Dangerous, onCalls, "a computed field has another expression", "check who relies on the old value", ""}, differs(func(m *member) string { return m.filled })},
	{changeKind{"result-schema-changed", Dangerous, onReads, "a keyword without a rule, or the conversion, has changed", "compare both cards", ""}, both(unruled)},
	{changeKind{"result-field-added", safe, onReads, "a field is new", noAction, ""}, added(typeOf)},
	{changeKind{"result-type-narrowed", safe, onReads, "a field has values of fewer types, or is never null", noAction, ""}, both(func(was, is *member) *change {
		if takesMore(was, is) {
			return &change{typeOf(was), typeOf(is)}
		}
		return changed(was.nullable && !is.nullable, "may be null", "never null")
	})},
	{changeKind{"result-values-narrowed", safe, onReads, "a field has fewer values", noAction, ""}, both(func(was, is *member) *change { return joined(compareValues(was.shape, is.shape).less) })},
}

func mayBeNull(m *member) bool { return m.nullable }
