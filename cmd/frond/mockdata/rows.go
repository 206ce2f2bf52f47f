package mockdata

import (
	"encoding/json"
	"fmt"

	"github.com/frondhost/frond/describe/sample"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// The tables of a project, in four steps. Ids are settled before rows, so that a relation can
// hold an id of a row that is made later:
//
//	pointing   which shapes an id has to fit: its own and the shapes of relations to it
//	arrange    an order in which required relations lead to earlier tables
//	name       the ids of each table
//	fill       the rows of each table

// newWorld makes the tables of a set. given are rows that are there, by entity; they come first,
// in their order, and are completed.
func newWorld(set *schema.Set, registry *schema.Registry, given map[*schema.Entity][]schema.Object, opts *Options) *world {
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
	// A row that cannot be made takes its id with it, and rows may point at that id: then all
	// rows are made again, with fewer ids. It ends, since the number only shrinks.
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

// pointing narrows the ids of other tables to those that this one's relations can hold. A
// relation whose shape is a string of at most eight characters makes the target's ids as short.
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

// arrange sorts entities after those they have to point at, depth first. In a circle of
// required relations one of them comes too early; pointer notes it.
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

// name gives a table its ids: the ids of the given rows, then made ones up to the wanted number
// of rows. A given row without an id gets a made one. Ids that another row has, and ids that
// the card refuses, are passed over.
func (w *world) name(t *table) {
	e, p := t.entity, t.entity.Primary
	// had is by canonical text: 1 and 1.0 are one id.
	had := map[string]bool{}
	add := func(id json.RawMessage) {
		had[w.canonical(p, id)] = true
		t.ids = append(t.ids, id)
	}
	i := 0
	next := func() bool {
		// The bound ends the search in a shape that has too few values.
		for ; i < 2*w.count+2*len(t.given); i++ {
			made, ok := sample.ID(e.Key, t.key, t.root, i)
			if p.Link != nil && !p.Link.Many { // the key is another row's
				ids := w.tables[p.Link.Target].ids
				if ok = i < len(ids); ok {
					made = ids[i]
				}
			}
			if ok && !had[w.canonical(p, made)] && sample.Refusal(e, p, made) == "" {
				add(made)
				return true
			}
		}
		return false
	}
	// Given ids are known before the first new one is made, in any order.
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

// fill makes the rows of a table, from scratch, and returns how many it could make. Given rows
// are taken as they are, even if they break a constraint: the façade reports that.
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
