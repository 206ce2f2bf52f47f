package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema/jsontext"
)

// ReadCard reads one card from YAML or JSON, by the ending of file. The error is Faults: all of
// them at once, each with its pointer. ReadCard keeps unknown keywords in Extra, and unknown
// keys of x-kit in Axes.Extra. The authoring shorthand of views (of, pick, omit) stays in Extra
// until [Compile] expands it. ReadCard does not keep data.
func ReadCard(file string, data []byte) (*Card, error) {
	text, err := ToJSON(file, data)
	if err != nil {
		return nil, err
	}
	return readCard(file, "", text)
}

// UnmarshalJSON reads a card from JSON, for encoding/json. The error is Faults without a file,
// and c is then left as it was.
func (c *Card) UnmarshalJSON(data []byte) error {
	if err := jsontext.Check(data); err != nil {
		return Faults{{Message: "this is not JSON: " + err.Error()}}
	}
	card, err := readCard("", "", data)
	if err != nil {
		return err
	}
	*c = *card
	return nil
}

// readCard reads a card from checked JSON; at is the pointer of the text in file.
func readCard(file, at string, text json.RawMessage) (*Card, error) {
	r := reader{file: file}
	c := r.card(text, at)
	if err := r.faults.Err(); err != nil {
		return nil, err
	}
	return c, nil
}

// reader reads documents of authors and hosts, and collects their faults. Its methods return a
// zero value for a faulty part, so that reading goes on and one run reports every fault.
type reader struct {
	file   string
	faults Faults

	foreign bool   // another host wrote it: parts beyond the specification are left out
	ignored Faults // the parts left out
}

// fault records a problem at a pointer, and its remedy.
func (r *reader) fault(at, message, remedy string) {
	r.faults = append(r.faults, Fault{File: r.file, Pointer: at, Message: message, Remedy: remedy})
}

// beyond reports a fault of a part that the specification lacks, or has with another value. In
// the document of another host that part is ignored, and the rest is read.
func (r *reader) beyond(at, message, remedy string) {
	if r.foreign {
		r.ignored = append(r.ignored, Fault{Pointer: at, Message: message + "; it is left out"})
		return
	}
	r.fault(at, message, remedy)
}

// child returns the pointer to a member below at, its name escaped (RFC 6901).
func child(at, name string) string { return at + "/" + jsontext.Token(name) }

// schemaTypes are the names the keyword type may hold.
var schemaTypes = []string{"string", "integer", "number", "boolean", "object", "array", "null"}

// card reads a card (spec 2.1).
func (r *reader) card(text json.RawMessage, at string) *Card {
	c := &Card{}
	if jsontext.KindOf(text) != jsontext.Object {
		r.fault(at, "a card has to be an object", "write type: object and properties")
		return c
	}
	for name, value := range jsontext.Members(text) {
		here := child(at, name)
		switch name {
		case "title":
			c.Title = r.string(value, here)
		case "description":
			c.Description = r.string(value, here)
		case "type":
			if jsontext.KindOf(value) != jsontext.String || jsontext.Unquote(value) != "object" {
				r.fault(here, "the type of a card has to be object", "write type: object")
			}
		case "properties":
			c.Fields = r.fields(value, here, true)
		case "required":
			c.Required = r.strings(value, here)
		case "x-kit-version":
			if v, ok := Integer(value); ok {
				c.Version = int(v)
			} else {
				r.fault(here, "the version of a card has to be an integer", "write x-kit-version: 1")
			}
		case "x-kit-vendor":
			c.Vendor = r.string(value, here)
		case "x-kit-derived":
			c.Derived = r.derived(value, here)
		case "x-kit":
			r.beyond(here, "x-kit belongs to a field, not to the card", "move x-kit into its field")
		default:
			c.Extra = append(c.Extra, Keyword{Name: name, Value: compact(value)})
		}
	}
	return c
}

// derived reads x-kit-derived, an addition to the specification that authors may not write.
// Hosts write survived as a list of names or as an object of them. Another form is beyond the
// specification, and dropped from the card of another host.
//
//	{"from": "product", "survived": ["id", "name"]}
//	{"from": "product", "survived": {"id": {…}, "name": {…}}}
func (r *reader) derived(value json.RawMessage, at string) *Derived {
	const remedy = "leave it out: it is written for you where of is given"
	from, survived := jsontext.Get(value, "from"), jsontext.Get(value, "survived")
	kind := jsontext.KindOf(survived)
	if jsontext.KindOf(from) != jsontext.String || kind != jsontext.Array && kind != jsontext.Object {
		r.beyond(at, "x-kit-derived has to be an object with from and survived", remedy)
		return nil
	}
	for name := range jsontext.Members(value) {
		if name != "from" && name != "survived" {
			r.beyond(child(at, name), "this key of x-kit-derived is unknown", "it has from and survived")
		}
	}
	d := &Derived{From: EntityKey(jsontext.Unquote(from)), Survived: []string{}}
	add := func(name string) {
		if !slices.Contains(d.Survived, name) {
			d.Survived = append(d.Survived, name)
		}
	}
	for name := range jsontext.Members(survived) {
		add(name)
	}
	for i, v := range jsontext.Elements(survived) {
		if jsontext.KindOf(v) != jsontext.String {
			r.beyond(fmt.Sprint(child(at, "survived"), "/", i), "a name has to be a string", remedy)
			continue
		}
		add(jsontext.Unquote(v))
	}
	return d
}

// fields reads a map of property names to schemas; axes says whether they may carry x-kit. The
// result is nil only if text is not an object: an empty map is a closed object
// (docs/decisions/judge.md).
func (r *reader) fields(text json.RawMessage, at string, axes bool) []Field {
	if jsontext.KindOf(text) != jsontext.Object {
		r.fault(at, "properties has to be an object", "write one member per field, its name and its schema")
		return nil
	}
	fields := []Field{}
	for name, value := range jsontext.Members(text) {
		f := Field{Name: name}
		here := child(at, name)
		f.Shape = r.shape(value, here, func(x json.RawMessage) {
			if axes {
				f.Axes = r.axes(x, child(here, "x-kit"))
				return
			}
			// spec 2.1: an embedded object is shape-only.
			r.beyond(child(here, "x-kit"), "a nested field has no axes", "leave x-kit out, or make the object an entity of its own and point at it with role.relation")
		})
		fields = append(fields, f)
	}
	return fields
}

// shape reads one schema, at any depth. xkit is called with its x-kit, if it has one.
func (r *reader) shape(text json.RawMessage, at string, xkit func(json.RawMessage)) Shape {
	var s Shape
	switch jsontext.KindOf(text) {
	case jsontext.Array:
		r.fault(at, "a schema has to be an object", "write prefixItems for a list of schemas, one for each place")
		return s
	case jsontext.True, jsontext.False:
		b := jsontext.KindOf(text) == jsontext.True
		s.Bool, s.Nullable = &b, b
		return s
	case jsontext.Object:
	default:
		r.fault(at, "a schema has to be an object", "write at least its type, such as {type: string}")
		return s
	}
	typed := false
	for name, value := range jsontext.Members(text) {
		here := child(at, name)
		switch name {
		case "type":
			typed = true
			r.types(&s, value, here)
		case "title":
			s.Title = r.string(value, here)
		case "description":
			s.Description = r.string(value, here)
		case "format":
			s.Format = r.string(value, here)
		case "enum":
			s.Enum = r.enum(value, here)
		case "deprecated":
			s.Deprecated = r.bool(value, here)
		case "properties":
			s.Properties = r.fields(value, here, false)
		case "required":
			s.Required = r.strings(value, here)
		case "items":
			inner := r.shape(value, here, func(json.RawMessage) {
				r.beyond(child(here, "x-kit"), "items have no axes", "move x-kit to the field itself, or make the items an entity of their own")
			})
			s.Items = &inner
		case "x-kit":
			if xkit != nil {
				xkit(value)
			}
		default:
			r.keyword(name, value, here)
			s.Extra = append(s.Extra, Keyword{Name: name, Value: compact(value)})
		}
	}
	if !typed {
		s.Nullable = admitsNull(&s)
	}
	if s.Extra.Get(deprecationReason) != nil && !s.Deprecated {
		r.beyond(child(at, deprecationReason), "this gives the reason of a deprecation, but deprecated is not true", "write deprecated: true next to it, or remove it")
	}
	return s
}

// enum returns the values of an enum; nil for a value of another form.
func (r *reader) enum(value json.RawMessage, at string) []json.RawMessage {
	if jsontext.KindOf(value) != jsontext.Array {
		r.fault(at, "enum has to be a list of values", "write enum: [first, second]")
		return nil
	}
	values := []json.RawMessage{}
	for _, v := range jsontext.Elements(value) {
		values = append(values, compact(v))
	}
	return values
}

// types reads the keyword type: a name, or a list of names. The union of one name and null is
// the nullable field (spec 2.1); wider unions go to Extra.
//
//	string                       Type string
//	[string, 'null']             Type string, Nullable
//	'null'                       Type null, Nullable
//	[string, integer, 'null']    Extra type, Nullable
func (r *reader) types(s *Shape, value json.RawMessage, at string) {
	var names []string
	switch jsontext.KindOf(value) {
	case jsontext.String:
		names = []string{jsontext.Unquote(value)}
	case jsontext.Array:
		names = r.strings(value, at)
	}
	for i, n := range names {
		if !slices.Contains(schemaTypes, n) || slices.Contains(names[:i], n) {
			names = nil
			break
		}
	}
	if len(names) == 0 {
		remedy := "write one of " + strings.Join(schemaTypes, ", ") + ", or a list such as [string, 'null']"
		if jsontext.KindOf(value) == jsontext.String {
			if habit := typeHabits[strings.ToLower(jsontext.Unquote(value))]; habit != "" {
				remedy = "write " + habit
			}
		}
		r.fault(at, "this is not a type", remedy)
		return
	}
	s.Nullable = slices.Contains(names, "null")
	plain := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "null" })
	switch len(plain) {
	case 0:
		s.Type = "null"
	case 1:
		s.Type = plain[0]
	default:
		s.Extra = append(s.Extra, Keyword{Name: "type", Value: compact(value)})
	}
}

// typeHabits are names of types in other languages, each with the remedy.
var typeHabits = map[string]string{
	"int": "integer", "long": "integer and format: int64", "bigint": "integer and format: int64", "float": "number", "double": "number", "numeric": "number", "decimal": "string and format: decimal",
	"bool": "boolean", "text": "string", "varchar": "string", "char": "string", "str": "string", "enum": "string, and enum: [first, second]",
	"date": "string and format: date", "datetime": "string and format: date-time", "date-time": "string and format: date-time", "timestamp": "string and format: date-time", "time": "string and format: time",
	"uuid": "string and format: uuid", "email": "string and format: email", "url": "string and format: uri", "uri": "string and format: uri", "id": "string",
	"json": "object, which takes any", "map": "object", "dict": "object", "list": "array",
}

// admitsNull says whether a schema without a type accepts null, judged by enum and const alone.
// The judge applies the other keywords.
func admitsNull(s *Shape) bool {
	if c := s.Extra.Get("const"); c != nil {
		return jsontext.IsNull(c)
	}
	if s.Enum != nil {
		return slices.ContainsFunc(s.Enum, func(v json.RawMessage) bool { return jsontext.IsNull(v) })
	}
	return true
}

// string reads a string; for anything else it reports a fault and returns "".
func (r *reader) string(value json.RawMessage, at string) string {
	if jsontext.KindOf(value) != jsontext.String {
		r.fault(at, lastToken(at)+" has to be a string", "put the text in quotes")
		return ""
	}
	return jsontext.Unquote(value)
}

// beyondString is string for a key under which a document of another host may have something
// else. It leaves any other value out.
func (r *reader) beyondString(value json.RawMessage, at string) string {
	if r.foreign && jsontext.KindOf(value) != jsontext.String {
		r.beyond(at, lastToken(at)+" is not a string", "")
		return ""
	}
	return r.string(value, at)
}

// bool reads true or false; for anything else it reports a fault and returns false.
func (r *reader) bool(value json.RawMessage, at string) bool {
	k := jsontext.KindOf(value)
	if k != jsontext.True && k != jsontext.False {
		r.fault(at, lastToken(at)+" has to be true or false", "write "+lastToken(at)+": true, or leave it out")
	}
	return k == jsontext.True
}

// strings reads a list of distinct strings. The result is never nil, so that an empty list in
// the text differs from no list.
func (r *reader) strings(value json.RawMessage, at string) []string {
	out := []string{}
	if jsontext.KindOf(value) != jsontext.Array {
		remedy := "write " + lastToken(at) + ": [first, second]"
		if k := jsontext.KindOf(value); lastToken(at) == "required" && (k == jsontext.True || k == jsontext.False) {
			remedy = "name the field in the list required of the object it is in"
		}
		r.fault(at, lastToken(at)+" has to be a list of names", remedy)
		return out
	}
	for i, v := range jsontext.Elements(value) {
		here := fmt.Sprint(at, "/", i)
		if jsontext.KindOf(v) != jsontext.String {
			r.fault(here, "a name has to be a string", "put it in quotes")
			continue
		}
		s := jsontext.Unquote(v)
		if slices.Contains(out, s) {
			r.fault(here, fmt.Sprintf("%q occurs twice in the list", s), "leave the second one out")
			continue
		}
		out = append(out, s)
	}
	return out
}

// lastToken returns the name at the end of a pointer, still escaped.
func lastToken(at string) string { return at[strings.LastIndexByte(at, '/')+1:] }

// compact returns a copy of value without white space: a card must not hold the file that it
// was read from in memory.
func compact(value json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.Grow(len(value))
	if json.Compact(&b, value) != nil {
		return append(json.RawMessage(nil), value...)
	}
	return b.Bytes()
}
