package e2e_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/sqlite"
	"github.com/frondhost/frond/store/storetest"
)

// TestManyStatements: the statements of a write of many rows do not grow with the number of rows, those of rows
// that belong to them, of links, files and events among them.
func TestManyStatements(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, url string) {
		ran := &statements{}
		silent := slog.New(slog.DiscardHandler)
		var store anyStore
		var err error
		if path, file := strings.CutPrefix(url, "sqlite:"); file {
			store, err = sqlite.Open(t.Context(), sqlite.Options{Path: path, Logger: silent, Trace: ran.trace})
		} else {
			store, err = postgres.Open(postgres.Options{URL: url, Logger: silent, Trace: ran.trace})
		}
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = store.Close() }()
		project, err := facade.Read(os.DirFS(folder(t, map[string]string{
			"frond.yaml":             "name: a\ncollectors: {'*': open}\nchanges: [order, line, orderTag]\nmany: {order: '*', line: '*'}\nrelations: {order.tags: {through: orderTag}}\nnested: {order: [lines, tags]}\nfiles: {order.scan: {types: [image/png]}, line.photo: {types: [image/png]}}\n",
			"entities/tag.yaml":      "properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\nrequired: [id]\n",
			"entities/order.yaml":    "properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  batch: {type: integer, x-kit: {role: {index: true}}}\n  scan: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}\n  lines: {type: array, items: {type: string}, x-kit: {role: {relation: {to: line, kind: many}}}}\nrequired: [id, batch]\n",
			"entities/line.yaml":     "properties:\n  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: nanoid}}}}\n  orderId: {type: string, x-kit: {role: {relation: {to: order, kind: one, onDelete: cascade}, index: true}}}\n  sku: {type: string}\n  photo: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}\nrequired: [orderId, sku]\n",
			"entities/orderTag.yaml": "properties:\n  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: nanoid}}}}\n  orderId: {type: string, x-kit: {role: {relation: {to: order, kind: one, onDelete: cascade}, unique: [[orderId, tagId]]}}}\n  tagId: {type: string, x-kit: {role: {relation: {to: tag, kind: one, onDelete: cascade}}}}\nrequired: [orderId, tagId]\n",
		})))
		if err != nil {
			t.Fatal(err)
		}
		f, err := facade.New(storetest.Compiled(t, project), store, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Prepare(t.Context(), append(prepared(f.Catalog()), catalog.FileEntity())); err != nil {
			t.Fatal(err)
		}
		call := func(method, query, body string) {
			t.Helper()
			entity, op, _ := strings.Cut(method, ".")
			in := facade.Invocation{Body: json.RawMessage(body)}
			if query != "" {
				in.Query = json.RawMessage(query)
			}
			if _, err := f.Call(t.Context(), &facade.Call{Entity: entity, Operation: op, Invocation: in}); err != nil {
				t.Fatalf("%s %s: %v", method, body, err)
			}
		}
		file := func() string {
			sent := &facade.File{Name: "a.png", Type: "image/png"}
			err := f.BeginFile(t.Context(), nil, sent)
			if err == nil {
				sent.Size, sent.SHA256 = 10, "00"
				err = f.EndFile(t.Context(), sent)
			}
			if err != nil {
				t.Fatal(err)
			}
			return sent.ID
		}
		call("tag.create", "", `{"id":"t1"}`)
		call("tag.create", "", `{"id":"t2"}`)
		call("order.create", "", `{"id":"o","batch":0}`) // the first event asks for more
		batch := 0
		for _, c := range []struct {
			name string
			more func() string // members of each order
			then string        // the write that is counted instead, of the orders of the batch
		}{
			{name: "orders", more: func() string { return "" }},
			{name: "with files", more: func() string { return fmt.Sprintf(`,"scan":%q`, file()) }},
			{name: "with lines", more: func() string { return `,"lines":{"create":[{"sku":"a"},{"sku":"b"}]}` }},
			{name: "with lines that have files", more: func() string {
				return fmt.Sprintf(`,"scan":%q,"lines":{"create":[{"sku":"a","photo":%q},{"sku":"b","photo":%q}]}`, file(), file(), file())
			}},
			{name: "with links", more: func() string { return `,"tags":{"connect":["t1","t2"]}` }},
			{name: "changed", more: func() string { return "" }, then: `order.updateMany {"batch":-1}`},
			{name: "whose lines are deleted", more: func() string { return `,"lines":{"create":[{"sku":"a"},{"sku":"b"}]}` }, then: "line.deleteMany "},
		} {
			t.Run(c.name, func(t *testing.T) {
				counts := map[int][]string{}
				for _, n := range []int{3, 60} {
					batch++
					var rows []string
					for i := range n {
						rows = append(rows, fmt.Sprintf(`{"id":"o%d-%d","batch":%d%s}`, batch, i, batch, c.more()))
					}
					ran.takeAll()
					call("order.createMany", "", "["+strings.Join(rows, ",")+"]")
					counts[n] = ran.takeAll()
					if method, body, then := strings.Cut(c.then, " "); then {
						where := fmt.Sprintf(`{"batch":{"eq":%d}}`, batch)
						if method == "line.deleteMany" {
							where = `{"order":` + where + `}`
						}
						call(method, `{"max":1000,"where":`+where+`}`, body)
						counts[n] = ran.takeAll()
					}
					if strings.HasPrefix(url, "sqlite:") {
						// It writes rows one by one with a prepared statement.
						counts[n] = slices.CompactFunc(counts[n], func(a, b string) bool { return a == b && !strings.HasPrefix(a, "SELECT") })
					}
				}
				if len(counts[3]) != len(counts[60]) || len(counts[3]) == 0 {
					t.Errorf("%d statements for 3 rows, %d for 60:\n%s", len(counts[3]), len(counts[60]), strings.Join(counts[60], "\n"))
				}
			})
		}
	})
}
