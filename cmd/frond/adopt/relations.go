package adopt

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/dbschema"
)

// relations makes relations of the entity's foreign keys that lead to the primary key of another
// entity; the columns of every other one stay plain fields, and the reason is noted. A key of
// several columns is followed by a field that is made of those which refer to it.
func (b *builder) relations(e *Entity) {
	for i := range e.Table.ForeignKeys {
		ref := &e.Table.ForeignKeys[i]
		if why := b.relate(e, ref); why != "" && b.foreign[e.Table] == nil {
			b.note(Skipped, e.Table.FullName(), "the reference of "+strings.Join(ref.Columns, ", ")+" to "+dbschema.FullName(ref.Schema, ref.Table), "%s; its columns are plain fields", why)
		}
	}
	if one, two := b.between(e); one != nil {
		b.note(joined, e.Table.FullName(), "", "%s connects %s and %s: it is an entity of its own, with a relation to each", e.Name, one.Name, two.Name)
	}
}

// relate makes a relation of one reference, or says why it cannot.
func (b *builder) relate(e *Entity, ref *dbschema.Reference) string {
	to := b.byTable[dbschema.FullName(ref.Schema, ref.Table)]
	switch {
	case to == nil:
		return "that table was left out"
	case len(ref.Columns) > 1:
		return b.relateSeveral(e, ref, to)
	case len(ref.To) != 1 || to.Key != nil || to.primary().Column.Name != ref.To[0]:
		return "it does not lead to the primary key"
	}
	f := e.field(ref.Columns[0])
	switch {
	case f == nil:
		return "the column was left out"
	case f.Relation != nil && f.Relation.To == to:
		return "another one of this column leads there"
	case f.Relation != nil:
		return "another one of this column leads to " + f.Relation.To.Name
	case shapeType(&f.Column.Type) != shapeType(&to.primary().Column.Type):
		return "the column and the key are of different types"
	}
	f.Relation = &Relation{To: to, OnDelete: ref.OnDelete}
	if f.Relation.OnDelete == schema.SetNull && !f.Nullable {
		f.Relation.OnDelete = "" // it would fail in the database too
	}
	b.freeRelation(e, f)
	return ""
}

// relateSeveral adds a field for a reference of several columns, made of theirs in the order of
// the key that it leads to, or says why it cannot.
func (b *builder) relateSeveral(e *Entity, ref *dbschema.Reference, to *Entity) string {
	if len(to.Key) != len(ref.Columns) || len(ref.To) != len(ref.Columns) {
		return "it does not lead to the primary key"
	}
	own := &Field{Closed: true, Relation: &Relation{To: to, OnDelete: ref.OnDelete}}
	for _, name := range to.Key {
		i := slices.IndexFunc(ref.To, func(column string) bool { f := to.field(column); return f != nil && f.Name == name })
		if i < 0 {
			return "it does not lead to the primary key"
		}
		f := e.field(ref.Columns[i])
		switch {
		case f == nil:
			return "the column " + ref.Columns[i] + " was left out"
		case f.Column.Type.Kind != to.field(ref.To[i]).Column.Type.Kind:
			return "the columns and the key are of different types"
		}
		own.Made = append(own.Made, f.Name)
		own.Nullable = own.Nullable || f.Nullable
	}
	if own.Relation.OnDelete == schema.SetNull && !own.Nullable {
		own.Relation.OnDelete = "" // it would fail in the database too
	}
	taken := e.taken(nil)
	for n := 0; own.Name == ""; n++ {
		name := to.Name + strings.Repeat("Ref", n)
		if !taken[name] && !taken[name+"Id"] && !reservedFields[name] {
			own.Name = name + "Id"
		}
	}
	own.Description = "Leads by " + strings.Join(own.Made, ", ") + "."
	e.Fields = append(e.Fields, own)
	return ""
}

// freeRelation renames a relation's field if the relation, or its key, would have the name of
// another field: author_id next to a column author becomes authorRefId, the relation authorRef.
func (b *builder) freeRelation(e *Entity, f *Field) {
	taken := e.taken(f)
	for name, n := f.Name, 0; ; n++ {
		link, key := linkNames(name, f.Relation.To.Name)
		if !taken[link] && !taken[key] && !taken[name] && !reservedFields[link] && !reservedFields[key] {
			if name != f.Name {
				b.note(named, e.Table.FullName(), f.Column.Name, "the field is called %s, since the relation %s would have the name of another field", name, f.Name)
				e.rename(f, name)
			}
			return
		}
		stem, suffix := f.Name, ""
		if s, ok := strings.CutSuffix(f.Name, "Id"); ok && s != "" {
			stem, suffix = s, "Id"
		}
		name = stem + strings.Repeat("Ref", n+1) + suffix
	}
}

// taken are the names of the entity's fields and relations, without f's.
func (e *Entity) taken(f *Field) map[string]bool {
	taken := map[string]bool{}
	for _, other := range e.Fields {
		if other == f {
			continue
		}
		taken[other.Name] = true
		if r := other.Relation; r != nil && !r.Many {
			link, key := linkNames(other.Name, r.To.Name)
			taken[link], taken[key] = true, true
		}
	}
	return taken
}

// rename gives a field another name, also where constraints and the key name it.
func (e *Entity) rename(f *Field, name string) {
	replace := func(names []string) {
		for i := range names {
			if names[i] == f.Name {
				names[i] = name
			}
		}
	}
	for _, other := range e.Fields {
		for _, members := range other.Unique {
			replace(members)
		}
		if other.Primary && e.Key != nil {
			other.Description = strings.ReplaceAll(other.Description, f.Name, name)
		}
	}
	replace(e.Key)
	for _, other := range e.Fields {
		replace(other.Made)
		if other.Made != nil {
			other.Description = strings.ReplaceAll(other.Description, f.Name, name)
		}
	}
	f.Name = name
}

// linkNames returns the names of a relation to one and of its key, as cards name them
// (docs/decisions/card-language.md).
func linkNames(field, to string) (name, key string) {
	for _, suffix := range []string{"Id", "ID", "_id"} {
		if stem, ok := strings.CutSuffix(field, suffix); ok && stem != "" {
			return stem, field
		}
	}
	if field == "id" {
		return to, field
	}
	return field, field + "Id"
}

// between returns the two entities that a join table connects: its key is the columns of two
// relations, and the database fills its other columns.
func (b *builder) between(e *Entity) (one, two *Entity) {
	if len(e.Key) != 2 {
		return nil, nil
	}
	var ends []*Entity
	for _, f := range e.Fields {
		switch inKey := slices.Contains(e.Key, f.Name); {
		case f.Relation != nil && !f.Relation.Many && inKey:
			ends = append(ends, f.Relation.To)
		case f.Primary, f.Optional, f.Closed:
		default:
			return nil, nil
		}
	}
	if len(ends) != 2 {
		return nil, nil
	}
	return ends[0], ends[1]
}

// inverses adds the other side of every relation that leads to other entities: an album's
// tracks. Where several fields of one entity lead to the same one, and where an entity leads to
// itself, each is called by the relation: employeesByReportsTo.
func (b *builder) inverses(e *Entity) {
	lead := map[*Entity][]*Field{}
	var order []*Entity
	for _, f := range e.Fields {
		if r := f.Relation; r != nil && !r.Many {
			if lead[r.To] == nil {
				order = append(order, r.To)
			}
			lead[r.To] = append(lead[r.To], f)
		}
	}
	for _, to := range order {
		for _, f := range lead[to] {
			by := ""
			if len(lead[to]) > 1 {
				by = f.Name
			}
			link, _ := linkNames(f.Name, to.Name)
			many := cmp.Or(schema.Camel(e.Plural), schema.Plural(e.Name))
			names := []string{many, many + "By" + schema.Capital(link)}
			if by != "" || to == e {
				names = names[1:]
			}
			taken := to.taken(nil)
			name := ""
			for _, name = range append(names, many+"List", many+"ListBy"+schema.Capital(link), many+"By"+schema.Capital(link)+"List") {
				if !taken[name] && !reservedFields[name] {
					break
				}
			}
			to.Fields = append(to.Fields, &Field{Name: name, Relation: &Relation{To: e, Many: true, By: by, Of: f}})
		}
	}
}

// sorted lists the keys of a map in order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
