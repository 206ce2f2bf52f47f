package postgres

import (
	"slices"
	"strconv"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/sqltext"
)

// span is the part of an order that a page is read from: the ranges after its cursor, or one
// range over the whole order without a cursor, and its end.
type span struct {
	from, until []sqltext.Value
	ranges      []seekRange
	// whole says that a key of the order is made of several columns, which the selection has as
	// one text: the page is one SELECT, whose order an outer SELECT cannot make.
	whole bool
}

// span compiles From and Until. BAD_REQUEST if they belong to another order.
func (r *reading) span() (s span, err error) {
	s.ranges = []seekRange{{}}
	s.whole = slices.ContainsFunc(r.Order, func(k sqltext.SortKey) bool { return k.Of != nil || k.Column.Parts != nil })
	if r.Find.From != nil {
		if s.from, err = sqltext.Cursor(r.Order, r.Find.From); err != nil {
			return s, err
		}
		if !s.whole {
			s.ranges = ranges(r.Order, s.from)
		}
	}
	if r.Find.Until != nil {
		s.until, err = sqltext.Cursor(r.Order, r.Find.Until)
	}
	return s, err
}

// bounded writes the rows of a page, under name, and not many more: each range in the order of the
// page and cut off. The order is written again after them, with the limit.
//
//	(SELECT … WHERE (t0."at", t0."id") < ($1, $2) ORDER BY … LIMIT 64) AS p
//	((SELECT … LIMIT 64) UNION ALL (SELECT … WHERE t1."at" IS NULL … LIMIT 64)) AS p
func (r *reading) bounded(b *sqltext.Builder, s *span, key *sqltext.Column, name string) {
	b.Text("(")
	for i, g := range s.ranges {
		if i > 0 {
			b.Text(" UNION ALL ")
		}
		if len(s.ranges) > 1 {
			b.Text("(")
		}
		r.within(b, s, g, key, false)
		b.Text(room(r.Find))
		if len(s.ranges) > 1 {
			b.Text(")")
		}
	}
	b.Text(") AS ", name)
	if len(r.Order) > 0 && !s.whole {
		b.Text(" ORDER BY ")
		b.OrderBy(r.Order, name)
	}
	b.Limit(r.Find)
}

// inRange writes WHERE and that a row has the key k.value, as a range. The result is the word before
// the next condition.
func inRange(b *sqltext.Builder, key *sqltext.Column, alias string) (next string) {
	next = " WHERE "
	for i, c := range partsOf(key) {
		value := "k.value"
		if key.Parts != nil {
			value = "k.v" + strconv.Itoa(i)
		}
		b.Text(next)
		compared(b, c, alias)
		b.Text(" >= ", value, " AND ")
		compared(b, c, alias)
		b.Text(" <= ", value)
		next = " AND "
	}
	return next
}

// within writes the SELECT of one range, in order.
//
// With a key column the rows are the rows of the key k.value, as a range in an order that
// begins with the column. An equality would leave the planner free to walk along another index,
// such as the primary key's, until enough rows of the key have come: a key without rows would
// then read the whole table.
//
// named adds the key's column to the selection, as keyName.
func (r *reading) within(b *sqltext.Builder, s *span, g seekRange, key *sqltext.Column, named bool) {
	alias := b.Alias()
	b.Text("SELECT ")
	b.Columns(r.Selection, alias)
	if named {
		b.Text(", ")
		b.Column(alias, key)
		b.Text(" AS ", keyName)
	}
	r.From(b, alias)
	word := " WHERE "
	switch {
	case key == nil:
	case r.Find.Each.Through != nil:
		b.Text(word)
		r.isKey(b, key, alias)
		word, key = " AND ", nil
	default:
		word = inRange(b, key, alias)
	}
	word = r.Where(b, alias, word)
	if s.from != nil {
		b.Text(word)
		word = " AND "
		if s.whole {
			b.After(r.Order, s.from, r.Find.Including, alias)
		} else {
			g.write(b, r.Order, s.from, r.Find.Including, alias)
		}
	}
	if s.until != nil {
		b.Text(word)
		turned := sqltext.Turned(r.Order)
		if ends := ranges(turned, s.until); len(ends) == 1 && !s.whole {
			ends[0].write(b, turned, s.until, false, alias) // an index ends there
		} else {
			b.After(turned, s.until, false, alias)
		}
	}
	if len(r.Order) == 0 {
		return
	}
	b.Text(" ORDER BY ")
	if key != nil {
		for _, c := range partsOf(key) {
			b.OrderBy([]sqltext.SortKey{{Column: c, Desc: r.Order[0].Desc}}, alias)
			b.Text(", ")
		}
	}
	b.OrderBy(r.Order, alias)
}

// partsOf are the columns that a key is compared by.
func partsOf(key *sqltext.Column) []*sqltext.Column {
	if key.Parts != nil {
		return key.Parts
	}
	return []*sqltext.Column{key}
}

// keyName is the name of a key's column next to a selection's columns; no column of ours has it
// (see [plainOrHex]).
const keyName = `"~key"`

// room writes a limit that is at least the page's and that the planner can read: PostgreSQL plans a
// statement once for all bound values, and takes a bound limit for a tenth of all rows. It takes
// few different numbers, so that pages of all sizes share few statements.
func room(q *facade.Find) string {
	need := max(0, q.Limit) + 1 + max(0, q.Offset)
	for _, n := range rooms {
		if need <= n {
			return " LIMIT " + strconv.Itoa(n)
		}
	}
	return ""
}

var rooms = [...]int{8, 64, 512, 4096, 32768}

// A page after a cursor is read as ranges of an index, however many rows are equal in the first
// keys. One condition with OR would be a filter over all rows from the first key on. A range is
//
//	an equal prefix, and rows beyond the next keys    a = $1 AND (b, id) > ($2, $3)
//	an equal prefix, and the nulls of the next key    a = $1 AND b IS NULL
//	an equal prefix, and values other than null       a = $1 AND b IS NOT NULL
//
// The keys of one comparison of rows have one direction. The comparison leaves out nulls:
// upwards the reader has passed them, downwards they follow in a range of their own.

// seekRange is one range of an order: the first equal keys equal the cursor's, and the keys up
// to without to are beyond it; or, with to == equal, the next key is null, or is not.
type seekRange struct {
	equal, to int
	notNull   bool
}

// ranges cuts the rows after a place in an order into ranges, the innermost first. Each row is in
// one of them.
//
//	a DESC, id DESC behind (5, x), a may be null    (a, id) < (5, x)   a IS NULL
//	a, id DESC behind (null, x)                     a IS NULL AND id < x   a IS NOT NULL
func ranges(keys []sqltext.SortKey, from []sqltext.Value) []seekRange {
	var out []seekRange
	for i := len(keys) - 1; i >= 0; {
		if from[i].Kind == sqltext.Null {
			if !keys[i].Desc {
				out = append(out, seekRange{i, i, true})
			}
			i--
			continue
		}
		first := i
		for first > 0 && keys[first-1].Desc == keys[i].Desc && from[first-1].Kind != sqltext.Null {
			first--
		}
		out = append(out, seekRange{first, i + 1, false})
		for j := i; j >= first && keys[i].Desc; j-- {
			if !keys[j].Column.NotNull {
				out = append(out, seekRange{j, j, false})
			}
		}
		i = first - 1
	}
	return out
}

// write writes the range as a condition. Including the cursor's own row counts for the range
// that has its last key.
func (g seekRange) write(b *sqltext.Builder, keys []sqltext.SortKey, from []sqltext.Value, including bool, alias string) {
	for i := range g.equal {
		b.Column(alias, keys[i].Column)
		if from[i].Kind == sqltext.Null {
			b.Text(" IS NULL AND ")
			continue
		}
		b.Text(" = ")
		b.Bind(from[i])
		b.Text(" AND ")
	}
	if g.to == g.equal {
		b.Column(alias, keys[g.equal].Column)
		if g.notNull {
			b.Text(" IS NOT NULL")
		} else {
			b.Text(" IS NULL")
		}
		return
	}
	if g.to-g.equal == 1 {
		b.Column(alias, keys[g.equal].Column)
	} else {
		b.Text("(")
		for i := g.equal; i < g.to; i++ {
			if i > g.equal {
				b.Text(", ")
			}
			b.Column(alias, keys[i].Column)
		}
		b.Text(")")
	}
	word := " > "
	if keys[g.equal].Desc {
		word = " < "
	}
	if including && g.to == len(keys) {
		word = word[:2] + "= "
	}
	b.Text(word)
	if g.to-g.equal == 1 {
		b.Bind(from[g.equal])
		return
	}
	b.Text("(")
	for i := g.equal; i < g.to; i++ {
		if i > g.equal {
			b.Text(", ")
		}
		b.Bind(from[i])
	}
	b.Text(")")
}
