package projection

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema/jsontext"
)

// print writes the schema as SDL: generated types in the order of the cards, then those of
// hand-written fields, by name (docs/decisions/graphql-stack.md). Only types that graphql-go's
// schema reaches are printed, so both hold the same types. The error names the defaults that
// have no literal form.
func (b *Builder) print(s *graphql.Schema) (string, error) {
	p := &printer{types: s.TypeMap(), printed: map[string]bool{}}
	order := slices.Clone(b.order)
	// The interface Node has the rank 0, after the root types and before the doors.
	slices.SortStableFunc(order, func(x, y any) int { return cmp.Compare(b.ranks[typeOf(x).Name()], b.ranks[typeOf(y).Name()]) })
	if b.live {
		p.directive(liveDirective)
	}
	if p.semantic = b.opts.SemanticNonNull; p.semantic {
		p.describe("", "The field is null only where an error says why.")
		p.put("directive @semanticNonNull(levels: [Int] = [0]) on FIELD_DEFINITION\n")
	}
	for _, t := range order {
		switch t := t.(type) {
		case *object:
			p.object(t.name, t.description, t.gql, t.node, t.fields)
		case *input:
			p.input(t.name, t.description, t.gql, t.fields, t.oneOf)
		case *enum:
			p.enum(t.name, t.description, t.gql, t.values)
		case *graphql.Interface:
			p.byHand(t)
		}
	}
	// Types from outside of the Builder: scalars, and the types of hand-written fields.
	var rest []string
	for name := range p.types {
		if !p.printed[name] && !strings.HasPrefix(name, "__") && !builtinScalar(name) {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	for _, name := range rest {
		p.byHand(p.types[name])
	}
	return p.String(), p.fault
}

// typeOf returns graphql-go's type of a member of Builder.order.
func typeOf(t any) graphql.Type {
	switch t := t.(type) {
	case *object:
		return t.gql
	case *input:
		return t.gql
	case *enum:
		return t.gql
	}
	return t.(graphql.Type)
}

// builtinScalar reports whether name is one of GraphQL's five scalars, which an SDL need not
// define (GraphQL 3.5).
func builtinScalar(name string) bool {
	return name == "Int" || name == "Float" || name == "String" || name == "Boolean" || name == "ID"
}

// printer collects the text of a schema. types is graphql-go's table of reachable types;
// printed are the names written so far.
type printer struct {
	strings.Builder
	types   graphql.TypeMap
	printed map[string]bool
	// semantic prints @semanticNonNull.
	semantic bool
	fault    error // defaults that have no literal
}

// begin starts a definition with its description, and reports whether there is one to write:
// not where the schema does not reach t, nor where t is written already.
func (p *printer) begin(name, description string, t graphql.Type) bool {
	if p.types[name] != t || p.printed[name] {
		return false
	}
	p.printed[name] = true
	if p.Len() > 0 {
		p.WriteByte('\n')
	}
	p.describe("", description)
	return true
}

// directive writes the definition of a directive without arguments.
func (p *printer) directive(d *graphql.Directive) {
	p.describe("", d.Description)
	p.put("directive @", d.Name, " on ", strings.Join(d.Locations, " | "), "\n")
}

// object writes an object type, with its fields in the order of the card.
func (p *printer) object(name, description string, t graphql.Type, node bool, fields []*field) {
	if !p.begin(name, description, t) {
		return
	}
	p.put("type ", name)
	if node {
		p.put(" implements Node")
	}
	p.fields(fields)
}

// fields writes the part in braces of an object or an interface.
func (p *printer) fields(fields []*field) {
	p.put(" {\n")
	for _, f := range fields {
		p.describe("  ", f.description)
		p.put("  ", f.name)
		p.args(f.args)
		p.put(": ", f.typ.String())
		if p.semantic && f.failsNull() {
			p.put(" @semanticNonNull")
		}
		p.deprecated(f.deprecated)
		p.put("\n")
	}
	p.put("}\n")
}

// failsNull reports whether a nullable field is null only together with an error:
//
//	a connection behind a relation           its door is closed or unreachable
//	an operation that always answers rows    it failed: list, findByIds, create, update, and named ones
//	delete                                   the same
func (f *field) failsNull() bool {
	b := f.binding
	if _, nonNull := f.typ.(*graphql.NonNull); nonNull || b == nil {
		return false
	}
	switch b.Kind {
	case binding.ToMany, binding.ToManyIDs:
		return true
	case binding.Operation:
		op := b.Operation
		return op.Builtin && op.Name == "delete" || b.Output != nil && (op.Cardinality == catalog.One || op.Cardinality == catalog.Many || op.Cardinality == catalog.PageOf)
	}
	return false
}

// args writes the arguments of a field: on one line where none is described, otherwise each on
// a line of its own below its description.
//
//	posts(first: Int, after: String): PostConnection
func (p *printer) args(args []*arg) {
	if len(args) == 0 {
		return
	}
	described := slices.ContainsFunc(args, func(a *arg) bool { return a.description != "" })
	p.put("(")
	for i, a := range args {
		switch {
		case described:
			p.put("\n")
			p.describe("    ", a.description)
			p.put("    ")
		case i > 0:
			p.put(", ")
		}
		p.arg(a)
	}
	if described {
		p.put("\n  ")
	}
	p.put(")")
}

// arg writes an argument or an input field: name, type, default and deprecation.
func (p *printer) arg(a *arg) {
	p.put(a.name, ": ", a.typ.String())
	if a.value != nil {
		p.put(" = ", p.valueText(a.name, a.value, a.typ))
	}
	p.deprecated(a.deprecated)
}

// input writes an input type; see object.
func (p *printer) input(name, description string, t graphql.Type, fields []*arg, oneOf bool) {
	if !p.begin(name, description, t) {
		return
	}
	p.put("input ", name)
	if oneOf {
		p.put(" @oneOf")
	}
	p.put(" {\n")
	for _, f := range fields {
		p.describe("  ", f.description)
		p.put("  ")
		p.arg(f)
		p.put("\n")
	}
	p.put("}\n")
}

// enum writes an enum type with its values in the order they are given.
func (p *printer) enum(name, description string, t graphql.Type, values []*graphql.EnumValueDefinition) {
	if !p.begin(name, description, t) {
		return
	}
	p.put("enum ", name, " {\n")
	for _, v := range values {
		p.describe("  ", v.Description)
		p.put("  ", v.Name)
		p.deprecated(v.DeprecationReason)
		p.put("\n")
	}
	p.put("}\n")
}

// byHand writes a type that came with a hand-written field, or a scalar. graphql-go keeps its
// members in maps, so they are sorted by name.
func (p *printer) byHand(t graphql.Type) {
	switch t := t.(type) {
	case *graphql.Scalar:
		if p.begin(t.Name(), t.Description(), t) {
			p.put("scalar ", t.Name())
			if url := specifiedBy[t.Name()]; url != "" && scalars[t.Name()] == t {
				p.put(" @specifiedBy(url: ", quote(url), ")")
			}
			p.put("\n")
		}
	case *graphql.Object:
		if p.begin(t.Name(), t.Description(), t) {
			p.put("type ", t.Name())
			for i, in := range t.Interfaces() {
				p.put([]string{" implements ", " & "}[min(i, 1)], in.Name())
			}
			p.fields(sortedFields(t.Fields()))
		}
	case *graphql.Interface:
		if p.begin(t.Name(), t.Description(), t) {
			p.put("interface ", t.Name())
			p.fields(sortedFields(t.Fields()))
		}
	case *graphql.Union:
		if p.begin(t.Name(), t.Description(), t) {
			var names []string
			for _, o := range t.Types() {
				names = append(names, o.Name())
			}
			p.put("union ", t.Name(), " = ", strings.Join(names, " | "), "\n")
		}
	case *graphql.Enum:
		values := slices.Clone(t.Values())
		slices.SortFunc(values, func(a, b *graphql.EnumValueDefinition) int { return strings.Compare(a.Name, b.Name) })
		p.enum(t.Name(), t.Description(), t, values)
	case *graphql.InputObject:
		var fields []*arg
		for name, f := range t.Fields() {
			fields = append(fields, &arg{name: name, description: f.PrivateDescription, typ: f.Type, value: f.DefaultValue})
		}
		slices.SortFunc(fields, func(a, b *arg) int { return strings.Compare(a.name, b.name) })
		p.input(t.Name(), t.Description(), t, fields, false)
	}
}

// sortedFields returns graphql-go's fields as the printer's, fields and arguments by name.
func sortedFields(m graphql.FieldDefinitionMap) []*field {
	fields := make([]*field, 0, len(m))
	for name, f := range m {
		own := &field{name: name, description: f.Description, deprecated: f.DeprecationReason, typ: f.Type}
		for _, a := range f.Args {
			own.args = append(own.args, &arg{name: a.PrivateName, description: a.PrivateDescription, typ: a.Type, value: a.DefaultValue})
		}
		slices.SortFunc(own.args, func(a, b *arg) int { return strings.Compare(a.name, b.name) })
		fields = append(fields, own)
	}
	slices.SortFunc(fields, func(a, b *field) int { return strings.Compare(a.name, b.name) })
	return fields
}

// put writes texts one after another.
func (p *printer) put(texts ...string) {
	for _, t := range texts {
		p.WriteString(t)
	}
}

// deprecated writes the directive for a reason; "" writes nothing. It omits GraphQL's default
// reason (3.13.3), which is the default of the argument.
func (p *printer) deprecated(reason string) {
	switch reason {
	case "":
	case graphql.DefaultDeprecationReason:
		p.put(" @deprecated")
	default:
		p.put(" @deprecated(reason: ", quote(reason), ")")
	}
}

// describe writes a description: one line as a string, several as a block.
func (p *printer) describe(indent, text string) {
	switch {
	case text == "":
	case !strings.Contains(text, "\n") || !blockable(text):
		p.put(indent, quote(text), "\n")
	default:
		p.put(indent, `"""`, "\n")
		for line := range strings.SplitSeq(strings.ReplaceAll(text, `"""`, `\"""`), "\n") {
			if strings.TrimSpace(line) == "" {
				p.put("\n")
				continue
			}
			p.put(indent, line, "\n")
		}
		p.put(indent, `"""`, "\n")
	}
}

// blockable reports whether a block string gives the text back as it is: GraphQL 2.9.4 cuts
// common indentation and empty lines at both ends, and no escapes write a control character in
// one.
func blockable(text string) bool {
	lines := strings.Split(text, "\n")
	if strings.TrimSpace(lines[0]) == "" || strings.TrimSpace(lines[len(lines)-1]) == "" {
		return false
	}
	for i, line := range lines {
		if i == 0 && (line[0] == ' ' || line[0] == '\t') || strings.TrimSpace(line) == "" && line != "" {
			return false
		}
	}
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f })
}

// quote returns s as a GraphQL string literal (2.9.4), which a JSON string is but for DEL.
func quote(s string) string {
	return strings.ReplaceAll(string(jsontext.Quote(s)), "\x7f", `\u007f`)
}

// valueText returns the default v of the member called name as a literal of t (GraphQL 2.9):
//
//	enum value        the name that the enum serializes it as
//	string            "a string"
//	slice, array      [1, 2]
//	map of strings    {a: 1, b: 2}, keys sorted
//	nil pointer       null
//
// Any other Go value is recorded as an error and written as null.
func (p *printer) valueText(name string, v any, t graphql.Type) string {
	if n, ok := t.(*graphql.NonNull); ok {
		t = n.OfType
	}
	if e, ok := t.(*graphql.Enum); ok && v != nil && reflect.TypeOf(v).Comparable() {
		if name, ok := e.Serialize(v).(string); ok {
			return name
		}
	}
	switch v := v.(type) {
	case nil:
		return "null"
	case json.Number:
		return v.String()
	}
	value := reflect.ValueOf(v)
	switch value.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(value.Bool())
	case reflect.String:
		return quote(value.String())
	case reflect.Pointer:
		if value.IsNil() {
			return "null"
		}
		return p.valueText(name, value.Elem().Interface(), t)
	case reflect.Slice, reflect.Array:
		return p.listText(name, value, t)
	case reflect.Map:
		if value.Type().Key().Kind() == reflect.String {
			return p.objectText(name, value, t)
		}
	case reflect.Float32, reflect.Float64:
		if f := value.Float(); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return fmt.Sprint(v)
		}
	default:
		if value.CanInt() || value.CanUint() {
			return fmt.Sprint(v)
		}
	}
	p.fault = errors.Join(p.fault, fmt.Errorf("the default of %s is a Go %T, which has no literal; use a bool, a number, a string, a slice or a map with string keys", name, v))
	return "null"
}

// listText returns a slice or an array as a list literal. If t is not a list, it is taken as
// the type of the items.
func (p *printer) listText(name string, list reflect.Value, t graphql.Type) string {
	of := t
	if l, ok := t.(*graphql.List); ok {
		of = l.OfType
	}
	parts := make([]string, list.Len())
	for i := range parts {
		parts[i] = p.valueText(name, list.Index(i).Interface(), of)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// objectText returns a map as an object literal. The keys are sorted, since a Go map has a
// random order and the SDL must be the same at every start.
func (p *printer) objectText(name string, object reflect.Value, t graphql.Type) string {
	fields := graphql.InputObjectFieldMap{}
	if o, ok := t.(*graphql.InputObject); ok {
		fields = o.Fields()
	}
	parts := make([]string, 0, object.Len())
	for _, key := range object.MapKeys() {
		var of graphql.Type
		if f := fields[key.String()]; f != nil {
			of = f.Type
		}
		parts = append(parts, key.String()+": "+p.valueText(name, object.MapIndex(key).Interface(), of))
	}
	slices.Sort(parts)
	return "{" + strings.Join(parts, ", ") + "}"
}
