package diff

import (
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

var onAccess = []Surface{accessSurface}

// The ways out that several rules of access share.
const (
	wasClosed = "check that these callers are meant to have the new rights"
	wasOpen   = "inform those who lose it, or keep the rule that opens it"
)

// doorRules are tried on the access to every door.
var doorRules = []rule[accessPair]{
	{
		changeKind{"access-door-opened", Dangerous, onAccess, "a door that had rules is open to everybody", wasClosed, ""},
		func(p accessPair) *change {
			return changed(p.was != nil && p.is != nil && ruled(p.was) && !ruled(p.is) && known(p.is), byText(p.was), byText(p.is))
		},
	},
	{
		changeKind{"access-door-closed", Breaking, onAccess, "a door that was open to everybody has rules", wasOpen, ""},
		func(p accessPair) *change {
			return changed(p.was != nil && p.is != nil && known(p.was) && !ruled(p.was) && ruled(p.is), byText(p.was), byText(p.is))
		},
	},
}

// exposureRules are tried on every operation that a surface shows now and did not show.
var exposureRules = []rule[string]{
	{
		changeKind{"access-exposed", Dangerous, onAccess, "a surface shows an operation over existing rows", wasClosed, ""},
		func(surface string) *change { return &change{"not shown", "on " + surface} },
	},
}

// classRules are tried on every class of callers and every operation.
var classRules = []rule[classPair]{
	{
		changeKind{"access-operation-opened", Dangerous, onAccess, "callers may use an operation that was closed to them", wasClosed, ""},
		func(p classPair) *change { return changed(p.was == nil && p.is != nil, "closed", "open") },
	},
	{
		changeKind{"access-operation-closed", Breaking, onAccess, "an operation is closed to callers who could use it", wasOpen, ""},
		func(p classPair) *change { return changed(p.was != nil && p.is == nil, "open", "closed") },
	},
	{
		changeKind{"access-rows-widened", Dangerous, onAccess, "callers see more rows: a condition is gone", wasClosed, ""},
		func(p classPair) *change {
			return rows(p, func(gone, added int) bool { return gone > 0 && added == 0 })
		},
	},
	{
		changeKind{"access-rows-narrowed", Breaking, onAccess, "callers see fewer rows: a condition is new", wasOpen, ""},
		func(p classPair) *change {
			return rows(p, func(gone, added int) bool { return gone == 0 && added > 0 })
		},
	},
	{
		changeKind{"access-rows-changed", Breaking, onAccess, "callers see other rows: fewer, more or both", "compare both filters: a new row that they see is a leak, a row that is gone is missed", ""},
		func(p classPair) *change {
			return rows(p, func(gone, added int) bool { return gone > 0 && added > 0 })
		},
	},
}

// grantRules are tried on every field that a rule names, for each class of callers.
var grantRules = []rule[grantPair]{
	{
		changeKind{"access-field-shown", Dangerous, onAccess, "a field that was hidden is visible", wasClosed, ""},
		func(g grantPair) *change { return changed(g.hiddenWas && !g.hiddenIs, "hidden", "visible") },
	},
	{
		changeKind{"access-field-hidden", Breaking, onAccess, "a field that was visible is hidden", wasOpen, ""},
		func(g grantPair) *change { return changed(!g.hiddenWas && g.hiddenIs, "visible", "hidden") },
	},
	{
		changeKind{"access-field-writable", Dangerous, onAccess, "a field that could not be sent can be sent", wasClosed, ""},
		func(g grantPair) *change { return changed(g.readOnlyWas && !g.readOnlyIs, "read-only", "writable") },
	},
	{
		changeKind{"access-field-read-only", Breaking, onAccess, "a field that could be sent cannot be sent", wasOpen, ""},
		func(g grantPair) *change { return changed(!g.readOnlyWas && g.readOnlyIs, "writable", "read-only") },
	},
	{
		changeKind{"access-preset-added", Breaking, onAccess, "a rule sets a field that callers could send", wasOpen, ""},
		func(g grantPair) *change { return changed(g.setWas == "" && g.setIs != "", "sent", "set to "+g.setIs) },
	},
	{
		changeKind{"access-preset-changed", Dangerous, onAccess, "a rule sets a field to another value, or leaves it to the caller", wasClosed, ""},
		func(g grantPair) *change {
			now := "set to " + g.setIs
			if g.setIs == "" {
				now = "sent"
			}
			return changed(g.setWas != "" && g.setWas != g.setIs, "set to "+g.setWas, now)
		},
	},
}

// propertyRules are tried on every field of a card, for the access that it gives to every
// caller.
var propertyRules = []rule[[2]*schema.Property]{
	{
		changeKind{"access-boundary-opened", Dangerous, onAccess, "a field that never left the host is sent out", wasClosed, ""},
		func(p [2]*schema.Property) *change {
			return changed(!p[0].Readable() && p[1].Readable(), "boundary.out: closed", "sent out")
		},
	},
	{
		changeKind{"access-write-opened", Dangerous, onAccess, "a field that no caller could write may be sent", wasClosed, ""},
		func(p [2]*schema.Property) *change {
			was, is := writes(p[0]), writes(p[1])
			return changed(len(without(is, was)) > 0, strings.Join(was, ", "), strings.Join(is, ", "))
		},
	},
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

// byText is who decides over a door; "" of nil.
func byText(a *catalog.Access) string {
	switch {
	case a == nil:
		return ""
	case ruled(a):
		return string(a.By)
	case a.By == catalog.ByWord:
		return "open"
	}
	return "open without a rule"
}

// rows compares the filters of two rules by the conditions that all have to hold.
func rows(p classPair, holds func(gone, added int) bool) *change {
	if p.was == nil || p.is == nil {
		return nil
	}
	was, is := conjuncts(p.was), conjuncts(p.is)
	if !holds(len(without(was, is)), len(without(is, was))) {
		return nil
	}
	return &change{orAll(rowsText(p.was)), orAll(rowsText(p.is))}
}

// orAll names a filter.
func orAll(filter string) string {
	if filter == "" {
		return "all rows"
	}
	return filter
}
