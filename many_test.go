package frond_test

import (
	"errors"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

// Part is a row of a warehouse.
type Part struct {
	ID, Sku, Rack string
	Stock         int
	Owner         string
}

// warehouse is a program whose callers see their own parts.
func warehouse(store string) *frond.App {
	app := frond.New(fstest.MapFS{
		"entities/part.yaml": {Data: []byte(`
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: nanoid}, update: forbidden}}}
  sku: {type: string, minLength: 2, x-kit: {role: {unique: [[sku], [rack, sku]]}}}
  rack: {type: string}
  stock: {type: integer, minimum: 0, x-kit: {lifecycle: {create: {value: 0}}}}
  owner: {type: string}
required: [sku, rack, owner]
`)},
		"frond.yaml": {Data: []byte(`
name: warehouse
many: {part: '*'}
collectors:
  part:
    - rows: { owner: { eq: $user.id } }
`)},
	})
	frond.Door[Part](app, "part")
	app.Configure(func(o *gateway.Options) { o.Config.Store, o.Config.Extras = store, all.Extras() })
	return app
}

// TestManyRows writes many rows by the methods of Rows, on each store.
func TestManyRows(t *testing.T) {
	stores := map[string]func() string{
		"memory":     func() string { return "memory" },
		"sqlite":     func() string { return "sqlite:" + t.TempDir() + "/parts.db" },
		"postgresql": func() string { return pgtest.Database(t) },
	}
	for name, store := range stores {
		t.Run(name, func(t *testing.T) {
			ctx, closeApp, err := warehouse(store()).Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = closeApp() })
			all, ada := frond.Inside[Part](ctx), frond.As(ctx, frond.SignedIn("ada"))
			own := frond.From[Part](ada)

			made, err := own.CreateMany(ada, []Part{{Sku: "A1", Rack: "x", Owner: "ada"}, {Sku: "A2", Rack: "x", Stock: 2, Owner: "ada"}})
			if err != nil || len(made) != 2 || made[1].Sku != "A2" || made[1].Stock != 2 || made[0].ID == "" {
				t.Fatalf("CreateMany: %+v %v", made, err)
			}
			if _, err := all.CreateMany(ctx, []frond.Set{{"sku": "B1", "rack": "x", "owner": "eva"}, {"sku": "B2", "rack": "x", "owner": "eva"}}); err != nil {
				t.Fatal(err)
			}
			count := func(want int64, what ...frond.Clause) {
				t.Helper()
				if n, err := all.Count(ctx, what...); n != want || err != nil {
					t.Errorf("%d rows (%v), want %d", n, err, want)
				}
			}
			_, err = own.CreateMany(ada, []frond.Set{{"sku": "C1", "rack": "x", "owner": "ada"}, {"sku": "C", "rack": "x", "owner": "ada"}, {"sku": "A1", "rack": "x", "owner": "ada"}})
			if got := pointers(err); !slices.Equal(got, []string{"/body/1/sku"}) {
				t.Errorf("a row at fault: %v %v", got, err)
			}
			if _, err = own.CreateMany(ada, []frond.Set{{"sku": "C1", "rack": "x", "owner": "ada"}, {"sku": "B1", "rack": "x", "owner": "ada"}}); frond.CodeOf(err) != frond.Conflict {
				t.Errorf("a key of another caller's row: %v", err)
			}
			if _, err = own.CreateMany(ada, Part{}); frond.CodeOf(err) != frond.InternalError {
				t.Errorf("no slice: %v", err)
			}
			count(4)

			if n, err := own.UpdateMany(ada, frond.Eq("rack", "x"), 0, frond.Set{"rack": "y"}); n != 2 || err != nil {
				t.Errorf("UpdateMany: %d %v", n, err)
			}
			count(2, frond.Eq("rack", "x"))
			if _, err := own.UpdateMany(ada, frond.Eq("rack", "y"), 1, frond.Set{"rack": "z"}); frond.CodeOf(err) != frond.UnprocessableEntity {
				t.Errorf("more than most: %v", err)
			}
			if _, err := own.UpdateMany(ada, frond.Filter{}, 9, frond.Set{"rack": "z"}); frond.CodeOf(err) != frond.ValidationFailed {
				t.Errorf("an empty condition: %v", err)
			}
			if n, err := all.UpdateMany(ctx, frond.Gte("stock", 0), 9, struct{ Stock int }{5}); n != 4 || err != nil {
				t.Errorf("UpdateMany by the program: %d %v", n, err)
			}
			count(2, frond.Eq("rack", "y"), frond.Eq("stock", 5))

			for _, c := range []struct {
				by      string
				sku     string
				created bool
				code    frond.Code
			}{{"sku", "A1", false, ""}, {"sku,rack", "A3", true, ""}, {"sku", "B1", false, frond.Conflict}, {"stock", "A1", false, frond.ValidationFailed}} {
				row, created, err := own.Upsert(ada, c.by, Part{Sku: c.sku, Rack: "up", Owner: "ada"})
				switch {
				case c.code != "":
					if frond.CodeOf(err) != c.code {
						t.Errorf("Upsert by %s of %s: %v, want %s", c.by, c.sku, err, c.code)
					}
				case err != nil || created != c.created || row.Sku != c.sku || row.Rack != "up":
					t.Errorf("Upsert by %s of %s: %+v %v %v", c.by, c.sku, row, created, err)
				}
			}

			if _, err := own.DeleteMany(ada, frond.In("owner", []string{"ada", "eva"}), 2); frond.CodeOf(err) != frond.UnprocessableEntity {
				t.Errorf("more than most: %v", err)
			}
			if n, err := own.DeleteMany(ada, frond.In("owner", []string{"ada", "eva"}), 3); n != 3 || err != nil {
				t.Errorf("DeleteMany: %d %v", n, err)
			}
			count(2)
			if _, err := own.DeleteMany(ada, frond.Eq("owner", make(chan int)), 3); err == nil {
				t.Error("a filter without JSON is no error")
			}
		})
	}
}

// pointers are those of the details of a refusal.
func pointers(err error) (all []string) {
	var e *frond.Error
	if errors.As(err, &e) {
		details, _ := e.Details.([]schema.Detail)
		for _, d := range details {
			all = append(all, d.Pointer)
		}
	}
	return all
}
