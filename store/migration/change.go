package migration

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqltext"
)

// Change judges the differences of one table by its rows. Use [NewChange].
type Change struct {
	Rows

	Task    *Task
	Entity  *schema.Entity
	Was     *Table
	Present []*Table
	Names   *Names // before the change
	// Held is the number of rows of the table.
	Held int64
	// Keeps returns why the database cannot keep a value; nil: it keeps every one.
	Keeps func(sqltext.Value) error
	// Filled has the columns whose values are computed. Replaced has those whose constraints come
	// with their new values, so that the rows as they are need not meet them.
	Filled   map[string]*Filling
	Replaced map[string]bool
}

// Filling computes the values of a column, row by row.
type Filling struct {
	Value  *catalog.Backfill
	Column *Column // of the card
	// When is the condition, on the table t, of the rows that get a value; "" for all of them.
	When string
	// Lossy says that a value that cannot be computed becomes null, and no error.
	Lossy bool
	// Reads are the columns of Value.Reads.
	Reads []*Column

	keeps func(sqltext.Value) error
}

// NewChange returns the change of a table that is there. rows reads it.
func NewChange(p *Planner, e *schema.Entity, was *Table, names *Names, rows Rows) (ch *Change, err error) {
	ch = &Change{Rows: rows, Task: p.Task, Entity: e, Was: was, Present: p.Present, Names: names, Filled: map[string]*Filling{}, Replaced: map[string]bool{}}
	ch.Held, err = rows.DB.Number("SELECT count(*) FROM " + rows.Table)
	return ch, err
}

// Judge returns the step of a difference, and the computation of its values, which may be nil. The
// step is refused where the rows do not allow it. The engine judges changes of types and keys, and
// dropped columns.
func (ch *Change) Judge(d *Difference) (s Step, f *Filling, err error) {
	s = d.Step()
	s.Effect, s.Rows = Slow, ch.Held
	if d.Op == ChangeType && ch.Task.Start {
		switch {
		case d.older:
			s.Refuse("newer cards have given the column the type "+d.WasColumn.Kind, "start the newer cards, or run frond migrate apply to go back")
			return s, nil, nil
		case d.Others > 0:
			s.Refuse(Count(d.Others, "%d gateway with other cards serves the column", "%d gateways with other cards serve the column"), "stop them first, or run frond migrate apply: calls of theirs that use the column get SERVICE_UNAVAILABLE then")
			return s, nil, nil
		}
	}
	if ch.Held == 0 {
		s.Effect = Online
		return s, nil, nil
	}
	var value *catalog.Backfill
	if d.Column != nil {
		value = ch.Value(d.Column)
	}
	switch {
	case ch.Replaced[s.Column]:
	case d.Op == AddUnique:
		err = ch.distinct(&s, d.Index)
	case d.Op == AddForeignKey && ch.Filled[s.Column] == nil:
		// SQLite checks only the rows of later writes, so it would not report an existing row with a
		// broken relation.
		err = ch.points(&s, s.Column, ch.Present, d.Column.References)
	case d.Op == AddColumn && value != nil:
		f = ch.filling(d.Column, value)
	case d.Op == AddColumn && d.Column.NotNull && !d.Column.Filled:
		s.NoValue(ch.Held)
	case d.Op == SetNotNull && value != nil:
		f = ch.filling(d.Column, value)
		f.When = "t." + quote(s.Column) + " IS NULL"
	case d.Op == SetNotNull && !d.Column.Filled:
		err = ch.notNull(&s, s.Column)
	case d.Op == AddCheck && value != nil:
		f = ch.filling(d.Column, value)
		f.When = "NOT (" + d.Check.Expression + ")"
	case d.Op == AddCheck:
		err = ch.check(&s, d.Check)
	}
	if f != nil {
		_, err = ch.Fill(&s, f)
	}
	return s, f, err
}

// Value returns frond.yaml's expression for a column of older rows, or nil.
func (ch *Change) Value(c *Column) *catalog.Backfill {
	return ch.Task.Value(ch.Entity.Property(c.Field), ch.Entity)
}

// filling returns a Filling of a column by value.
func (ch *Change) filling(c *Column, value *catalog.Backfill) *Filling {
	return &Filling{Value: value, Column: c, keeps: ch.Keeps}
}

// Conversion returns how values of a column become values of another kind: by the author's
// expression, or by [convert]; nil if neither can convert them.
func (ch *Change) Conversion(c *Column, from, to string) *Filling {
	if value := ch.Value(c); value != nil {
		return ch.filling(c, value)
	}
	how := convert(from, to)
	if how == nil {
		return nil
	}
	f := ch.filling(c, catalog.NewConversion(ch.Entity, ch.Entity.Property(c.Field), how))
	f.Lossy = true
	return f
}

// Dropped judges the drop of a column without a card. A column of null values and empty lists
// can be dropped without a flag.
func (ch *Change) Dropped(s *Step, was *Column) error {
	name := "t." + quote(was.Name)
	kept, err := ch.Count(name + " IS NOT NULL AND CAST(" + name + " AS text) <> '[]'")
	if err == nil && kept > 0 {
		s.drop(ch.Task, kept)
	}
	return err
}

// distinct refuses a unique constraint that rows break.
func (ch *Change) distinct(s *Step, ix *Index) error {
	for _, name := range ix.Columns {
		if ch.Was.Column(name) == nil || ch.Filled[name] != nil || ch.Replaced[name] {
			return nil // its values are not there yet; the index itself will say
		}
	}
	return ch.unique(s, ix.Columns)
}

// Fill computes a column's values in two passes. The first pass computes them for every row and keeps
// only the keys of the first rows without a value. Such rows refuse the step, unless their value may
// become null.
func (ch *Change) Fill(s *Step, f *Filling) (lost int64, err error) {
	f.Reads = s.reads(f.Value, ch.Was, func(field string) string { return ch.Names.Column(ch.Entity.Key, field) })
	if s.Refused {
		return 0, nil
	}
	ch.Filled[f.Column.Name] = f
	var first error
	err = ch.DB.Scan(&ch.Rows, f, func(key string, read []json.RawMessage) {
		value, err := f.Compute(read)
		switch {
		case err == nil && (value.Kind != sqltext.Null || !f.Column.NotNull):
			return
		case err == nil:
			err = fmt.Errorf("it gives null where %s is never null", f.Column.Field)
		}
		if first == nil {
			first = err
		}
		if lost++; len(s.Keys) < maxKeys {
			s.Keys = append(s.Keys, key)
		}
	})
	if err == nil && lost > 0 && (!f.Lossy || f.Column.NotNull) {
		s.noResult(f.Value, lost, first)
	}
	return lost, err
}

// Compute returns the value of a row, of which read has the columns Reads as JSON.
func (f *Filling) Compute(read []json.RawMessage) (sqltext.Value, error) {
	text, err := f.Value.Compute(func(name string) json.RawMessage { return read[slices.Index(f.Value.Reads, name)] })
	if err != nil {
		return sqltext.Value{}, err
	}
	value, fault := sqltext.Encode(f.Value.Field, text)
	if fault != "" {
		return value, fmt.Errorf("the value breaks %s", fault)
	}
	if f.keeps != nil {
		err = f.keeps(value)
	}
	return value, err
}
