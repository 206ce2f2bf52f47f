package facade

import "strings"

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

// on returns the facts of one change.
func (e *emits) on(c Change) []*Fact {
	switch c {
	case Created:
		return e.created
	case Updated:
		return e.updated
	}
	return e.deleted
}

// add adds a fact to those of one change.
func (e *emits) add(c Change, f *Fact) {
	switch c {
	case Created:
		e.created = append(e.created, f)
	case Updated:
		e.updated = append(e.updated, f)
	case Deleted:
		e.deleted = append(e.deleted, f)
	}
}

// changeOf is what the built-in command does to a row; "" for any other operation.
func changeOf(op string) Change {
	switch op {
	case "create":
		return Created
	case "update":
		return Updated
	case "delete":
		return Deleted
	}
	return ""
}
