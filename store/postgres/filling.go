package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// filling is values that the program computes for the rows of a table, batch by batch while
// others use it. A row is written only if it still has the values that its new one was
// computed from.
type filling struct {
	*migration.Filling
	column *column
	// to is the column that gets the values: the one itself, or the second one that will take
	// its place.
	to string
	// seen is the column with the source of each computed value, so that a pass finds the rows
	// of later writes; "" if to alone, or When, shows which rows are done.
	seen string
}

// batch is how many rows are written by one statement.
const batch = 1000

// script describes for a plan how the program computes the values: with which statements.
func (f *filling) script(t *table) string {
	read, tail, write := f.statements(t)
	return fmt.Sprintf("the program computes %s, %d rows at a time:\n%s%s;\n%s", quote(f.to), batch, read, tail, write)
}

// statements are the statements of a pass: read and tail select the rows of a batch that wait,
// and write writes their values. Between read and tail comes the key of the batch before.
func (f *filling) statements(t *table) (read, tail, write string) {
	key := t.Primary
	read = "SELECT t." + key.Name + "::text, " + f.fingerprint() + readSQL(f.Filling) + " FROM " + t.Name + " AS t WHERE " + f.waits()
	tail = fmt.Sprintf(" ORDER BY t.%s LIMIT %d", key.Name, batch)
	set := quote(f.to) + " = v.val::" + f.column.Type
	if f.seen != "" {
		set += ", " + quote(f.seen) + " = v.seen"
	}
	write = "UPDATE " + t.Name + " AS t SET " + set + " FROM unnest($1::text[], $2::text[], $3::text[]) AS v(id, seen, val) WHERE t." + key.Name + " = v.id::" + key.Type + " AND " + f.fingerprint() + " = v.seen"
	return read, tail, write
}

// Scan implements [migration.Database].
func (m *migrator) Scan(r *migration.Rows, f *migration.Filling, row func(key string, read []json.RawMessage)) error {
	sql := "SELECT " + r.Key + readSQL(f) + " FROM " + r.Table + " AS t"
	if f.When != "" {
		sql += " WHERE " + f.When
	}
	return m.conn.Run(&engine.Query{Text: []byte(sql), Row: func(v [][]byte) error {
		row(string(v[0]), rowJSON(f, v[1:]))
		return nil
	}})
}

// readSQL are the columns that the expression reads, as JSON text.
func readSQL(f *migration.Filling) string {
	var b strings.Builder
	for _, c := range f.Reads {
		b.WriteString(", to_json(t." + quote(c.Name) + ")::text")
	}
	return b.String()
}

// rowJSON returns the columns of readSQL as JSON. That of PostgreSQL has a number for a decimal.
func rowJSON(f *migration.Filling, read [][]byte) []json.RawMessage {
	out := make([]json.RawMessage, len(read))
	for i, v := range read {
		if out[i] = v; v != nil && f.Reads[i].Kind == "decimal" {
			out[i] = jsontext.Quote(string(v))
		}
	}
	return out
}

// keeps refuses a text that the database cannot keep.
func keeps(v sqltext.Value) error {
	if v.Kind == sqltext.Text && strings.Contains(v.S, "\x00") {
		return errors.New("the value has U+0000, which PostgreSQL cannot keep")
	}
	return nil
}

// fingerprint is a text of everything that the expression reads of a row.
func (f *filling) fingerprint() string {
	names := make([]string, len(f.Reads))
	for i, c := range f.Reads {
		names[i] = "t." + quote(c.Name)
	}
	return "ROW(" + strings.Join(names, ", ") + ")::text"
}

// compute returns the value of a row as the text that the server reads; nil for null. read are
// the columns of readSQL.
func (f *filling) compute(read [][]byte) ([]byte, error) {
	v, err := f.Compute(rowJSON(f.Filling, read))
	switch {
	case err != nil || v.Kind == sqltext.Null:
		return nil, err
	case f.column.Prop.Kind == schema.KindBoolean:
		return strconv.AppendBool(nil, v.I != 0), nil
	}
	return appendValue(nil, v), nil
}

// waits is the condition of the rows that have no value yet.
func (f *filling) waits() string {
	switch {
	case f.seen != "":
		return "t." + quote(f.seen) + " IS DISTINCT FROM " + f.fingerprint()
	case f.When != "":
		return f.When
	}
	return "t." + quote(f.to) + " IS NULL"
}

// fill computes the values of all rows that wait for one, pass by pass: the next pass finds the
// rows that others wrote during one. A swap writes the last rows under its lock.
func (s *access) fill(ctx context.Context, c *engine.Conn, w work, f *filling, wrote func(n int64)) error {
	for range 5 {
		n, err := s.pass(ctx, c, w, f, wrote)
		if err != nil || n == 0 || f.seen == "" && !f.column.def.NotNull && f.When == "" {
			return err
		}
	}
	return nil
}

// progress returns a function that is called after each n written rows of a column or of an index of words.
func (s *access) progress(task *migration.Task, w work, column string) func(n int64) {
	done, said := int64(0), time.Now()
	return func(n int64) {
		done += n
		if task.Progress != nil {
			task.Progress(w.table.Plain, done, w.step.Rows)
		}
		if time.Since(said) > 2*time.Second {
			said = time.Now()
			s.db.Log().Info("the store computes values", "table", w.table.Plain, "column", column, "rows", done)
		}
	}
}

// pass goes once through the rows that wait, in the order of the primary key, and returns how
// many there were.
func (s *access) pass(ctx context.Context, c *engine.Conn, w work, f *filling, wrote func(n int64)) (total int64, err error) {
	key := w.table.Primary
	read, tail, write := f.statements(w.table)
	var last []byte
	for {
		if err := ctx.Err(); err != nil {
			return total, err
		}
		q := &engine.Query{Text: []byte(read + tail)}
		if last != nil {
			q = &engine.Query{Text: []byte(read + " AND t." + key.Name + " > $1::text::" + key.Type + tail), Values: [][]byte{last}}
		}
		ids, seen, values := []byte{'{'}, []byte{'{'}, []byte{'{'}
		n := int64(0)
		q.Row = func(v [][]byte) error {
			value, err := f.compute(v[2:])
			if err != nil && !f.Lossy {
				return fmt.Errorf("table %s, key %s: %w", w.table.Plain, v[0], err)
			}
			n++
			last = append([]byte(nil), v[0]...)
			ids, seen, values = appendElementText(ids, v[0]), appendElementText(seen, v[1]), appendElementText(values, value)
			return nil
		}
		if err := c.Run(q); err != nil {
			return total, err
		}
		if n == 0 {
			return total, nil
		}
		err := c.Run(&engine.Query{Text: []byte(write), Values: [][]byte{append(ids, '}'), append(seen, '}'), append(values, '}')}})
		if err != nil {
			return total, err
		}
		total += n
		wrote(n)
	}
}

// appendElementText appends an element to an array literal that begins with its brace; nil is null.
func appendElementText(list, v []byte) []byte {
	if len(list) > 1 {
		list = append(list, ',')
	}
	if v == nil {
		return append(list, "NULL"...)
	}
	return appendQuoted(list, string(v))
}

// keepBatch is the statement that has the trigger write the words of a batch of rows, behind a key where the batch is not
// the first. It returns their keys in order.
func (t *table) keepBatch(first bool) string {
	var set, waits []string
	for _, name := range t.kept() {
		set, waits = append(set, quote(name)+" = NULL"), append(waits, "t."+quote(name)+" IS NULL")
	}
	key, behind := t.Primary.Name, ""
	if !first {
		behind = " AND t." + key + " > $1::text::" + t.Primary.Type
	}
	return "WITH batch AS (SELECT t." + key + " FROM " + t.Name + " AS t WHERE (" + strings.Join(waits, " OR ") + ")" + behind + " ORDER BY t." + key + " LIMIT " + strconv.Itoa(batch) +
		"), written AS (UPDATE " + t.Name + " AS t SET " + strings.Join(set, ", ") + " FROM batch WHERE t." + key + " = batch." + key + ") SELECT batch." + key + "::text FROM batch ORDER BY batch." + key
}

// settleWords returns the statement that moves the new entries of the table's indexes of words to their places. Others search
// beside the filling, and long lists of new entries have the planner read an index of words no more.
func (t *table) settleWords() string {
	return "SELECT pg_catalog.gin_clean_pending_list(i.oid) FROM pg_catalog.pg_index AS x JOIN pg_catalog.pg_class AS i ON i.oid = x.indexrelid JOIN pg_catalog.pg_am AS m ON m.oid = i.relam" +
		" WHERE x.indrelid = " + literal(t.Name) + "::regclass AND x.indisvalid AND m.amname = 'gin'"
}

// keepAll has the trigger write the words of all rows without words, batch by batch. A row whose words another
// transaction needs at the same time is tried again.
func (s *access) keepAll(ctx context.Context, c *engine.Conn, t *table, wrote func(n int64)) error {
	var last []byte
	for failed := 0; ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		q, n, end := &engine.Query{Text: []byte(t.keepBatch(last == nil))}, int64(0), last
		if last != nil {
			q.Values = [][]byte{last}
		}
		q.Row = func(v [][]byte) error {
			n, end = n+1, append([]byte(nil), v[0]...)
			return nil
		}
		err := c.Run(q)
		if err == nil {
			err = c.Run(&engine.Query{Text: []byte(t.settleWords())})
		}
		switch {
		case err != nil && engine.Passes(err) && failed < 10:
			failed++
			continue
		case err != nil || n == 0:
			return err
		}
		last, failed = end, 0
		wrote(n)
	}
}
