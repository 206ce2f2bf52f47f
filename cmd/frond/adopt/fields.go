package adopt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/store/dbschema"
)

// fields makes the fields of an entity: one for each column that a card can say, in their
// order, after a primary field for a key of several columns.
func (b *builder) fields(e *Entity) {
	t, key := e.Table, b.keyOf(e.Table)
	var known map[string]string
	for _, k := range b.opts.Known {
		if k.Schema == t.Schema && k.Table == t.Name {
			known = k.Fields
		}
	}
	taken := map[string]bool{}
	for _, name := range known {
		taken[name] = true
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		if !b.kept(t, c.Name, known) {
			continue
		}
		if c.Type.Kind == dbschema.Unfit {
			b.note(Skipped, t.FullName(), c.Name, "%s: %s", c.Type.Name, c.Type.Unfit)
			continue
		}
		comment, tags := plainComment(c.Comment)
		if omit := omitted(tags); slices.Contains(omit, "read") && known[c.Name] == "" && !slices.Contains(key, c.Name) {
			b.note(Skipped, t.FullName(), c.Name, "its comment says @omit; remove that line from the comment to have it")
			continue
		}
		b.tagged(t.FullName(), c.Name, tags)
		f := &Field{Name: known[c.Name], Column: c, Description: comment, Nullable: !c.NotNull && !slices.Contains(key, c.Name)}
		if f.Name == "" {
			f.Name = b.freeField(t, c.Name, fieldName(c.Name), taken)
		}
		taken[f.Name] = true
		f.Primary = len(key) == 1 && key[0] == c.Name
		f.Closed = c.Fill == dbschema.FillAlways
		f.Optional = !f.Closed && (c.Fill == dbschema.FillDefault || f.Nullable)
		f.Index = slices.Contains(t.Indexed, c.Name) && !f.Primary
		f.Fixed = len(key) > 1 && slices.Contains(key, c.Name) && !f.Closed
		if c.Type.Kind == dbschema.Other {
			b.note(asText, t.FullName(), c.Name, "%s", c.Type.Name)
		}
		e.Fields = append(e.Fields, f)
	}
	if len(key) > 1 {
		for _, column := range key {
			e.Key = append(e.Key, e.field(column).Name)
		}
		own := &Field{Name: b.freeField(t, "", "id", taken), Primary: true, Closed: true, Description: "The key: " + strings.Join(e.Key, ", ") + "."}
		e.Fields = append([]*Field{own}, e.Fields...)
	}
	for _, columns := range t.Uniques {
		b.unique(e, columns)
	}
	b.tagged(t.FullName(), "", tagsOf(t.Comment))
	for _, check := range t.Checks {
		if b.foreign[t] == nil {
			b.note(held, t.FullName(), "", "CHECK %s", check)
		}
	}
}

// freeField is a name for a field that no other field has and that GraphQL can say.
func (b *builder) freeField(t *dbschema.Table, column, want string, taken map[string]bool) string {
	name := want
	for n := 1; taken[name] || reservedFields[name]; n++ {
		switch {
		case column == "":
			name = []string{"key", "rowKey", "primaryKey"}[min(n-1, 2)]
		case n == 1:
			name = want + "Value"
		default:
			name = want + "Value" + fmt.Sprint(n)
		}
	}
	if name != want && column != "" {
		b.note(named, t.FullName(), column, "the field is called %s, since %s is taken", name, want)
	}
	return name
}

// reservedFields are names of fields that every type or filter in GraphQL has already.
var reservedFields = map[string]bool{"nodeId": true, "etag": true, "and": true, "or": true, "not": true}

// field returns the field of a column, or nil.
func (e *Entity) field(column string) *Field {
	for _, f := range e.Fields {
		if f.Column != nil && f.Column.Name == column {
			return f
		}
	}
	return nil
}

// primary is the primary field.
func (e *Entity) primary() *Field {
	for _, f := range e.Fields {
		if f.Primary {
			return f
		}
	}
	return nil
}

// unique writes a unique constraint at its first field. A card cannot express a constraint with
// an omitted column; the database keeps it.
func (b *builder) unique(e *Entity, columns []string) {
	var members []string
	for _, column := range columns {
		f := e.field(column)
		switch {
		case f == nil && b.foreign[e.Table] != nil:
			return // rows are only read
		case f == nil:
			b.note(held, e.Table.FullName(), "", "UNIQUE (%s)", strings.Join(columns, ", "))
			return
		}
		members = append(members, f.Name)
	}
	first := e.field(columns[0])
	if len(members) == 1 && first.Primary || slices.Equal(members, e.Key) {
		return
	}
	for _, other := range first.Unique {
		if slices.Equal(other, members) {
			return
		}
	}
	first.Unique = append(first.Unique, members)
}

// kept reports whether a project has a column of a table that a product made: the columns of people, and
// those that a card has already.
func (b *builder) kept(t *dbschema.Table, column string, known map[string]string) bool {
	p := b.foreign[t]
	return p == nil || known[column] != "" || slices.Contains(p.people[t.FullName()], column)
}

// tagged notes the tags of a comment that have no counterpart in a card.
func (b *builder) tagged(table, column string, tags []string) {
	for _, tag := range tags {
		b.note(smart, table, column, "%s", tag)
	}
}
