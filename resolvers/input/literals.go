package input

import (
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers/graphqlerror"
	"github.com/frondhost/frond/resolvers/scalar"
	"github.com/frondhost/frond/schema/jsontext"
)

// Renderer writes literals of a validated document as JSON text, with the values
// of variables in their places (specification 6.4.1 and 3.10). The text is what a
// façade is given: keys in the order they were written, null and absent apart.
type Renderer struct {
	Vars  *Variables    // nil where the literal has none
	Err   *facade.Error // the first thing that does not fit
	depth int
}

// maxDefaults bounds defaults that name themselves through input types.
const maxDefaults = 50

// value appends v as a value of type t.
func (r *Renderer) value(dst []byte, t *Type, v *ast.Value) []byte {
	switch {
	case v.Kind == ast.Variable:
		text := r.variable(v)
		if text == nil {
			text = []byte("null") // of a list; elsewhere the key is left out
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
		for i, item := range v.Children {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = r.value(dst, t.Elem, item.Value)
		}
		return append(dst, ']')
	case t.Elem != nil: // a list of one
		return append(r.value(append(dst, '['), t.Elem, v), ']')
	case t.Named.Kind == scalar.Composite:
		return r.object(dst, t.Named, v)
	case t.Named.Kind == scalar.ID && v.Kind == ast.IntValue:
		return append(append(append(dst, '"'), v.Raw...), '"')
	case t.Named.Kind == scalar.BigInt:
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
		for i, item := range v.Children {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = r.value(dst, nil, item.Value)
		}
		return append(dst, ']')
	case ast.ObjectValue:
		dst = append(dst, '{')
		first := true
		for _, child := range v.Children {
			if r.absent(child.Value) {
				continue
			}
			dst = key(dst, child.Name, &first)
			dst = r.value(dst, nil, child.Value)
		}
		return append(dst, '}')
	}
	return append(dst, v.Raw...) // numbers and booleans are written as in JSON
}

func (r *Renderer) object(dst []byte, n *Named, v *ast.Value) []byte {
	if r.depth++; r.depth > maxDefaults {
		return append(dst, "null"...)
	}
	defer func() { r.depth-- }()
	dst = append(dst, '{')
	first := true
	fields := n.ByName()
	for _, child := range v.Children {
		f := fields[child.Name]
		if f == nil || r.absent(child.Value) {
			continue
		}
		dst = key(dst, child.Name, &first)
		dst = r.value(dst, f.Type, child.Value)
	}
	for _, f := range n.Fields {
		sent := v.Children.ForName(f.Name)
		switch {
		case sent != nil && !r.absent(sent):
		case f.Default != nil:
			dst = key(dst, f.Name, &first)
			dst = r.value(dst, f.Type, f.Default)
		case sent != nil && f.Type.NonNull:
			r.refuse("$%s was not provided where %s.%s requires a value; send one.", sent.Raw, n.Name, f.Name)
		}
	}
	return append(dst, '}')
}

// absent says whether a value is a variable nobody provided: then its key is too.
func (r *Renderer) absent(v *ast.Value) bool {
	return v.Kind == ast.Variable && r.variable(v) == nil
}

func (r *Renderer) variable(v *ast.Value) []byte {
	if r.Vars == nil {
		return nil
	}
	return r.Vars.get(v.Raw)
}

// refuse notes what only a request can show: a null, or nothing, from a variable.
func (r *Renderer) refuse(format string, args ...any) {
	r.Fail(graphqlerror.CodeInput, format, args...)
}

// Fail notes an error with a code of a call. The first error stays.
func (r *Renderer) Fail(code facade.Code, format string, args ...any) {
	if r.Err == nil {
		r.Err = facade.Errorf(code, format, args...)
	}
}

func key(dst []byte, name string, first *bool) []byte {
	if !*first {
		dst = append(dst, ',')
	}
	*first = false
	return jsontext.AppendName(dst, name)
}

// Argument appends the value of an argument and says whether there is one
// (specification 6.4.1): what was written, else the default, else nothing.
func (r *Renderer) Argument(dst []byte, def *Definition, written *ast.Value) ([]byte, bool) {
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

// HasVariables says whether a literal needs a request to be written.
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

// ValueOf is what was written for an argument, or nil.
func ValueOf(args ast.ArgumentList, name string) *ast.Value {
	if a := args.ForName(name); a != nil {
		return a.Value
	}
	return nil
}
