package client

import (
	"encoding/json"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// reader reads results. It keeps the layouts that answers have in common, and may be
// used from many goroutines.
type reader struct{ rows rows.Reader }

// read reads the text of a result: in the form that its operation has in the catalog, or, with
// op nil, in the form that the text has.
//
//	One       an object
//	Maybe     an object, or null for no row
//	Many      an array of objects
//	PageOf    a list result, or an array of objects
//	other     any JSON
//
// Another form is BAD_GATEWAY.
func (r *reader) read(text json.RawMessage, op *catalog.Operation) (*facade.Result, *kiterror.Error) {
	if op == nil {
		return r.guess(text), nil
	}
	kind := jsontext.KindOf(text)
	if op.IsMany() {
		return r.many(text, op)
	}
	switch op.Cardinality {
	case catalog.One, catalog.Maybe:
		if kind == jsontext.Null && op.Cardinality == catalog.Maybe {
			return &facade.Result{Form: facade.FormRow, Rows: r.none()}, nil
		}
		if kind == jsontext.Object {
			if rows, ok := r.rows.Read(text); ok {
				return &facade.Result{Form: facade.FormRow, Rows: rows}, nil
			}
		}
	case catalog.Many:
		if rows, ok := r.array(text); ok {
			return &facade.Result{Form: facade.FormRows, Rows: rows}, nil
		}
	case catalog.PageOf:
		if page, _, ok := r.pageAt(jsontext.Trim(text), 0); ok {
			return page, nil
		}
		if rows, ok := r.array(text); ok { // a foreign host's bare array is a page (docs/calls.md)
			return &facade.Result{Form: facade.FormPage, Rows: rows, Page: facade.Page{Total: int64(rows.Len())}}, nil
		}
	default:
		return &facade.Result{Form: facade.FormValue, Value: text}, nil
	}
	return nil, wrongForm(op.Cardinality)
}

// many reads the result of a write of many rows:
//
//	createMany              {"items": […]}
//	updateMany, deleteMany  {"count": 2}, and items where fields were sent
//	upsert                  {"created": true, "item": {…}}
func (r *reader) many(text json.RawMessage, op *catalog.Operation) (*facade.Result, *kiterror.Error) {
	out := &facade.Result{Form: facade.FormItems, Rows: r.none()}
	found := jsontext.Get(text, "items")
	ok := jsontext.KindOf(text) == jsontext.Object
	switch op.Name {
	case "import":
		return &facade.Result{Form: facade.FormValue, Value: text}, nil
	case "createMany":
		ok = ok && found != nil
	case "upsert":
		found, out.Form = jsontext.Get(text, "item"), facade.FormUpsert
		ok = ok && jsontext.KindOf(found) == jsontext.Object
		out.Created = jsontext.KindOf(jsontext.Get(text, "created")) == jsontext.True
	default:
		if out.Form = facade.FormCount; found != nil {
			out.Form = facade.FormCounted
		}
		n, whole := schema.Integer(jsontext.Get(text, "count"))
		out.Total, ok = n, ok && whole
	}
	if ok && found != nil {
		out.Rows, ok = r.rows.Read(found)
	}
	if !ok {
		return nil, wrongForm(catalog.Cardinality(op.Name))
	}
	return out, nil
}

// wrongForm is the failure of a result with another cardinality than its operation.
func wrongForm(want catalog.Cardinality) *kiterror.Error {
	return kiterror.Errorf(kiterror.BadGateway, "the host's answer does not fit the operation: %s", want)
}

// guess reads a result of which no catalog knows the form. A list result is a page, an object
// a row, an array of objects rows, and anything else a value.
func (r *reader) guess(text json.RawMessage) *facade.Result {
	if isPage(text) {
		if page, _, ok := r.pageAt(jsontext.Trim(text), 0); ok {
			return page
		}
	}
	if rows, ok := r.rows.Read(text); ok {
		form := facade.FormRows
		if jsontext.KindOf(text) == jsontext.Object {
			form = facade.FormRow
		}
		return &facade.Result{Form: form, Rows: rows}
	}
	return &facade.Result{Form: facade.FormValue, Value: text}
}

// readAt is read for the value that begins at an offset of a text; end is the offset after it.
// Pages and lists of rows are scanned once, since they are most answers.
func (r *reader) readAt(text []byte, at int, op *catalog.Operation) (result *facade.Result, end int, err *kiterror.Error) {
	if op != nil {
		switch {
		case op.Cardinality == catalog.PageOf && text[at] == '{':
			if page, end, ok := r.pageAt(text, at); ok {
				return page, end, nil
			}
		case op.Cardinality == catalog.Many && text[at] == '[':
			if rows, end, ok := r.rows.ReadAt(text, at); ok {
				return &facade.Result{Form: facade.FormRows, Rows: rows}, end, nil
			}
		}
	}
	end = jsontext.Skip(text, at)
	result, err = r.read(text[at:end:end], op)
	return result, end, err
}

// array reads an array of objects.
func (r *reader) array(text json.RawMessage) (*rows.Rows, bool) {
	if jsontext.KindOf(text) != jsontext.Array {
		return nil, false
	}
	return r.rows.Read(text)
}

// present reads an array in which null means a missing row; nil: it is another value.
func (r *reader) present(array json.RawMessage) *rows.Rows {
	if jsontext.KindOf(array) != jsontext.Array {
		return nil
	}
	var objects []json.RawMessage
	for _, row := range jsontext.Elements(array) {
		switch jsontext.KindOf(row) {
		case jsontext.Object:
			objects = append(objects, row)
		case jsontext.Null:
		default:
			return nil
		}
	}
	rows, _ := r.collect(objects)
	return rows
}

// none is an empty result.
func (r *reader) none() *rows.Rows {
	rows, _ := r.rows.Read(json.RawMessage("[]"))
	return rows
}

// part is the rows from one place up to another, copied.
func (r *reader) part(found *rows.Rows, from, to int) *rows.Rows {
	some := make([]json.RawMessage, 0, max(to-from, 0))
	for i := from; i < to; i++ {
		some = append(some, found.Row(i).JSON())
	}
	found, _ = r.collect(some) // they were rows before
	return found
}

// collect copies objects of several texts into one run of rows.
func (r *reader) collect(objects []json.RawMessage) (*rows.Rows, bool) {
	size := 2
	for _, o := range objects {
		size += len(o) + 1
	}
	return r.rows.Read(jsontext.AppendTexts(make([]byte, 0, size), objects))
}
