package projection

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/resolvers/language"
	"github.com/frondhost/frond/schema/jsontext"
)

// printSchema writes a schema as SDL: directives and types in the order given
// (docs/decisions/graphql-stack.md).
func printSchema(directives ast.DirectiveDefinitionList, types ast.DefinitionList) string {
	p := &printer{}
	for _, d := range directives {
		p.describe("", d.Description)
		p.put("directive @", d.Name)
		p.args(d.Arguments)
		p.put(" on ")
		for i, l := range d.Locations {
			p.put([]string{"", " | "}[min(i, 1)], string(l))
		}
		p.put("\n")
	}
	for _, t := range types {
		if p.Len() > 0 {
			p.put("\n")
		}
		p.describe("", t.Description)
		p.definition(t)
	}
	return p.String()
}

// printer collects the text of a schema.
type printer struct{ strings.Builder }

// definition writes a type below its description.
func (p *printer) definition(t *ast.Definition) {
	p.put(keywords[t.Kind], " ", t.Name)
	for i, name := range t.Interfaces {
		p.put([]string{" implements ", " & "}[min(i, 1)], name)
	}
	for i, name := range t.Types {
		p.put([]string{" = ", " | "}[min(i, 1)], name)
	}
	p.directives(t.Directives)
	if t.Kind == ast.Scalar || t.Kind == ast.Union {
		p.put("\n")
		return
	}
	p.put(" {\n")
	for _, f := range t.Fields {
		if strings.HasPrefix(f.Name, "__") { // gqlparser adds __schema and __type to the query type
			continue
		}
		p.describe("  ", f.Description)
		p.put("  ", f.Name)
		p.args(f.Arguments)
		p.member(f.Type, f.DefaultValue, f.Directives)
		p.put("\n")
	}
	for _, v := range t.EnumValues {
		p.describe("  ", v.Description)
		p.put("  ", v.Name)
		p.directives(v.Directives)
		p.put("\n")
	}
	p.put("}\n")
}

// keywords begin the definitions of types.
var keywords = map[ast.DefinitionKind]string{
	ast.Scalar: "scalar", ast.Object: "type", ast.Interface: "interface", ast.Union: "union", ast.Enum: "enum", ast.InputObject: "input",
}

// args writes the arguments of a field: on one line if they have no descriptions, otherwise
// each on a line of its own below its description.
//
//	posts(first: Int, after: String): PostConnection
func (p *printer) args(args ast.ArgumentDefinitionList) {
	if len(args) == 0 {
		return
	}
	described := slices.ContainsFunc(args, func(a *ast.ArgumentDefinition) bool { return a.Description != "" })
	p.put("(")
	for i, a := range args {
		switch {
		case described:
			p.put("\n")
			p.describe("    ", a.Description)
			p.put("    ")
		case i > 0:
			p.put(", ")
		}
		p.put(a.Name)
		p.member(a.Type, a.DefaultValue, a.Directives)
	}
	if described {
		p.put("\n  ")
	}
	p.put(")")
}

// member writes the rest of a field or an argument after its name: type, default and
// directives.
func (p *printer) member(t *ast.Type, value *ast.Value, directives ast.DirectiveList) {
	p.put(": ", t.String())
	if value != nil {
		p.put(" = ", language.Print(value))
	}
	p.directives(directives)
}

// directives writes directives, with their arguments.
func (p *printer) directives(list ast.DirectiveList) {
	for _, d := range list {
		p.put(" @", d.Name)
		for _, a := range d.Arguments {
			p.put("(", a.Name, ": ", language.Print(a.Value), ")")
		}
	}
}

// put writes texts one after another.
func (p *printer) put(texts ...string) {
	for _, t := range texts {
		p.WriteString(t)
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

// quote returns s as a GraphQL string literal (2.9.4), which a JSON string is but for DEL.
func quote(s string) string {
	return strings.ReplaceAll(string(jsontext.Quote(s)), "\x7f", `\u007f`)
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
