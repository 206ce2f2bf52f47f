package sqlite

import (
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// TestEstimates checks that an estimated total is near the exact one and costs the
// same for twice the rows, and where it is exact.
func TestEstimates(t *testing.T) {
	var steps [2]int
	for i, n := range []int{20_000, 40_000} {
		m := newMusic(t, Options{Memory: true, Statement: -1}, n)
		m.total(t, m.track)
		m.settle(t)
		ask := func(where *filter.Filter, limit int, estimate bool) *facade.Found {
			t.Helper()
			found, err := m.store.Find(t.Context(), &facade.Find{
				Entity: m.track, Select: rows.NewLayout([]string{"id"}), Where: where,
				Sort: []facade.SortKey{{Field: m.track.Primary}}, Limit: limit, Count: true, Estimate: estimate,
			})
			if err != nil {
				t.Fatal(err)
			}
			return found
		}
		is := func(op filter.Op, text string) *filter.Filter {
			return &filter.Filter{Op: op, Field: m.track.Property("title"), Values: []any{text}}
		}
		many := is(filter.StartsWith, "title")
		if exact, about := ask(many, 10, false).Total, ask(many, 10, true).Total; exact != int64(n) || about < exact*95/100 || about > exact*105/100 {
			t.Errorf("of %d rows: about %d", exact, about)
		}
		some := is(filter.Contains, "1")
		m.steps()
		about := ask(some, 10, true).Total
		steps[i] = m.steps()
		if exact := ask(some, 10, false).Total; about < exact*95/100 || about > exact*105/100 {
			t.Errorf("of %d rows: about %d", exact, about)
		}
		for what, c := range map[string]struct {
			where *filter.Filter
			limit int
			want  int64
		}{
			"all rows":             {nil, 10, int64(n)},
			"few rows":             {is(filter.StartsWith, "title1234"), 1, ask(is(filter.StartsWith, "title1234"), 1, false).Total},
			"none":                 {is(filter.Eq, "nothing"), 10, 0},
			"what the page tells":  {is(filter.StartsWith, "title1234"), 500, ask(is(filter.StartsWith, "title1234"), 1, false).Total},
			"through the relation": {m.through(filter.Some, m.track, "album", &filter.Filter{Op: filter.Eq, Field: m.album.Primary, Values: []any{"a01"}}), 10, int64(n / 20)},
		} {
			if got := ask(c.where, c.limit, true).Total; got != c.want {
				t.Errorf("%s: %d, want %d", what, got, c.want)
			}
		}
	}
	if steps[1] > steps[0]*3/2 {
		t.Errorf("an estimate takes %d steps over 20,000 rows and %d over 40,000", steps[0], steps[1])
	}
}

// TestEstimatesBeyondASample checks that an estimate is no smaller than the number of rows that
// were counted, where the sample meets none of them.
func TestEstimatesBeyondASample(t *testing.T) {
	m := newMusic(t, Options{Memory: true, Statement: -1}, sqltext.EstimateFrom+100)
	// One row far behind all others is the next one of nearly every place of the sample.
	if err := m.store.db.Write(&engine.Op{Ctx: t.Context(), Alone: true, Run: func(c *engine.Conn) error {
		return c.Once("UPDATE track SET rowid = 1000000000000 WHERE id = 't000000'")
	}}); err != nil {
		t.Fatal(err)
	}
	found, err := m.store.Find(t.Context(), &facade.Find{
		Entity: m.track, Select: rows.NewLayout([]string{"id"}), Sort: []facade.SortKey{{Field: m.track.Primary}}, Limit: 10, Count: true, Estimate: true,
		Where: &filter.Filter{Op: filter.Gt, Field: m.track.Primary, Values: []any{"t000000"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if found.Total != sqltext.EstimateFrom+1 {
		t.Errorf("about %d, want the %d that were counted", found.Total, sqltext.EstimateFrom+1)
	}
}
