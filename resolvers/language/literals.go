package language

import (
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// Renderer writes literals of a validated document as JSON text, with the values of variables
// in their places (GraphQL 6.4.1 and 3.10). After an error the text is useless, and Err is to
// be reported. A Renderer is for one call; it is not safe for several goroutines.
type Renderer struct {
	Vars *Variables      // nil where the literal has none
	Err  *kiterror.Error // the first thing that does not fit
	// Complete refuses an object with a member whose variable has no value, where GraphQL leaves the
	// member out (3.10): the condition of a write must not lose a part.
	Complete bool
	path     []string // of the members around the value
	depth    int
}

// maxDefaults bounds defaults that name themselves through input types.
const maxDefaults = 50

// value appends v as a value of type t; a nil t is any type:
//
//	[1, $n]  as [Int]         [1,7]
//	"a"      as [String]      ["a"]
//	7        as ID            "7"
//	RED      as an enum       "RED"
//	{a: $missing}             {}
func (r *Renderer) value(dst []byte, t *Type, v *ast.Value) []byte {
	switch {
	case v.Kind == ast.Variable:
		text := r.variable(v)
		if text == nil {
			text = []byte("null") // of a list; in an object the key is left out
		}
		if t != nil && t.NonNull && string(text) == "null" {
			r.refuse("$%s is null where a value of the non-null type %q is expected; send one.", v.Raw, t.Text)
		}
		return append(dst, text...)
	case v.Kind == ast.NullValue:
		return append(dst, "null"...)
	case t == nil:
		return r.free(dst, v)
	case t.Elem != nil && v.Kind == ast.ListValue:
		dst = append(dst, '[')
		for _, item := range v.Children {
			dst = r.value(jsontext.Comma(dst), t.Elem, item.Value)
		}
		return append(dst, ']')
	// GraphQL 3.11: any other value is a list of that one value.
	case t.Elem != nil: // a list of one
		return append(r.value(append(dst, '['), t.Elem, v), ']')
	case t.Named.Kind == Composite:
		return r.object(dst, t.Named, v)
	case t.Named.Kind == ID && v.Kind == ast.IntValue:
		return append(append(append(dst, '"'), v.Raw...), '"')
	case t.Named.Kind == bigInt:
		n, _ := strconv.ParseInt(v.Raw, 10, 64) // validated
		return strconv.AppendInt(dst, n, 10)
	}
	return r.free(dst, v)
}

// free appends a value as it is written: of a scalar, or inside a custom one.
func (r *Renderer) free(dst []byte, v *ast.Value) []byte {
	switch v.Kind {
	case ast.StringValue, ast.BlockValue, ast.EnumValue:
		return jsontext.AppendString(dst, v.Raw)
	case ast.ListValue:
		dst = append(dst, '[')
		for _, item := range v.Children {
			dst = r.value(jsontext.Comma(dst), nil, item.Value)
		}
		return append(dst, ']')
	case ast.ObjectValue:
		dst = append(dst, '{')
		for _, child := range v.Children {
			dst = r.member(dst, nil, child)
		}
		return append(dst, '}')
	}
	return append(dst, v.Raw...) // numbers and booleans are written as in JSON
}

// object appends an input object: the fields in the order they are written, then defaults. A
// field whose variable has no value gets the default, or is left out (GraphQL 3.10).
func (r *Renderer) object(dst []byte, n *Named, v *ast.Value) []byte {
	// The schema was checked for defaults that hold themselves; this bounds what that check
	// may miss.
	if r.depth++; r.depth > maxDefaults {
		return append(dst, "null"...)
	}
	defer func() { r.depth-- }()
	dst = append(dst, '{')
	fields := n.ByName()
	for _, child := range v.Children {
		f := fields[child.Name]
		if f != nil {
			dst = r.member(dst, f.Type, child)
		}
	}
	for _, f := range n.Fields {
		sent := v.Children.ForName(f.Name)
		switch {
		case sent != nil && !r.absent(sent):
		case f.Default != nil:
			dst = key(dst, f.Name)
			dst = r.value(dst, f.Type, f.Default)
		// Validation has checked that the field is written; only its variable has no value.
		case sent != nil && f.Type.NonNull:
			r.refuse("$%s was not provided where %s.%s requires a value; send one.", sent.Raw, n.Name, f.Name)
		}
	}
	return append(dst, '}')
}

// member appends a member of an object, unless its variable has no value.
func (r *Renderer) member(dst []byte, t *Type, child *ast.ChildValue) []byte {
	if r.Complete {
		r.path = append(r.path, child.Name)
		defer func() { r.path = r.path[:len(r.path)-1] }()
	}
	if r.absent(child.Value) {
		if r.Complete {
			r.refuse("$%s has no value, so that the write would lose the condition %s; send a value, or leave the condition out of the document.", child.Value.Raw, strings.Join(r.path, "."))
		}
		return dst
	}
	return r.value(key(dst, child.Name), t, child.Value)
}

// absent reports whether a value is a variable without a value and a default. The key before it
// is left out, which differs from null.
func (r *Renderer) absent(v *ast.Value) bool {
	return v.Kind == ast.Variable && r.variable(v) == nil
}

// variable returns the value of a variable, coerced to its declared type, or nil.
func (r *Renderer) variable(v *ast.Value) []byte {
	if r.Vars == nil {
		return nil
	}
	return r.Vars.get(v.Raw)
}

// refuse notes what only a request can show: a null, or no value, from a variable. Everything
// else was found by validation.
func (r *Renderer) refuse(format string, args ...any) {
	r.Fail(CodeInput, format, args...)
}

// Fail notes an error with a code of a call. The first error stays.
func (r *Renderer) Fail(code kiterror.Code, format string, args ...any) {
	if r.Err == nil {
		r.Err = kiterror.Errorf(code, format, args...)
	}
}

// key appends the name of a member, with a comma in front unless it is the first.
func key(dst []byte, name string) []byte { return jsontext.AppendName(jsontext.Comma(dst), name) }

// Argument appends the value of an argument and reports whether there is one (GraphQL 6.4.1):
// the written value, else the default. written is nil if the document does not name the
// argument. A required argument without a value sets Err.
func (r *Renderer) Argument(dst []byte, def *Definition, written *ast.Value) ([]byte, bool) {
	if r.Complete {
		r.path = append(r.path[:0], def.Name)
	}
	if written != nil && !r.absent(written) {
		return r.value(dst, def.Type, written), true
	}
	if def.Default != nil {
		return r.value(dst, def.Type, def.Default), true
	}
	if def.Type.NonNull {
		r.refuse("The argument %q of the non-null type %q has no value; send one.", def.Name, def.Type.Text)
	}
	return dst, false
}

// HasVariables reports whether a literal contains a variable, at any depth: its text then
// differs from request to request.
func HasVariables(v *ast.Value) bool {
	if v.Kind == ast.Variable {
		return true
	}
	for _, c := range v.Children {
		if HasVariables(c.Value) {
			return true
		}
	}
	return false
}

// ValueOf returns the written value of the argument called name, or nil.
func ValueOf(args ast.ArgumentList, name string) *ast.Value {
	if a := args.ForName(name); a != nil {
		return a.Value
	}
	return nil
}

// Print returns a literal as GraphQL writes it, on one line: {a: [1, 2], b: RED}.
func Print(v *ast.Value) string {
	switch v.Kind {
	case ast.ListValue, ast.ObjectValue:
		parts := make([]string, len(v.Children))
		for i, c := range v.Children {
			parts[i] = Print(c.Value)
			if v.Kind == ast.ObjectValue {
				parts[i] = c.Name + ": " + parts[i]
			}
		}
		if v.Kind == ast.ListValue {
			return "[" + strings.Join(parts, ", ") + "]"
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return v.String()
}
