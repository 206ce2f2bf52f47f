package postgres

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store"
	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/sqltext"
)

var _ store.DB[*table] = database{}

// database implements [store.DB].
type database struct{ *access }

// Table implements [store.DB].
func (d database) Table(e *schema.Entity) (*table, error) { return d.table(e) }

// Read implements [store.DB].
func (d database) Read(ctx context.Context, t *table, st *store.Statement) error {
	q, bound := query(t, st)
	defer bound.free()
	return d.db.Read(ctx, func(c *engine.Conn) error { return c.Conclude(q) })
}

// Write implements [store.DB].
func (d database) Write(ctx context.Context, w *store.Write[*table], do func(store.Tx) error) error {
	return d.constraint(w.Table, w.Written, d.write(ctx, w, do))
}

// write runs a write: one statement if it is all, and else a transaction.
func (d database) write(ctx context.Context, w *store.Write[*table], do func(store.Tx) error) error {
	s := d.access
	if w.Terms == nil && w.Alone != nil {
		q, bound := query(w.Table, w.Alone)
		defer bound.free()
		var err error
		if ofOneRow(w.Where) {
			err = s.db.Once(ctx, q)
		} else {
			err = s.db.Write(ctx, func(c *engine.Conn) error { return c.Conclude(q) })
		}
		w.Alone.Count = q.Count
		return err
	}
	begin := s.db.Write
	if locks(w) {
		begin = s.db.WriteLocked
	}
	run := func(c *engine.Conn) error { return do(&tx{runner{c}, s, w.Table}) }
	if !w.Announces() {
		return begin(ctx, run)
	}
	if err := s.outbox.Ready(ctx); err != nil {
		return err
	}
	if err := begin(ctx, run); err != nil {
		return err
	}
	return s.db.Defer(ctx, nil, s.outbox.Emitted)
}

// locks says that a write reads only rows that it locks or writes, and so needs no serializable
// transaction.
func locks(w *store.Write[*table]) bool {
	of := w.Terms
	if of == nil || w.Key.Kind == sqltext.Null && (!w.Announces() || w.Table.Sparse) {
		return false
	}
	return ofOneRow(w.Where) && ofOneRow(of.After) && len(of.Points) == 0
}

// ofOneRow says whether a condition is judged by the fields of the row itself.
func ofOneRow(f *filter.Filter) bool {
	if f == nil {
		return true
	}
	switch f.Op {
	case filter.Some, filter.None, filter.Every, filter.Aggregate:
		return false
	}
	for _, sub := range f.Sub {
		if !ofOneRow(sub) {
			return false
		}
	}
	return true
}

// tx is the transaction of one write.
type tx struct {
	runner
	store *access
	table *table
}

// Run implements [store.Tx].
func (x *tx) Run(around store.Checks, last bool, statements ...*store.Statement) error {
	queries := make([]*engine.Query, len(statements))
	for i, st := range statements {
		q, bound := query(x.table, st)
		defer bound.free()
		queries[i], st.Done = q, false
	}
	return (&checks{last: last}).run(x.Conn, around, queries, func() {
		for i, q := range queries {
			statements[i].Count, statements[i].Done = q.Count, q.Done
		}
	})
}

// Emit implements [store.Tx]: the events go with the commit.
func (x *tx) Emit(events []facade.Event) error {
	return x.Conclude(x.store.outbox.Emission(events))
}

// Base is of tables, for [store.DB].
func (t *table) Base() *sqltext.Table { return &t.Table }

// Key is of tables, for [store.DB].
func (t *table) Key(id json.RawMessage) (sqltext.Value, bool) {
	v, fault := sqltext.Encode(t.Primary.Prop, id)
	if fault != "" || v.Kind == sqltext.Null {
		return v, false
	}
	o := fit(t.Primary, filter.Eq, v)
	return o.v, !o.decided
}

// Fit is of tables, for [store.DB]: the year 0 of RFC 3339 is the year 1 before Christ. A text with a
// NUL is refused, which no text of PostgreSQL has.
func (t *table) Fit(p *schema.Property, v *sqltext.Value) error {
	if v.Kind != sqltext.Text {
		return nil
	}
	if c := t.Stored(p); p.Kind == schema.KindJSON && c != nil && classOf(c) == asArray {
		v.S = string(arrayLiteral(nil, json.RawMessage(v.S)))
	}
	if strings.IndexByte(v.S, 0) >= 0 {
		message := p.Name + " holds the character U+0000, which the database cannot keep; leave it out"
		return kiterror.Invalid(message, schema.Detail{Path: p.Name, Pointer: "/body/" + p.Name, Code: "characters", Message: message})
	}
	if p.Kind == schema.KindDate || p.Kind == schema.KindDateTime {
		beforeChrist(v)
	}
	return nil
}

// Insert implements [store.DB]. Several rows are one statement whose text does not depend on their
// number: each column's values are one array.
//
//	INSERT INTO "post" ("id", "views") SELECT u.c0, u.c1 FROM unnest($1::text[], $2::bigint[])
//	  WITH ORDINALITY AS u(c0, c1, n) ORDER BY u.n
//
// All foreign keys are judged when the statement is done, so rows may point at each other.
func (database) Insert(b *sqltext.Builder, t *table, args []sqltext.Value, n int) (bound []sqltext.Value, times int) {
	if n == 1 {
		b.Insert(&t.Table)
		return args, 1
	}
	var names, values, arrays, aliases []string
	for i, c := range t.columns {
		alias := "c" + strconv.Itoa(i)
		names, aliases = append(names, c.Name), append(aliases, alias)
		arrays = append(arrays, "$"+strconv.Itoa(i+1)+"::"+elementType(c)+"[]")
		values = append(values, "u."+alias)
		if baseType(c.Type) != elementType(c) {
			values[i] += "::" + c.Type
		}
	}
	b.Text("INSERT INTO ", t.Name, " (", strings.Join(names, ", "), ") SELECT ", strings.Join(values, ", "),
		" FROM unnest(", strings.Join(arrays, ", "), ") WITH ORDINALITY AS u(", strings.Join(aliases, ", "), ", n) ORDER BY u.n")
	return arraysOf(args, len(t.columns), n), 1
}

// arraysOf are the values of n rows as an array for each of their columns.
func arraysOf(args []sqltext.Value, width, n int) []sqltext.Value {
	columns := make([]sqltext.Value, width)
	for i := range columns {
		text := []byte{'{'}
		for row := range n {
			text = appendArrayElement(text, args[row*width+i])
		}
		columns[i] = sqltext.TextValue(string(append(text, '}')))
	}
	return columns
}

// UpdateAll implements [store.DB]: one statement for all rows.
//
//	UPDATE "post" AS t0 SET "views" = u."$0" FROM unnest($1::bigint[], $2::text[]) AS u("$0", "$1") WHERE t0."id" = u."$1"
func (d database) UpdateAll(b *sqltext.Builder, t *table, columns []*sqltext.Column, args []sqltext.Value, n int) (bound []sqltext.Value, times int) {
	var sets, arrays, aliases []string
	add := func(c *column) string {
		i := len(arrays)
		alias := quote("$" + strconv.Itoa(i))
		arrays, aliases = append(arrays, "$"+strconv.Itoa(i+1)+"::"+elementType(c)+"[]"), append(aliases, alias)
		if baseType(c.Type) != elementType(c) {
			return "u." + alias + "::" + c.Type
		}
		return "u." + alias
	}
	for _, c := range columns {
		sets = append(sets, c.Name+" = "+add(t.columns[t.Place(c)]))
	}
	alias := b.Alias()
	key := add(t.columns[t.Place(t.Primary)])
	b.Text("UPDATE ", t.Name, " AS ", alias, " SET ", strings.Join(sets, ", "), " FROM unnest(", strings.Join(arrays, ", "),
		") AS u(", strings.Join(aliases, ", "), ") WHERE ", alias, ".", t.Primary.Name, " = ", key)
	return arraysOf(args, len(columns)+1, n), 1
}

// elementType is the type that a column's values have in an array: the column's own, or text
// for one that is an array itself, since unnest opens every level.
func elementType(c *column) string {
	if strings.HasSuffix(c.Type, "[]") {
		return "text"
	}
	return c.Type
}

// appendArrayElement appends a value to an array literal that begins with its brace.
func appendArrayElement(list []byte, v sqltext.Value) []byte {
	if len(list) > 1 {
		list = append(list, ',')
	}
	switch v.Kind {
	case sqltext.Null, sqltext.Blob:
		return append(list, "NULL"...)
	case sqltext.Text:
		list = append(list, '"')
		for i := range len(v.S) {
			if c := v.S[i]; c == '"' || c == '\\' {
				list = append(list, '\\')
			}
			list = append(list, v.S[i])
		}
		return append(list, '"')
	}
	return appendValue(list, v)
}

// checks send the counts of [sqltext.Terms] in one round trip with their write. They are a
// runner with two uses: at first it gathers the statements and lets every count be enough; when
// they have run, it gives the same calls the numbers that came.
//
//	gather   Before, After                      2 statements
//	run      SELECT count(*) …; INSERT …; SELECT count(*) …
//	judge    Before, After                        Dangling, Unmet or nil
type checks struct {
	queries []*engine.Query
	bound   []*arguments
	numbers []int64
	// last says that no statement follows.
	last bool
	// judging says that the numbers are there, and next which of them comes.
	judging bool
	next    int
}

// Number gathers a statement, or returns its number.
func (s *checks) Number(sql []byte, args []sqltext.Value) (int64, error) {
	if s.judging {
		s.next++
		return s.numbers[s.next-1], nil
	}
	at := len(s.numbers)
	s.numbers = append(s.numbers, 0)
	bound := newArguments(args)
	s.bound = append(s.bound, bound)
	s.queries = append(s.queries, &engine.Query{Text: sql, Values: bound.values, Row: func(values [][]byte) (err error) {
		s.numbers[at], err = strconv.ParseInt(string(values[0]), 10, 64)
		return err
	}})
	return math.MaxInt64, nil
}

// Rows is not called: the row that is to be changed is read before its terms are judged.
func (s *checks) Rows([]byte, []sqltext.Value, *sqltext.Selection, *rows.Rows) error { return nil }

// run sends writes together with their checks, which may be nil, and judges. ran is called when
// they have run. An error of Before comes before the writes' errors.
func (s *checks) run(c *engine.Conn, around store.Checks, writes []*engine.Query, ran func()) error {
	defer func() {
		for _, bound := range s.bound {
			bound.free()
		}
	}()
	before := 0
	if around != nil {
		_ = around.Before(s) // every count is enough
		before = len(s.queries)
		_ = around.After(s) // likewise
	}
	all := writes
	if len(s.queries) > 0 {
		all = slices.Concat(s.queries[:before], writes, s.queries[before:])
	}
	var err error
	if len(all) == 1 && s.last {
		err = c.Conclude(all...)
	} else {
		err = c.Run(all...)
	}
	ran()
	if around == nil {
		return err
	}
	s.judging = true
	if before == 0 || s.queries[before-1].Done {
		if wrong := around.Before(s); wrong != nil {
			return wrong
		}
	}
	if err != nil {
		return err
	}
	return around.After(s)
}
