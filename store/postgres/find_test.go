package postgres

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/storetest"
)

// newLetters makes a store whose rows have one letter each: every one that has another case.
func newLetters(t *testing.T) (p *planned, all []rune) {
	t.Helper()
	p = newPlanned(t, 0)
	for lower, others := range foldings() {
		all = append(append(all, lower), []rune(others)...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	var rows []string
	for i, r := range all {
		rows = append(rows, fmt.Sprintf("(%d, 0, 'x' || chr(%d) || 'y', NULL, '')", i, r))
	}
	p.run(t, "INSERT INTO track VALUES "+strings.Join(rows, ", "))
	return p, all
}

// TestOddLetters searches without regard to case for each letter that folds in an odd way, and
// for others: the rows are those of which Go's lower case contains Go's lower case of the operand.
func TestOddLetters(t *testing.T) {
	t.Parallel()
	p, all := newLetters(t)
	search := []rune{'İ', 'ı', 'i', 'I', 'ß', 'ẞ', 's', 'ſ', 'Σ', 'ς', 'σ', 'K', 'k', 'Å', 'å', 'Ω', 'ǅ', 'Ǆ', 'ﬀ', 'ᲀ', 'Ꭰ', 'ꭰ', '𐐀'}
	r := rand.New(rand.NewPCG(5, 6))
	for range 60 {
		search = append(search, all[r.IntN(len(all))])
	}
	for _, letter := range search {
		for _, operand := range []string{string(letter), "x" + string(letter) + "Y"} {
			var want []string
			for i, r := range all {
				if strings.Contains(strings.ToLower("x"+string(r)+"y"), strings.ToLower(operand)) {
					want = append(want, fmt.Sprint(i))
				}
			}
			found, err := p.Find(t.Context(), &facade.Find{
				Entity: p.track, Select: rows.NewLayout([]string{"id"}), Sort: []facade.SortKey{{Field: p.track.Primary}}, Limit: 9999,
				Where: &filter.Filter{Op: filter.IContains, Field: p.track.Property("name"), Values: []any{operand}},
			})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i := range found.Rows.Len() {
				got = append(got, string(found.Rows.Row(i).Get("id")))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q finds %v, want %v", operand, got, want)
			}
		}
	}
}

// TestTextsAreBound sends hostile texts through every operator that takes one: no statement has
// any of it in its text, a long text is searched for as well, and one with a NUL finds nothing.
func TestTextsAreBound(t *testing.T) {
	t.Parallel()
	p := newPlanned(t, 0)
	field := p.track.Property("note")
	for _, text := range append(storetest.Hostile, strings.Repeat("Größe? ", 1500), "nul\x00") {
		for _, op := range []filter.Op{filter.Eq, filter.Ne, filter.Lt, filter.Gte, filter.In, filter.NotIn, filter.Contains, filter.IContains, filter.StartsWith, filter.EndsWith} {
			found, err := p.Find(t.Context(), &facade.Find{
				Entity: p.track, Select: rows.NewLayout([]string{"id"}), Sort: []facade.SortKey{{Field: field}, {Field: p.track.Primary}}, Limit: 9,
				Where: &filter.Filter{Op: op, Field: field, Values: []any{text}},
			})
			if err != nil || found.Rows.Len() != 0 {
				t.Errorf("%.20q by %d: %v", text, op, err)
			}
			if strings.Contains(p.sql, text[:4]) {
				t.Errorf("%.20q stands in %s", text, p.sql)
			}
		}
	}
}

// TestCursorsThatWereMadeUp reads from places that no row can have: the caller's mistake, and
// not ours.
func TestCursorsThatWereMadeUp(t *testing.T) {
	p := newPlanned(t, 0)
	for _, c := range []struct{ field, value string }{{"at", `{"text":"soon"}`}, {"name", `"nul\u0000"`}} {
		_, err := p.Find(t.Context(), &facade.Find{
			Entity: p.track, Select: rows.NewLayout([]string{"id"}), Sort: []facade.SortKey{{Field: p.track.Property(c.field)}, {Field: p.track.Primary}}, Limit: 9,
			From: []json.RawMessage{[]byte(c.value), []byte("1")},
		})
		if kiterror.CodeOf(err) != kiterror.BadRequest {
			t.Errorf("from %s: %v", c.value, err)
		}
	}
}

// TestEstimatedTotals holds totals to what they may be: exact where few rows meet the filter,
// about right beyond, and never less than what was seen.
func TestEstimatedTotals(t *testing.T) {
	p := newPlanned(t, 40_000)
	level := p.track.Property("level")
	is := func(op filter.Op, v int64) *filter.Filter {
		return &filter.Filter{Op: op, Field: level, Values: []any{v}}
	}
	for _, c := range []struct {
		what        string
		where       *filter.Filter
		least, most int64
	}{
		{"few rows", is(filter.Eq, 3), 4000, 4000},
		{"none", is(filter.Eq, 77), 0, 0},
		{"more than are counted", is(filter.Gte, 5), 15_000, 25_000},
		{"all rows", nil, 39_000, 41_000},
	} {
		found, err := p.Find(t.Context(), &facade.Find{
			Entity: p.track, Select: rows.NewLayout([]string{"id"}), Sort: []facade.SortKey{{Field: p.track.Primary}}, Limit: 5,
			Where: c.where, Count: true, Estimate: true,
		})
		if err != nil || found.Total < c.least || found.Total > c.most {
			t.Errorf("%s: %d, %v; want %d to %d", c.what, found.Total, err, c.least, c.most)
		}
	}
}

// TestTotalBeyondItsTime counts rows of which each takes its time: the answer says what to send instead.
func TestTotalBeyondItsTime(t *testing.T) {
	p := newPlanned(t, 100)
	if err := p.db.Maintain(t.Context(), func(c *engine.Conn) error {
		return c.Exec(`ALTER TABLE track RENAME TO slow_track; CREATE VIEW track AS SELECT * FROM slow_track WHERE pg_sleep(0.05) IS NOT NULL;
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET enable_seqscan = off', current_database()); END $$`)
	}); err != nil {
		t.Fatal(err)
	}
	hurried, err := Open(Options{URL: p.url, Statement: time.Second, Logger: p.db.Log()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = hurried.Close() })
	hurried.tables.Store(p.tables.Load())
	q := &facade.Find{
		Entity: p.track, Select: rows.NewLayout([]string{"id"}), Sort: []facade.SortKey{{Field: p.track.Primary}}, Limit: 5, Count: true,
		Where: &filter.Filter{Op: filter.IContains, Field: p.track.Property("note"), Values: []any{"ordinary LENGTH"}},
	}
	if _, err := hurried.Find(t.Context(), q); kiterror.CodeOf(err) != kiterror.UnprocessableEntity || !strings.Contains(err.Error(), "count: estimated") {
		t.Errorf("an exact total: %v", err)
	}
	q.Count = false
	if found, err := hurried.Find(t.Context(), q); err != nil || found.Rows.Len() != 5 {
		t.Errorf("without a total: %v", err)
	}
}

// TestReadsAreMetered reads more than its caller may hold: it ends in the middle of the rows,
// with the caller's error, and the connection is used again.
func TestReadsAreMetered(t *testing.T) {
	p := newPlanned(t, 20_000)
	ctx, account, err := budget.New(2<<20, 0).Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer account.Close()
	q := &facade.Find{Entity: p.track, Select: rows.NewLayout([]string{"id", "note", "at"}), Sort: []facade.SortKey{{Field: p.track.Primary}}, Limit: 20_000}
	if _, err := p.Find(ctx, q); kiterror.CodeOf(err) != kiterror.PayloadTooLarge {
		t.Errorf("a page that is too large: %v", err)
	}
	q.Limit = 10
	if found, err := p.Find(t.Context(), q); err != nil || found.Rows.Len() != 10 {
		t.Errorf("the next page: %v", err)
	}
}
