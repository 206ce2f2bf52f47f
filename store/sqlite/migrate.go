package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/dbschema"
	"github.com/frondhost/frond/store/sqlite/engine"
)

// Prepare makes or changes the tables of entities so that they hold what the cards say
// (docs/decisions/033). Everything happens in one transaction; the error is [Refused] where a
// change would lose data, and then nothing has changed. Other errors are those of a card that
// no table can follow, and of the database. Views and entities without a primary key have no
// table. Tables of entities that are gone are left alone. Prepare may be called again, with
// other cards, while the store is in use: writes wait for it, and reads that began before it
// keep their tables.
func (s *Store) Prepare(ctx context.Context, entities []*schema.Entity) error {
	all := &tables{byEntity: map[*schema.Entity]*table{}, byKey: map[string]*table{}}
	stored := map[string]bool{}
	for _, e := range entities {
		stored[e.Key] = e.Primary != nil && !e.View
	}
	if s.db.Foreign() {
		err := s.db.Read(ctx, func(c *engine.Conn) (err error) {
			all.foreign, err = describe(c, func(*dbschema.Table) bool { return false })
			return err
		})
		if err != nil {
			return err
		}
	}
	var faults []error
	var order []*table
	for _, e := range entities {
		if !stored[e.Key] {
			continue
		}
		t, err := s.newTable(e, all.foreign, func(key string) bool { return stored[key] })
		if err != nil {
			faults = append(faults, err)
			continue
		}
		all.byEntity[e], all.byKey[e.Key] = t, t
		order = append(order, t)
	}
	// Nothing is written while a card cannot become a table: the author reads all of those
	// first.
	if faults != nil {
		return errors.Join(faults...)
	}
	if all.foreign != nil {
		s.tables.Store(all) // another program's tables are served as they are
		return nil
	}
	return s.db.Write(&engine.Op{Ctx: ctx, Alone: true, Run: func(c *engine.Conn) error {
		if err := s.migrate(c, order); err != nil {
			return err
		}
		s.tables.Store(all)
		return nil
	}})
}

// migrate runs on the writer, outside a transaction: a table can only be built anew while
// foreign keys are not enforced, and PRAGMA foreign_keys does nothing inside a transaction.
// What is logged is logged after the commit.
func (s *Store) migrate(c *engine.Conn, order []*table) (err error) {
	if err := c.Once("PRAGMA foreign_keys = OFF"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Once("PRAGMA foreign_keys = ON")) }()
	m := &migration{conn: c}
	err = c.InTransaction(func(*engine.Conn) error { return m.tables(order) })
	switch {
	// The refusals are the error, whatever InTransaction returned: it has rolled back because
	// of them.
	case m.refused != nil:
		return m.refused
	case engine.Unavailable(err):
		return engine.Public(context.Background(), err)
	case err != nil:
		return err
	}
	if m.made > 0 {
		s.db.Log().Info("the store made tables", "count", m.made)
	}
	for _, line := range m.log {
		s.db.Log().Info("the store changed", "step", line)
	}
	for _, name := range m.leftovers(order) {
		s.db.Log().Warn("the store holds a table no card describes; it is left alone", "table", name)
	}
	return nil
}

// tables makes or changes every table; it runs in a transaction. References come last, when
// every table that one may point at is there.
func (m *migration) tables(order []*table) (err error) {
	if m.holds, err = inspect(m.conn); err != nil {
		return err
	}
	if err := m.tallies(); err != nil {
		return err
	}
	for _, t := range order {
		if err := m.table(t); err != nil {
			return err
		}
	}
	for _, t := range m.pointing {
		if err := m.references(t); err != nil {
			return err
		}
	}
	if m.refused != nil {
		return m.refused
	}
	return nil
}

// migration is one run over all tables, inside its transaction. Steps that are
// refused are gathered, so that an author reads all of them at once.
type migration struct {
	conn *engine.Conn
	// holds are the tables that were there before, by name in lower case; nil for one that
	// this program did not make.
	holds map[string]*found
	// refused are the steps that are not taken; any of them rolls everything back.
	refused Refused
	// tallied are the tables whose number of rows is kept, by name.
	tallied map[string]bool
	// pointing are the tables whose foreign keys are new and to be checked at the end.
	pointing []*table
	// made counts new tables; they are one line in the log, changes one each.
	made int
	log  []string
}

// refuse notes a step that is not taken; the migration goes on looking, so that all refusals
// are reported at once.
func (m *migration) refuse(t *table, column, step, reason, remedy string) {
	m.refused = append(m.refused, Refusal{Step: step, Table: tableName(t.Entity.Key), Column: column, Reason: reason, Remedy: remedy})
}

// note keeps a line for the log; it is written after the commit.
func (m *migration) note(format string, args ...any) {
	m.log = append(m.log, fmt.Sprintf(format, args...))
}

// table brings one table to what its card says.
func (m *migration) table(t *table) error {
	name := tableName(t.Entity.Key)
	old, there := m.holds[asciiLower(name)]
	before := len(m.refused)
	switch {
	case !there:
		if err := m.conn.Once(t.sql(t.Name)); err != nil {
			return err
		}
		m.made++
		old = &found{}
	case old == nil:
		m.refuse(t, "", "keep rows in it", "it was not made by this program", "name another store, or rename that table")
		return nil
	default:
		if err := m.change(t, old); err != nil {
			return err
		}
	}
	if len(m.refused) > before {
		return nil // its indexes would stand on columns that are not there
	}
	if err := m.indexes(t, old); err != nil {
		return err
	}
	return m.tally(t, old)
}

// indexes makes the indexes of the card and drops those of this program that it no longer asks
// for, which its prefix shows: an index that somebody else made on the table stays.
func (m *migration) indexes(t *table, old *found) error {
	wanted := map[string]bool{}
	for _, ix := range t.indexes {
		wanted[ix.name] = true
		sql := t.indexSQL(ix)
		was, ok := old.indexes[ix.name]
		if ok && was == sql {
			continue
		}
		if ok {
			if err := m.conn.Once("DROP INDEX " + quote(ix.name)); err != nil {
				return err
			}
		}
		err := m.conn.Once(sql)
		if ix.unique && errors.Is(err, sqlite3.CONSTRAINT) {
			names := make([]string, len(ix.columns))
			for i, c := range ix.columns {
				names[i] = c.column
			}
			m.refuse(t, strings.Join(names, ", "), "make the values unique", "some rows share one", "change those rows first, or remove role.unique")
			continue
		}
		if err != nil {
			return err
		}
		// Indexes of a new table belong to making it.
		if len(old.columns) > 0 {
			m.note("made index %s", ix.name)
		}
	}
	for name := range old.indexes {
		if !wanted[name] && strings.HasPrefix(name, tableName(t.Entity.Key)+":") {
			if err := m.conn.Once("DROP INDEX " + quote(name)); err != nil {
				return err
			}
			m.note("dropped index %s", name)
		}
	}
	return nil
}

// references refuses the foreign keys of t that rows already break. SQLite would not: it
// checks only what is written.
func (m *migration) references(t *table) error {
	for _, c := range t.columns {
		if c.refs == nil {
			continue
		}
		parent := quote(tableName(c.refs.Owner.Key))
		bad, err := m.conn.Number("SELECT count(*) FROM " + t.Name + " AS t WHERE t." + c.Name + " IS NOT NULL AND NOT EXISTS (SELECT 1 FROM " +
			parent + " AS p WHERE p." + quote(columnName(c.refs.Name)) + " = t." + c.Name + ")")
		if err != nil {
			return err
		}
		if bad > 0 {
			m.refuse(t, c.column, "hold the relation to "+c.refs.Owner.Name, count(bad, "%d row points at none", "%d rows point at none"),
				"change those rows first, or remove role.relation")
		}
	}
	return nil
}

// leftovers lists the tables that no card describes. They are reported and kept: an entity
// whose card was removed by mistake has its rows when the card is back.
func (m *migration) leftovers(order []*table) []string {
	known := map[string]bool{}
	for _, t := range order {
		known[asciiLower(tableName(t.Entity.Key))] = true
	}
	var names []string
	for key := range m.holds {
		if !known[key] {
			names = append(names, key)
		}
	}
	slices.Sort(names)
	return names
}

// count is a message with a number in it, in the singular or the plural: "%d row holds null".
func count(n int64, one, many string) string {
	if n == 1 {
		return fmt.Sprintf(one, n)
	}
	return fmt.Sprintf(many, n)
}
