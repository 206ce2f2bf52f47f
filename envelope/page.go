package envelope

import (
	"encoding/json"
	"slices"
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
	if result.Form == facade.FormPage && q.lists() {
		q.page(&r.results, result, bare)
	}
	return result, nil
}

// page makes of a host's page the one that was asked for. Rows that come along before
// it are dropped, and a page that is longer than its limit is cut. Of a bare array it
// is known how many rows there are where all of them came. What a list result does not
// say (spec 2.7) is told from the question: whether rows stand before the first, and
// the cursors that the host gives none of, as far as there is a way to page by them.
func (q *question) page(in *reader, r *facade.Result, bare bool) {
	w, limit, came := &q.window, q.limit(), r.Rows.Len()
	if bare {
		q.bare.Store(true)
		if q.full.Store(came == w.asked); came != w.asked && (came > 0 || w.from.rows == 0) {
			r.Total = int64(w.from.rows + came) // all came: there are fewer than were asked for, or the limit was ignored
		} else {
			r.Total = -1
		}
	} else {
		q.pages.Store(true)
	}
	takes, _ := q.takesQuery()
	byOffset := slices.Contains(takes, "offset")
	if bare && came == w.asked && w.asked == limit && limit > 0 {
		r.HasMore = byOffset // it takes no row more than that: the next page tells
	}
	if w.drop > 0 {
		r.Rows, r.Cursors = in.part(r.Rows, w.drop, came), lastOf(r.Cursors)
	}
	if limit >= 0 && r.Rows.Len() > limit {
		r.Rows, r.Cursors, r.HasMore = in.part(r.Rows, 0, limit), nil, true
	}
	n := r.Rows.Len()
	switch {
	case r.Edges: // it was told
	case w.known:
		r.HasPrevious = w.from != position{}
	default:
		query := q.call.Invocation.Query
		bounds := jsontext.Unquote(jsontext.Get(query, "before")) + jsontext.Unquote(jsontext.Get(query, "after"))
		if bounds == "" && r.Total >= 0 {
			r.HasPrevious = r.Total > int64(n)
		} else {
			r.HasPrevious = n > 0 && n == limit // a full page: there may be more of them
		}
	}
	if n > 0 {
		q.cursors(r, byOffset)
	}
}

// cursors gives a page the cursors that its host does not give.
func (q *question) cursors(r *facade.Result, byOffset bool) {
	w, n, end := &q.window, r.Rows.Len(), r.EndCursor()
	pages := w.known && (w.from.after == "" && byOffset || end != "")
	switch {
	case end == "" && pages && !q.call.Cursors:
		r.Cursors = []string{w.from.cursor(n, q.mark())}
	case !q.call.Cursors || len(r.Cursors) == n || end == "" && !pages:
	default:
		r.Cursors = make([]string, n)
		for i := range n {
			if pages {
				r.Cursors[i] = w.from.cursor(i+1, q.mark())
			}
		}
		if end != "" {
			r.Cursors[n-1] = end
		}
	}
}

// lastOf is the last cursor alone.
func lastOf(cursors []string) []string { return cursors[max(len(cursors)-1, 0):] }

// part is some of the rows.
func (r *reader) part(rows *facade.Rows, from, to int) *facade.Rows {
	some := make([]json.RawMessage, 0, max(to-from, 0))
	for i := from; i < to; i++ {
		some = append(some, rows.Row(i).JSON())
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
