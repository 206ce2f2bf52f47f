package who

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// condition is a condition on a caller: a sentence, or several conditions that all have to hold, or one of them with any. The zero
// value holds for every caller, and any without parts for none.
type condition struct {
	text string
	any  bool
	of   []condition
}

func (c *condition) always() bool { return c.text == "" && !c.any && len(c.of) == 0 }

func (c *condition) never() bool { return c.any && len(c.of) == 0 }

func holds(is bool) condition { return condition{any: !is} }

// joined makes one condition of parts. A part that decides is the whole.
func joined(anyOne bool, parts ...condition) condition {
	out := condition{any: anyOne}
	for _, p := range parts {
		switch {
		case anyOne && p.always(), !anyOne && p.never():
			return p
		case p.always(), p.never():
		case p.text == "" && p.any == anyOne:
			out.of = append(out.of, p.of...)
		default:
			out.of = append(out.of, p)
		}
	}
	if len(out.of) == 1 {
		return out.of[0]
	}
	return out
}

// sentences returns the conditions that all have to hold as texts.
func (c *condition) sentences() []string {
	parts := c.of
	if c.text != "" || c.any {
		parts = []condition{*c}
	}
	all := []string{}
	for _, p := range parts {
		if text := p.String(); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// String returns the condition as one text: user.id is u-ann, or user.team has red and user.level is at least 3.
func (c *condition) String() string {
	if c.text != "" {
		return c.text
	}
	var texts []string
	for _, p := range c.of {
		text := p.String()
		if p.any {
			text = "(" + text + ")"
		}
		texts = append(texts, text)
	}
	if c.any {
		return strings.Join(slices.Compact(texts), ", or ")
	}
	return strings.Join(texts, " and ")
}

// The bounds of the rows behind a relation: a sentence names the first ones and counts the others.
const (
	mostNamed   = 20
	mostCounted = 1000
)

// residues evaluates conditions of rules over rows.
type residues struct {
	ctx context.Context //nolint:containedctx // the context of one call
	f   *facade.Facade
}

// place is the row of a condition.
type place struct {
	entity *schema.Entity
	row    rows.Row
	behind bool // a relation leads to the row
}

func (p *place) key() json.RawMessage { return p.row.Get(p.entity.Primary.Name) }

// named returns the name of the row in a sentence.
func (p *place) named() string { return p.entity.Name + " " + written(p.key()) }

// of returns the condition on a caller under which the row at p meets f, or with not does not meet f.
func (r *residues) of(p *place, f *filter.Filter, not bool) (condition, error) {
	switch {
	case f == nil:
		return holds(!not), nil
	case !asks(f):
		is, err := r.meets(p, f)
		return holds(is != not), err
	}
	switch f = f.Hops(); f.Op {
	case filter.And, filter.Or:
		parts := make([]condition, len(f.Sub))
		for i, sub := range f.Sub {
			var err error
			if parts[i], err = r.of(p, sub, not); err != nil {
				return condition{}, err
			}
		}
		return joined((f.Op == filter.Or) != not, parts...), nil
	case filter.Not:
		return r.of(p, f.Sub[0], !not)
	case filter.Some:
		return r.related(p, f, true, not)
	case filter.None:
		return r.related(p, f, true, !not)
	case filter.Every:
		return r.related(p, f, false, not)
	case filter.Aggregate:
		var parts []condition
		for _, c := range f.Sub[0].Conditions() {
			own := *f
			own.Sub = []*filter.Filter{c}
			part := compared(c, &operand{text: f.Derived.As.Name + " of " + p.named()}, not)
			if !asks(c) {
				is, err := r.meets(p, &own)
				if part = holds(is != not); err != nil {
					return condition{}, err
				}
			}
			parts = append(parts, part)
		}
		return joined(not, parts...), nil
	}
	return compared(f, operandOf(p, f.Field), not), nil
}

// asks reports whether f depends on the caller.
func asks(f *filter.Filter) bool {
	return slices.ContainsFunc(f.Values, func(v any) bool { name, _ := access.Placeholder(v); return name != "" }) || slices.ContainsFunc(f.Sub, asks)
}

// meets reports whether a row meets f, which does not depend on the caller.
func (r *residues) meets(p *place, f *filter.Filter) (is bool, err error) {
	if f.Field != nil && f.Field.Stored {
		return f.Meets(p.row.Get(f.Field.Name)), nil
	}
	err = r.f.Rows(r.ctx, p.entity, filter.Both(f, has(p.entity.Primary, p.key())), 1, func(rows.Row) bool { is = true; return false })
	return is, err
}

// has returns the condition that a field has a value, or one of a list of values.
func has(field *schema.Property, text json.RawMessage) *filter.Filter {
	texts := []json.RawMessage{text}
	if jsontext.KindOf(text) == jsontext.Array {
		texts = nil
		for _, item := range jsontext.Elements(text) {
			texts = append(texts, item)
		}
	}
	var keys []any
	for _, t := range texts {
		if v, why := field.Kind.Value(t); why == "" && !jsontext.IsNull(t) {
			keys = append(keys, v)
		}
	}
	if keys == nil {
		return filter.Nothing()
	}
	return filter.OneOf(field, keys, mostCounted)
}

// related is of for a condition on the rows behind a relation: with one a single row has to meet it, else all rows.
func (r *residues) related(p *place, f *filter.Filter, one, not bool) (condition, error) {
	target := f.Link.Target
	where := has(target.Primary, p.row.Get(f.Link.Field.Name))
	if f.Link.Inverse != nil {
		where = has(f.Link.Inverse, p.key())
	}
	sub := &filter.Filter{Op: filter.And, Sub: f.Sub}
	if one { // the store leaves out rows that no caller makes meet it
		for _, c := range sub.Conditions() {
			if !asks(c) {
				where = filter.Both(where, c)
			}
		}
	}
	oneIs := one != not // one row has to meet it, or its opposite
	var parts []condition
	var failed error
	more := 0
	err := r.f.Rows(r.ctx, target, where, mostNamed+1, func(row rows.Row) bool {
		if len(parts) == mostNamed {
			more++
			return more < mostCounted
		}
		var part condition
		if part, failed = r.of(&place{target, row, true}, sub, not); oneIs && !part.never() || !oneIs && !part.always() {
			parts = append(parts, part)
		}
		return failed == nil
	})
	if more > 0 {
		parts = append(parts, condition{text: fmt.Sprintf("the same holds of %s%d more rows of %s", map[bool]string{true: "one of "}[oneIs], more, target.Name)})
	}
	return joined(oneIs, parts...), cmp.Or(failed, err)
}

// operand is a value of a row, for comparisons with a caller.
type operand struct {
	text  string          // in a sentence
	value json.RawMessage // nil: unknown
}

// operandOf names the value of a field: u-ann, or behind a relation the ownerId of project p-7, u-ann.
func operandOf(p *place, field *schema.Property) *operand {
	value := p.row.Get(field.Name)
	if value == nil {
		value = json.RawMessage("null")
	}
	text := written(value)
	if p.behind && field != p.entity.Primary {
		text = "the " + field.Name + " of " + p.named() + ", " + text
	}
	return &operand{text, value}
}

// written returns a value as a sentence has it: a text without quotes if they are not needed, a list without brackets.
func written(value json.RawMessage) string {
	if jsontext.KindOf(value) == jsontext.Array {
		var items []string
		for _, item := range jsontext.Elements(value) {
			items = append(items, written(item))
		}
		return strings.Join(items, ", ")
	}
	if text := jsontext.Unquote(value); jsontext.KindOf(value) == jsontext.String && text != "" && !strings.ContainsAny(text, " ,\"'()\n\t") {
		return text
	}
	return string(value)
}

// orders are the verbs of comparisons, from the side of the caller, and their opposites: a field is less than a value that is more than the field.
var orders = map[filter.Op][2]string{
	filter.Lt: {"is more than ", "is at most "}, filter.Lte: {"is at least ", "is less than "},
	filter.Gt: {"is less than ", "is at least "}, filter.Gte: {"is at most ", "is more than "},
	filter.Contains: {"is a part of ", "is no part of "}, filter.IContains: {"is in any case a part of ", "is in no case a part of "},
	filter.StartsWith: {"is a beginning of ", "is no beginning of "}, filter.EndsWith: {"is an end of ", "is no end of "},
	filter.Has: {"is one of ", "is none of "},
}

// compared returns the condition on the caller under which a comparison holds. A place of their state without a value never meets it
// (docs/decisions/access-rules.md).
func compared(f *filter.Filter, o *operand, not bool) condition {
	null := o.value != nil && jsontext.IsNull(o.value)
	wants := (f.Op != filter.Ne && f.Op != filter.NotIn) != not // the caller's value has to equal the field, or to fit it
	var parts []condition
	for _, v := range f.Values {
		name, list := access.Placeholder(v)
		words, ordered := orders[f.Op]
		text := ""
		switch {
		case name == "":
			equal := filter.Filter{Op: filter.Eq, Field: f.Field, Values: []any{v}}
			parts = append(parts, holds(equal.Meets(o.value) == wants))
			continue
		case f.Op == filter.IsNull:
			text = fmt.Sprint(name, " is ", null == wants)
		case null && wants:
			parts = append(parts, holds(false))
			continue
		case null:
			text = name + " has a value"
		case ordered && wants:
			text = name + " " + words[0] + o.text
		case ordered:
			text = name + " " + words[1] + o.text
		case list && wants:
			text = name + " has " + o.text
		case list:
			text = name + " is a list without " + o.text
		case wants:
			text = name + " is " + o.text
		default:
			text = name + " is a value other than " + o.text
		}
		parts = append(parts, condition{text: text})
	}
	return joined(wants, parts...)
}
