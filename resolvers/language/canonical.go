package language

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/schema/jsontext"
)

// AppendArguments appends arguments as one text, the same for all ways to write the same: the
// order of arguments and of an object's keys has no meaning (GraphQL 2.6, 2.9.8). Fields are
// compared by it, and calls shared.
//
//	(b: {y: 1, x: $v}, a: "t")
//	a:"t"\nb:{x:$v,y:1,}\n
//
// The text is only a key: no parser reads it. Variables stay names, so it is the same for every
// request.
func AppendArguments(dst []byte, args ast.ArgumentList) []byte {
	if len(args) > 1 {
		args = slices.SortedStableFunc(slices.Values(args), func(a, b *ast.Argument) int { return strings.Compare(a.Name, b.Name) })
	}
	for _, a := range args {
		dst = append(append(dst, a.Name...), ':')
		dst = append(appendLiteral(dst, a.Value), '\n')
	}
	return dst
}

// appendLiteral appends a literal. A block string differs from a string with the same value,
// and 1.0 from 1: texts that differ may mean the same, but equal texts always do. The text is
// as long as the literal, however deep it is.
func appendLiteral(dst []byte, v *ast.Value) []byte {
	switch v.Kind {
	case ast.Variable:
		return append(append(dst, '$'), v.Raw...)
	case ast.StringValue:
		return jsontext.AppendString(dst, v.Raw)
	case ast.BlockValue:
		return jsontext.AppendString(append(dst, 'b'), v.Raw) // a name never goes on with a quote
	case ast.ListValue:
		dst = append(dst, '[')
		for _, c := range v.Children {
			dst = append(appendLiteral(dst, c.Value), ',')
		}
		return append(dst, ']')
	case ast.ObjectValue:
		children := v.Children
		if len(children) > 1 {
			children = slices.SortedStableFunc(slices.Values(children), func(a, b *ast.ChildValue) int { return strings.Compare(a.Name, b.Name) })
		}
		dst = append(dst, '{')
		for _, c := range children {
			dst = append(append(dst, c.Name...), ':')
			dst = append(appendLiteral(dst, c.Value), ',')
		}
		return append(dst, '}')
	}
	return append(dst, v.Raw...)
}
