package adopt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/dbschema"
)

// Options are the user's choices; nil is the zero value.
type Options struct {
	// Frond is the name of the Frond; "" is app.
	Frond string
	// Keys are the columns that identify a row of a view, or of a table without a primary key,
	// by its name in the database.
	Keys map[string][]string
	// Schemas are the schemas whose tables become entities; nil: all.
	Schemas []string
	// Products says that tables which another product keeps for itself become entities too.
	Products bool
	// Known are the entities that an earlier run has named; their names are kept.
	Known []Known
}

// Known is a table that the project has already, with the names of the entity and its fields.
type Known struct {
	Schema, Table string
	Entity        string
	// Fields are the names of fields by column.
	Fields map[string]string
}

// New makes a project of a database. opts may be nil. The result depends on the two alone.
func New(db *dbschema.Database, opts *Options) *Project {
	if opts == nil {
		opts = &Options{}
	}
	b := &builder{opts: opts, project: &Project{Product: db.Product, Frond: opts.Frond}, byTable: map[string]*Entity{}, names: map[string]bool{}, plurals: map[string]bool{}}
	if b.project.Frond == "" {
		b.project.Frond = "app"
	}
	b.entities(db)
	for _, e := range b.project.Entities {
		b.fields(e)
	}
	for _, e := range b.project.Entities {
		b.relations(e)
	}
	for _, e := range b.project.Entities {
		b.inverses(e)
		b.operations(e)
		b.suggest(e)
		b.policies(e)
	}
	b.settle()
	b.unused(db)
	return b.project
}

// builder makes one project.
type builder struct {
	opts    *Options
	project *Project
	byTable map[string]*Entity           // by full name
	foreign map[*dbschema.Table]*product // the products' tables to which the application's refer
	names   map[string]bool              // of entities, in lower case
	plurals map[string]bool
}

// note keeps a note.
func (b *builder) note(kind NoteKind, table, what, format string, args ...any) {
	b.project.Notes = append(b.project.Notes, Note{kind, table, what, fmt.Sprintf(format, args...)})
}

// entities names the entities, those that are known first: a later table never takes the name
// of an earlier one.
func (b *builder) entities(db *dbschema.Database) {
	known := map[string]string{}
	for _, k := range b.opts.Known {
		known[dbschema.FullName(k.Schema, k.Table)] = k.Entity
		b.names[schema.EntityKey(k.Entity)] = true
		b.plurals[strings.ToLower(schema.Plural(k.Entity))] = true
	}
	skipped, foreign, notes := outside(db, known, b.opts.Schemas, b.opts.Products)
	b.foreign, b.project.Notes = foreign, append(b.project.Notes, notes...)
	for i := range db.Tables {
		t := &db.Tables[i]
		if skipped[t] {
			continue
		}
		if why := b.unfit(t); why != "" {
			b.note(Skipped, t.FullName(), "", "%s", why)
			continue
		}
		e := &Entity{Table: t, Name: known[t.FullName()]}
		if e.Name == "" {
			b.nameEntity(e)
		}
		b.byTable[t.FullName()] = e
		b.project.Entities = append(b.project.Entities, e)
	}
}

// nameEntity finds a free name: the table's, the table's with its schema in front, or one with
// a number. Two tables of one singular are two entities: status and statuses keep their own
// words.
func (b *builder) nameEntity(e *Entity) {
	t := e.Table
	name, plural := entityName(t.Name)
	free := func(name string) bool {
		return !b.names[schema.EntityKey(name)] && !b.plurals[strings.ToLower(schema.Plural(name))] && !strings.EqualFold(name, "rpc")
	}
	for n, own := 0, name; !free(name); n++ {
		plural = ""
		switch {
		case n == 0:
			name = legal(ascii(t.Name), "t")
		case n == 1 && t.Schema != "":
			name = legal(ascii(t.Schema+"_"+t.Name), "t")
		default:
			name = own + fmt.Sprint(n+1)
		}
	}
	if want, _ := entityName(t.Name); name != want {
		b.note(named, t.FullName(), "", "the entity is called %s, since %s is taken", name, want)
	}
	e.Name, e.Plural = name, plural
	b.names[schema.EntityKey(name)] = true
	b.plurals[strings.ToLower(schema.Plural(name))] = true
}

// unfit says why a table becomes no entity, or "".
func (b *builder) unfit(t *dbschema.Table) string {
	switch {
	case t.Unfit != "":
		return t.Unfit
	case slices.Contains(omitted(tagsOf(t.Comment)), "read"):
		return "its comment says @omit; remove that line from the comment to have it"
	case !t.May("SELECT"):
		return "the role of the connection may not read it; GRANT SELECT on it, or connect as another role"
	}
	key := b.keyOf(t)
	switch {
	case len(t.Primary) > 0 && !slices.Equal(key, t.Primary):
		return fmt.Sprintf("it has the primary key %s, which identifies its rows; leave out --view-key %s", strings.Join(t.Primary, ","), t.FullName())
	case key == nil && t.View:
		return fmt.Sprintf("a view has no primary key; name the columns that identify a row: --view-key %s=COLUMN", t.FullName())
	case key == nil:
		remedy := "COLUMN"
		if len(t.Uniques) > 0 {
			remedy = strings.Join(t.Uniques[0], ",")
		}
		return fmt.Sprintf("it has no primary key; add one, or name the columns that identify a row: --view-key %s=%s", t.FullName(), remedy)
	}
	for _, name := range key {
		c := t.Column(name)
		switch {
		case c == nil:
			return fmt.Sprintf("--view-key names the column %s, which it does not have", name)
		case c.Type.Kind == dbschema.Unfit:
			return fmt.Sprintf("its key has the column %s of type %s: %s", name, c.Type.Name, c.Type.Unfit)
		case c.Type.List, c.Type.Kind == dbschema.JSON:
			return fmt.Sprintf("its key has the column %s of type %s, and a key is made of plain values", name, c.Type.Name)
		}
	}
	return ""
}

// keyOf are the columns that identify a row of t: the user's choice, else the primary key; nil
// without either.
func (b *builder) keyOf(t *dbschema.Table) []string {
	for _, name := range []string{t.FullName(), t.Name} {
		if key := b.opts.Keys[name]; key != nil {
			return key
		}
	}
	return t.Primary
}

// operations leaves a door the operations that the database can carry out: a view is only read,
// and create needs a field for every column that the database does not fill.
func (b *builder) operations(e *Entity) {
	t := e.Table
	may := map[string]bool{"create": t.May("INSERT"), "update": t.May("UPDATE"), "delete": t.May("DELETE")}
	switch {
	case b.foreigner(e):
		may = map[string]bool{}
	case t.View:
		may = map[string]bool{}
		b.note(restricted, t.FullName(), "", "a view: rows are read, and not written")
	default:
		for _, right := range []string{"INSERT", "UPDATE", "DELETE"} {
			if !t.May(right) {
				b.note(restricted, t.FullName(), "", "the role of the connection lacks the right %s", right)
			}
		}
		for _, op := range omitted(tagsOf(t.Comment)) {
			if may[op] {
				may[op] = false
				b.note(restricted, t.FullName(), "", "no %s: its comment says @omit", op)
			}
		}
		for _, c := range t.Columns {
			if c.Type.Kind == dbschema.Unfit && c.NotNull && c.Fill == dbschema.FillNone && may["create"] {
				may["create"] = false
				b.note(restricted, t.FullName(), "", "no create: the column %s was left out, and every row needs a value in it", c.Name)
			}
		}
	}
	if may["update"] && !slices.ContainsFunc(e.Fields, func(f *Field) bool { return f.Column != nil && !f.Primary && !f.Closed && !f.Fixed }) {
		may["update"] = false
		b.note(restricted, t.FullName(), "", "no update: a row has no field to change except its key")
	}
	if may["create"] && may["update"] && may["delete"] {
		return
	}
	e.Only = []string{"list", "findById", "findByIds"}
	for _, op := range []string{"create", "update", "delete"} {
		if may[op] {
			e.Only = append(e.Only, op)
		}
	}
}

// unused notes keys that a user named for missing tables.
func (b *builder) unused(db *dbschema.Database) {
	for _, name := range b.opts.Schemas {
		if name != db.Schema && !slices.ContainsFunc(db.Tables, func(t dbschema.Table) bool { return t.Schema == name }) {
			b.note(Skipped, name, "", "--schema names a schema without tables; write a schema of the database")
		}
	}
	for _, name := range sorted(b.opts.Keys) {
		if !slices.ContainsFunc(db.Tables, func(t dbschema.Table) bool { return t.Name == name || t.FullName() == name }) {
			b.note(Skipped, name, "", "--view-key names an unknown table or view; write a name of the database")
		}
	}
}

// foreigner notes that a table of a product is read alone.
func (b *builder) foreigner(e *Entity) bool {
	p := b.foreign[e.Table]
	if p == nil {
		return false
	}
	b.note(restricted, e.Table.FullName(), "", "a table of %s itself, to which your rows refer: its rows are read, with %s", p.name, strings.Join(p.people[e.Table.FullName()], ", "))
	return true
}
