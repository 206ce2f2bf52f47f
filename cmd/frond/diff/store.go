package diff

import (
	"slices"

	"github.com/frondhost/frond/schema"
)

// column is a stored field as every store keeps it.
type column struct {
	name    string
	kind    string // of its values
	notNull bool
	// fill says that rows from before the column have a value for it: a constant of the card,
	// or the empty list of a many relation.
	fill     bool
	primary  bool
	indexed  bool
	refs     string // the entity it references; "": none
	onDelete string
	// values is the expression that values: declares for it, which rows of before get.
	values string
	// checks are the enum and the bounds of the card that the table holds the values to.
	checks *schema.Shape
}

// store compares the demands of the cards on a database. It does not look at rows: frond
// migrate plan does.
func (c *comparison) store() {
	is := c.is.tables()
	for _, p := range pairUp(c.was.tables(), is, func(e *schema.Entity) *schema.Entity {
		return first(is, func(now *schema.Entity) bool { return now.Key == c.pair.newName(e.Key) })
	}) {
		try(&c.out, tableRules, p, place{surface: storeSurface, at: p.either().Key})
		if p.was != nil && p.is != nil {
			c.columns(p)
			c.uniques(p)
		}
	}
}

// tables are the entities that have a table here.
func (v *Version) tables() (all []*schema.Entity) {
	for _, e := range v.catalog.Set.Entities {
		if e.Primary != nil && !slices.Contains(v.Remotes, e.Frond) {
			all = append(all, e)
		}
	}
	return all
}

// columns compares the columns of a table that both versions have.
func (c *comparison) columns(table pair[schema.Entity]) {
	was, is := c.was.columns(table.was), c.is.columns(table.is)
	for _, col := range was {
		col.refs = c.pair.newName(col.refs)
	}
	for _, p := range pairUp(was, is, func(col *column) *column {
		return first(is, func(now *column) bool { return now.name == c.pair.newField(table.was, col.name) })
	}) {
		entity := table.was.Key
		if p.was == nil {
			entity = table.is.Key
		}
		try(&c.out, columnRules, p, place{surface: storeSurface, at: entity + "." + p.either().name})
	}
}

// columns are the stored fields of an entity as columns.
func (v *Version) columns(e *schema.Entity) (all []*column) {
	for _, f := range e.Fields {
		if f.Stored {
			col := columnOf(f)
			col.values = v.values(f)
			all = append(all, col)
		}
	}
	return all
}

// values is the expression that gives rows of before their value of a field, or "".
func (v *Version) values(p *schema.Property) string {
	for _, b := range v.changes.Values {
		if b.Field == p {
			return b.Text
		}
	}
	return ""
}

// uniques compares unique constraints by their members.
func (c *comparison) uniques(table pair[schema.Entity]) {
	was, is := c.uniquesOf(table.was, true), c.uniquesOf(table.is, false)
	for _, u := range without(was, is) {
		try(&c.out, uniqueRules, pair[string]{was: &u}, place{surface: storeSurface, at: table.was.Key})
	}
	for _, u := range without(is, was) {
		try(&c.out, uniqueRules, pair[string]{is: &u}, place{surface: storeSurface, at: table.is.Key})
	}
}

// columnOf is a stored field as a column.
func columnOf(p *schema.Property) *column {
	a := &p.Axes
	col := &column{
		name: p.Name, kind: kinds[p.Kind], primary: a.Primary, indexed: a.Index || p.Link != nil && !p.Link.Many, checks: checksOf(p),
	}
	col.notNull = a.Primary || !p.MayBeNull() && p.Shape.Type != "" || a.Relation != nil && a.Relation.Many
	col.fill = a.Create != nil && a.Create.Value != nil || a.Relation != nil && a.Relation.Many
	if a.Relation != nil && !a.Relation.Many {
		col.refs, col.onDelete = a.Relation.To, a.Relation.OnDelete
	}
	return col
}

// checkedByTables are the keywords, in addition to enum, that a table can check on its rows.
var checkedByTables = []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength"}

// checksOf are the enum and the bounds of a field that its table checks. A field with a
// conversion has no checks: its stored value differs from the value that the card bounds.
func checksOf(p *schema.Property) *schema.Shape {
	s := &schema.Shape{Type: p.Shape.Type}
	if p.Axes.In.Name != "" {
		return s
	}
	s.Enum = p.Shape.Enum
	for _, kw := range p.Shape.Extra {
		if !kw.Implied && slices.Contains(checkedByTables, kw.Name) {
			s.Extra = append(s.Extra, kw)
		}
	}
	return s
}
