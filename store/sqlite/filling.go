package sqlite

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// filling computes the values of a column while its table is rebuilt.
type filling struct {
	value *catalog.Backfill
	// when is the condition of the rows that get one; "" for all of them.
	when string
	// lossy says that a value that cannot be computed becomes null, and no error.
	lossy bool
}

// fill has a column's values computed, after it has looked whether every row gives one. A step
// whose rows do not is refused.
func (ch *change) fill(s *migration.Step, column string, f *filling) error {
	if s.Reads(f.value, ch.was, ch.columnOf); s.Refused {
		return nil
	}
	ch.values[column] = f
	lost, err := ch.try(s, column, f)
	if err == nil && lost > 0 && !f.lossy {
		s.Rows = lost
	}
	return err
}

// convert has the values of a column converted, with the flag for it where that loses any. A value
// that cannot be converted becomes null. The step is refused where the column is never null, and
// where the two kinds have no conversion.
func (ch *change) convert(s *migration.Step, c *column, from, to string, held int64, lossless bool) error {
	how := migration.Convert(from, to)
	if how == nil {
		s.NoConversion(held)
		return nil
	}
	f := &filling{value: catalog.NewConversion(ch.t.Entity, c.Prop, how), lossy: true}
	ch.values[c.column] = f
	lost, err := ch.try(s, c.column, f)
	if err != nil {
		return err
	}
	if s.Reason == "" && (lost > 0 || !lossless) {
		keys := s.Keys
		s.Convert(ch.task, held, lost)
		s.Keys = keys
	}
	return nil
}

// try computes a column for every row and keeps nothing but the keys of the first rows that give no
// value. It refuses the step where a row gives no value and the column is never null.
func (ch *change) try(s *migration.Step, column string, f *filling) (lost int64, err error) {
	c := ch.t.byName(column)
	reads := ch.reads([]*filling{f})
	sql := "SELECT " + ch.held.Key + reads.list() + " FROM " + ch.t.Name + " AS t"
	if f.when != "" {
		sql += " WHERE " + f.when
	}
	st, err := ch.conn.Start([]byte(sql), nil)
	if err != nil {
		return 0, err
	}
	var first error
	for st.Step() {
		value, err := f.compute(c, func(name string) json.RawMessage { return reads.json(st, 1, name) })
		switch {
		case err == nil && (value.Kind != sqltext.Null || !c.notNull):
			continue
		case err == nil:
			err = fmt.Errorf("it gives null where %s is never null", column)
		}
		if first == nil {
			first = err
		}
		if lost++; len(s.Keys) < migration.MaxKeys {
			s.Keys = append(s.Keys, st.ColumnText(0))
		}
	}
	if err := ch.conn.Finish(st); err != nil || lost == 0 {
		return 0, err
	}
	if !f.lossy || c.notNull {
		s.NoResult(f.value, lost, first)
	}
	return lost, nil
}

// compute returns the value of a row, as the column holds it.
func (f *filling) compute(c *column, given func(string) json.RawMessage) (sqltext.Value, error) {
	text, err := f.value.Compute(given)
	if err != nil {
		return sqltext.Value{}, err
	}
	value, fault := sqltext.Encode(c.Prop, text)
	if fault != "" {
		return sqltext.Value{}, fmt.Errorf("the value breaks %s", fault)
	}
	return value, nil
}

// computed copies the rows of a range with the values that the program computes, one row at a
// time.
func (c *copying) computed(rowid string, first, last int64) error {
	names := sortedKeys(c.values)
	fills := make([]*filling, len(names))
	from := slices.Clone(c.from)
	var flags strings.Builder
	for i, name := range names {
		fills[i] = c.values[name]
		at := slices.Index(c.into, quote(name))
		// ?2 says whether the row gets the value, which is ?3; and so on.
		from[at] = fmt.Sprintf("iif(?%d, ?%d, %s)", 2*i+2, 2*i+3, from[at])
		when := fills[i].when
		if when == "" {
			when = "1"
		}
		flags.WriteString(", " + when)
	}
	reads := c.reads(fills)
	insert := "INSERT INTO " + c.temporary + " (" + strings.Join(c.into, ", ") + ") SELECT " + strings.Join(from, ", ") + " FROM " + c.t.Name + " WHERE " + rowid + " = ?1"
	st, err := c.conn.Start([]byte("SELECT "+rowid+flags.String()+reads.list()+" FROM "+c.t.Name+" AS t WHERE "+rowid+" BETWEEN ? AND ? ORDER BY "+rowid), []sqltext.Value{sqltext.IntValue(first), sqltext.IntValue(last)})
	if err != nil {
		return err
	}
	args := make([]sqltext.Value, 1+2*len(fills))
	for st.Step() {
		args[0] = sqltext.IntValue(st.ColumnInt64(0))
		for i, f := range fills {
			args[1+2*i], args[2+2*i] = sqltext.BoolValue(st.ColumnInt64(1+i) != 0), sqltext.Value{}
			if st.ColumnInt64(1+i) == 0 {
				continue
			}
			value, err := f.compute(c.t.byName(names[i]), func(name string) json.RawMessage { return reads.json(st, 1+len(fills), name) })
			if err != nil && !f.lossy {
				_ = c.conn.Finish(st) // the value is what went wrong
				return fmt.Errorf("table %s, column %s: %w", c.name, names[i], err)
			}
			args[2+2*i] = value
		}
		if err := c.conn.Exec(insert, args...); err != nil {
			_ = c.conn.Finish(st) // the row is what went wrong
			return err
		}
		c.done++
	}
	return c.conn.Finish(st)
}

// reads are the columns that fillings read of a row as it was.
type reads struct {
	names   []string // as the expressions have them
	columns []*migration.Column
}

// reads lists what fillings read, each column once.
func (ch *change) reads(fills []*filling) (r reads) {
	for _, f := range fills {
		for _, name := range f.value.Reads {
			if !slices.Contains(r.names, name) {
				r.names, r.columns = append(r.names, name), append(r.columns, ch.was.Column(ch.columnOf(name)))
			}
		}
	}
	return r
}

// list is the columns as a SELECT has them, after others.
func (r *reads) list() string {
	var b strings.Builder
	for _, c := range r.columns {
		b.WriteString(", t." + quote(c.Name))
	}
	return b.String()
}

// json returns a column of the row that a statement is at, as JSON, by its name in expressions.
// The columns begin at the statement's column from.
func (r *reads) json(st *engine.Stmt, from int, name string) json.RawMessage {
	i := slices.Index(r.names, name)
	text := st.ColumnText(from + i)
	switch kind := r.columns[i].Kind; {
	case st.ColumnType(from+i) == sqlite3.NULL:
		return nil
	case kind == "json":
		return json.RawMessage(text)
	case kind == "integer":
		return json.RawMessage(text)
	case kind == "number":
		return sqltext.AppendFloat(nil, st.ColumnFloat(from+i))
	case kind == "boolean":
		return strconv.AppendBool(nil, text != "0")
	case kind == "date-time":
		return sqltext.AppendTime(nil, []byte(text))
	}
	return jsontext.Quote(text)
}

// columnOf returns the name of a field's column in the rows as they were, by the name that an
// expression has for it.
func (ch *change) columnOf(name string) string { return ch.tables.names.Column(ch.t.Entity.Key, name) }
