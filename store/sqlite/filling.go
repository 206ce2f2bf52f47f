package sqlite

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// Scan implements [migration.Database].
func (m *migrator) Scan(r *migration.Rows, f *migration.Filling, row func(key string, read []json.RawMessage)) error {
	sql := "SELECT " + r.Key + selected(f) + " FROM " + r.Table + " AS t"
	if f.When != "" {
		sql += " WHERE " + f.When
	}
	return m.conn.Each(func(st *engine.Stmt) { row(st.ColumnText(0), readRow(st, 1, f)) }, sql)
}

// computed copies the rows of a range with the values that the program computes, one row at a
// time.
func (c *copying) computed(rowid string, first, last int64) error {
	var fills []*migration.Filling
	from := slices.Clone(c.from)
	var flags, reads strings.Builder
	for i, name := range slices.Sorted(maps.Keys(c.Filled)) {
		f := c.Filled[name]
		fills = append(fills, f)
		at := slices.Index(c.into, quote(name))
		// ?2 says whether the row gets the value, which is ?3; and so on.
		from[at] = fmt.Sprintf("iif(?%d, ?%d, %s)", 2*i+2, 2*i+3, from[at])
		flags.WriteString(", " + cmp.Or(f.When, "1"))
		reads.WriteString(selected(f))
	}
	insert := "INSERT INTO " + c.temporary + " (" + strings.Join(c.into, ", ") + ") SELECT " + strings.Join(from, ", ") + " FROM " + c.t.Name + " WHERE " + rowid + " = ?1"
	st, err := c.m.conn.Start([]byte("SELECT "+rowid+flags.String()+reads.String()+" FROM "+c.t.Name+" AS t WHERE "+rowid+" BETWEEN ? AND ? ORDER BY "+rowid), []sqltext.Value{sqltext.IntValue(first), sqltext.IntValue(last)})
	if err != nil {
		return err
	}
	args := make([]sqltext.Value, 1+2*len(fills))
	for st.Step() {
		args[0] = sqltext.IntValue(st.ColumnInt64(0))
		at := 1 + len(fills)
		for i, f := range fills {
			args[1+2*i], args[2+2*i] = sqltext.BoolValue(st.ColumnInt64(1+i) != 0), sqltext.Value{}
			if st.ColumnInt64(1+i) != 0 {
				value, err := f.Compute(readRow(st, at, f))
				if err != nil && !f.Lossy {
					_ = c.m.conn.Finish(st) // the value is what went wrong
					return fmt.Errorf("table %s, column %s: %w", c.name, f.Column.Name, err)
				}
				args[2+2*i] = value
			}
			at += len(f.Reads)
		}
		if err := c.m.conn.Exec(insert, args...); err != nil {
			_ = c.m.conn.Finish(st) // the row is what went wrong
			return err
		}
		c.done++
	}
	return c.m.conn.Finish(st)
}

// selected lists the columns that a filling reads, after others of a SELECT.
func selected(f *migration.Filling) string {
	var b strings.Builder
	for _, c := range f.Reads {
		b.WriteString(", t." + quote(c.Name))
	}
	return b.String()
}

// readRow returns the columns of selected of the row that a statement is at, which begin at its column
// from.
func readRow(st *engine.Stmt, from int, f *migration.Filling) []json.RawMessage {
	read := make([]json.RawMessage, len(f.Reads))
	for i, c := range f.Reads {
		read[i] = asJSON(st, from+i, c.Kind)
	}
	return read
}

// asJSON returns column i of a row as JSON; nil for null.
func asJSON(st *engine.Stmt, i int, kind string) json.RawMessage {
	text := st.ColumnText(i)
	switch {
	case st.ColumnType(i) == sqlite3.NULL:
		return nil
	case kind == "json", kind == "integer":
		return json.RawMessage(text)
	case kind == "number":
		return sqltext.AppendFloat(nil, st.ColumnFloat(i))
	case kind == "boolean":
		return strconv.AppendBool(nil, text != "0")
	case kind == "date-time":
		return sqltext.AppendTime(nil, []byte(text))
	}
	return jsontext.Quote(text)
}
