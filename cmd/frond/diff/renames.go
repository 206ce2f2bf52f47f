package diff

import (
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// pairing says which entity and field of the new version is which of the old one: the one of
// the same name, or the one that a rename declares. A rename counts where its old name is in
// the old version alone, and its new name in the new version alone; others have happened
// before, or are not complete.
type pairing struct {
	was, is *schema.Set
	entity  map[string]string            // old entity key to new, of the renamed ones
	field   map[string]map[string]string // old entity key, old field, new field
}

// newPairing pairs the cards of two versions. Renames may be chains, item: thing and thing:
// product, of which the old version has any name.
func newPairing(was, is *schema.Set, renames []catalog.Renamed) *pairing {
	p := &pairing{was: was, is: is, entity: map[string]string{}, field: map[string]map[string]string{}}
	last := func(from catalog.Renamed) string {
		to := from.To
		for range renames { // the lines lead in no circle: that would be a fault of the version
			for _, r := range renames {
				if r.Field == "" == (from.Field == "") && (from.Field == "" && r.Entity == to || from.Field != "" && r.Entity == from.Entity && r.Field == to) {
					to = r.To
				}
			}
		}
		return to
	}
	for _, r := range renames {
		if to := last(r); r.Field == "" && isEntity(was, r.Entity) && !isEntity(is, r.Entity) && isEntity(is, to) && !isEntity(was, to) {
			p.entity[r.Entity] = to
		}
	}
	for _, r := range renames {
		now, old := is.Entity(r.Entity), was.Entity(p.oldName(r.Entity))
		to := last(r)
		if r.Field == "" || now == nil || old == nil || old.Property(r.Field) == nil || now.Property(r.Field) != nil || now.Property(to) == nil || old.Property(to) != nil {
			continue
		}
		if p.field[old.Key] == nil {
			p.field[old.Key] = map[string]string{}
		}
		p.field[old.Key][r.Field] = to
	}
	return p
}

// isEntity reports whether a set has an entity of that key.
func isEntity(s *schema.Set, key string) bool {
	e := s.Entity(key)
	return e != nil && !e.View
}

// newName is the key that an entity of the old version has in the new one.
func (p *pairing) newName(key string) string {
	if to, ok := p.entity[key]; ok {
		return to
	}
	return key
}

// oldName is the key that an entity of the new version has in the old one.
func (p *pairing) oldName(key string) string {
	for from, to := range p.entity {
		if to == key {
			return from
		}
	}
	return key
}

// newField is the name that a field of the old version has in the new one. The fields of a view
// have the names of the entity that it is cut from.
func (p *pairing) newField(e *schema.Entity, name string) string {
	if e == nil {
		return name
	}
	key := e.Key
	if e.View && e.Card.Derived != nil {
		key = schema.EntityKey(e.Card.Derived.From)
	}
	if to, ok := p.field[key][name]; ok {
		return to
	}
	return name
}

// names are the names that the fields of an old entity have in the new version, as GraphQL and
// filters use them, including relations and their keys. Names that stay are left out.
func (p *pairing) names(old *schema.Entity) map[string]string {
	out := map[string]string{}
	if old == nil {
		return out
	}
	now := p.is.Entity(p.newName(old.Key))
	if now == nil {
		return out
	}
	for _, f := range old.Fields {
		to := now.Property(p.newField(old, f.Name))
		if to == nil || to.Name == f.Name {
			continue
		}
		out[f.Name] = to.Name
		if f.Link != nil && to.Link != nil {
			out[f.Link.Name], out[f.Link.Key] = to.Link.Name, to.Link.Key
		}
	}
	return out
}
