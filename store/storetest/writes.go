package storetest

import (
	"encoding/json"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
)

// Inserts, updates, deletes, and the constraints they keep. Refusals are checked by code and
// detail, which are the same for every store:
//
//	unique:FIELD      CONFLICT: another row has the value; one detail for each member
//	reference:FIELD   CONFLICT: the relation names no row
//	restrict:FIELD    CONFLICT: another row names this one

// testInsert checks that inserts are all or none, and return the written rows: in the order given,
// with the fields that were selected.
func testInsert(t *testing.T, w *world) {
	tag := w.entity("tag")
	found, err := w.store.Insert(w.ctx(), tag, w.records(tag, []string{`{"id":2,"label":"two"}`, `{"id":1,"label":"one"}`}), nil, rows.NewLayout([]string{"label", "id"}))
	if err != nil {
		t.Fatal(err)
	}
	w.equal("the answer is in the order given, laid out as asked", `[{"label":"two","id":2},{"label":"one","id":1}]`, string(found.AppendJSON(nil)))

	found, err = w.store.Insert(w.ctx(), tag, nil, nil, rows.NewLayout([]string{"id"}))
	if err != nil || found.Len() != 0 {
		t.Errorf("no rows: %d, %v", found.Len(), err)
	}

	_, err = w.store.Insert(w.ctx(), tag, w.records(tag, []string{`{"id":3,"label":"three"}`, `{"id":1,"label":"again"}`}), nil, rows.NewLayout(nil))
	w.refused(err, kiterror.Conflict, "unique:id")
	w.equal("all or none", "1 2", w.ids("tag", nil))

	w.insert("author", `{"id":"a"}`)
	w.equal("what a record leaves out is null",
		`[{"id":"a","name":"author a","email":null,"age":null,"score":null,"active":null,"born":null,"joined":null,"balance":null,"nicknames":[],"profile":null,"anything":null,"mentorId":null}]`,
		w.rows("author"))
}

// testUpdate checks updates of one row: with a condition, without a change, of a row that is
// not there. A key of another type is no row's, and no error.
func testUpdate(t *testing.T, w *world) {
	author := w.entity("author")
	w.insert("author", `{"id":"a","age":30,"email":"a@x"}`, `{"id":"b","age":40}`)
	layout := rows.NewLayout([]string{"id", "age", "email"})
	update := func(id, set string, where *filter.Filter) (string, error) {
		var record facade.Record
		if set != "" {
			record = w.record(author, set)
		}
		rows, err := w.store.Update(w.ctx(), author, json.RawMessage(id), where, record, nil, layout)
		return string(rows.AppendJSON(nil)), err
	}
	older := &filter.Filter{Op: filter.Gt, Field: author.Property("age"), Values: []any{int64(35)}}
	for _, c := range []struct {
		what, id, set string
		where         *filter.Filter
		want          string
	}{
		// Updates: absent fields stay, null is a value, an empty update is a read.
		{"what is absent stays", `"a"`, `{"age":31}`, nil, `[{"id":"a","age":31,"email":"a@x"}]`},
		{"null is a value", `"a"`, `{"email":null}`, nil, `[{"id":"a","age":31,"email":null}]`},
		{"nothing to set is a read", `"a"`, ``, nil, `[{"id":"a","age":31,"email":null}]`},
		{"an empty set is a read", `"b"`, `{}`, nil, `[{"id":"b","age":40,"email":null}]`},
		// Under a condition that the row does not meet nothing is written and nothing
		// answered.
		{"a read that does not meet the condition", `"a"`, ``, older, `[]`},
		{"a row that does not meet the condition", `"a"`, `{"age":99}`, older, `[]`},
		{"a row that meets it", `"b"`, `{"age":20}`, older, `[{"id":"b","age":20,"email":null}]`},
		{"no such row", `"z"`, `{"age":1}`, nil, `[]`},
		// Keys that no row can have. They come from callers, who are answered that there is no
		// row.
		{"a number is no text key", `5`, `{"age":1}`, nil, `[]`},
		{"null is no key", `null`, `{"age":1}`, nil, `[]`},
		{"true is no key", `true`, `{"age":1}`, nil, `[]`},
		{"an object is no key", `{"id":"a"}`, `{"age":1}`, nil, `[]`},
		{"a list is no key", `["a"]`, ``, nil, `[]`},
	} {
		got, err := update(c.id, c.set, c.where)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		w.equal(c.what, c.want, got)
	}
	w.equal("ages", "b a", w.ids("author", nil, "age"))

	w.insert("tag", `{"id":7}`)
	found, err := w.store.Update(w.ctx(), w.entity("tag"), json.RawMessage(`"7"`), nil, nil, nil, rows.NewLayout([]string{"id"}))
	if err != nil || found.Len() != 0 {
		t.Errorf("a text is no integer key: %d rows, %v", found.Len(), err)
	}
}

// testDelete checks deletes: with a condition, twice, and by keys that no row can have. 1.0 is
// the key 1.
func testDelete(t *testing.T, w *world) {
	tag := w.entity("tag")
	w.insert("tag", `{"id":1}`, `{"id":2}`, `{"id":3}`)
	// The label that fill gives the second tag.
	labelled := &filter.Filter{Op: filter.Eq, Field: tag.Property("label"), Values: []any{"tag 2"}}
	for _, c := range []struct {
		id    string
		where *filter.Filter
		want  bool
	}{
		{`1`, labelled, false},
		{`2`, labelled, true},
		{`2`, nil, false},
		{`9`, nil, false},
		{`"1"`, nil, false},
		{`null`, nil, false},
		{`1.5`, nil, false},
		{`[1]`, nil, false},
		{`1.0`, nil, true},
	} {
		got, err := w.store.Delete(w.ctx(), tag, json.RawMessage(c.id), c.where, nil)
		if err != nil || got != c.want {
			t.Errorf("delete %s: %v, %v; want %v", c.id, got, err, c.want)
		}
	}
	w.equal("left", "3", w.ids("tag", nil))
}

// testUnique checks single and compound unique constraints, where null equals nothing and ""
// is a value.
func testUnique(t *testing.T, w *world) {
	author, comment := w.entity("author"), w.entity("comment")
	w.insert("author", `{"id":"a","email":"a@x"}`, `{"id":"b","email":null}`, `{"id":"c","email":null}`, `{"id":"d","email":""}`)
	insert := func(name, text string) error {
		e := w.entity(name)
		_, err := w.store.Insert(w.ctx(), e, w.records(e, []string{fill(name, text)}), nil, rows.NewLayout(nil))
		return err
	}
	// The primary key is unique too. null is never taken, so that b and c could both be
	// inserted with it.
	w.refused(insert("author", `{"id":"a"}`), kiterror.Conflict, "unique:id")
	w.refused(insert("author", `{"id":"e","email":"a@x"}`), kiterror.Conflict, "unique:email")
	w.refused(insert("author", `{"id":"e","email":""}`), kiterror.Conflict, "unique:email")
	_, err := w.store.Update(w.ctx(), author, json.RawMessage(`"b"`), nil, w.record(author, `{"email":"a@x"}`), nil, rows.NewLayout(nil))
	w.refused(err, kiterror.Conflict, "unique:email")
	_, err = w.store.Update(w.ctx(), author, json.RawMessage(`"a"`), nil, w.record(author, `{"email":"a@x"}`), nil, rows.NewLayout(nil))
	if err != nil {
		t.Errorf("a row does not stand in its own way: %v", err)
	}

	w.insert("post", `{"id":"p"}`, `{"id":"q"}`)
	w.insert("comment", `{"id":"1","postId":"p","number":1}`, `{"id":"2","postId":"p","number":2}`, `{"id":"3","postId":"q","number":1}`)
	// A compound constraint: either value alone may repeat.
	w.refused(insert("comment", `{"id":"4","postId":"q","number":1}`), kiterror.Conflict, "unique:postId", "unique:number")
	_, err = w.store.Update(w.ctx(), comment, json.RawMessage(`"2"`), nil, w.record(comment, `{"number":1}`), nil, rows.NewLayout(nil))
	w.refused(err, kiterror.Conflict, "unique:postId", "unique:number")
	w.equal("rows", "1 2 3", w.ids("comment", nil))
}

// testReferences checks relations and what onDelete does to the rows that point at one that
// goes: restrict of posts to their author, cascade of comments with their post, set-null of a
// mentor, and no word between editor and deputy.
func testReferences(t *testing.T, w *world) {
	insert := func(name string, texts ...string) error {
		e := w.entity(name)
		for i := range texts {
			texts[i] = fill(name, texts[i])
		}
		_, err := w.store.Insert(w.ctx(), e, w.records(e, texts), nil, rows.NewLayout(nil))
		return err
	}
	// remove deletes a row that has to be there.
	remove := func(name, id string) error {
		gone, err := w.store.Delete(w.ctx(), w.entity(name), json.RawMessage(id), nil, nil)
		if err == nil && !gone {
			t.Errorf("%s %s was not there", name, id)
		}
		return err
	}
	update := func(name, id, set string) error {
		e := w.entity(name)
		_, err := w.store.Update(w.ctx(), e, json.RawMessage(id), nil, w.record(e, set), nil, rows.NewLayout(nil))
		return err
	}
	w.insert("author", `{"id":"a"}`)
	w.refused(insert("post", `{"id":"p","authorId":"nobody"}`), kiterror.Conflict, "reference:authorId")
	w.insert("post", `{"id":"p"}`, `{"id":"q"}`)
	w.refused(update("post", `"p"`, `{"authorId":"nobody"}`), kiterror.Conflict, "reference:authorId")
	w.refused(update("post", `"p"`, `{"editorId":"nobody"}`), kiterror.Conflict, "reference:editorId")
	// The posts restrict it. The detail names the key that is pointed at, not the posts, which
	// the caller may not see (docs/decisions/card-language.md).
	w.refused(remove("author", `"a"`), kiterror.Conflict, "restrict:id")

	w.insert("comment", `{"id":"1","number":1}`, `{"id":"2","number":2}`, `{"id":"3","number":1,"postId":"q"}`)
	if err := remove("post", `"p"`); err != nil {
		t.Errorf("cascade: %v", err)
	}
	w.equal("comments went with their post", "3", w.ids("comment", nil))

	// Rows of one batch may point at each other, in any order.
	if err := insert("author", `{"id":"c","mentorId":"b"}`, `{"id":"b","mentorId":"c"}`, `{"id":"d","mentorId":"d"}`); err != nil {
		t.Errorf("a circle in one batch: %v", err)
	}
	w.refused(insert("author", `{"id":"e","mentorId":"d"}`, `{"id":"f","mentorId":"nobody"}`), kiterror.Conflict, "reference:mentorId")
	if err := remove("author", `"b"`); err != nil {
		t.Errorf("set-null: %v", err)
	}
	// c's mentor was b: it is null now.
	author := w.entity("author")
	w.equal("the pupil has no mentor now", "a c", w.ids("author", &filter.Filter{Op: filter.IsNull, Field: author.Property("mentorId"), Values: []any{true}}))
	if err := remove("author", `"d"`); err != nil {
		t.Errorf("a row that points at itself: %v", err)
	}

	// Mutual relations, without a word on deletion: the target stays.
	w.insert("editor", `{"id":"e","deputyId":null}`)
	w.insert("deputy", `{"id":"d","editorId":"e"}`)
	if err := update("editor", `"e"`, `{"deputyId":"d"}`); err != nil {
		t.Errorf("mutual relations: %v", err)
	}
	w.refused(remove("editor", `"e"`), kiterror.Conflict, "restrict:id")
	w.refused(remove("deputy", `"d"`), kiterror.Conflict, "restrict:id")
	if err := update("deputy", `"d"`, `{"editorId":null}`); err != nil {
		t.Error(err)
	}
	if err := remove("editor", `"e"`); err != nil {
		t.Errorf("nothing points at it any more: %v", err)
	}
	w.equal("authors", "a c", w.ids("author", nil))
}
