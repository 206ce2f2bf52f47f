package adopt

import "github.com/frondhost/frond/store/dbschema"

// Project is what becomes of a database.
type Project struct {
	// Product is the database's: PostgreSQL or SQLite.
	Product  string
	Frond    string
	Entities []*Entity
	// Notes are what a user has to know, in the order of the tables.
	Notes []Note
}

// Entity is a table or a view as an entity.
type Entity struct {
	Name  string
	Table *dbschema.Table
	// Plural and GraphQL are those of its door; "" where the derived ones hold.
	Plural, GraphQL string
	Fields          []*Field
	// Key are the fields that the primary field is made of; nil where it is a column.
	Key []string
	// Only are the built-in operations of its door; nil: all.
	Only []string
	// Secrets are the fields that hold secrets by the names of their columns, and Doorless says
	// that the whole table is bookkeeping by its name.
	Secrets  []string
	Doorless bool
}

// Field is a column, the made-up primary field of a key of several columns, a relation that is
// made of several columns, or the other side of a relation.
type Field struct {
	Name string
	// Column is nil for a field that has no column.
	Column  *dbschema.Column
	Primary bool
	// Unique are the constraints that are written at this field.
	Unique [][]string
	Index  bool
	// Optional says that a new row may leave the field out, Closed that no caller sends it,
	// Fixed that an update cannot change it.
	Optional, Closed, Fixed bool
	Nullable                bool
	Relation                *Relation
	// Made are the fields that a relation to a key of several columns is made of; nil for others.
	Made        []string
	Description string
}

// Relation is where a field leads.
type Relation struct {
	To *Entity
	// Many is the other side of By, a field of To.
	Many     bool
	By       string // "": there is no other that points back
	Of       *Field // likewise: the field of To that points back
	OnDelete string
}

// Note is one thing that a user has to know of a table.
type Note struct {
	Kind  NoteKind
	Table string // "": of the whole database
	What  string // the column, the constraint; "" for the table itself
	Why   string
}

// NoteKind says what a note is about.
type NoteKind string

// The kinds of notes, in the order of the report.
const (
	// Skipped is left out: no card has it.
	Skipped NoteKind = "left out"
	// Restricted is a door without some of the built-in operations.
	Restricted NoteKind = "restricted"
	// Joined is a table between two others.
	Joined NoteKind = "join table"
	// Suggested is a column or a table that callers should perhaps not see.
	Suggested NoteKind = "suggested"
	// Named is a name that had to be settled.
	Named NoteKind = "named"
	// Held is what the database checks and the card does not say.
	Held NoteKind = "held by the database"
	// AsText is a column whose values are carried as the text that the database writes.
	AsText NoteKind = "as text"
)
