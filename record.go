package frond

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema/jsontext"
)

// record is a struct type as its card has it. It is made when the door is named, and then
// only read.
type record struct {
	typ      reflect.Type
	fields   []member
	selected []string // the fields of the card among them; nil: not known yet
	indirect bool     // fields are promoted from embedded structs
}

// member is a field of a struct that its JSON includes.
type member struct {
	goName string
	name   string // of the card's field; of the JSON where the card has none
	typ    reflect.Type
	index  []int
	must   bool    // the card requires it: its zero value is a value too
	mayGo  bool    // omitempty or omitzero: it may be absent from the JSON
	scalar bool    // its JSON is read without encoding/json
	nested *record // of the struct it is, points at or lists; nil: none
}

// recordOf reads the fields of a struct type as encoding/json does: exported ones, by tag or
// name, including the fields of embedded structs.
func recordOf(t reflect.Type) *record { return recordIn(t, nil) }

// recordIn is recordOf for a struct within others; one that holds itself ends there.
func recordIn(t reflect.Type, around []reflect.Type) *record {
	r := &record{typ: t}
	around = append(around[:len(around):len(around)], t)
	for _, f := range reflect.VisibleFields(t) {
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || f.Tag.Get("json") == "-" || f.Anonymous && tag == "" {
			continue
		}
		m := member{goName: f.Name, name: f.Name, typ: f.Type, index: f.Index, mayGo: strings.Contains(options, "omit")}
		if tag != "" {
			m.name = tag
		}
		switch f.Type.Kind() {
		case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
			m.scalar = !ownJSON(f.Type) && !ownText(f.Type)
		}
		if inner := elementOf(f.Type); inner.Kind() == reflect.Struct && inner != timeType && !slices.Contains(around, inner) && !ownJSON(inner) && !ownText(inner) {
			m.nested = recordIn(inner, around)
		}
		r.fields = append(r.fields, m)
		r.indirect = r.indirect || len(f.Index) > 1
	}
	return r
}

// decode reads a row into a struct of the type, as encoding/json would. It reads scalars
// from the spans of the row, without looking at the rest of its text.
func (r *record) decode(row rows.Row, into reflect.Value) error {
	if r.indirect {
		if err := row.Decode(into.Addr().Interface()); err != nil {
			return fmt.Errorf("a row does not fit %s: %w", r.typ, err)
		}
		return nil
	}
	for i := range r.fields {
		m := &r.fields[i]
		value := row.Get(m.name)
		if value == nil || jsontext.IsNull(value) {
			continue
		}
		field := into.Field(m.index[0])
		if m.scalar && setScalar(field, value) {
			continue
		}
		if err := json.Unmarshal(value, field.Addr().Interface()); err != nil {
			return fmt.Errorf("the field %s of a row does not fit %s.%s: %w", m.name, r.typ, m.goName, err)
		}
	}
	return nil
}

// setScalar sets a field from its JSON; false if that is of another type.
func setScalar(field reflect.Value, value json.RawMessage) bool {
	switch kind := jsontext.KindOf(value); field.Kind() {
	case reflect.String:
		if kind != jsontext.String {
			return false
		}
		field.SetString(jsontext.Unquote(value))
	case reflect.Bool:
		if kind != jsontext.True && kind != jsontext.False {
			return false
		}
		field.SetBool(kind == jsontext.True)
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil {
			return false
		}
		field.SetInt(n)
	default:
		f, err := strconv.ParseFloat(string(value), 64)
		if err != nil {
			return false
		}
		field.SetFloat(f)
	}
	return true
}

// spell gives the fields the names of the card, which may differ in case, and does so for the
// structs in them.
func (r *record) spell(card *cardText) {
	for i := range r.fields {
		m := &r.fields[i]
		if name := matching(card.names, m.name); name != "" {
			m.name, m.must = name, slices.Contains(card.required, name)
			r.selected = append(r.selected, name)
		}
		if inner := card.nested[m.name]; inner != nil && m.nested != nil {
			m.nested.spell(inner)
		}
	}
}

// body is a value of the type in the form of a write. A field with its zero value is left out,
// unless it is created and the card requires it.
func (r *record) body(v reflect.Value, create bool) (json.RawMessage, error) {
	return r.append(make([]byte, 0, 256), v, create)
}

func (r *record) append(out []byte, v reflect.Value, create bool) ([]byte, error) {
	out = append(out, '{')
	first := len(out)
	for i := range r.fields {
		m := &r.fields[i]
		f, err := v.FieldByIndexErr(m.index)
		if err != nil || f.IsZero() && !(create && m.must) { // an embedded pointer that is nil has no fields
			continue
		}
		if len(out) > first {
			out = append(out, ',')
		}
		if out, err = m.append(jsontext.AppendName(out, m.name), f); err != nil {
			return nil, fmt.Errorf("%s.%s: %w", r.typ, m.goName, err)
		}
	}
	return append(out, '}'), nil
}

// append appends a value of the field, the structs in it under the names of the card.
func (m *member) append(out []byte, v reflect.Value) (_ []byte, err error) {
	for m.nested != nil && v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	switch {
	case m.nested != nil && v.Kind() == reflect.Struct:
		return m.nested.append(out, v, true)
	case m.nested != nil && v.Kind() == reflect.Slice && !v.IsNil():
		out = append(out, '[')
		for i := range v.Len() {
			out = jsontext.Comma(out)
			if out, err = m.append(out, v.Index(i)); err != nil {
				return nil, err
			}
		}
		return append(out, ']'), nil
	}
	text, err := jsontext.Marshal(v.Interface())
	return append(out, text...), err
}

// member is the field of the struct for a field of the card, or nil.
func (r *record) member(name string) *member {
	for i := range r.fields {
		if r.fields[i].name == name {
			return &r.fields[i]
		}
	}
	return nil
}
