package resolvers

import (
	"encoding/json"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/language"
	"github.com/frondhost/frond/schema/jsontext"
)

// read lays out rows of a JSON value: the rows of a view, or a list result of a remote. It
// reports whether the value is one. Null means no rows; an object is a page if the operation
// returns pages, and one row otherwise.
func (res *result) read(f *fetch, value json.RawMessage) bool {
	page := facade.Page{Total: -1}
	switch jsontext.KindOf(value) {
	case jsontext.Invalid, jsontext.Null:
		value = json.RawMessage("[]")
	case jsontext.Object:
		items := jsontext.Get(value, "items")
		if f.Binding.Operation == nil || f.Binding.Operation.Cardinality != catalog.PageOf || items == nil {
			break
		}
		page = readPage(value)
		value = items
	}
	found, ok := rows.Read(rows.NewLayout(f.Columns), value)
	if !ok {
		return false
	}
	res.rows, res.Items = found, found.Len()
	res.cols = make([]int, len(f.Columns))
	for i := range res.cols {
		res.cols[i] = i
	}
	res.Trees = make([][]tree, len(f.Custom))
	res.Groups = []facade.Group{{To: res.Items, Page: page}}
	return true
}

// readPage reads the page of a list result: total, hasMore and endCursor (spec 2.7). A total
// that is missing is -1: not known.
func readPage(value json.RawMessage) (p facade.Page) {
	p.Total = -1
	if n, ok := language.Integer(jsontext.Get(value, "total")); ok {
		p.Total = n
	}
	p.HasMore = jsontext.KindOf(jsontext.Get(value, "hasMore")) == jsontext.True
	if c := jsontext.Get(value, "endCursor"); jsontext.KindOf(c) == jsontext.String {
		p.Cursors = []string{jsontext.Unquote(c)}
	}
	return p
}

// item is one object that a Resolve returned. Either row, text or page with rows is set; an
// object without generated fields leaves them empty, as it is not read.
type item struct {
	source any             // as it was given
	row    rows.Row        // where it was a row
	text   json.RawMessage // where it was anything else and has to be read as a row
	page   *facade.Page    // of a connection
	rows   []rows.Row
}

// over executes a unit over items that a Resolve returned. Rows and objects are copied into
// rows of one layout, so that the rest of the execution does not differ from that over rows of
// a call.
func (x *execution) over(r *run, items []item) {
	u := r.Unit
	r.Results = make([]result, len(u.Fetches))
	res, f := &r.Results[0], u.Fetches[0]
	res.Trees = make([][]tree, len(f.Custom))
	res.source = make([]any, 0, len(items))
	layout := rows.NewLayout(f.Columns)
	res.rows = rows.New(layout, len(items))
	res.cols = make([]int, len(f.Columns))
	for i := range res.cols {
		res.cols[i] = i
	}
	for _, it := range items {
		if it.page == nil {
			res.source = append(res.source, it.source)
			copyRow(res.rows, layout, it)
			x.lost(res, f, it.row)
			continue
		}
		from := res.rows.Len()
		for _, row := range it.rows {
			res.source = append(res.source, row)
			copyRow(res.rows, layout, item{row: row})
			x.lost(res, f, row)
		}
		// A connection has its own group of rows, in the order of the items.
		res.Groups = append(res.Groups, facade.Group{From: from, To: res.rows.Len(), Page: *it.page})
	}
	res.Items = len(res.source)
	x.levels(r)
}

// lost notes why computed fields are missing in a row that a Resolve returned. Only rows of a
// loader have failures.
func (x *execution) lost(res *result, f *fetch, row rows.Row) {
	if row == (rows.Row{}) || x.loading == nil {
		return
	}
	for _, failed := range binding.LoadersOf(x.loading).Failures(row) {
		slot, wanted := f.Slots[failed.Field]
		if !wanted {
			continue
		}
		if res.Missing == nil {
			res.Missing = make([]*language.Error, len(f.Columns))
		}
		if res.Missing[slot] == nil {
			res.Missing[slot] = x.Failed(failed.Err)
		}
	}
}

// copyRow appends the columns that a unit reads of an item: by name from a row, or in one pass
// from JSON.
func copyRow(found *rows.Rows, layout *rows.Layout, it item) {
	found.BeginRow()
	switch {
	case it.row != (rows.Row{}):
		for i, name := range layout.Fields {
			if v := it.row.Get(name); v != nil {
				found.Put(i, v)
			}
		}
	case it.text != nil:
		for name, value := range jsontext.Members(it.text) {
			if i := layout.Index(name); i >= 0 {
				found.Put(i, value)
			}
		}
	}
	found.EndRow()
}

// ofEvent reports whether a fetch reads the current event, without a call. Selections below the
// event's row are fetched by calls, as below any other row.
func ofEvent(f *fetch) bool {
	return f.Binding.Kind == binding.Event || f.Binding.Kind == binding.EventRow
}

// rowsOf returns the event, or the row that it is about, as the result of a fetch. It has no
// row if the fact does not carry one, or if the row left the caller's view.
func rowsOf(e *facade.Revealed, f *fetch) *facade.Result {
	if f.Binding.Kind == binding.EventRow && e.Row != (rows.Row{}) {
		return &facade.Result{Form: facade.FormRow, Rows: e.Row.Alone(), Failed: e.Failed}
	}
	rows := rows.New(rows.NewLayout(f.Columns), 1)
	if f.Binding.Kind == binding.Event {
		binding.AppendEvent(rows, e)
	}
	return &facade.Result{Form: facade.FormRow, Rows: rows}
}
