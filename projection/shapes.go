package projection

import (
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// shapes are the types of values: scalars, lists, and the types made from nested objects and
// enums, by the shape they were made from. A shape that goes out and comes in has an object
// type and up to two inputs, and one enum for both directions.
type shapes struct {
	*typeSet
	out     map[*schema.Shape]*definition
	in      map[*schema.Shape]*definition
	patches map[*schema.Shape]*definition
	enums   map[*schema.Shape]*ast.Type
}

func newShapes(ts *typeSet) *shapes {
	return &shapes{
		typeSet: ts,
		out:     map[*schema.Shape]*definition{},
		in:      map[*schema.Shape]*definition{},
		patches: map[*schema.Shape]*definition{},
		enums:   map[*schema.Shape]*ast.Type{},
	}
}

// named is a shape with the name that a type made from it gets. The name is claimed only if the
// shape needs a type: a String has one.
type named struct {
	shape *schema.Shape
	base  string // PostAddress, for the field address of Post
	by    *origin
}

// output returns the type of an outgoing value, without the mark for non-null, which depends on
// the place of the value:
//
//	object with properties     an object type of its own
//	array                      a list; without `items`, a list of JSON
//	anything else              a scalar or an enum, see leaf
func (ss *shapes) output(n named) *ast.Type {
	return ss.value(n, func(n named) *ast.Type { return ss.nestedOut(n).typ() })
}

// input returns the type of a value coming in, without the mark for non-null. It differs from
// output in objects alone, which become input types.
func (ss *shapes) input(n named) *ast.Type {
	return ss.value(n, func(n named) *ast.Type { return ss.nestedIn(n).typ() })
}

// value is output and input; nested returns the type of an object with properties.
func (ss *shapes) value(n named, nested func(named) *ast.Type) *ast.Type {
	switch s := n.shape; {
	case len(s.Properties) > 0:
		return nested(n)
	case s.Type != "array":
		return ss.leaf(n)
	case s.Items == nil:
		return ss.list(jsonAny)
	default:
		n.shape = s.Items
		return ss.list(ss.unless(s.Items.Nullable, ss.value(n, nested)))
	}
}

// leaf returns the scalar or enum of a value that is neither an object with properties nor a
// list. An enum has precedence over a type. A value without a fitting scalar is JSON: an object
// without properties, a union of types, a shape without a type.
func (ss *shapes) leaf(n named) *ast.Type {
	s := n.shape
	if values := enumValues(s); values != nil {
		if e := ss.enums[s]; e != nil {
			return e
		}
		e := ss.newEnum(ss.free(n.base, n.by), s.Description, values)
		ss.enums[s] = e.typ()
		return e.typ()
	}
	switch s.Type {
	case "string":
		if t := formats[s.Format]; t != nil {
			return t
		}
		return stringType
	case "integer":
		if beyondInt(s) {
			return bigInt
		}
		return intType
	case "number":
		return floatType
	case "boolean":
		return booleanType
	}
	return jsonAny
}

// nestedOut returns the object type of a nested object, made at the first call. A member that
// is required and not nullable is non-null.
func (ss *shapes) nestedOut(n named) *definition {
	if o := ss.out[n.shape]; o != nil {
		return o
	}
	name := ss.free(n.base, n.by)
	o := ss.newObject(name, n.shape.Description)
	ss.out[n.shape] = o
	required := set(n.shape.Required)
	for i := range n.shape.Properties {
		f := &n.shape.Properties[i]
		inner := named{&f.Shape, name + schema.GraphQLType(f.Name), n.by}
		ss.addFields(o, n.by, &field{
			name:        f.Name,
			description: described(&f.Shape, f.Name),
			deprecated:  f.Shape.WhyDeprecated(),
			typ:         ss.unless(f.Shape.Nullable || !required[f.Name], ss.output(inner)),
			binding:     ss.column(f.Name),
		})
	}
	return o
}

// nestedIn returns the input type of a nested object: PostAddressInput. In a create every
// required member has to be sent.
func (ss *shapes) nestedIn(n named) *definition {
	return ss.newNested(n, ss.in, "Input", set(n.shape.Required), ss.input)
}

// patch returns the type of a value in a patch. Nested objects are patched member by member
// (docs/decisions/judge.md), so all of their members are optional: PostAddressPatchInput. An
// object without required members shares the input of create. A list is sent whole, so it has
// the items of a create.
func (ss *shapes) patch(n named) *ast.Type {
	if len(n.shape.Properties) == 0 || !demands(n.shape) {
		return ss.input(n)
	}
	return ss.newNested(n, ss.patches, "PatchInput", nil, ss.patch).typ()
}

// demands reports whether a nested object requires a member, itself or deeper. Only then do
// its create input and its patch input differ.
func demands(s *schema.Shape) bool {
	if len(s.Required) > 0 {
		return true
	}
	for i := range s.Properties {
		if f := &s.Properties[i].Shape; len(f.Properties) > 0 && demands(f) {
			return true
		}
	}
	return false
}

// newNested returns the input type of a nested object, made once for each table: made is
// shapes.in or shapes.patch, suffix the end of the name that goes with it, required the
// members that are non-null, and member makes the type of one member.
func (ss *shapes) newNested(n named, made map[*schema.Shape]*definition, suffix string, required map[string]bool, member func(named) *ast.Type) *definition {
	if in := made[n.shape]; in != nil {
		return in
	}
	in := ss.newInput(ss.free(n.base+suffix, n.by), n.shape.Description)
	made[n.shape] = in
	for i := range n.shape.Properties {
		f := &n.shape.Properties[i]
		inner := named{&f.Shape, n.base + schema.GraphQLType(f.Name), n.by}
		ss.addInput(in, n.by, &arg{
			name:        f.Name,
			description: described(&f.Shape, f.Name),
			deprecated:  f.Shape.WhyDeprecated(),
			typ:         ss.unless(f.Shape.Nullable || !required[f.Name], member(inner)),
		})
	}
	return in
}

// enumValues returns the values of an enum that GraphQL can write, without null and without
// repetitions. It returns nil if one value is not a GraphQL name: the field then is a plain
// String (docs/decisions/judge.md), since a value must be spelled alike on every surface.
func enumValues(s *schema.Shape) []string {
	if s.Type != "string" && s.Type != "" {
		return nil
	}
	var values []string
	seen := map[string]bool{}
	for _, v := range s.Enum {
		if jsontext.IsNull(v) {
			continue
		}
		name := jsontext.Unquote(v)
		if jsontext.KindOf(v) != jsontext.String || !legalValue(name) {
			return nil
		}
		if !seen[name] {
			seen[name] = true
			values = append(values, name)
		}
	}
	return values
}

// set returns the names as a set. The result may be changed by its caller.
func set(names []string) map[string]bool {
	s := make(map[string]bool, len(names))
	for _, n := range names {
		s[n] = true
	}
	return s
}
