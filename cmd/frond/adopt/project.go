package adopt

import "github.com/frondhost/frond/store/dbschema"

// Project is what becomes of a database.
type Project struct {
	// Product is the database's: PostgreSQL or SQLite.
	Product  string
	Frond    string
	Entities []*Entity
	// Notes are the user's list of remarks, in the order of the tables.
	Notes []Note
}

// Entity is a table or a view as an entity.
type Entity struct {
	Name  string
	Table *dbschema.Table
	// Plural and GraphQL are the names of its door; "" keeps the derived ones.
	Plural, GraphQL string
	Fields          []*Field
	// Key are the fields that the primary field is made of; nil if it is a column.
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
	// Column is nil for a field without a column.
	Column  *dbschema.Column
	Primary bool
	// Unique are the constraints to write at this field.
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
	Of       *Field // the field of To that points back
	OnDelete string
}

// Note is one thing that a user has to know of a table.
type Note struct {
	Kind  NoteKind
	Table string // "": of the whole database
	What  string // the column, the constraint; "" for the table itself
	Why   string
}

// NoteKind is the subject of a note.
type NoteKind string

// The kinds of notes, in the order of the report.
const (
	// Skipped is left out: no card has it.
	Skipped NoteKind = "left out"
	// Restricted is a door without some of the built-in operations.
	restricted NoteKind = "restricted"
	// policied is a policy of row-level security.
	policied NoteKind = "row-level security"
	// smart is a line of a comment that PostGraphile reads.
	smart NoteKind = "smart comment"
	// Joined is a table between two others.
	joined NoteKind = "join table"
	// Suggested is a column or a table that callers should perhaps not see.
	suggested NoteKind = "suggested"
	// Named is a name that had to be settled.
	named NoteKind = "named"
	// Held is a check of the database that the card does not have.
	held NoteKind = "held by the database"
	// AsText is a column whose values are carried as the text that the database writes.
	asText NoteKind = "as text"
)
