package projection

import (
	"fmt"
	"unicode"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
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
var house = &origin{what: "every schema of the house"}

// String is the origin as a fault names it.
func (o *origin) String() string {
	s := o.what
	switch {
	case o.field != nil:
		s = fmt.Sprintf("the %s of the field %s of %s", o.what, o.field.Name, o.field.Owner.Name)
	case o.op != nil:
		s = fmt.Sprintf("the %s of the operation %s.%s", o.what, o.op.Door.Name, o.op.Name)
	case o.view != nil:
		s = fmt.Sprintf("the %s of the card %s of %s", o.what, o.view.Name, o.view.Frond)
	case o.door != nil:
		s = fmt.Sprintf("the %s of %s", o.what, o.door.Name)
	}
	if f := o.file(); f != "" {
		s += " (" + f + ")"
	}
	return s
}

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

func (o *origin) pointer() string {
	d := o.owner()
	switch {
	case d == nil:
		return ""
	case o.op != nil && !o.op.Builtin:
		return "/doors/" + d.Name + "/operations/" + o.op.Name
	}
	return "/doors/" + d.Name
}

// remedy is what settles a collision: the graphql: override, where there is one.
func (o *origin) remedy() string {
	d := o.owner()
	switch {
	case o.field != nil:
		return fmt.Sprintf("rename the field %s of %s", o.field.Name, o.field.Owner.Name)
	case o.view != nil:
		return fmt.Sprintf("rename the card %s", o.view.Name)
	case o.op != nil && !o.op.Builtin:
		return fmt.Sprintf("write `graphql: otherName` in doors.%s.operations.%s", d.Name, o.op.Name)
	case d != nil:
		return fmt.Sprintf("write `graphql: OtherName` in doors.%s", d.Name)
	case o != house:
		return "give what you register by hand another name"
	}
	return ""
}

// space is where a name has to be the only one: all types, the fields of one
// type, the arguments of one field. Its text stands in the fault.
type space struct{ what, of string }

var typeNames = space{what: "type"}

// claims gives every name of a schema to one owner.
type claims struct {
	owners map[space]map[string]*origin
	faults schema.Faults
	spares int
}

func newClaims() *claims {
	c := &claims{owners: map[space]map[string]*origin{}}
	for _, name := range reserved {
		c.claim(typeNames, name, house)
	}
	return c
}

// claim gives name to o and says whether it was free and legal. What was not is
// a fault, and the caller leaves the thing out so that the rest is looked at too.
func (c *claims) claim(s space, name string, o *origin) bool {
	if !schema.IsGraphQLName(name) {
		c.fault(o, fmt.Sprintf("%s would be the GraphQL %s %q, but a GraphQL name is letters, digits and _, does not begin with a digit or with __", o, s, name), o.remedy())
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
	remedy := o.remedy()
	if r := first.remedy(); r != "" && r != remedy {
		remedy += ", or " + r
	}
	c.fault(o, fmt.Sprintf("the GraphQL %s %s is claimed twice: by %s and by %s", s, name, first, o), remedy)
	return false
}

func (c *claims) fault(o *origin, message, remedy string) {
	c.faults = append(c.faults, schema.Fault{File: o.file(), Pointer: o.pointer(), Message: message, Remedy: remedy})
}

func (s space) String() string {
	if s.of == "" {
		return s.what
	}
	return s.what + " of " + s.of
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
