package filter

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Filters through relations. A relation has a name, which takes a filter of the other side,
// and, where the row holds ids, a key, which takes operators:
//
//	{"author":{"name":{"eq":"Ada"}}}       the row that authorId leads to
//	{"authorId":{"eq":"a1"}}               the id itself
//	{"posts":{"some":{"status":{…}}}}      the rows whose authorId leads here
//	{"posts":{"count":{"gte":5}}}          a value of these rows (see [Derived])
//	{"tags":{"has":"t1"}}                  ids in the row, compared as an array
//
// Rows that the caller may not see do not exist on the other side: they do not count for none,
// and every does not fail by them.

// related reads the filter behind a one-relation, together with the rows that exist for the
// caller on the other side. ok is false if the caller may see no rows there.
func (p *Parser) related(link *schema.Link, value json.RawMessage) (*Filter, bool) {
	scope, ok := p.Host.Behind(p.ctx, link)
	if !ok {
		return nil, false
	}
	if jsontext.IsNull(value) {
		p.refuse("type", fmt.Sprintf(`must be a filter, not null; to ask for rows without one, write {"%s": {"isNull": true}}`, link.Key))
		return nil, true
	}
	// A frequent mistake is {"author":{"eq":"a1"}}. The message names the key, unless the
	// target has a field with the name of the operator.
	for name := range jsontext.Members(value) {
		if _, op := operators[name]; op && link.Target.Property(name) == nil {
			p.refuse("operator", fmt.Sprintf(`must be a filter of %s; to compare the key itself, write {"%s": {"%s": …}}`, link.Target.Name, link.Key, name))
			return nil, true
		}
	}
	sub := p.object(link.Target, scope, value)
	if sub == nil {
		p.narrows(0)
	}
	f := someOf(link, Both(scope.Visible(), sub))
	f.Rule = p.rule()
	return f, true
}

// someOf is a filter on the row behind a relation; nil holds for every row there.
func someOf(link *schema.Link, sub *Filter) *Filter {
	f := &Filter{Op: Some, Link: link}
	if sub != nil {
		f.Sub = []*Filter{sub}
	}
	return f
}

// quantified reads {some: {…}, none: {…}, every: {…}} of a many relation, and the operators of
// an array if the row itself holds its ids.
func (p *Parser) quantified(e *schema.Entity, scope Scope, link *schema.Link, value json.RawMessage) *Filter {
	there, via, ok := p.across(link) // before anything is said about the value
	if !ok && link.Inverse != nil {
		p.unknown(e, scope, p.path[len(p.path)-1])
		return nil
	}
	if jsontext.KindOf(value) != jsontext.Object {
		like := "some"
		if !ok {
			like = "has" // the rows do not exist here, their ids do
		}
		p.refuse("type", fmt.Sprintf(`must be an object such as {"%s": …}`, like))
		return nil
	}
	var all []*Filter
	for name, text := range jsontext.Members(value) {
		p.path = append(p.path, name)
		if f := p.ofMany(link, there, via, ok, name, text); f != nil {
			all = append(all, f)
		}
		p.path = p.path[:len(p.path)-1]
	}
	return allOf(p.empty(all))
}

// ofMany reads one operator of a many relation; nil for one that holds for every row. Without ok the
// rows do not exist for the caller.
func (p *Parser) ofMany(link *schema.Link, there Scope, via *Filter, ok bool, name string, text json.RawMessage) *Filter {
	op, known := map[string]Op{"some": Some, "none": None, "every": Every}[name]
	switch {
	case known && ok:
	case link.Field.Stored && (name == "has" || name == "isNull"):
		return p.comparison(link.Field, name, text)
	case ok && Function(name) != Key:
		return p.aggregate(there, Derived{Link: link, Where: there.Visible(), Via: via, Func: Function(name)}, text)
	default:
		names := "some, none, every, " + strings.Join(functions[Count:], ", ") + has(link.Field)
		if !ok { // the rows do not exist here, their ids do
			names = "has, isNull for the ids in the row"
		}
		p.refuse(schema.UnknownKey, "is no operator of many rows; there is "+names)
		return nil
	}
	sub := p.object(link.Target, there, text)
	if sub == nil {
		p.narrows(0)
	}
	if op == Every && there.Visible() != nil && sub != nil {
		// Every row the caller can see: a hidden one does not count.
		sub = &Filter{Op: Or, Sub: []*Filter{{Op: Not, Sub: []*Filter{there.Visible()}}, sub}}
	} else if op != Every {
		sub = Both(there.Visible(), sub)
	}
	f := &Filter{Op: op, Link: link, Via: via, Rule: p.rule()}
	if sub != nil {
		f.Sub = []*Filter{sub}
	} else if op == Every {
		return nil // every one of them meets {}
	}
	return f
}

// aggregate reads the operand of a function of the rows behind a many relation:
//
//	count   {"gte": 5}
//	avg     {"rating": {"gte": 4}}
func (p *Parser) aggregate(there Scope, value Derived, text json.RawMessage) *Filter {
	link := value.Link
	if value.Func == Count {
		return p.compareAggregate(&value, text)
	}
	if jsontext.KindOf(text) != jsontext.Object {
		p.refuse("type", `must be an object of fields, such as {"rating": {"gte": 4}}`)
		return nil
	}
	var all []*Filter
	for name, conditions := range jsontext.Members(text) {
		p.path = append(p.path, name)
		of, _ := p.named(link.Target, there, name)
		switch {
		case of == nil || !of.Stored:
			p.unknown(link.Target, there, name)
		default:
			d := value
			d.Of = of
			if why := p.lacks(&d); why != "" {
				p.refuse("operator", why)
			} else if f := p.compareAggregate(&d, conditions); f != nil {
				all = append(all, f)
			}
		}
		p.path = p.path[:len(p.path)-1]
	}
	return allOf(p.empty(all))
}

// lacks is why a field has no such aggregate, as the end of a sentence about it, or "".
func (p *Parser) lacks(d *Derived) string {
	switch {
	case p.Host.Converts(d.Of):
		return "has values that are converted when they leave; leave it out"
	case !d.Func.On(d.Of.Kind):
		var has []string
		for _, f := range OfField {
			if f.On(d.Of.Kind) {
				has = append(has, f.String())
			}
		}
		if has == nil {
			return "has values that cannot be compared; leave it out"
		}
		return fmt.Sprintf("has no %s; it has %s", d.Func, strings.Join(has, ", "))
	}
	return ""
}

// compareAggregate reads the operators of an aggregate.
func (p *Parser) compareAggregate(d *Derived, text json.RawMessage) *Filter {
	path := d.Link.Name + "." + d.Func.String()
	if d.Of != nil {
		path = d.Link.Name + "." + d.Of.Name + "." + d.Func.String()
	}
	var all, comparisons []*Filter
	for _, f := range p.comparisons(d.named(path).As, text).Conditions() {
		if f.Field == nil { // decided: in a list of nothing
			all = append(all, f)
		} else {
			comparisons = append(comparisons, f)
		}
	}
	if sub := allOf(comparisons); sub != nil {
		all = append(all, &Filter{Op: Aggregate, Link: d.Link, Derived: d, Sub: []*Filter{sub}, Rule: p.rule()})
	}
	return allOf(all)
}

// across returns the rows behind a many relation that exist for the caller, and the condition on rows
// in between. ok is false where the relation does not exist for the caller.
func (p *Parser) across(link *schema.Link) (there Scope, via *Filter, ok bool) {
	there, ok = p.Host.Behind(p.ctx, link)
	holds := there
	if ok && link.Through != nil {
		if holds, ok = p.Host.Behind(p.ctx, link.Between()); ok {
			via, ok = holds.Visible(), readable(holds, link.Through)
		}
	}
	return there, via, ok && (link.Inverse == nil || readable(holds, link.Inverse))
}

// has returns the part of a message about the operators of ids that the row holds.
func has(p *schema.Property) string {
	if p.Stored {
		return ", and has, isNull for the ids in the row"
	}
	return ""
}
