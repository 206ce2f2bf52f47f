package migration

import "strings"

// Table describes a table: as a database has it, or as a card wants it.
type Table struct {
	Name string
	// Entity is the name of the entity whose rows it holds; "" for a table that no card
	// describes.
	Entity  string
	Columns []Column
	Indexes []Index
	// Foreign says that this program did not make the table and cannot read its definition.
	// Only a present table can be foreign.
	Foreign bool
}

// Column describes one column.
type Column struct {
	Name string
	// Field is the card's name of it; of a column that no card describes, the name that cards
	// have had for it.
	Field string
	// Kind is the kind of value in the words of a card: string, integer, number, boolean, date,
	// date-time, decimal, json and what else a store has. Messages name it.
	Kind string
	// Type and Collation are SQL's. Mark is the check of a kind that they do not show. Two columns
	// that differ in one of them have two types, of one kind or of two.
	Type, Collation, Mark string
	// Default is the literal for rows that an older program writes without the column, or "".
	// The comparison of tables ignores it.
	Default string
	NotNull bool
	Primary bool
	// Filled says that a row that is older than the column has a value for it without anybody's
	// doing: the database has a default, or the card a constant.
	Filled bool
	Checks []Check
	// References is the foreign key; the zero value for a column without one.
	References Reference
}

// Reference is a foreign key: the column it leads to, and the rest of the clause, such as ON DELETE
// CASCADE, as the store spells it.
type Reference struct{ Table, Column, Rest string }

// Required is the keyword of a check that a store makes for a moment, to make a column never null.
const Required = "required"

// Check is one constraint of a column, known by the keyword of the card that asks for it.
type Check struct{ Keyword, Expression string }

// sameType reports whether two columns hold the same values in the same order.
func (c *Column) sameType(o *Column) bool {
	return c.Type == o.Type && c.Collation == o.Collation && c.Mark == o.Mark
}

// Index is an index or a unique constraint.
type Index struct {
	Name    string
	Unique  bool
	Columns []string
	// Text is the statement that makes it: two texts that differ are two indexes.
	Text string
	// Own says that this program made it, so that it is this program's to drop.
	Own bool
}

// Column returns the column called name, or nil.
func (t *Table) Column(name string) *Column {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	return nil
}

// Index returns the index called name, or nil.
func (t *Table) Index(name string) *Index {
	for i := range t.Indexes {
		if t.Indexes[i].Name == name {
			return &t.Indexes[i]
		}
	}
	return nil
}

// find returns the table called name, without regard to case, or nil.
func find(tables []*Table, name string) *Table {
	for _, t := range tables {
		if strings.EqualFold(t.Name, name) {
			return t
		}
	}
	return nil
}
