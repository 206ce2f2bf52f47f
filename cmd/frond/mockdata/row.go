package mockdata

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/describe/sample"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// A row is made field by field. A field that is part of a unique constraint is drawn again
// while the constraint's values are taken; the whole row is drawn again where its card refuses
// it, for a condition over several fields. Attempts differ by their place in the stream of
// chance:
//
//	entity, row, field, attempt of the row, attempt of the field
//
// Ids are given before (see name), as relations need them first.

// rowTries is how often a row is drawn until its values are unique and the card accepts it whole.
const rowTries = 60

// row makes the i-th row of a table. After the last attempt in vain it is nil, and the reason
// of that attempt is noted.
func (w *world) row(t *table, i int) schema.Object {
	e := t.entity
	why := ""
	for try := range rowTries {
		row, stuck := w.attempt(t, i, try)
		switch {
		// field has noted it; another attempt would not help.
		case stuck != "":
			return nil
		case !w.free(t, row):
			why = "no more rows could be made with different unique values"
			continue
		}
		_, details := e.Judge(schema.Plain, row.AppendJSON(nil), "")
		if len(details) == 0 {
			return row
		}
		d := details[0]
		why = strings.TrimSpace(d.Path + " " + d.Message)
	}
	w.note(e.Name, fmt.Sprintf("%d rows are all that could be made: %s", len(t.rows), why), "write seeds, or examples into the card")
	return nil
}

// attempt draws a row. stuck is the field without a possible value, else "". The row may break
// a constraint or the card; row checks that.
func (w *world) attempt(t *table, i, try int) (row schema.Object, stuck string) {
	e := t.entity
	about := sample.NewSubject(e.Name, w.chance.At(e.Key, i))
	for _, p := range e.Fields {
		switch {
		case p == e.Primary:
			row = append(row, schema.Member{Name: p.Name, Value: t.ids[i]})
			continue
		case !p.Stored:
			continue
		}
		// Where a value is taken the next is tried, as often as rows could have it.
		further := rowTries + len(t.ids)
		if try > 0 {
			further = min(further, 500)
		}
		for again := range further {
			m := &sample.Maker{Rand: w.chance.At(e.Key, i, p.Name, try, again), Root: t.root, About: about, Row: i + try + again, Unique: alone(e, p)}
			value, ok := w.field(t, p, m, i, try)
			if !ok {
				return nil, p.Name
			}
			longer := row
			if value != nil {
				longer = append(row[:len(row):len(row)], schema.Member{Name: p.Name, Value: value})
			}
			if again+1 == further || w.freeWith(t, longer, p) {
				row = longer
				break
			}
		}
	}
	return row, ""
}

// alone reports whether a unique constraint has a field as its only member. Of a constraint
// over several fields each may repeat.
func alone(e *schema.Entity, p *schema.Property) bool {
	for _, members := range e.Uniques {
		if len(members) == 1 && members[0] == p {
			return true
		}
	}
	return false
}

// field returns the value of one field; nil leaves it out. It reports and notes false if a
// required field could not get a value.
//
//	a relation                       an id (see pointer)
//	null or absent, where allowed    in 20 of 100 rows
//	the default of the card          in 25 of 100 of the others
//	else                             a value of its shape, up to 60 attempts
//
// After 25 attempts at a row in vain every field has a value, after 45 every optional field is
// left out: the card may require the one or the other.
func (w *world) field(t *table, p *schema.Property, m *sample.Maker, i, try int) (json.RawMessage, bool) {
	if p.Axes.Relation != nil {
		return w.pointer(t, p, m, i)
	}
	absent := sample.Percent(m.Rand, 20)
	switch { // attempts in vain try all of it, then none
	case try > 45:
		absent = true
	case try > 25:
		absent = false
	}
	rule := p.Axes.Create
	switch {
	case absent && p.Shape.Nullable && sample.Refusal(t.entity, p, null) == "":
		return null, true
	case absent && rule != nil && rule.Optional:
		return nil, true
	case rule != nil && rule.Value != nil && sample.Percent(m.Rand, 25):
		return rule.Value, true
	}
	var kept json.RawMessage
	_, why := m.Fitting(
		func() (json.RawMessage, bool) { return m.Value(t.shapes[p.Index], sample.NewName(p.Name)) },
		func(v json.RawMessage) string {
			why := sample.Refusal(t.entity, p, v)
			if why == "" {
				var ok bool
				if kept, ok = w.decoded(p, v); !ok {
					kept, why = nil, "cannot be decoded"
				}
			}
			return why
		})
	if kept != nil {
		return kept, true
	}
	if why == "" {
		why = "its schema leaves no value that could be made up"
	} else {
		why = "the invented value is refused: it " + why
	}
	w.note(t.entity.Name+"."+p.Name, why, "write examples: [ … ] into its card")
	switch {
	// The remaining choices, in this order: the default, null, no value.
	case rule != nil && rule.Value != nil:
		return rule.Value, true
	case p.Shape.Nullable:
		return null, true
	case p.MayBeNull():
		return nil, true
	}
	return nil, false
}

// decoded returns a value as it is kept: seeds are written on the inner side of the boundary
// (spec 2.2), without the conversion that a caller's value goes through. It reports false
// where the conversion refuses it.
func (w *world) decoded(p *schema.Property, v json.RawMessage) (json.RawMessage, bool) {
	if p.Axes.In.Name == "" || jsontext.IsNull(v) {
		return v, true
	}
	c := w.registry.Conversions[p.Axes.In.Name]
	if c.Decode == nil {
		return v, true
	}
	kept, err := c.Decode(v)
	return kept, err == nil
}

// null is the JSON text null. It is shared and never appended to.
var null = json.RawMessage("null")

// pointer returns the value of a relation: an id, or a list of them, of existing rows. A
// nullable relation is null in 15 of 100 rows. false: there is no row to point at, which is
// noted.
func (w *world) pointer(t *table, p *schema.Property, m *sample.Maker, i int) (json.RawMessage, bool) {
	many := p.Axes.Relation.Many
	ids, own := w.idsFor(p, m), p.Link != nil && w.tables[p.Link.Target] == t
	if many {
		s := sample.Shape{}
		if folded, ok := m.Fold(t.shapes[p.Index]); ok {
			s = folded
		}
		return some(m, s, ids, t.ids[i], own), true
	}
	nullable := p.MayBeNull()
	target := (*table)(nil)
	if p.Link != nil {
		target = w.tables[p.Link.Target]
	}
	absent := func() (json.RawMessage, bool) {
		if p.Shape.Nullable {
			return null, true
		}
		return nil, nullable
	}
	switch {
	case own: // of its own kind: rows before it, so that they make trees
		if ids = ids[:min(i, len(ids))]; len(ids) == 0 && !nullable {
			return t.ids[i], true // the first points at itself
		}
	// Tables are in an order in which required targets come first; a circle of required
	// relations cannot be ordered.
	case target != nil && target.order >= t.order && !nullable:
		w.note(t.entity.Name, fmt.Sprintf("it needs a %s, which in the end needs a %s: neither can be the first", target.entity.Name, t.entity.Name), "let one of the relations be null")
		return nil, false
	}
	if len(ids) == 0 {
		v, ok := absent()
		if !ok {
			w.note(t.entity.Name+"."+p.Name, p.Axes.Relation.To+" has no row to point at", "write seeds of it, or let the relation be null")
		}
		return v, ok
	}
	if nullable && sample.Percent(m.Rand, 15) {
		return absent()
	}
	// A one-to-one relation: each row has the target of its number.
	if m.Unique {
		return ids[m.Row%len(ids)], true
	}
	return sample.Pick(m.Rand, ids), true
}

// idsFor returns the ids that a relation may hold. For an entity of another Frond it computes the
// ids that made-up rows of it would have (docs/decisions/contracts.md), once for each field.
// Handlers call it too, at the same time.
func (w *world) idsFor(p *schema.Property, m *sample.Maker) (ids []json.RawMessage) {
	if p.Link != nil {
		return w.tables[p.Link.Target].ids
	}
	if known, ok := w.elsewhere.Load(p); ok {
		return known.([]json.RawMessage)
	}
	text := sample.ShapeOf(p)
	if p.Axes.Relation.Many {
		text = jsontext.Get(text, "items")
	}
	for i := range w.count {
		made, ok := sample.ID(p.Axes.Relation.To, text, m.Root, i)
		if !ok {
			break
		}
		ids = append(ids, made)
	}
	w.elsewhere.Store(p, ids)
	return ids
}

// some returns a list of distinct ids, up to three more than the shape's least. It steps
// through the ids with a stride, so that neighbours in the table are not neighbours in the
// list. A row is never in its own list.
func some(m *sample.Maker, s sample.Shape, ids []json.RawMessage, self json.RawMessage, own bool) json.RawMessage {
	n := min(s.Count("minItems", 0)+m.IntN(4), s.Count("maxItems", 1<<30))
	var items []json.RawMessage
	if len(ids) > 0 {
		for k, at := 0, m.IntN(len(ids)); k < len(ids) && len(items) < n; k++ {
			id := ids[(at+k*sample.Step(len(ids)))%len(ids)]
			if !own || string(id) != string(self) {
				items = append(items, id)
			}
		}
	}
	return sample.List(items)
}

// completed returns a given row with its id, and with the values of the clock and the
// generators, so that the same seed has the same rows. i is its index in the table. Other
// absent fields are left to the façade.
func (w *world) completed(t *table, row schema.Object, i int) schema.Object {
	e := t.entity
	about := sample.NewSubject(e.Name, w.chance.At(e.Key, i))
	row = slices.DeleteFunc(slices.Clone(row), func(m schema.Member) bool {
		return m.Name == e.Primary.Name && jsontext.IsNull(m.Value)
	})
	for _, p := range e.Fields {
		if row.Get(p.Name) != nil {
			continue
		}
		switch rule := p.Axes.Create; {
		case p == e.Primary:
			row = append(row, schema.Member{Name: p.Name, Value: t.ids[i]})
		case rule != nil && (rule.Now || rule.Generate != ""):
			m := &sample.Maker{Rand: w.chance.At(e.Key, i, p.Name), Root: t.root, About: about, Row: i, Unique: alone(e, p)}
			// An attempt between 25 and 45: the field is never left absent by chance.
			if v, ok := w.field(t, p, m, i, 30); ok && v != nil {
				row = append(row, schema.Member{Name: p.Name, Value: v})
			}
		}
	}
	return row
}
