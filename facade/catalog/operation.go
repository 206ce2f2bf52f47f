package catalog

import (
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Takes reports whether a list understands a key of its query: filter, sort, after, and so
// on. A list that runs here understands all of them.
func (op *Operation) Takes(key string) bool {
	return op.HostTakes(key) || key == "after" && slices.Contains(op.TakenKeys, "offset")
}

// HostTakes reports whether the host of a list understands a key by itself: for a host that
// takes offset and no after, the cursors of the list are made here.
func (op *Operation) HostTakes(key string) bool {
	return op.TakenKeys == nil || slices.Contains(op.TakenKeys, key)
}

// Keys are the keys that a caller of a list may send: those that the list takes, and
// those that are done with its answer here.
func (op *Operation) Keys() []string {
	all := listKeys
	if op.Door.Entity != nil && op.Door.Entity.Search != nil {
		all = searchKeys
	}
	if op.TakenKeys == nil {
		return all
	}
	var keys []string
	for _, key := range all {
		if op.Takes(key) || key == "total" || key == "count" || key == "fields" {
			keys = append(keys, key)
		}
	}
	return keys
}

// sentWords maps the words of other consumers to the keys of a list's query.
var sentWords = map[string]string{"where": "filter", "orderBy": "sort", "page": "offset"}

// Passes reports whether a key of a list is sent to the host as the caller sent it, because the host does not say
// which keys it takes. The gateway itself does not send it.
func (op *Operation) Passes(key string) bool {
	return op.Cardless && (key == "offset" || key == "after")
}

// SentKeys are the keys that a list may be sent in a consumer's own words.
func (op *Operation) SentKeys(sent json.RawMessage) []string {
	keys := op.Keys()
	if op.Cardless {
		keys = append(slices.Clip(keys), "offset", "after")
	}
	for name, value := range jsontext.Members(sent) {
		if key := sentWords[name]; op.AnswersIn(name) && !jsontext.IsNull(value) {
			keys = append(slices.Clip(keys), key)
		}
	}
	return keys
}

// AnswersIn reports whether the host of a list is asked in a word of the consumer: it does not take
// ours, and its input card names that word, or there is no card.
func (op *Operation) AnswersIn(word string) bool {
	key := sentWords[word]
	return key != "" && !op.Takes(key) && (op.Cardless || slices.Contains(op.TakenKeys, word))
}

// Reading is the operation that a collector is asked about where rows of a door are
// reached another way: through a relation in a filter, or in an answer.
func (d *Door) Reading() *Operation {
	if op := d.Operation("list"); op != nil {
		return op
	}
	return &Operation{Index: -1, Name: "list", Kind: Query, Door: d, Builtin: true}
}

// Shapes reports whether a card is the door's own or a view cut from it, so that the
// collector's fields apply there too.
func (d *Door) Shapes(card *schema.Entity) bool {
	if card == nil || d.Entity == nil {
		return false
	}
	return card == d.Entity || card.View && card.Card.Derived != nil && schema.EntityKey(card.Card.Derived.From) == d.Entity.Key
}

// Stamps reports whether the body of the operation gets the values that a collector sets.
func (op *Operation) Stamps() bool { return !op.Patch && op.Door.Shapes(op.Input) }

// Elsewhere is [Frond.Remote] of a Frond that the project has and this host does not serve, without an address of
// its host. This host does not judge references to its rows.
const Elsewhere = "elsewhere"

// InStore reports whether events of the Frond may be in the store of this host: it runs here, or another program over the same
// store serves it.
func (f *Frond) InStore() bool { return f.Remote == "" || f.Remote == Elsewhere }

// Runs says where the operations of the door run. No caller knows the address of a host.
func (d *Door) Runs() string {
	if d.Frond.Remote == "" {
		return "runs here"
	}
	return "runs at the host of " + d.Frond.Name
}

// RemoteOf is the address at which the rows of an entity are kept; "" for here.
func (c *Catalog) RemoteOf(e *schema.Entity) string { return Place(c.Fronds, e) }

// Place is RemoteOf for a list of Fronds.
func Place(fronds []*Frond, e *schema.Entity) string {
	for _, f := range fronds {
		if f.Name == e.Frond {
			return f.Remote
		}
	}
	return ""
}

// Apart reports whether the rows on the two sides of a relation, and those in between, are kept in different places.
func Apart(fronds []*Frond, l *schema.Link) bool {
	if l.Through != nil {
		return Apart(fronds, l.Between()) || Apart(fronds, l.Through.Link)
	}
	return Place(fronds, l.Field.Owner) != Place(fronds, l.Target)
}

// Crossed reports whether a condition can go through a relation: its rows are kept in one place, or those on the other side are
// kept here, or their host lists them by a filter.
func Crossed(fronds []*Frond, l *schema.Link) bool {
	if l.Through != nil {
		return Crossed(fronds, l.Between()) && Crossed(fronds, l.Through.Link)
	}
	if !Apart(fronds, l) {
		return true
	}
	for _, f := range fronds {
		if f.Name != l.Target.Frond {
			continue
		}
		for _, d := range f.Doors {
			if d.Entity == l.Target {
				list := d.Operation("list")
				return f.Remote == "" || list != nil && list.Builtin && list.Takes("filter")
			}
		}
		return f.Remote == ""
	}
	return true
}

// FieldNames are the fields of a door, the computed ones last.
func (d *Door) FieldNames() (names []string) {
	for _, p := range d.Entity.Fields {
		names = append(names, p.Name)
	}
	for _, c := range d.Computed {
		names = append(names, c.Name)
	}
	return names
}
