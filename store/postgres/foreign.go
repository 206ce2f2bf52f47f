package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/dbschema"
	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// Tables that another program made are served as they are: frond.yaml names them and their columns
// (schema.Table), and the catalogue has the rest. They are neither made nor compared. INSERT names
// the columns that a row has, and the database fills the rest.

// adopt reads the catalogue and makes the tables of the entities that are mapped to one; there
// is nothing to read where none is. The error says which name of frond.yaml is not there.
func (s *Store) adopt(ctx context.Context, all *tables) error {
	if len(all.mapped) == 0 {
		return nil
	}
	in := s.db.Address().Schema
	var db *dbschema.Database
	err := s.db.Maintain(ctx, func(c *engine.Conn) (err error) {
		db, err = readCatalogue(c, in)
		return err
	})
	if err != nil {
		return err
	}
	stored := func(key string) bool { return all.has(key) || all.mapped[key] != nil }
	var faults []error
	for _, key := range sortedKeys(all.mapped) {
		e := all.mapped[key]
		t, err := foreignTable(e, db, in, stored)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		all.byEntity[e], all.byKey[e.Key], all.byName[t.plain] = t, t, t
	}
	all.foreign = db
	return errors.Join(faults...)
}

// take gives t the tables that adopt has made of the same entities.
func (t *tables) take(adopted *tables) {
	for key, e := range t.mapped {
		is := adopted.byKey[key]
		t.byEntity[e], t.byKey[key], t.byName[is.plain] = is, is, is
	}
	t.foreign = adopted.foreign
}

// foreignTable is the table that an entity is mapped to, as the catalogue has it.
func foreignTable(e *schema.Entity, db *dbschema.Database, in string, stored func(key string) bool) (*table, error) {
	fault := func(format string, args ...any) error {
		return fmt.Errorf("entity %s: %s; correct it under tables in frond.yaml", e.Name, fmt.Sprintf(format, args...))
	}
	where := e.Table.Schema
	if where == in {
		where = ""
	}
	is := db.Table(where, e.Table.Name)
	switch {
	case is == nil:
		return nil, fault("the database has no table or view %s", dbschema.FullName(e.Table.Schema, e.Table.Name))
	case !is.May("SELECT"):
		return nil, fmt.Errorf("entity %s: the role of the connection may not read %s; let it: GRANT SELECT ON %s", e.Name, is.FullName(), is.FullName())
	}
	t := &table{plain: is.Name, violations: map[string]violation{}}
	byName := map[string]*schema.Property{}
	var columns, made []*sqltext.Column
	for _, p := range e.Fields {
		switch {
		case !p.Stored:
			continue
		case p.Parts() != nil:
			made = append(made, &sqltext.Column{Prop: p, Decode: appendText})
			continue
		}
		name := e.Table.Column(p.Name)
		described := is.Column(name)
		if described == nil {
			return nil, fault("%s has no column %s for the field %s", is.FullName(), name, p.Name)
		}
		c := foreignColumn(p, described)
		if sqltext.Target(p, stored) != nil {
			c.refs = &reference{}
		}
		byName[name] = p
		t.columns, columns = append(t.columns, c), append(columns, c.Column)
	}
	for _, c := range columns {
		c.NotNull = c.NotNull || !is.View && slices.Contains(e.Table.Key, c.Prop.Name)
	}
	if where == "" {
		where = in
	}
	t.Table = sqltext.NewTable(e, quote(where)+"."+quote(is.Name), columns)
	t.Compose(made)
	t.Sparse = true
	for _, led := range is.Indexed {
		t.indexes = append(t.indexes, index{columns: []string{led}})
	}
	t.indexed(is.View)
	t.foreignViolations(is, byName)
	return t, nil
}

// foreignColumn describes a column of another program's table.
func foreignColumn(p *schema.Property, is *dbschema.Column) *column {
	c := &column{Column: &sqltext.Column{Prop: p, Name: quote(is.Name), Type: is.Type.Name, NotNull: is.NotNull, Filled: is.Fill != dbschema.FillNone}}
	c.name, c.typ, c.notNull = is.Name, is.Type.Name, is.NotNull
	if classOf(c.Column) == asText {
		c.Collation = "default" // whatever the database's order of texts is, it need not be that of bytes
	}
	if p.Kind == schema.KindString && !is.Type.List {
		c.Fits = fits(&is.Type)
	}
	c.Decode = decoderOf(c.Column)
	switch baseType(c.Type) {
	case "bpchar", "char", "character":
		c.Decode = appendUnpadded
	}
	return c
}

// The forms in which the server reads moments without a zone, and times of day without one.
var (
	localForms = []string{"2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02T15:04", time.DateOnly}
	timeForms  = []string{time.TimeOnly, "15:04"}
)

// fits returns a function that reports whether a text is a value of a type; nil for types that are compared by
// their texts.
func fits(t *dbschema.Type) func(text string) bool {
	oneOf := func(layouts []string) func(string) bool {
		return func(text string) bool {
			return slices.ContainsFunc(layouts, func(layout string) bool {
				_, err := time.Parse(layout, text) // takes a fraction behind the seconds too
				return err == nil
			})
		}
	}
	switch {
	case t.Kind == dbschema.Enum:
		return func(text string) bool { return slices.Contains(t.Values, text) }
	case t.Kind == dbschema.DateTime:
		return oneOf(localForms)
	case t.Kind == dbschema.Time && !strings.Contains(t.Name, "with time zone") && t.Name != "timetz":
		clock := oneOf(timeForms)
		return func(text string) bool { return clock(text) || text == "24:00:00" }
	}
	return nil
}

// appendUnpadded appends a text of a fixed length without the blanks that fill it up.
func appendUnpadded(dst, raw []byte) []byte {
	return jsontext.AppendText(dst, bytes.TrimRight(raw, " "))
}

// foreignViolations lists the meaning of the constraints of the table by their names.
func (t *table) foreignViolations(is *dbschema.Table, byName map[string]*schema.Property) {
	for name, columns := range is.Named {
		var members []*schema.Property
		for _, column := range columns {
			if p := byName[column]; p != nil {
				members = append(members, p)
			}
		}
		if len(members) == 0 {
			continue
		}
		t.violations[name] = violation{unique: members, field: members[0], keyword: "check"}
	}
}

// KeyPart writes the value of a column as its text in a key of several columns, in a form that
// does not depend on the session's settings.
func (dialect) KeyPart(b *sqltext.Builder, c *sqltext.Column, alias string) {
	format := ""
	switch classOf(c) {
	case asTime:
		format = `YYYY-MM-DD"T"HH24:MI:SS.US"Z"`
	case asDate:
		format = "YYYY-MM-DD"
	}
	if format == "" {
		b.Text("CAST(")
		b.Column(alias, c)
		b.Text(" AS text)")
		return
	}
	b.Text("to_char(")
	b.Column(alias, c)
	if classOf(c) == asTime && strings.HasSuffix(baseType(c.Type), "tz") || strings.HasSuffix(c.Type, " with time zone") {
		b.Text(" AT TIME ZONE 'UTC'")
	}
	b.Text(", '", format, "')")
}

// sortedKeys lists the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
