package sqlite

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// batch is how many rows are copied or computed between two looks at the context.
const batch = 10_000

// worthMeasuring is the number of rows from which the free space of the disk is looked at
// before a table is copied.
const worthMeasuring = 10_000

// build adds the step that rebuilds the table, as SQLite's own documentation of ALTER TABLE
// describes. It runs inside the migration's transaction: a process that dies leaves the old table.
// SQLite keeps few pages in memory and writes the others to its log.
//
//	CREATE TABLE "~new post" (…) STRICT
//	INSERT INTO "~new post" (…) SELECT …, CAST("views" AS INTEGER), 'draft' FROM "post"
//	DROP TABLE "post"
//	ALTER TABLE "~new post" RENAME TO "post"
//
// Foreign keys are not enforced during the copy (see migrate): dropping the table would cascade.
// Columns that no card describes are copied, as ones that may be null, unless they are dropped.
func (ch *change) build() error {
	name := ch.want.Name
	c := &copying{change: ch, name: name, temporary: quote("~new " + name)}
	definitions := make([]string, 0, len(ch.t.columns))
	for _, col := range ch.t.columns {
		definitions = append(definitions, columnSQL(&col.def))
		c.into = append(c.into, col.Name)
		c.from = append(c.from, ch.copied(col))
	}
	for i := range ch.Was.Columns {
		was := ch.Was.Columns[i]
		if ch.want.Column(was.Name) != nil || ch.dropped[was.Name] {
			continue
		}
		was.NotNull = was.NotNull && was.Filled
		definitions = append(definitions, columnSQL(&was))
		c.into, c.from = append(c.into, quote(was.Name)), append(c.from, quote(was.Name))
	}
	create := createTable(c.temporary, definitions)
	step := migration.Step{Op: migration.Rebuild, Entity: ch.t.Entity.Name, Table: name, Effect: migration.Slow, Does: "rebuild the table", Start: migration.Applies, Rows: ch.Held}
	if ch.Held == 0 {
		step.Effect = migration.Online
	}
	if err := ch.measure(&step); err != nil {
		return err
	}
	insert := "INSERT INTO " + c.temporary + " (" + strings.Join(c.into, ", ") + ") SELECT " + strings.Join(c.from, ", ") + " FROM " + ch.t.Name
	if len(ch.Filled) > 0 {
		insert += " /* and the program computes " + strings.Join(slices.Sorted(maps.Keys(ch.Filled)), ", ") + " */"
	}
	end := []string{"DROP TABLE " + ch.t.Name, "ALTER TABLE " + c.temporary + " RENAME TO " + ch.t.Name}
	for _, column := range slices.Sorted(maps.Keys(ch.dropped)) {
		if ch.m.tables.Names.Noted(name, column) {
			end = append(end, forgetSQL(name, column))
		}
	}
	end = append(ch.dropSearches(), end...)
	step.SQL = append([]string{create, insert}, end...)
	for _, ix := range ch.Was.Indexes {
		if now := ch.want.Index(ix.Name); now != nil && now.Text == ix.Text {
			step.SQL = append(step.SQL, indexSQL(ch.t, &ix)...)
		}
	}
	ch.m.add(step, func() error {
		if err := ch.m.conn.Once(create); err != nil {
			return err
		}
		if err := c.copy(); err != nil {
			return err
		}
		return c.replace(end)
	})
	if len(ch.Filled) > 0 {
		ch.m.filled = append(ch.m.filled, ch.t)
	}
	ch.m.note("rebuilt table %s", name)
	return nil
}

// dropSearches returns the statements that remove the searches of a table whose rows are copied: they
// get other numbers than those that a search has kept. See [migrator.search].
func (ch *change) dropSearches() (all []string) {
	for _, ix := range ch.Was.Indexes {
		if isSearch(ix.Name) {
			all = append(all, dropSearch(ix.Name)...)
		}
	}
	return all
}

// indexSQL returns the statements that make an index of a table.
func indexSQL(t *table, ix *migration.Index) []string {
	if isSearch(ix.Name) {
		return createSearch(&t.Table)
	}
	return []string{ix.Text}
}

// measure sets the disk that the copy of a large table needs, and refuses the step where less is
// free. The copy is written to the log first, and then to the file. SQLite does not report the size of
// one table, so the copy counts as large as the file.
func (ch *change) measure(step *migration.Step) error {
	if ch.Held < worthMeasuring {
		return nil
	}
	size, err := ch.m.conn.Number("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
	if err != nil {
		return err
	}
	if step.Bytes = 2 * size; ch.m.store.db.FreeDisk() >= 0 && ch.m.store.db.FreeDisk() < step.Bytes {
		step.Refuse(fmt.Sprintf("the copy needs about %d MiB of disk, and %d MiB are free", step.Bytes>>20, ch.m.store.db.FreeDisk()>>20), "make room, and try again")
	}
	return nil
}

// copied is the value of a column in the new table, from a row of the old one.
func (ch *change) copied(c *column) string {
	was, value := ch.Was.Column(c.Plain), c.Name
	if was == nil {
		return engine.Literal(c.fill)
	}
	if was.Type != c.def.Type {
		value = "CAST(" + value + " AS " + c.def.Type + ")"
	}
	if c.def.NotNull && !was.NotNull && c.fill.Kind != sqltext.Null {
		value = "coalesce(" + value + ", " + engine.Literal(c.fill) + ")"
	}
	return value
}

// copying copies the rows of a table into the new one.
type copying struct {
	*change
	name, temporary string // unquoted; quoted
	into, from      []string
	done            int64
	said            time.Time
}

// copy copies all rows, batch by batch in the order of SQLite's own numbers. A table whose
// fields have taken all names of that number is copied by one statement.
func (c *copying) copy() error {
	rowid := freeRowID(func(name string) bool {
		return slices.ContainsFunc(c.Was.Columns, func(o migration.Column) bool { return asciiLower(o.Name) == name })
	})
	insert := "INSERT INTO " + c.temporary + " (" + strings.Join(c.into, ", ") + ") SELECT " + strings.Join(c.from, ", ") + " FROM " + c.t.Name
	if rowid == "" {
		if len(c.Filled) > 0 {
			return fmt.Errorf("table %s: fields called rowid, oid and _rowid_ prevent computed values; rename one first", c.name)
		}
		return c.m.conn.Once(insert)
	}
	c.said = time.Now()
	next := int64(math.MinInt64)
	for {
		last, err := c.m.conn.Number("SELECT coalesce(max(r), ?1 - 1) FROM (SELECT "+rowid+" AS r FROM "+c.t.Name+" WHERE "+rowid+" >= ?1 ORDER BY "+rowid+fmt.Sprintf(" LIMIT %d)", batch), sqltext.IntValue(next))
		if err != nil || last < next {
			return err
		}
		if err := c.m.ctx.Err(); err != nil {
			return err
		}
		if len(c.Filled) > 0 {
			err = c.computed(rowid, next, last)
		} else {
			err = c.m.conn.Exec(insert+" WHERE "+rowid+" BETWEEN ? AND ? ORDER BY "+rowid, sqltext.IntValue(next), sqltext.IntValue(last))
			c.done += c.m.conn.Raw().Changes()
		}
		if err != nil || last == math.MaxInt64 {
			return err
		}
		next = last + 1
		c.progress()
	}
}

// progress reports how far the copy is, in the log every two seconds.
func (c *copying) progress() {
	if c.Task.Progress != nil {
		c.Task.Progress(c.name, c.done, c.Held)
	}
	if time.Since(c.said) > 2*time.Second {
		c.said = time.Now()
		c.m.store.db.Log().Info("the store rebuilds a table", "table", c.name, "rows", c.done, "of", c.Held)
	}
}

// replace puts the new table in the place of the old one, with the indexes and triggers of the old
// one, including those that no card describes, as far as their columns remain.
func (c *copying) replace(end []string) error {
	keep, err := c.m.List("SELECT sql FROM sqlite_schema WHERE tbl_name = " + engine.LiteralText(c.name) + " AND type IN ('index', 'trigger') AND sql IS NOT NULL AND substr(name, 1, 7) <> '" + ownPrefix + "'")
	if err != nil {
		return err
	}
	if err := c.m.statements(end)(); err != nil {
		return err
	}
	for _, sql := range keep {
		if err := c.m.conn.Once(sql); err != nil {
			c.m.note("left out, because its columns are gone: %s", sql)
		}
	}
	return nil
}
