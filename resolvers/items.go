package resolvers

import (
	"encoding/json"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers/graphqlerror"
	"github.com/frondhost/frond/resolvers/loader"
	"github.com/frondhost/frond/schema/jsontext"
)

// read lays out rows that came as a value: a view's JSON, or a whole list result
// from elsewhere. It says whether it is one.
func (res *result) read(f *fetch, value json.RawMessage) bool {
	page := facade.Page{Total: -1}
	switch jsontext.KindOf(value) {
	case jsontext.Invalid, jsontext.Null:
		value = json.RawMessage("[]")
	case jsontext.Object:
		items := jsontext.Get(value, "items")
		if f.binding.Operation == nil || f.binding.Operation.Cardinality != facade.PageOf || items == nil {
			break
		}
		page = readPage(value)
		value = items
	}
	rows, ok := facade.ReadRows(facade.NewLayout(f.columns), value)
	if !ok {
		return false
	}
	res.rows, res.items = rows, rows.Len()
	res.cols = make([]int, len(f.columns))
	for i := range res.cols {
		res.cols[i] = i
	}
	res.trees = make([][]tree, len(f.written))
	res.groups = []facade.Group{{To: res.items, Page: page}}
	return true
}

func readPage(value json.RawMessage) (p facade.Page) {
	p.Total = -1
	if n, ok := integer(jsontext.Get(value, "total")); ok {
		p.Total = n
	}
	p.HasMore = jsontext.KindOf(jsontext.Get(value, "hasMore")) == jsontext.True
	if c := jsontext.Get(value, "endCursor"); jsontext.KindOf(c) == jsontext.String {
		p.Cursors = []string{jsontext.Unquote(c)}
	}
	return p
}

// item is one object that a hand-written field gave.
type item struct {
	source any             // as it was given
	row    facade.Row      // where it was a row
	text   json.RawMessage // where it was anything else and has to be read as a row
	page   *facade.Page    // of a connection
	rows   []facade.Row
}

// over runs a unit over items that hand-written fields gave.
func (x *exec) over(r *run, items []item) {
	u := r.unit
	r.res = make([]result, len(u.fetches))
	res, f := &r.res[0], u.fetches[0]
	res.trees = make([][]tree, len(f.written))
	res.source = make([]any, 0, len(items))
	layout := facade.NewLayout(f.columns)
	res.rows = facade.NewRows(layout, len(items))
	res.cols = make([]int, len(f.columns))
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
		res.groups = append(res.groups, facade.Group{From: from, To: res.rows.Len(), Page: *it.page})
	}
	res.items = len(res.source)
	x.levels(r)
}

// lost notes why computed fields are not in a row that a hand-written field gave.
func (x *exec) lost(res *result, f *fetch, row facade.Row) {
	if row == (facade.Row{}) || x.loading == nil {
		return
	}
	for _, failed := range loader.From(x.loading).Failures(row) {
		slot, wanted := f.slots[failed.Field]
		if !wanted {
			continue
		}
		if res.missing == nil {
			res.missing = make([]*graphqlerror.Error, len(f.columns))
		}
		if res.missing[slot] == nil {
			res.missing[slot] = x.failed(failed.Err)
		}
	}
}

// copyRow appends what a unit reads of an item.
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
