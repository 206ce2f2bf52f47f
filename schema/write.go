package schema

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/frondhost/frond/schema/jsontext"
)

// The canonical order of keys. An absent key is not written; a key without a name here keeps
// its text and its place among the others of its kind.
//
//	card    title description type properties required … x-kit-version x-kit-vendor x-kit-derived
//	shape   title description type format enum properties required items deprecated … x-kit
//	x-kit   role {primary unique index relation {to kind onDelete by …} …}
//	        lifecycle {create update …} boundary {in out …} …

// AppendJSON appends the card as JSON in canonical key order (docs/decisions/card-language.md). A card that
// was read and not changed has every key again; only white space and the order of known keys may differ.
func (c *Card) AppendJSON(dst []byte) []byte {
	o := object{dst: append(dst, '{')}
	o.text("title", c.Title)
	o.text("description", c.Description)
	o.raw("type", `"object"`)
	o.fields("properties", c.Fields)
	o.names("required", c.Required)
	o.keywords(c.Extra)
	if c.Version != 0 {
		o.key("x-kit-version")
		o.dst = strconv.AppendInt(o.dst, int64(c.Version), 10)
	}
	o.text("x-kit-vendor", c.Vendor)
	if c.Derived != nil {
		o.key("x-kit-derived")
		d := object{dst: append(o.dst, '{')}
		d.key("from")
		d.dst = jsontext.AppendString(d.dst, c.Derived.From)
		d.key("survived")
		d.dst = jsontext.AppendStrings(d.dst, c.Derived.Survived)
		o.dst = append(d.dst, '}')
	}
	return append(o.dst, '}')
}

// MarshalJSON is AppendJSON for encoding/json.
func (c *Card) MarshalJSON() ([]byte, error) { return c.AppendJSON(nil), nil }

// AppendJSON appends the shape as JSON in canonical key order.
func (s *Shape) AppendJSON(dst []byte) []byte { return s.append(dst, nil) }

// MarshalJSON is AppendJSON for encoding/json.
func (s *Shape) MarshalJSON() ([]byte, error) { return s.AppendJSON(nil), nil }

// append appends the shape with its axes, which are nil if the shape may not carry any.
func (s *Shape) append(dst []byte, axes *Axes) []byte {
	if s.Bool != nil {
		return strconv.AppendBool(dst, *s.Bool)
	}
	o := object{dst: append(dst, '{')}
	o.text("title", s.Title)
	o.text("description", s.Description)
	switch {
	case s.Type == "":
	case s.Nullable && s.Type != "null":
		o.key("type")
		o.dst = jsontext.AppendStrings(o.dst, []string{s.Type, "null"}) // spec 2.1: [<T>, 'null']
	default:
		o.text("type", s.Type)
	}
	o.text("format", s.Format)
	if s.Enum != nil {
		o.key("enum")
		o.dst = jsontext.AppendTexts(o.dst, s.Enum)
	}
	o.fields("properties", s.Properties)
	o.names("required", s.Required)
	if s.Items != nil {
		o.key("items")
		o.dst = s.Items.append(o.dst, nil)
	}
	if s.Deprecated {
		o.raw("deprecated", "true")
	}
	o.keywords(s.Extra)
	if axes != nil {
		if x := axes.append(nil); len(x) > len("{}") {
			o.key("x-kit")
			o.dst = append(o.dst, x...)
		}
	}
	return append(o.dst, '}')
}

// append appends x-kit with only the declared members (spec 2.2.1), so that the zero value is
// {}.
func (a *Axes) append(dst []byte) []byte {
	o := object{dst: append(dst, '{')}
	o.object("role", func(o *object) {
		if a.Primary {
			o.raw("primary", "true")
		}
		if a.Unique != nil {
			o.key("unique")
			o.dst = jsontext.AppendList(o.dst, a.Unique, jsontext.AppendStrings)
		}
		if a.Index {
			o.raw("index", "true")
		}
		if r := a.Relation; r != nil {
			o.object("relation", func(o *object) {
				o.text("to", r.To)
				if r.Many {
					o.raw("kind", `"many"`)
				} else {
					o.raw("kind", `"one"`)
				}
				o.text("onDelete", r.OnDelete)
				o.text("by", r.By)
				o.text("through", r.Through)
				o.extra(a.Extra, "role/relation/")
			})
		}
		o.extra(a.Extra, "role/")
	})
	o.object("lifecycle", func(o *object) {
		if c := a.Create; c != nil {
			o.key("create")
			switch {
			case c.Value != nil:
				o.dst = append(append(append(o.dst, `{"value":`...), c.Value...), '}')
			case c.Generate != "":
				o.dst = append(jsontext.AppendString(append(o.dst, `{"generate":`...), c.Generate), '}')
			case c.Now:
				o.dst = append(o.dst, `"now"`...)
			default:
				o.dst = append(o.dst, `"optional"`...)
			}
		}
		o.text("update", string(a.Update))
		o.extra(a.Extra, "lifecycle/")
	})
	o.object("boundary", func(o *object) {
		o.boundary("in", "decode", a.In)
		o.boundary("out", "encode", a.Out)
		o.extra(a.Extra, "boundary/")
	})
	o.extra(a.Extra, "")
	return append(o.dst, '}')
}

// object appends the members of one object to dst, with commas between them; an empty value is
// not written. The braces are the caller's:
//
//	o := object{dst: append(dst, '{')}
//	o.text("title", c.Title)
//	return append(o.dst, '}')
type object struct{ dst []byte }

// key appends a comma if one is needed, the name and the colon; a value has to follow.
func (o *object) key(name string) {
	o.dst = jsontext.AppendName(jsontext.Comma(o.dst), name)
}

// raw appends a member whose value is JSON already.
func (o *object) raw(name, value string) {
	o.key(name)
	o.dst = append(o.dst, value...)
}

// text appends a string, unless it is empty.
func (o *object) text(name, value string) {
	if value != "" {
		o.key(name)
		o.dst = jsontext.AppendString(o.dst, value)
	}
}

// names appends a list of strings, unless it is nil.
func (o *object) names(name string, values []string) {
	if values != nil {
		o.key(name)
		o.dst = jsontext.AppendStrings(o.dst, values)
	}
}

// fields appends the fields of a card or a nested object, unless there is no such keyword.
func (o *object) fields(name string, fields []Field) {
	if fields == nil {
		return
	}
	o.key(name)
	in := object{dst: append(o.dst, '{')}
	for i := range fields {
		in.key(fields[i].Name)
		in.dst = fields[i].Shape.append(in.dst, &fields[i].Axes)
	}
	o.dst = append(in.dst, '}')
}

// keywords appends the kept keywords as they were written.
func (o *object) keywords(kws Keywords) {
	for _, kw := range kws {
		o.key(kw.Name)
		o.dst = append(o.dst, kw.Value...)
	}
}

// object appends a member that is an object, unless write leaves it empty.
func (o *object) object(name string, write func(*object)) {
	// An object without members is cut off again, key and comma included.
	mark := len(o.dst)
	o.key(name)
	in := object{dst: append(o.dst, '{')}
	write(&in)
	if in.dst[len(in.dst)-1] == '{' {
		o.dst = o.dst[:mark]
		return
	}
	o.dst = append(in.dst, '}')
}

// untoken undoes jsontext.Token.
var untoken = strings.NewReplacer("~1", "/", "~0", "~")

// extra appends the kept keys of the object called prefix, without the keys of objects inside
// it.
func (o *object) extra(kws Keywords, prefix string) {
	for _, kw := range kws {
		if token, ok := strings.CutPrefix(kw.Name, prefix); ok && !strings.Contains(token, "/") {
			o.key(untoken.Replace(token))
			o.dst = append(o.dst, kw.Value...)
		}
	}
}

// boundary appends one direction of boundary, unless it is open.
func (o *object) boundary(name, verb string, b BoundaryRule) {
	switch {
	case b.Closed:
		o.raw(name, `"closed"`)
	case b.Name != "":
		o.key(name)
		o.dst = jsontext.AppendString(append(o.dst, `{"`+verb+`":`...), b.Name)
		o.dst = append(o.dst, '}')
	}
}

var _ json.Marshaler = (*Card)(nil)
