package envelope

import (
	"encoding/json"
	"strconv"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema/jsontext"
)

// reader reads results. It keeps what answers have in common.
type reader struct{ rows facade.RowReader }

// read is the text of a result as the Result it was: in the form its operation has
// in the catalog, or, where that is not known, the form the text has.
func (r *reader) read(text json.RawMessage, op *facade.Operation) (*facade.Result, *facade.Error) {
	kind := jsontext.KindOf(text)
	if op == nil {
		if isPage(text) {
			if page, _, ok := r.pageAt(jsontext.Trim(text), 0); ok {
				return page, nil
			}
		}
		if rows, ok := r.rows.Read(text); ok {
			form := facade.FormRows
			if kind == jsontext.Object {
				form = facade.FormRow
			}
			return &facade.Result{Form: form, Rows: rows}, nil
		}
		return &facade.Result{Form: facade.FormValue, Value: text}, nil
	}
	switch op.Cardinality {
	case facade.One, facade.Maybe:
		if kind == jsontext.Null && op.Cardinality == facade.Maybe {
			return &facade.Result{Form: facade.FormRow, Rows: r.none()}, nil
		}
		if kind == jsontext.Object {
			if rows, ok := r.rows.Read(text); ok {
				return &facade.Result{Form: facade.FormRow, Rows: rows}, nil
			}
		}
	case facade.Many:
		if rows, ok := r.array(text); ok {
			return &facade.Result{Form: facade.FormRows, Rows: rows}, nil
		}
	case facade.PageOf:
		if page, _, ok := r.pageAt(jsontext.Trim(text), 0); ok {
			return page, nil
		}
		if rows, ok := r.array(text); ok { // a foreign host's bare array is a page (DESIGN 5)
			return &facade.Result{Form: facade.FormPage, Rows: rows, Page: facade.Page{Total: int64(rows.Len())}}, nil
		}
	default:
		return &facade.Result{Form: facade.FormValue, Value: text}, nil
	}
	return nil, facade.Errorf(facade.BadGateway, "the host's answer is not what the operation gives: %s", op.Cardinality)
}

// readAt is read for the value that begins at an offset of a text; what is mostly
// answered is read as it is found. It gives the offset behind the value.
func (r *reader) readAt(text []byte, at int, op *facade.Operation) (result *facade.Result, end int, err *facade.Error) {
	if op != nil {
		switch {
		case op.Cardinality == facade.PageOf && text[at] == '{':
			if page, end, ok := r.pageAt(text, at); ok {
				return page, end, nil
			}
		case op.Cardinality == facade.Many && text[at] == '[':
			if rows, end, ok := r.rows.ReadAt(text, at); ok {
				return &facade.Result{Form: facade.FormRows, Rows: rows}, end, nil
			}
		}
	}
	end = jsontext.Skip(text, at)
	result, err = r.read(text[at:end:end], op)
	return result, end, err
}

// array is the rows of an array of objects.
func (r *reader) array(text json.RawMessage) (*facade.Rows, bool) {
	if jsontext.KindOf(text) != jsontext.Array {
		return nil, false
	}
	return r.rows.Read(text)
}

// none is no rows.
func (r *reader) none() *facade.Rows {
	rows, _ := r.rows.Read(json.RawMessage("[]"))
	return rows
}

// collect is rows of objects that stand in several texts. The objects are copied.
func (r *reader) collect(objects []json.RawMessage) (*facade.Rows, bool) {
	size := 2
	for _, o := range objects {
		size += len(o) + 1
	}
	text := append(make([]byte, 0, size), '[')
	for i, o := range objects {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, o...)
	}
	return r.rows.Read(append(text, ']'))
}

// isPage says whether a value is a list result (spec 2.7), with these members and no others.
func isPage(text json.RawMessage) bool {
	seen := 0
	for name, value := range jsontext.Members(text) {
		kind := jsontext.KindOf(value)
		var fits bool
		switch name {
		case "items":
			fits = onlyObjects(value)
		case "total":
			_, err := strconv.ParseInt(string(value), 10, 64)
			fits = err == nil
		case "hasMore":
			fits = kind == jsontext.True || kind == jsontext.False
		case "endCursor":
			fits = kind == jsontext.String || kind == jsontext.Null
		}
		if !fits {
			return false
		}
		seen++
	}
	return seen == 4
}

func onlyObjects(text json.RawMessage) bool {
	if jsontext.KindOf(text) != jsontext.Array {
		return false
	}
	for _, v := range jsontext.Elements(text) {
		if jsontext.KindOf(v) != jsontext.Object {
			return false
		}
	}
	return true
}
