package sqlite

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/store/sqltext"
	sqlite3 "github.com/ncruces/go-sqlite3"
)

// How a table that is there becomes what its card says (docs/decisions/033). Each difference
// is one of
//
//	none                       nothing is done
//	a new column that may be   ALTER TABLE … ADD COLUMN
//	null and has no value
//	anything else              the rows are asked whether they allow it; then the table is
//	                           built anew, or the step is refused by name
//
// A SELECT counts the rows that stand against a step, so that a refusal says how many there
// are. An empty table allows everything.

// change brings the columns of an existing table to what the card says: by ADD COLUMN where
// that is enough, else by building the table anew (SQLite's ALTER TABLE changes neither types
// nor constraints). Steps that would lose values are refused; then the table is left as it is,
// and so are those of its columns that could be changed.
func (m *migration) change(t *table, old *found) error {
	if old.matches(t) {
		return nil
	}
	rows, err := m.conn.Number("SELECT count(*) FROM " + t.Name)
	if err != nil {
		return err
	}
	before := len(m.refused)
	rebuild := false
	var added []*column
	for _, c := range t.columns {
		was := old.byName[c.column]
		switch {
		// ADD COLUMN takes no value but a literal default, and a NOT NULL column needs one;
		// the table is built anew with the value that older rows get.
		case was == nil && (c.notNull || c.fill.Kind != sqltext.Null):
			if c.notNull && c.fill.Kind == sqltext.Null && rows > 0 {
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
		// A foreign key that is new is checked at the end, when all tables are there
		// (references).
		if c.refs != nil && (was == nil || was.refs != c.definition.refs) && !slices.Contains(m.pointing, t) {
			m.pointing = append(m.pointing, t)
		}
	}
	for i := range old.columns {
		was := &old.columns[i]
		if slices.ContainsFunc(t.columns, func(c *column) bool { return c.column == was.column }) {
			continue
		}
		// A column that holds nothing can go; an empty list of ids is nothing too.
		kept, err := m.conn.Number("SELECT count(*) FROM " + t.Name + " WHERE " + quote(was.column) + " IS NOT NULL AND " + quote(was.column) + " IS NOT '[]'")
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
		if err := m.conn.Once("ALTER TABLE " + t.Name + " ADD COLUMN " + c.definition.sql()); err != nil {
			return err
		}
		m.note("added column %s to table %s", c.column, tableName(t.Entity.Key))
	}
	return nil
}

// matches says whether the columns are the card's already, in whatever order: SELECT and
// INSERT name their columns.
func (f *found) matches(t *table) bool {
	for _, c := range t.columns {
		if was := f.byName[c.column]; was == nil || !was.same(&c.definition) {
			return false
		}
	}
	return len(f.columns) == len(t.columns)
}

// column refuses what the rows do not allow of a change to one column: another primary key, a
// type that loses values, NOT NULL where there are nulls, and checks that rows break. A check
// that was there before holds already.
func (m *migration) column(t *table, c *column, was *definition) error {
	held, err := m.conn.Number("SELECT count(*) FROM " + t.Name + " WHERE " + c.Name + " IS NOT NULL")
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
			bad, err := m.conn.Number("SELECT count(*) FROM " + t.Name + " WHERE NOT (" + strings.ReplaceAll(condition, "$", c.Name) + ")")
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
		nulls, err := m.conn.Number("SELECT count(*) FROM " + t.Name + " WHERE " + c.Name + " IS NULL")
		if err != nil {
			return err
		}
		if nulls > 0 {
			m.refuse(t, c.column, "make the column never null", count(nulls, "%d row holds null", "%d rows hold null"),
				"give those rows a value first, or let the field be null")
		}
	}
	for _, ck := range c.checks {
		// The marks of a kind come with the type, which was looked at above.
		if slices.Contains(was.checks, ck) || strings.HasPrefix(ck.keyword, "kind ") {
			continue
		}
		bad, err := m.conn.Number("SELECT count(*) FROM " + t.Name + " WHERE NOT (" + ck.expr + ")")
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

// conversions are the changes of a column's type that lose nothing, by "from to to" in the
// names of kindName, with what has to hold for each row ($ is the column; "" is nothing). 2^53
// is where a REAL stops to hold every integer.
var conversions = map[string]string{
	"date to string":      "",
	"date-time to string": "",
	"decimal to string":   "",
	"string to date":      "$ GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'",
	"integer to number":   "$ BETWEEN -9007199254740992 AND 9007199254740992",
	"number to integer":   "$ = CAST($ AS INTEGER) AND $ BETWEEN -9007199254740992 AND 9007199254740992",
}

// rebuild makes the table under another name, copies the rows and renames it to the old one's
// place, as SQLite's own documentation of ALTER TABLE describes. It runs inside the
// migration's transaction: a process that dies leaves the old table.
//
//	CREATE TABLE "~new post" (…) STRICT
//	INSERT INTO "~new post" (…) SELECT …, CAST("views" AS INTEGER), ? FROM "post"
//	DROP TABLE "post"
//	ALTER TABLE "~new post" RENAME TO "post"
//
// Foreign keys are not enforced meanwhile (see migrate): dropping the table would cascade.
func (m *migration) rebuild(t *table, old *found) error {
	name := tableName(t.Entity.Key)
	temporary := quote("~new " + name)
	if err := m.conn.Once(t.sql(temporary)); err != nil {
		return err
	}
	var into, from []string
	var args []sqltext.Value
	for _, c := range t.columns {
		into = append(into, c.Name)
		was := old.byName[c.column]
		switch {
		case was == nil:
			from = append(from, "?")
			args = append(args, c.fill)
		case was.typ != c.typ:
			from = append(from, "CAST("+c.Name+" AS "+c.typ+")")
		default:
			from = append(from, c.Name)
		}
	}
	err := m.conn.Exec("INSERT INTO "+temporary+" ("+strings.Join(into, ", ")+") SELECT "+strings.Join(from, ", ")+" FROM "+t.Name, args...)
	if errors.Is(err, sqlite3.CONSTRAINT) {
		// What was asked of each column before has held; this is a change in how two of them meet.
		m.refuse(t, "", "carry the rows over", "some break a constraint of the new table", "change those rows first")
		return m.conn.Once("DROP TABLE " + temporary)
	}
	if err != nil {
		return err
	}
	if err := m.conn.Once("DROP TABLE " + t.Name); err != nil {
		return err
	}
	if err := m.conn.Once("ALTER TABLE " + temporary + " RENAME TO " + t.Name); err != nil {
		return err
	}
	m.note("built table %s anew", name)
	old.indexes, old.triggers = nil, nil // they went with the table
	return nil
}
