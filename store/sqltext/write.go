package sqltext

import (
	"slices"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/schema"
)

// Insert writes an INSERT of one row with all columns, so that all rows of an entity share a
// statement. The values of [Table.Row] are bound by the caller.
//
//	INSERT INTO "post" ("id", "title") VALUES (?, ?)
func (b *Builder) Insert(t *Table) {
	b.Text("INSERT INTO ", t.Name, " (")
	for i, c := range t.Columns {
		Separate(b, i, ", ")
		b.Text(c.Name)
	}
	b.Text(") VALUES (")
	for i := range t.Columns {
		Separate(b, i, ", ")
		b.SQL = b.db.Dialect.Placeholder(b.SQL, i+1)
	}
	b.Text(")")
}

// InsertSparse writes an INSERT of one row with the columns that record has, whose values it
// binds, and returns the row. The database fills the other columns.
//
//	INSERT INTO "Album" ("Title", "ArtistId") VALUES (?, ?) RETURNING "AlbumId"
//	INSERT INTO "Draft" DEFAULT VALUES RETURNING "Id"
func (b *Builder) InsertSparse(t *Table, record facade.Record, row []Value, sel *Selection) error {
	b.Text("INSERT INTO ", t.Name)
	places := make([]int, 0, len(record))
	for _, m := range record {
		c, err := t.Column(t.Entity.Property(m.Name))
		if err != nil {
			return err
		}
		if c.Parts == nil {
			places = append(places, t.Place(c))
		}
	}
	if len(places) == 0 {
		b.Text(" DEFAULT VALUES")
	}
	for i, at := range places {
		b.Text([]string{" (", ", "}[min(i, 1)], t.Columns[at].Name)
	}
	for i, at := range places {
		b.Text([]string{") VALUES (", ", "}[min(i, 1)])
		b.Bind(row[at])
	}
	if len(places) > 0 {
		b.Text(")")
	}
	b.Returning(sel)
	return nil
}

// Row appends the values of one row in the order of the columns, a null for every field that
// the record leaves out. VALIDATION_FAILED for a value that its column cannot hold, and for a
// row without a key.
func (t *Table) Row(args []Value, record facade.Record) ([]Value, error) {
	from := len(args)
	for range t.Columns {
		args = append(args, Value{})
	}
	for _, m := range record {
		c, a, err := t.written(&m)
		if err != nil {
			return args, err
		}
		args[from+t.Place(c)] = a
	}
	if t.Primary != nil && !t.Primary.Filled && t.KeyOf(args[from:]).Kind == Null {
		return args, Refuse(t.Primary.Prop, "required") // SQLite would make up an integer key
	}
	return args, nil
}

// written returns the column that a member of a record is written to, and its value there.
func (t *Table) written(m *schema.Member) (c *Column, v Value, err error) {
	if c, err = t.Column(t.Entity.Property(m.Name)); err != nil {
		return nil, v, err
	}
	if c.Parts != nil {
		return nil, v, Refuse(c.Prop, schema.ReadOnly)
	}
	v, fault := Encode(c.Prop, m.Value)
	if fault != "" {
		return nil, v, Refuse(c.Prop, fault)
	}
	return c, v, nil
}

// Update writes the statement that changes one row and returns it; without a set it reads the
// row. VALIDATION_FAILED for a value that its column cannot hold.
//
//	UPDATE "post" AS t0 SET "title" = ? WHERE t0."id" = ? AND … RETURNING "id", "title"
func (b *Builder) Update(t *Table, sel *Selection, key Value, where *filter.Filter, set facade.Record) error {
	if len(set) == 0 {
		return b.selectRow(t, sel, key, where)
	}
	alias := b.Alias()
	b.Text("UPDATE ", t.Name, " AS ", alias, " SET ")
	for i, m := range set {
		c, a, err := t.written(&m)
		if err != nil {
			return err
		}
		Separate(b, i, ", ")
		b.Text(c.Name, " = ")
		b.Bind(a)
	}
	if err := b.oneRow(t, alias, key, where); err != nil || sel == nil {
		return err
	}
	b.Returning(sel)
	return nil
}

// selectRow writes the statement that reads one row.
//
//	SELECT t0."id", t0."title" FROM "post" AS t0 WHERE t0."id" = ? AND …
func (b *Builder) selectRow(t *Table, sel *Selection, key Value, where *filter.Filter) error {
	alias := b.Alias()
	b.Text("SELECT ")
	b.Columns(sel, alias)
	b.Text(" FROM ", t.Name, " AS ", alias)
	return b.oneRow(t, alias, key, where)
}

// Delete writes the statement that removes one row.
//
//	DELETE FROM "post" AS t0 WHERE t0."id" = ? AND …
func (b *Builder) Delete(t *Table, key Value, where *filter.Filter) error {
	alias := b.Alias()
	b.Text("DELETE FROM ", t.Name, " AS ", alias)
	return b.oneRow(t, alias, key, where)
}

// DeleteAll writes the DELETE of the rows with these keys.
//
//	DELETE FROM "post" AS t0 WHERE t0."id" IN (SELECT value FROM json_each(?))
func (b *Builder) DeleteAll(t *Table, keys []Value) error {
	alias := b.Alias()
	b.Text("DELETE FROM ", t.Name, " AS ", alias, " WHERE ")
	b.db.Dialect.OneOf(b, t.Primary, alias, b.db.Dialect.Keys(t.Primary, slices.Clone(keys)))
	b.reach = fewRows
	return b.Ready()
}

// oneRow writes the condition of a write to one row: its key, and what else has to hold. The
// key is the first value that is bound here, so that [Terms.CheckVisible] can run a kept statement for
// another key.
func (b *Builder) oneRow(t *Table, alias string, key Value, where *filter.Filter) error {
	b.Text(" WHERE ")
	b.Equal(alias, t.Primary, key)
	b.reach = singleRow
	return b.also(where, t, alias)
}

// also writes one more condition.
func (b *Builder) also(f *filter.Filter, t *Table, alias string) error {
	if f != nil {
		b.Text(" AND ")
		b.Filter(f, t, alias)
	}
	return b.Ready()
}

// Returning writes RETURNING for the selection, without an alias, which SQLite does not take
// there.
func (b *Builder) Returning(sel *Selection) {
	b.Text(" RETURNING ")
	b.Columns(sel, "")
}
