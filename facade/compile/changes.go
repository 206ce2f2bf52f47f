package compile

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/expression"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// schemaChanges compiles renamed and values of every Frond, and the aliases of its entities.
func schemaChanges(r *report, m *model, now func() time.Time, fronds []*project.Frond, configs []project.Config) (all catalog.SchemaChanges) {
	for i, f := range fronds {
		file := f.Config.File
		normal := settled(configs[i].Renamed)
		for j, n := range configs[i].Renamed {
			switch renamed, ok := compileRename(r, m, file, normal, n); {
			case !ok:
				continue
			case f.Remote == "":
				all.Renamed = append(all.Renamed, renamed)
			default:
				all.Elsewhere = append(all.Elsewhere, renamed)
			}
			if n.Until != "" {
				aliasOf(r, m, now, file, normal, normal[j])
			}
		}
		for _, n := range configs[i].Gone {
			if r, ok := compileRemoval(r, m, file, normal, n); ok && f.Remote == "" {
				all.Gone = append(all.Gone, r)
			}
		}
		if f.Remote != "" {
			knownAliases(r, m, now, f, normal)
			continue // its rows are kept elsewhere
		}
		for _, v := range configs[i].Values {
			if value := compileBackfill(r, m, file, f.Name, v); value != nil {
				all.Values = append(all.Values, value)
			}
		}
	}
	return all
}

// compileRename compiles one rename; all are the renames of its file. The last name of a chain of
// renames has to exist, and the old names must not.
func compileRename(r *report, m *model, file string, all []project.Rename, n project.Rename) (out catalog.Renamed, ok bool) {
	from, field, isField := strings.Cut(n.From, ".")
	to, toField, _ := strings.Cut(n.To, ".")
	out = catalog.Renamed{Entity: schema.EntityKey(from), To: schema.EntityKey(to)}
	if !isField {
		end, circle := lastName(all, n, false)
		switch {
		case circle:
			r.fault(file, n.At, "the renames lead in a circle", "leave one of them out")
		case m.set.Entity(from) != nil:
			r.fault(file, n.At, fmt.Sprintf("%s is renamed, and there is an entity called that", from), "remove its card, or the line")
		case m.stored(end) == nil:
			r.fault(file, n.At, fmt.Sprintf("%s is renamed to %s, and there is no entity called that", from, end), m.entitiesRemedy(end))
		default:
			return out, true
		}
		return out, false
	}
	// The entity may have its old name or its new one.
	end, _ := lastName(all, project.Rename{From: from, To: from}, false)
	e := m.stored(end)
	toEntity, _ := lastName(all, project.Rename{From: to, To: to}, false)
	lastField, circle := lastName(all, project.Rename{To: end + "." + toField}, true)
	switch {
	case circle:
		r.fault(file, n.At, "the renames lead in a circle", "leave one of them out")
	case e == nil:
		r.fault(file, n.At, fmt.Sprintf("%s is renamed, and there is no entity called %s", n.From, from), m.entitiesRemedy(from))
	case schema.EntityKey(toEntity) != e.Key:
		r.fault(file, n.At, fmt.Sprintf("%s: %s moves a field to another entity", n.From, n.To), "a rename stays in its entity: "+n.From+": "+from+".NAME")
	case e.Property(field) != nil:
		r.fault(file, n.At, fmt.Sprintf("%s is renamed, and %s has a field called that", n.From, e.Name), "remove the field, or the line")
	case e.Property(lastField) == nil || !e.Property(lastField).Stored:
		r.fault(file, n.At, fmt.Sprintf("%s is renamed to %s, and %s has no such field", n.From, n.To, e.Name), "the fields are "+strings.Join(catalog.StoredFields(e), ", "))
	default:
		return catalog.Renamed{Entity: e.Key, Field: field, To: toField}, true
	}
	return out, false
}

// compileRemoval compiles one line that says that an entity or a field has no new name: its card must not
// describe it.
func compileRemoval(r *report, m *model, file string, all []project.Rename, n project.Rename) (out catalog.Renamed, ok bool) {
	entity, field, isField := strings.Cut(n.From, ".")
	end, _ := lastName(all, project.Rename{To: entity}, false)
	switch e := m.stored(end); {
	case !isField && m.set.Entity(entity) != nil:
		r.fault(file, n.At, fmt.Sprintf("%s has no new name, and there is an entity called that", entity), "remove its card, or the line")
	case isField && e == nil:
		r.fault(file, n.At, fmt.Sprintf("%s has no new name, and there is no entity called %s", n.From, entity), m.entitiesRemedy(entity))
	case isField && e.Property(field) != nil:
		r.fault(file, n.At, fmt.Sprintf("%s has no new name, and %s has a field called that", n.From, e.Name), "remove the field, or the line")
	default:
		return catalog.Renamed{Entity: schema.EntityKey(end), Field: field}, true
	}
	return out, false
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

// lastName follows renames from n's new name to the last one; circle says that the renames have
// no end. With fields it follows the names of fields and returns the part after the dot.
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

// compileBackfill compiles one expression. Which names the older rows have is known to the store alone,
// so that it judges the names in the expression.
func compileBackfill(r *report, m *model, file, frond string, v project.Value) *catalog.Backfill {
	name, field, both := strings.Cut(v.Of, ".")
	e := m.stored(name)
	switch {
	case !both:
		r.fault(file, v.At, fmt.Sprintf("%s is no field", v.Of), "write ENTITY.FIELD: product.price: int(price * 100)")
		return nil
	case e == nil || e.Frond != frond:
		r.fault(file, v.At, fmt.Sprintf("%s is given a value, and this Frond keeps no entity called %s", v.Of, name), m.entitiesRemedy(name))
		return nil
	}
	p := e.Property(field)
	if p == nil || !p.Stored {
		r.fault(file, v.At, fmt.Sprintf("%s is given a value, and %s keeps no field called that", v.Of, e.Name), "the fields are "+strings.Join(catalog.StoredFields(e), ", "))
		return nil
	}
	x, err := expression.CompileFree(v.Text)
	if err != nil {
		r.fault(file, v.At, "the expression cannot be used: "+err.Error(), "write an expression over the row as it was: int(price * 100)")
		return nil
	}
	f := expression.Formula{Expr: x, Shape: p.Shape}
	f.Shape.Nullable = true
	return catalog.NewBackfill(e, p, v.Text, x.Names, func(given func(string) json.RawMessage) (json.RawMessage, error) {
		return f.Of(make(map[string]any, len(f.Names)), given)
	})
}
