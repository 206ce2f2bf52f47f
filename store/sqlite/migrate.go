package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/schema"
)

// Refusal is one step of a migration that would lose data or cannot hold for the
// rows that are there.
type Refusal struct {
	Step   string // what the cards ask for: make the column not null
	Table  string
	Column string // "" for the table itself; members parted by commas for a constraint over several
	Reason string
	Remedy string // what the author can do
}

func (r Refusal) Error() string {
	where := "table " + r.Table
	if r.Column != "" {
		where += ", column " + r.Column
	}
	return fmt.Sprintf("%s: cannot %s: %s; %s", where, r.Step, r.Reason, r.Remedy)
}

// Refused is the error of a Prepare that changed nothing: every refusal at once.
type Refused []Refusal

func (r Refused) Error() string {
	lines := make([]string, len(r))
	for i, one := range r {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Prepare makes or changes the tables of entities so that they hold what the
// cards say. Everything happens in one transaction; the error is Refused where a
// change would lose data, and then nothing has changed. Tables of entities that
// are gone are left alone. It may be called again, with other cards, while the
// store is in use.
func (s *Store) Prepare(ctx context.Context, entities []*schema.Entity) error {
	all := &tables{byEntity: map[*schema.Entity]*table{}, byKey: map[string]*table{}}
	stored := map[string]bool{}
	for _, e := range entities {
		stored[e.Key] = e.Primary != nil && !e.View
	}
	var faults []error
	var order []*table
	for _, e := range entities {
		if !stored[e.Key] {
			continue
		}
		t, err := newTable(e, func(key string) bool { return stored[key] })
		if err != nil {
			faults = append(faults, err)
			continue
		}
		all.byEntity[e], all.byKey[e.Key] = t, t
		order = append(order, t)
	}
	if faults != nil {
		return errors.Join(faults...)
	}
	return s.writer.do(&write{ctx: ctx, alone: true, run: func(c *conn) error {
		if err := s.migrate(c, order); err != nil {
			return err
		}
		s.tables.Store(all)
		return nil
	}})
}

// migrate runs on the writer, outside a transaction: a table can only be built
// anew while foreign keys are not enforced, and that is not for transactions to change.
func (s *Store) migrate(c *conn, order []*table) (err error) {
	if err := c.once("PRAGMA foreign_keys = OFF"); err != nil {
		return err
	}
	defer func() {
		if !c.db.GetAutocommit() {
			err = errors.Join(err, c.once("ROLLBACK"))
		}
		err = errors.Join(err, c.once("PRAGMA foreign_keys = ON"))
	}()
	if err := c.once("BEGIN IMMEDIATE"); err != nil {
		return explain(context.Background(), err)
	}
	m := &migration{conn: c}
	if m.holds, err = inspect(c); err != nil {
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
	if err := c.once("COMMIT"); err != nil {
		return explain(context.Background(), err)
	}
	if m.made > 0 {
		s.log.Info("the store made tables", "count", m.made)
	}
	for _, line := range m.log {
		s.log.Info("the store changed", "step", line)
	}
	for _, name := range m.leftovers(order) {
		s.log.Warn("the store holds a table no card describes; it is left alone", "table", name)
	}
	return nil
}

// migration is one run over all tables, inside its transaction. Steps that are
// refused are gathered, so that an author reads all of them at once.
type migration struct {
	conn     *conn
	holds    map[string]*found // what was there before, by name in lower case
	refused  Refused
	pointing []*table // whose foreign keys are new and to be checked at the end
	made     int
	log      []string
}

func (m *migration) refuse(t *table, column, step, reason, remedy string) {
	m.refused = append(m.refused, Refusal{Step: step, Table: tableName(t.entity.Key), Column: column, Reason: reason, Remedy: remedy})
}

func (m *migration) note(format string, args ...any) {
	m.log = append(m.log, fmt.Sprintf(format, args...))
}

// table brings one table to what its card says.
func (m *migration) table(t *table) error {
	name := tableName(t.entity.Key)
	old, there := m.holds[asciiLower(name)]
	before := len(m.refused)
	switch {
	case !there:
		if err := m.conn.once(t.sql(t.name)); err != nil {
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
	return m.indexes(t, old)
}

// change brings an existing table's columns to what the card says, by adding
// columns where that is all, and by building the table anew where it is not.
func (m *migration) change(t *table, old *found) error {
	if old.matches(t) {
		return nil
	}
	rows, err := m.conn.number("SELECT count(*) FROM " + t.name)
	if err != nil {
		return err
	}
	before := len(m.refused)
	rebuild := false
	var added []*column
	for _, c := range t.columns {
		was := old.byName[c.column]
		switch {
		case was == nil && (c.notNull || c.fill.kind != argNull):
			if c.notNull && c.fill.kind == argNull && rows > 0 {
				m.refuse(t, c.column, "add a column that is never null", fmt.Sprintf("%s, and none has a value for it", count(rows, "there is %d row", "there are %d rows")),
					"let the field be null, or say what older rows get with lifecycle.create: {value: …}")
			}
			rebuild = true
		case was == nil:
			added = append(added, c)
		case was.same(&c.definition):
		default:
			if rows > 0 {
				if err := m.column(t, c, was); err != nil {
					return err
				}
			}
			rebuild = true
		}
		if c.refs != nil && (was == nil || was.refs != c.definition.refs) && !slices.Contains(m.pointing, t) {
			m.pointing = append(m.pointing, t)
		}
	}
	for i := range old.columns {
		was := &old.columns[i]
		if slices.ContainsFunc(t.columns, func(c *column) bool { return c.column == was.column }) {
			continue
		}
		kept, err := m.conn.number("SELECT count(*) FROM " + t.name + " WHERE " + quote(was.column) + " IS NOT NULL AND " + quote(was.column) + " IS NOT '[]'")
		if err != nil {
			return err
		}
		if kept > 0 {
			m.refuse(t, was.column, "drop the column", count(kept, "%d row holds a value in it", "%d rows hold a value in it"),
				"declare the field again, or empty the column first")
		}
		rebuild = true
	}
	if len(m.refused) > before {
		return nil
	}
	if rebuild {
		return m.rebuild(t, old)
	}
	for _, c := range added {
		if err := m.conn.once("ALTER TABLE " + t.name + " ADD COLUMN " + c.definition.sql()); err != nil {
			return err
		}
		m.note("added column %s to table %s", c.column, tableName(t.entity.Key))
	}
	return nil
}

// matches says whether the columns are the card's already, in whatever order.
func (f *found) matches(t *table) bool {
	for _, c := range t.columns {
		if was := f.byName[c.column]; was == nil || !was.same(&c.definition) {
			return false
		}
	}
	return len(f.columns) == len(t.columns)
}

// column refuses what the rows do not allow of a change to one column.
func (m *migration) column(t *table, c *column, was *definition) error {
	held, err := m.conn.number("SELECT count(*) FROM " + t.name + " WHERE " + c.name + " IS NOT NULL")
	if err != nil {
		return err
	}
	if was.primary != c.primary {
		m.refuse(t, c.column, "change the primary key", "rows are known by it", "keep the primary key, or move the rows to a new entity")
		return nil
	}
	if from, to := was.kindName(), c.kindName(); from != to && held > 0 {
		condition, ok := conversions[from+" to "+to]
		if ok && condition != "" {
			bad, err := m.conn.number("SELECT count(*) FROM " + t.name + " WHERE NOT (" + strings.ReplaceAll(condition, "$", c.name) + ")")
			if err != nil {
				return err
			}
			ok = bad == 0
		}
		if !ok {
			m.refuse(t, c.column, fmt.Sprintf("change the type from %s to %s", from, to), count(held, "%d row holds a value of the old type", "%d rows hold values of the old type"),
				"keep the type, or add a field of another name and move the values")
			return nil
		}
	}
	if c.notNull && !was.notNull {
		nulls, err := m.conn.number("SELECT count(*) FROM " + t.name + " WHERE " + c.name + " IS NULL")
		if err != nil {
			return err
		}
		if nulls > 0 {
			m.refuse(t, c.column, "make the column never null", count(nulls, "%d row holds null", "%d rows hold null"),
				"give those rows a value first, or let the field be null")
		}
	}
	for _, ck := range c.checks {
		if slices.Contains(was.checks, ck) || strings.HasPrefix(ck.keyword, "kind ") {
			continue
		}
		bad, err := m.conn.number("SELECT count(*) FROM " + t.name + " WHERE NOT (" + ck.expr + ")")
		if err != nil {
			return err
		}
		if bad > 0 {
			m.refuse(t, c.column, "hold the column to "+ck.keyword, count(bad, "%d row breaks it", "%d rows break it"),
				"change those rows first, or widen "+ck.keyword)
		}
	}
	return nil
}

// conversions are the changes of a column's type that lose nothing, with what has
// to hold for each row ($ is the column; "" is nothing).
var conversions = map[string]string{
	"date to string":      "",
	"date-time to string": "",
	"decimal to string":   "",
	"string to date":      "$ GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'",
	"integer to number":   "$ BETWEEN -9007199254740992 AND 9007199254740992",
	"number to integer":   "$ = CAST($ AS INTEGER) AND $ BETWEEN -9007199254740992 AND 9007199254740992",
}

// rebuild makes the table anew under another name, copies the rows and puts it in
// the old one's place.
func (m *migration) rebuild(t *table, old *found) error {
	name := tableName(t.entity.Key)
	temporary := quote("~new " + name)
	if err := m.conn.once(t.sql(temporary)); err != nil {
		return err
	}
	var into, from []string
	var args []arg
	for _, c := range t.columns {
		into = append(into, c.name)
		was := old.byName[c.column]
		switch {
		case was == nil:
			from = append(from, "?")
			args = append(args, c.fill)
		case was.typ != c.typ:
			from = append(from, "CAST("+c.name+" AS "+c.typ+")")
		default:
			from = append(from, c.name)
		}
	}
	err := m.conn.exec("INSERT INTO "+temporary+" ("+strings.Join(into, ", ")+") SELECT "+strings.Join(from, ", ")+" FROM "+t.name, args...)
	if errors.Is(err, sqlite3.CONSTRAINT) {
		// What was asked of each column before has held; this is a change in how two of them meet.
		m.refuse(t, "", "carry the rows over", "some break a constraint of the new table", "change those rows first")
		return m.conn.once("DROP TABLE " + temporary)
	}
	if err != nil {
		return err
	}
	if err := m.conn.once("DROP TABLE " + t.name); err != nil {
		return err
	}
	if err := m.conn.once("ALTER TABLE " + temporary + " RENAME TO " + t.name); err != nil {
		return err
	}
	m.note("built table %s anew", name)
	old.indexes = nil // they went with the table
	return nil
}

// indexes makes the indexes of the card and drops those of ours it no longer asks for.
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
			if err := m.conn.once("DROP INDEX " + quote(ix.name)); err != nil {
				return err
			}
		}
		err := m.conn.once(sql)
		if ix.unique && errors.Is(err, sqlite3.CONSTRAINT) {
			names := make([]string, len(ix.columns))
			for i, c := range ix.columns {
				names[i] = c.column
			}
			m.refuse(t, strings.Join(names, ", "), "make the values unique", "some rows share one", "change those rows first, or leave role.unique away")
			continue
		}
		if err != nil {
			return err
		}
		if len(old.columns) > 0 {
			m.note("made index %s", ix.name)
		}
	}
	for name := range old.indexes {
		if !wanted[name] && strings.HasPrefix(name, tableName(t.entity.Key)+":") {
			if err := m.conn.once("DROP INDEX " + quote(name)); err != nil {
				return err
			}
			m.note("dropped index %s", name)
		}
	}
	return nil
}

// references refuses foreign keys that rows already break.
func (m *migration) references(t *table) error {
	for _, c := range t.columns {
		if c.refs == nil {
			continue
		}
		parent := quote(tableName(c.refs.Owner.Key))
		bad, err := m.conn.number("SELECT count(*) FROM " + t.name + " AS t WHERE t." + c.name + " IS NOT NULL AND NOT EXISTS (SELECT 1 FROM " +
			parent + " AS p WHERE p." + quote(columnName(c.refs.Name)) + " = t." + c.name + ")")
		if err != nil {
			return err
		}
		if bad > 0 {
			m.refuse(t, c.column, "hold the relation to "+c.refs.Owner.Name, count(bad, "%d row points at none", "%d rows point at none"),
				"change those rows first, or leave role.relation away")
		}
	}
	return nil
}

// leftovers lists tables that no card describes.
func (m *migration) leftovers(order []*table) []string {
	known := map[string]bool{}
	for _, t := range order {
		known[asciiLower(tableName(t.entity.Key))] = true
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

func count(n int64, one, many string) string {
	if n == 1 {
		return fmt.Sprintf(one, n)
	}
	return fmt.Sprintf(many, n)
}
