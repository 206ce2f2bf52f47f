package migration

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Naming is how a store names the table of a new entity, by its key, and the column of a new
// field.
type Naming struct{ Table, Column func(name string) string }

// Called is an entry of the ledger of names, which a store keeps with its tables: the names that
// cards have had for a table (the keys of entities) or for a column (of fields), the oldest first.
// A rename appends a name; the table and the column keep their own.
type Called struct {
	Table  string // in the database
	Column string // in the database; "" for the table itself
	Names  []string
	// Lasting is the name that the table or the column had in the database before a physical rename;
	// "": it had no other one. Marks of seeds and names of files have it.
	Lasting string
	// At is when the entry was written, as RFC 3339 in UTC; "" for a new one.
	At string
}

// ReadCalled returns an entry whose names and lasting name are text, as [Called.Text] has them.
func ReadCalled(table, column, text, at string) Called {
	c := Called{Table: table, Column: column, Names: strings.Fields(text), At: at}
	if len(c.Names) > 0 && c.Names[0][0] == '=' { // no name of a card: programs without physical renames skip it
		c.Lasting, c.Names = c.Names[0][1:], c.Names[1:]
	}
	return c
}

// Text returns the names, parted by spaces, behind =LASTING where the entry has one.
func (c *Called) Text() string {
	text := strings.Join(c.Names, " ")
	if c.Lasting != "" {
		text = "=" + c.Lasting + " " + text
	}
	return text
}

// entry returns the entry of the ledger for a table, or for a column of it.
func (x *thing) entry(table, column string) Called {
	return Called{Table: table, Column: column, Names: x.called, Lasting: x.lasting}
}

// entries returns the entries of the ledger for a table and its columns.
func (x *thing) entries() (all []Called) {
	if x.called != nil {
		all = append(all, x.entry(x.name, ""))
	}
	for _, c := range x.columns.all {
		if c.called != nil {
			all = append(all, c.entry(x.name, c.name))
		}
	}
	return all
}

// ledger is the record of names that a store keeps.
type ledger struct {
	Names []Called
	// History returns the migrations of the store; programs that have renamed tables themselves
	// have recorded it there alone.
	History func() ([]Entry, error)
}

// Names says which table of a database holds the rows of an entity, and which column holds a
// field. It never changes after [resolve] and may be shared.
type Names struct {
	naming Naming
	tables space
}

// DefaultNames are the names in a database without tables.
func DefaultNames(naming Naming) *Names { return &Names{naming, space{plain: naming.Table}} }

// Table returns the table of the entity with this key.
func (n *Names) Table(key string) string { return n.tables.find(key).name }

// Has reports whether the entity with this key has a table, or had one under that name.
func (n *Names) Has(key string) bool { return n.tables.own(n.Table(key)) != nil }

// Column returns the column of a field of the entity with this key, by its name of now or by one
// that it had before.
func (n *Names) Column(key, field string) string {
	if t := n.tables.find(key); t.columns.plain != nil {
		return t.columns.find(field).name
	}
	return n.naming.Column(field)
}

// Lasting returns names of a field of the entity with this key that its renames do not change. The first
// name belongs to this field alone; programs may have written the other names in its place.
func (n *Names) Lasting(key, field string) []string {
	t := n.tables.find(key)
	c := &thing{}
	if t.columns.plain != nil {
		c = t.columns.find(field)
	}
	lasting := func(x *thing, name string) string {
		if x.called == nil {
			return name
		}
		return cmp.Or(x.lasting, x.name)
	}
	now, first := key+"."+field, lasting(t, key)+"."+lasting(c, field)
	if now == first {
		return []string{now}
	}
	other := n.tables.own(key)
	if other == nil || other == t && (t.columns.own(field) == nil || t.columns.own(field) == c) {
		return []string{first, now}
	}
	return []string{first} // now is that of a field whose name this one has taken
}

// Move returns names under which a field has a new column, and the entry of the ledger for it. Its
// column of now is to be dropped. n does not change.
func (n *Names) Move(key, field string) (*Names, Called) {
	moved := &Names{n.naming, n.tables}
	t := *n.tables.find(key)
	was := t.columns.find(field)
	t.columns.wanted = maps.Clone(t.columns.wanted)
	is := t.columns.make(field)
	is.called, is.unwritten = was.called, false
	if is.called == nil {
		is.called = []string{field}
	}
	t.columns.wanted[field] = is
	t.columns.all = slices.DeleteFunc(slices.Clone(t.columns.all), func(x *thing) bool { return x == was })
	moved.tables.wanted = maps.Clone(n.tables.wanted)
	moved.tables.wanted[key] = &t
	return moved, is.entry(t.name, is.name)
}

// Noted reports whether the ledger has an entry of a column.
func (n *Names) Noted(table, column string) bool {
	t := n.tables.own(table)
	if t == nil {
		return false
	}
	c := t.columns.own(column)
	return c != nil && c.called != nil
}

// Mark returns the name under which a store notes something about the entity with this key: the
// key that its table was made for. A rename does not change it.
func (n *Names) Mark(key string) string {
	t := n.tables.find(key)
	lasting := cmp.Or(t.lasting, t.name)
	for _, name := range append([]string{key}, t.called...) {
		if n.naming.Table(name) == lasting {
			return name
		}
	}
	return lasting
}

// Unwritten returns the entries that the ledger needs in addition to the entries of a plan's
// steps: earlier names that it lacks, and names of tables and columns that could not get the plain
// one. They are written before any step is taken.
func (n *Names) Unwritten() (all []Called) {
	for _, t := range n.tables.all {
		if t.unwritten {
			all = append(all, t.entry(t.name, ""))
		}
		for _, c := range t.columns.all {
			if c.unwritten {
				all = append(all, c.entry(t.name, c.name))
			}
		}
	}
	return all
}
