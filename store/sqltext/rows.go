package sqltext

import (
	"encoding/json"
	"fmt"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema/jsontext"
)

// Row is the current row of a statement. An engine decodes its columns.
type Row interface {
	// AppendCell appends column i as JSON; c describes it.
	AppendCell(dst []byte, i int, c *Column) []byte
	// AppendKey appends it as a cursor has it.
	AppendKey(dst []byte, i int, c *Column) []byte
	// Int returns column i as an integer; false for null.
	Int(i int) (n int64, has bool, err error)
}

// AppendRow appends the fields of a selection, which begins at column first of row.
func AppendRow[R Row](found *rows.Rows, s *Selection, row R, first int) {
	found.Write(func(dst []byte, i int) []byte { return row.AppendCell(dst, first+i, s.Fields[i]) })
}

// Start begins the rows of a statement, before each run of it.
func (r *Reading) Start() {
	r.Reset()
	q, layout := r.Find, r.Selection.Layout
	switch {
	case q.Key != nil:
		r.Read = rows.New(layout, 1)
		return
	case q.Each == nil:
		r.Read = rows.New(layout, min(max(0, q.Limit), 200)) // a limit is often larger than what there is
		return
	}
	r.Read = rows.New(layout, RoomForEach(layout, q.Each.Len(), q.Limit))
	r.groups, r.at = make([]facade.FoundGroup, q.Each.Len()), -1
	for i := range r.groups {
		if r.groups[i].Total = -1; q.Count {
			r.groups[i].Total = 0 // keys without rows are not counted
		}
	}
	r.Held = len(r.groups) * budget.GroupSize
}

// First returns the column at which the selection begins: behind the number of the row's key, with Each.
func (r *Reading) First() int {
	if r.Find.Each != nil {
		return 1
	}
	return 0
}

// Read takes the current row of a statement; false for more says that no further row is needed. The rows
// of a Find with Each come in the order of their keys. The row beyond a limit is not kept; it sets More.
// With total, the column behind the selection may hold a total, in a row without fields.
func Read[R Row](r *Reading, row R, total bool) (more bool, err error) {
	first, key := r.First(), 0
	if first > 0 {
		n, _, err := row.Int(0)
		if key = int(n) - r.FirstKey; err != nil {
			return false, err
		}
	}
	if total {
		if n, is, err := row.Int(first + r.Selection.Width()); is || err != nil {
			if r.Found.Total = n; first > 0 {
				r.Found.Total, r.groups[key].Total = -1, n
			}
			return true, err
		}
	}
	if kept, err := r.next(key); !kept {
		return first > 0, err
	}
	Take(r, row, first)
	return true, r.Grown()
}

// next reports whether the next row, of a key, is kept.
func (r *Reading) next(key int) (bool, error) {
	switch {
	case r.Find.Key != nil:
		return r.Read.Len() == 0, nil
	case r.Find.Each == nil:
		r.Found.More = r.Read.Len() >= max(0, r.Find.Limit)
		return !r.Found.More, nil
	case key < r.at:
		return false, fmt.Errorf("store: a row of key %d came behind a row of key %d", key, r.at)
	}
	r.until(key)
	g := &r.groups[key]
	if g.More = g.To-g.From == max(0, r.Find.Limit); !g.More {
		g.To++
	}
	return !g.More, nil
}

// until begins the groups up to the group of a key. A key without rows gets an empty group in
// its place.
func (r *Reading) until(key int) {
	for r.at < key {
		r.at++
		r.groups[r.at].From, r.groups[r.at].To = r.Read.Len(), r.Read.Len()
	}
}

// Take appends the current row, whose selection begins at column first, to the rows that are read.
func Take[R Row](r *Reading, row R, first int) {
	if AppendRow(r.Read, r.Selection, row, first); r.Selection.keeps() {
		keep(r, row, first)
	}
}

// keep keeps the key of the row that Read has last, where [Selection.keeps]: a sort column is not in the
// layout, or not all of its values are. They are only there now.
func keep[R Row](r *Reading, row R, first int) {
	s, read := r.Selection, r.Read.Row(r.Read.Len()-1)
	r.keys = append(r.keys, '[')
	for _, at := range s.keys {
		r.keys = jsontext.Comma(r.keys)
		switch {
		case at >= len(s.Fields):
			r.keys = row.AppendKey(r.keys, first+at, s.Extra[at-len(s.Fields)])
		case s.Fields[at].Beyond != nil:
			r.keys = row.AppendKey(r.keys, first+at, s.Fields[at])
		default:
			r.keys = append(r.keys, read.At(at)...)
		}
	}
	r.keys = append(r.keys, ']')
	r.ends = append(r.ends, len(r.keys))
}

// End moves the rows into Found when the statement has run.
func (r *Reading) End() error {
	switch {
	case r.Find.Key != nil:
		if r.Found.Rows = r.Read; r.Read.Len() > 0 {
			r.Read.LearnRow()
		}
		return r.Grown()
	case r.Find.Each == nil:
		return r.Settle([]facade.FoundGroup{{To: r.Read.Len()}})
	}
	r.until(len(r.groups) - 1)
	r.Found.Groups = r.groups
	return r.Settle(r.groups)
}

// Reset drops the rows so far, so that the statement can run again.
func (r *Reading) Reset() {
	r.Found, r.Read, r.Held = facade.Found{Total: -1}, nil, 0
	r.keys, r.ends = r.keys[:0], r.ends[:0]
}

// Grown charges the memory of the rows since the last call to the caller's budget
// (docs/decisions/budgets.md). An error says that the request may hold no more; the statement is
// then not read further.
func (r *Reading) Grown() error {
	return r.meter.Grown(r.Read, r.Held+cap(r.keys)+8*cap(r.ends))
}

// Settle moves the rows into Found with the keys that the Find asks for, and reverses rows read
// towards the beginning. groups are the ranges of rows with an order of their own. Without
// Find.Keys a group has the keys of its first and its last row, which are the page's cursors; with
// Find.NoKeys it has no keys.
func (r *Reading) Settle(groups []facade.FoundGroup) error {
	found, n := r.Read, r.Read.Len()
	found.Learn()
	// source is which row read became row i of the answer.
	source := func(i int) int { return i }
	if r.Find.Backward && n > 1 {
		r.Held += found.Size() + 8*n
		if err := r.Grown(); err != nil {
			return err
		}
		places := make([]int, n)
		for _, g := range groups {
			for i := g.From; i < g.To; i++ {
				places[i] = g.To - 1 - (i - g.From)
			}
		}
		source = func(i int) int { return places[i] }
		found = rows.New(r.Selection.Layout, n)
		for i := range n {
			found.CopyRow(r.Read.Row(places[i]))
		}
	}
	r.Found.Rows = found
	if len(r.Selection.keys) == 0 || n == 0 || r.Find.NoKeys && !r.Find.Keys {
		return nil
	}
	r.Found.Keys = make([]json.RawMessage, n)
	for _, g := range groups {
		for i := g.From; i < g.To; i++ {
			if r.Find.Keys || i == g.From || i == g.To-1 {
				r.Found.Keys[i] = r.key(source(i), found.Row(i))
				r.Held += keySize + 3*len(r.Found.Keys[i]) // a cursor is made of it
			}
		}
		if err := r.Grown(); err != nil {
			return err
		}
	}
	return nil
}

// keySize is how many bytes a key takes in addition to its text: its slice header.
const keySize = 24

// key returns the JSON array of a row's sort values, such as
// ["2026-05-01T10:30:00.000Z","p1"], of which a cursor is made; read is the row's place among
// those read.
func (r *Reading) key(read int, row rows.Row) json.RawMessage {
	if r.Selection.keeps() {
		from := 0
		if read > 0 {
			from = r.ends[read-1]
		}
		return json.RawMessage(r.keys[from:r.ends[read]:r.ends[read]])
	}
	size := 2
	for _, at := range r.Selection.keys {
		size += len(row.At(at)) + 1
	}
	key := append(make([]byte, 0, size), '[')
	for _, at := range r.Selection.keys {
		key = append(jsontext.Comma(key), row.At(at)...)
	}
	return append(key, ']')
}

// RoomForEach returns how many rows to make room for at first if each of n keys has a page: as many
// as earlier reads of the layout had. Before the first read it is a few rows for each key, since
// many keys have no rows.
func RoomForEach(layout *rows.Layout, n, limit int) int {
	return layout.Likely(n*min(max(limit, 1), 4), n*max(limit, 1))
}
