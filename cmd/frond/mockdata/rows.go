package mockdata

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"

	"github.com/frondhost/frond/cmd/frond/mockdata/sample"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Note is something that could not be made up as it was asked for, and what to write.
type Note struct {
	At      string // product.code, or product
	Message string
	Remedy  string
}

func (n Note) String() string { return n.At + ": " + n.Message + "; " + n.Remedy }

// table is the rows of one entity.
type table struct {
	entity *schema.Entity
	given  []schema.Object   // the author's own, which come first
	ids    []json.RawMessage // of the given rows and of those to come
	rows   []schema.Object
	root   json.RawMessage   // the card
	shapes []json.RawMessage // of the fields
	key    json.RawMessage   // the shape of the ids: what the primary key and all that point at it take
	taken  []map[string]bool // by constraint
	order  int               // rows of entities of a lower order are there before these
}

// world is the rows of all entities of a project.
type world struct {
	chance   sample.Chance
	count    int
	registry *schema.Registry
	tables   map[*schema.Entity]*table
	sequence []*table
	notes    []Note

	elsewhere sync.Map // by *schema.Property, the ids that a relation out of the project may hold
}

// rows makes the tables of a set. given are rows that are there, by entity.
func rows(set *schema.Set, registry *schema.Registry, given map[*schema.Entity][]schema.Object, opts *Options) *world {
	w := &world{chance: sample.Chance(opts.Seed), count: opts.Rows, registry: registry, tables: map[*schema.Entity]*table{}}
	for _, e := range set.Entities {
		t := &table{entity: e, given: given[e], root: e.Card.AppendJSON(nil)}
		for _, p := range e.Fields {
			t.shapes = append(t.shapes, sample.ShapeOf(p))
		}
		w.tables[e] = t
	}
	for _, t := range w.tables {
		t.key = t.shapes[t.entity.Primary.Index]
	}
	for _, e := range set.Entities {
		w.pointing(w.tables[e])
	}
	w.arrange(set.Entities)
	for _, t := range w.sequence {
		w.name(t)
	}
	// A row that cannot be had takes its id with it, and rows may point at that id: all
	// is made anew then, with fewer. It ends, for there are only ever fewer.
	for short := true; short; {
		short = false
		for _, t := range w.sequence {
			if n := w.fill(t); n < len(t.ids) {
				t.ids, short = t.ids[:n], true
			}
		}
	}
	return w
}

// pointing narrows the ids of other tables to what this one's relations can hold.
func (w *world) pointing(t *table) {
	for i, p := range t.entity.Fields {
		if p.Link == nil || !p.Stored {
			continue
		}
		shape := t.shapes[i]
		if p.Link.Many {
			shape = jsontext.Get(shape, "items")
		}
		if target := w.tables[p.Link.Target]; shape != nil && jsontext.Get(shape, "$ref") == nil { // which leads into another card
			target.key = json.RawMessage(`{"allOf":[` + string(target.key) + `,` + string(shape) + `]}`)
		}
	}
}

// note keeps what cannot be made up, once.
func (w *world) note(at, message, remedy string) {
	if n := (Note{at, message, remedy}); !slices.Contains(w.notes, n) {
		w.notes = append(w.notes, n)
	}
}

// arrange puts entities behind those they have to point at.
func (w *world) arrange(entities []*schema.Entity) {
	seen := map[*schema.Entity]bool{}
	var add func(e *schema.Entity)
	add = func(e *schema.Entity) {
		if seen[e] {
			return
		}
		seen[e] = true
		for _, p := range e.Fields {
			if p.Link != nil && !p.Link.Many && !p.MayBeNull() {
				add(p.Link.Target)
			}
		}
		w.tables[e].order = len(w.sequence)
		w.sequence = append(w.sequence, w.tables[e])
	}
	for _, e := range entities {
		add(e)
	}
}

// name gives a table its ids: those of the given rows, then made ones up to the
// number of rows that is wanted.
func (w *world) name(t *table) {
	e, p := t.entity, t.entity.Primary
	had := map[string]bool{}
	add := func(id json.RawMessage) {
		had[w.canonical(p, id)] = true
		t.ids = append(t.ids, id)
	}
	i := 0
	next := func() bool {
		for ; i < 2*w.count+2*len(t.given); i++ {
			made, ok := sample.ID(e.Key, t.key, t.root, i)
			if p.Link != nil && !p.Link.Many { // the key is another row's
				ids := w.tables[p.Link.Target].ids
				if ok = i < len(ids); ok {
					made = ids[i]
				}
			}
			if ok && !had[w.canonical(p, made)] && w.refusal(e, p, made) == "" {
				add(made)
				return true
			}
		}
		return false
	}
	for _, row := range t.given {
		if id := row.Get(p.Name); id != nil && !jsontext.IsNull(id) {
			had[w.canonical(p, id)] = true
		}
	}
	for _, row := range t.given {
		if id := row.Get(p.Name); id != nil && !jsontext.IsNull(id) {
			add(id)
		} else if !next() {
			add(json.RawMessage("null")) // which the façade refuses, naming the row
		}
	}
	for len(t.ids) < w.count {
		if !next() {
			w.note(e.Name, fmt.Sprintf("%d rows are all that its ids allow", len(t.ids)), "widen the shape of "+p.Name+", or write seeds")
			return
		}
	}
}

// fill makes the rows of a table, and says how many could be had.
func (w *world) fill(t *table) int {
	e := t.entity
	t.rows = nil
	t.taken = make([]map[string]bool, len(e.Uniques))
	for i := range t.taken {
		t.taken[i] = map[string]bool{}
	}
	for i, row := range t.given {
		row = w.completed(t, row, i)
		w.claim(t, row)
		t.rows = append(t.rows, row)
	}
	for i := len(t.given); i < len(t.ids); i++ {
		row := w.row(t, i)
		if row == nil {
			return len(t.rows)
		}
		w.claim(t, row)
		t.rows = append(t.rows, row)
	}
	return len(t.ids)
}

// claim keeps the values of a row that no other may have.
func (w *world) claim(t *table, row schema.Object) {
	for i, members := range t.entity.Uniques {
		if values, ok := w.joined(members, row); ok {
			t.taken[i][values] = true
		}
	}
}

// free says whether no row has the values of this one yet.
func (w *world) free(t *table, row schema.Object) bool { return w.freeWith(t, row, nil) }

// freeWith is free, of the constraints that a field is part of; nil asks of all.
func (w *world) freeWith(t *table, row schema.Object, p *schema.Property) bool {
	for i, members := range t.entity.Uniques {
		if p != nil && !slices.Contains(members, p) {
			continue
		}
		if values, ok := w.joined(members, row); ok && t.taken[i][values] {
			return false
		}
	}
	return true
}

func (w *world) joined(members []*schema.Property, row schema.Object) (string, bool) {
	var b strings.Builder
	for _, p := range members {
		v := row.Get(p.Name)
		if v == nil && p.Axes.Create != nil {
			v = p.Axes.Create.Value
		}
		if v == nil || jsontext.IsNull(v) {
			return "", false // null is never taken
		}
		b.WriteString(w.canonical(p, v))
		b.WriteByte(0)
	}
	return b.String(), true
}

// canonical is a text that two values share where the store holds them for the same.
func (w *world) canonical(p *schema.Property, v json.RawMessage) string {
	switch p.Kind {
	case schema.KindDecimal:
		if r, ok := new(big.Rat).SetString(jsontext.Unquote(v)); ok {
			return r.RatString()
		}
	case schema.KindInteger, schema.KindNumber:
		if r := sample.Rational(v); r != nil {
			return r.RatString()
		}
	case schema.KindDateTime:
		if at, ok := schema.ParseDateTime(jsontext.Unquote(v)); ok {
			return at.String()
		}
	}
	if jsontext.KindOf(v) == jsontext.String {
		return jsontext.Unquote(v)
	}
	return string(jsontext.Trim(v))
}
