package schema

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/frondhost/frond/schema/jsontext"
)

// Entity is a compiled card: names resolved, relations linked, the judge built. It never
// changes and may be shared between goroutines. Views (the inputs and results of operations)
// are entities too, with View set.
type Entity struct {
	Name string // as its author spelled it: orderLine
	// Key is Name in lower case: orderline. relation.to and $defs carry it (spec 2.4).
	Key   string
	Frond string // the Frond it was declared in
	View  bool
	// Card is the full document, authoring shorthand expanded. It is not to be changed.
	Card *Card
	// Fields are in declaration order. It is empty for a bare object, or properties: {}.
	Fields []*Property
	// Primary is nil for a view without a primary field, and for an entity without stored
	// rows.
	Primary *Property
	// Uniques are the unique constraints, each with its fields in the order of the index. A
	// constraint of several members is in it once. A view has those all of whose members it
	// kept.
	Uniques [][]*Property
	// Table is where the rows are in a database that was there before the card; nil: in a
	// table that the store makes and changes by the card.
	Table *Table
	// Aliases are old names of fields that callers may still use; see AddAlias.
	Aliases []*FieldAlias
	// Search is how its rows are searched by words; nil: they are not. See SetSearch.
	Search *Search

	byName map[string]*Property
	link   map[string]*Link
	judge  *judge
}

// Property is a field of an entity, compiled.
type Property struct {
	// Field is the card's field, or a copy that is marked as optional.
	*Field
	// Index is its place in Entity.Fields.
	Index int
	// Owner is the entity it belongs to: for a field that a view took over, the view.
	Owner *Entity
	// Kind is the kind of its values, for encoders, columns and types.
	Kind Kind
	// Link is where role.relation points. nil for a plain field, and for a relation to an
	// entity that is unknown here (CompileOptions.Partial and Unknown, cards of remotes); the
	// name is then in Axes.Relation.To.
	Link *Link
	// Stored is false for a many relation that mirrors a field of another entity: it has no
	// column, no value in plain rows, and cannot be sent (docs/decisions/card-language.md).
	Stored bool

	required bool
}

// Merges says whether a patch merges the field's object into the stored one. A field with a
// conversion is one value: its stored form differs from the sent one.
func (p *Property) Merges() bool { return p.Axes.In.Name == "" && p.Axes.Out.Name == "" }

// Readable says whether the field may leave the host at all: boundary.out is not closed. Which
// callers may read it is for the collectors to say.
func (p *Property) Readable() bool { return !p.Axes.Out.Closed }

// Link is a relation between two entities, resolved. A field authorId and a field author both
// make the relation author with the key authorId (docs/decisions/card-language.md).
type Link struct {
	// Name is the relation's name in filters and in GraphQL: author.
	Name string
	// Key is the name of the raw key: authorId.
	Key string
	// Many is kind: many.
	Many bool
	// Target is the entity it leads to; never nil.
	Target *Entity
	// Inverse is, for a many relation, the one-relation that points back: of Target, or with
	// Through of the rows in between. nil: the row itself holds the ids
	// (docs/decisions/card-language.md).
	Inverse *Property
	// Through is, for a relation through rows in between, their one-relation to Target; else nil.
	Through *Property
	// Field is the field that declares it.
	Field *Property

	between *Link
}

// Between returns the relation to the rows in between; nil for a direct relation.
func (l *Link) Between() *Link { return l.between }

// Opposite returns the relation of Target that leads back through the same rows in between, or nil.
func (l *Link) Opposite() *Link {
	for _, p := range l.Target.Fields {
		if p.Link != nil && l.Through != nil && p.Link.Inverse == l.Through && p.Link.Through == l.Inverse {
			return p.Link
		}
	}
	return nil
}

// FieldAlias is a name that a field had before and by which callers may still name it until a
// date (renamed: {product.name: {to: product.title, until: 2027-06-01}}). It never changes once
// its entity is in use.
type FieldAlias struct {
	// Name is the old name, as rows and bodies have it.
	Name string
	// Field is the field that it means, in the entity that has the alias.
	Field *Property
	// Relation and Key are the old names of a relation and of its key, as [Link] has them; ""
	// of a plain field.
	Relation, Key string
	// Until is the last second at which the name is answered, the end of the day in UTC.
	Until time.Time
	// File and At are the place of its declaration, a path and a JSON pointer.
	File, At string
}

// Required says whether a caller has to supply the field at creation (spec 2.3). A required
// field may still be null: presence and nullability are two things.
func (p *Property) Required() bool { return p.required }

// Parts returns the fields that make up a field without a column of its own in another
// program's table: a primary field whose key has several columns, or a relation to such an
// entity. nil: the field has a column.
func (p *Property) Parts() []string {
	switch t := p.Owner.Table; {
	case t == nil:
		return nil
	case p == p.Owner.Primary && t.Key != nil:
		return t.Key
	default:
		return t.References[p.Name]
	}
}

// MayBeNull says whether a store keeps null in the field: the shape accepts it, or the field may
// be left out at creation and no rule fills it. The first line that applies holds:
//
//	primary key, many relation                 false
//	type: [string, 'null']                     true
//	lifecycle.create: optional                 true
//	lifecycle.create: now, generate or value   false
//	otherwise                                  true if the field is not required
func (p *Property) MayBeNull() bool {
	switch {
	case p.Axes.Primary, p.Axes.Relation != nil && p.Axes.Relation.Many:
		return false
	case p.Shape.Nullable:
		return true
	case p.Axes.Create != nil:
		return p.Axes.Create.Optional
	}
	return !p.required
}

// MayBeAbsent says whether a row may lack the field: MayBeNull holds, and the shape refuses null. A
// store keeps null for it; callers get a row without the field.
//
//	                              required                optional
//	type: string                  always a value          MayBeAbsent
//	type: [string, 'null']        a value or null         a value or null
func (p *Property) MayBeAbsent() bool {
	return p.MayBeNull() && !p.Shape.Nullable && p.Shape.Type != "null"
}

// Derive returns an entity without a card, such as the entity of computed columns, with these
// fields in this order. It becomes their owner.
func Derive(name, key string, fields []*Property) *Entity {
	e := &Entity{Name: name, Key: key, Fields: fields, byName: make(map[string]*Property, len(fields))}
	for i, p := range fields {
		p.Owner, p.Index, p.Stored = e, i, true
		e.byName[p.Name] = p
	}
	return e
}

// Named returns a view without keys and relations under another name. Both share the card, but for its title,
// and the judge.
func (e *Entity) Named(name string) *Entity {
	card := *e.Card
	card.Title = EntityKey(name)
	fields := slices.Clone(e.Fields)
	for i := range fields {
		own := *fields[i]
		fields[i] = &own
	}
	out := Derive(name, card.Title, fields)
	out.Frond, out.View, out.Card, out.judge = e.Frond, e.View, &card, e.judge
	return out
}

// Property returns the field called name, in that spelling, or nil.
func (e *Entity) Property(name string) *Property { return e.byName[name] }

// Relation returns the link whose relation name is name, or nil: author, also where the field
// is authorId.
func (e *Entity) Relation(name string) *Link { return e.link[name] }

// Mode is the purpose that a value is judged for.
type Mode uint8

// The modes of the judge (docs/calls.md).
const (
	// Create is a body at creation, or the input of a named operation.
	Create Mode = iota
	// Update is a patch: absent fields keep their values (docs/decisions/judge.md).
	Update
	// Plain is JSON Schema without the axes: params, query, results.
	Plain
	// Patch is Update without the row at hand. A nested object is merged into the stored one,
	// so only the rules that hold for any row are judged: its members, its unknown keys, and
	// its largest number of members.
	Patch
)

// Member is one key of a judged object with its value as text, as it was sent.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Object is a judged object: members that the card knows, in declaration order, then those that
// the card accepts without naming them. Each name occurs once.
type Object []Member

// ObjectOf returns the members of the text of an object, as they are.
func ObjectOf(text json.RawMessage) (o Object) {
	for name, value := range jsontext.Members(text) {
		o = append(o, Member{name, value})
	}
	return o
}

// Get returns the value of the member called name, or nil if it is absent. A null in the object
// is the text null.
func (o Object) Get(name string) json.RawMessage {
	for _, m := range o {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// Names returns the names of the members, in their order.
func (o Object) Names() (names []string) {
	for _, m := range o {
		names = append(names, m.Name)
	}
	return names
}

// AppendJSON appends the object's text to dst and returns it. Values are not compacted.
func (o Object) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	for _, m := range o {
		dst = append(jsontext.AppendName(jsontext.Comma(dst), m.Name), m.Value...)
	}
	return append(dst, '}')
}

// Detail is one refusal (docs/calls.md): what, where, and the word for it. The value that was
// refused is never in it, since details are logged and sent to other hosts.
//
//	{"path": "address.street", "pointer": "/body/address/street", "code": "maxLength",
//	 "message": "must have at most 80 characters", "params": {"limit": 80}}
type Detail struct {
	// Path is dotted: address.street, lines.0.price; "." for the value itself.
	Path string `json:"path"`
	// Pointer is an RFC 6901 pointer into the invocation.
	Pointer string `json:"pointer"`
	// Code is the JSON Schema keyword that refused, or one of the words below.
	Code string `json:"code"`
	// Message completes "this field …" and names the remedy.
	Message string `json:"message"`
	// Params are the keyword's own limits; nil for a keyword without limits. Numbers are
	// float64, so that a detail made here equals one from a remote's error.
	Params map[string]any `json:"params,omitempty"`
}

// At is the detail with a pointer into an invocation and its dotted path, without the part of the
// invocation that the pointer begins with: /body/address/street is address.street.
func (d Detail) At(pointer string) Detail {
	_, rest, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	rest = strings.ReplaceAll(rest, "/", ".")
	d.Path, d.Pointer = strings.ReplaceAll(strings.ReplaceAll(rest, "~1", "/"), "~0", "~"), pointer
	return d
}

// The codes of a detail other than JSON Schema keywords.
const (
	// UnknownKey is a key that the card does not have (docs/decisions/judge.md).
	UnknownKey = "unknown_key"
	// ReadOnly is a field that callers cannot send: boundary.in is closed, or it is the other
	// side of a relation.
	ReadOnly = "read_only"
	// Immutable is a field that cannot be sent in a patch: update: forbidden, or the primary
	// key.
	Immutable = "immutable"
)

// MaxDetails is how many refusals one judgement names at most: a body of a megabyte may have a
// hundred thousand.
const MaxDetails = 100

// Rewrite returns the text of an object with each member's value as change returns it; nil
// leaves the member out.
func Rewrite(object json.RawMessage, change func(name string, value json.RawMessage) json.RawMessage) json.RawMessage {
	var out Object
	for name, value := range jsontext.Members(object) {
		if value = change(name, value); value != nil {
			out = append(out, Member{name, value})
		}
	}
	return out.AppendJSON(nil)
}

// Day is the last day on which the name is answered: 2027-06-01.
func (a *FieldAlias) Day() string { return a.Until.Format(time.DateOnly) }

// Reason says why the name is not to be used any more, for schemas and documents.
func (a *FieldAlias) Reason() string {
	return "renamed to " + a.Field.Name + "; answered until " + a.Day()
}

// Past reports whether the last day is over.
func (a *FieldAlias) Past(now time.Time) bool { return now.After(a.Until.Add(time.Second - 1)) }

// AddAlias adds an old name of a field. Compilers of projects call it before the entity is in
// use.
func (e *Entity) AddAlias(a *FieldAlias) { e.Aliases = append(e.Aliases, a) }

// Alias returns the current name, in the spelling of name, for an old name of a field, of a
// relation or of its key; or nil.
func (e *Entity) Alias(name string) *FieldAlias {
	for _, a := range e.Aliases {
		if a.Name == name || name != "" && (a.Relation == name || a.Key == name) {
			return a
		}
	}
	return nil
}

// Derives reports whether the view took the field called name over from an entity.
func (e *Entity) Derives(from *Entity, name string) bool {
	d := e.Card.Derived
	return e.View && d != nil && d.From == from.Key && slices.Contains(d.Survived, name)
}

// Table names the table and the columns of an entity in a database older than the card
// (docs/existing-database.md). It holds names only; the database says what type the columns
// have.
type Table struct {
	// Schema is the database schema of the table; "" is the database's default.
	Schema string
	// Name is the table or view, as the database spells it.
	Name string
	// Columns are the columns by field, if their names differ.
	Columns map[string]string
	// Key are the fields that make up the primary field if the table's key has several
	// columns; else nil. The primary field then has no column of its own.
	Key []string
	// References are, by field, the fields that make up a relation to an entity with such a
	// key, in the order of that key. The field has no column of its own.
	References map[string][]string
}

// Column is the column of a field.
func (t *Table) Column(field string) string {
	if name, ok := t.Columns[field]; ok {
		return name
	}
	return field
}

// Search is how the rows of an entity are searched by words (docs/search.md). It never changes once
// its entity is in use.
type Search struct {
	// Fields are the searched texts, in the order in which frond.yaml has them.
	Fields []SearchField
	// Language says how words are reduced to their stems: one of [Languages].
	Language string
	// Rank is the sort key that a search adds, which no row has a value of. nil: a field of the
	// entity has its name.
	Rank *Property
}

// SearchField is a searched field. Weight is A, the most important, to D.
type SearchField struct {
	*Property
	Weight byte
}

// Languages are the languages of [Search].
var Languages = []string{"simple", "english"}

// RankKey is the name of the sort key that a search adds.
const RankKey = "rank"

// SetSearch lets the rows of the entity be searched. It is called before the entity is in use.
func (e *Entity) SetSearch(language string, fields []SearchField) {
	e.Search = &Search{Fields: fields, Language: language}
	if !slices.ContainsFunc(e.Fields, func(p *Property) bool { return p.Name == RankKey || p.Link != nil && p.Link.Key == RankKey }) {
		e.Search.Rank = &Property{Field: &Field{Name: RankKey}, Index: len(e.Fields), Owner: e, Kind: KindNumber, required: true}
	}
}
