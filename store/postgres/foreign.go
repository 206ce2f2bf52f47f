package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"
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

// adopt reads the catalogue and compiles the tables of the mapped entities; without such entities
// it does not read. The error names the entry of frond.yaml that the database lacks.
func adopt(ctx context.Context, db *engine.DB, all *tables) error {
	if len(all.Mapped) == 0 {
		return nil
	}
	var found *dbschema.Database
	err := db.Maintain(ctx, func(c *engine.Conn) (err error) {
		found, err = readCatalogue(c, db.Address().Schema)
		return err
	})
	if err != nil {
		return err
	}
	return all.Adopt(found)
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
	t := &table{violations: map[string]violation{}}
	byName := map[string]*schema.Property{}
	var columns, made []*sqltext.Column
	for _, p := range e.Fields {
		switch {
		case !p.Stored:
			continue
		case p.Parts() != nil:
			made = append(made, &sqltext.Column{Prop: p, Decode: jsontext.AppendText})
			continue
		}
		name := e.Table.Column(p.Name)
		described := is.Column(name)
		if described == nil {
			return nil, fault("%s has no column %s for the field %s", is.FullName(), name, p.Name)
		}
		c := foreignColumn(p, described)
		c.refs = sqltext.Target(p, stored)
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
	t.Plain = is.Name
	t.Compose(made)
	t.Sparse = true
	for _, led := range is.Indexed {
		if c := t.byName(led); c != nil { // a card may leave columns of another program out
			t.Indexes = append(t.Indexes, sqltext.Index{Columns: []*sqltext.Column{c.Column}})
		}
	}
	t.UseIndexes(is.View)
	t.foreignViolations(is, byName)
	return t, nil
}

// foreignColumn describes a column of another program's table.
func foreignColumn(p *schema.Property, is *dbschema.Column) *column {
	c := &column{Column: &sqltext.Column{Prop: p, Name: quote(is.Name), Plain: is.Name, Type: is.Type.Name, NotNull: is.NotNull, Filled: is.Fill != dbschema.FillNone}}
	if classOf(c.Column) == asText {
		c.Collation = "default" // the database may order texts otherwise than by their bytes
	}
	if p.Kind == schema.KindString && !is.Type.List {
		c.Fits = fits(&is.Type)
	}
	c.Folds, c.Unordered, c.Beyond = is.Type.Folds, baseType(c.Type) == "xml", beyond(c.Column)
	decoded(c.Column)
	return c
}

// beyond returns the condition of values beyond a card, as [sqltext.Column] has it. An index answers it
// and its contrary.
func beyond(c *sqltext.Column) func(b *sqltext.Builder, alias string) {
	var below, above string
	switch classOf(c) {
	case asDate:
		below, above = " < '0001-01-01 BC'", " > '9999-12-31'"
	case asTime:
		below, above = " < '0001-01-01 00:00:00+00 BC'", " >= '10000-01-01 00:00:00+00'"
	case asNumber, asDecimal: // NaN is above all numbers
		below, above = " <= '-Infinity'", " >= 'Infinity'"
	case asInteger:
		if t := baseType(c.Type); t != "numeric" && t != "decimal" {
			return nil
		}
		return func(b *sqltext.Builder, alias string) {
			b.Column(alias, c)
			b.Text(" <> trunc(")
			b.Column(alias, c)
			b.Text(") OR ")
			b.Column(alias, c)
			b.Text(" NOT BETWEEN -9223372036854775808 AND 9223372036854775807")
		}
	default:
		return nil
	}
	return func(b *sqltext.Builder, alias string) {
		b.Column(alias, c)
		b.Text(below, " OR ")
		b.Column(alias, c)
		b.Text(above)
	}
}

// The forms in which the server reads moments without a zone, and times of day without one.
var (
	localForms = []string{"2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02T15:04", time.DateOnly}
	timeForms  = []string{time.TimeOnly, "15:04"}
	zonedForms = []string{"15:04:05-07", "15:04:05-07:00", "15:04-07", "15:04-07:00"}
)

// fits returns a function that reports whether a text is a value of a type; nil for types that compare by
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
		return isLocal(oneOf(localForms))
	case t.Kind == dbschema.Time:
		forms := timeForms
		if strings.Contains(t.Name, "with time zone") || t.Name == "timetz" {
			forms = zonedForms
		}
		clock := oneOf(forms)
		return func(text string) bool {
			rest, midnight := strings.CutPrefix(text, "24:00:00")
			return clock(text) || midnight && (rest == "" || clock("00:00:00"+rest))
		}
	}
	return nil
}

// isLocal returns a function that reports whether a text is a moment without a zone of any year of the
// server, from 4713 BC, or an infinity; common is the same for the years 0000 to 9999.
func isLocal(common func(text string) bool) func(text string) bool {
	return func(text string) bool {
		if text == "infinity" || text == "-infinity" {
			return true
		}
		text, before := strings.CutSuffix(text, " BC")
		year, rest, _ := strings.Cut(text, "-")
		n, err := strconv.Atoi(year)
		if before {
			n = 1 - n
		}
		if err != nil || len(year) < 4 || year[0] == '+' || n < -4712 || n > 294275 {
			return false
		}
		return common(strconv.Itoa(2000+(n%400+400)%400) + "-" + rest) // a year with the same days
	}
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
