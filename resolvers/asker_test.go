package resolvers_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// asker writes valid documents of a schema, with variables, as the bytes it reads
// request: the same bytes, the same document; none, the plainest one.
type asker struct {
	schema *ast.Schema
	bytes  []byte
	avoid  map[string]bool // fields by name

	room      int // for fields
	names     int
	vars      []string
	sent      map[string]any
	fragments []string
}

// pick is a number below n.
func (a *asker) pick(n int) int {
	if len(a.bytes) == 0 || n < 2 {
		return 0
	}
	b := a.bytes[0]
	a.bytes = a.bytes[1:]
	return int(b) % n
}

// maybe is true about once in n times.
func (a *asker) maybe(n int) bool { return a.pick(n) == n-1 }

func (a *asker) name(prefix string) string { a.names++; return fmt.Sprint(prefix, a.names) }

// document is a query, its variables and the name of the operation.
func (a *asker) document() (query, variables, operation string) {
	a.sent, a.room = map[string]any{}, 60
	body := a.selections(a.schema.Query, 5, false)
	query = "query Q"
	if len(a.vars) > 0 {
		query += "(" + strings.Join(a.vars, ", ") + ")"
	}
	query += " " + body + strings.Join(a.fragments, "")
	if a.maybe(5) {
		query += " query R { __typename }"
	}
	text, _ := json.Marshal(a.sent)
	return query, string(text), "Q"
}

// selections is a selection set on a type. Below an abstract type every field has
// a key of its own: two types may have one name for fields of two types.
func (a *asker) selections(def *ast.Definition, depth int, own bool) string {
	var fields ast.FieldList
	for _, f := range def.Fields {
		if !a.avoid[f.Name] && !strings.HasPrefix(f.Name, "__") && (depth > 1 || a.schema.Types[f.Type.Name()].IsLeafType()) {
			fields = append(fields, f)
		}
	}
	own = own || def.IsAbstractType()
	var out []string
	var last func() string // the field before, with another selection: they merge
	for range 1 + a.pick(4) {
		if a.room--; a.room < 0 || len(fields) == 0 || a.maybe(12) {
			out = append(out, "__typename")
			continue
		}
		if last != nil && a.maybe(5) {
			out = append(out, last())
			continue
		}
		f := fields[a.pick(len(fields))]
		head := a.head(f, own)
		last = func() string {
			text := head + a.directives()
			if under := a.schema.Types[f.Type.Name()]; !under.IsLeafType() {
				text += " " + a.selections(under, depth-1, own)
			}
			return text
		}
		out = append(out, a.wrapped(def, last()))
	}
	if def.IsAbstractType() {
		for _, p := range a.schema.PossibleTypes[def.Name] {
			if a.maybe(2) {
				out = append(out, "... on "+p.Name+a.directives()+" "+a.selections(p, depth-1, true))
			}
		}
	}
	return "{ " + strings.Join(out, " ") + " }"
}

// wrapped is a selection as it is, or in a fragment.
func (a *asker) wrapped(def *ast.Definition, text string) string {
	switch a.pick(10) {
	case 7:
		name := a.name("F")
		a.fragments = append(a.fragments, " fragment "+name+" on "+def.Name+" { "+text+" }")
		return "..." + name + a.directives()
	case 8:
		return "... on " + def.Name + a.directives() + " { " + text + " }"
	case 9:
		for _, i := range def.Interfaces {
			return "... on " + i + " { __typename ... on " + def.Name + " { " + text + " } }"
		}
	}
	return text
}

// head is a field with its key and arguments. Where it has arguments, the key is
// its own: fields of one key have the same.
func (a *asker) head(f *ast.FieldDefinition, own bool) string {
	text := f.Name
	if len(f.Arguments) > 0 || own || a.maybe(4) {
		text = a.name("k") + ": " + text
	}
	var args []string
	for _, arg := range f.Arguments {
		if arg.Type.NonNull && arg.DefaultValue == nil || a.maybe(3) {
			if v := a.value(arg.Name, arg.Type, 3); v != nil {
				args = append(args, arg.Name+": "+a.written(arg.Type, v))
			}
		}
	}
	if len(args) > 0 {
		text += "(" + strings.Join(args, ", ") + ")"
	}
	return text
}

func (a *asker) directives() string {
	text := ""
	for _, name := range []string{"skip", "include"} {
		if !a.maybe(8) {
			continue
		}
		yes := a.maybe(2)
		switch a.pick(3) {
		case 0:
			text += fmt.Sprintf(" @%s(if: %v)", name, yes)
		case 1:
			text += fmt.Sprintf(" @%s(if: $%s)", name, a.variable("Boolean!", yes, ""))
		case 2:
			text += fmt.Sprintf(" @%s(if: $%s)", name, a.variable("Boolean", nil, fmt.Sprint(yes)))
		}
	}
	return text
}

// variable declares a variable, sent or by default.
func (a *asker) variable(typ string, sent any, fallback string) string {
	name := a.name("v")
	decl := "$" + name + ": " + typ
	if fallback != "" {
		decl += " = " + fallback
	}
	if sent != nil {
		a.sent[name] = sent
	}
	a.vars = append(a.vars, decl)
	return name
}

// enumName is a value of an enum: JSON has it as a string.
type enumName string

// member is a field of an input object, in its order.
type member struct {
	name  string
	typ   *ast.Type
	value any
}

// value is a value of an input type, or nil where there is none to give.
func (a *asker) value(name string, t *ast.Type, depth int) any {
	if t.Elem != nil {
		list := []any{}
		for range a.pick(3) + 1 {
			if v := a.value(name, t.Elem, depth); v != nil {
				list = append(list, v)
			}
		}
		if len(list) == 1 && t.Elem.Elem == nil && a.maybe(3) {
			return list[0] // a list of one
		}
		return list
	}
	one := func(list ...any) any { return list[a.pick(len(list))] }
	switch t.NamedType {
	case "Int":
		return one(1, 0, 2, 3, 7, 100)
	case "BigInt":
		return one(1, 3, 20)
	case "Float":
		return one(1.5, 2, 0, -0.25)
	case "Boolean":
		return one(true, false)
	case "String":
		if name == "after" || name == "before" {
			return nil
		}
		return one("Post 1", "", "é \"x\"\n", "Ada", "b")
	case "ID":
		return one("ada", "bob", "go", "nobody", "cG9zdDoz")
	case "DateTime":
		return one("2024-01-02T03:04:05Z")
	case "Date":
		return one("2020-01-02", "2024-12-31")
	case "Decimal":
		return one("1.50", "4")
	case "JSON":
		return one("s", 1.5, true)
	}
	def := a.schema.Types[t.NamedType]
	switch def.Kind {
	case ast.Enum:
		return enumName(def.EnumValues[a.pick(len(def.EnumValues))].Name)
	case ast.InputObject:
		object := []member{}
		if def.Directives.ForName("oneOf") != nil { // one field, which a variable that may be null cannot give
			f := def.Fields[a.pick(len(def.Fields))]
			typ := *f.Type
			typ.NonNull = true
			return []member{{f.Name, &typ, a.value(f.Name, f.Type, depth-1)}}
		}
		for _, f := range def.Fields {
			if f.Type.NonNull || depth > 0 && a.maybe(len(def.Fields)/2+2) {
				if v := a.value(f.Name, f.Type, depth-1); v != nil {
					object = append(object, member{f.Name, f.Type, v})
				}
			}
		}
		return object
	}
	return nil
}

// written is a value in a document: a literal, with variables here and there.
func (a *asker) written(t *ast.Type, v any) string {
	switch a.pick(6) {
	case 4:
		return "$" + a.variable(t.String(), asJSON(v), "")
	case 5:
		if !t.NonNull {
			return "$" + a.variable(t.String(), nil, constant(v))
		}
	}
	switch v := v.(type) {
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = a.written(t.Elem, v[i])
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case []member:
		parts := make([]string, len(v))
		for i, m := range v {
			parts[i] = m.name + ": " + a.written(m.typ, m.value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return constant(v)
}

// constant is a value as a literal without variables.
func constant(v any) string {
	switch v := v.(type) {
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = constant(v[i])
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case []member:
		parts := make([]string, len(v))
		for i, m := range v {
			parts[i] = m.name + ": " + constant(m.value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case enumName:
		return string(v)
	}
	text, _ := json.Marshal(v)
	return string(text)
}

// asJSON is a value as a variable is sent.
func asJSON(v any) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = asJSON(v[i])
		}
		return list
	case []member:
		object := make(map[string]any, len(v))
		for _, m := range v {
			object[m.name] = asJSON(m.value)
		}
		return object
	case enumName:
		return string(v)
	}
	return v
}
