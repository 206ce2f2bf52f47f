package projection_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/store/storetest"
)

// thousand is a project of n cards, each with ten fields, an enum, a nested object
// and relations to its neighbours.
func thousand(tb testing.TB, n int) *facade.Facade {
	tb.Helper()
	fsys := fstest.MapFS{}
	for i := range n {
		var card strings.Builder
		fmt.Fprintf(&card, `description: The entity number %d.
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}
  title: {type: string, maxLength: 200, description: What it is called.}
  body: {type: [string, 'null']}
  status: {type: string, enum: [draft, live, gone], x-kit: {lifecycle: {create: {value: draft}}}}
  price: {type: string, format: decimal}
  stock: {type: integer, minimum: 0}
  weight: {type: [number, 'null']}
  tags: {type: array, items: {type: string}}
  size: {type: object, properties: {width: {type: integer}, height: {type: integer}}, required: [width]}
  createdAt: {type: string, format: date-time, x-kit: {lifecycle: {create: now, update: forbidden}}}
  neighbourId: {x-kit: {role: {relation: {to: entity%d, kind: one}}}}
  neighbours: {x-kit: {role: {relation: {to: entity%d, kind: many}}}}
`, i, (i+1)%n, (i+n-1)%n)
		fsys[fmt.Sprintf("fronds/f%d/entities/entity%d.yaml", i/50, i)] = &fstest.MapFile{Data: []byte(card.String())}
	}
	p, err := facade.Read(fsys)
	if err != nil {
		tb.Fatal(err)
	}
	f, err := facade.New(storetest.Compiled(tb, p), nil, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

func BenchmarkBuildThousandCards(b *testing.B) {
	f := thousand(b, 1000)
	b.ReportAllocs()
	for b.Loop() {
		s, err := build(f, nil)
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Ready(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(s.SDL())), "SDL-bytes")
	}
}

// TestThousandCards holds what the schema of a thousand cards keeps, and that building it
// costs in proportion to the cards: four times as many allocations for four times as many.
// BenchmarkBuildThousandCards has the time.
func TestThousandCards(t *testing.T) {
	measure := func(n int) (schema *binding.Schema, kept, allocations uint64) {
		f := thousand(t, n)
		var before, after, settled runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		s, err := build(f, nil)
		if err == nil {
			err = s.Ready()
		}
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		runtime.GC()
		runtime.ReadMemStats(&settled)
		return s, (settled.HeapAlloc - min(before.HeapAlloc, settled.HeapAlloc)) >> 20, after.Mallocs - before.Mallocs
	}
	_, _, few := measure(250)
	s, kept, many := measure(1000)
	t.Logf("%d allocations, %d with a quarter of the cards; %d MB kept, %d KB of SDL", many, few, kept, len(s.SDL())>>10)
	if kept > 90 {
		t.Errorf("the schema keeps %d MB", kept)
	}
	if many > 2_500_000 {
		t.Errorf("1000 cards cost %d allocations", many)
	}
	if many > few*9/2 {
		t.Errorf("1000 cards cost %d allocations, 250 cost %d", many, few)
	}
	runtime.KeepAlive(s)
}
