package language

import (
	"encoding/json"
	"fmt"
	"iter"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/schema/jsontext"
)

// Variable is a variable an operation declares, and the place of its declaration.
type Variable struct {
	Definition
	At *ast.Position
}

// Declared are the variables that an operation declares, each in its slot. It is immutable and
// shared by all requests with the operation.
type Declared struct {
	List  []*Variable
	slots map[string]int // of many variables
	none  Variables      // the values of an operation that declares none
}

// Declare returns the variables that an operation declares. More than eight get a map of their
// slots; fewer are compared.
func (t *Types) Declare(defs ast.VariableDefinitionList) *Declared {
	d := &Declared{}
	d.none.declared = d
	for _, v := range defs {
		d.List = append(d.List, &Variable{
			Definition: Definition{Name: v.Variable, Type: t.Type(v.Type), Default: v.DefaultValue},
			At:         v.Position,
		})
	}
	if len(d.List) > 8 {
		d.slots = make(map[string]int, len(d.List))
		for i, v := range d.List {
			d.slots[v.Name] = i
		}
	}
	return d
}

// Slot is the place of the variable called name, or -1.
func (d *Declared) Slot(name string) int {
	if d.slots != nil {
		if i, ok := d.slots[name]; ok {
			return i
		}
		return -1
	}
	for i, v := range d.List {
		if v.Name == name {
			return i
		}
	}
	return -1
}

// Variables are the values of a request's variables, by slot: JSON text that fits the declared
// type. nil is a variable without a value and a default, which differs from null. They never
// change.
type Variables struct {
	declared *Declared
	text     [][]byte
}

// get returns the value of the variable called name, or nil.
func (v *Variables) get(name string) []byte {
	if i := v.declared.Slot(name); i >= 0 {
		return v.text[i]
	}
	return nil
}

// At returns the value in a slot, which must be one of the operation's.
func (v *Variables) At(slot int) []byte { return v.text[slot] }

// All returns the names and values of the variables that have a value, in the order of their
// declarations.
func (v *Variables) All() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for i, text := range v.text {
			if text != nil && !yield(v.declared.List[i].Name, text) {
				return
			}
		}
	}
}

// Coerce is CoerceVariableValues (GraphQL 6.1.2) on JSON text. raw is an object, null or empty.
// Members that the operation does not declare are ignored, as the specification has it. The
// errors have the code BAD_USER_INPUT and the position of the declaration; there are at most
// graphqlerror.MaxErrors. The values are valid only without errors.
//
//	query($tags: [String!], $first: Int = 10)
//	{"tags": "a", "other": 1}
//	tags ["a"], first 10
func (d *Declared) Coerce(raw json.RawMessage) (*Variables, []*Error) {
	raw = jsontext.Trim(raw)
	if len(raw) > 0 {
		// The walks below expect valid JSON.
		if err := jsontext.Check(raw); err != nil {
			return nil, []*Error{{Message: "The variables are not JSON: " + err.Error() + ".", Code: CodeInput}}
		}
		if k := jsontext.KindOf(raw); k != jsontext.Object && k != jsontext.Null {
			return nil, []*Error{{Message: "The variables have to be an object of name and value, or null.", Code: CodeInput}}
		}
	}
	if len(d.List) == 0 {
		return &d.none, nil
	}
	vars := &Variables{declared: d, text: make([][]byte, len(d.List))}
	for name, value := range jsontext.Members(raw) {
		if i := d.Slot(name); i >= 0 {
			vars.text[i] = value
		}
	}
	c := &coercer{buf: make([]byte, 0, 2*len(raw)+64)}
	for i, v := range d.List {
		c.name, c.pos, c.path = v.Name, v.At, c.path[:0]
		switch sent := vars.text[i]; {
		// A default is validated with the document, so it needs no coercion.
		case sent == nil && v.Default != nil:
			r := Renderer{}
			vars.text[i] = r.value(nil, v.Type, v.Default)
		case sent == nil && v.Type.NonNull:
			c.add(fmt.Sprintf("Variable \"$%s\" of required type %q was not provided.", v.Name, v.Type.Text))
		case sent != nil:
			from := len(c.buf)
			c.value(v.Type, sent)
			// The capacity ends here too, so that appending to one value does not overwrite
			// the next.
			vars.text[i] = c.buf[from:len(c.buf):len(c.buf)]
		}
	}
	return vars, c.errs
}

// coercer writes values as their types want them: a list of one as a list, an id as a string,
// defaults filled in, keys in the order they were sent. path is the place inside the
// variable's value, for messages.
type coercer struct {
	buf  []byte
	name string // of the variable
	pos  *ast.Position
	path []Segment
	errs []*Error
}

// add notes an error of the variable that is being coerced.
func (c *coercer) add(message string) {
	if len(c.errs) < MaxErrors {
		c.errs = append(c.errs, &Error{Message: Shorten(message), At: Positions(c.pos), Code: CodeInput})
	}
}

// full reports whether enough errors are noted: a value a megabyte long may be wrong in
// very many places.
func (c *coercer) full() bool { return len(c.errs) >= MaxErrors }

// refuse names the place of a misfit; it does not repeat the value.
func (c *coercer) refuse(why string) {
	where := ""
	if len(c.path) > 0 {
		where = fmt.Sprintf(" at %q", c.name+dotted(c.path))
	}
	c.add(fmt.Sprintf("Variable \"$%s\" got an invalid value%s: %s", c.name, where, why))
}

// dotted is a path inside a value: .tags[0].name
func dotted(path []Segment) string {
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

// value appends v as a value of type t (GraphQL 3.5 to 3.12), and records misfits. Nulls stay
// where the type allows them.
func (c *coercer) value(t *Type, v []byte) {
	kind := jsontext.KindOf(v)
	switch {
	case kind == jsontext.Null:
		if t.NonNull {
			c.refuse(fmt.Sprintf("Expected a value of the non-null type %q.", t.Text))
		}
		c.buf = append(c.buf, "null"...)
	case t.Elem != nil && kind == jsontext.Array:
		c.buf = append(c.buf, '[')
		for i, item := range jsontext.Elements(v) {
			if c.full() {
				return
			}
			c.buf = jsontext.Comma(c.buf)
			c.path = append(c.path, Segment{Index: i})
			c.value(t.Elem, item)
			c.path = c.path[:len(c.path)-1]
		}
		c.buf = append(c.buf, ']')
	case t.Elem != nil: // a list of one (specification 3.11)
		c.buf = append(c.buf, '[')
		c.value(t.Elem, v)
		c.buf = append(c.buf, ']')
	case t.Named.Kind == Composite:
		c.object(t.Named, v, kind)
	default:
		var why string
		if c.buf, why = appendInput(c.buf, t.Named.Kind, t.Named.Name, t.Named.Values, jsontext.Trim(v), kind); why != "" {
			c.refuse(why)
		}
	}
}

// object appends an input object (GraphQL 3.10): the sent fields in their order, then the
// defaults of the others. Unknown fields, missing required ones, and the rule of one-of inputs
// are errors.
func (c *coercer) object(n *Named, v []byte, kind jsontext.Kind) {
	if kind != jsontext.Object {
		c.refuse(fmt.Sprintf("Expected an object of type %q.", n.Name))
		return
	}
	fields := n.ByName()
	count, null := 0, ""
	c.buf = append(c.buf, '{')
	var sent map[string]bool // the fields that may not be left out, or have a default
	for name, value := range jsontext.Members(v) {
		if c.full() {
			return
		}
		f := fields[name]
		if f == nil {
			c.refuse(n.Unknown(name))
			continue
		}
		count++
		if jsontext.IsNull(value) {
			null = name
		}
		if f.Default != nil || f.Type.NonNull {
			if sent == nil {
				sent = map[string]bool{}
			}
			sent[name] = true
		}
		c.buf = key(c.buf, name)
		c.path = append(c.path, Segment{Key: name})
		c.value(f.Type, value)
		c.path = c.path[:len(c.path)-1]
	}
	for _, f := range n.Fields {
		switch {
		case f.Default == nil && !f.Type.NonNull, sent[f.Name]:
		case f.Default != nil:
			c.buf = key(c.buf, f.Name)
			r := Renderer{}
			c.buf = r.value(c.buf, f.Type, f.Default)
		default:
			c.refuse(fmt.Sprintf("Field %q of required type %q was not provided.", f.Name, f.Type.Text))
		}
	}
	if n.OneOf {
		// A field of a one-of input that is null counts as set, and is refused for it.
		if count != 1 {
			c.refuse(fmt.Sprintf("Exactly one key must be specified for OneOf type %q.", n.Name))
		} else if null != "" {
			c.refuse(fmt.Sprintf("Field %q must be non-null.", null))
		}
	}
	c.buf = append(c.buf, '}')
}
