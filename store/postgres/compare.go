package postgres

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/store/postgres/engine"
)

// step is one change of the database.
type step struct {
	// does is for the log: added column price to table product.
	does string
	// sql are its statements, which are one transaction; alone is one that has to run outside
	// of any, CREATE INDEX CONCURRENTLY.
	sql   []string
	alone bool
	// index is set for a unique index: rows that share a value are a refusal.
	index *index
	table *table
}

// comparison finds the steps from what is there to what the cards want.
type comparison struct {
	conn   *engine.Conn
	schema string
	have   map[string]*present
	// made counts new tables; they are one line in the log, changes one each.
	made    int
	steps   []step
	refused Refused
	notices []string
}

// compare lists the steps for tables. What has to be known of rows is asked on conn.
func (m *comparison) compare(order []*table) error {
	var later []step // foreign keys and indexes, when every table and column is there
	for _, t := range order {
		was := m.have[t.plain]
		switch {
		case was == nil:
			m.made++
			m.steps = append(m.steps, step{table: t, sql: t.create()})
			for _, c := range t.columns {
				if c.refs != nil {
					later = append(later, step{table: t, sql: []string{t.addReference(c, m.schema)}})
				}
			}
		case was.kind != "r" && was.kind != "p":
			m.refuse(t, "", "keep rows in it", "it is a view or a foreign table", "rename it, or name another schema with ?schema= in the store's URL")
		default:
			more, err := m.change(t, was)
			if err != nil {
				return err
			}
			later = append(later, more...)
		}
	}
	m.steps = append(m.steps, later...)
	return nil
}

func (m *comparison) refuse(t *table, column, does, reason, remedy string) {
	m.refused = append(m.refused, Refusal{Step: does, Table: t.plain, Column: column, Reason: reason, Remedy: remedy})
}

// change compares one table that is there.
func (m *comparison) change(t *table, was *present) (later []step, err error) {
	if len(was.primary) != 1 || was.primary[0] != t.primary().name {
		m.refuse(t, t.primary().name, "make it the primary key", "the table has the primary key "+quoted(was.primary), "keep the primary key, or move the rows to a new table")
		return nil, nil
	}
	for _, c := range t.columns {
		old := was.column(c.name)
		if old == nil {
			if later, err = m.add(t, c, later); err != nil {
				return nil, err
			}
			continue
		}
		if old.typ != c.typ {
			m.refuse(t, c.name, fmt.Sprintf("change the type from %s to %s", old.typ, c.typ), "the program does not convert values", "keep the type, or change it with ALTER TABLE … ALTER COLUMN … TYPE")
			continue
		}
		if later, err = m.same(t, c, old, later); err != nil {
			return nil, err
		}
	}
	for i := range was.columns {
		old := &was.columns[i]
		if t.property(old.name) != nil {
			continue
		}
		if old.notNull && !old.byDefault {
			m.refuse(t, old.name, "write rows without the column", "no field has it, and it may not be null", "declare the field again, or drop the column, or give it a DEFAULT")
		} else {
			m.notices = append(m.notices, fmt.Sprintf("table %s has the column %s, which no field has; it is left alone", t.plain, old.name))
		}
	}
	return append(later, m.indexes(t, was)...), nil
}

// add lists the steps for a column that is missing.
func (m *comparison) add(t *table, c *column, later []step) ([]step, error) {
	if c.notNull && c.fill == "" {
		rows, err := m.count("SELECT count(*) FROM " + t.Name)
		if err != nil {
			return nil, err
		}
		if rows > 0 {
			m.refuse(t, c.name, "add a column that is never null", fmt.Sprintf("%s, and none has a value for it", plural(rows, "there is %d row", "there are %d rows")),
				"let the field be null, or say what older rows get with lifecycle.create: {value: …}")
			return later, nil
		}
	}
	m.steps = append(m.steps, step{table: t, sql: t.addColumn(c), does: "added column " + c.name + " to table " + t.plain})
	if c.refs != nil {
		later = append(later, step{table: t, sql: []string{t.addReference(c, m.schema)}, does: "added the relation of column " + c.name + " of table " + t.plain})
	}
	return later, nil
}

// same lists the steps for a column that is there with its type.
func (m *comparison) same(t *table, c *column, old *presentColumn, later []step) ([]step, error) {
	alter := "ALTER TABLE " + t.Name + " "
	switch {
	case c.notNull && !old.notNull:
		nulls, err := m.count("SELECT count(*) FROM " + t.Name + " WHERE " + c.Name + " IS NULL")
		if err != nil {
			return nil, err
		}
		if nulls > 0 {
			m.refuse(t, c.name, "make the column never null", plural(nulls, "%d row holds null", "%d rows hold null"), "give those rows a value first, or let the field be null")
			break
		}
		m.steps = append(m.steps, step{table: t, sql: []string{alter + "ALTER COLUMN " + c.Name + " SET NOT NULL"}, does: "made column " + c.name + " of table " + t.plain + " never null"})
	case !c.notNull && old.notNull:
		m.steps = append(m.steps, step{table: t, sql: []string{alter + "ALTER COLUMN " + c.Name + " DROP NOT NULL"}, does: "let column " + c.name + " of table " + t.plain + " be null"})
	}
	for _, ck := range old.checks {
		if strings.HasPrefix(ck.name, c.name+":") && !slices.Contains(c.checks, ck) {
			m.steps = append(m.steps, step{table: t, sql: []string{alter + "DROP CONSTRAINT " + quote(ck.name)}, does: "dropped " + ck.name + " of table " + t.plain})
		}
	}
	for _, ck := range c.checks {
		if slices.Contains(old.checks, ck) {
			continue
		}
		bad, err := m.count("SELECT count(*) FROM " + t.Name + " WHERE NOT (" + ck.expr + ")")
		if err != nil {
			return nil, err
		}
		_, keyword, _ := strings.Cut(ck.name, ":")
		if bad > 0 {
			m.refuse(t, c.name, "hold the column to "+keyword, plural(bad, "%d row breaks it", "%d rows break it"), "change those rows first, or widen "+keyword)
			continue
		}
		m.steps = append(m.steps, step{table: t, sql: []string{alter + "ADD " + ck.sql(), ck.comment(t)}, does: "holds column " + c.name + " of table " + t.plain + " to " + keyword})
	}
	return m.reference(t, c, old, later)
}

// reference lists the steps for the foreign key of a column that is there.
func (m *comparison) reference(t *table, c *column, old *presentColumn, later []step) ([]step, error) {
	same := func() bool {
		return old.refs.table == c.refs.table && old.refs.column == c.refs.column && old.refs.onDelete == c.refs.onDelete
	}
	switch {
	case c.refs == nil && old.refs == nil, c.refs != nil && old.refs != nil && same():
		return later, nil
	case old.refs != nil:
		m.steps = append(m.steps, step{table: t, sql: []string{"ALTER TABLE " + t.Name + " DROP CONSTRAINT " + quote(old.refs.name)}, does: "dropped the relation of column " + c.name + " of table " + t.plain})
	}
	if c.refs == nil {
		return later, nil
	}
	if m.have[c.refs.table] != nil {
		bad, err := m.count("SELECT count(*) FROM " + t.Name + " AS t WHERE t." + c.Name + " IS NOT NULL AND NOT EXISTS (SELECT 1 FROM " +
			quote(m.schema) + "." + quote(c.refs.table) + " AS p WHERE p." + quote(c.refs.column) + " = t." + c.Name + ")")
		if err != nil {
			return nil, err
		}
		if bad > 0 {
			m.refuse(t, c.name, "hold the relation to "+c.refs.table, plural(bad, "%d row points at none", "%d rows point at none"), "change those rows first, or remove role.relation")
			return later, nil
		}
	}
	return append(later, step{table: t, sql: []string{t.addReference(c, m.schema)}, does: "added the relation of column " + c.name + " of table " + t.plain}), nil
}

// indexes lists the steps for the indexes of a table that is there. Those that this program
// made and the card no longer asks for are dropped, which their prefix shows: an index that
// somebody else made stays.
func (m *comparison) indexes(t *table, was *present) (steps []step) {
	drop := func(name string) {
		steps = append(steps, step{table: t, sql: []string{"DROP INDEX CONCURRENTLY IF EXISTS " + quote(m.schema) + "." + quote(name)}, alone: true, does: "dropped index " + name})
	}
	wanted := map[string]bool{}
	for i := range t.indexes {
		ix := &t.indexes[i]
		wanted[ix.name] = true
		old, there := was.indexes[ix.name]
		if there && old.valid && old.plain && old.unique == ix.unique && old.columns == t.columnsSQL(*ix) {
			continue
		}
		if there {
			drop(ix.name)
		}
		steps = append(steps, step{table: t, index: ix, sql: []string{t.createIndex(*ix, "CONCURRENTLY")}, alone: true, does: "made index " + ix.name})
	}
	for name := range was.indexes {
		if !wanted[name] && (strings.HasPrefix(name, t.plain+":index ") || strings.HasPrefix(name, t.plain+":unique ")) {
			drop(name)
		}
	}
	return steps
}

// count runs a statement that returns one number.
func (m *comparison) count(sql string) (n int64, err error) {
	err = m.conn.Run(&engine.Query{Text: []byte(sql), Row: func(v [][]byte) error {
		n = number(v[0])
		return nil
	}})
	return n, err
}

// quoted lists names for a message.
func quoted(names []string) string {
	if len(names) == 0 {
		return "of no column"
	}
	return strings.Join(names, ", ")
}

// plural is a message with a number in it, in the singular or the plural.
func plural(n int64, one, many string) string {
	if n == 1 {
		return fmt.Sprintf(one, n)
	}
	return fmt.Sprintf(many, n)
}
