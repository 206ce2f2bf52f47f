// Package dbschema is the plain description of a database that is there already: its tables and
// views, their columns, keys and references, in words that every database shares. A store
// reads its own catalogue into it; `frond init` makes cards of it, and a store compares it with
// the cards that name its tables. The package knows no SQL and no driver.
//
//	db, err := sqlite.Describe(ctx, "chinook.db")
//	for _, t := range db.Tables { fmt.Println(t.Name, t.Primary, len(t.Columns)) }
package dbschema

import "strings"

// Database describes a database, as its own catalogue does.
type Database struct {
	// Product is "PostgreSQL" or "SQLite".
	Product string
	// Schema is the name of the schema of tables without a Table.Schema; "" for SQLite.
	Schema string
	// Tables are tables and views, ordered by schema and name.
	Tables []Table
}

// Table is a table or a view.
type Table struct {
	// Schema is the table's schema; "" if the database has no schemas or the table is in the
	// default one.
	Schema string
	Name   string
	// View says that it is a view, materialised or not: rows are read and never written.
	View    bool
	Comment string
	Columns []Column
	// Primary are the columns of the primary key, in its order; nil if the table has no primary
	// key.
	Primary []string
	// Uniques are the unique constraints and unique indexes other than the primary key, each with
	// its columns in order. Partial indexes and those over expressions are not among them.
	Uniques [][]string
	// Indexed are the columns that lead an index.
	Indexed     []string
	ForeignKeys []Reference
	// Checks are the conditions of the table that the database holds rows to, as SQL.
	Checks []string
	// Policies are the policies of row-level security; nil where the table has it switched off.
	Policies []Policy
	// Secured says that the table has row-level security switched on, and Judged that the policies hold for
	// the role of the connection: it neither owns the table nor bypasses them.
	Secured, Judged bool
	// Named are the columns of each constraint and unique index, by its name, where the database
	// names it in its errors.
	Named map[string][]string
	// NoRowID says that a table of SQLite was made WITHOUT ROWID.
	NoRowID bool
	// Unfit is the reason why the table cannot be served, or "". The other members of an unfit
	// table may be missing.
	Unfit string
	// Denied are the rights that the role of the connection lacks: SELECT, INSERT, UPDATE,
	// DELETE.
	Denied []string
}

// Policy is a policy of row-level security.
type Policy struct {
	Name string
	// Command is ALL, SELECT, INSERT, UPDATE or DELETE.
	Command string
	// Roles are the roles that it is for; nil: every role.
	Roles []string
	// Rows is the condition of old rows, Written of new ones, as SQL; "": every row meets it.
	Rows, Written string
}

// Column is one column of a table.
type Column struct {
	Name string
	Type Type
	// NotNull says that no row holds null in it.
	NotNull bool
	Fill    Fill
	Default string // the expression, as SQL
	Comment string
}

// Fill says whether the database itself has a value for a column that a new row leaves out.
type Fill string

// The ways in which a database fills a column.
const (
	// FillNone: a row that leaves the column out holds null.
	FillNone Fill = ""
	// FillDefault: an expression, a sequence, or an identity that a row may override.
	FillDefault Fill = "default"
	// FillAlways: a generated column, or an identity that no row may override. It is never
	// written.
	FillAlways Fill = "always"
)

// Kind is the kind of the values of a type, as far as a card can say it.
type Kind string

// The kinds of types.
const (
	Boolean  Kind = "boolean"
	Integer  Kind = "integer"
	Float    Kind = "float"
	Decimal  Kind = "decimal" // exact: numeric(10, 2)
	Text     Kind = "text"
	Enum     Kind = "enum"
	Date     Kind = "date"
	Instant  Kind = "instant"  // a moment: timestamp with time zone
	DateTime Kind = "datetime" // a date with a time, without a zone
	Time     Kind = "time"     // a time of day, with or without a zone
	UUID     Kind = "uuid"
	JSON     Kind = "json"
	// Other is a type that has no form of its own in a card, and whose values have a text that
	// the database writes and reads: inet, interval, int4range.
	Other Kind = "other"
	// Unfit is a type whose values a card cannot carry; Type.Unfit says why.
	Unfit Kind = "unfit"
)

// Type is a column's type.
type Type struct {
	// Name is the type as SQL of this database writes it: character varying(40).
	Name string
	Kind Kind
	// Bits is the size of an integer: 16, 32 or 64.
	Bits int
	// Length bounds a text, in characters; 0: it has no bound.
	Length int
	// Collation is the collation of a text if it differs from the database's own. Folds says that two
	// texts with different letters may be equal.
	Collation string
	Folds     bool
	// Precision and Scale bound a Decimal; 0 and 0: it has no bound.
	Precision int
	Scale     int
	// Values are the values of an Enum, in its order.
	Values []string
	// List says that a value is an array of values of Kind.
	List bool
	// Domain is the domain that the column is declared with; the other members describe its
	// base type.
	Domain string
	// Least and Most bound an Integer where a domain or a check says so; nil: they do not.
	Least *int64
	Most  *int64
	// Unfit is why no card can carry the values.
	Unfit string
}

// Reference is a foreign key: rows of the table name a row of another one.
type Reference struct {
	Columns []string
	// Schema and Table are the table it leads to, and To the columns there, in the order of
	// Columns.
	Schema string
	Table  string
	To     []string
	// OnDelete is cascade, restrict, set null, or "" for no action; set default is "" too.
	OnDelete string
}

// FullName is the table's name, after its schema if it has one: sales.order_line.
func (t *Table) FullName() string { return FullName(t.Schema, t.Name) }

// FullName joins a schema and a name; the schema may be "".
func FullName(schema, name string) string {
	if schema == "" {
		return name
	}
	return schema + "." + name
}

// Column returns the column called name, or nil. The case of the name counts.
func (t *Table) Column(name string) *Column {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	return nil
}

// Table returns the table or view of a schema ("" as in Table.Schema), or nil.
func (d *Database) Table(schema, name string) *Table {
	for i := range d.Tables {
		if t := &d.Tables[i]; t.Schema == schema && t.Name == name {
			return t
		}
	}
	return nil
}

// May reports whether the role of the connection has a right on the table: SELECT, INSERT,
// UPDATE or DELETE.
func (t *Table) May(right string) bool {
	for _, denied := range t.Denied {
		if strings.EqualFold(denied, right) {
			return false
		}
	}
	return true
}

// IsRowID reports whether a column of SQLite is the row's own number, INTEGER PRIMARY KEY in exactly these
// words. It holds integers alone.
func (t *Table) IsRowID(c *Column) bool {
	return !t.View && !t.NoRowID && len(t.Primary) == 1 && t.Primary[0] == c.Name && strings.EqualFold(c.Type.Name, "INTEGER")
}
