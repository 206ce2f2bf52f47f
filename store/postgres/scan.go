package postgres

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strconv"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// The rows of many keys, where most keys have no more than the limit, are read by one scan of
// the index that begins with the key and ends with the primary key:
//
//	SELECT set_config('enable_sort', 'off', true)
//	SELECT t0."author", t0."id", t0."title" FROM "post" AS t0 WHERE t0."author" = ANY($1::bigint[])
//	  ORDER BY t0."author", t0."id" LIMIT $2
//
// That takes the server two thirds of the time of a search for each key ([reading.each]). The
// limit is what these searches read together at most. A scan that comes to it may have left rows
// out, and the keys are searched one by one instead; the column remembers that.
//
// Without a sort the planner has the index's order alone, which ends at the limit. Else it may
// collect all rows of the keys first, of which one can have millions. The setting holds until the
// end of the batch, which is a transaction of its own.

// unsorted is the statement in front of a scan.
var unsorted = []byte("SELECT set_config('enable_sort', 'off', true)")

// scan is a Find with Each as one scan.
type scan struct {
	key    *column
	values []sqltext.Value
	// numbers are the values of an integer column, and texts the values of another; next is the
	// value that the next rows are likely to have, since they come in this order.
	numbers []scanKey[int64]
	texts   []scanKey[string]
	next    int
	limit   int // of rows of one key, that beyond the page included
}

// scanKey is one of the keys: its value, and its place among all of them.
type scanKey[K cmp.Ordered] struct {
	key   K
	place int
}

// scanKeys returns the values of a kind, the smallest first.
func scanKeys[K cmp.Ordered](values []sqltext.Value, kind sqltext.ValueKind, key func(*sqltext.Value) K) []scanKey[K] {
	keys := make([]scanKey[K], 0, len(values))
	for i := range values {
		if values[i].Kind == kind { // else it equals nothing
			keys = append(keys, scanKey[K]{key(&values[i]), i})
		}
	}
	slices.SortFunc(keys, func(a, b scanKey[K]) int { return cmp.Compare(a.key, b.key) })
	return keys
}

// placeOf returns the place of a key, which is often next.
func placeOf[K cmp.Ordered](keys []scanKey[K], key K, next *int) (int, error) {
	at := *next
	if at >= len(keys) || keys[at].key != key { // a key without rows, or another order of texts
		found := false
		if at, found = slices.BinarySearchFunc(keys, key, func(k scanKey[K], key K) int { return cmp.Compare(k.key, key) }); !found {
			return 0, errors.New("postgres: a row of another key came")
		}
	}
	*next = at + 1
	return keys[at].place, nil
}

// scanOf returns how to read the keys by one scan, or nil. A scan needs the order of an index, and
// keys that the server sends back as they were bound.
func (r *reading) scanOf(c *sqltext.Column, values []sqltext.Value) *scan {
	q := r.Find
	if r.store.sorts.Load() || len(values) < 2 || q.Limit <= 0 || q.Offset > 0 || q.Count || q.Where != nil || q.Each.Through != nil || q.From != nil || q.Until != nil {
		return nil
	}
	if c.Parts != nil || r.Table.Primary.Parts != nil || len(r.Order) != 1 || r.Order[0].Column != r.Table.Primary {
		return nil
	}
	class := classOf(c)
	if class != asInteger && (class != asText || c.Folds || isPadded(c)) {
		return nil
	}
	s := &scan{key: r.table.of(c), values: values, limit: q.Limit + 1}
	if !slices.ContainsFunc(r.Table.Indexes, func(ix sqltext.Index) bool {
		return !ix.Unique && ix.Columns[0] == c && ix.Tail == r.Table.Primary
	}) || !s.key.scans.worth(s.limit) {
		return nil
	}
	if class == asInteger {
		s.numbers = scanKeys(values, sqltext.Int, func(v *sqltext.Value) int64 { return v.I })
	} else {
		s.texts = scanKeys(values, sqltext.Text, func(v *sqltext.Value) string { return v.S })
	}
	return s
}

// place returns which of the keys a row has.
func (s *scan) place(raw []byte) (int, error) {
	if s.texts != nil {
		return placeOf(s.texts, string(raw), &s.next)
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		return 0, err
	}
	return placeOf(s.numbers, n, &s.next)
}

// runScan runs the scan. whole is false if it has read as many rows as it may, so that there
// may be others, or if the server lacks the setting; then it drops its rows.
func (r *reading) runScan(conn *engine.Conn, s *scan) (whole bool, err error) {
	b := r.store.text.Builder()
	defer b.Free()
	alias := b.Alias()
	b.Text("SELECT ")
	b.Column(alias, s.key.Column)
	b.Text(", ")
	b.Columns(r.Selection, alias)
	b.Text(" FROM ", r.Table.Name, " AS ", alias, " WHERE ")
	dialect{}.OneOf(b, s.key.Column, alias, dialect{}.Keys(s.key.Column, s.values))
	b.Text(" ORDER BY ")
	b.OrderBy([]sqltext.SortKey{{Column: s.key.Column, Desc: r.Order[0].Desc}, r.Order[0]}, alias)
	most := len(s.values) * s.limit
	b.Text(" LIMIT ")
	b.Bind(sqltext.IntValue(int64(most)))

	r.Reset()
	groups := make([]facade.FoundGroup, len(s.values))
	for i := range groups {
		groups[i].Total = -1
	}
	r.Read = rows.New(r.Selection.Layout, sqltext.RoomForEach(r.Selection.Layout, len(groups), r.Find.Limit))
	r.Held = len(groups) * (budget.GroupSize + 4)
	var g *facade.FoundGroup
	var key []byte // of g
	read, n := 0, 0
	q, args := r.query(b, 1, 0, func(values [][]byte) error {
		read++
		if g == nil || !bytes.Equal(values[0], key) {
			at, err := s.place(values[0])
			if err != nil {
				return err
			}
			g, key = &groups[at], append(key[:0], values[0]...)
			g.From, g.To = n, n
		}
		if g.To-g.From == r.Find.Limit {
			g.More = true
			return nil
		}
		sqltext.Take(&r.Reading, cells(values), 1)
		n++
		g.To = n
		return r.Grown()
	})
	defer args.free()
	if err := conn.Run(&engine.Query{Text: unsorted}, q); err != nil {
		if engine.Unknown(err) { // another engine
			r.store.sorts.Store(true)
			return false, nil
		}
		return false, err
	}
	whole = read < most
	if s.key.scans.enough(s.limit, whole); !whole {
		return false, nil
	}
	r.Found.Groups = groups
	return true, r.Settle(groups)
}
