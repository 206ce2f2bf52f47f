package postgres

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/rows"
)

// BenchmarkFind reads a page of 100 rows, one row and 50 rows by their keys, and the first ten
// rows of each of ten keys.
func BenchmarkFind(b *testing.B) {
	p := newPlanned(b, 10_000)
	layout := rows.NewLayout([]string{"id", "level", "name", "at", "note"})
	keys := func(n int) (all []json.RawMessage) {
		for i := range n {
			all = append(all, fmt.Appendf(nil, "%d", i))
		}
		return all
	}
	byID := []facade.SortKey{{Field: p.track.Primary}}
	for _, c := range []struct {
		name string
		rows int
		q    facade.Find
	}{
		{"page of 100", 100, facade.Find{Sort: byID, Limit: 100}},
		{"page of 100 and its total", 100, facade.Find{Sort: byID, Limit: 100, Count: true}},
		{"page of 100 behind a cursor", 100, facade.Find{
			Sort: []facade.SortKey{{Field: p.track.Property("at")}, {Field: p.track.Primary}}, Limit: 100,
			From: []json.RawMessage{[]byte(`"2024-01-02T00:00:00.000Z"`), []byte("1440")},
		}},
		{"one row", 1, facade.Find{Limit: 1, Each: &facade.EachKey{Field: p.track.Primary, Values: keys(2)[1:]}}},
		{"50 rows by their keys", 50, facade.Find{Limit: 1, Each: &facade.EachKey{Field: p.track.Primary, Values: keys(51)[1:]}}},
		{"10 rows each of 10 keys", 100, facade.Find{Sort: byID, Limit: 10, Each: &facade.EachKey{Field: p.track.Property("level"), Values: keys(10)}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.q.Entity, c.q.Select = p.track, layout
			b.ReportAllocs()
			for b.Loop() {
				found, err := p.Find(b.Context(), &c.q)
				if err != nil || found.Rows.Len() != c.rows {
					b.Fatal(found, err)
				}
			}
		})
	}
}
