package diff

import (
	"slices"

	"github.com/frondhost/frond/schema"
)

// tablePair is the table of an entity in both versions; one of them may be nil.
type tablePair struct{ was, is *schema.Entity }

// columnPair is a column in both versions; one of them may be nil.
type columnPair struct {
	was, is *column
	// values is the expression that values: declares for it, which rows of before get.
	values string
}

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
	// checks are the enum and the bounds of the card that the table holds the values to.
	checks *schema.Shape
}

// store compares the demands of the cards on a database. It does not look at rows: frond
// migrate plan does.
func (c *comparison) store() {
	was, is := c.was.tables(), c.is.tables()
	known := map[string]bool{}
	for _, e := range was {
		pair := tablePair{was: e, is: named(is, c.pair.newName(e.Key))}
		try(&c.out, tableRules, pair, place{surface: storeSurface, at: e.Key})
		if pair.is != nil {
			known[pair.is.Key] = true
			c.columns(pair)
			c.uniques(pair)
		}
	}
	for _, e := range is {
		if !known[e.Key] {
			try(&c.out, tableRules, tablePair{is: e}, place{surface: storeSurface, at: e.Key})
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

// named is the entity of a key; nil where there is none.
func named(list []*schema.Entity, key string) *schema.Entity {
	for _, e := range list {
		if e.Key == key {
			return e
		}
	}
	return nil
}

// columns compares the columns of a table that both versions have.
func (c *comparison) columns(p tablePair) {
	known := map[string]bool{}
	for _, f := range p.was.Fields {
		if !f.Stored {
			continue
		}
		pair := columnPair{was: columnOf(f)}
		pair.was.refs = c.pair.newName(pair.was.refs)
		if to := p.is.Property(c.pair.newField(p.was, f.Name)); to != nil && to.Stored {
			known[to.Name] = true
			pair.is, pair.values = columnOf(to), c.is.values(to)
		}
		try(&c.out, columnRules, pair, place{surface: storeSurface, at: p.was.Key + "." + f.Name})
	}
	for _, f := range p.is.Fields {
		if f.Stored && !known[f.Name] {
			try(&c.out, columnRules, columnPair{is: columnOf(f), values: c.is.values(f)}, place{surface: storeSurface, at: p.is.Key + "." + f.Name})
		}
	}
}

// values is the expression that gives rows of before their value of a field; "" is none.
func (v *Version) values(p *schema.Property) string {
	for _, b := range v.changes.Values {
		if b.Field == p {
			return b.Text
		}
	}
	return ""
}

// uniques compares unique constraints by their members.
func (c *comparison) uniques(p tablePair) {
	was, is := c.uniquesOf(p.was, true), c.uniquesOf(p.is, false)
	for _, u := range without(was, is) {
		try(&c.out, uniqueRules, [2]string{u, ""}, place{surface: storeSurface, at: p.was.Key})
	}
	for _, u := range without(is, was) {
		try(&c.out, uniqueRules, [2]string{"", u}, place{surface: storeSurface, at: p.is.Key})
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

// checksOf are the enum and the bounds of a field that its table checks. There are none for a
// field with a conversion: its stored value differs from the value that the card bounds.
func checksOf(p *schema.Property) *schema.Shape {
	s := &schema.Shape{Type: p.Shape.Type}
	if p.Axes.In.Name != "" {
		return s
	}
	s.Enum = p.Shape.Enum
	for _, kw := range p.Shape.Extra {
		if slices.Contains(checkedByTables, kw.Name) {
			s.Extra = append(s.Extra, kw)
		}
	}
	return s
}
