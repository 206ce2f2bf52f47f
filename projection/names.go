package projection

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// origin is who claims a name. Its text is only made when two claim the same name, since a
// large catalog claims tens of thousands. The most specific member that is set decides the
// text:
//
//	field          the filter of the field title of post
//	op             the operation post.publish
//	fact           the fact orderPlaced of sales
//	view           the type of the card PostSummary
//	door           the entity post; the connection of post
//	none of them   what itself: RegisterType("Post")
type origin struct {
	what  string             // "type", "connection", "filter", …; of hand-written fields the whole text
	door  *catalog.Door      // whose type's name the claimed name comes from
	op    *catalog.Operation // whose field or type it is
	view  *schema.Entity     // a view, or an entity without a door
	field *schema.Property   // a field of a card
	alias *catalog.Alias     // an old name of the door, of which op's field is
	fact  *catalog.Fact

	renamed *schema.FieldAlias // an old name of field, which is claimed
}

// ownOrigin owns the names that every schema has. Its text completes a message that begins with
// "is claimed twice: by".
var ownOrigin = &origin{what: "the gateway, which reserves it"}

// String returns the origin as an error message names it, with the file in parentheses where
// there is one.
func (o *origin) String() string {
	s := o.what
	switch {
	case o.renamed != nil:
		s = fmt.Sprintf("the %s of the old name %s of %s.%s", o.what, o.renamed.Name, o.field.Owner.Name, o.field.Name)
	case o.field != nil:
		s = fmt.Sprintf("the %s of the field %s of %s", o.what, o.field.Name, o.field.Owner.Name)
		if o.what == fieldItself {
			s = fmt.Sprintf("the field %s of %s", o.field.Name, o.field.Owner.Name)
		}
	case o.fact != nil:
		s = fmt.Sprintf("the %s of the fact %s of %s", o.what, o.fact.Name, o.fact.Frond.Name)
		if o.what == fieldItself {
			s = fmt.Sprintf("the fact %s of %s", o.fact.Name, o.fact.Frond.Name)
		}
	case o.alias != nil:
		s = fmt.Sprintf("the alias %s of %s.%s", o.alias.Name, o.op.Door.Name, o.op.Name)
	case o.op != nil:
		s = fmt.Sprintf("the %s of %s.%s", o.what, o.op.Door.Name, o.op.Name)
		if o.what == fieldItself {
			s = fmt.Sprintf("the operation %s.%s", o.op.Door.Name, o.op.Name)
		}
	case o.view != nil:
		s = fmt.Sprintf("the %s of the card %s", o.what, o.view.Name)
	case o.door != nil && o.what == entityItself:
		s = fmt.Sprintf("the entity %s", o.door.Name)
	case o.door != nil:
		s = fmt.Sprintf("the %s of %s", o.what, o.door.Name)
	}
	if f := o.file(); f != "" {
		s += " (" + f + ")"
	}
	return s
}

// at returns the origin of a name made from field p of o's card. what is the kind of the name:
// "filter", "order", "relation", or fieldItself.
func (o *origin) at(p *schema.Property, what string) *origin {
	return &origin{what: what, door: o.door, op: o.op, field: p}
}

// old returns the origin of a name made under an old name of o's field; if a is nil, the name
// is current and the origin is o.
func (o *origin) old(a *schema.FieldAlias) *origin {
	if a == nil {
		return o
	}
	own := *o
	own.renamed = a
	return &own
}

// The values of what for an origin that is the declared thing itself.
const (
	fieldItself  = "field" // or the operation
	entityItself = "entity"
)

// owner returns the door that o belongs to, or nil for views, built-in names and types
// registered by hand.
func (o *origin) owner() *catalog.Door {
	if o.op != nil {
		return o.op.Door
	}
	return o.door
}

// file returns the file that declares the owner, or "" where there is none. It goes into the
// error as its File.
func (o *origin) file() string {
	switch {
	case o.alias != nil:
		return o.alias.File
	case o.renamed != nil:
		return o.renamed.File
	}
	if d := o.owner(); d != nil {
		return d.Origin
	}
	return ""
}

// pointer returns where in the file the owner is declared, as a JSON Pointer (RFC 6901). In a
// frond.yaml that is under its doors; in a card's own file it is at the field:
//
//	/doors/post/operations/publish
//	/doors/post
//	/properties/title
//
// "" is the whole file.
func (o *origin) pointer() string {
	d := o.owner()
	inDoors := d != nil && strings.HasPrefix(path.Base(d.Origin), "frond.")
	switch {
	case o.alias != nil:
		return o.alias.At
	case o.renamed != nil:
		return o.renamed.At
	// A built-in operation has no entry in the file, so the error names its door.
	case inDoors && o.op != nil && !o.op.Builtin:
		return "/doors/" + d.Name + "/operations/" + o.op.Name
	case inDoors:
		return "/doors/" + d.Name
	case o.field != nil:
		return "/properties/" + jsontext.Token(o.field.Name)
	}
	return ""
}

// remedy returns what settles a collision, as an instruction. It is the `graphql:` override of
// a door or an operation where there is one (docs/decisions/graphql-schema.md); a field or a view has none
// and has to be renamed. "" is returned for built-in names, which cannot change.
func (o *origin) remedy() string {
	d := o.owner()
	switch {
	case o.alias != nil:
		return fmt.Sprintf("leave until out of renamed.%s in %s", o.alias.Name, o.alias.File)
	case o.renamed != nil:
		return fmt.Sprintf("leave until out of renamed.%s.%s in %s", o.field.Owner.Name, o.renamed.Name, o.renamed.File)
	case o.fact != nil:
		return fmt.Sprintf("rename the fact %s in the frond.yaml of %s", o.fact.Name, o.fact.Frond.Name)
	case o.field != nil:
		return fmt.Sprintf("rename the field %s of %s", o.field.Name, o.field.Owner.Name)
	case o.view != nil:
		return fmt.Sprintf("rename the card %s", o.view.Name)
	case o.what == "argument" || o.what == "body":
		return fmt.Sprintf("rename the member of params or query of %s.%s; the argument input is the body", d.Name, o.op.Name)
	case o.op != nil && !o.op.Builtin:
		return fmt.Sprintf("write `graphql: otherName` under doors.%s.operations.%s in the frond.yaml of %s", d.Name, o.op.Name, d.Frond.Name)
	case d != nil:
		return fmt.Sprintf("write `graphql: OtherName` under doors.%s in the frond.yaml of %s", d.Name, d.Frond.Name)
	case o != ownOrigin:
		return "register it under another name"
	}
	return ""
}

// space is where a name has to be the only one:
//
//	{"type", ""}                    all types of the schema
//	{"field", "Post"}               the fields of one type
//	{"input field", "PostFilter"}   the fields of one input
//	{"argument", "post.publish"}    the arguments of one operation
type space struct{ what, of string }

// typeNames is the space of all types. Objects, inputs, enums and scalars share it (GraphQL
// 3.3).
var typeNames = space{what: "type"}

// name returns a name of the space as an error message shows it: "type Post", "field
// Post.title".
func (s space) name(name string) string {
	if s.of == "" {
		return s.what + " " + name
	}
	return s.what + " " + s.of + "." + name
}

// claims gives every name of a schema to one owner. The first claim of a name wins; the second
// one is an error that names both owners and both remedies.
type claims struct {
	owners   map[space]map[string]*origin
	reported map[*schema.Property]bool // fields whose names are illegal in GraphQL
	faults   schema.Faults
	spares   int
	remote   map[string]bool // Fronds of remotes
	notes    []string        // their names that are illegal in GraphQL
}

// newClaims returns claims in which the reserved type names are taken already.
func newClaims() *claims {
	c := &claims{owners: map[space]map[string]*origin{}, reported: map[*schema.Property]bool{}, remote: map[string]bool{}}
	for _, name := range reserved {
		c.claim(typeNames, name, ownOrigin)
	}
	return c
}

// claim gives name to o and reports whether it was free and legal. A name that was not is an
// error or, of a remote Frond, a note. The caller then leaves the thing out or goes on under a
// spare name, so that everything else is looked at too.
func (c *claims) claim(s space, name string, o *origin) bool {
	if !schema.IsGraphQLName(name) {
		if o.field != nil && c.reported[o.field] {
			return false // reported once, although the field would be in many types
		}
		c.reported[o.field] = true
		if c.elsewhere(o) {
			// It is not ours to rename, and no reason to be without all the others.
			c.notes = append(c.notes, fmt.Sprintf("%s has no name in GraphQL and is left out there: %s", o, s.name(name)))
			return false
		}
		c.fault(o, fmt.Sprintf("%s would be the GraphQL %s, which is not a valid GraphQL name", o, s.name(name)),
			o.remedy()+": letters, digits and _, no digit first, nor __")
		return false
	}
	in := c.owners[s]
	if in == nil {
		in = map[string]*origin{}
		c.owners[s] = in
	}
	first, taken := in[name]
	if !taken {
		in[name] = o
		return true
	}
	// Either owner may give way, so both remedies are offered, but equal ones once.
	remedies := []string{}
	for _, r := range []string{o.remedy(), first.remedy()} {
		if r != "" && !slices.Contains(remedies, r) {
			remedies = append(remedies, r)
		}
	}
	// The error names the file of an owner who can change it; built-in names have no file.
	blamed := o
	if o == ownOrigin {
		blamed = first
	}
	c.fault(blamed, fmt.Sprintf("the GraphQL %s is claimed twice: by %s, and by %s", s.name(name), first, o), strings.Join(remedies, ", or "))
	return false
}

// fault records an error at the place where o is declared. message names the problem, remedy
// the change to make.
func (c *claims) fault(o *origin, message, remedy string) {
	c.faults = append(c.faults, schema.Fault{File: o.file(), Pointer: o.pointer(), Message: message, Remedy: remedy})
}

// elsewhere reports whether o belongs to the Frond of a remote. A field counts by the Frond of
// its card, which may differ from the door's.
func (c *claims) elsewhere(o *origin) bool {
	d := o.owner()
	return o.field != nil && c.remote[o.field.Owner.Frond] || o.fact != nil && c.remote[o.fact.Frond.Name] || d != nil && c.remote[d.Frond.Name]
}

// spare returns a type name for a thing that could not have its own: Spare1, Spare2. With it,
// the fields below that thing are looked at all the same. The build has failed by then, so the
// name is never published.
func (c *claims) spare() string {
	c.spares++
	return fmt.Sprintf("Spare%d", c.spares)
}

// legalValue reports whether name can be the value of an enum. GraphQL 3.9 excludes true,
// false and null, which would be read as literals.
func legalValue(name string) bool {
	return schema.IsGraphQLName(name) && name != "true" && name != "false" && name != "null"
}

// fieldName returns a type's name as GraphQL writes fields. A run of capitals is lowered as
// one word, but for the capital that begins the next word:
//
//	OrderLine   orderLine
//	APIKey      apiKey
//	URL         url
func fieldName(typ string) string {
	runes := []rune(typ)
	for i, r := range runes {
		if !unicode.IsUpper(r) || i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
			break
		}
		runes[i] = unicode.ToLower(r)
	}
	return string(runes)
}
