package readset_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/readset"
	"github.com/frondhost/frond/store/storetest"
)

// findCounter is a store that counts its reads.
type findCounter struct {
	*storetest.Store
	finds atomic.Int64
}

func (s *findCounter) Find(ctx context.Context, q *facade.Find) (*facade.Found, error) {
	s.finds.Add(1)
	return s.Store.Find(ctx, q)
}

// TestBatch: executions side by side are answered as one by one, each by its caller's rules, and
// reads that differ in one value are one statement.
func TestBatch(t *testing.T) {
	p, err := facade.Read(fstest.MapFS{
		"fronds/pad/entities/note.yaml": {Data: []byte("type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  owner: {type: string}\n  n: {type: integer}\n  secret: {type: string}\n" +
			"  at: {type: string, format: date-time}\n  padId: {type: string, x-kit: {role: {relation: {to: pad, kind: one}}}}\nrequired: [owner, n]\n")},
		"fronds/pad/entities/pad.yaml": {Data: []byte("type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  owner: {type: string}\n  notes: {type: array, items: {type: string}, x-kit: {role: {relation: {to: note, kind: many}}}}\n")},
		"fronds/pad/frond.yaml":        {Data: []byte("search: {note: {fields: {owner: A, secret: B}}}\ncollectors:\n  note:\n    - when: user.id == \"staff\"\n      allow: all\n    - when: user.id == \"reader\"\n      hide: [secret]\n    - rows: {owner: {eq: $user.id}}\n      hide: [secret]\n  pad:\n    - when: user.id == \"staff\"\n      allow: all\n    - rows: {owner: {eq: $user.id}}\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	store := &findCounter{Store: storetest.NewStore()}
	f := storetest.New(t, p, store, nil)
	state := func(id string) access.State { return access.State{"user": map[string]any{"id": id}} }
	call := func(ctx context.Context, user, op, params, query string) string {
		out, err := f.Call(ctx, &facade.Call{Entity: "note", Operation: op, Invocation: facade.Invocation{Params: []byte(params), Query: []byte(query), State: state(user)}})
		if err != nil {
			t.Error(err)
			return ""
		}
		return string(out.AppendJSON(nil))
	}
	create := func(entity, body string) {
		if _, err := f.Call(t.Context(), &facade.Call{Entity: entity, Operation: "create", Invocation: facade.Invocation{Body: []byte(body), State: state("staff")}}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		create("pad", fmt.Sprintf(`{"id":"p%d","owner":"u%d"}`, i, 2-i))
	}
	for i := range 60 {
		create("note", fmt.Sprintf(`{"id":"n%d","owner":"u%d","n":%d,"secret":"s","padId":"p%d","at":"2026-%02d-01T0%d:00:00Z"}`, i, i%20, i/20, i%7%3, 1+i%12, i%9))
	}
	for _, c := range []struct {
		name  string
		finds int64 // for 20 executions
		call  func(ctx context.Context, i int) string
	}{
		{"lists of callers who see their own rows", 1, func(ctx context.Context, i int) string {
			return call(ctx, fmt.Sprint("u", i), "list", "", `{"sort":"-n","limit":2}`)
		}},
		{"lists with another value each", 1, func(ctx context.Context, i int) string {
			return call(ctx, "staff", "list", "", fmt.Sprintf(`{"filter":{"owner":{"eq":"u%d"},"n":{"gte":1}},"limit":1}`, i))
		}},
		{"the second value differs less", 2, func(ctx context.Context, i int) string {
			return call(ctx, "staff", "list", "", fmt.Sprintf(`{"filter":{"owner":{"eq":"u%d"},"n":{"eq":%d}}}`, i, i%2))
		}},
		{"rows by their ids", 1, func(ctx context.Context, i int) string {
			return call(ctx, "staff", "findById", fmt.Sprintf(`{"id":"n%d"}`, 5*i), "") // the last are not there
		}},
		{"lists of ids", 1, func(ctx context.Context, i int) string {
			return call(ctx, "staff", "findByIds", "", fmt.Sprintf(`{"ids":["n%d","n1","n%d","x"]}`, i, i+3))
		}},
		{"equal lists", 1, func(ctx context.Context, _ int) string {
			return call(ctx, "u3", "list", "", `{"filter":{"n":{"gt":0}}}`)
		}},
		{"another range each", 20, func(ctx context.Context, i int) string {
			return call(ctx, "staff", "list", "", fmt.Sprintf(`{"filter":{"n":{"lt":%d}},"limit":%d}`, i, 3))
		}},
		{"a page behind a cursor", 20, func(ctx context.Context, i int) string {
			return call(ctx, "staff", "list", "", fmt.Sprintf(`{"limit":2,"offset":%d}`, i))
		}},
		{"numbers of other rows each", 1, func(ctx context.Context, i int) string {
			return call(ctx, "staff", "aggregate", "", fmt.Sprintf(`{"filter":{"owner":{"eq":"u%d"}},"select":"count,n.sum"}`, 5*i)) // the last have no rows
		}},
		{"numbers that meet a condition, of other rows each", 20, func(ctx context.Context, i int) string {
			return call(ctx, "staff", "aggregate", "", fmt.Sprintf(`{"filter":{"owner":{"eq":"u%d"}},"having":{"count":{"gte":3}}}`, 5*i))
		}},
		{"numbers in an order, of other rows each", 20, func(ctx context.Context, i int) string {
			return call(ctx, "staff", "aggregate", "", fmt.Sprintf(`{"filter":{"owner":{"eq":"u%d"}},"sort":"count"}`, 5*i))
		}},
		{"groups of other rows each", 1, func(ctx context.Context, i int) string {
			return call(ctx, fmt.Sprint("u", i), "aggregate", "", `{"by":"n","limit":2}`)
		}},
		{"groups that meet another condition each", 20, func(ctx context.Context, i int) string {
			return call(ctx, "staff", "aggregate", "", fmt.Sprintf(`{"by":"padId","having":{"count":{"gte":%d}}}`, i+10))
		}},
		{"groups by another unit", 2, func(ctx context.Context, i int) string {
			return call(ctx, "staff", "aggregate", "", fmt.Sprintf(`{"by":"at:%s"}`, []string{"month", "quarter"}[i%2]))
		}},
		{"groups of another time zone", 2, func(ctx context.Context, i int) string {
			return call(ctx, "staff", "aggregate", "", fmt.Sprintf(`{"by":"at:month","zone":%q}`, []string{"UTC", "America/New_York"}[i%2]))
		}},
		{"equal orders through a relation", 1, func(ctx context.Context, _ int) string {
			return call(ctx, "staff", "list", "", `{"sort":"-pad.owner,-pad.notes.n.sum","fields":"id","limit":7}`)
		}},
		{"orders by rows that each caller sees", 20, func(ctx context.Context, i int) string {
			return call(ctx, fmt.Sprint("u", i), "list", "", `{"sort":"-pad.owner","fields":"id"}`)
		}},
		{"searches for other words each", 20, func(ctx context.Context, i int) string {
			return call(ctx, "staff", "list", "", fmt.Sprintf(`{"search":"u%d","sort":"-rank","fields":"id"}`, i))
		}},
		{"searches in the fields that each caller sees", 2, func(ctx context.Context, i int) string {
			return call(ctx, []string{"staff", "reader"}[i%2], "aggregate", "", `{"search":"s or u1"}`)
		}},
		{"another document each", 20, func(ctx context.Context, i int) string {
			return call(ctx, "staff", "list", "", fmt.Sprintf(`{"filter":{"owner":{"eq":"u1"}},"limit":%d}`, 1+i))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var want, got [20]string
			for i := range want {
				want[i] = c.call(t.Context(), i)
			}
			before := store.finds.Load()
			synctest.Test(t, func(t *testing.T) { // a slow machine does not end the wait for the others
				batch := readset.NewBatch(len(got), make(chan struct{}, 1))
				var all sync.WaitGroup
				for i := range got {
					all.Go(func() {
						ctx, _ := readset.Record(t.Context())
						batch.Run(ctx, func(ctx context.Context) { got[i] = c.call(ctx, i) })
					})
				}
				all.Wait()
			})
			for i := range got {
				if got[i] != want[i] {
					t.Errorf("execution %d: %s\nwant %s", i, got[i], want[i])
				}
			}
			if n := store.finds.Load() - before; n > c.finds {
				t.Errorf("%d statements, want %d", n, c.finds)
			}
		})
	}
}
