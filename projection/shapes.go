package projection

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"unicode"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// scalars are the types that plain JSON Schema values become, by name.
var scalars = map[string]*graphql.Scalar{
	"Int": graphql.Int, "Float": graphql.Float, "String": graphql.String, "Boolean": graphql.Boolean, "ID": graphql.ID,
	"DateTime": dateTime, "Date": date, "Time": timeOfDay, "UUID": uuid, "JSON": jsonAny, "BigInt": bigInt, "Decimal": decimal,
}

// formats are the string formats that have a scalar of their own.
var formats = map[string]*graphql.Scalar{
	"date-time": dateTime, "date": date, "time": timeOfDay, "uuid": uuid, "decimal": decimal,
}

// shapes are the types made from nested objects and enums, by the shape they were
// made from: what goes out and what comes in share them.
type shapes struct {
	out   map[*schema.Shape]*object
	in    map[*schema.Shape]*input
	patch map[*schema.Shape]*input
	enums map[*schema.Shape]*graphql.Enum
}

// named says what the types of a field's shape are called.
type named struct {
	shape *schema.Shape
	base  string // PostAddress, for the field address of Post
	by    *origin
}

// output is the type of a value going out, without its "required".
func (b *Builder) output(n named) graphql.Output {
	switch s := n.shape; {
	case len(s.Properties) > 0:
		return b.nestedOut(n).gql
	case s.Type == "array":
		item := n
		if item.shape = s.Items; item.shape == nil {
			return b.list(jsonAny)
		}
		return b.list(b.unless(item.shape.Nullable, b.output(item)))
	}
	return b.leaf(n)
}

// input is the type of a value coming in, without its "required".
func (b *Builder) input(n named) graphql.Input {
	switch s := n.shape; {
	case len(s.Properties) > 0:
		return b.nestedIn(n).gql
	case s.Type == "array":
		item := n
		if item.shape = s.Items; item.shape == nil {
			return b.list(jsonAny)
		}
		return b.list(b.unless(item.shape.Nullable, b.input(item)))
	}
	return b.leaf(n).(graphql.Input)
}

// leaf is the scalar or enum of a value that is neither object nor list.
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

// nestedOut is the object type of a nested object.
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
		b.addField(o, n.by, &field{
			name:        f.Name,
			description: described(&f.Shape, f.Name),
			deprecated:  deprecated(&f.Shape),
			typ:         b.unless(f.Shape.Nullable || !required[f.Name], b.output(inner)),
			binding:     column(f.Name),
		})
	}
	return o
}

// nestedIn is the input type of a nested object.
func (b *Builder) nestedIn(n named) *input {
	return b.newNested(n, b.shapes.in, "Input", set(n.shape.Required), b.input)
}

// patch is the type of a value in a patch. Nested objects are patched member by
// member (decision 012), so there nothing in them is required; a list is sent whole.
func (b *Builder) patch(n named) graphql.Input {
	if len(n.shape.Properties) == 0 || !demands(n.shape) {
		return b.input(n)
	}
	return b.newNested(n, b.shapes.patch, "PatchInput", nil, b.patch).gql
}

// demands says whether a nested object requires a member, itself or deeper.
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

// newNested makes the input type of a nested object, once for each table.
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
			deprecated:  deprecated(&f.Shape),
			typ:         b.unless(f.Shape.Nullable || !required[f.Name], member(inner)),
		})
	}
	return in
}

// free claims a type name, and gives one to go on with where it is taken: the
// build fails in the end, and says everything that is wrong.
func (b *Builder) free(name string, by *origin) string {
	if !b.claims.claim(typeNames, name, by) {
		return b.claims.spare()
	}
	b.ranks[name] = b.rank(by)
	return name
}

// rank is where a type stands in the SDL: doors in their order, each with all that
// comes from it, then views, then what the doors share.
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
	case by.view != nil:
		return len(b.doors) + 1
	}
	return sharedRank
}

const (
	rootRank   = -1
	sharedRank = math.MaxInt
)

// addInput gives in a field whose name nobody else has there. GraphQL lets only
// what may be left out be deprecated.
func (b *Builder) addInput(in *input, by *origin, a *arg) {
	if !b.claims.claim(space{"input field", in.name}, a.name, by) {
		return
	}
	if _, must := a.typ.(*graphql.NonNull); must {
		a.deprecated = ""
	}
	in.fields = append(in.fields, a)
}

// home is where the types of a field are named: a view that was cut from an
// entity shares its enums and nested objects.
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

// enumValues are the values of an enum that GraphQL can write, or nil: one value
// it cannot, and the field is a plain String (DESIGN 5).
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

// beyondInt says whether a whole number may leave GraphQL's Int, which has 32
// bits: its format says so, or a bound of it does.
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

// stays says whether a field is there in every row that the caller may read: it
// is not nullable, and somebody has to write it (spec 2.3).
func stays(p *schema.Property, required map[string]bool) bool {
	switch {
	case p.Shape.Nullable:
		return false
	case p.Axes.Primary, required[p.Name], p.Link != nil && p.Link.Many:
		return true
	}
	return p.Axes.Create != nil && !p.Axes.Create.Optional
}

func deprecated(s *schema.Shape) string { return s.WhyDeprecated() }

// described is what a shape says of itself to a reader who knows its name: the
// description, else the title, unless that is the name again in other letters.
func described(s *schema.Shape, name string) string {
	if s.Description != "" || strings.EqualFold(letters(s.Title), letters(name)) {
		return s.Description
	}
	return s.Title
}

// letters is a text without what stands between its letters and digits.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

func set(names []string) map[string]bool {
	s := make(map[string]bool, len(names))
	for _, n := range names {
		s[n] = true
	}
	return s
}
