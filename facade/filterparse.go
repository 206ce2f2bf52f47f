package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// The caps of one filter. A filter over them is refused, not cut.
const (
	maxFilterDepth = 12  // objects within each other: and, or, not, relations
	maxConditions  = 300 // comparisons, and objects around them
	maxOperands    = 500 // values of one in or notIn
)

// ParseFilter reads a filter of e in the grammar of list (see Query of its
// operation), for collectors and others of the author's own code: nothing is
// hidden from it. at is the pointer details begin with.
func ParseFilter(e *schema.Entity, text json.RawMessage, at string) (*Filter, []schema.Detail) {
	t := &trip{inside: true}
	p := filterParser{trip: t, ctx: context.Background(), at: at}
	f := p.object(e, open, text)
	return f, t.details
}

// filterParser reads one filter. It goes on after a fault, so that all are named.
type filterParser struct {
	trip  *trip
	ctx   context.Context
	at    string   // where the filter stands
	path  []string // where in it we are
	count int      // conditions so far
	// template takes references such as $user.id for values; see parseTemplate.
	template bool
	depth    int
}

// object reads {field: {op: value}, and: […], …}: all members have to hold.
func (p *filterParser) object(e *schema.Entity, see *Scope, text json.RawMessage) *Filter {
	if jsontext.KindOf(text) != jsontext.Object {
		p.refuse("type", `must be a filter, an object such as {"name": {"eq": "…"}}`)
		return nil
	}
	defer func() { p.depth-- }()
	if p.depth++; p.depth > maxFilterDepth {
		p.refuse("depth", fmt.Sprintf("is nested deeper than %d levels; ask for less at once", maxFilterDepth))
		return nil
	}
	if !p.counts() {
		return nil
	}
	var all []*Filter
	for name, value := range jsontext.Members(text) {
		p.path = append(p.path, name)
		if f := p.member(e, see, name, value); f != nil {
			all = append(all, f)
		}
		p.path = p.path[:len(p.path)-1]
	}
	return allOf(all)
}

// allOf holds where all hold; nil for none of them.
func allOf(all []*Filter) *Filter {
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return &Filter{Op: And, Sub: all}
}

func (p *filterParser) member(e *schema.Entity, see *Scope, name string, value json.RawMessage) *Filter {
	if p.trip.full() {
		return nil
	}
	switch name {
	case "and", "or":
		return p.several(e, see, name, value)
	case "not":
		f := p.object(e, see, value)
		if f == nil {
			f = &Filter{Op: And} // not {} holds for no row
		}
		return &Filter{Op: Not, Sub: []*Filter{f}}
	}
	field, link := filterField(e, name)
	if field == nil || !p.trip.visible(see, field) {
		p.unknown(e, see, name)
		return nil
	}
	if link == nil {
		return p.comparisons(field, value)
	}
	if !link.Many {
		f, ok := p.related(link, value)
		if !ok {
			p.unknown(e, see, name)
			return nil
		}
		return f
	}
	return p.quantified(e, see, link, value)
}

// filterField is what a name in a filter means: a field, or the relation it
// declares. The relation's name takes a filter, its key takes operators.
func filterField(e *schema.Entity, name string) (*schema.Property, *schema.Link) {
	if link := e.Relation(name); link != nil {
		return link.Field, link
	}
	if field := e.Property(name); field != nil {
		return field, nil
	}
	for _, field := range e.Fields {
		if field.Link != nil && field.Link.Key == name {
			return field, nil
		}
	}
	return nil, nil
}

// visible says whether the caller may filter by a field: by one they may read, or
// by a relation whose other side they may read.
func (t *trip) visible(see *Scope, p *schema.Property) bool { return t.inside || see.Readable(p) }

// several reads the list of and, or.
func (p *filterParser) several(e *schema.Entity, see *Scope, name string, value json.RawMessage) *Filter {
	if jsontext.KindOf(value) != jsontext.Array {
		p.refuse("type", "must be a list of filters")
		return nil
	}
	f := &Filter{Op: And}
	if name == "or" {
		f.Op = Or
	}
	for i, item := range jsontext.Elements(value) {
		p.path = append(p.path, strconv.Itoa(i))
		sub := p.object(e, see, item)
		if sub == nil {
			p.empty(nil)
			sub = &Filter{Op: And} // {} holds for every row
		}
		f.Sub = append(f.Sub, sub)
		p.path = p.path[:len(p.path)-1]
	}
	p.empty(f.Sub)
	return f
}

// comparisons reads {op: value, …} of one field: all of them have to hold.
func (p *filterParser) comparisons(field *schema.Property, value json.RawMessage) *Filter {
	if jsontext.KindOf(value) != jsontext.Object {
		name := operatorsOf(field)[0]
		p.refuse("type", fmt.Sprintf(`must be an object of operators; write {"%s": …} around the value`, name))
		return nil
	}
	var all []*Filter
	for name, text := range jsontext.Members(value) {
		p.path = append(p.path, name)
		if f := p.comparison(field, name, text); f != nil {
			all = append(all, f)
		}
		p.path = p.path[:len(p.path)-1]
	}
	return allOf(p.empty(all))
}

func (p *filterParser) comparison(field *schema.Property, name string, text json.RawMessage) *Filter {
	if !p.counts() {
		return nil
	}
	o, known := operators[name]
	switch {
	case !known:
		p.refuse(schema.UnknownKey, fmt.Sprintf("is no operator; %s takes %s", field.Name, strings.Join(operatorsOf(field), ", ")))
		return nil
	case !o.on(field):
		p.refuse("operator", fmt.Sprintf("is no operator of %s; it takes %s", field.Name, strings.Join(operatorsOf(field), ", ")))
		return nil
	case jsontext.IsNull(text):
		p.refuse("type", `must not be null, to which nothing is equal; to ask for rows without a value, write {"isNull": true}`)
		return nil
	case o.many:
		return p.oneOf(field, o.op, text)
	}
	if p.template {
		ref, literal, why := readReference(text)
		if why == "" {
			why = ref.holdsTime(field)
		}
		if why == "" && ref != nil && ref.path == nil && (o.op == IsNull || o.op == Has) {
			why = "names $now; " + name + " takes no time"
		}
		switch {
		case why != "":
			p.refuse("reference", why)
			return nil
		case ref != nil:
			return &Filter{Op: o.op, Field: field, Values: []any{ref}}
		}
		text = literal
	}
	var value any
	var why string
	switch o.op {
	case IsNull:
		if value, why = rows.Value(schema.KindBoolean, text); why != "" {
			why = "must be true or false"
		}
	case Has:
		kind, _ := itemKind(field)
		if value, why = rows.Value(kind, text); why != "" {
			why = "must be one value: " + why
		}
	default:
		value, why = p.value(field, o.op, text)
	}
	if why != "" {
		p.refuse("type", why)
		return nil
	}
	return &Filter{Op: o.op, Field: field, Values: []any{value}}
}

// oneOf reads the list of in, notIn. An empty one is no fault: nothing is in it.
func (p *filterParser) oneOf(field *schema.Property, op Op, text json.RawMessage) *Filter {
	if p.template && jsontext.KindOf(text) == jsontext.String {
		ref, _, why := readReference(text)
		if ref != nil && ref.path == nil {
			why = "names $now, which is no list; write " + fmt.Sprintf("[%s]", ref.text)
		} else if ref != nil {
			ref.list = true
			return &Filter{Op: op, Field: field, Values: []any{ref}}
		}
		if why != "" {
			p.refuse("reference", why)
			return nil
		}
	}
	if jsontext.KindOf(text) != jsontext.Array {
		p.refuse("type", "must be a list of values")
		return nil
	}
	var values []any
	for i, item := range jsontext.Elements(text) {
		if i == maxOperands {
			p.refuse("maxItems", fmt.Sprintf("must have at most %d items; ask for fewer at once", maxOperands))
			return nil
		}
		p.path = append(p.path, strconv.Itoa(i))
		value, why := any(nil), "must not be null, to which nothing is equal; leave it out, and ask with isNull"
		if !jsontext.IsNull(item) {
			value, why = p.item(field, op, item)
		}
		if why != "" {
			p.refuse("type", why)
		}
		p.path = p.path[:len(p.path)-1]
		values = append(values, value)
	}
	switch {
	case len(values) == 0 && op == In:
		return nothing()
	case len(values) == 0:
		return &Filter{Op: And}
	}
	return &Filter{Op: op, Field: field, Values: values}
}

// item is one value of a list.
func (p *filterParser) item(field *schema.Property, op Op, text json.RawMessage) (any, string) {
	if p.template {
		ref, literal, why := readReference(text)
		if why == "" {
			why = ref.holdsTime(field)
		}
		if ref != nil || why != "" {
			return ref, why
		}
		text = literal
	}
	return p.value(field, op, text)
}

// value is one operand as the rows hold it. A value that has to be the field's own
// comes over the boundary as one that is written does (spec 2.2: boundary.in): what
// is kept in lower case is found in capitals too. A part of a text, and what is
// only larger or smaller, is no value of the field and stays as it was sent.
func (p *filterParser) value(field *schema.Property, op Op, text json.RawMessage) (any, string) {
	value, why := operandFor(field, op, text)
	name := field.Axes.In.Name
	if why != "" || name == "" || p.trip.inside || p.trip.away() || op != Eq && op != Ne && op != In && op != NotIn {
		return value, why
	}
	convert := p.trip.facade.registry.Conversions[name].Decode
	if convert == nil {
		p.trip.fail(fmt.Errorf("unknown generator: no conversion called %q decodes %s.%s", name, field.Owner.Name, field.Name))
		return value, ""
	}
	decoded, err := convert(text)
	if err == nil {
		value, why = rows.Value(field.Kind, decoded)
	}
	if err != nil || why != "" {
		return nil, "cannot be read by the conversion " + name + "; send it in the form that takes"
	}
	return value, ""
}

// empty refuses, in a rule, what says nothing: it would hold for every row, and an
// author who left something out does not mean that.
func (p *filterParser) empty(all []*Filter) []*Filter {
	if p.template && len(all) == 0 && len(p.trip.details) == 0 {
		p.refuse("minProperties", "says nothing, so that it would hold for every row; write a condition, or leave it out")
	}
	return all
}

// counts is false once the filter has grown too large; it is refused once.
func (p *filterParser) counts() bool {
	if p.count++; p.count == maxConditions+1 {
		p.refuse("size", fmt.Sprintf("is past the %d conditions a filter may have; ask for less at once", maxConditions))
	}
	return p.count <= maxConditions
}

// unknown refuses a name that does not exist for the caller.
func (p *filterParser) unknown(e *schema.Entity, see *Scope, name string) {
	p.refuse(schema.UnknownKey, fmt.Sprintf("is nothing to filter %s by%s", e.Name, p.trip.instead(name, func() []string { return p.names(e, see) })))
}

// names are those the caller may filter by.
func (p *filterParser) names(e *schema.Entity, see *Scope) (names []string) {
	for _, field := range e.Fields {
		if !p.trip.visible(see, field) {
			continue
		}
		if field.Link == nil {
			names = append(names, field.Name)
			continue
		}
		if field.Stored {
			names = append(names, field.Link.Key)
		}
		if there, ok := p.trip.joined(p.ctx, field.Link); ok && (field.Link.Inverse == nil || p.trip.readable(there, field.Link.Inverse)) {
			names = append(names, field.Link.Name)
		}
	}
	return names
}

func (p *filterParser) refuse(code, message string) {
	at := p.at
	for _, name := range p.path {
		at += "/" + jsontext.Token(name)
	}
	p.trip.refuse(schema.Detail{Path: pathOf(at), Pointer: at, Code: code, Message: message})
}
