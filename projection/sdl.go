package projection

import (
	"slices"
	"strings"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/resolvers/binding"
)

// printSchema writes a schema as SDL: the generated types in the order given, then those of
// hand-written fields, by name (docs/decisions/graphql-stack.md). Only types that graphql-go's
// schema reaches are printed, so both hold the same types. The error names the defaults that
// have no literal form.
func printSchema(s *graphql.Schema, types []any, directives []*graphql.Directive, semantic bool) (string, error) {
	p := &printer{types: s.TypeMap(), printed: map[string]bool{}}
	for _, d := range directives {
		p.directive(d)
	}
	if p.semantic = semantic; semantic {
		p.describe("", "The field is null only where an error says why.")
		p.put("directive @semanticNonNull(levels: [Int] = [0]) on FIELD_DEFINITION\n")
	}
	for _, t := range types {
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
//	aggregate and groups of a connection     the same
func (f *field) failsNull() bool {
	b := f.binding
	if _, nonNull := f.typ.(*graphql.NonNull); nonNull || b == nil {
		return false
	}
	switch b.Kind {
	case binding.ToMany, binding.ToManyIDs, binding.Aggregate, binding.Groups:
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
