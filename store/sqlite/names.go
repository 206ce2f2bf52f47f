package sqlite

import (
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// namesTable is the ledger of names: what cards have called a table, or a column of it ("" for the
// table itself), parted by spaces, the name of now last.
const namesTable = ownPrefix + "names"

// makeNames makes it on first use.
const makeNames = `CREATE TABLE IF NOT EXISTS "` + namesTable + `" ("table" TEXT, "column" TEXT, called TEXT NOT NULL, at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY ("table", "column")) STRICT`

// Rename implements [migration.Database].
func (m *migrator) Rename(r *migration.Renaming) {
	r.SQL = []string{makeNames, nameSQL(r.Entry)}
	m.add(r.Step, m.statements(r.SQL))
	m.note("%s: %s", r.Where(), r.Does)
}

// History implements [migration.Database].
func (m *migrator) History(most int) ([]migration.Entry, error) { return history(m.conn, most) }

// Ledger implements [migration.Database].
func (m *migrator) Ledger() (all []migration.Called, err error) {
	err = eachOwn(m.conn, namesTable, func(st *engine.Stmt) {
		all = append(all, migration.ReadCalled(st.ColumnText(0), st.ColumnText(1), st.ColumnText(2), st.ColumnText(3)))
	}, `SELECT "table", "column", called, replace(at, ' ', 'T') || 'Z' FROM "`+namesTable+`" ORDER BY rowid`)
	return all, err
}

// has reports whether the file has a table of this name.
func has(c *engine.Conn, table string) (bool, error) {
	n, err := c.Number("SELECT count(*) FROM sqlite_schema WHERE name = ?", sqltext.TextValue(table))
	return n > 0, err
}

// eachOwn calls row for each row of a statement over one of the store's own tables. A missing table
// has no rows; eachOwn does not make it.
func eachOwn(c *engine.Conn, table string, row func(*engine.Stmt), sql string, args ...sqltext.Value) error {
	there, err := has(c, table)
	if err != nil || !there {
		return err
	}
	return c.Each(row, sql, args...)
}

// write writes the entries that belong to no step.
func (m *migrator) write() error {
	for i, c := range m.tables.Names.Unwritten() {
		if i == 0 {
			if err := m.conn.Once(makeNames); err != nil {
				return err
			}
		}
		if err := m.conn.Once(nameSQL(c)); err != nil {
			return err
		}
	}
	return nil
}

// forgetSQL removes the entry of a dropped column.
func forgetSQL(table, column string) string {
	return `DELETE FROM "` + namesTable + `" WHERE "table" = ` + engine.LiteralText(table) + ` AND "column" = ` + engine.LiteralText(column)
}

// nameSQL writes an entry of the ledger.
func nameSQL(c migration.Called) string {
	return `INSERT OR REPLACE INTO "` + namesTable + `" ("table", "column", called) VALUES (` +
		engine.LiteralText(c.Table) + ", " + engine.LiteralText(c.Column) + ", " + engine.LiteralText(c.Text()) + ")"
}
