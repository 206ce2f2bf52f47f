package projection

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// origin is who claims a name. Its text is only made when two claim the same.
type origin struct {
	what  string            // "type", "connection", "filter", …; of hand-written fields the whole text
	door  *facade.Door      // whose type's name the claimed name comes from
	op    *facade.Operation // whose field or type it is
	view  *schema.Entity    // a view, or an entity without a door
	field *schema.Property  // a field of a card
}

// house owns the names that every schema has.
var house = &origin{what: "the house, which keeps it for itself"}

// String is the origin as a fault names it.
func (o *origin) String() string {
	s := o.what
	switch {
	case o.field != nil:
		s = fmt.Sprintf("the %s of the field %s of %s", o.what, o.field.Name, o.field.Owner.Name)
		if o.what == fieldItself {
			s = fmt.Sprintf("the field %s of %s", o.field.Name, o.field.Owner.Name)
		}
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

// at is what a field of o's card claims.
func (o *origin) at(p *schema.Property, what string) *origin {
	return &origin{what: what, door: o.door, op: o.op, field: p}
}

// What of an origin that is the thing itself and nothing made from it.
const (
	fieldItself  = "field" // or the operation
	entityItself = "entity"
)

func (o *origin) owner() *facade.Door {
	if o.op != nil {
		return o.op.Door
	}
	return o.door
}

func (o *origin) file() string {
	if d := o.owner(); d != nil {
		return d.Origin
	}
	return ""
}

// pointer is where in the file the owner is declared: in a frond.yaml under its
// doors, in a card's own file at the field.
func (o *origin) pointer() string {
	d := o.owner()
	inDoors := d != nil && strings.HasPrefix(path.Base(d.Origin), "frond.")
	switch {
	case inDoors && o.op != nil && !o.op.Builtin:
		return "/doors/" + d.Name + "/operations/" + o.op.Name
	case inDoors:
		return "/doors/" + d.Name
	case o.field != nil:
		return "/properties/" + jsontext.Token(o.field.Name)
	}
	return ""
}

// remedy is what settles a collision: the graphql: override, where there is one.
func (o *origin) remedy() string {
	d := o.owner()
	switch {
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
	case o != house:
		return "register it under another name"
	}
	return ""
}

// space is where a name has to be the only one: all types, the fields of one
// type, the arguments of one operation.
type space struct{ what, of string }

var typeNames = space{what: "type"}

// name is a name of the space as a fault shows it: type Post, field Post.title.
func (s space) name(name string) string {
	if s.of == "" {
		return s.what + " " + name
	}
	return s.what + " " + s.of + "." + name
}

// claims gives every name of a schema to one owner.
type claims struct {
	owners   map[space]map[string]*origin
	reported map[*schema.Property]bool // fields whose names are no names here
	faults   schema.Faults
	spares   int
	remote   map[string]bool // Fronds that run elsewhere
	notes    []string        // what they have that GraphQL cannot name
}

func newClaims() *claims {
	c := &claims{owners: map[space]map[string]*origin{}, reported: map[*schema.Property]bool{}, remote: map[string]bool{}}
	for _, name := range reserved {
		c.claim(typeNames, name, house)
	}
	return c
}

// claim gives name to o and says whether it was free and legal. What was not is
// a fault, and the caller leaves the thing out so that the rest is looked at too.
func (c *claims) claim(s space, name string, o *origin) bool {
	if !schema.IsGraphQLName(name) {
		if o.field != nil && c.reported[o.field] {
			return false // once is enough, though it would stand in many types
		}
		c.reported[o.field] = true
		if c.elsewhere(o) {
			// It is not ours to rename, and no reason to be without all the others.
			c.notes = append(c.notes, fmt.Sprintf("%s has no name in GraphQL and is left out there: %s", o, s.name(name)))
			return false
		}
		c.fault(o, fmt.Sprintf("%s would be the GraphQL %s, and that is no name in GraphQL", o, s.name(name)),
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
	remedies := []string{}
	for _, r := range []string{o.remedy(), first.remedy()} {
		if r != "" && !slices.Contains(remedies, r) {
			remedies = append(remedies, r)
		}
	}
	blamed := o
	if o == house {
		blamed = first
	}
	c.fault(blamed, fmt.Sprintf("the GraphQL %s is claimed twice: by %s, and by %s", s.name(name), first, o), strings.Join(remedies, ", or "))
	return false
}

func (c *claims) fault(o *origin, message, remedy string) {
	c.faults = append(c.faults, schema.Fault{File: o.file(), Pointer: o.pointer(), Message: message, Remedy: remedy})
}

// elsewhere says whether what o is of runs elsewhere.
func (c *claims) elsewhere(o *origin) bool {
	d := o.owner()
	return o.field != nil && c.remote[o.field.Owner.Frond] || d != nil && c.remote[d.Frond.Name]
}

// spare is a type name for a thing that could not have its own, so that what it
// leads to is looked at all the same. The build has failed by then.
func (c *claims) spare() string {
	c.spares++
	return fmt.Sprintf("Spare%d", c.spares)
}

// legalValue says whether name can be the value of an enum.
func legalValue(name string) bool {
	return schema.IsGraphQLName(name) && name != "true" && name != "false" && name != "null"
}

// fieldName is a type's name as GraphQL writes fields: OrderLine is orderLine, and
// a run of capitals goes down as one word, APIKey is apiKey.
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
