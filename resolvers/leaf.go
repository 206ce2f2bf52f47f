package resolvers

import (
	"github.com/frondhost/frond/resolvers/language"
	"github.com/frondhost/frond/schema/jsontext"
)

// json writes a JSON value as its type (CompleteValue, GraphQL 6.4.3): leaves as their text,
// once it is checked; lists; and nested objects by their members. A value that does not fit is
// null with an error. No text at all is null as well: the row does not have the column.
func (w *writer) json(f *field, out *outputType, v []byte) bool {
	start := len(w.text)
	// A text from outside may begin with white space.
	if len(v) > 0 && v[0] <= ' ' {
		v = jsontext.Trim(v)
	}
	switch {
	case len(v) == 0 || v[0] == 'n':
		return w.null(f, out, start, nil)
	case out.Elem != nil:
		if v[0] != '[' {
			w.broken(f, "Expected a list for field %s.%s, and found none.", f.Type.Parent.Name, f.Type.Definition.Name)
			return w.rewind(out, start)
		}
		return w.list(f, out, v) || w.rewind(out, start)
	// AppendResult returns its own text only where the value fits; otherwise the error is
	// noted once for a field.
	case out.Kind != language.Composite:
		if text, ok := language.AppendResult(w.text, out.Kind, out.Values, v); ok {
			w.text = text
			return true
		}
		w.broken(f, "The value of field %s.%s cannot be represented as %s.", f.Type.Parent.Name, f.Type.Definition.Name, out.Definition.Name)
		return w.rewind(out, start)
	case v[0] != '{':
		w.broken(f, "Expected an object for field %s.%s, and found none.", f.Type.Parent.Name, f.Type.Definition.Name)
		return w.rewind(out, start)
	}
	return w.nested(f.Selection, v) || w.rewind(out, start)
}

// list writes a JSON array item by item. It fails where an item must not be null and is.
func (w *writer) list(f *field, out *outputType, v []byte) bool {
	w.text = append(w.text, '[')
	for i, item := range jsontext.Elements(v) {
		w.text = jsontext.Comma(w.text)
		w.push(language.Segment{Index: i})
		ok := w.json(f, out.Elem, item)
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
func (w *writer) nested(sel *selectionSet, object []byte) bool {
	// The members of nested objects follow the outer objects' members, in one slice.
	base := len(w.members)
	for range sel.Fields {
		w.members = append(w.members, nil)
	}
	defer func() { w.members = w.members[:base] }()
	for name, value := range jsontext.Members(object) {
		for i, f := range sel.Fields {
			// No break: two response keys may select one member.
			if f.Action != asTypename && f.Type.Binding.Column == name {
				w.members[base+i] = value
			}
		}
	}
	w.text = append(w.text, '{')
	for i, f := range sel.Fields {
		w.text = append(w.text, f.Key...)
		if f.Action == asTypename {
			w.text = append(w.text, f.Text...)
			continue
		}
		w.push(language.Segment{Key: f.Name})
		ok := w.json(f, f.Output, w.members[base+i])
		w.pop()
		if !ok {
			return false
		}
	}
	w.text = append(w.text, '}')
	return true
}
