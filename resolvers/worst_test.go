package resolvers_test

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/resolvers/language"
	"github.com/frondhost/frond/store/storetest"
)

// reader is an engine that keeps no document and whose calls find nothing: what a
// request costs it is what reading its document costs.
func reader(t testing.TB) *resolvers.Engine {
	t.Helper()
	p, err := facade.Read(storetest.People())
	if err != nil {
		t.Fatal(err)
	}
	f, err := facade.New(storetest.Compiled(t, p), storetest.NewStore(), nil)
	if err != nil {
		t.Fatal(err)
	}
	nothing := facade.CallerFunc(func(context.Context, *facade.Call) (*facade.Result, error) {
		return &facade.Result{}, nil
	})
	b := projection.NewBuilder()
	if err := projection.RegisterAll(b, f.Catalog(), nil); err != nil {
		t.Fatal(err)
	}
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	e, err := resolvers.NewEngine(s, nothing, &resolvers.Options{Documents: -1, NoCoalesce: true, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestWorst: whatever stands in 64 KiB, reading it costs no more than reading an
// ordinary document of that size does, within a small factor. The cost is counted,
// not timed: what is looked at, and what is allocated. `go run ./bench worst` times it.
func TestWorst(t *testing.T) {
	e := reader(t)
	ordinary := storetest.Ordinary()
	base, ok := e.WorkOf(ordinary)
	if answer := answered(e, ordinary); !ok || !strings.HasPrefix(answer, `{"data":{"r0":null`) {
		t.Fatalf("the ordinary document is refused: %s", short(answer))
	}
	if base.Measured < 3000 || base.Validated < 6000 {
		t.Fatalf("the ordinary document is small: %+v", base)
	}
	bytes, objects := allocated(e, ordinary)
	for _, d := range storetest.Worst() {
		t.Run(d.Name, func(t *testing.T) {
			if n := len(d.Text); n > 64<<10 {
				t.Fatalf("%d bytes", n)
			}
			answer := answered(e, d.Text)
			if strings.Contains(answer, "LIMIT") || strings.Contains(answer, language.CodeDocument) || strings.Contains(answer, "GRAPHQL_PARSE_FAILED") {
				t.Errorf("this is not the worst that is let in: %s", short(answer))
			}
			w, _ := e.WorkOf(d.Text)
			if w.Measured > 2*base.Measured || w.Validated > 4*base.Validated {
				t.Errorf("%+v is looked at, of the ordinary document %+v", w, base)
			}
			b, o := allocated(e, d.Text)
			if b > 3*bytes || o > 3*objects {
				t.Errorf("%d bytes in %d allocations, of the ordinary document %d in %d", b, o, bytes, objects)
			}
		})
	}
}

func answered(e *resolvers.Engine, query string) string {
	return string(e.Execute(context.Background(), &resolvers.Request{Query: query}).Body)
}

// allocated is what answering a document allocates, the least of some runs: the
// runtime allocates now and then too.
func allocated(e *resolvers.Engine, query string) (bytes, objects uint64) {
	var before, after runtime.MemStats
	for range 3 {
		runtime.ReadMemStats(&before)
		e.Execute(context.Background(), &resolvers.Request{Query: query}).Release()
		runtime.ReadMemStats(&after)
		b, o := after.TotalAlloc-before.TotalAlloc, after.Mallocs-before.Mallocs
		if bytes == 0 || b < bytes {
			bytes, objects = b, o
		}
	}
	return bytes, objects
}

// BenchmarkWorst measures what reading a document costs that nobody has seen
// before: parsing, validating and planning it, without the cache.
func BenchmarkWorst(b *testing.B) {
	e := reader(b)
	for _, d := range append(storetest.Worst(), storetest.Document{Name: "ordinary", Text: storetest.Ordinary()}) {
		b.Run(d.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e.Execute(context.Background(), &resolvers.Request{Query: d.Text}).Release()
			}
		})
	}
}
