package storetest

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// Terms are the conditions of a write beyond the row that it names: a version the caller read
// (Judge), rows the caller may see afterwards (After), targets the caller may see (Points). The
// façade cannot check them itself without a race, so that every store does it in the transaction of
// the write.

// testTerms checks that a write happens where its terms hold, and leaves nothing where they do
// not. Each kind has its part: Judge, After, Points.
func testTerms(t *testing.T, w *world) {
	author, post := w.entity("author"), w.entity("post")
	w.insert("author", `{"id":"a","age":30}`, `{"id":"b","age":40}`)
	w.insert("post", `{"id":"p","authorId":"a"}`)
	w.insert("tag", `{"id":1}`, `{"id":2}`)
	age := rows.NewLayout([]string{"age"})
	no := kiterror.Errorf(kiterror.PreconditionFailed, "not this one")
	unmet := kiterror.Errorf(kiterror.Forbidden, "not so")
	// b is older, a is not.
	older := &filter.Filter{Op: filter.Gt, Field: author.Property("age"), Values: []any{int64(35)}}
	update := func(e *schema.Entity, id, set string, where *filter.Filter, terms *facade.Terms, sel *rows.Layout) (string, error) {
		rows, err := w.store.Update(w.ctx(), e, json.RawMessage(id), where, w.record(e, set), terms, sel)
		if err != nil {
			return "", err
		}
		return string(rows.AppendJSON(nil)), nil
	}

	// Judge
	saw := ""
	// judge returns terms that record the age they were shown in saw, "" where they were not
	// asked.
	judge := func(set facade.Record, err error) *facade.Terms {
		saw = ""
		return &facade.Terms{Read: age, Judge: func(row rows.Row) (facade.Record, error) {
			saw = string(row.Get("age"))
			return set, err
		}}
	}
	got, err := update(author, `"a"`, `{"age":31}`, nil, judge(nil, nil), age)
	w.equal("what was given is written", `[{"age":31}] 30 <nil>`, fmt.Sprint(got, " ", saw, " ", err))
	got, err = update(author, `"a"`, `{"age":99}`, nil, judge(w.record(author, `{"age":32}`), nil), age)
	w.equal("what was judged is written", `[{"age":32}] 31 <nil>`, fmt.Sprint(got, " ", saw, " ", err))
	// Judge's error is the write's, as it is.
	_, err = update(author, `"a"`, `{"age":99}`, nil, judge(nil, no), age)
	w.refused(err, kiterror.PreconditionFailed)
	got, err = update(author, `"a"`, `{"age":99}`, older, judge(nil, no), age)
	w.equal("a row that is not met is not judged", `[]  <nil>`, fmt.Sprint(got, " ", saw, " ", err))
	got, err = update(author, `"a"`, `{}`, nil, judge(nil, nil), age)
	w.equal("nothing to set is judged too", `[{"age":32}] 32 <nil>`, fmt.Sprint(got, " ", saw, " ", err))
	_, err = update(author, `"a"`, `{}`, nil, judge(nil, no), age)
	w.refused(err, kiterror.PreconditionFailed)
	// Delete is judged as well; the record that Judge returns is not looked at.
	gone, err := w.store.Delete(w.ctx(), author, json.RawMessage(`"b"`), nil, judge(nil, no))
	w.refused(err, kiterror.PreconditionFailed)
	w.equal("nothing is removed", false, gone)
	gone, err = w.store.Delete(w.ctx(), author, json.RawMessage(`"b"`), older, judge(nil, nil))
	w.equal("a removal is judged by the row", `true 40 <nil>`, fmt.Sprint(gone, " ", saw, " ", err))
	w.insert("author", `{"id":"b","age":40}`)

	// After is judged by the row after the write.
	after := &facade.Terms{After: older, Unmet: unmet}
	_, err = update(author, `"b"`, `{"age":20}`, nil, after, age)
	w.refused(err, kiterror.Forbidden)
	got, err = update(author, `"b"`, `{"age":50}`, nil, after, age)
	w.equal("a row that stays within", `[{"age":50}] <nil>`, fmt.Sprint(got, " ", err))
	insert := func(name string, terms *facade.Terms, texts ...string) error {
		e := w.entity(name)
		for i := range texts {
			texts[i] = fill(name, texts[i])
		}
		_, err := w.store.Insert(w.ctx(), e, w.records(e, texts), terms, rows.NewLayout(nil))
		return err
	}
	// One of two new rows breaks the condition, and neither is there.
	w.refused(insert("author", after, `{"id":"c","age":60}`, `{"id":"d","age":1}`), kiterror.Forbidden)
	w.equal("all or none", "a b", w.ids("author", nil))

	// to lets targets stay that the row named already, all does not.
	to := &facade.Terms{Points: []facade.Points{{Field: post.Property("authorId"), Where: older}}}
	all := &facade.Terms{Points: []facade.Points{{Field: post.Property("authorId"), Where: older, All: true}}}
	slug := rows.NewLayout([]string{"authorId"})
	got, err = update(post, `"p"`, `{"authorId":"a"}`, nil, to, slug)
	w.equal("what it named before may stay", `[{"authorId":"a"}] <nil>`, fmt.Sprint(got, " ", err))
	_, err = update(post, `"p"`, `{"authorId":"a"}`, nil, all, slug)
	w.refused(err, kiterror.Conflict, "reference:authorId")
	got, err = update(post, `"p"`, `{"authorId":"b"}`, nil, to, slug)
	w.equal("what meets the condition may come", `[{"authorId":"b"}] <nil>`, fmt.Sprint(got, " ", err))
	_, err = update(post, `"p"`, `{"authorId":"a"}`, nil, to, slug)
	w.refused(err, kiterror.Conflict, "reference:authorId")
	got, err = update(post, `"p"`, `{"views":7}`, nil, all, slug)
	w.equal("what is not written is not looked at", `[{"authorId":"b"}] <nil>`, fmt.Sprint(got, " ", err))
	w.refused(insert("post", to, `{"id":"q","authorId":"a"}`), kiterror.Conflict, "reference:authorId")
	// A list of ids: each has to be there, and may be there twice. Without a point nobody
	// looks at the ids of a list.
	tags := &facade.Terms{Points: []facade.Points{{Field: post.Property("tagIds")}}}
	w.refused(insert("post", tags, `{"id":"q","tagIds":[1,2,3]}`), kiterror.Conflict, "reference:tagIds")
	if err := insert("post", tags, `{"id":"q","tagIds":[1,2,1]}`); err != nil {
		t.Errorf("ids that are there: %v", err)
	}
	// Rows that are written together may point at each other, and at themselves, without meeting
	// the condition.
	own := &facade.Terms{Points: []facade.Points{{Field: author.Property("mentorId"), Where: older}}}
	if err := insert("author", own, `{"id":"m","age":70,"mentorId":"m"}`); err != nil {
		t.Errorf("a row that points at itself: %v", err)
	}
	if err := insert("author", own, `{"id":"n","age":7,"mentorId":"o"}`, `{"id":"o","age":7,"mentorId":"n"}`); err != nil {
		t.Errorf("rows that point at each other: %v", err)
	}
	// The written values do not make their own target one that meets the condition.
	mentor := author.Property("pupils").Link
	some := &facade.Terms{Points: []facade.Points{{Field: author.Property("mentorId"), Where: &filter.Filter{Op: filter.Some, Link: mentor}}}}
	w.refused(insert("author", some, `{"id":"r","mentorId":"a"}`), kiterror.Conflict, "reference:mentorId")
}

// testJudgedInTheTransaction checks that a write replaces the row that its Judge has read, however
// many write at once; and that a row that is pointed at is not removed in between. The first part
// counts: a lost update makes the sum too small. In the second an insert and the removal of its
// target race, and exactly one of them has to succeed.
func testJudgedInTheTransaction(t *testing.T, w *world) {
	const writers, each = 8, 25
	author := w.entity("author")
	w.insert("author", `{"id":"a","age":0}`)
	// Each writer adds one to what Judge was shown.
	age := rows.NewLayout([]string{"age"})
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				// Judge may be called again where a transaction is tried again, so that it
				// only computes.
				terms := &facade.Terms{Read: age, Judge: func(row rows.Row) (facade.Record, error) {
					var n int
					err := json.Unmarshal(row.Get("age"), &n)
					return w.record(author, fmt.Sprintf(`{"age":%d}`, n+1)), err
				}}
				if _, err := w.store.Update(w.ctx(), author, json.RawMessage(`"a"`), nil, nil, terms, age); err != nil {
					t.Errorf("update: %v", err)
				}
			}
		})
	}
	wg.Wait()
	w.equal("every write is counted", fmt.Sprintf(`"age":%d,`, writers*each), w.rows("author")[len(`[{"id":"a","name":"author a","email":null,`):][:len(`"age":200,`)])

	post := w.entity("post")
	// Forty rounds, since only some of them meet in the middle.
	for i := range 40 {
		id := fmt.Sprintf("x%d", i)
		w.insert("author", fmt.Sprintf(`{"id":%q,"age":1}`, id))
		row := w.record(post, fill("post", fmt.Sprintf(`{"id":%q,"authorId":%q}`, id, id)))
		// The post's insert has to find its author of age 1 in its own transaction.
		terms := &facade.Terms{Points: []facade.Points{{Field: post.Property("authorId"), Where: &filter.Filter{Op: filter.Eq, Field: author.Property("age"), Values: []any{int64(1)}}}}}
		var inserted, removed error
		wg.Go(func() {
			_, inserted = w.store.Insert(w.ctx(), post, []facade.Record{row}, terms, rows.NewLayout(nil))
		})
		wg.Go(func() {
			_, removed = w.store.Delete(w.ctx(), author, json.RawMessage(fmt.Sprintf("%q", id)), nil, nil)
		})
		wg.Wait()
		if (inserted == nil) == (removed == nil) {
			t.Errorf("row %s: inserted %v, its author removed %v", id, inserted, removed)
		}
	}
}
