package mockdata

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"sync"

	"github.com/frondhost/frond/describe/sample"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/format"
	"github.com/frondhost/frond/schema/jsontext"
)

// Options of [Fill]. The zero value makes no rows in addition to the seeds.
type Options struct {
	Rows int    // of each entity, its seeds among them
	Seed uint64 // where chance begins
	// Incomplete lets relations name entities outside of the project: the Frond they are of is
	// not here. Their ids are computed (docs/decisions/contracts.md).
	Incomplete bool
}

// Note is something that could not be made up as it was asked for, and what to write.
type Note struct {
	At      string // product.code, or product
	Message string
	Remedy  string
}

// String returns the note on one line: "product.code: <message>; <remedy>".
func (n Note) String() string { return n.At + ": " + n.Message + "; " + n.Remedy }

// table is the rows of one entity. It is written by rows alone; afterwards handlers read it.
type table struct {
	entity *schema.Entity
	given  []schema.Object   // the author's own, which come first
	ids    []json.RawMessage // of the given rows and of those to come
	rows   []schema.Object
	root   json.RawMessage   // the card
	shapes []json.RawMessage // of the fields
	key    json.RawMessage   // the shape of the ids, which fits the primary key and all relations to it
	taken  []map[string]bool // by constraint
	order  int               // rows of entities of a lower order are there before these
}

// world holds the rows of all entities of a project. Once it is made only elsewhere changes.
type world struct {
	chance   sample.Chance
	count    int
	registry *schema.Registry
	tables   map[*schema.Entity]*table
	sequence []*table
	notes    []Note

	elsewhere sync.Map // by *schema.Property, the ids that a relation out of the project may hold
}

// note records a value that cannot be invented, once.
func (w *world) note(at, message, remedy string) {
	if n := (Note{at, message, remedy}); !slices.Contains(w.notes, n) {
		w.notes = append(w.notes, n)
	}
}

// claim keeps the values of a row that no other may have, for each unique constraint.
func (w *world) claim(t *table, row schema.Object) {
	for i, members := range t.entity.Uniques {
		if values, ok := w.joined(members, row); ok {
			t.taken[i][values] = true
		}
	}
}

// free says whether no row has the values of this one yet.
func (w *world) free(t *table, row schema.Object) bool { return w.freeWith(t, row, nil) }

// freeWith is free for the constraints that a field is part of; nil asks for all. An unfinished
// row has no value for a constraint over a missing field, and is free of it.
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

// joined returns one text for the values of a constraint's members, and false if one of them is
// null: null equals no value, as in SQL. An omitted field counts with its default.
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

// canonical returns a text that two values share where the store holds them for the same: 1
// and 1.0, "9.5" and "9.50" of a decimal, one moment in two time zones.
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
		if at, ok := format.ParseDateTime(jsontext.Unquote(v)); ok {
			return at.String()
		}
	}
	if jsontext.KindOf(v) == jsontext.String {
		return jsontext.Unquote(v)
	}
	return string(jsontext.Trim(v))
}
