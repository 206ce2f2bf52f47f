package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/frondhost/frond/facade"
)

// oneByOne is a store that has its rows written one by one.
type oneByOne struct{ facade.Store }

// Abilities implements [facade.Store].
func (s oneByOne) Abilities() facade.Abilities {
	own := s.Store.Abilities()
	own.WriteAll = nil
	return own
}

// testManyRandom makes random writes of stored rows together and, over another store, one by one: both answer
// the same, and have the same rows and the same events afterwards.
func testManyRandom(w *manyWorld) {
	other := &manyWorld{T: w.T}
	other.open(Harness{Open: w.opened}, nil)
	other.store = oneByOne{other.store}
	other.facade = New(w, ManyProject(w), other.store, nil)
	for _, each := range []*manyWorld{w, other} {
		for _, brand := range []string{"b1", "b2", "b3"} {
			each.want(`{}`, "admin", "brand.create", `{"fields":[]}`, fmt.Sprintf(`{"id":%q,"hidden":%t}`, brand, brand == "b2"))
		}
		for n := range 24 {
			each.put(fmt.Sprintf("s%02d:%d:%s", n, n, []string{"ann", "bob"}[n%2]))
		}
	}
	r := rand.New(rand.NewPCG(11, 5))
	from := [2]facade.Position{w.relay(), other.relay()}
	for range 150 {
		who, method, query, body := randomMany(r)
		var said [2]string
		for i, each := range []*manyWorld{w, other} {
			text, err := each.as(who, method, query, body)
			if said[i] = text; err != nil {
				said[i] = short(err) + " " + err.Message
			}
		}
		if said[0] != said[1] {
			w.Fatalf("%s %s %s as %s:\n  together %s\none by one %s", method, query, body, who, said[0], said[1])
		}
		const all = `{"sort":"id","limit":500}`
		one, _ := w.as("admin", "product.list", all, "")
		two, _ := other.as("admin", "product.list", all, "")
		if one != two {
			w.Fatalf("%s %s %s as %s:\n  together %s\none by one %s", method, query, body, who, one, two)
		}
	}
	if one, two := w.events(from[0]), other.events(from[1]); one != two {
		w.Errorf("events\n  together %s\none by one %s", one, two)
	}
}

// randomMany is a random write of stored products.
func randomMany(r *rand.Rand) (who, method, query, body string) {
	who = []string{"admin", "ann", "bob", "clerk"}[r.IntN(4)]
	price, n := r.IntN(30), r.IntN(24)
	where := []string{
		fmt.Sprintf(`{"price":{"gte":%d}}`, price), fmt.Sprintf(`{"sku":{"in":["s%02d","s%02d","s%02d"]}}`, n, (n+1)%24, (n+2)%24),
		`{"aisle":{"isNull":false}}`, `{"brandId":{"isNull":true}}`, fmt.Sprintf(`{"parentId":{"eq":"id-s%02d"}}`, n),
	}[r.IntN(5)]
	patch := []string{
		fmt.Sprintf(`{"price":%d}`, price-1), fmt.Sprintf(`{"aisle":"A%d","place":%d}`, r.IntN(3), n), `{"brandId":"b1"}`, `{"brandId":"b2"}`, `{"brandId":"none"}`, `{}`, `{"price":"x"}`,
		fmt.Sprintf(`{"parentId":"id-s%02d"}`, n), `{"dims":{"w":2}}`, `{"dims":{"h":3}}`, `{"status":"sold","aisle":null}`, `{"sellerId":"bob"}`, `{"cost":4}`, `{"sku":"zz"}`,
	}[r.IntN(14)]
	switch k := r.IntN(10); {
	case k == 0 && r.IntN(3) == 0:
		return who, "product.deleteMany", fmt.Sprintf(`{"where":{"sku":{"in":["s%02d","s%02d"]}},"max":%d}`, n, (n+5)%24, 1+r.IntN(9)), ""
	case k < 6:
		return who, "product.updateMany", fmt.Sprintf(`{"where":%s,"max":%d}`, where, 1+r.IntN(40)), patch
	}
	var rows []string
	for i := range 2 + r.IntN(6) {
		row := fmt.Sprintf(`{"id":"id-s%02d","sku":"s%02d","price":%d,"sellerId":"ann"`, (n+i)%24, (n+i)%24, r.IntN(32)-1)
		if r.IntN(3) == 0 {
			row += []string{`,"brandId":"b2"`, `,"brandId":"b3"`, `,"aisle":"A1","place":7`, `,"dims":{"w":1,"h":2}`, `,"cost":3`, `,"parentId":"id-s01"`}[r.IntN(6)]
		}
		rows = append(rows, row+"}")
	}
	return who, "product.import", fmt.Sprintf(`{"by":%q}`, []string{"sku", "id"}[r.IntN(2)]), "[" + strings.Join(rows, ",") + "]"
}

// relay gives positions to all events, and returns the last one.
func (w *manyWorld) relay() facade.Position {
	w.Helper()
	for last := facade.Position(0); ; {
		next, _, err := w.store.Abilities().Outbox.Relay(context.Background())
		if err != nil {
			w.Fatal(err)
		}
		if next == last {
			return last
		}
		last = next
	}
}

// events are those after a position, in the order of keys within each change of rows.
func (w *manyWorld) events(from facade.Position) string {
	w.Helper()
	w.relay()
	var out strings.Builder
	for {
		events, behind, err := w.store.Abilities().Outbox.Log(context.Background(), from, nil, 500)
		if err != nil {
			w.Fatal(err)
		}
		if behind == from {
			return out.String()
		}
		for _, e := range events {
			fmt.Fprintf(&out, "%s %s %s %s\n", e.Change, e.Key, e.Before, e.Data)
		}
		from = behind
	}
}
