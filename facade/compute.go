package facade

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/expr-lang/expr/types"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/project"
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
// A value is an expression over the fields of one row, as they stand in its JSON. Only the
// columns it reads are fetched, and only where the field is selected. Where one of them is
// null and the expression can make nothing of that, the field is null; for a caller from
// whom one of them is hidden, the computed field is hidden too (docs/decisions/handlers.md, docs/decisions/access-rules.md).
func (b *compiler) computedFields(src *project.Frond, configs []project.Computed) {
	file := src.Config.File
	for _, c := range configs {
		door := b.doorOf(src, c.Door, c.DoorAt, "a computed field")
		switch {
		case door == nil:
			continue
		case door.Entity == nil:
			b.fault(file, c.At, fmt.Sprintf("%s stores nothing, so that there is no row to compute from", door.Name), "declare it for a door with a card")
			continue
		}
		shape, ok := b.computedShape(file, src.Name, c)
		if !ok || b.misnamed(file, c.At, door, c.Name) {
			continue
		}
		if c.Value == "" {
			b.computedElsewhere(src, door, c, shape)
			continue
		}
		e := b.computedValue(file, door, c, shape)
		if e == nil {
			continue
		}
		needs := append([]string{}, e.names...) // none is not nil, which would be all
		var inputs []*schema.Property
		for _, name := range needs {
			p := door.Entity.Property(name)
			inputs = append(inputs, p)
			// An expression that is given null may have to answer null.
			shape.Nullable = shape.Nullable || p.MayBeNull()
		}
		f := &formula{expression: e, shape: shape}
		door.present(&presenter{Computed: Computed{Name: c.Name, Shape: shape, Description: shape.Description, Needs: needs}, fn: f.run, inputs: inputs})
	}
}

// computedElsewhere adds a field that the presenters of a remote make: it comes with the
// rows. A Frond that runs here has nobody to make it, which is a fault.
func (b *compiler) computedElsewhere(src *project.Frond, door *Door, c project.Computed, shape schema.Shape) {
	if src.Remote == "" && src.Known != nil {
		b.fault(src.Config.File, c.At, fmt.Sprintf("%s was synced, and its own host makes this field: it cannot run here", src.Name), fmt.Sprintf("write remotes: {%s: http://…} in gateway.yaml, or --remote %[1]s=http://…", src.Name))
		return
	}
	if src.Remote == "" {
		b.fault(src.Config.File, c.At, "a computed field has to have a value, an expression over the fields of a row", "write a type and a value: {type: boolean, value: 'stock > 0'}")
		return
	}
	door.present(&presenter{Computed: Computed{Name: c.Name, Shape: shape, Description: shape.Description, Needs: []string{}}, elsewhere: true, fn: absent})
}

// absent gives null for rows of a remote that came without a field although it was asked
// for.
func absent(_ context.Context, rows []Row) ([]json.RawMessage, error) {
	values := make([]json.RawMessage, len(rows))
	for i := range values {
		values[i] = json.RawMessage("null")
	}
	return values, nil
}

// misnamed reports a computed field whose name is taken, or is none.
func (b *compiler) misnamed(file, at string, door *Door, name string) bool {
	p, _ := filter.Field(door.Entity, name)
	switch {
	case p != nil, door.computed(name) != nil:
		b.fault(file, at, fmt.Sprintf("the computed field %s of %s has the name of another field", name, door.Name), "give it a name of its own")
	case !schema.IsName(name):
		b.fault(file, at, fmt.Sprintf("%q cannot be the name of a computed field", name), "write a letter, then letters, digits, - or _: excerpt")
	default:
		return false
	}
	return true
}

// computedShape reads the shape that stands beside value: the schema of a field, without
// axes.
func (b *compiler) computedShape(file, frond string, c project.Computed) (schema.Shape, bool) {
	card := append([]byte(`{"type":"object","required":["value"],"properties":{"value":`), c.Shape...)
	view, err := b.set.CompileView(schema.Source{File: file, At: c.At, Name: schema.EntityKey(c.Door) + schema.Capital(c.Name), Frond: frond, View: true, Data: append(card, "}}"...)})
	if err != nil {
		before := len(b.faults)
		b.keep(err)
		for i := range b.faults[before:] {
			f := &b.faults[before+i]
			f.Pointer = strings.Replace(f.Pointer, c.At+"/properties/value", c.At, 1)
		}
		return schema.Shape{}, false
	}
	p := view.Fields[0]
	switch {
	case jsontext.Get(c.Shape, "x-kit") != nil:
		b.fault(file, c.At+"/x-kit", "a computed field is not stored and has no axes", "leave x-kit out")
		return schema.Shape{}, false
	case p.Shape.Type == "":
		b.fault(file, c.At, "a computed field has to have a type", "write type: string, say, beside value")
		return schema.Shape{}, false
	}
	return p.Shape, true
}

// computedValue compiles the expression over the fields of the door's entity. A field that
// is closed outward, or leaves encoded, cannot be read: the computed value would disclose
// it.
func (b *compiler) computedValue(file string, door *Door, c project.Computed, shape schema.Shape) *expression {
	names := types.Map{}
	var open []string
	for _, p := range door.Entity.Fields {
		if p.Stored {
			names[p.Name] = typeOfField(p)
			if p.Readable() && p.Axes.Out.Name == "" {
				open = append(open, p.Name)
			}
		}
	}
	at := c.At + "/value"
	e, err := compileExpression(c.Value, names)
	if err != nil {
		b.fault(file, at, "the expression cannot be used: "+err.Error(), "it reads the fields "+strings.Join(open, ", "))
		return nil
	}
	for _, name := range e.names {
		why := ""
		switch p := door.Entity.Property(name); {
		case !p.Readable():
			why = "is closed outward, and what is computed from it would disclose it"
		case p.Axes.Out.Name != "":
			why = "leaves encoded by " + p.Axes.Out.Name + ", and what is computed from it would disclose how it is kept"
		}
		if why != "" {
			b.fault(file, at, name+" "+why, "read the fields "+strings.Join(open, ", ")+", or compute it in Go")
			return nil
		}
	}
	if g := e.gives; g != "" && g != shape.Type && !(g == "integer" && shape.Type == "number") && !(g == "number" && shape.Type == "integer") {
		b.fault(file, at, fmt.Sprintf("the expression gives a value of type %s, and the declared type is %s", g, shape.Type), "write type: "+g+", or another expression")
		return nil
	}
	return e
}

// typeOfField is the type that a field has in an expression, by its JSON form.
func typeOfField(p *schema.Property) types.Type {
	if p.Link != nil && p.Link.Many {
		return types.Array(types.Any)
	}
	return typeOfShape(&p.Shape)
}

// typeOfShape is the type of a value with a shape; any where the shape does not say.
func typeOfShape(s *schema.Shape) types.Type {
	switch s.Type {
	case "string":
		return types.String
	case "integer":
		return types.Int
	case "number":
		return types.Float64
	case "boolean":
		return types.Bool
	case "array":
		if s.Items != nil {
			return types.Array(typeOfShape(s.Items))
		}
		return types.Array(types.Any)
	case "object":
		if s.Properties == nil {
			return types.Any
		}
		members := types.Map{}
		for i := range s.Properties {
			members[s.Properties[i].Name] = typeOfShape(&s.Properties[i].Shape)
		}
		return members
	}
	return types.Any
}

// formula is a computed field whose value an expression gives.
type formula struct {
	*expression
	shape schema.Shape
}

// run evaluates the expression for every row.
func (f *formula) run(ctx context.Context, rows []Row) (out []json.RawMessage, err error) {
	out = make([]json.RawMessage, len(rows))
	given := make(map[string]any, len(f.names))
	for i, row := range rows {
		if i%64 == 63 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if out[i], err = f.of(given, row.Get); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// fit is what the expression gave as JSON of the declared type, or an error.
func (f *formula) fit(value any) (json.RawMessage, error) {
	if value == nil {
		if f.shape.Nullable {
			return json.RawMessage("null"), nil
		}
		return nil, fmt.Errorf("%s: it gave nothing where a value of type %s is declared", f.text, f.shape.Type)
	}
	if n, is := value.(float64); is && (math.IsNaN(n) || math.IsInf(n, 0)) {
		return nil, fmt.Errorf("%s: it gave %v, which is no number in JSON", f.text, n)
	}
	text, err := jsontext.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.text, err)
	}
	gave := jsonKind(text)
	if f.shape.Type != "" && gave != f.shape.Type && !(gave == "integer" && f.shape.Type == "number") {
		return nil, fmt.Errorf("%s: it gave a value of type %s where %s is declared", f.text, cmp.Or(gave, "null"), f.shape.Type)
	}
	if gave == "integer" {
		if n, _ := schema.Integer(text); f.shape.Type == "integer" {
			text = fmt.Appendf(nil, "%d", n) // 3.0 is 3
		}
	}
	return text, nil
}

// jsonKind is the JSON Schema type of a text.
func jsonKind(text json.RawMessage) string {
	switch jsontext.KindOf(text) {
	case jsontext.String:
		return "string"
	case jsontext.True, jsontext.False:
		return "boolean"
	case jsontext.Array:
		return "array"
	case jsontext.Object:
		return "object"
	case jsontext.Number:
		if _, whole := schema.Integer(text); whole {
			return "integer"
		}
		return "number"
	}
	return ""
}
