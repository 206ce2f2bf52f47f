package client

import (
	"slices"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema/jsontext"
)

// page makes the requested page from the host's. Rows before it are dropped, and a page longer
// than its limit is cut. For a bare array the total is known if all rows came. The members
// missing from a list result (spec 2.7) follow from the request: whether there are rows before
// the first, and the cursors that the host does not return, as far as the host can be paged by
// them. bare: the answer was an array.
//
// A bare array with limit 10, of which 11 were requested:
//
//	11 came    10 are the page, hasMore, total unknown
//	 7 came     7 are the page, total = offset + 7
func (p *pending) page(in *reader, r *facade.Result, bare bool) {
	l, limit, came := &p.list, p.limit(), r.Rows.Len()
	paged := p.pageNumber() > 0
	all := paged && limit >= 0 && came > limit && (bare || r.Total == int64(came)) // the host ignores limit and page
	if bare {
		l.bare.Store(true)
		if l.full.Store(came == l.asked); came != l.asked && (came > 0 || l.from.rows == 0) {
			r.Total = int64(l.from.rows + came) // all came: fewer than requested, or the host ignores the limit
		} else {
			r.Total = -1
		}
	} else {
		l.pages.Store(true)
	}
	accepts, _ := p.queryKeys()
	byOffset := slices.Contains(accepts, "offset")
	if all {
		r.Total, r.HasMore, l.drop = int64(came), false, min(l.from.rows, came)
	}
	if bare && came == l.asked && l.asked == limit && limit > 0 {
		r.HasMore = byOffset || paged // no row more could be requested: the next page shows
	}
	if l.drop > 0 {
		r.Rows, r.Cursors = in.part(r.Rows, l.drop, came), lastOf(r.Cursors)
	}
	if limit >= 0 && r.Rows.Len() > limit {
		r.Rows, r.Cursors, r.HasMore = in.part(r.Rows, 0, limit), nil, true
	}
	n := r.Rows.Len()
	switch {
	case r.Edges: // the host said it
	case l.known:
		r.HasPrevious = l.from != position{}
	default:
		query := p.call.Invocation.Query
		bounds := jsontext.Unquote(jsontext.Get(query, "before")) + jsontext.Unquote(jsontext.Get(query, "after"))
		if bounds == "" && r.Total >= 0 {
			r.HasPrevious = r.Total > int64(n)
		} else {
			r.HasPrevious = n > 0 && n == limit // a full page: there may be more of them
		}
	}
	if n > 0 {
		p.cursors(r, byOffset)
	}
}

// cursors adds the cursors that the host did not return.
//
//	only the end cursor is wanted      one, made from the position
//	the host gave one for every row    they stay
//	every row is wanted                made from positions; the last is the host's, if it gave one
//	the host cannot be paged           no cursors
func (p *pending) cursors(r *facade.Result, byOffset bool) {
	l, n, end := &p.list, r.Rows.Len(), r.EndCursor()
	canPage := l.known && (l.from.after == "" && byOffset || end != "")
	switch {
	case end == "" && canPage && !p.call.Cursors:
		r.Cursors = []string{l.from.cursor(n, p.mark())}
	case !p.call.Cursors || len(r.Cursors) == n || end == "" && !canPage:
	default:
		r.Cursors = make([]string, n)
		for i := range n {
			if canPage {
				r.Cursors[i] = l.from.cursor(i+1, p.mark())
			}
		}
		if end != "" {
			r.Cursors[n-1] = end
		}
	}
}

// lastOf is the last cursor alone.
func lastOf(cursors []string) []string { return cursors[max(len(cursors)-1, 0):] }
