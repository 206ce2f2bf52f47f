package projection

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// inputs are the input types of bodies.
type inputs struct {
	*typeSet
	shapes *shapes
	doors  *doors
	bodies map[body]*definition // nil: a body without a field
	nested map[*catalog.Nested]*definition
}

func newInputs(ss *shapes, ds *doors) *inputs {
	return &inputs{typeSet: ss.typeSet, shapes: ss, doors: ds, bodies: map[body]*definition{}, nested: map[*catalog.Nested]*definition{}}
}

// inputOf returns the input of an operation's body, or nil for a body without fields. Its
// fields are the card's, under the card's names (docs/decisions/graphql-schema.md): the body is
// one JSON object on every surface, without the input fields that the caller omits.
//
//	the door's own card, in a patch    UpdatePostInput
//	the door's own card otherwise      CreatePostInput
//	another card                       PostDraftInput
//	a card inside the operation        PostPublishInput
//
// Operations that send the same card share one input.
func (ns *inputs) inputOf(op *catalog.Operation) *definition {
	e := op.Input
	if e == nil {
		return nil
	}
	d := ns.doors.byKey[e.Key]
	own := d != nil && d.Entity == e
	key := body{e, own && op.Patch}
	if in, made := ns.bodies[key]; made {
		return in
	}
	var name, typ string
	var by *origin
	switch {
	case key.patch:
		name, typ, by = "Update"+d.typ+"Input", d.typ, &origin{what: "input of update", door: d.Door}
	case own:
		name, typ, by = "Create"+d.typ+"Input", d.typ, &origin{what: "input of create", door: d.Door}
	case schema.IsGraphQLName(e.Name):
		typ, by = schema.GraphQLType(e.Name), &origin{what: "input", view: e}
	default: // a card written in its operation, without a name of its own
		typ, by = ns.doors.prefix(op.Door)+schema.GraphQLType(op.Name), &origin{what: "input", op: op}
	}
	if name == "" {
		name = strings.TrimSuffix(typ, "Input") + "Input"
	}
	ns.bodies[key] = ns.newInputOf(e, name, typ, by, inputForm{patch: op.Patch})
	if own {
		ns.addNested(ns.bodies[key], d)
	}
	return ns.bodies[key]
}

// body is the source of an input: a card, or the patch of a door's own card.
type body struct {
	card  *schema.Entity
	patch bool
}

// inputForm is how the input of a body is made.
type inputForm struct {
	patch    bool
	optional bool             // no field is required
	without  *schema.Property // that is filled in; nil: none
}

// newInputOf makes the input of a body. It leaves out fields that the caller cannot send:
// read-only fields, the other side of a relation, and in a patch the primary key and the
// immutable fields. It returns nil if no field remains, since GraphQL inputs need a field.
//
// A field is non-null if the card requires it and it cannot be null. GraphQL has one mark for
// both, so the façade checks a required field that may be null. It also checks a field that a
// collector sets for some callers, who then cannot send it (docs/decisions/graphql-schema.md).
func (ns *inputs) newInputOf(e *schema.Entity, name, typ string, by *origin, form inputForm) *definition {
	patch := form.patch
	required := set(e.Card.Required)
	for _, name := range ns.doors.presets(e) {
		delete(required, name)
	}
	// A caller may send either the old name or the new one; the façade requires one of them.
	for _, a := range e.Aliases {
		delete(required, a.Field.Name)
	}
	var in *definition
	for _, c := range ns.columnsOf(e) {
		p := c.Property
		switch {
		case p == form.without, p.Axes.In.Closed, p.Link != nil && !p.Stored && p.Link.Many:
			continue
		case patch && (p.Axes.Primary || p.Axes.Update == schema.UpdateForbidden):
			continue
		}
		if in == nil {
			in = ns.newInput(ns.free(name, by), "")
		}
		ns.addInput(in, by.at(p, "input").old(c.old), &arg{
			name:        c.name,
			description: described(&p.Shape, c.name),
			deprecated:  c.deprecated(),
			typ:         ns.unless(patch || form.optional || p.Shape.Nullable || !required[p.Name], ns.valueType(p, typ, by, patch)),
		})
	}
	return in
}

// valueType returns the type of a field as it is sent. A relation is sent as the key of its
// target, or as a list of keys. patch picks the type of nested objects, see shapes.patch.
func (ns *inputs) valueType(p *schema.Property, typ string, by *origin, patch bool) *ast.Type {
	switch {
	case p.Link != nil && p.Link.Many:
		return ns.list(ns.required(keyType(p)))
	case p.Link != nil, p.Axes.Primary:
		return keyType(p)
	case patch:
		return ns.shapes.patch(ns.doors.home(p, typ, by))
	}
	return ns.shapes.input(ns.doors.home(p, typ, by))
}

// demanded reports whether a body has to be sent at all: whether one of its fields is non-null.
func demanded(in *definition) bool {
	return slices.ContainsFunc(in.Fields, func(f *ast.FieldDefinition) bool { return f.Type.NonNull })
}
