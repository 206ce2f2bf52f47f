package projection

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// scalars are the scalar types of a schema, by name. They are shared by all schemas of a
// process and never change.
var scalars = map[string]*graphql.Scalar{
	"Int": graphql.Int, "Float": graphql.Float, "String": graphql.String, "Boolean": graphql.Boolean, "ID": graphql.ID,
	"DateTime": dateTime, "Date": date, "Time": timeOfDay, "UUID": uuid, "JSON": jsonAny, "BigInt": bigInt, "Decimal": decimal,
}

// formats are the string formats that have a scalar of their own, by the `format` of JSON
// Schema (Validation 7.3) and OpenAPI's decimal. A string of another format is a String.
var formats = map[string]*graphql.Scalar{
	"date-time": dateTime, "date": date, "time": timeOfDay, "uuid": uuid, "decimal": decimal,
}

// shapes are the types made from nested objects and enums, by the shape they were made from. A
// shape that goes out and comes in has an object type and up to two inputs, and one enum for
// both directions.
type shapes struct {
	out   map[*schema.Shape]*object
	in    map[*schema.Shape]*input
	patch map[*schema.Shape]*input
	enums map[*schema.Shape]*graphql.Enum
}

// named is a shape with the name that a type made from it gets. The name is claimed only where
// the shape needs a type: a String needs none.
type named struct {
	shape *schema.Shape
	base  string // PostAddress, for the field address of Post
	by    *origin
}

// output returns the type of an outgoing value, without the mark for non-null, which depends on
// the place of the value:
//
//	object with properties     an object type of its own
//	array                      a list; without `items`, [JSON]
//	anything else              a scalar or an enum, see leaf
func (b *Builder) output(n named) graphql.Output {
	return b.value(n, func(n named) graphql.Type { return b.nestedOut(n).gql })
}

// input returns the type of a value coming in, without the mark for non-null. It differs from
// output in objects alone, which are input types.
func (b *Builder) input(n named) graphql.Input {
	return b.value(n, func(n named) graphql.Type { return b.nestedIn(n).gql })
}

// value is output and input; nested returns the type of an object with properties.
func (b *Builder) value(n named, nested func(named) graphql.Type) graphql.Type {
	switch s := n.shape; {
	case len(s.Properties) > 0:
		return nested(n)
	case s.Type != "array":
		return b.leaf(n)
	case s.Items == nil:
		return b.list(jsonAny)
	default:
		n.shape = s.Items
		return b.list(b.unless(s.Items.Nullable, b.value(n, nested)))
	}
}

// leaf returns the scalar or enum of a value that is neither an object with properties nor a
// list. An enum has precedence over a type. A value without a fitting scalar is JSON: an object
// without properties, a union of types, a shape without a type.
func (b *Builder) leaf(n named) graphql.Output {
	s := n.shape
	if values := enumValues(s); values != nil {
		if e := b.shapes.enums[s]; e != nil {
			return e
		}
		e := b.newEnum(b.free(n.base, n.by), s.Description, values)
		b.shapes.enums[s] = e.gql
		return e.gql
	}
	switch s.Type {
	case "string":
		if t := formats[s.Format]; t != nil {
			return t
		}
		return graphql.String
	case "integer":
		if beyondInt(s) {
			return bigInt
		}
		return graphql.Int
	case "number":
		return graphql.Float
	case "boolean":
		return graphql.Boolean
	}
	return jsonAny
}

// nestedOut returns the object type of a nested object, made at the first call. A member that
// is required and not nullable is non-null.
func (b *Builder) nestedOut(n named) *object {
	if o := b.shapes.out[n.shape]; o != nil {
		return o
	}
	name := b.free(n.base, n.by)
	o := b.newObject(name, n.shape.Description)
	b.shapes.out[n.shape] = o
	required := set(n.shape.Required)
	for i := range n.shape.Properties {
		f := &n.shape.Properties[i]
		inner := named{&f.Shape, name + schema.GraphQLType(f.Name), n.by}
		b.addFields(o, n.by, &field{
			name:        f.Name,
			description: described(&f.Shape, f.Name),
			deprecated:  f.Shape.WhyDeprecated(),
			typ:         b.unless(f.Shape.Nullable || !required[f.Name], b.output(inner)),
			binding:     column(f.Name),
		})
	}
	return o
}

// nestedIn returns the input type of a nested object: PostAddressInput. In a create every
// required member has to be sent.
func (b *Builder) nestedIn(n named) *input {
	return b.newNested(n, b.shapes.in, "Input", set(n.shape.Required), b.input)
}

// patch returns the type of a value in a patch. Nested objects are patched member by member
// (docs/decisions/judge.md), so none of their members is required: PostAddressPatchInput. An
// object without required members shares the input of create. A list is sent whole, so its
// items are those of a create.
func (b *Builder) patch(n named) graphql.Input {
	if len(n.shape.Properties) == 0 || !demands(n.shape) {
		return b.input(n)
	}
	return b.newNested(n, b.shapes.patch, "PatchInput", nil, b.patch).gql
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
func (b *Builder) newNested(n named, made map[*schema.Shape]*input, suffix string, required map[string]bool, member func(named) graphql.Input) *input {
	if in := made[n.shape]; in != nil {
		return in
	}
	in := b.newInput(b.free(n.base+suffix, n.by), n.shape.Description)
	made[n.shape] = in
	for i := range n.shape.Properties {
		f := &n.shape.Properties[i]
		inner := named{&f.Shape, n.base + schema.GraphQLType(f.Name), n.by}
		b.addInput(in, n.by, &arg{
			name:        f.Name,
			description: described(&f.Shape, f.Name),
			deprecated:  f.Shape.WhyDeprecated(),
			typ:         b.unless(f.Shape.Nullable || !required[f.Name], member(inner)),
		})
	}
	return in
}

// free claims a type name for by and returns it. Where it is not free or not legal, it returns
// a spare name to go on with: the build fails in the end, with everything that is wrong.
func (b *Builder) free(name string, by *origin) string {
	if !b.claims.claim(typeNames, name, by) {
		return b.claims.spare()
	}
	b.ranks[name] = b.rank(by)
	return name
}

// rank returns the place of a type in the SDL (docs/decisions/graphql-stack.md): doors in their
// order from 1, each with the types made from it, then views, then the types that doors share.
func (b *Builder) rank(by *origin) int {
	d := by.owner()
	if d == nil && by.field != nil {
		if own := b.byKey[by.field.Owner.Key]; own != nil {
			d = own.Door
		}
	}
	switch own := b.byDoor[d]; {
	case own != nil:
		return own.index
	case by.view != nil, by.fact != nil:
		return len(b.doors) + 1
	}
	return sharedRank
}

const (
	rootRank   = -1
	sharedRank = math.MaxInt
)

// addInput gives in a field whose name is free there. GraphQL 3.13.3 allows deprecation only on
// optional fields, so a non-null field loses its deprecation.
func (b *Builder) addInput(in *input, by *origin, a *arg) {
	if !b.claims.claim(space{"input field", in.name}, a.name, by) {
		return
	}
	if _, must := a.typ.(*graphql.NonNull); must {
		a.deprecated = ""
	}
	in.fields = append(in.fields, a)
}

// home returns where the types of a field are named. A view that was cut from an entity shares
// the entity's enums and nested objects where the shape is the same, so that a client has one
// PostStatus and not one for each view.
func (b *Builder) home(p *schema.Property, typ string, by *origin) named {
	if d := p.Owner.Card.Derived; d != nil && p.Owner.View {
		if from := b.byKey[schema.EntityKey(d.From)]; from != nil {
			if same := from.Entity.Property(p.Name); same != nil && reflect.DeepEqual(same.Shape, p.Shape) {
				return b.home(same, from.typ, from.origin)
			}
		}
	}
	return named{&p.Shape, typ + schema.GraphQLType(p.Name), by.at(p, "type")}
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

// beyondInt reports whether a whole number may be beyond GraphQL's Int, which has 32 bits
// (GraphQL 3.5.1): its format is int64, or one of its bounds lies outside. An integer without
// either is an Int (docs/decisions/graphql-schema.md).
func beyondInt(s *schema.Shape) bool {
	if s.Format == "int64" {
		return true
	}
	for _, k := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"} {
		var n float64
		if v := s.Extra.Get(k); v != nil && json.Unmarshal(v, &n) == nil && (n < math.MinInt32 || n > math.MaxInt32) {
			return true
		}
	}
	return false
}

// stays reports whether a field is there in every row that the caller may read, so that it can
// be non-null (docs/decisions/graphql-schema.md). It is not nullable, and one of these holds:
//
//	it is the primary key
//	the card requires it
//	it is the list of ids of a many relation
//	a create rule supplies it (spec 2.3)
func stays(p *schema.Property) bool {
	switch {
	case p.Shape.Nullable:
		return false
	case p.Axes.Primary, slices.Contains(p.Owner.Card.Required, p.Name), p.Link != nil && p.Link.Many:
		return true
	}
	return p.Axes.Create != nil && !p.Axes.Create.Optional
}

// described returns the description of a shape for a reader who knows its name: its
// description, else the title, unless the title repeats the name. "Unit price" of unitPrice is
// such a repetition and gives "".
func described(s *schema.Shape, name string) string {
	if s.Description != "" || strings.EqualFold(letters(s.Title), letters(name)) {
		return s.Description
	}
	return s.Title
}

// letters returns a text without everything that is neither letter nor digit: "Unit price" is
// "Unitprice".
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// set returns the names as a set. The result may be changed by its caller.
func set(names []string) map[string]bool {
	s := make(map[string]bool, len(names))
	for _, n := range names {
		s[n] = true
	}
	return s
}
