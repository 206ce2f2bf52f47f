package diff

import (
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// The ways out that several rules of access share.
const (
	wasClosed = "check that these callers are meant to have the new rights"
	wasOpen   = "inform those who lose it, or keep the rule that opens it"
)

// doorRules are tried on the access to every door.
var doorRules = []rule[pair[catalog.Access]]{
	{changeKind{"access-door-opened", Dangerous, onAccess, "a door with rules is open to everybody", wasClosed, ""}, turned(func(was, is *catalog.Access) bool { return ruled(was) && !ruled(is) && known(is) }, byText)},
	{changeKind{"access-door-closed", Breaking, onAccess, "an open door has rules", wasOpen, ""}, turned(func(was, is *catalog.Access) bool { return known(was) && !ruled(was) && ruled(is) }, byText)},
}

// exposureRules are tried on every operation that a surface shows now and did not show.
var exposureRules = []rule[string]{
	{changeKind{"access-exposed", Dangerous, onAccess, "a surface shows an operation over existing rows", wasClosed, ""}, func(surface string) *change { return &change{"not shown", "on " + surface} }},
}

// classRules are tried on every class of callers and every operation.
var classRules = []rule[pair[catalog.RuleAccess]]{
	{changeKind{"access-operation-opened", Dangerous, onAccess, "callers may use a further operation", wasClosed, ""}, func(p pair[catalog.RuleAccess]) *change {
		return changed(p.was == nil && p.is != nil, "closed", "open")
	}},
	{changeKind{"access-operation-closed", Breaking, onAccess, "callers lose an operation", wasOpen, ""}, func(p pair[catalog.RuleAccess]) *change {
		return changed(p.was != nil && p.is == nil, "open", "closed")
	}},
	{changeKind{"access-rows-widened", Dangerous, onAccess, "callers see more rows: a condition is gone", wasClosed, ""}, rowsDiffer(true, false)},
	{changeKind{"access-rows-narrowed", Breaking, onAccess, "callers see fewer rows: a condition is new", wasOpen, ""}, rowsDiffer(false, true)},
	{changeKind{"access-rows-changed", Breaking, onAccess, "callers see other rows: fewer, more or both", "compare both filters: a new row that they see is a leak, a row that is gone is missed", ""}, rowsDiffer(true, true)},
}

// rowsDiffer finds another filter of rows: conditions that all had to hold are gone, new, or both.
func rowsDiffer(conditionsGone, conditionsNew bool) func(pair[catalog.RuleAccess]) *change {
	return turned(func(was, is *catalog.RuleAccess) bool {
		old, now := conjuncts(was), conjuncts(is)
		return len(without(old, now)) > 0 == conditionsGone && len(without(now, old)) > 0 == conditionsNew
	}, rowsText)
}

// grantRules are tried on every field that a rule names, for each class of callers.
var grantRules = []rule[pair[grant]]{
	{changeKind{"access-field-shown", Dangerous, onAccess, "a hidden field is visible", wasClosed, ""}, ends(isHidden, "hidden", "visible")},
	{changeKind{"access-field-hidden", Breaking, onAccess, "a visible field is hidden", wasOpen, ""}, begins(isHidden, "visible", "hidden")},
	{changeKind{"access-field-writable", Dangerous, onAccess, "a field can be sent now", wasClosed, ""}, ends(isReadOnly, "read-only", "writable")},
	{changeKind{"access-field-read-only", Breaking, onAccess, "a field can no longer be sent", wasOpen, ""}, begins(isReadOnly, "writable", "read-only")},
	{changeKind{"access-preset-added", Breaking, onAccess, "a rule sets a field that callers could send", wasOpen, ""}, turned(func(was, is *grant) bool { return was.set == "" && is.set != "" }, presetText)},
	{changeKind{"access-preset-changed", Dangerous, onAccess, "a rule sets a field to another value, or leaves it to the caller", wasClosed, ""}, turned(func(was, is *grant) bool { return was.set != "" && was.set != is.set }, presetText)},
}

func isHidden(g *grant) bool { return g.hidden }

func isReadOnly(g *grant) bool { return g.readOnly }

// presetText says who gives the value of a field.
func presetText(g *grant) string {
	if g.set == "" {
		return "sent"
	}
	return "set to " + g.set
}

// propertyRules are tried on every field of a card, for the access that it gives to every
// caller.
var propertyRules = []rule[pair[schema.Property]]{
	{changeKind{"access-boundary-opened", Dangerous, onAccess, "a field that never left the host is sent out", wasClosed, ""}, begins((*schema.Property).Readable, "boundary.out: closed", "sent out")},
	{changeKind{"access-write-opened", Dangerous, onAccess, "a field that no caller could write may be sent", wasClosed, ""}, both(func(was, is *schema.Property) *change {
		old, now := writes(was), writes(is)
		return changed(len(without(now, old)) > 0, strings.Join(old, ", "), strings.Join(now, ", "))
	})},
}

// writes are the operations in which callers may send a field.
func writes(p *schema.Property) []string {
	switch {
	case p.Axes.In.Closed:
		return nil
	case p.Axes.Primary, p.Axes.Update == schema.UpdateForbidden:
		return []string{"create"}
	}
	return []string{"create", "update"}
}

// ruled reports whether something decides over a door: its rules, or Go code.
func ruled(a *catalog.Access) bool { return a.By == catalog.ByRules || a.By == catalog.ByGoCode }

// byText is who decides over a door.
func byText(a *catalog.Access) string {
	switch {
	case ruled(a):
		return string(a.By)
	case a.By == catalog.ByWord:
		return "open"
	}
	return "open without a rule"
}
