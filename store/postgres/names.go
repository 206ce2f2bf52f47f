package postgres

import (
	"fmt"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/postgres/engine"
)

// The ledger of names: what cards have called a table, or a column of it ("" for the table
// itself), parted by spaces, the name of now last.
const (
	makeNames = `CREATE TABLE IF NOT EXISTS ` + engine.Bookkeeping + `.names (schema text, "table" text, "column" text, called text NOT NULL, at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (schema, "table", "column"))`

	readNames = `SELECT "table", "column", called, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') FROM ` + engine.Bookkeeping + `.names WHERE schema = $1 ORDER BY at, "table", "column"`
)

// readWritten says whether the ledger was ever written. Every role may ask for the size of a table.
const readWritten = `SELECT count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = '` + engine.Bookkeeping + `' AND c.relname = 'names' AND pg_catalog.pg_relation_size(c.oid) > 0`

// Rename implements [migration.Database].
func (m *migrator) Rename(r *migration.Renaming) {
	m.add(r.Step, work{table: m.before.ByName[r.Table], groups: []group{one(m.nameSQL(r.Entry))}})
}

// History implements [migration.Database].
func (m *migrator) History(most int) ([]migration.Entry, error) {
	return history(m.conn, m.schema, most)
}

// Settle implements [migration.Database]. It gives each column whose type changes the name of a new
// one: a program that runs with the older cards finds no column of that name, and neither reads nor
// writes values of another type.
func (m *migrator) Settle(all []migration.Difference) (names *migration.Names, err error) {
	m.tables, m.moved = m.before, map[*schema.Property]migration.Called{}
	names = m.before.Names
	for _, d := range all {
		if d.Op != migration.ChangeType || d.Column.Primary {
			continue
		}
		p := m.before.ByName[d.Table.Name].byName(d.Column.Name).Prop
		names, m.moved[p] = names.Move(p.Owner.Key, p.Name)
	}
	if len(m.moved) == 0 {
		return names, nil
	}
	if m.tables, err = newTables(m.Task.Entities, m.schema, names); err == nil {
		m.tables.Take(m.adopted)
	}
	return names, err
}

// Ledger implements [migration.Database]. A role that may not read it works without it while it is
// empty: every table has the name of its entity then.
func (m *migrator) Ledger() (all []migration.Called, err error) {
	err = m.conn.Run(&engine.Query{Text: []byte(readNames), Values: [][]byte{[]byte(m.schema)}, Row: func(v [][]byte) error {
		all = append(all, migration.Called{Table: string(v[0]), Column: string(v[1]), Names: strings.Fields(string(v[2])), At: string(v[3])})
		return nil
	}})
	if engine.Missing(err) {
		return nil, nil
	}
	if engine.Lacks(err) == "" {
		return all, err
	}
	written, err := m.Number(readWritten)
	if err == nil && written > 0 {
		err = fmt.Errorf("the role of the connection may not read %[1]s.names, which says the tables of renamed entities; let it: GRANT USAGE ON SCHEMA %[1]s and GRANT SELECT ON %[1]s.names", engine.Bookkeeping)
	}
	return nil, err
}

// nameSQL writes an entry of the ledger.
func (m *migrator) nameSQL(c migration.Called) string {
	return "INSERT INTO " + engine.Bookkeeping + `.names (schema, "table", "column", called) VALUES (` +
		literal(m.schema) + ", " + literal(c.Table) + ", " + literal(c.Column) + ", " + literal(strings.Join(c.Names, " ")) +
		`) ON CONFLICT (schema, "table", "column") DO UPDATE SET called = excluded.called, at = now()`
}

// forgetSQL removes the entry of a column that is dropped.
func (ch *change) forgetSQL(column string) string {
	return "DELETE FROM " + engine.Bookkeeping + ".names WHERE schema = " + literal(ch.m.schema) + ` AND "table" = ` + literal(ch.Was.Name) + ` AND "column" = ` + literal(column)
}
