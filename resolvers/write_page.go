package resolvers

import (
	"strconv"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers/graphqlerror"
	"github.com/frondhost/frond/schema/jsontext"
)

// connection writes a page of rows: the list result and Relay's connection in one.
func (w *writer) connection(r *run, sel *selection, res *result, g *facade.Group) bool {
	w.text = append(w.text, '{')
	for _, f := range sel.fields {
		w.text = append(w.text, f.key...)
		start := len(w.text)
		w.push(graphqlerror.Segment{Key: f.name})
		ok := true
		switch f.do {
		case writeTypename:
			w.text = append(w.text, f.text...)
		case writeItems:
			ok = w.rows(r, f, f.sub, res, g) || w.rewind(f.out, start)
		case writeTotal:
			ok = w.json(f, f.out, strconv.AppendInt(nil, g.Page.Total, 10)) // -1: not known
		case writeHasMore, writeHasNext:
			w.text = strconv.AppendBool(w.text, g.Page.HasMore)
		case writeHasPrevious:
			w.text = strconv.AppendBool(w.text, g.Page.HasPrevious)
		case writeEndCursor:
			ok = w.cursor(f, start, g.Page.EndCursor())
		case writeStartCursor:
			first := ""
			if g.To > g.From && len(g.Page.Cursors) == g.To-g.From {
				first = g.Page.Cursors[0]
			}
			ok = w.cursor(f, start, first)
		case writeEdges:
			ok = w.edges(r, f, res, g) || w.rewind(f.out, start)
		case writePageInfo:
			ok = w.connection(r, f.sub, res, g) || w.rewind(f.out, start)
		}
		w.pop()
		if !ok {
			return false
		}
	}
	w.text = append(w.text, '}')
	return true
}

// cursorless is said of an edge whose caller may not read the key that stands in cursors.
var cursorless = &graphqlerror.Error{Message: "this list gives no cursors", Code: string(facade.Forbidden)}

func (w *writer) cursor(f *field, start int, cursor string) bool {
	if cursor == "" {
		return w.null(f, f.out, start, nil)
	}
	w.text = jsontext.AppendString(w.text, cursor)
	return true
}

func (w *writer) edges(r *run, list *field, res *result, g *facade.Group) bool {
	w.text = append(w.text, '[')
	for k := g.From; k < g.To; k++ {
		if k > g.From {
			w.text = append(w.text, ',')
		}
		start := len(w.text)
		w.push(graphqlerror.Segment{Index: k - g.From})
		ok := w.edge(r, list.sub, res, g, k) || w.rewind(list.out.elem, start)
		w.pop()
		if !ok {
			return false
		}
	}
	w.text = append(w.text, ']')
	return true
}

func (w *writer) edge(r *run, sel *selection, res *result, g *facade.Group, k int) bool {
	w.text = append(w.text, '{')
	for _, f := range sel.fields {
		w.text = append(w.text, f.key...)
		start := len(w.text)
		w.push(graphqlerror.Segment{Key: f.name})
		ok := true
		switch f.do {
		case writeTypename:
			w.text = append(w.text, f.text...)
		case writeNode:
			ok = w.item(r, f.sub, res, res.place(k)) || w.rewind(f.out, start)
		case writeCursor:
			cursor := ""
			if len(g.Page.Cursors) == g.To-g.From {
				cursor = g.Page.Cursors[k-g.From]
			}
			if cursor == "" {
				ok = w.null(f, f.out, start, cursorless)
			} else {
				w.text = jsontext.AppendString(w.text, cursor)
			}
		}
		w.pop()
		if !ok {
			return false
		}
	}
	w.text = append(w.text, '}')
	return true
}
