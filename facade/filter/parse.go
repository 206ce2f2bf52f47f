package filter

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// The parser descends once through the JSON and builds the tree on the way back:
//
//	object       {…}: every member has to hold
//	member       and, or, not; a field; a relation
//	several      the list of and, or
//	comparisons  {op: value, …} of a field
//	related      the filter of a one relation             relation.go
//	quantified   some, none and every of a many relation  relation.go
//
// A field that the caller may not read is refused as one that does not exist, by the same
// function and before anything is said about its value (docs/decisions/errors.md): a filter must not
// be a way to find out hidden values. The rows of a relation are narrowed to those the
// caller may see, under any condition of the caller (docs/decisions/filters-and-paging.md).

// maxDepth is how deep the objects of a filter nest: and, or, not, relations
// (docs/decisions/filters-and-paging.md). The objects of operators are not counted.
const maxDepth = 12

// The other caps of one filter. A filter over them is refused, not cut.
const (
	maxConditions = 300 // comparisons, and objects around them
	maxOperands   = 500 // values of one in or notIn
)

// Scope is what one caller sees of one entity. A parser asks it from one goroutine.
type Scope interface {
	// Readable reports whether a field exists for the caller.
	Readable(p *schema.Property) bool
	// Visible is the condition on the rows that exist for the caller; nil: all rows.
	Visible() *Filter
}

// Host does the part that depends on the sender of a filter and on the keeper of the rows
// (docs/decisions/packages.md). A parser asks it from one goroutine.
type Host interface {
	// Behind is the scope of the rows behind a relation; false where the caller cannot
	// reach them.
	Behind(ctx context.Context, l *schema.Link) (Scope, bool)
	// Decode brings a value that rows have to equal over the boundary, by the conversion
	// that the field names (spec 2.2: boundary.in); false where the conversion refuses it.
	Decode(p *schema.Property, text json.RawMessage) (json.RawMessage, bool)
	// Converts reports whether the field's values leave in another form than they are kept in, so
	// that an answer about them would disclose the kept form.
	Converts(p *schema.Property) bool
	// Answers reports whether an old name of a field that the caller may read means the field.
	Answers(a *schema.FieldAlias) bool
	// Suggests reports whether messages may name what exists (docs/decisions/errors.md).
	Suggests() bool
}

// Reference reads a placeholder among the operands of a filter that a rule declares, such
// as $user.id: ref becomes one of the Values then. For any other text ref is nil, and
// literal is the text without its mark. why is the fault of the text, else "". op is Eq for one
// value of the list of in or notIn.
type Reference func(field *schema.Property, op Op, text json.RawMessage) (ref any, literal json.RawMessage, why string)

// Parser reads one filter. It goes on after a fault, so that Details name all of them.
// The zero value reads a filter of the author's own code, for which all fields exist.
type Parser struct {
	Host Host
	// Missing is the name that a path ended at (see Path).
	Missing *Missing
	At      string // the pointer that Details begin with
	Max     int    // Details at most; 0: schema.MaxDetails
	// Reference reads placeholders; it may be nil. A filter with placeholders is a rule, and an
	// empty rule is refused.
	Reference Reference
	// Write marks the condition of a write. Each part of it has to narrow the rows: an empty object at
	// any depth, an empty list and an empty text are refused.
	Write bool
	// Rules accepts [OfRule], of a host that has access rules of its own.
	Rules   bool
	Details []schema.Detail // the refusals

	// Conditions is how many conditions were read.
	Conditions int

	ctx   context.Context
	path  []string // where in the filter the parser is
	depth int
}

// Parse reads a filter of e in the grammar of list, for collectors and others of the author's
// own code, which may see every field. at is the pointer that details begin with. The filter is
// nil for an empty text. Use it only without details.
func Parse(e *schema.Entity, text json.RawMessage, at string) (*Filter, []schema.Detail) {
	p := Parser{At: at}
	f := p.Parse(context.Background(), e, All, text)
	return f, p.Details
}

// Parse reads a filter of e for a caller who sees scope. The result is nil for an empty filter.
// Use it only if Details are empty.
func (p *Parser) Parse(ctx context.Context, e *schema.Entity, scope Scope, text json.RawMessage) *Filter {
	p.ctx = ctx
	if p.Host == nil {
		p.Host = author{}
	}
	if p.Max == 0 {
		p.Max = schema.MaxDetails
	}
	f := p.object(e, scope, text)
	if f == nil {
		p.empty(nil)
	}
	return f
}

// All is the scope of the author's own code: every field and every row.
var All Scope = all{}

type all struct{}

// Readable implements [Scope].
func (all) Readable(*schema.Property) bool { return true }

// Visible implements [Scope].
func (all) Visible() *Filter { return nil }

// rule reports whether the filter that is read is the author's own, or an access rule's.
func (p *Parser) rule() bool {
	_, is := p.Host.(author)
	return is
}

// author is the host of a filter that the author's own code parses.
type author struct{}

// Behind implements [Host].
func (author) Behind(context.Context, *schema.Link) (Scope, bool) { return All, true }

// Converts implements [Host].
func (author) Converts(*schema.Property) bool { return false }

// Suggests implements [Host].
func (author) Suggests() bool { return true }

// Answers implements [Host]: a rule has the names of now.
func (author) Answers(*schema.FieldAlias) bool { return false }

// Decode implements [Host]: the author's own code is inside the boundary.
func (author) Decode(_ *schema.Property, text json.RawMessage) (json.RawMessage, bool) {
	return text, true
}

// object reads {field: {op: value}, and: […], …}: all members have to hold. An empty filter is
// nil.
func (p *Parser) object(e *schema.Entity, scope Scope, text json.RawMessage) *Filter {
	if jsontext.KindOf(text) != jsontext.Object {
		p.refuse("type", `must be a filter, an object such as {"name": {"eq": "…"}}`)
		return nil
	}
	defer func() { p.depth-- }()
	// The limit bounds the recursion of this parser and of every store that translates the
	// tree. A gateway has judged its caller's filter, and adds rules at every relation.
	most := maxDepth
	if p.Rules {
		most *= 3
	}
	if p.depth++; p.depth > most {
		p.refuse("depth", fmt.Sprintf("is nested deeper than %d levels; ask for less at once", most))
		return nil
	}
	if !p.counts() {
		return nil
	}
	var all []*Filter
	for name, value := range jsontext.Members(text) {
		if p.full() {
			break
		}
		p.path = append(p.path, name)
		if f := p.member(e, scope, name, value); f != nil {
			all = append(all, f)
		}
		p.path = p.path[:len(p.path)-1]
	}
	return allOf(all)
}

// allOf returns the filter that holds where all hold, or nil. One filter stays as it is,
// without an And around it.
func allOf(all []*Filter) *Filter {
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return &Filter{Op: And, Sub: all}
}

// member reads one member: a logical word, a field with operators, or a relation with a
// filter.
func (p *Parser) member(e *schema.Entity, scope Scope, name string, value json.RawMessage) *Filter {
	switch name {
	case "and", "or":
		return p.several(e, scope, name, value)
	case "not":
		f := p.object(e, scope, value)
		if f == nil {
			p.narrows(0)
			f = &Filter{Op: And} // not {} holds for no row
		}
		return &Filter{Op: Not, Sub: []*Filter{f}}
	case ofRule:
		if p.Rules {
			caller := p.Host
			p.Host = author{}
			f := p.object(e, All, value)
			p.Host = caller
			return f.AsRule(func(*schema.Property) bool { return true }) // for the next host
		}
	}
	field, link := p.named(e, scope, name)
	if field == nil {
		p.unknown(e, scope, name)
		return nil
	}
	if link == nil {
		return p.comparisons(field, value)
	}
	if !link.Many {
		f, ok := p.related(link, value)
		if !ok {
			p.unknown(e, scope, name)
			return nil
		}
		return f
	}
	return p.quantified(e, scope, link, value)
}

// named is the meaning of a name, or of an old one, to the caller, or nil.
func (p *Parser) named(e *schema.Entity, scope Scope, name string) (*schema.Property, *schema.Link) {
	field, link := Field(e, name)
	if a := e.Alias(name); field == nil && a != nil && scope.Readable(a.Field) && p.Host.Answers(a) {
		if field = a.Field; name == a.Relation {
			link = field.Link
		}
	}
	if field == nil || !scope.Readable(field) {
		return nil, nil
	}
	return field, link
}

// Field is the meaning of a name in a filter: a field, or the relation it
// declares. The relation's name takes a filter, its key takes operators.
func Field(e *schema.Entity, name string) (*schema.Property, *schema.Link) {
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

// several reads the list of and, or. A branch {} holds for every row, so that an or with one
// holds for all rows; in a rule it is refused.
func (p *Parser) several(e *schema.Entity, scope Scope, name string, value json.RawMessage) *Filter {
	if jsontext.KindOf(value) != jsontext.Array {
		p.refuse("type", "must be a list of filters")
		return nil
	}
	f := &Filter{Op: And}
	if name == "or" {
		f.Op = Or
	}
	for i, item := range jsontext.Elements(value) {
		if p.full() {
			break
		}
		p.path = append(p.path, strconv.Itoa(i))
		sub := p.object(e, scope, item)
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
func (p *Parser) comparisons(field *schema.Property, value json.RawMessage) *Filter {
	if jsontext.KindOf(value) != jsontext.Object {
		name := operatorsOf(field)[0]
		p.refuse("type", fmt.Sprintf(`must be an object of operators; write {"%s": …} around the value`, name))
		return nil
	}
	var all []*Filter
	for name, text := range jsontext.Members(value) {
		if p.full() {
			break
		}
		p.path = append(p.path, name)
		if f := p.comparison(field, name, text); f != nil {
			all = append(all, f)
		}
		p.path = p.path[:len(p.path)-1]
	}
	return allOf(p.empty(all))
}

// comparison reads one operator and its operand.
func (p *Parser) comparison(field *schema.Property, name string, text json.RawMessage) *Filter {
	if !p.counts() {
		return nil
	}
	o, known := operators[name]
	switch {
	case !known:
		meant := ""
		if names := schema.OperatorsMeant(name, operatorsOf(field)); names != nil {
			meant = "did you mean " + strings.Join(names, " or ") + "? "
		}
		p.refuse(schema.UnknownKey, fmt.Sprintf("is no operator; %s%s takes %s", meant, field.Name, strings.Join(operatorsOf(field), ", ")))
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
	if p.Reference != nil {
		ref, literal, why := p.Reference(field, o.op, text)
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
		if value, why = schema.KindBoolean.Value(text); why != "" {
			why = "must be true or false"
		}
	case Has:
		kind, _ := ItemKind(field)
		if value, why = kind.Value(text); why != "" {
			why = "must be one value: " + why
		}
	default:
		value, why = p.value(field, o.op, text)
		if part, is := value.(string); is && part == "" && o.op.ofPart() {
			p.narrows(0)
		}
	}
	if why != "" {
		p.refuse("type", why)
		return nil
	}
	return &Filter{Op: o.op, Field: field, Values: []any{value}}
}

// oneOf reads the list of in, notIn. An empty one is no fault: no value is in it.
func (p *Parser) oneOf(field *schema.Property, op Op, text json.RawMessage) *Filter {
	if p.Reference != nil && jsontext.KindOf(text) == jsontext.String {
		ref, _, why := p.Reference(field, op, text)
		switch {
		case why != "":
			p.refuse("reference", why)
			return nil
		case ref != nil:
			return &Filter{Op: op, Field: field, Values: []any{ref}}
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
	// docs/decisions/filters-and-paging.md: in of an empty list holds for no row, notIn of it for every
	// row.
	case len(values) == 0 && op == In:
		return Nothing()
	case len(values) == 0:
		p.narrows(0)
		return &Filter{Op: And}
	}
	return &Filter{Op: op, Field: field, Values: values}
}

// item reads one value of a list. A placeholder in a list is read as an operand of eq: it
// means one value, not the list.
func (p *Parser) item(field *schema.Property, op Op, text json.RawMessage) (any, string) {
	if p.Reference != nil {
		ref, literal, why := p.Reference(field, Eq, text)
		if ref != nil || why != "" {
			return ref, why
		}
		text = literal
	}
	return p.value(field, op, text)
}

// value is one operand as the rows hold it. A value that the field has to equal crosses the
// boundary as a written one does (spec 2.2: boundary.in): capitals find a field that is kept in
// lower case. A part of a text, and a bound to compare with, is no value of the field and stays
// as it was sent.
func (p *Parser) value(field *schema.Property, op Op, text json.RawMessage) (any, string) {
	value, why := Operand(field, op, text)
	name := field.Axes.In.Name
	if why != "" || name == "" || op != Eq && op != Ne && op != In && op != NotIn {
		return value, why
	}
	decoded, ok := p.Host.Decode(field, text)
	if ok {
		value, why = field.Kind.Value(decoded)
	}
	if !ok || why != "" {
		return nil, "cannot be read by the conversion " + name + "; send it in the form that takes"
	}
	return value, ""
}

// empty refuses, in a rule and in the condition of a write, an object or a list without conditions: it
// would hold for every row, and an author who left something out does not mean that.
func (p *Parser) empty(all []*Filter) []*Filter {
	if p.Reference != nil && len(all) == 0 && len(p.Details) == 0 {
		p.refuse("minProperties", "says nothing, so that it would hold for every row; write a condition, or leave it out")
	}
	p.narrows(len(all))
	return all
}

// narrows refuses, in the condition of a write, a part with n conditions or values where n is 0: a
// value that the sender forgot must not turn into more rows to write. A part with a refusal inside
// is not refused again.
func (p *Parser) narrows(n int) {
	if !p.Write || n > 0 || slices.ContainsFunc(p.Details, func(d schema.Detail) bool { return strings.HasPrefix(d.Pointer, p.pointer()) }) {
		return
	}
	p.refuse("minProperties", "is empty, so that it would not narrow the rows to write; write a value, or leave it out")
}

// counts counts a condition and reports whether the filter is still small enough; the first one
// beyond the limit is a detail, and the parser stops reading.
func (p *Parser) counts() bool {
	if p.Conditions == maxConditions {
		p.refuse("size", fmt.Sprintf("is past the %d conditions a filter may have; ask for less at once", maxConditions))
		p.Max = len(p.Details) // the parser looks no further
		return false
	}
	p.Conditions++
	return true
}

// unknown refuses a name that does not exist for the caller.
func (p *Parser) unknown(e *schema.Entity, scope Scope, name string) {
	instead := "; leave it out"
	if p.Host.Suggests() {
		instead = schema.Instead(name, p.names(e, scope), true)
	}
	p.refuse(schema.UnknownKey, fmt.Sprintf("is nothing to filter %s by%s", e.Name, instead))
}

// names are those the caller may filter by, for a suggestion. A many relation that is the
// inverse of a field is among them only where the caller may read that field on the other
// side.
func (p *Parser) names(e *schema.Entity, scope Scope) (names []string) {
	for _, field := range e.Fields {
		if !scope.Readable(field) {
			continue
		}
		if field.Link == nil {
			names = append(names, field.Name)
			continue
		}
		if field.Stored {
			names = append(names, field.Link.Key)
		}
		if _, _, ok := p.across(field.Link); ok {
			names = append(names, field.Link.Name)
		}
	}
	return names
}

// readable reports whether rows hold the field and it exists for the caller.
func readable(scope Scope, p *schema.Property) bool { return p.Stored && scope.Readable(p) }

// full reports whether enough is refused to stop looking.
func (p *Parser) full() bool { return len(p.Details) >= p.Max }

// refuse keeps a refusal at the place in the filter where the parser is.
func (p *Parser) refuse(code, message string) {
	if p.full() {
		return
	}
	p.Details = append(p.Details, schema.Detail{Code: code, Message: message}.At(p.pointer()))
}

// pointer returns where the parser is, as details have it.
func (p *Parser) pointer() string {
	at := p.At
	for _, name := range p.path {
		at += "/" + jsontext.Token(name)
	}
	return at
}
