package storetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema/jsontext"
)

// Pages, ranges, totals and groups. Each test compares a read with the same rows read in
// another way: a walk of pages with the whole list, a key among others with the key alone. So
// the expected rows are not written down, and any order can be tried.

// library fills the store with n posts of two authors that share many values: a cursor has to
// distinguish equal rows by the primary key. Ids are not in the order of insertion.
func (w *world) library(n int) {
	w.insert("author", `{"id":"a"}`, `{"id":"b"}`, `{"id":"c"}`)
	var rows []string
	for i := range n {
		// A third of the posts are not published: a cursor has to hold a null.
		published := "null"
		if i%3 > 0 {
			published = fmt.Sprintf(`"2024-01-0%dT00:00:00.000Z"`, i%3)
		}
		rows = append(rows, fmt.Sprintf(`{"id":"%02d","title":"%s","views":%d,"authorId":"%c","published":%s}`,
			(i*7)%n, strings.Repeat("x", i%4), i%5, 'a'+i%2, published))
	}
	w.insert("post", rows...)
}

// values returns the elements of a cursor's key, which is a JSON array.
func values(key json.RawMessage) []json.RawMessage {
	var out []json.RawMessage
	for _, v := range jsontext.Elements(key) {
		out = append(out, v)
	}
	return out
}

// testKeyset walks the whole table page by page, in both directions, in many orders, and
// expects each walk to be the list. It also checks that only the ends of a page have keys
// unless all are asked for.
func testKeyset(t *testing.T, w *world) {
	w.library(31)
	post := w.entity("post")
	// A filter, since a cursor and a filter meet in one WHERE.
	where := &filter.Filter{Op: filter.Ne, Field: post.Property("title"), Values: []any{"xx"}}
	for _, order := range []string{
		"", "-id", "views", "-views", "published", "-published", "title -views", "-published views",
		"published -title -id", "-published -views -id", "authorId published -id",
	} {
		// The keys of the order are selected or not; a cursor has them either way.
		for _, selected := range [][]string{{"id"}, {"title", "id", "published", "views", "authorId"}} {
			keys := strings.Fields(order)
			list := w.ids("post", where, keys...)
			// One row, some, a divisor of nothing, all of them.
			for _, limit := range []int{1, 4, 7, 100} {
				// what names the walk in a failure.
				what := fmt.Sprintf("by %q, %d at a time, %d fields", order, limit, len(selected))
				var forward, backward []string
				q := facade.Find{Entity: post, Select: rows.NewLayout(selected), Where: where, Sort: w.sort(post, keys...), Limit: limit, Count: true}
				// The bound ends a walk that does not come to its end by itself.
				for range 100 {
					found := w.find(&q)
					w.equal(what+": total", int64(len(strings.Fields(list))), found.Total)
					n := found.Rows.Len()
					forward = append(forward, strings.Fields(w.list(found.Rows, 0, n))...)
					if !found.More {
						break
					}
					// A page is full as long as there is more.
					if n != limit {
						t.Fatalf("%s: %d rows, and more to come", what, n)
					}
					q.From = values(found.Keys[n-1])
				}
				w.equal(what+": forward", list, strings.Join(forward, " "))

				if limit > 7 { // all of them are there: each range between two of them is the list between
					q.Keys = true
					w.ranges(what, &q, strings.Fields(list))
				}
				// From the end to the beginning: each page is put in front of those before.
				q.From, q.Backward, q.Keys = nil, true, true
				for range 100 {
					found := w.find(&q)
					n := found.Rows.Len()
					backward = append(strings.Fields(w.list(found.Rows, 0, n)), backward...)
					if !found.More {
						break
					}
					if n != limit || len(found.Keys) != n {
						t.Fatalf("%s: %d rows, %d keys, and more to come", what, n, len(found.Keys))
					}
					q.From = values(found.Keys[0])
				}
				w.equal(what+": backward", list, strings.Join(backward, " "))
			}
		}
	}

	// Keys only where they are asked for.
	q := facade.Find{Entity: post, Select: rows.NewLayout([]string{"id"}), Sort: w.sort(post, "-views"), Limit: 5}
	found := w.find(&q)
	given := make([]bool, len(found.Keys))
	for i, k := range found.Keys {
		given[i] = k != nil
	}
	w.equal("only the ends have keys", []bool{true, false, false, false, true}, given)
	q.Keys = true
	for i, k := range w.find(&q).Keys {
		if len(values(k)) != 2 {
			t.Errorf("key %d is %s", i, k)
		}
	}
}

// ranges reads the rows between others of a list, in both directions, two rows at most. list is the
// whole list and q the find that reads it, with keys.
func (w *world) ranges(what string, q *facade.Find, list []string) {
	keys := w.find(q).Keys
	for i := 0; i < len(list); i += 3 {
		for j := 1; j < len(list); j += 4 {
			// Where j is not behind i the range is empty.
			between := list[min(i+1, max(j, i+1)):max(j, i+1)]
			r := *q
			r.From, r.Until, r.Count, r.Keys = values(keys[i]), values(keys[j]), true, false
			for _, backward := range []bool{false, true} {
				// Of more than two rows the first two, or, backward, the last two.
				want := between
				if r.Limit = 2; len(want) > 2 && backward {
					want = want[len(want)-2:]
				} else if len(want) > 2 {
					want = want[:2]
				}
				// Until is where the reading ends, so that the two change places.
				if r.Backward = backward; backward {
					r.From, r.Until = r.Until, r.From
				}
				found := w.find(&r)
				at := fmt.Sprintf("%s: from %d to %d, backward %v", what, i, j, backward)
				w.equal(at, strings.Join(want, " "), w.list(found.Rows, 0, found.Rows.Len()))
				w.equal(at+": more", len(between) > 2, found.More)
				w.equal(at+": total", int64(len(list)), found.Total)
			}
		}
	}
}

// testOddCursors asks for rows behind a place that is none of the order: too few values, or
// one of another type. The answer is BAD_REQUEST, as cursors come from clients.
func testOddCursors(t *testing.T, w *world) {
	post := w.entity("post")
	q := facade.Find{Entity: post, Select: rows.NewLayout([]string{"id"}), Sort: w.sort(post, "-views"), Limit: 5}
	q.From = raw(`4`)
	if _, err := w.store.Find(w.ctx(), &q); kiterror.CodeOf(err) != kiterror.BadRequest {
		t.Errorf("a cursor with too few values: %v", err)
	}
	q.From, q.Until = nil, raw(`4`)
	if _, err := w.store.Find(w.ctx(), &q); kiterror.CodeOf(err) != kiterror.BadRequest {
		t.Errorf("an end with too few values: %v", err)
	}
	q.From, q.Until = raw(`"x"`, `"y"`), nil
	if _, err := w.store.Find(w.ctx(), &q); kiterror.CodeOf(err) != kiterror.BadRequest {
		t.Errorf("a cursor with a text for a number: %v", err)
	}
}

// testOffset checks pages by offset, past the end too. Backward the offset counts from the
// end. A limit of 0 or less answers no rows, and More where there are some.
func testOffset(t *testing.T, w *world) {
	w.insert("tag", `{"id":1}`, `{"id":2}`, `{"id":3}`, `{"id":4}`, `{"id":5}`)
	tag := w.entity("tag")
	for _, c := range []struct {
		limit, offset int
		backward      bool
		want          string
		more          bool
	}{
		{0, 0, false, "", true},
		{-1, 0, false, "", true},
		{0, 5, false, "", false},
		{2, 0, false, "1 2", true},
		{5, 0, false, "1 2 3 4 5", false},
		{6, 0, false, "1 2 3 4 5", false},
		{2, 1, false, "2 3", true},
		{2, 3, false, "4 5", false},
		{2, 4, false, "5", false},
		{2, 5, false, "", false},
		{2, 99, false, "", false},
		{2, 0, true, "4 5", true},
		{2, 1, true, "3 4", true},
		{9, 0, true, "1 2 3 4 5", false},
		{0, 0, true, "", true},
	} {
		found := w.find(&facade.Find{Entity: tag, Select: rows.NewLayout([]string{"id"}), Sort: w.sort(tag), Limit: c.limit, Offset: c.offset, Backward: c.backward, Count: true})
		what := fmt.Sprintf("limit %d, offset %d, backward %v", c.limit, c.offset, c.backward)
		w.equal(what, c.want, w.list(found.Rows, 0, found.Rows.Len()))
		w.equal(what+": more", c.more, found.More)
		w.equal(what+": total", int64(5), found.Total)
	}
}

// testTotals checks that a total counts all rows that meet the filter, on every page, and that the
// total of a whole table is right after each kind of write.
func testTotals(t *testing.T, w *world) {
	tag := w.entity("tag")
	q := facade.Find{Entity: tag, Select: rows.NewLayout([]string{"id"}), Sort: w.sort(tag), Limit: 2}
	w.equal("not asked", int64(-1), w.find(&q).Total)
	q.Count = true
	w.equal("of nothing", int64(0), w.find(&q).Total)
	w.insert("tag", `{"id":1}`, `{"id":2}`, `{"id":3}`, `{"id":4}`)
	w.equal("of all", int64(4), w.find(&q).Total)
	q.Where = &filter.Filter{Op: filter.Gt, Field: tag.Primary, Values: []any{int64(1)}}
	w.equal("of the filter", int64(3), w.find(&q).Total)
	// An estimate of a few rows is exact (docs/decisions/filters-and-paging.md).
	q.Estimate = true
	w.equal("estimated, of few rows", int64(3), w.find(&q).Total)
	q.Estimate = false
	q.From = raw("3")
	found := w.find(&q)
	w.equal("without the cursor", int64(3), found.Total)
	w.equal("the rows", "4", w.list(found.Rows, 0, found.Rows.Len()))

	// A store may keep this number instead of counting (docs/decisions/sqlite.md).
	all := func(name string) int64 {
		e := w.entity(name)
		return w.find(&facade.Find{Entity: e, Select: rows.NewLayout(nil), Sort: w.sort(e), Count: true}).Total
	}
	w.insert("author", `{"id":"a"}`)
	w.insert("post", `{"id":"p"}`, `{"id":"q"}`)
	w.insert("comment", `{"id":"1","number":1}`, `{"id":"2","number":2}`, `{"id":"3","postId":"q","number":1}`)
	if _, err := w.store.Insert(w.ctx(), tag, w.records(tag, []string{`{"id":5,"label":"five"}`, `{"id":1,"label":"taken"}`}), nil, rows.NewLayout(nil)); err == nil {
		t.Fatal("an id was taken twice")
	}
	w.equal("after rows that were refused", int64(4), all("tag"))
	if gone, err := w.store.Delete(w.ctx(), w.entity("post"), json.RawMessage(`"p"`), nil, nil); !gone || err != nil {
		t.Fatal(gone, err)
	}
	w.equal("after a row went", int64(1), all("post"))
	w.equal("after two went by cascade", int64(1), all("comment"))
	// Beyond any number of rows that a store would count at once without thinking of the cost.
	var many []string
	for i := range 1200 {
		many = append(many, fmt.Sprintf(`{"id":%d}`, 10+i))
	}
	w.insert("tag", many...)
	for remaining := int64(1204); remaining > 1200; remaining-- { // a store may begin to keep the number meanwhile
		w.equal("of many rows", remaining, all("tag"))
		if gone, err := w.store.Delete(w.ctx(), tag, json.RawMessage(fmt.Sprint(remaining)), nil, nil); !gone || err != nil {
			t.Fatal(gone, err)
		}
	}
}

// testEach checks reads for many keys: the groups, their order, limits and totals. A key's group
// has to equal the answer for that key alone.
func testEach(t *testing.T, w *world) {
	w.library(31)
	post := w.entity("post")
	// groups writes the groups as text, "[ids] total more; " each, and checks that they cover
	// the rows without gaps.
	groups := func(found *facade.Found) string {
		var b strings.Builder
		last := 0
		for _, g := range found.Groups {
			if g.From != last || g.To < g.From {
				t.Fatalf("the groups do not follow each other: %+v", found.Groups)
			}
			last = g.To
			fmt.Fprintf(&b, "[%s] %d %v; ", w.list(found.Rows, g.From, g.To), g.Total, g.More)
		}
		// Every row belongs to exactly one key.
		if last != found.Rows.Len() {
			t.Fatalf("%d rows belong to no group", found.Rows.Len()-last)
		}
		return b.String()
	}
	// ask reads posts for many keys of a field; change alters the find before it runs, nil
	// leaves it.
	ask := func(field string, keys []json.RawMessage, change func(*facade.Find)) *facade.Found {
		q := &facade.Find{
			Entity: post, Select: rows.NewLayout([]string{"id", "authorId"}), Sort: w.sort(post, "-views"), Limit: all,
			Each: &facade.EachKey{Field: w.field(post, field), Values: keys},
		}
		if change != nil {
			change(q)
		}
		return w.find(q)
	}
	// Among the keys of authors are one without posts, one without an author, and keys of
	// other types: each has a group, which is empty.
	authors := raw(`"b"`, `"nobody"`, `"c"`, `"a"`, `7`, `null`, `"'"`)
	// The answer for a key alone equals its answer among others. alone reads for one key, by a
	// filter instead of Each, and writes the result as groups does.
	alone := func(key string, change func(*facade.Find)) string {
		q := &facade.Find{Entity: post, Select: rows.NewLayout([]string{"id", "authorId"}), Sort: w.sort(post, "-views"), Limit: all}
		if change != nil {
			change(q)
		}
		// A group is the same read with the key as one more condition.
		mine := &filter.Filter{Op: filter.Eq, Field: post.Property("authorId"), Values: []any{key}}
		if q.Where != nil {
			mine = &filter.Filter{Op: filter.And, Sub: []*filter.Filter{mine, q.Where}}
		}
		q.Where = mine
		found := w.find(q)
		total := int64(-1)
		if q.Count {
			total = found.Total
		}
		return fmt.Sprintf("[%s] %d %v; ", w.list(found.Rows, 0, found.Rows.Len()), total, found.More)
	}
	// Two places in the order, by the keys of their rows, for the cases with a range.
	from := w.find(&facade.Find{Entity: post, Select: rows.NewLayout([]string{"id"}), Sort: w.sort(post, "-views"), Limit: 9})
	cursor := values(from.Keys[8])
	to := w.find(&facade.Find{Entity: post, Select: rows.NewLayout([]string{"id"}), Sort: w.sort(post, "-views"), Limit: 23})
	until := values(to.Keys[22])
	// Each case changes one part of the find; the others are as in ask.
	for what, change := range map[string]func(*facade.Find){
		"all":                   nil,
		"counted":               func(q *facade.Find) { q.Count = true },
		"three":                 func(q *facade.Find) { q.Limit = 3 },
		"three, counted":        func(q *facade.Find) { q.Limit, q.Count = 3, true },
		"three behind two":      func(q *facade.Find) { q.Limit, q.Offset, q.Count = 3, 2, true },
		"all behind two":        func(q *facade.Find) { q.Offset = 2 },
		"the last three":        func(q *facade.Find) { q.Limit, q.Backward = 3, true },
		"behind a cursor":       func(q *facade.Find) { q.From, q.Count = cursor, true },
		"three behind a cursor": func(q *facade.Find) { q.Limit, q.From, q.Count, q.Keys = 3, cursor, true, true },
		"two before a cursor":   func(q *facade.Find) { q.Limit, q.From, q.Backward, q.Count = 2, cursor, true, true },
		"a range":               func(q *facade.Find) { q.Limit, q.From, q.Until, q.Count = 2, cursor, until, true },
		"a range backward":      func(q *facade.Find) { q.Limit, q.From, q.Until, q.Backward = 2, until, cursor, true },
		"until a cursor":        func(q *facade.Find) { q.Until = until },
		"a hundred":             func(q *facade.Find) { q.Limit, q.Count = 100, true },
		"nothing selected":      func(q *facade.Find) { q.Limit, q.Select = 2, rows.NewLayout([]string{"id"}) },
		"where something matters": func(q *facade.Find) {
			q.Limit, q.Where = 4, &filter.Filter{Op: filter.Gt, Field: post.Property("views"), Values: []any{int64(1)}}
		},
	} {
		var want string
		// null has no rows, as nobody has; alone takes texts only.
		for _, key := range []string{"b", "nobody", "c", "a", "7", "nobody", "'"} {
			want += alone(key, change)
		}
		found := ask("authorId", authors, change)
		w.equal(what, want, groups(found))
		for _, g := range found.Groups {
			for i := g.From; i < g.To; i++ {
				if (i == g.From || i == g.To-1) && len(found.Keys) == 0 || found.Keys[i] == nil && (i == g.From || i == g.To-1) {
					t.Errorf("%s: row %d has no key", what, i)
				}
			}
		}
	}
	w.equal("no keys, no groups", "", groups(ask("authorId", nil, nil)))

	// At most one row has each key, so that there is nothing to order.
	unordered := func(q *facade.Find) { q.Sort = nil }
	for _, limit := range []int{1, 5} {
		found := ask("id", raw(`"03"`, `"zz"`, `"01"`, `3`), func(q *facade.Find) { unordered(q); q.Limit = limit })
		w.equal("by primary key", `[03] -1 false; [] -1 false; [01] -1 false; [] -1 false; `, groups(found))
	}
	// The keys may come in any order; the groups follow it.
	found := ask("slug", raw(`"05"`, `"04"`), func(q *facade.Find) { unordered(q); q.Count = true })
	w.equal("by a unique field", `[05] 1 false; [04] 1 false; `, groups(found))

	w.insert("tag", `{"id":1}`, `{"id":2}`, `{"id":3}`)
	tag := w.entity("tag")
	// 1 and 1.0 are one integer, a text and a boolean are none.
	tags := w.find(&facade.Find{Entity: tag, Select: rows.NewLayout([]string{"id"}), Limit: 1, Each: &facade.EachKey{Field: tag.Primary, Values: raw(`3`, `"1"`, `1`, `1.0`, `true`)}})
	w.equal("integer keys", `[3] -1 false; [] -1 false; [1] -1 false; [1] -1 false; [] -1 false; `, groups(tags))

	// More keys than some engines have parameters for in one statement.
	var many []json.RawMessage
	for i := range 500 {
		many = append(many, json.RawMessage(fmt.Sprintf(`"%02d"`, i)))
	}
	if found := ask("id", many, unordered); found.Rows.Len() != 31 || len(found.Groups) != 500 {
		t.Errorf("500 ids: %d rows in %d groups", found.Rows.Len(), len(found.Groups))
	}
}
