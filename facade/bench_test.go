package facade_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/store/storetest"
)

// canned is a store that answers rows it made before: what is measured over it is
// the path alone.
type canned struct {
	facade.Store
	found *facade.Found
}

func (*canned) Abilities() facade.Abilities { return facade.Abilities{} }

func (c *canned) Find(context.Context, *facade.Find) (*facade.Found, error) {
	return c.found, nil
}

// cannedFacade is a façade over n rows of ten columns that are there already.
func cannedFacade(tb testing.TB, n int, fields string) *facade.Facade {
	tb.Helper()
	store := &canned{}
	p := storetest.Project(tb)
	f, err := facade.New(storetest.Compiled(tb, p), store, nil)
	if err != nil {
		tb.Fatal(err)
	}
	var names []string
	if err := json.Unmarshal([]byte(fields), &names); err != nil {
		tb.Fatal(err)
	}
	list := rows.New(rows.NewLayout(names), n)
	for i := range n {
		list.BeginRow()
		for j := range names {
			list.Put(j, fmt.Appendf(nil, `"value %d of %d"`, j, i))
		}
		list.EndRow()
	}
	keys := make([]json.RawMessage, n)
	keys[n-1] = json.RawMessage(`["p99"]`)
	store.found = &facade.Found{Rows: list, Total: int64(n), Keys: keys}
	return f
}

const tenFields = `["id","slug","title","body","status","authorId","price","rating","views","createdAt"]`

var selectTen = []string{"id", "slug", "title", "body", "status", "authorId", "price", "rating", "views", "createdAt"}

func BenchmarkFindByID(b *testing.B) {
	f := cannedFacade(b, 1, tenFields)
	call := &facade.Call{
		Entity: "post", Operation: "findById", Select: selectTen,
		Invocation: facade.Invocation{Params: json.RawMessage(`{"id":"p1"}`)},
	}
	benchmarkCall(b, f, call)
}

func BenchmarkList100(b *testing.B) {
	f := cannedFacade(b, 100, tenFields)
	call := &facade.Call{
		Entity: "post", Operation: "list", Select: selectTen,
		Invocation: facade.Invocation{Query: json.RawMessage(`{"filter":{"status":{"eq":"draft"},"views":{"gte":10}},"sort":"-createdAt","limit":100,"total":false}`)},
	}
	benchmarkCall(b, f, call)
}

func benchmarkCall(b *testing.B, f *facade.Facade, call *facade.Call) {
	ctx := context.Background()
	var text []byte
	b.ReportAllocs()
	for b.Loop() {
		res, err := f.Call(ctx, call)
		if err != nil {
			b.Fatal(err)
		}
		text = res.AppendJSON(text[:0])
	}
}

// BenchmarkNew compiles a host of 1,000 cards.
func BenchmarkNew(b *testing.B) {
	files := fstest.MapFS{}
	for i := range 1000 {
		card := fmt.Sprintf(`{"type":"object","properties":{
			"id":{"type":"string","x-kit":{"role":{"primary":true},"lifecycle":{"create":{"generate":"cuid2"}}}},
			"name":{"type":"string","maxLength":80},"text":{"type":["string","null"]},"count":{"type":"integer"},
			"price":{"type":"string","format":"decimal"},"at":{"type":"string","format":"date-time"},
			"on":{"type":"boolean"},"score":{"type":"number"},"status":{"type":"string","enum":["a","b","c"]},
			"nextId":{"type":["string","null"],"x-kit":{"role":{"relation":{"to":"thing%d","kind":"one"}}}}}}`, (i+1)%1000)
		files[fmt.Sprintf("fronds/f%d/entities/thing%d.json", i/50, i)] = &fstest.MapFile{Data: []byte(card)}
	}
	b.ReportAllocs()
	for b.Loop() {
		p, err := facade.Read(files)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := compile.Project(p, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// TestAllocations holds what a call may cost: benchmarks are read now and then,
// tests always.
func TestAllocations(t *testing.T) {
	for _, c := range []struct {
		name string
		rows int
		most float64
		call *facade.Call
	}{
		{"findById", 1, 40, &facade.Call{
			Entity: "post", Operation: "findById", Select: selectTen,
			Invocation: facade.Invocation{Params: json.RawMessage(`{"id":"p1"}`)},
		}},
		{"list of 100", 100, 60, &facade.Call{
			Entity: "post", Operation: "list", Select: selectTen,
			Invocation: facade.Invocation{Query: json.RawMessage(`{"filter":{"status":{"eq":"draft"}},"sort":"-createdAt","limit":100,"total":false}`)},
		}},
	} {
		f := cannedFacade(t, c.rows, tenFields)
		got := testing.AllocsPerRun(100, func() {
			if _, err := f.Call(context.Background(), c.call); err != nil {
				t.Fatal(err)
			}
		})
		if got > c.most {
			t.Errorf("%s: %.0f allocations, at most %.0f", c.name, got, c.most)
		}
		t.Logf("%s: %.0f allocations", c.name, got)
	}
}

// BenchmarkRules is what a collector of a frond.yaml costs a call: two expressions,
// a filter to bind.
func BenchmarkRules(b *testing.B) {
	for _, c := range []struct{ name, config string }{{"open", "name: desk"}, {"rules", theirs}} {
		b.Run(c.name, func(b *testing.B) {
			f := facadeOf(b, desk(c.config), nil)
			call := &facade.Call{Entity: "order", Operation: "findById", Invocation: facade.Invocation{
				Params: raw(`{"id":"o1"}`), State: access.State{"user": map[string]any{"id": "c1", "tenant": "t"}},
			}}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.Call(b.Context(), call); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
