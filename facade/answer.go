package facade

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// mismatch is a field by which the answer of the author's code does not fit its card. It
// is logged (see [kiterror.Report]), and sent in development alone.
type mismatch struct{ field, why string }

// Field names the field, for the log (see [kiterror.Report]).
func (m *mismatch) Field() string { return m.field }

// Error implements error.
func (m *mismatch) Error() string { return "the field " + m.field + " " + m.why }

// renamedAnswer renames the members of an answer of the author's code, an object or an array of
// them, to the fields of the card: a Go struct without JSON tags says Title for title. A member
// that is no field, two members for one field, and a required field that is missing are errors,
// so that no value is lost in silence (docs/decisions/handlers.md).
func renamedAnswer(x *execution, text json.RawMessage) (json.RawMessage, error) {
	r := x.op.reader
	n := naming{of: r.entity.Name}
	for _, p := range r.entity.Fields {
		n.fields = append(n.fields, schema.Field{Name: p.Name, Shape: p.Shape})
	}
	for _, p := range r.presenters {
		n.fields = append(n.fields, schema.Field{Name: p.Name, Shape: p.Shape})
	}
	if d := x.op.OutDoor; d != nil && d.Entity != r.entity { // a view may leave fields of its entity out
		for _, p := range d.Entity.Fields {
			n.dropped = append(n.dropped, p.Name)
		}
	}
	for i, c := range x.sel.columns {
		if p := r.entity.Property(x.sel.out.Fields[i]); c.from >= 0 && p != nil && (p.Axes.Primary || slices.Contains(r.entity.Card.Required, p.Name)) {
			n.required = append(n.required, p.Name)
		}
	}
	if x.sel.columns == nil {
		n.required = r.entity.Card.Required
	}
	if jsontext.KindOf(text) == jsontext.Array {
		return n.each(text)
	}
	return n.object(text)
}

// naming renames the members of objects to the names that a card has for them.
type naming struct {
	of       string // the owner of the fields, for messages
	at       string // the path to the object, with a dot at its end; "" for the row
	fields   []schema.Field
	dropped  []string // further names that are known, and left out
	required []string
	open     bool // further members are kept
}

// each renames the members of every object in an array.
func (n *naming) each(array json.RawMessage) (json.RawMessage, error) {
	out := []byte{'['}
	for _, item := range jsontext.Elements(array) {
		out = jsontext.Comma(out)
		object, err := n.object(item)
		if err != nil {
			return nil, err
		}
		out = append(out, object...)
	}
	return append(out, ']'), nil
}

// object renames the members of one object. Text that is no object is returned as it is:
// the reader of the answer reports the fault.
func (n *naming) object(text json.RawMessage) (json.RawMessage, error) {
	if jsontext.KindOf(text) != jsontext.Object {
		return text, nil // the reader of the answer reports the fault
	}
	var out schema.Object
	from := map[string]string{} // which member each field was answered as
	for name, value := range jsontext.Members(text) {
		field := n.field(name)
		if field == nil {
			known := slices.ContainsFunc(n.dropped, func(d string) bool { return strings.EqualFold(d, name) })
			switch {
			case n.open:
				out = append(out, schema.Member{Name: name, Value: value})
			case !known:
				return nil, &mismatch{n.at + name, "is none of " + n.of + `; name it as the card does, or keep it out of the answer (json:"-")`}
			}
			continue
		}
		if before, twice := from[field.Name]; twice {
			return nil, &mismatch{n.at + field.Name, "is answered twice, as " + before + " and as " + name}
		}
		from[field.Name] = name
		value, err := n.inside(field, value)
		if err != nil {
			return nil, err
		}
		out = append(out, schema.Member{Name: field.Name, Value: value})
	}
	for _, name := range n.required {
		if _, there := from[name]; !there {
			return nil, &mismatch{n.at + name, "is required by the card of " + n.of + ", and not answered"}
		}
	}
	return out.AppendJSON(nil), nil
}

// field is the field that a member is for: the one with its name, else the only one whose name
// differs in case alone. It is nil if no field or more than one fits.
func (n *naming) field(name string) (found *schema.Field) {
	if f := fieldOf(n.fields, name); f != nil {
		return f
	}
	for i := range n.fields {
		if strings.EqualFold(n.fields[i].Name, name) {
			if found != nil {
				return nil
			}
			found = &n.fields[i]
		}
	}
	return found
}

// inside renames the members of the objects in a value, as deep as the shape declares
// them.
func (n *naming) inside(f *schema.Field, value json.RawMessage) (json.RawMessage, error) {
	shape := &f.Shape
	list := shape.Items != nil && jsontext.KindOf(value) == jsontext.Array
	if list {
		shape = shape.Items
	}
	if shape.Properties == nil {
		return value, nil
	}
	in := naming{of: n.of, at: n.at + f.Name + ".", fields: shape.Properties, required: shape.Required, open: further(shape)}
	if list {
		return in.each(value)
	}
	return in.object(value)
}

// closed reports whether a shape names the members of an object somewhere in it, so that
// others have to be removed from the answer of a handler.
func closed(s *schema.Shape) bool {
	return s.Properties != nil || s.Items != nil && closed(s.Items)
}

// prune is a value without the members of nested objects that its shape does not name: only the
// fields of a view leave (docs/collectors.md). A shape that takes further members by a keyword
// of its own keeps them.
func prune(s *schema.Shape, value json.RawMessage) json.RawMessage {
	switch kind := jsontext.KindOf(value); {
	case kind == jsontext.Object && s.Properties != nil:
		further := further(s)
		return schema.Rewrite(value, func(name string, member json.RawMessage) json.RawMessage {
			switch field := fieldOf(s.Properties, name); {
			case field != nil:
				return prune(&field.Shape, member)
			case further:
				return member
			}
			return nil
		})
	case kind == jsontext.Array && s.Items != nil && closed(s.Items):
		out := []byte{'['}
		for _, item := range jsontext.Elements(value) {
			out = append(jsontext.Comma(out), prune(s.Items, item)...)
		}
		return append(out, ']')
	}
	return value
}

// further reports whether an object may have members that its shape does not name.
func further(s *schema.Shape) bool {
	more := s.Extra.Get("additionalProperties")
	return s.Extra.Get("patternProperties") != nil || more != nil && jsontext.KindOf(more) != jsontext.False
}

// adopt makes a result of a handler's answer, in the form that its operation
// declares. Its rows are laid out as the selection reads them, so that the last step is
// the same for rows from anywhere.
func adopt(x *execution, answer any) (*Result, error) {
	text, from, page, err := textOf(answer)
	if err != nil {
		return nil, unfit(&x.viewer, err)
	}
	if x.sel == nil {
		if from.Len() > 0 && !from.Crossed() && !x.inside {
			// As they are kept, closed and hidden fields among them, they are not for callers.
			return nil, unfit(&x.viewer, fmt.Errorf("the operation returned rows but declares no output; set output: ENTITY"))
		}
		return &Result{Form: FormValue, Value: text}, nil
	}
	if from != nil && from.Crossed() {
		// Read through From: encoded already, and computed.
		x.before = from
		x.sel = pickOn(x, already, x.op.reader, x.resultScope, x.fields[0], x.fields[1])
	}
	out := &Result{Page: Page{Total: -1}}
	found := text
	null := jsontext.IsNull(text) || len(text) == 0
	kind := jsontext.KindOf(text)
	switch x.op.Cardinality {
	case catalog.One, catalog.Maybe:
		out.Form = FormRow
		switch {
		case null && x.op.Cardinality == catalog.One:
			return nil, unfit(&x.viewer, fmt.Errorf("it answered null, and its cardinality is one; declare it as maybe"))
		case null:
			found = json.RawMessage("[]")
		case kind != jsontext.Object:
			return nil, unfit(&x.viewer, fmt.Errorf("it answered no object"))
		}
	case catalog.Many:
		out.Form = FormRows
		if null {
			found = json.RawMessage("[]")
		} else if kind != jsontext.Array {
			return nil, unfit(&x.viewer, fmt.Errorf("it answered no array"))
		}
	case catalog.PageOf:
		out.Form = FormPage
		switch {
		case null:
			found, out.Total = json.RawMessage("[]"), 0
		case kind == jsontext.Array: // a bare array is accepted and becomes a page
			out.Total = int64(count(text))
		default:
			if found, err = readPage(text, &out.Page); err != nil {
				return nil, unfit(&x.viewer, err)
			}
			if page != nil {
				out.Page = *page
			}
		}
	}
	if from == nil {
		if found, err = renamedAnswer(x, found); err != nil {
			return nil, unfit(&x.viewer, err)
		}
	}
	read, ok := rows.Read(x.sel.stored, found)
	if !ok {
		return nil, unfit(&x.viewer, fmt.Errorf("it answered something else than rows"))
	}
	out.Rows = normal(read, x.sel)
	return out, nil
}

// unfit is the INTERNAL_ERROR of an answer that does not fit the operation.
func unfit(x *viewer, err error) error {
	return kiterror.Internal(fmt.Errorf("the handler of %s: %w", x.where(), err))
}

// textOf is an answer as checked JSON, and the rows and the page that it is, if it is
// rows.
func textOf(answer any) (text json.RawMessage, found *rows.Rows, page *Page, err error) {
	switch v := answer.(type) {
	case *Result:
		if v == nil {
			return nil, nil, nil, nil
		}
		if v.Form == FormPage && v.Groups == nil {
			page = &v.Page
		}
		return v.AppendJSON(nil), v.Rows, page, nil
	case *rows.Rows:
		return v.AppendJSON(nil), v, nil, nil
	case rows.Row:
		alone := v.Alone()
		if alone == nil {
			return nil, nil, nil, nil
		}
		return v.JSON(), alone, nil, nil
	case json.RawMessage:
		if len(jsontext.Trim(v)) == 0 {
			return nil, nil, nil, nil
		}
		return v, nil, nil, jsontext.Check(v)
	}
	text, err = jsontext.Marshal(answer)
	return text, nil, nil, err
}

// count is the number of items of an array.
func count(array json.RawMessage) (n int) {
	for range jsontext.Elements(array) {
		n++
	}
	return n
}

// readPage reads a list result (spec 2.7) that a handler answered.
func readPage(text json.RawMessage, page *Page) (items json.RawMessage, err error) {
	if jsontext.KindOf(text) != jsontext.Object {
		return nil, fmt.Errorf("it answered no list result")
	}
	for name, value := range jsontext.Members(text) {
		switch strings.ToLower(name) {
		case "items":
			items = value
		case "total":
			if n, ok := schema.Integer(value); ok {
				page.Total = n
			}
		case "hasmore":
			page.HasMore = jsontext.KindOf(value) == jsontext.True
		case "endcursor":
			if s := jsontext.Unquote(value); jsontext.KindOf(value) == jsontext.String && s != "" {
				page.Cursors = []string{s}
			}
		}
	}
	if jsontext.IsNull(items) {
		items = json.RawMessage("[]")
	}
	if jsontext.KindOf(items) != jsontext.Array {
		return nil, fmt.Errorf("it answered a list result without items")
	}
	return items, nil
}

// normal brings rows into the form that all rows have: date-times in UTC, nested objects
// with declared members alone. Rows without either are returned as they are.
func normal(read *rows.Rows, s *selection) *rows.Rows {
	same := true
	for _, p := range s.props {
		same = same && p.Kind != schema.KindDateTime && !closed(&p.Shape)
	}
	if same {
		return read
	}
	out := rows.New(s.stored, read.Len())
	for i := range read.Len() {
		row := read.Row(i)
		out.BeginRow()
		for j, p := range s.props {
			value := row.At(j)
			if value == nil {
				continue
			}
			if p.Kind == schema.KindDateTime {
				value = schema.NormalDateTime(value)
			} else if closed(&p.Shape) {
				value = prune(&p.Shape, value)
			}
			out.Put(j, value)
		}
		out.EndRow()
	}
	return out
}
