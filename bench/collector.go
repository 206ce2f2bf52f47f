package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/store/sqlite"
)

// What a collector costs (collector). The same rows are read twice from equal files:
//
//	the caller's filter   no collectors; the query has {"ownerId":{"eq":"u7"}}
//	a collector           the rules have it, with $user.id; the query has no filter
//
// The answers have to be equal, so that the difference is the time the rule takes: choosing
// it, putting the caller's id in, and checking fields.

// tenants is a project whose rows belong to somebody: ten owners with a hundred items and ten
// makers each, found by an index. secret is in no answer: it is there to be left out.
var tenants = fstest.MapFS{
	"entities/maker.yaml": {Data: []byte(`
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  ownerId: {type: string, x-kit: {role: {index: true}}}
  name: {type: string}
  country: {type: string}
required: [id, ownerId, name, country]
`)},
	"entities/item.yaml": {Data: []byte(`
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  ownerId: {type: string, x-kit: {role: {index: true}}}
  name: {type: string}
  price: {type: integer}
  secret: {type: string}
  active: {type: boolean}
  createdAt: {type: string, format: date-time}
  makerId: {type: string, x-kit: {role: {relation: {to: maker, kind: one}}}}
required: [id, ownerId, name, price, secret, active, createdAt, makerId]
`)},
}

// theirOwn is the frond.yaml of the second project: staff see everything, a user the rows of
// their own, nobody else anything. The caller of the measurement matches the second rule.
const theirOwn = `
collectors:
  item: [{when: user.role == "staff"}, {when: user != nil, rows: {ownerId: {eq: $user.id}}}, {deny: all}]
  maker: [{when: user.role == "staff"}, {when: user != nil, rows: {ownerId: {eq: $user.id}}}, {deny: all}]
`

const (
	theirItems = `{ items(first: 100) { items { id name price active maker { name country } } } }`
	askedItems = `{ items(first: 100, filter: {ownerId: {eq: "u7"}}) { items { id name price active maker { name country } } } }`
)

// benchCollector lists a caller's hundred rows and reads them nested: once with no collector
// and the filter in the query, and once with collectors that put it there. GraphQL runs on an
// engine of its own, without HTTP.
func benchCollector(rounds int, slice time.Duration) error {
	// Two files, so that neither side finds the other's pages in its cache.
	dir, err := os.MkdirTemp("", "frond-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	open, shutOpen, err := owned(filepath.Join(dir, "open.db"), tenants)
	if err != nil {
		return err
	}
	defer shutOpen()
	ruled := maps.Clone(tenants)
	ruled["frond.yaml"] = &fstest.MapFile{Data: []byte(theirOwn)}
	scoped, shutScoped, err := owned(filepath.Join(dir, "scoped.db"), ruled)
	if err != nil {
		return err
	}
	defer shutScoped()

	// Both sides have the same state, also the one that does not read it.
	state := access.State{"user": map[string]any{"id": "u7", "role": "customer"}}
	list := func(gw *gateway.Gateway, query string) func() []byte {
		return func() []byte {
			res, err := gw.Caller().Call(context.Background(), &facade.Call{Entity: "item", Operation: "list", Invocation: facade.Invocation{
				Query: json.RawMessage(query), State: state,
			}})
			if err != nil {
				panic(err)
			}
			return res.AppendJSON(nil)
		}
	}
	// nested copies the body, since Release gives its buffer back.
	nested := func(gw *gateway.Gateway, query string) (func() []byte, error) {
		b := projection.NewBuilder()
		if err := projection.RegisterAll(b, gw.Catalog(), nil); err != nil {
			return nil, err
		}
		s, err := b.Build()
		if err != nil {
			return nil, err
		}
		engine, err := resolvers.NewEngine(s, gw.Caller(), nil)
		return func() []byte {
			r := engine.Execute(context.Background(), &resolvers.Request{Query: query, State: state})
			if r.Status != 200 {
				panic(string(r.Body))
			}
			defer r.Release()
			return append([]byte(nil), r.Body...)
		}, err
	}
	// The same limit, and no total: only the place of the filter differs.
	const all = `{"limit":100,"total":false}`
	const asked = `{"limit":100,"total":false,"filter":{"ownerId":{"eq":"u7"}}}`
	if err := sideBySide("a list of 100 rows", rounds, slice, list(open, asked), list(scoped, all)); err != nil {
		return err
	}
	without, err := nested(open, askedItems)
	if err != nil {
		return err
	}
	with, err := nested(scoped, theirItems)
	if err != nil {
		return err
	}
	return sideBySide("100 rows with a relation, GraphQL", rounds, slice, without, with)
}

// sideBySide measures the same answer, asked for and scoped. It fails where the two differ.
func sideBySide(title string, rounds int, slice time.Duration, without, with func() []byte) error {
	if err := same(without(), with()); err != nil {
		return err
	}
	figures := compete(rounds, slice, []contender{{"the caller's filter", func() { without() }}, {"a collector", func() { with() }}})
	more := 100 * (float64(figures[1].median)/float64(figures[0].median) - 1)
	table(os.Stdout, "Collectors, "+title+", by an indexed column", 0, figures,
		fmt.Sprintf("the collector takes %+.1f %% (aim: under +10 %%)", more))
	return nil
}

// owned returns a gateway over the owners' rows in a file, and what closes the file.
func owned(path string, project fs.FS) (*gateway.Gateway, func(), error) {
	log := slog.New(slog.DiscardHandler)
	store, err := sqlite.Open(context.Background(), sqlite.Options{Path: path, Logger: log})
	if err != nil {
		return nil, nil, err
	}
	shut := func() {
		if err := store.Close(); err != nil {
			panic(err)
		}
	}
	gw, err := seeded(store, project, log)
	if err != nil {
		shut()
		return nil, nil, err
	}
	return gw, shut, nil
}

// seeded returns a gateway over the owners' rows, which it writes as seeds: 10 owners, 100
// makers, 1,000 items. Ids are spread over the owners, so that one owner's rows are not
// neighbours in the table.
func seeded(store facade.Store, fsys fs.FS, log *slog.Logger) (*gateway.Gateway, error) {
	source, err := facade.Read(fsys)
	if err != nil {
		return nil, err
	}
	var makers, items []map[string]any
	for u := range 10 {
		owner := fmt.Sprintf("u%d", u)
		for i := range 10 {
			makers = append(makers, map[string]any{"id": fmt.Sprintf("m%d-%d", i, u), "ownerId": owner, "name": fmt.Sprintf("Maker number %d", i), "country": "NL"})
		}
		for i := range 100 {
			items = append(items, map[string]any{
				"id": fmt.Sprintf("i%03d-%d", i, u), "ownerId": owner, "name": fmt.Sprintf("Item number %d", i), "price": 100 + 7*i, "secret": "s",
				"active": i%2 == 0, "createdAt": fmt.Sprintf("2026-03-%02dT10:20:30Z", 1+i%28), "makerId": fmt.Sprintf("m%d-%d", i%10, u),
			})
		}
	}
	for name, rows := range map[string]any{"maker": makers, "item": items} {
		text, err := json.Marshal(rows)
		if err != nil {
			return nil, err
		}
		source.Fronds[0].Seeds = append(source.Fronds[0].Seeds, project.Text{File: "seeds/" + name + ".json", Data: text})
	}
	return gateway.New(source, &gateway.Options{Store: store, Logger: log, Undecided: true})
}
