package resolvers

import (
	"math"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"
)

// valuesRule is the rule "Values of Correct Type" (specification 5.6.1). It is
// ours because gqlparser's lets an Int of 64 bits pass, and {} for a scalar.
func (e *Engine) valuesRule(events *core.Events, add core.AddErrFunc) {
	c := &checker{types: e.types, add: add, seen: map[*ast.Value]bool{}}
	events.OnVariable(func(_ *core.Walker, v *ast.VariableDefinition) {
		if v.DefaultValue != nil && v.Definition != nil && v.Definition.IsInputType() {
			c.check(e.types.in(v.Type), v.DefaultValue)
		}
	})
	events.OnField(func(_ *core.Walker, f *ast.Field) {
		if f.Definition != nil {
			c.arguments(f.Definition.Arguments, f.Arguments)
		}
	})
	events.OnDirective(func(_ *core.Walker, d *ast.Directive) {
		if d.Definition != nil {
			c.arguments(d.Definition.Arguments, d.Arguments)
		}
	})
}

// checker checks literals against their types. Variables are checked where they
// are declared and where they stand, by other rules.
type checker struct {
	types *types
	add   core.AddErrFunc
	seen  map[*ast.Value]bool // a fragment is walked for every operation that spreads it
}

func (c *checker) arguments(defs ast.ArgumentDefinitionList, args ast.ArgumentList) {
	for _, a := range args {
		if def := defs.ForName(a.Name); def != nil && a.Value != nil && !c.seen[a.Value] {
			c.seen[a.Value] = true
			c.check(c.types.in(def.Type), a.Value)
		}
	}
}

func (c *checker) refuse(v *ast.Value, format string, args ...any) {
	c.add(core.Message(format, args...), core.At(v.Position))
}

func (c *checker) check(t *inType, v *ast.Value) {
	switch {
	case v.Kind == ast.Variable:
		return
	case v.Kind == ast.NullValue:
		if t.nonNull {
			c.refuse(v, "Expected a value of type %q, found null.", t.text)
		}
		return
	case t.elem != nil:
		if v.Kind != ast.ListValue { // a list of one
			c.check(t.elem, v)
			return
		}
		for _, item := range v.Children {
			c.check(t.elem, item.Value)
		}
		return
	}
	n := t.named
	switch n.kind {
	case inCustom:
		return // judged where it is used
	case inObject:
		c.object(n, v)
		return
	case inEnum:
		if v.Kind != ast.EnumValue {
			c.refuse(v, "Enum %q takes one of its values, written without quotes.", n.name)
		} else if _, ok := n.enum[`"`+v.Raw+`"`]; !ok {
			c.refuse(v, "Value %q does not exist in %q enum.", v.Raw, n.name)
		}
		return
	}
	if why := scalarFault(n.kind, v); why != "" {
		c.refuse(v, "%s", why)
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

func (c *checker) object(n *inNamed, v *ast.Value) {
	if v.Kind != ast.ObjectValue {
		c.refuse(v, "Expected an input object of type %q.", n.name)
		return
	}
	fields := n.object()
	for _, child := range v.Children {
		f := fields[child.Name]
		if f == nil {
			c.add(core.Message("Field %q is not defined by type %q.", child.Name, n.name), core.At(child.Position))
			continue
		}
		c.check(f.typ, child.Value)
	}
	for _, f := range n.fields {
		if f.typ.nonNull && f.fallback == nil && v.Children.ForName(f.name) == nil {
			c.refuse(v, "Field \"%s.%s\" of required type %q was not provided.", n.name, f.name, f.typ.text)
		}
	}
	if n.oneOf {
		if len(v.Children) != 1 {
			c.refuse(v, "OneOf Input Object %q must specify exactly one key.", n.name)
		} else if child := v.Children[0]; child.Value.Kind == ast.NullValue {
			c.refuse(child.Value, "Field \"%s.%s\" must be non-null.", n.name, child.Name)
		}
	}
}
