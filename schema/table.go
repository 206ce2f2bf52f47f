package schema

// Table says where the rows of an entity are kept in a database that was there before the card
// (docs/existing-database.md): what the table and its columns are called there. It is data of
// names; what the columns hold is the database's to say.
type Table struct {
	// Schema is the schema that the table stands in; "" is the database's default.
	Schema string
	// Name is the table or view, as the database spells it.
	Name string
	// Columns are the columns by field, where they are not called as their fields.
	Columns map[string]string
	// Key are the fields that the primary field is made of, where the table's key has several
	// columns; else nil. The primary field then has no column of its own.
	Key []string
	// References are, by field, the fields that a relation to an entity with such a key is made
	// of, in the order of that key. The field has no column of its own.
	References map[string][]string
}

// Column is the column of a field.
func (t *Table) Column(field string) string {
	if name, ok := t.Columns[field]; ok {
		return name
	}
	return field
}
