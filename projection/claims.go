package projection

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
)

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
	owners   map[space]*owners
	reported map[*schema.Property]bool // fields whose names are illegal in GraphQL
	faults   schema.Faults
	spares   int
	remote   map[string]bool // Fronds of remotes
	notes    []string        // their names that are illegal in GraphQL
}

// owners are the owners of the names of one space. Most types have few names, which are compared;
// a space with many keeps its names in a map.
type owners struct {
	few  []owned
	many map[string]*origin
}

// owned is a name with its owner.
type owned struct {
	name string
	by   *origin
}

// of returns the owner of a name; nil: it is free.
func (os *owners) of(name string) *origin {
	for i := range os.few {
		if os.few[i].name == name {
			return os.few[i].by
		}
	}
	return os.many[name]
}

// add enters the owner of a name that is free.
func (os *owners) add(name string, by *origin) {
	if len(os.few) < 32 {
		os.few = append(os.few, owned{name, by})
		return
	}
	if os.many == nil {
		os.many = map[string]*origin{}
	}
	os.many[name] = by
}

// newClaims returns claims in which the reserved type names are taken already.
func newClaims() *claims {
	c := &claims{owners: map[space]*owners{}, reported: map[*schema.Property]bool{}, remote: map[string]bool{}}
	for _, name := range reserved {
		c.claim(typeNames, name, ownOrigin)
	}
	return c
}

// claim gives name to o and reports whether it was free and legal. Any other name is an error
// or, of a remote Frond, a note. The caller then leaves the thing out or goes on under a spare
// name, so that everything else is checked too.
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
		in = &owners{few: make([]owned, 0, 4)}
		c.owners[s] = in
	}
	first := in.of(name)
	if first == nil {
		in.add(name, o)
		return true
	}
	// Either owner may give way, so both remedies are offered, but equal ones once.
	remedies := []string{}
	for _, r := range []string{o.remedy(), first.remedy()} {
		if r != "" && !slices.Contains(remedies, r) {
			remedies = append(remedies, r)
		}
	}
	// The error names the file of an owner that an author can change; built-in names have no
	// file.
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

// since returns the faults after the first n.
func (c *claims) since(n int) error { return slices.Clone(c.faults[n:]).Err() }

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
