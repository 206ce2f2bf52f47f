package projection

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/graphql-go/graphql"
)

// print writes the schema as SDL: what was generated in the order of the cards,
// then what hand-written fields brought along, by name. Only types that the schema
// reaches are printed, so it holds exactly what graphql-go's schema holds.
func (b *Builder) print(s *graphql.Schema) string {
	p := &printer{types: s.TypeMap(), printed: map[string]bool{}}
	order := slices.Clone(b.order)
	slices.SortStableFunc(order, func(x, y any) int { return cmp.Compare(b.ranks[nameOf(x)], b.ranks[nameOf(y)]) })
	for _, t := range order {
		switch t := t.(type) {
		case *object:
			p.object(t.name, t.description, t.gql, t.node, t.fields)
		case *input:
			p.input(t.name, t.description, t.gql, t.fields)
		case *enum:
			p.enum(t.name, t.description, t.gql, t.values)
		case *graphql.Interface:
			p.byHand(t)
		}
	}
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
	return p.String()
}

func nameOf(t any) string {
	switch t := t.(type) {
	case *object:
		return t.name
	case *input:
		return t.name
	case *enum:
		return t.name
	}
	return ""
}

func builtinScalar(name string) bool {
	return name == "Int" || name == "Float" || name == "String" || name == "Boolean" || name == "ID"
}

type printer struct {
	strings.Builder
	types   graphql.TypeMap
	printed map[string]bool
}

// begin starts a definition, and says whether there is one to write.
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

func (p *printer) fields(fields []*field) {
	p.put(" {\n")
	for _, f := range fields {
		p.describe("  ", f.description)
		p.put("  ", f.name)
		p.args(f.args)
		p.put(": ", f.typ.String())
		p.deprecated(f.deprecated)
		p.put("\n")
	}
	p.put("}\n")
}

// args writes the arguments of a field: on one line where none is described.
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

func (p *printer) arg(a *arg) {
	p.put(a.name, ": ", a.typ.String())
	if a.value != nil {
		p.put(" = ", valueText(a.value, a.typ))
	}
	p.deprecated(a.deprecated)
}

func (p *printer) input(name, description string, t graphql.Type, fields []*arg) {
	if !p.begin(name, description, t) {
		return
	}
	p.put("input ", name, " {\n")
	for _, f := range fields {
		p.describe("  ", f.description)
		p.put("  ")
		p.arg(f)
		p.put("\n")
	}
	p.put("}\n")
}

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

// byHand writes a type that came with a hand-written field. graphql-go keeps its
// members in maps, so they stand in the order of their names.
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
		p.input(t.Name(), t.Description(), t, fields)
	}
}

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

func (p *printer) put(texts ...string) {
	for _, t := range texts {
		p.WriteString(t)
	}
}

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
		for _, line := range strings.Split(strings.ReplaceAll(text, `"""`, `\"""`), "\n") {
			if strings.TrimSpace(line) == "" {
				p.put("\n")
				continue
			}
			p.put(indent, line, "\n")
		}
		p.put(indent, `"""`, "\n")
	}
}

// blockable says whether a block string gives the text back as it is: GraphQL
// cuts common indentation and empty lines at both ends, and lets no control
// characters stand in one.
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

// quote is a GraphQL string literal: JSON's escapes are GraphQL's.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"', r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ', r == 0x7f:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// valueText is a default value as a literal of its type.
func valueText(v any, t graphql.Type) string {
	if n, ok := t.(*graphql.NonNull); ok {
		t = n.OfType
	}
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case string:
		if e, ok := t.(*graphql.Enum); ok {
			if name, ok := e.Serialize(v).(string); ok {
				return name
			}
		}
		return quote(v)
	case []any:
		var of graphql.Type
		if l, ok := t.(*graphql.List); ok {
			of = l.OfType
		}
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = valueText(e, of)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		fields := graphql.InputObjectFieldMap{}
		if o, ok := t.(*graphql.InputObject); ok {
			fields = o.Fields()
		}
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for i, name := range names {
			var of graphql.Type
			if f := fields[name]; f != nil {
				of = f.Type
			}
			names[i] = name + ": " + valueText(v[name], of)
		}
		return "{" + strings.Join(names, ", ") + "}"
	}
	if e, ok := t.(*graphql.Enum); ok {
		if name, ok := e.Serialize(v).(string); ok {
			return name
		}
	}
	return fmt.Sprint(v)
}
