package envelope

import (
	"encoding/json"
	"strconv"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema/jsontext"
)

// read is a result as this remote's catalog has it: in its form, judged, and of a
// list with the page that was asked for.
func (r *Remote) read(q *question, text json.RawMessage) (*facade.Result, *facade.Error) {
	result, err := r.results.read(text, q.op)
	if err != nil {
		return nil, err
	}
	return r.admit(q, result, jsontext.KindOf(text) == jsontext.Array)
}

// admit is a result after it was judged, with the page that was asked for; bare says
// that it was an array.
func (r *Remote) admit(q *question, result *facade.Result, bare bool) (*facade.Result, *facade.Error) {
	if err := r.judge(q, result); err != nil {
		return nil, err
	}
	if result.Form == facade.FormPage && q.call.Operation == "list" {
		q.page(&r.results, result, bare)
	}
	return result, nil
}

// page makes of a host's page the one that was asked for. A page that is longer
// than its limit is cut: the host has ignored it. What a list result does not say
// (spec 2.7) is told from the question: whether rows stand before the first.
//
// A list result has the cursor of its last row alone. Where one was asked for every
// row, those of the others are "": there is none.
func (q *question) page(in *reader, r *facade.Result, bare bool) {
	query := q.call.Invocation.Query
	n := r.Rows.Len()
	switch limit := q.limit(); {
	case limit >= 0 && n > limit:
		r.Rows, r.Cursors, r.HasMore = in.first(r.Rows, limit), nil, true
		n = limit
	case bare && n == limit:
		r.Total = -1 // a bare array does not say whether it was cut
	}
	text := func(name string) (string, bool) {
		v := jsontext.Get(query, name)
		return jsontext.Unquote(v), jsontext.KindOf(v) == jsontext.String
	}
	after, _ := text("after")
	before, backward := text("before")
	offset := jsontext.Get(query, "offset")
	switch {
	case r.Edges: // it was told
	case !backward:
		r.HasPrevious = after != "" || offset != nil && !jsontext.IsNull(offset) && string(offset) != "0"
	case before == "" && r.Total >= 0:
		r.HasPrevious = r.Total > int64(n)
	default:
		r.HasPrevious = n > 0 && n == q.limit() // a full page: there may be more of them
	}
	if end := r.EndCursor(); q.call.Cursors && end != "" && len(r.Cursors) < n {
		r.Cursors = make([]string, n)
		r.Cursors[n-1] = end
	}
}

// first is the first n rows.
func (r *reader) first(rows *facade.Rows, n int) *facade.Rows {
	some := make([]json.RawMessage, n)
	for i := range some {
		some[i] = rows.Row(i).JSON()
	}
	rows, _ = r.collect(some) // they were rows before
	return rows
}

// pageAt reads the list result that begins at an offset of a text, of a host of which
// the catalog says that this is one: what it says beyond spec 2.7 is let be, what it
// leaves out is not known. It gives the offset behind it.
func (r *reader) pageAt(text []byte, at int) (page *facade.Result, end int, ok bool) {
	page = &facade.Result{Form: facade.FormPage, Page: facade.Page{Total: -1}}
	var cursors []string // of every row: additive to the spec, where query.cursors asked for them
	end = jsontext.Walk(text, at, func(name []byte, at int) (end int) {
		if string(name) == `"items"` {
			if page.Rows, end, ok = r.rows.ReadAt(text, at); ok && text[at] == '[' {
				return end
			}
			ok = false
		}
		end = jsontext.Skip(text, at)
		value := text[at:end:end]
		kind := jsontext.KindOf(value)
		switch string(name) {
		case `"total"`:
			if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
				page.Total = n
			}
		case `"hasMore"`:
			page.HasMore = kind == jsontext.True
		case `"endCursor"`:
			if kind == jsontext.String {
				page.Cursors = []string{jsontext.Unquote(value)}
			}
		case `"hasPrevious"`:
			page.HasPrevious, page.Edges = kind == jsontext.True, true
		case `"cursors"`:
			for _, cursor := range jsontext.Elements(value) {
				cursors = append(cursors, jsontext.Unquote(cursor))
			}
		}
		return end
	})
	if !ok {
		return nil, end, false
	}
	if n := page.Rows.Len(); n == 0 {
		page.Cursors = nil
	} else if len(cursors) == n {
		page.Cursors = cursors
	}
	return page, end, true
}
