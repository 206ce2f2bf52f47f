package e2e_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// warehouse is a project of racks with items that have notes, over SQLite, behind the
// executor; beside it the same rows as plain slices.
type warehouse struct {
	*testing.T
	*rand.Rand
	facade *facade.Facade
	engine *resolvers.Engine
	racks  map[string]map[string]string // fields as JSON texts, by id
	items  []*item
	made   int
	moved  map[string]bool          // ids whose place in the walk's order may have changed
	hole   func(text string) string // what the model takes a value behind a relation for; nil: for itself
}

// item is a row as it stands in the table: its fields as JSON texts, and behind its
// relations the values of [behind].
type item struct {
	id    string
	of    map[string]string
	notes []string // their weights
}

// columns are what items are sorted by: each has values that tie, most may be null.
var columns = map[string][]string{
	"rank":  {"null", "-3", "0", "1", "1", "2", "9007199254740993"},
	"score": {"null", "-0.5", "0", "0.1", "0.30000000000000004", "2.5", "1e300"},
	"name":  {`""`, `"a"`, `"A"`, `"ab"`, `"é"`, `"É"`, `"x\"y"`, `"😀"`, `"ΣΑΣ"`, `"a%_"`},
	"label": {"null", `""`, `"x"`, `"y"`},
	"at":    {"null", `"2024-01-01T00:00:00.000Z"`, `"2024-01-01T00:00:00.001Z"`, `"2024-01-01T00:00:00.001500Z"`, `"2023-12-31T23:59:59.999999Z"`},
	"day":   {"null", `"1815-12-10"`, `"2000-01-01"`},
	"done":  {"null", "true", "false"},
	"price": {"null", `"-3.50"`, `"0"`, `"9.5"`, `"9.50"`, `"10"`, `"100.01"`},
	"level": {`"low"`, `"high"`, `"mid"`},
}

var columnNames = []string{"rank", "score", "name", "label", "at", "day", "done", "price", "level"}

// behind are the values behind relations that items are sorted by: how orderBy says it,
// and the value as JSON.
var behind = map[string]struct {
	orderBy string
	value   func(*warehouse, *item) string
}{
	"rack.zone":  {`{"rack":{"zone":%q}}`, func(w *warehouse, it *item) string { return w.ofRack(it, "zone") }},
	"rack.load":  {`{"rack":{"load":%q}}`, func(w *warehouse, it *item) string { return w.ofRack(it, "load") }},
	"rack.items": {`{"rack":{"items":{"count":%q}}}`, (*warehouse).besides},
	"notes":      {`{"notes":{"count":%q}}`, func(_ *warehouse, it *item) string { return fmt.Sprint(len(it.notes)) }},
	"notes.sum":  {`{"notes":{"sum":{"weight":%q}}}`, func(_ *warehouse, it *item) string { return weights(it, (*big.Rat).Add) }},
	"notes.max":  {`{"notes":{"max":{"weight":%q}}}`, func(_ *warehouse, it *item) string { return weights(it, greater) }},
	"notes.avg": {`{"notes":{"avg":{"weight":%q}}}`, func(_ *warehouse, it *item) string {
		sum := weights(it, (*big.Rat).Add)
		if sum == "null" {
			return sum
		}
		n := len(slices.DeleteFunc(slices.Clone(it.notes), func(weight string) bool { return weight == "null" }))
		of, _ := new(big.Rat).SetString(sum)
		return of.Quo(of, big.NewRat(int64(n), 1)).String()
	}},
}

// ofRack is a field of an item's rack; null where it is in none.
func (w *warehouse) ofRack(it *item, name string) string {
	return cmp.Or(w.racks[strings.Trim(it.of["rackId"], `"`)][name], "null")
}

// besides is how many items are in the rack of an item; null where it is in none.
func (w *warehouse) besides(it *item) string {
	if it.of["rackId"] == "null" {
		return "null"
	}
	n := 0
	for _, other := range w.items {
		n += btoi(other.of["rackId"] == it.of["rackId"])
	}
	return fmt.Sprint(n)
}

// weights folds the weights of an item's notes; null where there are none.
func weights(it *item, fold func(z, x, y *big.Rat) *big.Rat) string {
	var all *big.Rat
	for _, weight := range it.notes {
		switch v, ok := new(big.Rat).SetString(weight); {
		case ok && all == nil:
			all = v
		case ok:
			fold(all, all, v)
		}
	}
	if all == nil {
		return "null"
	}
	return all.RatString()
}

func greater(z, x, y *big.Rat) *big.Rat {
	if x.Cmp(y) < 0 {
		return z.Set(y)
	}
	return z.Set(x)
}

const itemCard = `
title: item
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  rackId: {type: [string, 'null'], x-kit: {role: {relation: {to: rack, kind: one}, index: true}}}
  rank: {type: [integer, 'null'], format: int64, x-kit: {role: {index: true}}}
  score: {type: [number, 'null']}
  name: {type: string}
  label: {type: [string, 'null']}
  at: {type: [string, 'null'], format: date-time}
  day: {type: [string, 'null'], format: date}
  done: {type: [boolean, 'null']}
  price: {type: [string, 'null'], format: decimal}
  level: {type: string, enum: [low, mid, high]}
  notes: {type: array, items: {type: string}, x-kit: {role: {relation: {to: note, kind: many}}}}
required: [id, rackId, rank, score, name, label, at, day, done, price, level]
`

const rackCard = `
title: rack
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  zone: {type: [string, 'null']}
  load: {type: [integer, 'null']}
  items: {type: array, items: {type: string}, x-kit: {role: {relation: {to: item, kind: many}}}}
required: [id, zone, load]
`

const remarkCard = `
title: note
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  itemId: {type: string, x-kit: {role: {relation: {to: item, kind: one, onDelete: cascade}}}}
  weight: {type: [integer, 'null']}
required: [id, itemId, weight]
`

const boxCard = `
title: box
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  pickIds: {type: array, items: {type: string}, x-kit: {role: {relation: {to: item, kind: many}}}}
required: [id]
`

var (
	racks = []string{"a", "b", "c"}
	zones = []string{"null", `"x"`, `"y"`}
	loads = []string{"null", "0", "7"}
	heavy = []string{"null", "-1", "2", "2", "5"} // the weights of notes
)

func (w *warehouse) pick(list []string) string { return list[w.IntN(len(list))] }

func newWarehouse(t *testing.T, seed uint64) *warehouse {
	t.Helper()
	p, err := facade.Read(fstest.MapFS{
		"entities/item.yaml": {Data: []byte(itemCard)},
		"entities/rack.yaml": {Data: []byte(rackCard)},
		"entities/box.yaml":  {Data: []byte(boxCard)},
		"entities/note.yaml": {Data: []byte(remarkCard)},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	store := openRows(t)
	w := &warehouse{T: t, Rand: rand.New(rand.NewPCG(seed, 5)), racks: map[string]map[string]string{}, moved: map[string]bool{}}
	if w.facade, err = facade.New(storetest.Compiled(t, p), store, nil); err != nil {
		t.Fatal(err)
	}
	if err = store.Prepare(ctx, prepared(w.facade.Catalog())); err != nil {
		t.Fatal(err)
	}
	b := projection.NewBuilder()
	if err = projection.RegisterAll(b, w.facade.Catalog(), nil); err != nil {
		t.Fatal(err)
	}
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if w.engine, err = resolvers.NewEngine(s, w.facade, nil); err != nil {
		t.Fatal(err)
	}
	for _, id := range racks {
		w.racks[id] = map[string]string{"zone": w.pick(zones), "load": w.pick(loads)}
		w.call("rack.create", "", fmt.Sprintf(`{"id":%q,"zone":%s,"load":%s}`, id, w.racks[id]["zone"], w.racks[id]["load"]))
	}
	return w
}

func prepared(c *catalog.Catalog) (list []*schema.Entity) {
	for _, f := range c.Fronds {
		for _, d := range f.Doors {
			list = append(list, d.Entity)
		}
	}
	return list
}

// call makes a call that has to succeed.
func (w *warehouse) call(method, id, body string) {
	w.Helper()
	in := facade.Invocation{}
	if id != "" {
		in.Params = json.RawMessage(fmt.Sprintf(`{"id":%q}`, id))
	}
	if body != "" {
		in.Body = json.RawMessage(body)
	}
	entity, op, _ := strings.Cut(method, ".")
	if _, err := w.facade.Call(context.Background(), &facade.Call{Entity: entity, Operation: op, Invocation: in}); err != nil {
		w.Fatalf("%s %s %s: %v %+v", method, id, body, err, kiterror.AsError(err).Details)
	}
}

// insert adds an item, in the table and in the slice.
func (w *warehouse) insert() {
	w.made++
	it := &item{id: fmt.Sprintf("%c%d", 'a'+w.IntN(26), w.made), of: map[string]string{}}
	it.of["id"] = fmt.Sprintf("%q", it.id)
	it.of["rackId"] = w.rack()
	for name, values := range columns {
		it.of[name] = values[w.IntN(len(values))]
	}
	var members []string
	for name, text := range it.of {
		members = append(members, fmt.Sprintf("%q:%s", name, text))
	}
	w.call("item.create", "", "{"+strings.Join(members, ",")+"}")
	w.items = append(w.items, it)
	for range w.IntN(4) - 1 {
		w.note(it)
	}
}

// rack is the key of a rack, seldom null.
func (w *warehouse) rack() string {
	if w.IntN(8) == 0 {
		return "null"
	}
	return fmt.Sprintf("%q", w.pick(racks))
}

// note adds a note to an item.
func (w *warehouse) note(it *item) {
	weight := w.pick(heavy)
	w.call("note.create", "", fmt.Sprintf(`{"id":"%s-%d","itemId":%q,"weight":%s}`, it.id, len(it.notes), it.id, weight))
	it.notes = append(it.notes, weight)
}

// remove removes an item.
func (w *warehouse) remove(it *item) {
	w.call("item.delete", it.id, "")
	w.items = slices.DeleteFunc(w.items, func(other *item) bool { return other == it })
}

// change writes another value into a field of an item.
func (w *warehouse) change(it *item, name, text string) {
	w.call("item.update", it.id, fmt.Sprintf("{%q:%s}", name, text))
	it.of[name] = text
}

// stir inserts, removes and changes a few rows. What a walk goes by are the values
// in by: an item of which one of those changes is noted as moved.
func (w *warehouse) stir(by []string) {
	places := func() map[string]string {
		w.look()
		all := map[string]string{}
		for _, it := range w.items {
			for _, name := range by {
				all[it.id] += it.of[name] + " "
			}
		}
		return all
	}
	before := places()
	for range w.IntN(4) {
		if len(w.items) == 0 || w.IntN(3) == 0 {
			w.insert()
			continue
		}
		it := w.items[w.IntN(len(w.items))]
		switch w.IntN(5) {
		case 0:
			w.remove(it)
		case 1: // one that is anywhere, to anywhere
			name := w.pick(columnNames)
			w.change(it, name, w.pick(columns[name]))
		case 2: // to another rack
			w.change(it, "rackId", w.rack())
		case 3:
			w.note(it)
		case 4: // a rack to another place
			id := w.pick(racks)
			w.racks[id] = map[string]string{"zone": w.pick(zones), "load": w.pick(loads)}
			w.call("rack.update", id, fmt.Sprintf(`{"zone":%s,"load":%s}`, w.racks[id]["zone"], w.racks[id]["load"]))
		}
	}
	for id, place := range places() {
		if was, ok := before[id]; ok && was != place {
			w.moved[id] = true
		}
	}
}

// look works out what the relations of the items lead to now.
func (w *warehouse) look() {
	for _, it := range w.items {
		for name, b := range behind {
			if it.of[name] = b.value(w, it); w.hole != nil {
				it.of[name] = w.hole(it.of[name])
			}
		}
	}
}

// sortKey is one key of an order.
type sortKey struct {
	name string
	desc bool
}

// anyOrder is up to three of the names, each in either direction, and the id behind them.
func (w *warehouse) anyOrder(names []string) []sortKey {
	names = slices.Clone(names)
	w.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	var keys []sortKey
	for _, name := range names[:w.IntN(4)] {
		keys = append(keys, sortKey{name, w.IntN(2) == 0})
	}
	return append(keys, sortKey{"id", w.IntN(4) == 0})
}

// compareItems says which of two items comes first in an order.
func compareItems(keys []sortKey, a, b *item) int {
	for _, k := range keys {
		c := compareTexts(k.name, a.of[k.name], b.of[k.name])
		if k.desc {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// compareTexts compares two values of a field: null first, then by what they say.
func compareTexts(name, a, b string) int {
	switch {
	case a == "null" || b == "null":
		return cmp.Compare(btoi(a != "null"), btoi(b != "null"))
	case name == "rank" || name == "score" || name == "price" || strings.HasPrefix(name, "notes") || name == "rack.load" || name == "rack.items":
		x, _ := new(big.Rat).SetString(strings.Trim(a, `"`))
		y, _ := new(big.Rat).SetString(strings.Trim(b, `"`))
		return x.Cmp(y)
	case name == "done":
		return cmp.Compare(btoi(a == "true"), btoi(b == "true"))
	}
	var x, y string
	_, _ = json.Unmarshal([]byte(a), &x), json.Unmarshal([]byte(b), &y)
	if name == "at" {
		at, _ := time.Parse(time.RFC3339Nano, x)
		other, _ := time.Parse(time.RFC3339Nano, y)
		return at.Compare(other)
	}
	return strings.Compare(x, y)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
