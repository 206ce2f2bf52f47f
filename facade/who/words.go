package who

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/schema"
)

// Conditions describes the conditions on rows of one caller, in the words of the caller. It names fields that the caller reads, places of the
// caller's own state, and values that the cards list. A condition on anything else is "some rows".
type Conditions struct {
	f     *facade.Facade
	state access.State
	now   time.Time
	rules map[*catalog.Door][]access.Template
}

// NewConditions returns the conditions of a caller.
func NewConditions(f *facade.Facade, state access.State) *Conditions {
	return &Conditions{f, state, time.Now(), map[*catalog.Door][]access.Template{}}
}

// On returns the condition on the rows of an operation, such as "customerId is your user.id"; "" for all rows, and for a door without rules.
func (c *Conditions) On(ctx context.Context, op *catalog.Operation) string {
	if len(op.Needs) > 0 {
		op = op.Needs[0]
	}
	rules, known := c.rules[op.Door]
	if !known {
		rules, _ = access.Templates(c.f.Collector(op.Door), op.Door, c.now)
		c.rules[op.Door] = rules
	}
	for i := range rules {
		if !rules[i].Decides(c.state, op.Name) {
			continue
		}
		if rules[i].Rows.Always() {
			return ""
		}
		if text, ok := c.words(ctx, op.Door, rules[i].Rows, ""); ok {
			return text
		}
		return "some rows"
	}
	return ""
}

// verbs are the words of comparisons.
var verbs = map[filter.Op]string{
	filter.Eq: "is", filter.Ne: "is not", filter.In: "is one of", filter.NotIn: "is none of", filter.Lt: "is less than", filter.Lte: "is at most", filter.Gt: "is more than", filter.Gte: "is at least",
	filter.Contains: "contains", filter.IContains: "contains", filter.StartsWith: "starts with", filter.EndsWith: "ends with", filter.Has: "has",
}

// words describes a condition on rows of a door; before is the path to them. ok is false if the caller may not know a part of it.
func (c *Conditions) words(ctx context.Context, door *catalog.Door, f *filter.Filter, before string) (text string, ok bool) {
	scope, err := access.Scope{}, error(nil)
	if collector := c.f.Collector(door); collector != nil {
		scope, err = access.ScopeOf(ctx, collector, func() time.Time { return c.now }, c.state, door, door.Reading())
	}
	if err != nil || f.Field != nil && !scope.Readable(f.Field) || f.Link != nil && !scope.Readable(f.Link.Field) {
		return "", false
	}
	switch f.Op {
	case filter.And, filter.Or, filter.Not:
		var parts []string
		for _, sub := range f.Sub {
			part, ok := c.words(ctx, door, sub, before)
			if !ok {
				return "", false
			}
			parts = append(parts, part)
		}
		if text = strings.Join(parts, map[filter.Op]string{filter.And: " and ", filter.Or: " or "}[f.Op]); f.Op == filter.Not {
			return "not (" + text + ")", true
		}
		if len(parts) > 1 && f.Op == filter.Or {
			text = "(" + text + ")"
		}
		return text, len(parts) > 0
	case filter.Some:
		there := c.f.Catalog().Door(f.Link.Target.Name)
		if there == nil || len(f.Sub) == 0 || f.Link.Many {
			return "", false
		}
		return c.words(ctx, there, f.Sub[0], before+f.Link.Name+".")
	case filter.IsNull:
		if name, _ := access.Placeholder(f.Values[0]); name != "" {
			return "", false
		}
		return before + f.Field.Name + map[bool]string{true: " is empty", false: " is not empty"}[f.Values[0] == true], true
	}
	verb := verbs[f.Op]
	var values []string
	for _, v := range f.Values {
		name, _ := access.Placeholder(v)
		switch {
		case name != "":
			values = append(values, "your "+name)
		case f.Field.Kind == schema.KindBoolean, f.Field.Shape.Enum != nil:
			values = append(values, fmt.Sprint(v))
		default:
			return "", false
		}
	}
	return before + f.Field.Name + " " + verb + " " + strings.Join(values, ", "), verb != ""
}
