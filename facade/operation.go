package facade

import (
	"slices"

	"github.com/frondhost/frond/schema"
)

// Takes reports whether a list understands a key of its query: filter, sort, after, and so
// on. A list that runs here understands all of them.
func (op *Operation) Takes(key string) bool {
	return op.HostTakes(key) || key == "after" && slices.Contains(op.takes, "offset")
}

// HostTakes reports whether the host of a list understands a key by itself: where it takes
// offset and no after, the cursors of the list are made here.
func (op *Operation) HostTakes(key string) bool {
	return op.takes == nil || slices.Contains(op.takes, key)
}

// listKeys are the keys that a caller of a list may send: those that the list takes, and
// those that are done with its answer here.
func (op *Operation) listKeys() []string {
	if op.takes == nil {
		return listKeys
	}
	var keys []string
	for _, key := range listKeys {
		if op.Takes(key) || key == "total" || key == "count" || key == "fields" {
			keys = append(keys, key)
		}
	}
	return keys
}

// reading is the operation that a collector is asked about where rows of a door are
// reached from elsewhere: through a relation in a filter, or in an answer.
func (d *Door) reading() *Operation {
	if op := d.Operation("list"); op != nil {
		return op
	}
	return &Operation{Name: "list", Kind: Query, Door: d, Builtin: true}
}

// shapes reports whether a card is the door's own or a view cut from it, so that what a
// collector says of a field holds there too.
func (d *Door) shapes(card *schema.Entity) bool {
	if card == nil || d.Entity == nil {
		return false
	}
	return card == d.Entity || card.View && card.Card.Derived != nil && schema.EntityKey(card.Card.Derived.From) == d.Entity.Key
}

// stamps reports whether the body of the operation is stamped with what a collector sets.
func (op *Operation) stamps() bool { return !op.Patch && op.Door.shapes(op.Input) }

// remoteOf is the address at which the rows of an entity are kept; "" for here.
func (c *Catalog) remoteOf(e *schema.Entity) string {
	for _, f := range c.Fronds {
		if f.Name == e.Frond {
			return f.Remote
		}
	}
	return ""
}

// samePlace reports whether the rows on both sides of a relation are kept in one place: a
// remote answers for both sides of its own.
func samePlace(fronds []*Frond, l *schema.Link) bool {
	remote := func(name string) bool {
		return slices.ContainsFunc(fronds, func(f *Frond) bool { return f.Name == name && f.Remote != "" })
	}
	return remote(l.Field.Owner.Frond) || !remote(l.Target.Frond)
}

// fieldNames are the fields of a door, the computed ones last.
func (d *Door) fieldNames() (names []string) {
	for _, p := range d.Entity.Fields {
		names = append(names, p.Name)
	}
	for _, c := range d.Computed {
		names = append(names, c.Name)
	}
	return names
}
