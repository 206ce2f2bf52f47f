package differential

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// val is an input value that can be written as a literal and as JSON.
type val struct {
	literal string
	json    string
}

var null = val{"null", "null"}

// variable is a variable of a document, and what is sent for it.
type variable struct {
	name, typ, fallback string // fallback with its "= "
	json                string // "": nothing is sent
}

// value makes up a value for a position of a type. fallback says that the position
// has a default, so that a nullable variable may stand in one that is not.
func (g *documents) value(t *ast.Type, fallback bool, depth int) val {
	if g.chance(18) {
		return val{literal: "$" + g.variable(t, fallback)}
	}
	return g.constant(t, depth, true)
}

// constant is value without a variable at its top, and without any where vars is false.
func (g *documents) constant(t *ast.Type, depth int, vars bool) val {
	inner := func(t *ast.Type) val {
		if vars {
			return g.value(t, false, depth+1)
		}
		return g.constant(t, depth+1, false)
	}
	if !t.NonNull && (g.chance(10) || depth > 4) {
		return null
	}
	if t.Elem != nil {
		if g.chance(15) { // a list of one
			v := g.constant(t.Elem, depth+1, vars)
			if v != null {
				return v
			}
		}
		var literals, texts []string
		for range g.IntN(4) {
			v := inner(t.Elem)
			literals, texts = append(literals, v.literal), append(texts, v.json)
		}
		return val{"[" + strings.Join(literals, ", ") + "]", "[" + strings.Join(texts, ",") + "]"}
	}
	def := g.w.ast.Types[t.NamedType]
	switch {
	case def.Kind == ast.Enum:
		name := def.EnumValues[g.IntN(len(def.EnumValues))].Name
		return val{name, strconv.Quote(name)}
	case def.Kind == ast.InputObject:
		return g.inputObject(def, depth, vars, inner)
	}
	return g.scalar(t.NamedType, inner)
}

func (g *documents) inputObject(def *ast.Definition, depth int, vars bool, inner func(*ast.Type) val) val {
	var literals, texts []string
	fields := slices.Clone(def.Fields)
	g.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	oneOf := def.Directives.ForName("oneOf") != nil
	for _, f := range fields {
		typ := f.Type
		if oneOf {
			typ = &ast.Type{NamedType: typ.NamedType, Elem: typ.Elem, NonNull: true}
		}
		must := f.Type.NonNull && f.DefaultValue == nil
		if !must && !oneOf && (depth > 3 || g.chance(45)) {
			continue
		}
		var v val
		if vars && f.DefaultValue != nil && f.Type.NonNull && g.chance(20) {
			v = val{literal: "$" + g.variable(f.Type, true)}
		} else {
			v = inner(typ)
		}
		literals, texts = append(literals, f.Name+": "+v.literal), append(texts, strconv.Quote(f.Name)+":"+v.json)
		if oneOf {
			break
		}
	}
	return val{"{" + strings.Join(literals, ", ") + "}", "{" + strings.Join(texts, ",") + "}"}
}

// strings in every way GraphQL writes them, and as JSON.
var stringVals = []val{
	{`""`, `""`},
	{`"a"`, `"a"`},
	{`"é \u00e9 \" \\ \/ \n"`, `"é é \" \\ / \n"`},
	{`"""block "quoted" """`, `"block \"quoted\" "`},
	{"\"\"\"\n    two\n      lines \\\"\"\"\n  \"\"\"", `"two\n  lines \"\"\""`},
	{`"😀 <&>"`, `"😀 <&>"`},
	{`"\uD83D\uDE00"`, `"\uD83D\uDE00"`},
	{`"7"`, `"7"`},
}

func (g *documents) scalar(name string, inner func(*ast.Type) val) val {
	same := func(text string) val { return val{text, text} }
	switch name {
	case "Int":
		return same([]string{"0", "-1", "2", "3", "2147483647", "-2147483648", "1"}[g.IntN(7)])
	case "Float":
		return same([]string{"0", "-1.5", "1e3", "2.50", "1E-2", "7", "1e21"}[g.IntN(7)])
	case "Boolean":
		return same([]string{"true", "false"}[g.IntN(2)])
	case "BigInt":
		return []val{same("0"), same("1099511627776"), same("-3"), {`"12"`, `"12"`}}[g.IntN(4)]
	case "ID":
		if g.chance(30) {
			return same(strconv.Itoa(g.IntN(9)))
		}
	case "JSON":
		switch g.IntN(7) {
		case 0:
			return val{"{k: [1, E, {}], n: null}", `{"k":[1,"E",{}],"n":null}`}
		case 1:
			v := inner(&ast.Type{NamedType: "JSON"})
			return val{"[" + v.literal + ", 2.5]", "[" + v.json + ",2.5]"}
		case 2:
			v := inner(&ast.Type{NamedType: "JSON"})
			return val{"{z: " + v.literal + ", a: true}", `{"z":` + v.json + `,"a":true}`}
		case 3:
			return same("4")
		}
	}
	return stringVals[g.IntN(len(stringVals))]
}

// wrongJSON are values most types refuse.
var wrongJSON = []string{`"str"`, "1.5", "true", "null", "{}", "[]", "2147483648", `{"zz":1}`, "[[1]]", `["x",null]`, "3.0", `"RED"`, "[null]"}

// variable declares a variable that may stand where a value of type t is wanted.
func (g *documents) variable(t *ast.Type, fallback bool) string {
	for _, v := range g.vars { // one that is there is used again
		if v.typ == t.String() && g.chance(25) {
			return v.name
		}
	}
	typ := *t
	v := &variable{name: fmt.Sprintf("v%d", len(g.vars))}
	switch {
	case !typ.NonNull && g.chance(25):
		typ.NonNull = true
	case typ.NonNull && g.chance(30):
		typ.NonNull = false
		if !fallback || g.chance(50) {
			present := typ
			present.NonNull = true
			v.fallback = " = " + g.constant(&present, 1, false).literal
		}
	}
	if v.fallback == "" && g.chance(20) {
		v.fallback = " = " + g.constant(&typ, 1, false).literal
	}
	v.typ = typ.String()
	optional := !typ.NonNull || v.fallback != ""
	switch {
	case optional && g.chance(30):
	case g.chance(4):
		v.json = wrongJSON[g.IntN(len(wrongJSON))]
	case g.chance(1):
	default:
		v.json = g.constant(&typ, 0, false).json
	}
	g.vars = append(g.vars, v)
	return v.name
}

// filter makes up a filter over fields whose order the reference knows.
func (g *documents) filter(e *entity, depth int) val {
	join := func(list []val, between string) val {
		var literals, texts []string
		for _, v := range list {
			literals, texts = append(literals, v.literal), append(texts, v.json)
		}
		return val{strings.Join(literals, between), strings.Join(texts, ",")}
	}
	member := func(name string, v val) val { return val{name + ": " + v.literal, strconv.Quote(name) + ":" + v.json} }
	object := func(list ...val) val {
		v := join(list, ", ")
		return val{"{" + v.literal + "}", "{" + v.json + "}"}
	}
	if depth < 2 && g.chance(30) {
		switch op := []string{"and", "or", "not"}[g.IntN(3)]; op {
		case "not":
			return object(member(op, g.filter(e, depth+1)))
		default:
			v := join([]val{g.filter(e, depth+1), g.filter(e, depth+1)}, " ")
			return object(member(op, val{"[" + v.literal + "]", "[" + v.json + "]"}))
		}
	}
	fields := e.steadyFields()
	f := fields[g.IntN(len(fields))]
	operand := func() val {
		if f.kind == integer {
			n := strconv.Itoa(g.IntN(9) - 3)
			return val{n, n}
		}
		text := encode(texts[g.IntN(4)])
		if f.name == "id" {
			text = encode(e.key(g.IntN(len(e.rows) + 1)))
		}
		return val{text, text}
	}
	switch op := []string{"eq", "ne", "in", "notIn", "isNull", "lt", "gte"}[g.IntN(7)]; op {
	case "in", "notIn":
		v := join([]val{operand(), operand()}, ", ")
		return object(member(f.name, object(member(op, val{"[" + v.literal + "]", "[" + v.json + "]"}))))
	case "isNull":
		yes := strconv.FormatBool(g.chance(50))
		return object(member(f.name, object(member(op, val{yes, yes}))))
	default:
		return object(member(f.name, object(member(op, operand()))))
	}
}

func (e *entity) steadyFields() []*cardField {
	var list []*cardField
	for _, f := range e.fields {
		if f.steady() {
			list = append(list, f)
		}
	}
	return list
}

func (e *entity) relations() []*cardField {
	return slices.DeleteFunc(slices.Clone(e.fields), func(f *cardField) bool { return f.to == nil })
}
