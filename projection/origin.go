package projection

import (
	"fmt"
	"path"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// origin is who claims a name. Its text is only made when two claim the same name, since a
// large catalog claims tens of thousands. The most specific set member decides the text:
//
//	field          the filter of the field title of post
//	op             the operation post.publish
//	fact           the fact orderPlaced of sales
//	view           the type of the card PostSummary
//	door           the entity post; the connection of post
//	otherwise      what itself: RegisterType("Post")
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

// The values of what for the origin of the declared thing itself.
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

// file returns the file that declares the owner, or "". It goes into the error as its File.
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

// remedy returns the instruction that settles a collision. For a door or an operation it is the `graphql:`
// override (docs/decisions/graphql-schema.md); a field or a view cannot have one and has to be renamed. ""
// is returned for built-in names, which cannot change.
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
