package sqlite

import (
	"context"

	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// The store keeps how many rows a large table has in a table of its own, so that the
// total of a list without a filter costs the same at any size. Triggers keep it, in
// the transaction that writes: a reader's snapshot holds rows and their number alike,
// cascades count, and so does what another process writes. A table has them from the
// first total over [tallyFrom] rows on; a schema of a thousand small tables is not
// burdened with two thousand triggers (docs/decisions/sqlite.md).

// tallyTable holds a row for each large table: its name, and how many rows it has.
const tallyTable = `"` + ownPrefix + `rows"`

// tallyFrom is the number of rows from which counting them costs more than a page. A smaller
// table has no triggers, and its writes do not pay for them.
const tallyFrom = 1000

// tallied returns the table's number of rows as an expression. For a table without a stored
// number the expression counts the rows, and returns the count's complement, below zero, so
// that one statement answers both and readTally sees which it was:
//
//	coalesce((SELECT rows FROM "_frond_rows" WHERE name = 'post'), ~(SELECT count(*) FROM "post"))
func (t *table) tallied() string {
	if t.foreign {
		return "(SELECT count(*) FROM " + t.Name + ")" // nothing of this program's is in the file
	}
	return "coalesce((SELECT rows FROM " + tallyTable + " WHERE name = " + engine.LiteralText(t.Plain) + "), ~(SELECT count(*) FROM " + t.Name + "))"
}

// readTally returns the number that [table.tallied] gave. A large table whose number is not
// kept yet is counted by the writer, as soon as it comes to it; no reader waits for that.
func (s *access) readTally(t *table, n int64) int64 {
	if n >= 0 {
		return n
	}
	if n = ^n; n >= tallyFrom && !t.tallying.Swap(true) {
		if !s.db.Soon(&engine.Op{Ctx: context.Background(), Alone: true, Run: func(c *engine.Conn) error {
			err := c.InTransaction(t.tally)
			t.tallying.Store(err == nil) // the next total asks again
			return err
		}}) {
			t.tallying.Store(false)
		}
	}
	return n
}

// tallyTriggers returns the triggers of the table, by name:
//
//	CREATE TRIGGER "_frond_added post" AFTER INSERT ON "post"
//	  BEGIN UPDATE "_frond_rows" SET rows = rows + 1 WHERE name = 'post'; END
func (t *table) tallyTriggers() map[string]string {
	key := t.Plain
	trigger := func(name, event, sign string) string {
		return "CREATE TRIGGER " + quote(name) + " AFTER " + event + " ON " + t.Name +
			" BEGIN UPDATE " + tallyTable + " SET rows = rows " + sign + " 1 WHERE name = " + engine.LiteralText(key) + "; END"
	}
	added, gone := ownPrefix+"added "+key, ownPrefix+"gone "+key
	return map[string]string{added: trigger(added, "INSERT", "+"), gone: trigger(gone, "DELETE", "-")}
}

// createTally makes the table of the numbers; every migration sees that it is there.
const createTally = "CREATE TABLE " + tallyTable + " (name TEXT NOT NULL PRIMARY KEY, rows INTEGER NOT NULL) STRICT, WITHOUT ROWID"

// tally counts the table's rows and makes the triggers that keep the number. It runs
// in a transaction.
func (t *table) tally(c *engine.Conn) error {
	for name, sql := range t.tallyTriggers() {
		if err := c.Once("DROP TRIGGER IF EXISTS " + quote(name)); err != nil {
			return err
		}
		if err := c.Once(sql); err != nil {
			return err
		}
	}
	return c.Once("INSERT OR REPLACE INTO " + tallyTable + " SELECT " + engine.LiteralText(t.Plain) + ", count(*) FROM " + t.Name)
}

// tallies reads which tables' numbers are kept, and makes their table in a new store.
func (m *migrator) tallies() error {
	there, err := has(m.conn, ownPrefix+"rows")
	if err == nil && !there {
		err = m.conn.Once(createTally)
	}
	if err != nil {
		return err
	}
	m.tallied = map[string]bool{}
	return m.conn.Each(func(st *engine.Stmt) { m.tallied[st.ColumnText(0)] = true }, "SELECT name FROM "+tallyTable)
}

// tally counts again where a number is kept and the triggers are not as they should be: the table
// was rebuilt, which drops its triggers, or somebody else has changed them.
func (m *migrator) tally(t *table) error {
	if !m.tallied[t.Plain] {
		return nil
	}
	for name, sql := range t.tallyTriggers() {
		if is, err := m.is(name, sql); err != nil {
			return err
		} else if !is {
			return t.tally(m.conn)
		}
	}
	return nil
}

// is reports whether the file has a thing of this name that was made by this statement.
func (m *migrator) is(name, sql string) (bool, error) {
	n, err := m.conn.Number("SELECT count(*) FROM sqlite_schema WHERE name = ? AND sql = ?", sqltext.TextValue(name), sqltext.TextValue(sql))
	return n > 0, err
}

// search makes the search of a table again after a rebuild of the table, or after another program has
// changed one of its triggers.
func (m *migrator) search(t *table) error {
	if t.Search == nil {
		return nil
	}
	whole := true
	for i, sql := range append(searchTriggers(&t.Table), searchSQL(&t.Table)) {
		name := ownPrefix + t.Search.Name
		if i < len(searchEvents) {
			name += " " + searchEvents[i]
		}
		is, err := m.is(name, sql)
		if err != nil {
			return err
		}
		whole = whole && is
	}
	if whole {
		return nil
	}
	return m.statements(append(dropSearch(t.Search.Name), createSearch(&t.Table)...))()
}
