package sqltext

import (
	"encoding/json"
	"strconv"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema/jsontext"
)

// Reading is the state of one [facade.Find]: the query, the parts of its statement, and the rows so
// far. A store embeds it, calls [Reading.Begin], runs a statement, appends each row to Read and
// calls [Reading.Settle] in the end. It belongs to one goroutine and must not be copied.
type Reading struct {
	Table *Table
	Find  *facade.Find
	// Number is the name of a number that the database has for each row beside its columns; "": it
	// has none.
	Number string
	// Order are the sort keys as SQL is to have them; turned round for Backward.
	Order     []SortKey
	Selection *Selection
	// reach is that of Find.Where.
	reach reach
	// met says that the table of the statement has only rows that meet the filter.
	met bool
	// Found is the answer, whole after Settle.
	Found facade.Found
	// Read are the rows in the order they were read.
	Read *rows.Rows
	// Held is how many bytes the reading holds in addition to rows and keys.
	Held int

	orderRoom [4]SortKey // for Order, where these are enough
	selected  Selection  // is Selection, but of a row by its key

	// keys are, with sort columns outside the layout, each row's key, one after the other.
	keys []byte
	// ends are where each of them ends.
	ends []int

	meter budget.Meter
}

// Begin compiles q, a read of t; one with a key is compiled by [Reading.Row]. meter is charged for the rows that the reading holds. An
// INTERNAL_ERROR says that a field is not stored.
func (r *Reading) Begin(t *Table, q *facade.Find, meter budget.Meter) (err error) {
	r.Table, r.Find, r.meter, r.Found.Total = t, q, meter, -1
	switch {
	case q.Key != nil:
		r.reach = singleRow
		return nil
	case q.Group != nil:
		r.reach = reachOf(q.Where, q.Entity)
		return nil
	}
	if r.Order, err = t.sorting(r.orderRoom[:0], q); err != nil {
		return err
	}
	r.reach = fewRows
	if q.Each == nil {
		r.reach = reachOf(q.Where, q.Entity)
	}
	r.Selection = &r.selected
	return r.Selection.Choose(t, q.Select, r.Order)
}

// Reset drops the rows so far, so that the statement can run again.
func (r *Reading) Reset() {
	r.Found, r.Read, r.Held = facade.Found{Total: -1}, nil, 0
	r.keys, r.ends = r.keys[:0], r.ends[:0]
}

// plain writes the table and the tables that its conditions join: FROM "post" AS t0 JOIN "author" AS
// t1 ON ….
func plain(r *Reading, b *Builder, alias string) {
	b.Text(" FROM ")
	Sorted(r, b, false)
	b.Text(" AS ", alias)
	b.Join(r.Find.Where, r.Table, alias)
}

// From writes the table with the keys of the order, and the tables that its conditions join: FROM
// "post" AS t0 JOIN "author" AS t1 ON ….
func (r *Reading) From(b *Builder, alias string) {
	b.Text(" FROM ")
	Sorted(r, b, true)
	if b.Text(" AS ", alias); !r.met {
		b.Join(r.Find.Where, r.Table, alias)
	}
}

// Met writes FROM and WHERE of the rows that meet the filter, without the cursor.
func (r *Reading) Met(b *Builder) {
	alias := b.Alias()
	plain(r, b, alias)
	r.Where(b, alias, " WHERE ")
}

// Where writes the filter that rows have to meet, after [Reading.From]; without a filter it writes
// nothing. word precedes it. The result is the word before the next condition.
func (r *Reading) Where(b *Builder, alias, word string) (next string) {
	if r.Find.Where == nil || r.met {
		return word
	}
	b.Text(word)
	b.sure, b.reach, b.root = true, r.reach, alias
	b.Filter(r.Find.Where, r.Table, alias)
	b.sure = false
	return " AND "
}

// Conditions writes the conditions of the rows, after [Reading.From]: the filter, and the places
// where the page begins and ends (From and Until), which a total leaves out. word precedes the
// first condition. BAD_REQUEST where a place is not of this order.
func (r *Reading) Conditions(b *Builder, alias, word string) {
	word = r.Where(b, alias, word)
	if r.Find.From != nil {
		follow(b, r.Order, r.Find.From, r.Find.Including, alias, word)
		word = " AND "
	}
	if r.Find.Until != nil {
		follow(b, Turned(r.Order), r.Find.Until, false, alias, word)
	}
}

// follow writes, after word, the condition that a row follows a place in an order. BAD_REQUEST where
// the place is not of this order.
func follow(b *Builder, order []SortKey, place []json.RawMessage, including bool, alias, word string) {
	values, err := Cursor(order, place)
	if err != nil {
		b.fail(err)
		return
	}
	b.Text(word)
	b.After(order, values, including, alias)
}

// KeyColumn returns the column of the keys of a Find with Each, that of the rows in between where the
// keys lead through such rows.
func KeyColumn(b *Builder, r *Reading) (*Column, error) {
	t, each := r.Table, r.Find.Each
	if each.Through != nil {
		if t = b.table(each.Field.Owner); t == nil {
			return nil, b.Ready()
		}
	}
	return t.Column(each.Field)
}

// HasKey writes that a row has the key, as equal writes it about the column of [KeyColumn]; or
// that rows in between lead to it from the key:
//
//	t0."id" IN (SELECT t1."tag" FROM "productTag" AS t1 WHERE t1."product" = k.value AND …)
func HasKey(b *Builder, r *Reading, alias string, equal func(alias string)) {
	each := r.Find.Each
	if each.Through == nil {
		equal(alias)
		return
	}
	throughRows(b, alias, r.Table.Primary, each.Field, each.Through, each.Via, func(alias string, _ *Column) { equal(alias) })
}

// Grown charges the memory of the rows since the last call to the caller's budget
// (docs/decisions/budgets.md). An error says that the request may hold no more; the statement is
// then not read further.
func (r *Reading) Grown() error {
	return r.meter.Grown(r.Read, r.Held+cap(r.keys)+8*cap(r.ends))
}

// Next reports whether the next row of a page is read. The one beyond the limit is not: it sets More.
func (r *Reading) Next() bool {
	if r.Read.Len() < max(0, r.Find.Limit) {
		return true
	}
	r.Found.More = true
	return false
}

// EstimateFrom is the number of rows up to which an estimated total counts them.
const EstimateFrom = 10_000

// CountSome writes the statement that counts the rows that meet the filter, up to one more than
// [EstimateFrom].
func (r *Reading) CountSome(b *Builder) {
	b.Text("SELECT count(*) FROM (SELECT 1")
	r.Met(b)
	b.Text(" LIMIT ", strconv.Itoa(EstimateFrom+1), ") AS met")
}

// Seen returns how many rows a page has shown to meet the filter, and whether these are all.
func (r *Reading) Seen() (n int64, all bool) {
	n = int64(r.Find.Offset + r.Found.Rows.Len())
	if r.Found.More { // the row beyond the page was seen too
		return n + 1, false
	}
	return n, r.Find.From == nil && (r.Found.Rows.Len() > 0 || r.Find.Offset == 0)
}

// Groups cuts the rows of a Find with Each into the groups of their keys, in whose order the rows
// come.
type Groups struct {
	r     *Reading
	found []facade.FoundGroup
	at, n int // the group that the last row is of; how many rows there are
}

// Groups begins a group for each key; room is how many rows may be expected.
func (r *Reading) Groups(room int) Groups {
	g := Groups{r: r, found: make([]facade.FoundGroup, r.Find.Each.Len()), at: -1}
	for i := range g.found {
		if g.found[i].Total = -1; r.Find.Count {
			g.found[i].Total = 0 // keys without rows are not counted
		}
	}
	r.Read = rows.New(r.Selection.Layout, room)
	r.Held = len(g.found) * budget.GroupSize
	return g
}

// Total notes the total of a key.
func (g *Groups) Total(key int, total int64) { g.found[key].Total = total }

// Next says whether the next row, of a key, is read. The one beyond the limit is not: it sets
// More. No row of an earlier key may follow.
func (g *Groups) Next(key int) bool {
	g.until(key)
	if f := &g.found[key]; f.To-f.From == max(0, g.r.Find.Limit) {
		f.More = true
		return false
	}
	g.n++
	g.found[key].To = g.n
	return true
}

// until begins the groups up to that of a key. Keys without rows have empty groups at the place
// where theirs would begin.
func (g *Groups) until(key int) {
	for g.at < key {
		g.at++
		g.found[g.at].From, g.found[g.at].To = g.n, g.n
	}
}

// Settle ends the last groups and settles the reading.
func (g *Groups) Settle() error {
	g.until(len(g.found) - 1)
	g.r.Found.Groups = g.found
	return g.r.Settle(g.found)
}

// Cells are the columns of the current row of a statement.
type Cells interface {
	// AppendCell appends column i of the row as JSON; c describes it.
	AppendCell(dst []byte, i int, c *Column) []byte
	// AppendKey appends it as a cursor has it.
	AppendKey(dst []byte, i int, c *Column) []byte
}

// Keep keeps the key of the row that Read has last, where [Selection.Keeps]: a sort column is not in the
// layout, or not all of its values are. They are only there now. first is where the selection begins in cells.
func (r *Reading) Keep(cells Cells, first int) {
	s := r.Selection
	row := r.Read.Row(r.Read.Len() - 1)
	r.keys = append(r.keys, '[')
	for _, at := range s.keys {
		r.keys = jsontext.Comma(r.keys)
		switch {
		case at >= len(s.Fields):
			r.keys = cells.AppendKey(r.keys, first+at, s.Extra[at-len(s.Fields)])
		case s.Fields[at].Beyond != nil:
			r.keys = cells.AppendKey(r.keys, first+at, s.Fields[at])
		default:
			r.keys = append(r.keys, row.At(at)...)
		}
	}
	r.keys = append(r.keys, ']')
	r.ends = append(r.ends, len(r.keys))
}

// Settle moves the rows into Found: in reverse where they were read towards the beginning, with the
// keys that the Find asks for. groups are the ranges of rows that were ordered by themselves.
// Without Find.Keys a group has the keys of its first and its last row, which are the page's
// cursors; with Find.NoKeys there are none.
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
	if r.Selection.Keeps() {
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

// RoomForEach returns how many rows to make room for at first where each of n keys has a page: a few
// rows of each where nothing is known, since many keys have none, or as many as earlier reads of the
// layout had.
func RoomForEach(layout *rows.Layout, n, limit int) int {
	return layout.Likely(n*min(max(limit, 1), 4), n*max(limit, 1))
}

// RoomFor returns how many rows to make room for at first: a limit is often larger than what
// there is.
func RoomFor(limit int) int { return min(limit, 200) }
