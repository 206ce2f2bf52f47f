package resolvers

import (
	"math"
	"strconv"

	"github.com/frondhost/frond/resolvers/graphqlerror"
	"github.com/frondhost/frond/schema/jsontext"
)

// json writes a JSON value as its type: leaves as their text, once it is seen to
// be of the type; lists; and nested objects by the spans of their members.
func (w *writer) json(f *field, out *outType, v []byte) bool {
	start := len(w.text)
	if len(v) > 0 && v[0] <= ' ' {
		v = jsontext.Trim(v)
	}
	switch {
	case len(v) == 0 || v[0] == 'n':
		return w.null(f, out, start, nil)
	case out.elem != nil:
		if v[0] != '[' {
			w.broken(f, "Expected a list for field %s.%s, and found none.", f.typ.parent.name, f.typ.def.Name)
			return w.rewind(out, start)
		}
		return w.list(f, out, v) || w.rewind(out, start)
	case out.leaf != composite:
		if text, ok := appendLeaf(w.text, out, v); ok {
			w.text = text
			return true
		}
		w.broken(f, "The value of field %s.%s cannot be represented as %s.", f.typ.parent.name, f.typ.def.Name, out.def.Name)
		return w.rewind(out, start)
	case v[0] != '{':
		w.broken(f, "Expected an object for field %s.%s, and found none.", f.typ.parent.name, f.typ.def.Name)
		return w.rewind(out, start)
	}
	return w.nested(f.sub, v) || w.rewind(out, start)
}

func (w *writer) list(f *field, out *outType, v []byte) bool {
	w.text = append(w.text, '[')
	for i, item := range jsontext.Elements(v) {
		if i > 0 {
			w.text = append(w.text, ',')
		}
		w.push(graphqlerror.Segment{Index: i})
		ok := w.json(f, out.elem, item)
		w.pop()
		if !ok {
			return false
		}
	}
	w.text = append(w.text, ']')
	return true
}

// nested writes a selection over a nested object: its members are found in one
// pass, and copied in the order of the selection.
func (w *writer) nested(sel *selection, object []byte) bool {
	base := len(w.members)
	for range sel.fields {
		w.members = append(w.members, nil)
	}
	defer func() { w.members = w.members[:base] }()
	for name, value := range jsontext.Members(object) {
		for i, f := range sel.fields {
			if f.do != writeTypename && f.typ.binding.Column == name {
				w.members[base+i] = value
			}
		}
	}
	w.text = append(w.text, '{')
	for i, f := range sel.fields {
		w.text = append(w.text, f.key...)
		if f.do == writeTypename {
			w.text = append(w.text, f.text...)
			continue
		}
		w.push(graphqlerror.Segment{Key: f.name})
		ok := w.json(f, f.out, w.members[base+i])
		w.pop()
		if !ok {
			return false
		}
	}
	w.text = append(w.text, '}')
	return true
}

// appendLeaf appends a leaf as its type writes it; false where it is none of it.
func appendLeaf(dst []byte, out *outType, v []byte) ([]byte, bool) {
	c := v[0]
	number := c == '-' || c >= '0' && c <= '9'
	ok := false
	switch out.leaf {
	case leafString:
		ok = c == '"'
	case leafInt:
		if !number {
			return dst, false
		}
		if digits(v) {
			return append(dst, v...), true
		}
		n, whole := integer(v)
		if !whole || n < math.MinInt32 || n > math.MaxInt32 {
			return dst, false
		}
		return strconv.AppendInt(dst, n, 10), true
	case leafFloat:
		ok = number
	case leafBoolean:
		ok = c == 't' || c == 'f'
	case leafID:
		if number {
			text, whole := integerText(v)
			return append(append(append(dst, '"'), text...), '"'), whole
		}
		ok = c == '"'
	case leafEnum:
		if _, ok = out.enum[string(v)]; !ok && c == '"' {
			name := `"` + jsontext.Unquote(v) + `"`
			if _, ok = out.enum[name]; ok {
				return append(dst, name...), true
			}
		}
	case leafAny:
		ok = true
	}
	if !ok {
		return dst, false
	}
	return append(dst, v...), true
}

// digits says whether v is a whole number that fits 32 bits for sure: a sign and
// at most nine digits.
func digits(v []byte) bool {
	if v[0] == '-' {
		v = v[1:]
	}
	if len(v) == 0 || len(v) > 9 {
		return false
	}
	for _, c := range v {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
