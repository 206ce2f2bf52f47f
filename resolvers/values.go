package resolvers

import (
	"math"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
)

// argument checks the value of an argument.
func (v *validation) argument(def *ast.ArgumentDefinition, value *ast.Value) {
	t := v.e.types.in(def.Type)
	if value.Kind == ast.Variable {
		v.in.uses = append(v.in.uses, use{value: value, typ: t, fallback: isDefault(def.DefaultValue)})
		return
	}
	v.value(t, value)
}

// isDefault says whether a place has a default that saves a null.
func isDefault(v *ast.Value) bool { return v != nil && v.Kind != ast.NullValue }

func (v *validation) misfit(value *ast.Value, format string, args ...any) {
	v.add(value.Position, format, args...)
}

// value is the rules "Values of Correct Type" and "Input Object Field Uniqueness"
// (specification 5.6.1, 5.6.3): a literal against its type, nil for any. Of the
// variables in it, it notes where they stand.
func (v *validation) value(t *inType, value *ast.Value) {
	v.steps++
	switch {
	case value.Kind == ast.Variable:
		v.in.uses = append(v.in.uses, use{value: value, typ: t})
		return
	case t == nil || t.elem == nil && t.named.kind == inCustom && value.Kind != ast.NullValue:
		v.free(value) // judged where it is used
		return
	case value.Kind == ast.NullValue:
		if t.nonNull {
			v.misfit(value, "Expected a value of type %q, found null.", t.text)
		}
		return
	case t.elem != nil:
		if value.Kind != ast.ListValue { // a list of one
			v.value(t.elem, value)
			return
		}
		for _, item := range value.Children {
			v.value(t.elem, item.Value)
		}
		return
	}
	n := t.named
	switch n.kind {
	case inObject:
		v.object(n, value)
		return
	case inEnum:
		if value.Kind != ast.EnumValue {
			v.misfit(value, "Enum %q takes one of its values, written without quotes.", n.name)
		} else if _, ok := n.enum[`"`+value.Raw+`"`]; !ok {
			v.misfit(value, "Value %q does not exist in %q enum.", value.Raw, n.name)
		}
		return
	}
	if why := scalarFault(n.kind, value); why != "" {
		v.misfit(value, "%s", why)
		v.free(value)
	}
}

// free walks a literal that no type says anything of.
func (v *validation) free(value *ast.Value) {
	if value.Kind == ast.ObjectValue {
		v.keys(value)
	}
	for _, child := range value.Children {
		v.value(nil, child.Value)
	}
}

func (v *validation) keys(value *ast.Value) {
	var names names
	for _, child := range value.Children {
		if names.twice(child.Name, len(value.Children)) {
			v.add(child.Position, "There can be only one input field named %q.", child.Name)
		}
	}
}

// scalarFault is why a literal is not of a built-in scalar, or "".
func scalarFault(kind inKind, v *ast.Value) string {
	isString := v.Kind == ast.StringValue || v.Kind == ast.BlockValue
	switch kind {
	case inInt:
		if v.Kind != ast.IntValue {
			return wantInt
		}
		if n, err := strconv.ParseInt(v.Raw, 10, 64); err != nil || n < math.MinInt32 || n > math.MaxInt32 {
			return wantInt32
		}
	case inFloat:
		if v.Kind != ast.IntValue && v.Kind != ast.FloatValue {
			return wantFloat
		}
		if _, err := strconv.ParseFloat(v.Raw, 64); err != nil {
			return wantFloat64
		}
	case inString:
		if !isString {
			return wantString
		}
	case inBoolean:
		if v.Kind != ast.BooleanValue {
			return wantBoolean
		}
	case inID:
		if !isString && v.Kind != ast.IntValue {
			return wantID
		}
	case inBigInt:
		if _, err := strconv.ParseInt(v.Raw, 10, 64); err != nil || !isString && v.Kind != ast.IntValue {
			return wantBigInt
		}
	}
	return ""
}

// What is said of a value that is not of a built-in scalar.
const (
	wantInt     = "Int cannot represent a value that is not an integer."
	wantInt32   = "Int cannot represent an integer of more than 32 bits."
	wantFloat   = "Float cannot represent a value that is not a number."
	wantFloat64 = "Float cannot represent a number of that size."
	wantString  = "String cannot represent a value that is not a string."
	wantBoolean = "Boolean cannot represent a value that is neither true nor false."
	wantBigInt  = "BigInt cannot represent a value that is not a whole number of 64 bits, or its digits."
	wantID      = "ID cannot represent a value that is neither a string nor an integer."
)

func (v *validation) object(n *inNamed, value *ast.Value) {
	if value.Kind != ast.ObjectValue {
		v.misfit(value, "Expected an input object of type %q.", n.name)
		v.free(value)
		return
	}
	v.keys(value)
	fields := n.object()
	oneOf := ""
	if n.oneOf {
		oneOf = n.name
	}
	for _, child := range value.Children {
		f := fields[child.Name]
		switch {
		case f == nil:
			v.add(child.Position, "Field %q is not defined by type %q.", child.Name, n.name)
			v.value(nil, child.Value)
		case child.Value.Kind == ast.Variable:
			v.in.uses = append(v.in.uses, use{value: child.Value, typ: f.typ, fallback: isDefault(f.fallback), oneOf: oneOf})
		default:
			v.value(f.typ, child.Value)
		}
	}
	for _, f := range n.fields {
		if f.typ.nonNull && f.fallback == nil && value.Children.ForName(f.name) == nil {
			v.misfit(value, "Field \"%s.%s\" of required type %q was not provided.", n.name, f.name, f.typ.text)
		}
	}
	if n.oneOf {
		if len(value.Children) != 1 {
			v.misfit(value, "OneOf Input Object %q must specify exactly one key.", n.name)
		} else if child := value.Children[0]; child.Value.Kind == ast.NullValue {
			v.misfit(child.Value, "Field \"%s.%s\" must be non-null.", n.name, child.Name)
		}
	}
}
