package compile

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/expression"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// changes compiles renamed and values of every Frond, and the aliases of its entities.
func (b *compiler) changes(configs []project.Config) (all catalog.SchemaChanges) {
	for i, f := range b.source.Fronds {
		file := f.Config.File
		normal := settled(configs[i].Renamed)
		for j, n := range configs[i].Renamed {
			if f.Remote == "" {
				r, ok := b.renamed(file, normal, n)
				if !ok {
					continue
				}
				all.Renamed = append(all.Renamed, r)
			}
			if n.Until != "" {
				b.aliasOf(file, normal, normal[j])
			}
		}
		for _, n := range configs[i].Gone {
			if r, ok := b.gone(file, normal, n); ok && f.Remote == "" {
				all.Gone = append(all.Gone, r)
			}
		}
		if f.Remote != "" {
			b.knownAliases(f, normal)
			continue // its rows are kept elsewhere
		}
		for _, v := range configs[i].Values {
			if value := b.value(file, f.Name, v); value != nil {
				all.Values = append(all.Values, value)
			}
		}
	}
	return all
}

// renamed compiles one rename; all are those of its file. The last name of a chain of renames
// has to exist, and the old names must not.
func (b *compiler) renamed(file string, all []project.Rename, n project.Rename) (r catalog.Renamed, ok bool) {
	from, field, isField := strings.Cut(n.From, ".")
	to, toField, _ := strings.Cut(n.To, ".")
	r = catalog.Renamed{Entity: schema.EntityKey(from), To: schema.EntityKey(to)}
	if !isField {
		end, circle := lastName(all, n, false)
		switch {
		case circle:
			b.fault(file, n.At, "the renames lead in a circle", "leave one of them out")
		case b.set.Entity(from) != nil:
			b.fault(file, n.At, fmt.Sprintf("%s is renamed, and there is an entity called that", from), "remove its card, or the line")
		case b.stored(end) == nil:
			b.fault(file, n.At, fmt.Sprintf("%s is renamed to %s, and there is no entity called that", from, end), b.entitiesRemedy())
		default:
			return r, true
		}
		return r, false
	}
	// The entity may have its old name or its new one.
	end, _ := lastName(all, project.Rename{From: from, To: from}, false)
	e := b.stored(end)
	toEntity, _ := lastName(all, project.Rename{From: to, To: to}, false)
	lastField, circle := lastName(all, project.Rename{To: end + "." + toField}, true)
	switch {
	case circle:
		b.fault(file, n.At, "the renames lead in a circle", "leave one of them out")
	case e == nil:
		b.fault(file, n.At, fmt.Sprintf("%s is renamed, and there is no entity called %s", n.From, from), b.entitiesRemedy())
	case schema.EntityKey(toEntity) != e.Key:
		b.fault(file, n.At, fmt.Sprintf("%s: %s moves a field to another entity", n.From, n.To), "a rename stays in its entity: "+n.From+": "+from+".NAME")
	case e.Property(field) != nil:
		b.fault(file, n.At, fmt.Sprintf("%s is renamed, and %s has a field called that", n.From, e.Name), "remove the field, or the line")
	case e.Property(lastField) == nil || !e.Property(lastField).Stored:
		b.fault(file, n.At, fmt.Sprintf("%s is renamed to %s, and %s has no such field", n.From, n.To, e.Name), "the fields are "+strings.Join(catalog.StoredFields(e), ", "))
	default:
		return catalog.Renamed{Entity: e.Key, Field: field, To: toField}, true
	}
	return r, false
}

// gone compiles one line that says that an entity or a field has no new name: its card must not
// describe it.
func (b *compiler) gone(file string, all []project.Rename, n project.Rename) (r catalog.Renamed, ok bool) {
	entity, field, isField := strings.Cut(n.From, ".")
	end, _ := lastName(all, project.Rename{To: entity}, false)
	switch e := b.stored(end); {
	case !isField && b.set.Entity(entity) != nil:
		b.fault(file, n.At, fmt.Sprintf("%s has no new name, and there is an entity called that", entity), "remove its card, or the line")
	case isField && e == nil:
		b.fault(file, n.At, fmt.Sprintf("%s has no new name, and there is no entity called %s", n.From, entity), b.entitiesRemedy())
	case isField && e.Property(field) != nil:
		b.fault(file, n.At, fmt.Sprintf("%s has no new name, and %s has a field called that", n.From, e.Name), "remove the field, or the line")
	default:
		return catalog.Renamed{Entity: schema.EntityKey(end), Field: field}, true
	}
	return r, false
}

// settled are renames whose fields are written with the last name of their entity, so that a
// chain of fields may be written with any of them.
func settled(all []project.Rename) []project.Rename {
	out := make([]project.Rename, len(all))
	last := func(place string) string {
		entity, field, ok := strings.Cut(place, ".")
		if !ok {
			return place
		}
		end, _ := lastName(all, project.Rename{To: entity}, false)
		return end + "." + field
	}
	for i, n := range all {
		n.From, n.To = last(n.From), last(n.To)
		out[i] = n
	}
	return out
}

// lastName follows renames from what n leads to, to the name that is renamed no further;
// circle says that there is none. With fields it follows the names of fields and returns
// the part after the dot.
func lastName(all []project.Rename, n project.Rename, fields bool) (name string, circle bool) {
	name = n.To
	for range len(all) + 1 {
		next := ""
		for _, o := range all {
			if strings.EqualFold(o.From, name) && strings.Contains(o.From, ".") == fields {
				next = o.To
			}
		}
		if next == "" {
			if _, field, ok := strings.Cut(name, "."); ok && fields {
				name = field
			}
			return name, false
		}
		name = next
	}
	return name, true
}

// stored is an entity whose rows this host keeps, or nil.
func (b *compiler) stored(name string) *schema.Entity {
	e := b.set.Entity(name)
	if e == nil || e.View || e.Primary == nil {
		return nil
	}
	return e
}

// entitiesRemedy names the entities there are.
func (b *compiler) entitiesRemedy() string {
	var names []string
	for _, e := range b.set.Entities {
		if b.stored(e.Name) != nil {
			names = append(names, e.Name)
		}
	}
	return "the entities are " + strings.Join(names, ", ")
}

// value compiles one expression. Which names the older rows have is known to the store alone,
// so that it judges the names in the expression.
func (b *compiler) value(file, frond string, v project.Value) *catalog.Backfill {
	name, field, both := strings.Cut(v.Of, ".")
	e := b.stored(name)
	switch {
	case !both:
		b.fault(file, v.At, fmt.Sprintf("%s is no field", v.Of), "write ENTITY.FIELD: product.price: int(price * 100)")
		return nil
	case e == nil || e.Frond != frond:
		b.fault(file, v.At, fmt.Sprintf("%s is given a value, and this Frond keeps no entity called %s", v.Of, name), b.entitiesRemedy())
		return nil
	}
	p := e.Property(field)
	if p == nil || !p.Stored {
		b.fault(file, v.At, fmt.Sprintf("%s is given a value, and %s keeps no field called that", v.Of, e.Name), "the fields are "+strings.Join(catalog.StoredFields(e), ", "))
		return nil
	}
	x, err := expression.CompileFree(v.Text)
	if err != nil {
		b.fault(file, v.At, "the expression cannot be used: "+err.Error(), "write an expression over the row as it was: int(price * 100)")
		return nil
	}
	f := expression.Formula{Expr: x, Shape: p.Shape}
	f.Shape.Nullable = true
	return catalog.NewBackfill(e, p, v.Text, x.Names, func(given func(string) json.RawMessage) (json.RawMessage, error) {
		return f.Of(make(map[string]any, len(f.Names)), given)
	})
}
