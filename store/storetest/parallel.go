package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema/jsontext"
)

// Hostile text, callers who leave, and many at once. These tests look for faults that happen only
// sometimes: a value that is taken for syntax, half a write, a read that misses an acknowledged
// row, a lost update.

// Hostile is text that would do harm wherever it were taken for more than text: in SQL, in
// LIKE and GLOB, in JSON, as a parameter, at a NUL. Tests of other packages send it too. It
// must not be changed.
var Hostile = []string{
	`'; DROP TABLE author; --`,
	`" OR 1=1 --`,
	`\'; SELECT 1`,
	`%_*?[a-z]`,
	"line\nline\r\n",
	"nul\x00nul",
	`$1 ?1 :name @x`,
	"`backtick` [bracket] \"quote\"",
	`{"json":["[1]"]}`,
	"\u202e right to left \U0001F4A3",
}

// testHostile sends text that would mean something in SQL, JSON or a pattern: it is only text.
// Each text is an id, a name, an email, an item of a list and the name of a member, and every
// operator has to find its row and no other.
func testHostile(t *testing.T, w *world) {
	author := w.entity("author")
	nul, _ := w.odd()
	for i, text := range Hostile {
		text = strings.ReplaceAll(text, "\x00", nul)
		id := jsontext.Quote(text)
		// Text in columns, in a list, and as the name and the value of a member.
		row := fmt.Sprintf(`{"id":%s,"name":%s,"email":%s,"nicknames":[%s],"profile":{%s:%s}}`, id, id, id, id, id, id)
		w.insert("author", row)
		// is is a comparison of an author's field.
		is := func(op filter.Op, field string, v ...any) *filter.Filter {
			return &filter.Filter{Op: op, Field: w.field(author, field), Values: v}
		}
		for what, where := range map[string]*filter.Filter{
			"eq": is(filter.Eq, "name", text), "in": is(filter.In, "email", text, "x"), "has": is(filter.Has, "nicknames", text),
			"contains": is(filter.Contains, "name", text), "startsWith": is(filter.StartsWith, "name", text),
			"endsWith": is(filter.EndsWith, "name", text), "icontains": is(filter.IContains, "name", text), "id": is(filter.Eq, "id", text),
		} {
			found := w.find(&facade.Find{Entity: author, Select: stored(author), Where: where, Sort: w.sort(author), Limit: 9})
			if found.Rows.Len() != 1 {
				t.Errorf("%q by %s: %d rows", text, what, found.Rows.Len())
				continue
			}
			row := found.Rows.Row(0)
			w.equal(what, text, jsontext.Unquote(row.Get("id")))
			w.equal(what+": inside JSON", text, jsontext.Unquote(jsontext.Get(row.Get("profile"), text)))
		}
		found := w.find(&facade.Find{Entity: author, Select: rows.NewLayout([]string{"id"}), Sort: w.sort(author, "name"), From: raw(string(id), string(id)), Limit: 99})
		// Behind its own place in the order there can be no more rows than the earlier texts.
		if found.Rows.Len() > i {
			t.Errorf("behind %q there are %d rows", text, found.Rows.Len())
		}
		found = w.find(&facade.Find{Entity: author, Select: rows.NewLayout([]string{"id"}), Each: &facade.EachKey{Field: author.Primary, Values: raw(string(id))}, Limit: 1})
		w.equal("each", text, jsontext.Unquote(found.Rows.Row(0).Get("id")))
		list, err := w.store.Update(w.ctx(), author, id, nil, facade.Record{{Name: "name", Value: jsontext.Quote(text + "!")}}, nil, rows.NewLayout([]string{"name"}))
		if err != nil || list.Len() != 1 || jsontext.Unquote(list.Row(0).Get("name")) != text+"!" {
			t.Errorf("update of %q: %v", text, err)
		}
		// The name has a ! behind it now, so that the condition does not hold.
		gone, err := w.store.Delete(w.ctx(), author, id, is(filter.Eq, "name", text), nil)
		if gone || err != nil {
			t.Errorf("delete of %q under a condition that does not hold: %v, %v", text, gone, err)
		}
	}
	w.equal("every row is there", len(Hostile), len(w.find(&facade.Find{Entity: author, Select: stored(author), Sort: w.sort(author), Keys: true, Limit: 99}).Keys))
}

// testCancelled ends callers at any moment: acknowledged rows exist, those of failed writes do not.
// A context that has ended before the call returns its error and does nothing.
func testCancelled(t *testing.T, w *world) {
	ctx, cancel := context.WithCancel(w.ctx())
	cancel()
	tag := w.entity("tag")
	if _, err := w.store.Insert(ctx, tag, w.records(tag, []string{`{"id":1,"label":"x"}`}), nil, rows.NewLayout(nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("insert: %v", err)
	}
	if _, err := w.store.Find(ctx, &facade.Find{Entity: tag, Select: rows.NewLayout(nil), Sort: w.sort(tag)}); !errors.Is(err, context.Canceled) {
		t.Errorf("find: %v", err)
	}
	w.equal("nothing was written", "", w.ids("tag", nil))

	// promised has, by id, whether the insert was acknowledged.
	var promised sync.Map
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			// From none to about a millisecond: before, during and after the write.
			ctx, cancel := context.WithTimeout(w.ctx(), time.Duration(i%20)*50*time.Microsecond)
			defer cancel()
			_, err := w.store.Insert(ctx, tag, w.records(tag, []string{fmt.Sprintf(`{"id":%d,"label":"x"}`, i)}), nil, rows.NewLayout(nil))
			if err != nil && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("insert: %v: %v", err, errors.Unwrap(err))
			}
			promised.Store(i, err == nil)
		}()
	}
	wg.Wait()
	found := w.find(&facade.Find{Entity: tag, Select: rows.NewLayout([]string{"id"}), Sort: w.sort(tag), Limit: all})
	there := map[string]bool{}
	for i := range found.Rows.Len() {
		there[string(found.Rows.Row(i).Get("id"))] = true
	}
	promised.Range(func(i, ok any) bool {
		if there[fmt.Sprint(i)] != ok.(bool) {
			t.Errorf("row %d: reported %v, there %v", i, ok, there[fmt.Sprint(i)])
		}
		return true
	})
}

// testVisible checks that a read after an acknowledged write sees it, also by another connection of
// the store.
func testVisible(t *testing.T, w *world) {
	tag := w.entity("tag")
	for i := range 200 {
		w.insert("tag", fmt.Sprintf(`{"id":%d}`, i))
		where := &filter.Filter{Op: filter.Eq, Field: tag.Primary, Values: []any{int64(i)}}
		var wg sync.WaitGroup
		for range 3 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				found, err := w.store.Find(w.ctx(), &facade.Find{Entity: tag, Select: rows.NewLayout([]string{"id"}), Where: where, Sort: w.sort(tag), Limit: 1})
				if err != nil || found.Rows.Len() != 1 {
					t.Errorf("row %d is not there after its insert was answered: %v", i, err)
				}
			}()
		}
		wg.Wait()
	}
}

// testConcurrent has writers, readers and mistakes at once; the sum at the end shows what went
// wrong. Every writer inserts the same slugs, rows of its own, and updates one row that all of
// them update.
func testConcurrent(t *testing.T, w *world) {
	// Each slug is tried by every writer and goes to one of them; each writer's own rows all
	// go in. So the number of rows at the end is known.
	const writers, each = 8, 40
	w.insert("author", `{"id":"a"}`)
	post, tag := w.entity("post"), w.entity("tag")
	w.insert("tag", `{"id":1,"label":"0"}`)
	// Readers go on until the last writer is done.
	stop := make(chan struct{})
	var readers, work sync.WaitGroup
	// Readers beside the writers: each read has to be whole, and none may fail.
	for range 4 {
		readers.Add(1)
		go func() {
			defer readers.Done()
			last := 0
			for {
				select {
				case <-stop:
					return
				default:
				}
				// A page and its total are of one moment, while others write.
				found, err := w.store.Find(w.ctx(), &facade.Find{Entity: post, Select: rows.NewLayout([]string{"id", "slug"}), Sort: w.sort(post), Count: true, Limit: 10})
				if err != nil {
					t.Errorf("read: %v", err)
					return
				}
				// Nothing is deleted, so that a total only grows for one reader.
				if int(found.Total) < last {
					t.Errorf("there were %d rows, now %d", last, found.Total)
				}
				last = int(found.Total)
				if !json.Valid(found.Rows.AppendJSON(nil)) {
					t.Error("a read gave no JSON")
				}
			}
		}()
	}
	for n := range writers {
		work.Add(1)
		go func() {
			defer work.Done()
			for i := range each {
				// every writer tries the same slugs: one of them gets each
				row := fill("post", fmt.Sprintf(`{"id":"%d-%d","slug":"shared-%d"}`, n, i, i))
				_, err := w.store.Insert(w.ctx(), post, w.records(post, []string{row}), nil, rows.NewLayout([]string{"id"}))
				if err != nil && kiterror.CodeOf(err) != kiterror.Conflict {
					t.Errorf("insert: %v", err)
				}
				row = fill("post", fmt.Sprintf(`{"id":"own-%d-%d"}`, n, i))
				list, err := w.store.Insert(w.ctx(), post, w.records(post, []string{row}), nil, rows.NewLayout([]string{"id"}))
				if err != nil || string(list.Row(0).Get("id")) != fmt.Sprintf(`"own-%d-%d"`, n, i) {
					t.Errorf("insert of its own: %v", err)
				}
				// All writers update one row. None may fail: a store waits or tries again.
				if _, err := w.store.Update(w.ctx(), tag, json.RawMessage("1"), nil, w.record(tag, fmt.Sprintf(`{"label":"%d"}`, i)), nil, rows.NewLayout(nil)); err != nil {
					t.Errorf("update: %v", err)
				}
			}
		}()
	}
	work.Wait()
	close(stop)
	readers.Wait()
	found := w.find(&facade.Find{Entity: post, Select: rows.NewLayout([]string{"id"}), Sort: w.sort(post), Count: true, Limit: 1})
	w.equal("each shared slug once, each own row once", int64(each+writers*each), found.Total)
}

// testKept has many reads at once that do not come to an end, of each kind that could take all
// connections: rows of keys are answered to another caller all the while. A store with few
// connections has to keep some of them for such reads.
func testKept(t *testing.T, w *world) {
	w.insert("tag", `{"id":1}`, `{"id":2}`)
	tag, post := w.entity("tag"), w.entity("post")
	label := &filter.Filter{Op: filter.Contains, Field: w.field(tag, "label"), Values: []any{"no"}}
	key := facade.Find{Entity: tag, Select: rows.NewLayout([]string{"id"}), Each: &facade.EachKey{Field: tag.Primary, Values: raw("2")}, Limit: 1}
	authors := make([]json.RawMessage, 20)
	for i := range authors {
		authors[i] = fmt.Appendf(nil, "%d", i)
	}
	some := &facade.EachKey{Field: w.field(post, "authorId"), Values: authors}
	page := facade.Find{Entity: tag, Select: rows.NewLayout(nil), Sort: w.sort(tag), Limit: 1}
	for _, c := range []struct {
		name string
		find facade.Find
		// callers are how many send the reads, each in a request of its own; 0: nobody knows, and
		// all are one request.
		callers int
	}{
		{"searches", facade.Find{Entity: tag, Select: rows.NewLayout(nil), Where: label, Sort: w.sort(tag), Limit: 1}, 64},
		{"pages", page, 64},
		{"large pages of parents", facade.Find{Entity: post, Select: rows.NewLayout(nil), Sort: w.sort(post), Limit: 300, Each: some}, 64},
		{"pages of parents in another order", facade.Find{Entity: post, Select: rows.NewLayout(nil), Sort: w.sort(post, "title"), Limit: 1, Each: some}, 64},
		{"totals of parents", facade.Find{Entity: post, Select: rows.NewLayout(nil), Sort: w.sort(post), Count: true, Each: some}, 64},
		{"keys of one request", key, 0},
		{"keys of one caller", key, 1},
		{"pages of two callers", page, 2},
	} {
		// Closed when the short reads have been answered; until then the others keep their
		// connections.
		release := make(chan struct{})
		// The observer of a statement blocks, so that a read does not end before release.
		ctx := facade.Observe(w.ctx(), func(facade.Statement) { <-release })
		if c.callers == 0 {
			ctx = facade.WithRequest(ctx, nil, 0)
		}
		var wg sync.WaitGroup
		for i := range 64 {
			wg.Go(func() {
				ctx := ctx
				if c.callers > 0 {
					ctx = facade.WithRequest(ctx, i%c.callers, 0)
				}
				if _, err := w.store.Find(ctx, &c.find); err != nil {
					t.Errorf("%s: %v", c.name, err)
				}
			})
		}
		for range 100 {
			found, err := w.store.Find(facade.WithRequest(w.ctx(), "neighbour", 0), &key)
			if err != nil || found.Rows.Len() != 1 {
				t.Fatalf("a row beside %s: %v", c.name, err)
			}
		}
		close(release)
		wg.Wait()
	}
}

// testWork reads and writes for a request until its budget of work is used up: nothing is begun
// then, and other requests go on.
func testWork(t *testing.T, w *world) {
	w.insert("tag", `{"id":1}`, `{"id":2}`)
	tag := w.entity("tag")
	find := func(ctx context.Context) error {
		_, err := w.store.Find(ctx, &facade.Find{Entity: tag, Select: rows.NewLayout([]string{"id"}), Sort: w.sort(tag), Limit: 1})
		return err
	}
	remove := func(ctx context.Context) error {
		_, err := w.store.Delete(ctx, tag, json.RawMessage("2"), nil, nil)
		return err
	}
	var statements atomic.Int32
	ctx := facade.WithRequest(facade.Observe(w.ctx(), func(facade.Statement) { statements.Add(1) }), nil, time.Hour)
	if err := find(ctx); err != nil {
		t.Fatal(err)
	}
	before, err := facade.RequestOf(ctx).Remaining(0)
	if err != nil || before <= 0 || before >= time.Hour {
		t.Errorf("a read leaves %v of an hour, %v", before, err)
	}
	if err := facade.RequestOf(ctx).Spend(time.Hour); err == nil {
		t.Error("the budget is used up, and Spend does not say so")
	}
	n := statements.Load()
	for name, do := range map[string]func(context.Context) error{"a read": find, "a write": remove} {
		err := kiterror.AsError(do(ctx))
		if details, _ := err.Details.(map[string]any); err.Code != kiterror.UnprocessableEntity || details["limit"] != "limits.work" {
			t.Errorf("%s without budget: %v", name, err)
		}
	}
	if statements.Load() != n {
		t.Errorf("%d statements were begun without budget", statements.Load()-n)
	}
	w.equal("the rows", "1 2", w.ids("tag", nil))
	if err := find(facade.WithRequest(w.ctx(), nil, time.Hour)); err != nil {
		t.Errorf("another request: %v", err)
	}
}

// testPlans observes two reads with their plans: of one that an index answers, and of one that
// reads a whole table.
func testPlans(t *testing.T, w *world) {
	w.insert("tag", `{"id":1,"label":"a"}`, `{"id":2,"label":"b"}`)
	tag := w.entity("tag")
	label := &filter.Filter{Op: filter.Contains, Field: w.field(tag, "label"), Values: []any{"b"}}
	var seen []facade.Statement
	ctx := facade.ObservePlans(w.ctx(), func(s facade.Statement) { seen = append(seen, s) })
	found, err := w.store.Find(ctx, &facade.Find{Entity: tag, Select: rows.NewLayout([]string{"id"}), Where: label, Sort: w.sort(tag, "label"), Limit: 5})
	if err != nil || found.Rows.Len() != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	if len(seen) != 1 || seen[0].Plan == nil {
		t.Fatalf("%d statements: %+v", len(seen), seen)
	}
	plan := seen[0].Plan
	if !slices.ContainsFunc(plan.Scans, func(s facade.Scan) bool { return s.Whole }) || plan.Took <= 0 {
		t.Errorf("no scan of the whole table is in %+v", plan)
	}
}
