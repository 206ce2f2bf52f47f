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
