package compile

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/expression"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// computedFields compiles the computed fields of a frond.yaml:
//
//	computed:
//	  product:
//	    inStock: {type: boolean, value: 'stock > 0'}
//	    excerpt: {type: string, value: 'body[0:200]'}
//
// A value is an expression over the fields of one row, as its JSON has them. Only the columns it reads are fetched,
// and only if the field is selected. If one of them is null and the expression has no result then, the field is
// null; for a caller from whom one of them is hidden, the computed field is hidden too (docs/decisions/handlers.md,
// docs/decisions/access-rules.md).
func computedFields(r *report, m *model, k *bindings, src *project.Frond, configs []project.Computed) {
	file := src.Config.File
	for _, c := range configs {
		door := m.doorOf(r, src, c.Door, c.DoorAt, "a computed field")
		switch {
		case door == nil:
			continue
		case door.Entity == nil:
			r.fault(file, c.At, fmt.Sprintf("%s stores nothing, so that there is no row to compute from", door.Name), "declare it for a door with a card")
			continue
		}
		shape, ok := computedShape(r, m, file, src.Name, c)
		if !ok || misnamed(r, file, c.At, door, c.Name) {
			continue
		}
		if c.Value == "" {
			computedElsewhere(r, k, src, door, c, shape)
			continue
		}
		e := computedValue(r, file, door, c, shape)
		if e == nil {
			continue
		}
		needs := append([]string{}, e.Names...) // none is not nil, which would be all
		var inputs []*schema.Property
		for _, name := range needs {
			p := door.Entity.Property(name)
			inputs = append(inputs, p)
			// An expression over null may have to answer null.
			shape.Nullable = shape.Nullable || p.MayBeNull()
		}
		f := &expression.Formula{Expr: e, Shape: shape}
		k.present(door, &access.Presenter{Computed: catalog.Computed{Name: c.Name, Shape: shape, Description: shape.Description, Needs: needs, Inputs: inputs}, Fn: f.Run})
	}
}

// computedElsewhere adds a field that the presenters of a remote make: it comes with the
// rows. A Frond that runs here has no such presenter, which is a fault.
func computedElsewhere(r *report, k *bindings, src *project.Frond, door *catalog.Door, c project.Computed, shape schema.Shape) {
	if src.Remote == "" && src.Known != nil {
		r.fault(src.Config.File, c.At, fmt.Sprintf("%s was synced, and its own host makes this field: it cannot run here", src.Name), fmt.Sprintf("write remotes: {%s: http://…} in gateway.yaml, or --remote %[1]s=http://…", src.Name))
		return
	}
	if src.Remote == "" {
		r.fault(src.Config.File, c.At, "a computed field has to have a value, an expression over the fields of a row", "write a type and a value: {type: boolean, value: 'stock > 0'}")
		return
	}
	var inputs []*schema.Property
	for _, name := range jsontext.Elements(jsontext.Get(c.Shape, catalog.ReadsKeyword)) {
		if p := door.Entity.Property(jsontext.Unquote(name)); p != nil {
			inputs = append(inputs, p)
		}
	}
	shape.Extra = slices.DeleteFunc(slices.Clone(shape.Extra), func(k schema.Keyword) bool { return k.Name == catalog.ReadsKeyword })
	k.present(door, &access.Presenter{Computed: catalog.Computed{Name: c.Name, Shape: shape, Description: shape.Description, Needs: []string{}, Inputs: inputs}, Elsewhere: true, Fn: absent})
}

// absent gives null for rows of a remote that came without a field although it was asked
// for.
func absent(_ context.Context, found []rows.Row) ([]json.RawMessage, error) {
	values := make([]json.RawMessage, len(found))
	for i := range values {
		values[i] = json.RawMessage("null")
	}
	return values, nil
}

// misnamed reports a computed field whose name is taken or illegal.
func misnamed(r *report, file, at string, door *catalog.Door, name string) bool {
	p, _ := filter.Field(door.Entity, name)
	switch {
	case p != nil, door.ComputedField(name) != nil:
		r.fault(file, at, fmt.Sprintf("the computed field %s of %s has the name of another field", name, door.Name), "give it a name of its own")
	case !schema.IsName(name):
		r.fault(file, at, fmt.Sprintf("%q cannot be the name of a computed field", name), "write a letter, then letters, digits, - or _: excerpt")
	default:
		return false
	}
	return true
}

// computedShape reads the shape next to value: the schema of a field, without axes.
func computedShape(r *report, m *model, file, frond string, c project.Computed) (schema.Shape, bool) {
	card := append([]byte(`{"type":"object","required":["value"],"properties":{"value":`), c.Shape...)
	view, err := m.set.CompileView(schema.Source{File: file, At: c.At, Name: schema.EntityKey(c.Door) + schema.Capital(c.Name), Frond: frond, View: true, Data: append(card, "}}"...)})
	if err != nil {
		before := len(r.faults)
		r.keep(err)
		for i := range r.faults[before:] {
			f := &r.faults[before+i]
			f.Pointer = strings.Replace(f.Pointer, c.At+"/properties/value", c.At, 1)
		}
		return schema.Shape{}, false
	}
	p := view.Fields[0]
	switch {
	case jsontext.Get(c.Shape, "x-kit") != nil:
		r.fault(file, c.At+"/x-kit", "a computed field is not stored and has no axes", "leave x-kit out")
		return schema.Shape{}, false
	case p.Shape.Type == "":
		r.fault(file, c.At, "a computed field has to have a type", "write type: string, say, beside value")
		return schema.Shape{}, false
	}
	return p.Shape, true
}

// computedValue compiles the expression over the fields of the door's entity. A field that
// is closed outward, or leaves encoded, cannot be read: the computed value would disclose
// it.
func computedValue(r *report, file string, door *catalog.Door, c project.Computed, shape schema.Shape) *expression.Expr {
	var open []string
	for _, p := range door.Entity.Fields {
		if p.Stored && p.Readable() && p.Axes.Out.Name == "" {
			open = append(open, p.Name)
		}
	}
	at := c.At + "/value"
	e, err := expression.Compile(c.Value, expression.FieldsOf(door.Entity))
	if err != nil {
		r.fault(file, at, "the expression cannot be used: "+err.Error(), "it reads the fields "+strings.Join(open, ", "))
		return nil
	}
	for _, name := range e.Names {
		why := ""
		switch p := door.Entity.Property(name); {
		case !p.Readable():
			why = "is closed outward, and a computed value would disclose it"
		case p.Axes.Out.Name != "":
			why = "leaves encoded by " + p.Axes.Out.Name + ", and a computed value would disclose its stored form"
		}
		if why != "" {
			r.fault(file, at, name+" "+why, "read the fields "+strings.Join(open, ", ")+", or compute it in Go")
			return nil
		}
	}
	if g := e.Gives; g != "" && g != shape.Type && !(g == "integer" && shape.Type == "number") && !(g == "number" && shape.Type == "integer") {
		r.fault(file, at, fmt.Sprintf("the expression gives a value of type %s, and the declared type is %s", g, shape.Type), "write type: "+g+", or another expression")
		return nil
	}
	return e
}
