package resolvers

import (
	"strconv"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/language"
	"github.com/frondhost/frond/schema/jsontext"
)

// connection writes a page of rows: the list result and Relay's connection in one. It writes
// PageInfo as well, whose fields come from the same page. The page belongs to parent i.
func (w *writer) connection(r *run, sel *selectionSet, res *result, g *facade.Group, i int) bool {
	return w.parts(sel, func(f *field, start int) bool {
		switch f.Type.Binding.Kind {
		case binding.Items:
			return w.rows(r, f, f.Selection, res, g) || w.rewind(f.Output, start)
		case binding.Total:
			return w.json(f, f.Output, strconv.AppendInt(nil, g.Page.Total, 10)) // -1: not known
		case binding.HasMore, binding.HasNextPage:
			w.text = strconv.AppendBool(w.text, g.Page.HasMore)
		case binding.HasPreviousPage:
			w.text = strconv.AppendBool(w.text, g.Page.HasPrevious)
		case binding.EndCursor, binding.PageInfoEndCursor:
			return w.cursor(f, start, g.Page.EndCursor())
		case binding.Position:
			if g.Page.Position == 0 {
				return w.null(f, f.Output, start, nil)
			}
			w.text = jsontext.AppendString(w.text, g.Page.Position.String())
		case binding.StartCursor:
			// The first cursor is known only where every row has one.
			first := ""
			if g.To > g.From && len(g.Page.Cursors) == g.To-g.From {
				first = g.Page.Cursors[0]
			}
			return w.cursor(f, start, first)
		case binding.Created:
			w.text = strconv.AppendBool(w.text, g.Page.Created)
		case binding.WrittenRow:
			return w.item(r, f.Selection, res, res.place(g.From)) || w.rewind(f.Output, start)
		case binding.Aggregate, binding.Groups:
			return w.fetched(r, f, i)
		case binding.Edges:
			return w.edges(r, f, res, g) || w.rewind(f.Output, start)
		case binding.PageInfo:
			return w.connection(r, f.Selection, res, g, i) || w.rewind(f.Output, start)
		}
		return true
	})
}

// parts writes an object of a page: each key, its path, and its value by part, which reports
// false if the object is invalid.
func (w *writer) parts(sel *selectionSet, part func(f *field, start int) bool) bool {
	w.text = append(w.text, '{')
	for _, f := range sel.Fields {
		w.text = append(w.text, f.Key...)
		start := len(w.text)
		w.push(language.Segment{Key: f.Name})
		ok := true
		if f.Action == asTypename {
			w.text = append(w.text, f.Text...)
		} else {
			ok = part(f, start)
		}
		w.pop()
		if !ok {
			return false
		}
	}
	w.text = append(w.text, '}')
	return true
}

// cursorless is the error of an edge whose caller may not read the key in its cursor.
// Edge.cursor is non-null, so the edge is null.
var cursorless = &language.Error{Message: "this list gives no cursors", Code: string(kiterror.Forbidden)}

// cursor writes a cursor of the page, or null for "".
func (w *writer) cursor(f *field, start int, cursor string) bool {
	if cursor == "" {
		return w.null(f, f.Output, start, nil)
	}
	w.text = jsontext.AppendString(w.text, cursor)
	return true
}

// edges writes the list of edges, one for each row of the group.
func (w *writer) edges(r *run, list *field, res *result, g *facade.Group) bool {
	w.text = append(w.text, '[')
	for k := g.From; k < g.To; k++ {
		if k > g.From {
			w.text = append(w.text, ',')
		}
		start := len(w.text)
		w.push(language.Segment{Index: k - g.From})
		ok := w.edge(r, list.Selection, res, g, k) || w.rewind(list.Output.Elem, start)
		w.pop()
		if !ok {
			return false
		}
	}
	w.text = append(w.text, ']')
	return true
}

// edge writes the edge of the row at place k of the group: its node and its cursor. Cursors
// count from the start of the group.
func (w *writer) edge(r *run, sel *selectionSet, res *result, g *facade.Group, k int) bool {
	return w.parts(sel, func(f *field, start int) bool {
		if f.Type.Binding.Kind == binding.EdgeNode {
			return w.item(r, f.Selection, res, res.place(k)) || w.rewind(f.Output, start)
		}
		// A page has a cursor for each row, or for its last row alone, or no cursors.
		if len(g.Page.Cursors) != g.To-g.From || g.Page.Cursors[k-g.From] == "" {
			return w.null(f, f.Output, start, cursorless)
		}
		w.text = jsontext.AppendString(w.text, g.Page.Cursors[k-g.From])
		return true
	})
}
