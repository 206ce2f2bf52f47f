package frond

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// record is a struct type as its card has it.
type record struct {
	typ      reflect.Type
	fields   []member
	selected []string // the names of the fields
	indirect bool     // fields are promoted from embedded structs
}

// member is a field of a struct that stands in its JSON.
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
// name, those of embedded structs among them.
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
func (r *record) decode(row facade.Row, into reflect.Value) error {
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

// setScalar sets a field from its JSON; false where that is of another type.
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

// spell gives the fields the names of the card, which may differ in case, and so those of
// the structs in them.
func (r *record) spell(card *cardText) {
	for i := range r.fields {
		m := &r.fields[i]
		if name := matching(card.names, m.name); name != "" {
			m.name, m.must = name, slices.Contains(card.required, name)
		}
		if inner := card.nested[m.name]; inner != nil && m.nested != nil {
			m.nested.spell(inner)
		}
		r.selected = append(r.selected, m.name)
	}
}

// body is a value of the type as what is written. A field with its zero value is left out,
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
			if i > 0 {
				out = append(out, ',')
			}
			if out, err = m.append(out, v.Index(i)); err != nil {
				return nil, err
			}
		}
		return append(out, ']'), nil
	}
	text, err := jsontext.Marshal(v.Interface())
	return append(out, text...), err
}

// cardText is what a card's text says of its fields, before it is compiled.
type cardText struct {
	names    []string
	primary  string
	required []string             // those that no rule of the card answers for
	nested   map[string]*cardText // the objects in the fields
}

// cardOf finds the card of a door in a project. A card that cannot be read has no fields
// here; what is wrong with it is reported when the program starts.
func cardOf(p *facade.Project, door string) *cardText {
	for _, f := range p.Fronds {
		for _, s := range f.Cards {
			if s.View || schema.EntityKey(s.Name) != schema.EntityKey(door) {
				continue
			}
			if text, err := schema.ToJSON(s.File, s.Data); err == nil {
				return readCard(text)
			}
		}
	}
	return &cardText{}
}

// readCard reads the text of a card, or of an object in one.
func readCard(text json.RawMessage) *cardText {
	card := &cardText{nested: map[string]*cardText{}}
	var ruled []string
	for name, property := range jsontext.Members(jsontext.Get(text, "properties")) {
		card.names = append(card.names, name)
		axes := jsontext.Get(property, "x-kit")
		if jsontext.Get(jsontext.Get(axes, "lifecycle"), "create") != nil {
			ruled = append(ruled, name)
		}
		if jsontext.KindOf(jsontext.Get(jsontext.Get(axes, "role"), "primary")) == jsontext.True {
			card.primary = name
		}
		if items := jsontext.Get(property, "items"); items != nil {
			property = items
		}
		if jsontext.Get(property, "properties") != nil {
			card.nested[name] = readCard(property)
		}
	}
	for _, name := range jsontext.Elements(jsontext.Get(text, "required")) {
		if name := jsontext.Unquote(name); !slices.Contains(ruled, name) {
			card.required = append(card.required, name)
		}
	}
	return card
}

// matching is the name among names that a struct field is for: the same one, or the first
// that differs in case alone; "" where there is none.
func matching(names []string, name string) string {
	if slices.Contains(names, name) {
		return name
	}
	for _, n := range names {
		if strings.EqualFold(n, name) {
			return n
		}
	}
	return ""
}

// fieldNames are the names of fields, for messages.
func fieldNames(fields []schema.Field) string {
	names := make([]string, len(fields))
	for i := range fields {
		names[i] = fields[i].Name
	}
	return strings.Join(names, ", ")
}

// compare reports fields of the struct that are none of the card's, and those whose Go
// type does not hold what the card has there. what names the card.
func (r *record) compare(what string, fields []schema.Field) (faults schema.Faults) {
	for _, m := range r.fields {
		i := slices.IndexFunc(fields, func(f schema.Field) bool { return strings.EqualFold(f.Name, m.name) })
		if i < 0 {
			faults = append(faults, schema.Fault{
				File: goCode, Message: fmt.Sprintf("%s has no field for %s.%s", what, r.typ, m.goName),
				Remedy: fmt.Sprintf("name it as one of %s, or keep it out with the tag `json:\"-\"`", fieldNames(fields)),
			})
			continue
		}
		if has, holds := fields[i].Shape.Type, jsonType(m.typ); has != "" && holds != "" && has != holds && !(has == "integer" && holds == "number") {
			faults = append(faults, schema.Fault{
				File: goCode, Message: fmt.Sprintf("%s.%s is a %s, and %s.%s is of type %s", r.typ, m.goName, m.typ, what, fields[i].Name, has),
				Remedy: "give the field a Go type for " + has,
			})
		}
		if inner := propertiesOf(&fields[i].Shape); inner != nil && m.nested != nil {
			faults = append(faults, m.nested.compare(what+"."+fields[i].Name, inner)...)
		}
	}
	return faults
}

// propertiesOf are the fields of the objects a shape has, alone or in a list; nil where it
// names none.
func propertiesOf(s *schema.Shape) []schema.Field {
	if s.Items != nil {
		s = s.Items
	}
	return s.Properties
}

// cover reports fields of the card that the struct lacks.
func (r *record) cover(what string, e *schema.Entity) (faults schema.Faults) {
	var missing []string
	for _, p := range e.Fields {
		if p.Stored && p.Readable() && !slices.ContainsFunc(r.fields, func(m member) bool { return strings.EqualFold(m.name, p.Name) }) {
			missing = append(missing, p.Name)
		}
	}
	if missing == nil {
		return nil
	}
	return schema.Faults{{
		File: goCode, Message: fmt.Sprintf("%s answers %s, and %s has no field for %s", what, e.Name, r.typ, strings.Join(missing, ", ")),
		Remedy: "add what is missing, or name a view of these fields as the output in frond.yaml",
	}}
}

// The types that encoding/json writes by methods of their own.
var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[interface{ MarshalText() ([]byte, error) }]()
	timeType      = reflect.TypeFor[time.Time]()
	rawType       = reflect.TypeFor[json.RawMessage]()
)

// ownJSON reports whether a type has JSON of its own making.
func ownJSON(t reflect.Type) bool {
	return t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler)
}

func ownText(t reflect.Type) bool {
	return t.Implements(textMarshaler) || reflect.PointerTo(t).Implements(textMarshaler)
}

// jsonType is the JSON type of the values of a Go type, null aside; "" where the type
// alone does not say.
func jsonType(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == timeType:
		return "string"
	case ownJSON(t):
		return ""
	case ownText(t):
		return "string"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "integer"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.String:
		return "string"
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return "" // bytes are base64 text; arrays of them are not
		}
		return "array"
	case reflect.Map, reflect.Struct:
		return "object"
	}
	return ""
}
