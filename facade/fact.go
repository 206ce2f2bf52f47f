package facade

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/readset"
)

// FullName is the name of the fact among those of all Fronds: shop.orderPlaced.
func (f *Fact) FullName() string { return f.Frond.Name + "." + f.Name }

// ChangesName is the name of the fact that announces the changes of a door.
func ChangesName(door string) string { return door + "Changed" }

// Fact returns a fact by the name of its Frond, in any spelling, and its own, or nil.
func (c *Catalog) Fact(frond, name string) *Fact {
	for _, f := range c.Fronds {
		if !strings.EqualFold(f.Name, frond) {
			continue
		}
		for _, fact := range f.Facts {
			if fact.Name == name {
				return fact
			}
		}
	}
	return nil
}

// ChangesOf returns the facts that announce the changes of what was read. The error is
// NOT_IMPLEMENTED, and names what nothing announces the changes of.
func (c *Catalog) ChangesOf(read *readset.Set) ([]*Fact, error) {
	entities, other := read.Entities()
	if other != "" {
		return nil, kiterror.Errorf(kiterror.NotImplemented, "what %s answers cannot be followed, since it stores no rows; ask for it in a query", other)
	}
	var all []*Fact
	for _, frond := range c.Fronds {
		for _, f := range frond.Facts {
			if f.Changes && f.Door != nil && slices.Contains(entities, f.Door.Entity) {
				all = append(all, f)
			}
		}
	}
	for _, e := range entities {
		if !slices.ContainsFunc(all, func(f *Fact) bool { return f.Door.Entity == e }) {
			return nil, kiterror.Errorf(kiterror.NotImplemented, "the changes of %[1]s are not announced, so that what was read of it cannot be followed; its frond.yaml has to list it: changes: [%[1]s]", e.Name)
		}
	}
	return all, nil
}

// FactsNamed returns the facts that a name can mean, FROND.NAME or NAME, and the full names of
// all that there are, sorted.
func (c *Catalog) FactsNamed(name string) (found []*Fact, all []string) {
	for _, frond := range c.Fronds {
		for _, f := range frond.Facts {
			all = append(all, f.FullName())
			if f.Name == name || f.FullName() == name {
				found = append(found, f)
			}
		}
	}
	slices.Sort(all)
	return found, all
}

// announce notes that a change of the door's rows emits the fact.
func (d *Door) announce(c Change, f *Fact) {
	if d.emits == nil {
		d.emits = map[Change][]*Fact{}
	}
	d.emits[c] = append(d.emits[c], f)
}

// changeOf is what the built-in command does to a row; "" for any other operation.
func changeOf(op string) Change {
	return map[string]Change{"create": Created, "update": Updated, "delete": Deleted}[op]
}

// nameFormer notes at each fact what the fields of its rows were called before.
func (c *Catalog) nameFormer() {
	for _, frond := range c.Fronds {
		for _, fact := range frond.Facts {
			if fact.Door != nil && fact.Door.Entity != nil {
				fact.former = c.Changes.formerNames(fact.Door.Entity.Key)
			}
		}
	}
}

// current returns e with the fields of its rows under the names that they have now: an event that
// was emitted before a rename has them under the old ones. It is e itself where nothing was
// renamed since, and e is not changed. f may be nil.
func (f *Fact) current(e *Event) *Event {
	if f == nil || len(f.former) == 0 {
		return e
	}
	out := *e
	renamed := false
	for _, row := range []*json.RawMessage{&out.Data, &out.Before} {
		if now := f.former.renew(*row); now != nil {
			*row, renamed = now, true
		}
	}
	if !renamed {
		return e
	}
	return &out
}
