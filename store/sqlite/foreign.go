package sqlite

import (
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"sync"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/format"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/dbschema"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// Tables that another program made are served as they are: frond.yaml names them and their columns
// (schema.Table), and the file has the rest. Three things differ from the store's own tables:
//
//	values      a column may hold values of any type, so each value's own type is looked at
//	new rows    INSERT names the columns that a row has; the database fills the rest
//	messages    constraints are called as their columns, and a CHECK has no field to blame

// foreignTable is the table that an entity is mapped to, as the file has it. The error names
// the part of frond.yaml that the file lacks. log gets a warning, once for a field, where a row holds
// a value that its card cannot carry.
func foreignTable(e *schema.Entity, db *dbschema.Database, log *slog.Logger, stored func(key string) bool) (*table, error) {
	fault := func(format string, args ...any) error {
		return fmt.Errorf("entity %s: %s; correct it under tables in frond.yaml", e.Name, fmt.Sprintf(format, args...))
	}
	if e.Table.Schema != "" {
		return nil, fault("SQLite has no schema %s", e.Table.Schema)
	}
	described := findTable(db, e.Table.Name)
	switch {
	case described == nil:
		return nil, fault("the database has no table or view %s", e.Table.Name)
	case described.Unfit != "":
		return nil, fault("%s cannot be served: %s; take the entity out", described.Name, described.Unfit)
	}
	t := &table{foreign: true}
	var columns, made []*sqltext.Column
	var indexes []sqltext.Index
	for _, p := range e.Fields {
		if !p.Stored {
			continue
		}
		c := &column{Column: &sqltext.Column{Prop: p, Odd: sync.OnceFunc(func() {
			log.Warn("a row holds a value that its card cannot carry; it is read as null", "table", e.Table.Name, "column", e.Table.Column(p.Name), "card", kindWord(p.Kind))
		})}}
		if p.Parts() != nil {
			made = append(made, c.Column)
			continue
		}
		is := findColumn(described, e.Table.Column(p.Name))
		if is == nil {
			return nil, fault("%s has no column %s for the field %s", described.Name, e.Table.Column(p.Name), p.Name)
		}
		c.Name, c.Plain, c.Type = quote(is.Name), is.Name, is.Type.Name
		c.Collation, c.Folds = is.Type.Collation, is.Type.Folds
		if !described.IsRowID(is) {
			c.Beyond = beyond(c.Column)
		}
		c.NotNull, c.Filled = is.NotNull && !described.View, is.Fill != dbschema.FillNone
		c.refs = sqltext.Target(p, stored)
		t.columns, columns = append(t.columns, c), append(columns, c.Column)
		for _, led := range described.Indexed {
			if asciiLower(led) == asciiLower(is.Name) {
				indexes = append(indexes, sqltext.Index{Columns: []*sqltext.Column{c.Column}})
			}
		}
	}
	t.Table = sqltext.NewTable(e, quote(described.Name), columns)
	t.Plain, t.Indexes, t.Sparse = described.Name, indexes, true
	t.Compose(made)
	t.UseIndexes(described.View)
	if !described.View && !described.NoRowID {
		t.rowid = freeRowID(func(name string) bool { return findColumn(described, name) != nil })
	}
	t.violations = sync.OnceValue(t.listForeignViolations)
	return t, nil
}

// listForeignViolations is listViolations with the unique constraints of the card, which the database may have
// under other indexes.
func (t *table) listForeignViolations() map[string]violation {
	all := t.listViolations()
	for _, members := range t.Entity.Uniques {
		var unique []*sqltext.Column
		for _, p := range members {
			if c := t.Stored(p); c != nil && c.Parts == nil {
				unique = append(unique, c)
			}
		}
		if len(unique) == len(members) {
			t.uniqueViolation(all, unique)
		}
	}
	return all
}

// findTable finds a table as SQLite does, without regard to case.
func findTable(db *dbschema.Database, name string) *dbschema.Table {
	for i := range db.Tables {
		if t := &db.Tables[i]; asciiLower(t.Name) == asciiLower(name) {
			return t
		}
	}
	return nil
}

// findColumn finds a column without regard to case.
func findColumn(t *dbschema.Table, name string) *dbschema.Column {
	for i := range t.Columns {
		if c := &t.Columns[i]; asciiLower(c.Name) == asciiLower(name) {
			return c
		}
	}
	return nil
}

// kindWord names a kind of values in the log.
func kindWord(k schema.Kind) string {
	switch k {
	case schema.KindInteger:
		return "integer"
	case schema.KindNumber:
		return "number"
	case schema.KindBoolean:
		return "boolean"
	case schema.KindDateTime:
		return "date-time"
	case schema.KindJSON:
		return "JSON"
	}
	return "string"
}

// isDate reports whether a text is a date of a card.
var isDate = format.Check("date")

// beyond returns the condition of values that [appendForeign] reads as null, as [sqltext.Column] has it.
func beyond(c *sqltext.Column) func(b *sqltext.Builder, alias string) {
	text := map[schema.Kind]string{ // with # for the column
		schema.KindInteger:  "typeof(#) <> 'integer' AND (typeof(#) <> 'real' OR abs(#) > 9007199254740991 OR CAST(# AS INTEGER) <> #)",
		schema.KindNumber:   "typeof(#) NOT IN ('integer', 'real') OR # IN (9e999, -9e999)",
		schema.KindBoolean:  "typeof(#) <> 'integer' OR # NOT IN (0, 1)",
		schema.KindDate:     "date(#) IS NOT #",
		schema.KindDateTime: "frond_moment(#) IS NULL",
		schema.KindJSON:     "typeof(#) = 'blob' OR typeof(#) = 'text' AND NOT json_valid(#)",
	}[c.Prop.Kind]
	if text == "" {
		text = "# >= x''" // bytes, which are larger than all texts
	}
	parts := strings.Split(text, "#")
	return func(b *sqltext.Builder, alias string) {
		for i, part := range parts {
			if i > 0 {
				b.Column(alias, c)
			}
			b.Text(part)
		}
	}
}

// appendForeign appends a value of a table that another program made, by the type that the
// value has. One that the card cannot carry is null, and is reported.
//
//	card       values
//	boolean    0 and 1
//	integer    whole numbers
//	number     numbers, without infinities
//	date       texts as 2026-01-31
//	date-time  RFC 3339 texts
//	JSON       texts of JSON, numbers
//	strings    texts and numbers
func appendForeign(dst []byte, st *engine.Stmt, i int, c *sqltext.Column) []byte {
	typ, kind := st.ColumnType(i), c.Prop.Kind
	switch typ {
	case sqlite3.NULL:
		return append(dst, "null"...)
	case sqlite3.INTEGER:
		n := st.ColumnInt64(i)
		switch {
		case kind == schema.KindBoolean && (n == 0 || n == 1):
			return strconv.AppendBool(dst, n == 1)
		case kind == schema.KindNumber:
			return sqltext.AppendFloat(dst, float64(n)) // as it is compared, see [asReal]
		case kind == schema.KindInteger, kind == schema.KindJSON:
			return strconv.AppendInt(dst, n, 10)
		case kind == schema.KindString, kind == schema.KindDecimal:
			return append(strconv.AppendInt(append(dst, '"'), n, 10), '"')
		}
	case sqlite3.FLOAT:
		f := st.ColumnFloat(i)
		switch {
		case math.IsInf(f, 0):
		case kind == schema.KindInteger && f == math.Trunc(f) && math.Abs(f) < 1<<53:
			return strconv.AppendInt(dst, int64(f), 10)
		case kind == schema.KindNumber, kind == schema.KindJSON:
			return sqltext.AppendFloat(dst, f)
		case kind == schema.KindString, kind == schema.KindDecimal:
			return jsontext.AppendText(dst, st.ColumnRawText(i))
		}
	case sqlite3.TEXT:
		text := st.ColumnRawText(i)
		switch kind {
		case schema.KindString, schema.KindDecimal:
			return jsontext.AppendText(dst, text)
		case schema.KindDate:
			if isDate(string(text)) {
				return jsontext.AppendText(dst, text)
			}
		case schema.KindDateTime:
			if at, ok := sqltext.NormalTime(string(text)); ok {
				return sqltext.AppendTime(dst, []byte(at))
			}
		case schema.KindJSON:
			if jsontext.Check(text) == nil {
				return append(dst, text...)
			}
		}
	}
	c.Odd()
	return append(dst, "null"...)
}
