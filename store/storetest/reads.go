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
	"github.com/frondhost/frond/schema"
)

// Filters, relations, orders and selections, case by case. Cases are rows of tables: a filter or an
// order, and the ids of the rows of the answer, by primary key.

// testFilters checks every operator against every kind of value, with null among them. The five
// authors have values that a translation to SQL gets wrong: NUL, %, _ and quotes in texts, case
// beyond ASCII, an integer beyond a double, decimals written in two ways, moments a microsecond
// apart, true beside 1.
func testFilters(t *testing.T, w *world) {
	author := w.entity("author")
	nul, spelled := w.odd()
	w.insert("author",
		`{"id":"a","name":"Ada","email":"ada@x.org","age":36,"score":1.5,"active":true,"born":"1815-12-10","joined":"2024-01-01T00:00:00.000Z","balance":"9.50","nicknames":["countess","1"],"anything":[1,true,"true",null]}`,
		`{"id":"b","name":"Bjørn ÅSE","email":"b%_x","age":-5,"score":-0.5,"active":false,"born":"1990-01-01","joined":"2024-01-01T00:00:00.001Z","balance":"10","nicknames":[],"anything":[0,1.0,"1"]}`,
		`{"id":"c","name":"Çelik`+spelled+`end","email":"","age":0,"score":0,"active":null,"born":null,"joined":null,"balance":"-3","nicknames":["a\"b"],"anything":"[1]"}`,
		`{"id":"d","name":"ada","email":null,"age":null,"score":null,"active":false,"born":"1815-12-09","joined":"2023-12-31T23:59:59.999999Z","balance":null,"nicknames":["Countess"],"anything":null}`,
		`{"id":"e","name":"Ēα ΣΑΣ 😀","email":"ADA@X.ORG","age":9007199254740993,"score":1e300,"active":true,"born":"2000-02-29","joined":"2024-06-01T12:00:00.000Z","balance":"9.5","nicknames":["x","y","x"],"anything":{"a":1}}`)
	// f is a comparison and group a logical operator.
	f := func(op filter.Op, field string, values ...any) *filter.Filter {
		return &filter.Filter{Op: op, Field: w.field(author, field), Values: values}
	}
	group := func(op filter.Op, subs ...*filter.Filter) *filter.Filter { return &filter.Filter{Op: op, Sub: subs} }
	for _, c := range []struct {
		what  string
		where *filter.Filter
		want  string
	}{
		// Equality. Text is compared by its bytes, so that case counts and a NUL is a sign
		// like others. Integers are compared beyond the 53 bits of a double, decimals by
		// value.
		{"no filter", nil, "a b c d e"},
		{"eq text is by case", f(filter.Eq, "name", "Ada"), "a"},
		{"eq the empty text", f(filter.Eq, "email", ""), "c"},
		{"eq a text with a NUL", f(filter.Eq, "name", "Çelik"+nul+"end"), "c"},
		{"eq what a NUL cuts off", f(filter.Eq, "name", "Çelik"), ""},
		{"eq integer", f(filter.Eq, "age", int64(0)), "c"},
		{"eq a large integer", f(filter.Eq, "age", int64(9007199254740993)), "e"},
		{"eq its neighbour", f(filter.Eq, "age", int64(9007199254740992)), ""},
		{"eq true", f(filter.Eq, "active", true), "a e"},
		{"eq decimal by value", f(filter.Eq, "balance", "9.50"), "a e"},
		{"eq date-time", f(filter.Eq, "joined", "2024-01-01T00:00:00.000Z"), "a"},
		// Two values, not three (docs/decisions/filters-and-paging.md): "not equal" includes null.
		{"ne holds for null", f(filter.Ne, "name", "Ada"), "b c d e"},
		{"ne holds for null in a nullable", f(filter.Ne, "age", int64(36)), "b c d e"},
		{"ne decimal by value", f(filter.Ne, "balance", "9.5"), "b c d"},
		// Lists. An engine may be given one as JSON, in which quotes and a NUL are escaped and
		// numbers keep their digits.
		{"in", f(filter.In, "name", "Ada", "ada", "nobody"), "a d"},
		{"in of one", f(filter.In, "id", "c"), "c"},
		{"in integers", f(filter.In, "age", int64(36), int64(9007199254740993)), "a e"},
		{"in numbers", f(filter.In, "score", 1.5, 1e300), "a e"},
		{"in decimals", f(filter.In, "balance", "9.500", "-3.0"), "a c e"},
		{"in texts with quotes and a NUL", f(filter.In, "name", `"`, "Çelik"+nul+"end"), "c"},
		{"in booleans", f(filter.In, "active", true, false), "a b d e"},
		{"in date-times", f(filter.In, "joined", "2024-01-01T00:00:00.001Z"), "b"},
		// notIn is the opposite of in, for nulls too.
		{"notIn holds for null", f(filter.NotIn, "email", "ada@x.org", ""), "b d e"},
		{"notIn numbers", f(filter.NotIn, "score", 1.5), "b c d e"},
		// Order. null is neither less nor more than anything. The texts of 10, 9.5 and -3 sort
		// in another order than the decimals.
		{"lt", f(filter.Lt, "age", int64(0)), "b"},
		{"lte", f(filter.Lte, "age", int64(0)), "b c"},
		{"gt", f(filter.Gt, "age", int64(36)), "e"},
		{"gte", f(filter.Gte, "age", int64(36)), "a e"},
		{"gt number", f(filter.Gt, "score", -0.5), "a c e"},
		{"gt text is by bytes", f(filter.Gt, "name", "Z"), "c d e"},
		{"gt decimal is by value", f(filter.Gt, "balance", "9.5"), "b"},
		{"lt decimal is by value", f(filter.Lt, "balance", "9.500001"), "a c e"},
		{"lt date", f(filter.Lt, "born", "1815-12-10"), "d"},
		{"gte date-time", f(filter.Gte, "joined", "2024-01-01T00:00:00.000Z"), "a b e"},
		{"lt date-time with microseconds", f(filter.Lte, "joined", "2023-12-31T23:59:59.999999Z"), "d"},
		{"lt boolean", f(filter.Lt, "active", true), "b d"},
		// Parts of texts. % and _ are signs of LIKE and mean themselves here; the empty text
		// is in every text and in no null.
		{"contains is by case", f(filter.Contains, "name", "da"), "a d"},
		{"contains %", f(filter.Contains, "email", "%"), "b"},
		{"contains _", f(filter.Contains, "email", "_"), "b"},
		{"contains nothing", f(filter.Contains, "email", ""), "a b c e"},
		{"contains a NUL", f(filter.Contains, "name", "k"+nul+"e"), "c"},
		{"contains an emoji", f(filter.Contains, "name", "😀"), "e"},
		// An engine may translate startsWith into a range of an index: the largest sign has no
		// successor to end it.
		{"startsWith", f(filter.StartsWith, "name", "A"), "a"},
		{"startsWith by case", f(filter.StartsWith, "email", "ada"), "a"},
		{"startsWith %", f(filter.StartsWith, "email", "b%"), "b"},
		{"startsWith nothing", f(filter.StartsWith, "email", ""), "a b c e"},
		{"startsWith up to a NUL", f(filter.StartsWith, "name", "Çelik"+nul), "c"},
		{"startsWith the largest sign", f(filter.StartsWith, "name", "\U0010ffff"), ""},
		// Lengths are counted in code points or in bytes, and the two must not be mixed.
		{"endsWith", f(filter.EndsWith, "name", "da"), "a d"},
		{"endsWith behind a NUL", f(filter.EndsWith, "name", nul+"end"), "c"},
		{"endsWith an emoji", f(filter.EndsWith, "name", "😀"), "e"},
		{"endsWith nothing", f(filter.EndsWith, "email", ""), "a b c e"},
		{"endsWith more than there is", f(filter.EndsWith, "name", "xxxxxxxxAda"), ""},
		// Case is that of Unicode, where SQLite by itself knows ASCII only.
		{"icontains", f(filter.IContains, "name", "ADA"), "a d"},
		{"icontains beyond ASCII", f(filter.IContains, "name", "øRN å"), "b"},
		{"icontains Greek", f(filter.IContains, "name", "ēΑ"), "e"},
		{"icontains nothing", f(filter.IContains, "email", ""), "a b c e"},
		// null of JSON: the text null in a field of any type is the same as no value.
		{"isNull", f(filter.IsNull, "email", true), "d"},
		{"isNull false", f(filter.IsNull, "email", false), "a b c e"},
		{"isNull of JSON", f(filter.IsNull, "anything", true), "d"},
		// Items of arrays. The text "1", the number 1 and true are three values, which some
		// engines compare as equal; 1.0 is the number 1.
		{"has", f(filter.Has, "nicknames", "countess"), "a"},
		{"has with a quote", f(filter.Has, "nicknames", `a"b`), "c"},
		{"has a text that looks like a number", f(filter.Has, "nicknames", "1"), "a"},
		{"has true", f(filter.Has, "anything", true), "a"},
		{"has an integer", f(filter.Has, "anything", int64(1)), "a b"},
		{"has zero", f(filter.Has, "anything", int64(0)), "b"},
		{"has text of a number", f(filter.Has, "anything", "1"), "b"},
		{"has nothing like it", f(filter.Has, "nicknames", "nobody"), ""},
		// Logic. A filter holds or does not hold: not of a comparison with null holds.
		{"and of nothing", group(filter.And), "a b c d e"},
		{"or of nothing", group(filter.Or), ""},
		{"and", group(filter.And, f(filter.Eq, "active", true), f(filter.Gt, "age", int64(100))), "e"},
		{"or", group(filter.Or, f(filter.Eq, "id", "a"), f(filter.Eq, "age", int64(-5)), f(filter.IsNull, "age", true)), "a b d"},
		{"not", group(filter.Not, f(filter.Eq, "active", true)), "b c d"},
		{"not lt holds for null", group(filter.Not, f(filter.Lt, "age", int64(1))), "a d e"},
		{"not not", group(filter.Not, group(filter.Not, f(filter.Lt, "age", int64(1)))), "b c"},
		{"not and", group(filter.Not, group(filter.And, f(filter.Gt, "age", int64(-100)), f(filter.Gt, "score", 0.0))), "b c d"},
		{"not or", group(filter.Not, group(filter.Or, f(filter.Contains, "email", "a"), f(filter.Lt, "age", int64(0)))), "c d e"},
		{"not and of nothing", group(filter.Not, group(filter.And)), ""},
		{"not isNull", group(filter.Not, f(filter.IsNull, "email", true)), "a b c e"},
		{"not has", group(filter.Not, f(filter.Has, "anything", int64(1))), "c d e"},
	} {
		w.equal(c.what, c.want, w.ids("author", c.where))
	}

	// Built as one Or of 3,000: an engine's parser may nest a chain of OR and limit its depth.
	var many []*filter.Filter
	for i := range 3000 {
		many = append(many, f(filter.Eq, "age", int64(i)))
	}
	w.equal("three thousand alternatives", "a c", w.ids("author", group(filter.Or, many...)))
	var values []any
	for i := range 5000 {
		values = append(values, fmt.Sprint("id ", i))
	}
	w.equal("five thousand values", "e", w.ids("author", f(filter.In, "id", append(values, "e")...)))
}

// testRelations checks filters that go through relations, in both directions and twice.
// Comments of a post have null among their stars; a post has the id of a tag that is not
// there.
func testRelations(t *testing.T, w *world) {
	author, post, comment, tag := w.entity("author"), w.entity("post"), w.entity("comment"), w.entity("tag")
	w.insert("author", `{"id":"a","name":"Ada"}`, `{"id":"b","name":"Bob","mentorId":"a"}`, `{"id":"c","name":"Cid","mentorId":"b"}`)
	w.insert("tag", `{"id":1,"label":"one"}`, `{"id":2,"label":"two"}`)
	w.insert("post", `{"id":"p","authorId":"a","tagIds":[1,2],"views":5}`, `{"id":"q","authorId":"a","tagIds":[2,99]}`, `{"id":"r","authorId":"b","views":5}`)
	w.insert("comment", `{"id":"1","postId":"p","number":1,"stars":5}`, `{"id":"2","postId":"p","number":2,"stars":null}`, `{"id":"3","postId":"q","number":1,"stars":5}`)
	// through is a filter behind a relation, with no sub-filter for any row.
	through := func(op filter.Op, e *schema.Entity, link string, subs ...*filter.Filter) *filter.Filter {
		l := e.Relation(link)
		if l == nil {
			w.Fatalf("%s has no relation %s", e.Name, link)
		}
		return &filter.Filter{Op: op, Link: l, Sub: subs}
	}
	eq := func(e *schema.Entity, field string, v any) *filter.Filter {
		return &filter.Filter{Op: filter.Eq, Field: w.field(e, field), Values: []any{v}}
	}
	// eq and not are conditions on the other side.
	not := func(f *filter.Filter) *filter.Filter { return &filter.Filter{Op: filter.Not, Sub: []*filter.Filter{f}} }
	// stars holds for comments 1 and 3, not for 2, which has null.
	stars := eq(comment, "stars", int64(5))
	// A many relation over ids in the row is called by its field without Ids or by the field.
	tags := ""
	for _, name := range []string{"tags", "tagIds"} {
		if post.Relation(name) != nil {
			tags = name
		}
	}
	for _, c := range []struct {
		what, entity string
		where        *filter.Filter
		want         string
	}{
		// To one row. A row without a related row fails every condition on it.
		{"one", "post", through(filter.Some, post, "author", eq(author, "name", "Ada")), "p q"},
		{"one, any", "author", through(filter.Some, author, "mentor"), "b c"},
		{"not one", "author", not(through(filter.Some, author, "mentor", eq(author, "name", "Ada"))), "a c"},
		{"two steps up", "author", through(filter.Some, author, "mentor", through(filter.Some, author, "mentor", eq(author, "id", "a"))), "c"},
		// To many rows, by the field of those rows. A null among the stars fails the
		// condition, as any comparison with null.
		{"some", "post", through(filter.Some, post, "comments", stars), "p q"},
		{"some, any", "post", through(filter.Some, post, "comments"), "p q"},
		{"none", "post", through(filter.None, post, "comments", stars), "r"},
		{"none, any", "post", through(filter.None, post, "comments"), "r"},
		{"every fails on a null", "post", through(filter.Every, post, "comments", stars), "q r"},
		{"every of nothing", "post", through(filter.Every, post, "comments"), "p q r"},
		{"every not", "post", through(filter.Every, post, "comments", not(stars)), "r"},
		// Two steps, in the same direction and back.
		{"down and down", "author", through(filter.Some, author, "posts", through(filter.Some, post, "comments", stars)), "a"},
		{"down and up", "author", through(filter.Every, author, "posts", through(filter.Some, post, "author", eq(author, "name", "Bob"))), "b c"},
		{"pupils", "author", through(filter.Some, author, "pupils", eq(author, "name", "Cid")), "b"},
		// To many rows, by ids in the row itself. Ids without a row lead nowhere, but has
		// finds them.
		{"ids in the row, some", "post", through(filter.Some, post, tags, eq(tag, "label", "two")), "p q"},
		{"ids in the row, none", "post", through(filter.None, post, tags, eq(tag, "label", "one")), "q r"},
		{"ids in the row, every", "post", through(filter.Every, post, tags, eq(tag, "label", "two")), "q r"},
		{"ids in the row, has", "post", &filter.Filter{Op: filter.Has, Field: post.Property("tagIds"), Values: []any{int64(99)}}, "q"},
		{"beside another condition", "post", &filter.Filter{Op: filter.And, Sub: []*filter.Filter{eq(post, "views", int64(5)), through(filter.None, post, "comments", stars)}}, "r"},
	} {
		w.equal(c.what, c.want, w.ids(c.entity, c.where))
	}

	// As deep and as wide as a caller's JSON may be.
	var wide []*filter.Filter
	deep, nots := eq(author, "name", "Ada"), eq(author, "name", "Ada")
	for range 46 {
		wide = append(wide, through(filter.Some, post, "author", eq(author, "name", "Ada")))
		deep = through(filter.Some, author, "mentor", through(filter.None, author, "mentor", deep))
		nots = not(not(nots))
	}
	// Engines limit tables in one statement (SQLite 64) and the depth of an expression.
	w.equal("46 relations side by side", "p q", w.ids("post", &filter.Filter{Op: filter.And, Sub: append(wide, wide...)}))
	w.equal("92 negations", "a", w.ids("author", nots))
	// An engine may refuse an expression as deep as this, with an error of the caller's. It
	// must not fail in another way.
	found, err := w.store.Find(w.ctx(), &facade.Find{Entity: author, Select: rows.NewLayout(nil), Where: deep, Sort: w.sort(author), Limit: 1})
	if err != nil && kiterror.CodeOf(err) != kiterror.BadRequest {
		t.Errorf("92 relations deep: %v", err)
	} else if err == nil && found.Rows.Len() > 1 {
		t.Errorf("92 relations deep: %d rows", found.Rows.Len())
	}

	// The condition of a write is a filter like any other.
	gone, err := w.store.Delete(w.ctx(), post, json.RawMessage(`"p"`), through(filter.None, post, "comments"), nil)
	if gone || err != nil {
		t.Errorf("delete where a relation does not hold: %v, %v", gone, err)
	}
	// An update whose condition leads through a relation.
	list, err := w.store.Update(w.ctx(), post, json.RawMessage(`"p"`), through(filter.Some, post, "author", eq(author, "name", "Ada")), w.record(post, `{"views":6}`), nil, rows.NewLayout([]string{"views"}))
	if err != nil || string(list.AppendJSON(nil)) != `[{"views":6}]` {
		t.Errorf("update where a relation holds: %s, %v", list.AppendJSON(nil), err)
	}
}

// testOrder checks orders: null first, decimals as numbers, ties by the primary key.
// Descending, null comes last.
func testOrder(t *testing.T, w *world) {
	w.insert("author",
		`{"id":"a","name":"x","age":2,"active":true,"balance":"10","joined":"2024-01-01T00:00:00.000Z"}`,
		`{"id":"b","name":"X","age":null,"active":false,"balance":"9.5","joined":"2023-12-31T23:59:59.999999Z"}`,
		`{"id":"c","name":"é","age":-1,"active":null,"balance":"-20","joined":null}`,
		`{"id":"d","name":"x","age":2,"active":true,"balance":null,"joined":"2024-01-01T00:00:00.000001Z"}`,
		`{"id":"e","name":"!","age":10,"active":false,"balance":"9.50","joined":"2025-01-01T00:00:00.000Z"}`)
	for _, c := range []struct{ keys, want string }{
		// Keys as in sort, and the ids in their order. Without keys it is that of the primary
		// key.
		{"", "a b c d e"},
		{"-id", "e d c b a"},
		// a and d have the same age: the primary key decides, ascending unless it is named.
		{"age", "b c a d e"},
		{"-age", "e a d c b"},
		{"age -id", "b c d a e"},
		{"-age -id", "e d a c b"},
		// By bytes: capitals before small letters, ASCII before all others.
		{"name", "e b a d c"},
		{"active -age", "c e b a d"},
		{"-active age", "a d b e c"},
		// 9.5 and 9.50 are equal, so that b comes before e either way.
		{"balance", "d c b e a"},
		{"-balance", "a b e c d"},
		{"joined", "c b a d e"},
		{"name active -balance", "e b a d c"},
	} {
		w.equal("by "+c.keys, c.want, w.ids("author", nil, strings.Fields(c.keys)...))
	}
}

// testRow reads rows by their keys. A store may keep the statement of a layout, so each key is read
// twice.
func testRow(t *testing.T, w *world) {
	w.insert("author", `{"id":"a","name":"Ada"}`, `{"id":"b","name":"Bo"}`)
	w.insert("tag", `{"id":1,"label":"one"}`, `{"id":2,"label":"two"}`)
	author, tag := w.entity("author"), w.entity("tag")
	ada := &filter.Filter{Op: filter.Eq, Field: w.field(author, "name"), Values: []any{"Ada"}}
	layouts := map[*schema.Entity]*rows.Layout{author: rows.NewLayout([]string{"name", "id"}), tag: rows.NewLayout([]string{"id"})}
	for range 2 {
		for _, c := range []struct {
			what  string
			e     *schema.Entity
			key   string
			where *filter.Filter
			want  string
		}{
			{"a text", author, `"a"`, nil, `[{"name":"Ada","id":"a"}]`},
			{"a text with escapes", author, `"\u0062"`, nil, `[{"name":"Bo","id":"b"}]`},
			{"no row", author, `"c"`, nil, `[]`},
			{"a key of another kind", author, `1`, nil, `[]`},
			{"null", author, `null`, nil, `[]`},
			{"a row that meets a condition", author, `"a"`, ada, `[{"name":"Ada","id":"a"}]`},
			{"a row that does not", author, `"b"`, ada, `[]`},
			{"an integer", tag, `2`, nil, `[{"id":2}]`},
			{"a text for an integer", tag, `"2"`, nil, `[]`},
		} {
			found := w.find(&facade.Find{Entity: c.e, Select: layouts[c.e], Where: c.where, Key: json.RawMessage(c.key)})
			w.equal(c.what, c.want, string(found.Rows.AppendJSON(nil)))
			w.equal(c.what+" has no total", int64(-1), found.Total)
		}
	}
}

// testSelections checks that rows have the fields that were selected, in that order, and no
// others. A selection of no field gives empty objects, and keys of the order either way.
func testSelections(t *testing.T, w *world) {
	w.insert("tag", `{"id":1,"label":"one"}`, `{"id":2,"label":"two"}`)
	tag := w.entity("tag")
	for _, c := range []struct {
		fields []string
		want   string
	}{
		{nil, `[{},{}]`},
		{[]string{"label"}, `[{"label":"two"},{"label":"one"}]`},
		{[]string{"label", "id"}, `[{"label":"two","id":2},{"label":"one","id":1}]`},
	} {
		found := w.find(&facade.Find{Entity: tag, Select: rows.NewLayout(c.fields), Sort: w.sort(tag, "-id"), Keys: true, Count: true, Limit: 5})
		w.equal("rows", c.want, string(found.Rows.AppendJSON(nil)))
		w.equal("total", int64(2), found.Total)
		w.equal("keys do not depend on what is selected", raw("[2]", "[1]"), found.Keys)
	}
}
