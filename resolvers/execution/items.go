package execution

import (
	"encoding/json"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers/graphqlerror"
	"github.com/frondhost/frond/resolvers/loader"
	"github.com/frondhost/frond/resolvers/plan"
	"github.com/frondhost/frond/resolvers/scalar"
	"github.com/frondhost/frond/schema/jsontext"
)

// read lays out rows that came as a JSON value: those of a view, or a list result of a remote.
// It reports whether the value is one. Null is no rows; an object is a page where the
// operation gives pages, and one row otherwise.
func (res *Result) read(f *plan.Fetch, value json.RawMessage) bool {
	page := facade.Page{Total: -1}
	switch jsontext.KindOf(value) {
	case jsontext.Invalid, jsontext.Null:
		value = json.RawMessage("[]")
	case jsontext.Object:
		items := jsontext.Get(value, "items")
		if f.Binding.Operation == nil || f.Binding.Operation.Cardinality != facade.PageOf || items == nil {
			break
		}
		page = readPage(value)
		value = items
	}
	rows, ok := facade.ReadRows(facade.NewLayout(f.Columns), value)
	if !ok {
		return false
	}
	res.rows, res.Items = rows, rows.Len()
	res.cols = make([]int, len(f.Columns))
	for i := range res.cols {
		res.cols[i] = i
	}
	res.Trees = make([][]Tree, len(f.Custom))
	res.Groups = []facade.Group{{To: res.Items, Page: page}}
	return true
}

// readPage reads the page of a list result: total, hasMore and endCursor (spec 2.7). A total
// that is missing is -1: not known.
func readPage(value json.RawMessage) (p facade.Page) {
	p.Total = -1
	if n, ok := scalar.Integer(jsontext.Get(value, "total")); ok {
		p.Total = n
	}
	p.HasMore = jsontext.KindOf(jsontext.Get(value, "hasMore")) == jsontext.True
	if c := jsontext.Get(value, "endCursor"); jsontext.KindOf(c) == jsontext.String {
		p.Cursors = []string{jsontext.Unquote(c)}
	}
	return p
}

// item is one object that a Resolve returned. Either row, text or page with rows is set; none
// of them is an object without generated fields, of which nothing is read.
type item struct {
	source any             // as it was given
	row    facade.Row      // where it was a row
	text   json.RawMessage // where it was anything else and has to be read as a row
	page   *facade.Page    // of a connection
	rows   []facade.Row
}

// over executes a unit over items that a Resolve returned. Rows and objects are copied into
// rows of one layout, so that the rest of the execution does not differ from that over rows of
// a call.
func (x *Execution) over(r *Run, items []item) {
	u := r.Unit
	r.Results = make([]Result, len(u.Fetches))
	res, f := &r.Results[0], u.Fetches[0]
	res.Trees = make([][]Tree, len(f.Custom))
	res.source = make([]any, 0, len(items))
	layout := facade.NewLayout(f.Columns)
	res.rows = facade.NewRows(layout, len(items))
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
func (x *Execution) lost(res *Result, f *plan.Fetch, row facade.Row) {
	if row == (facade.Row{}) || x.loading == nil {
		return
	}
	for _, failed := range loader.From(x.loading).Failures(row) {
		slot, wanted := f.Slots[failed.Field]
		if !wanted {
			continue
		}
		if res.Missing == nil {
			res.Missing = make([]*graphqlerror.Error, len(f.Columns))
		}
		if res.Missing[slot] == nil {
			res.Missing[slot] = x.Failed(failed.Err)
		}
	}
}

// copyRow appends the columns that a unit reads of an item: by name from a row, or in one pass
// from JSON.
func copyRow(rows *facade.Rows, layout *facade.Layout, it item) {
	rows.BeginRow()
	switch {
	case it.row != (facade.Row{}):
		for i, name := range layout.Fields {
			if v := it.row.Get(name); v != nil {
				rows.Put(i, v)
			}
		}
	case it.text != nil:
		for name, value := range jsontext.Members(it.text) {
			if i := layout.Index(name); i >= 0 {
				rows.Put(i, value)
			}
		}
	}
	rows.EndRow()
}
