package resolvers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/resolvers/graphqlerror"
	"github.com/frondhost/frond/schema/jsontext"
)

// variable is a variable an operation declares.
type variable struct {
	inField
	at *ast.Position
}

// variables are the values of a request's variables, by slot: JSON text that fits
// the declared type. nil is one that was not provided and has no default, which is
// not the same as one that is null.
type variables struct {
	op   *operation
	text [][]byte
}

// get is the value of the variable called name.
func (v *variables) get(name string) []byte {
	if i := v.op.slot(name); i >= 0 {
		return v.text[i]
	}
	return nil
}

// coerce is CoerceVariableValues (specification 6.1.2) on JSON text. Members of
// raw that the operation does not declare are ignored, as the specification has it.
func (op *operation) coerce(raw json.RawMessage) (*variables, []*graphqlerror.Error) {
	raw = jsontext.Trim(raw)
	if len(raw) > 0 {
		if err := jsontext.Check(raw); err != nil {
			return nil, []*graphqlerror.Error{{Message: "The variables are not JSON: " + err.Error() + ".", Code: graphqlerror.CodeInput}}
		}
		if k := jsontext.KindOf(raw); k != jsontext.Object && k != jsontext.Null {
			return nil, []*graphqlerror.Error{{Message: "The variables have to be an object of name and value, or null.", Code: graphqlerror.CodeInput}}
		}
	}
	if len(op.vars) == 0 {
		return &op.none, nil
	}
	vars := &variables{op: op, text: make([][]byte, len(op.vars))}
	for name, value := range jsontext.Members(raw) {
		if i := op.slot(name); i >= 0 {
			vars.text[i] = value
		}
	}
	c := &coercer{buf: make([]byte, 0, 2*len(raw)+64)}
	for i, v := range op.vars {
		c.name, c.pos, c.path = v.name, v.at, c.path[:0]
		switch sent := vars.text[i]; {
		case sent == nil && v.fallback != nil:
			r := renderer{}
			vars.text[i] = r.value(nil, v.typ, v.fallback)
		case sent == nil && v.typ.nonNull:
			c.add(fmt.Sprintf("Variable \"$%s\" of required type %q was not provided.", v.name, v.typ.text))
		case sent != nil:
			from := len(c.buf)
			c.value(v.typ, sent)
			vars.text[i] = c.buf[from:len(c.buf):len(c.buf)]
		}
	}
	return vars, c.faults
}

// coercer writes values as their types want them: a list of one as a list, an id
// as a string, defaults filled in, keys in the order they were sent.
type coercer struct {
	buf    []byte
	name   string // of the variable
	pos    *ast.Position
	path   []graphqlerror.Segment
	faults []*graphqlerror.Error
}

func (c *coercer) add(message string) {
	if len(c.faults) < maxFaults {
		c.faults = append(c.faults, &graphqlerror.Error{Message: graphqlerror.Shorten(message), At: graphqlerror.Positions(c.pos), Code: graphqlerror.CodeInput})
	}
}

// full says whether enough is told: a value a megabyte long may be wrong in as many
// places as it likes.
func (c *coercer) full() bool { return len(c.faults) >= maxFaults }

// refuse names the place of what does not fit; the value itself is not repeated.
func (c *coercer) refuse(why string) {
	where := ""
	if len(c.path) > 0 {
		where = fmt.Sprintf(" at %q", c.name+dotted(c.path))
	}
	c.add(fmt.Sprintf("Variable \"$%s\" got an invalid value%s: %s", c.name, where, why))
}

// dotted is a path inside a value: .tags[0].name
func dotted(path []graphqlerror.Segment) string {
	var b []byte
	for _, s := range path {
		if s.Key == "" {
			b = fmt.Appendf(b, "[%d]", s.Index)
		} else {
			b = append(append(b, '.'), s.Key...)
		}
	}
	return string(b)
}

func (c *coercer) value(t *inType, v []byte) {
	kind := jsontext.KindOf(v)
	switch {
	case kind == jsontext.Null:
		if t.nonNull {
			c.refuse(fmt.Sprintf("Expected a value of the non-null type %q.", t.text))
		}
		c.buf = append(c.buf, "null"...)
	case t.elem != nil && kind == jsontext.Array:
		c.buf = append(c.buf, '[')
		for i, item := range jsontext.Elements(v) {
			if c.full() {
				return
			}
			if i > 0 {
				c.buf = append(c.buf, ',')
			}
			c.path = append(c.path, graphqlerror.Segment{Index: i})
			c.value(t.elem, item)
			c.path = c.path[:len(c.path)-1]
		}
		c.buf = append(c.buf, ']')
	case t.elem != nil: // a list of one (specification 3.11)
		c.buf = append(c.buf, '[')
		c.value(t.elem, v)
		c.buf = append(c.buf, ']')
	case t.named.kind == inObject:
		c.object(t.named, v, kind)
	default:
		var why string
		if c.buf, why = appendScalar(c.buf, t.named, jsontext.Trim(v), kind); why != "" {
			c.refuse(why)
		}
	}
}

func (c *coercer) object(n *inNamed, v []byte, kind jsontext.Kind) {
	if kind != jsontext.Object {
		c.refuse(fmt.Sprintf("Expected an object of type %q.", n.name))
		return
	}
	fields := n.object()
	count, null := 0, ""
	c.buf = append(c.buf, '{')
	sep := func(name string) {
		if c.buf[len(c.buf)-1] != '{' {
			c.buf = append(c.buf, ',')
		}
		c.buf = jsontext.AppendName(c.buf, name)
	}
	var sent map[string]bool // the fields that may not be left out, or have a default
	for name, value := range jsontext.Members(v) {
		if c.full() {
			return
		}
		f := fields[name]
		if f == nil {
			c.refuse(fmt.Sprintf("Field %q is not defined by type %q.", name, n.name))
			continue
		}
		count++
		if jsontext.IsNull(value) {
			null = name
		}
		if f.fallback != nil || f.typ.nonNull {
			if sent == nil {
				sent = map[string]bool{}
			}
			sent[name] = true
		}
		sep(name)
		c.path = append(c.path, graphqlerror.Segment{Key: name})
		c.value(f.typ, value)
		c.path = c.path[:len(c.path)-1]
	}
	for _, f := range n.fields {
		switch {
		case f.fallback == nil && !f.typ.nonNull, sent[f.name]:
		case f.fallback != nil:
			sep(f.name)
			r := renderer{}
			c.buf = r.value(c.buf, f.typ, f.fallback)
		default:
			c.refuse(fmt.Sprintf("Field %q of required type %q was not provided.", f.name, f.typ.text))
		}
	}
	if n.oneOf {
		if count != 1 {
			c.refuse(fmt.Sprintf("Exactly one key must be specified for OneOf type %q.", n.name))
		} else if null != "" {
			c.refuse(fmt.Sprintf("Field %q must be non-null.", null))
		}
	}
	c.buf = append(c.buf, '}')
}

// appendScalar appends a value of a scalar or an enum as its type writes it, and
// says why it is not one, or "".
func appendScalar(dst []byte, n *inNamed, v []byte, kind jsontext.Kind) ([]byte, string) {
	why := ""
	switch n.kind {
	case inInt:
		if kind != jsontext.Number {
			return dst, wantInt
		}
		if i, ok := integer(v); !ok {
			why = wantInt
		} else if i < math.MinInt32 || i > math.MaxInt32 {
			why = wantInt32
		} else {
			return strconv.AppendInt(dst, i, 10), ""
		}
	case inFloat:
		if kind != jsontext.Number {
			why = wantFloat
		} else if _, err := strconv.ParseFloat(string(v), 64); err != nil {
			why = wantFloat64
		}
	case inString:
		if kind != jsontext.String {
			why = wantString
		}
	case inBoolean:
		if kind != jsontext.True && kind != jsontext.False {
			why = wantBoolean
		}
	case inID:
		if kind == jsontext.Number {
			if text, ok := integerText(v); ok {
				return append(append(append(dst, '"'), text...), '"'), ""
			}
			why = wantID
		} else if kind != jsontext.String {
			why = wantID
		}
	case inBigInt:
		var i int64
		ok := false
		switch kind {
		case jsontext.Number:
			i, ok = integer(v)
		case jsontext.String:
			n, err := strconv.ParseInt(jsontext.Unquote(v), 10, 64)
			i, ok = n, err == nil
		}
		if ok {
			return strconv.AppendInt(dst, i, 10), ""
		}
		why = wantBigInt
	case inEnum:
		if _, ok := n.enum[string(v)]; !ok {
			// An escape may spell a value too; compare what it means.
			if kind != jsontext.String {
				return dst, fmt.Sprintf("Enum %q takes one of its values as a string.", n.name)
			}
			name := `"` + jsontext.Unquote(v) + `"`
			if _, ok := n.enum[name]; !ok {
				return dst, fmt.Sprintf("The value does not exist in %q enum.", n.name)
			}
			return append(dst, name...), ""
		}
	}
	return append(dst, v...), why
}

// integer is a JSON number without fraction as an int64: 3, 3.0 and 3e0 are one.
func integer(v []byte) (int64, bool) {
	if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<63 {
		return 0, false
	}
	return int64(f), true
}

// integerText is a whole number as its digits, however large.
func integerText(v []byte) ([]byte, bool) {
	if !bytes.ContainsAny(v, ".eE") {
		return v, true
	}
	n, ok := integer(v)
	return strconv.AppendInt(nil, n, 10), ok
}
