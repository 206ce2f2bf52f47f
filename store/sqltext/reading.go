package sqltext

import (
	"encoding/json"
	"strconv"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/rows"
)

// Reading is the state of one [facade.Find]: the query, the parts of its statement, and the rows so
// far. A store embeds it, calls [Reading.Begin], writes the statement, and for each run of it calls
// [Reading.Start], [Read] for each row and [Reading.End]. It belongs to one goroutine and must not be
// copied.
type Reading struct {
	Table *Table
	Find  *facade.Find
	// Number is the name of a number that the database has for each row beside its columns, or "".
	Number string
	// FirstKey is the number of the first key of a Find with Each.
	FirstKey int
	// Tallied says that the database keeps the number of a table's rows.
	Tallied bool
	// Order are the sort keys as SQL is to have them; turned round for Backward.
	Order     []SortKey
	Selection *Selection
	// reach is the reach of Find.Where.
	reach reach
	// met says that the table of the statement has only rows that meet the filter.
	met bool
	// Found is the answer, whole after End.
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

	groups []facade.FoundGroup // of each key
	at     int                 // the group of the last row; -1 before the first row

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

// Where writes the filter that rows have to meet, after [Reading.From] and word. Without a filter
// it does not write. The result is the word before the next condition.
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

// KeyColumn returns the column of the keys of a Find with Each. If the keys lead through rows in
// between, the column is theirs.
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

// Estimated reports whether the total is an estimate, which is made after the page on the same connection.
// Without a filter a number of rows that the database keeps is exact.
func (r *Reading) Estimated() bool {
	return r.Find.Each == nil && r.Find.Count && r.Find.Estimate && (r.Find.Where != nil || !r.Tallied)
}

// Counted reports whether the statement has the totals too, so that they see one state with the rows.
func (r *Reading) Counted() bool {
	return r.Find.Key == nil && r.Find.Group == nil && r.Find.Count && !r.Estimated()
}

// CountsMany reports whether the totals of the statement may take long.
func (r *Reading) CountsMany() bool {
	return r.Counted() && (r.Find.Each != nil || r.Find.Where != nil)
}

// TotalAlone reports whether the total of a page is all that is read.
func (r *Reading) TotalAlone() bool {
	q := r.Find
	return q.Each == nil && r.Counted() && q.Limit <= 0 && q.Offset == 0 && q.From == nil && q.Until == nil
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
