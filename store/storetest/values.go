package storetest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
)

// Values on their way into a store and back. A row gives every value in one spelling, for all
// spellings that it was written in: results, cursors and versions compare texts.

// valueCases are values as they are written and as rows give them back; "" means as written.
// The fields are those of an author.
var valueCases = []struct{ field, in, out string }{
	// Text. Escapes that JSON does not need are written out; a NUL stays one.
	{"name", `"plain"`, ""},
	{"email", `null`, ""},
	{"email", `""`, ""},
	{"email", `"\u0041\/\u00e9"`, `"A/é"`},
	{"email", `"a\"b\\c\nd\re\tf\u0001\u001f"`, ""},
	{"email", `"in\u0000side"`, ""},
	{"email", `"\u0000"`, ""},
	{"email", `"日本語 😀 \u2028 <&>"`, `"日本語 😀 ` + "\u2028" + ` <&>"`},
	{"email", `"'; DROP TABLE author; --"`, ""},
	// Integers, all of int64. Other spellings of a whole number become digits.
	{"age", `0`, ""},
	{"age", `-1`, ""},
	{"age", `9223372036854775807`, ""},
	{"age", `3.0`, `3`},
	{"age", `2e3`, `2000`},
	{"age", `9007199254740993.0`, `9007199254740993`},
	{"age", `null`, ""},
	// Numbers are doubles, written as the shortest text that reads back as the same double.
	// Exponents are used below 1e-6 and from 1e21, as in JavaScript.
	{"score", `0`, ""},
	{"score", `0.1`, ""},
	{"score", `1e21`, `1e+21`},
	{"score", `123456789012345680000`, ""},
	{"score", `0.000001`, ""},
	{"score", `1e-7`, ""},
	{"score", `-2.2250738585072014e-308`, ""},
	{"score", `5e-324`, ""},
	{"score", `1.7976931348623157e308`, `1.7976931348623157e+308`},
	{"score", `0.30000000000000004`, ""},
	{"score", `7`, ""},
	{"score", `null`, ""},
	// Booleans are true and false also where a store keeps 1 and 0.
	{"active", `true`, ""},
	{"active", `false`, ""},
	{"active", `null`, ""},
	// Dates and moments, the first and the last. Milliseconds are always written, microseconds
	// where they are not zero.
	{"born", `"1815-12-10"`, ""},
	{"joined", `"2024-02-29T23:59:59.000Z"`, ""},
	{"joined", `"2024-02-29T23:59:59.123Z"`, ""},
	{"joined", `"2024-02-29T23:59:59.123456Z"`, ""},
	{"joined", `"0001-01-01T00:00:00.000Z"`, ""},
	{"joined", `"9999-12-31T23:59:59.999999Z"`, ""},
	// Decimals keep their text: trailing zeros, the sign of zero, any number of digits.
	{"balance", `"19.90"`, ""},
	{"balance", `"-0.00"`, ""},
	{"balance", `"123456789012345678901234567890.123456789"`, ""},
	// JSON keeps the order of members and the digits of numbers.
	{"nicknames", `[]`, ""},
	{"nicknames", `["a","b\n"]`, ""},
	{"profile", `{"b":1,"a":{"deep":[1,null,"x"]}}`, ""},
	{"profile", `null`, ""},
	{"anything", `null`, ""},
	{"anything", `"text"`, ""},
	{"anything", `12.50`, ""},
	{"anything", `true`, ""},
	{"anything", `[1,{"a":null}]`, ""},
}

// testValues writes values of every kind, at their bounds, and reads the same text back: from
// insert, from find, and from an update with the text that came out.
func testValues(t *testing.T, w *world) {
	author := w.entity("author")
	for i, c := range valueCases {
		want := c.out
		if want == "" {
			want = c.in
		}
		if w.harness.PlainZero && want == `"-0.00"` {
			want = `"0.00"`
		}
		// Two letters: Aa, Ab and so on, so that the ids are distinct and in order.
		id := string(rune('A'+i/26)) + string(rune('a'+i%26))
		text := `{"id":"` + id + `","` + c.field + `":` + c.in + `}`
		layout := rows.NewLayout([]string{c.field})
		rows, err := w.store.Insert(w.ctx(), author, w.records(author, []string{fill("author", text)}), nil, layout)
		if w.harness.NoNUL && strings.Contains(c.in, `\u0000`) {
			if kiterror.CodeOf(err) != kiterror.ValidationFailed || !strings.Contains(err.Error(), c.field) {
				t.Errorf("%s: %s: %v, want VALIDATION_FAILED that names the field", c.field, c.in, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %s: %v", c.field, c.in, err)
			continue
		}
		w.equal(c.field+" answered by insert", want, string(rows.Row(0).Get(c.field)))
		// Read again by another statement: insert may answer from memory.
		where := &filter.Filter{Op: filter.Eq, Field: author.Primary, Values: []any{id}}
		found := w.find(&facade.Find{Entity: author, Select: layout, Where: where, Sort: w.sort(author), Limit: 2})
		w.equal(c.field+" found", `[{"`+c.field+`":`+want+`}]`, string(found.Rows.AppendJSON(nil)))

		// The value that came out goes back in, by update, and stays the same.
		set := facade.Record{{Name: c.field, Value: json.RawMessage(want)}}
		rows, err = w.store.Update(w.ctx(), author, json.RawMessage(`"`+id+`"`), nil, set, nil, layout)
		if err != nil || rows.Len() != 1 {
			t.Errorf("%s: update to %s: %d rows, %v", c.field, want, rows.Len(), err)
			continue
		}
		w.equal(c.field+" answered by update", want, string(rows.Row(0).Get(c.field)))
		// The row makes room for the next email, which could be equal.
		if c.field == "email" { // it is unique
			if _, err := w.store.Delete(w.ctx(), author, json.RawMessage(`"`+id+`"`), nil, nil); err != nil {
				t.Errorf("delete: %v", err)
			}
		}
	}
	// All rows at once, as a list would write them.
	if !json.Valid([]byte(w.rows("author"))) {
		t.Error("the rows together are not JSON")
	}
}

// testOddValues writes values that the judge would have stopped: a handler's or a conversion's
// mistake is reported as VALIDATION_FAILED with the field's detail, and nothing is written. At the
// end are values that the card allows and a naive column would refuse.
func testOddValues(t *testing.T, w *world) {
	author, post := w.entity("author"), w.entity("post")
	w.insert("author", `{"id":"a"}`)
	for _, c := range []struct{ text, detail string }{
		// Values of another type. Some engines convert them silently.
		{`{"id":"x","name":5}`, "type:name"},
		{`{"id":"x","name":{}}`, "type:name"},
		{`{"id":"x","age":"7"}`, "type:age"},
		// Numbers that the column cannot hold exactly.
		{`{"id":"x","age":7.5}`, "type:age"},
		{`{"id":"x","age":1e30}`, "type:age"},
		{`{"id":"x","age":92233720368547758080}`, "type:age"},
		{`{"id":"x","score":"1"}`, "type:score"},
		{`{"id":"x","score":1e999}`, "type:score"},
		{`{"id":"x","active":1}`, "type:active"},
		// Texts that are none of the format.
		{`{"id":"x","joined":"yesterday"}`, "format:joined"},
		{`{"id":"x","balance":"much"}`, "format:balance"},
		{`{"id":"x","balance":9.5}`, "type:balance"},
		{`{"id":"x","joined":17}`, "type:joined"},
		// null and absent in a field that has to have a value.
		{`{"id":"x","name":null}`, "required:name"},
		{`{"id":null}`, "required:id"},
		{`{"name":"nobody"}`, "required:id"},
		// Bounds of the card, which the tables have as constraints (docs/decisions/sqlite.md).
		{`{"id":"x","age":-101}`, "minimum:age"},
		{`{"id":"x","name":""}`, "minLength:name"},
		{`{"id":"x","name":"` + strings.Repeat("é", 201) + `"}`, "maxLength:name"},
	} {
		_, err := w.store.Insert(w.ctx(), author, w.records(author, []string{fill("author", c.text)}), nil, rows.NewLayout(nil))
		w.refused(err, kiterror.ValidationFailed, c.detail)
	}
	_, err := w.store.Insert(w.ctx(), post, w.records(post, []string{fill("post", `{"id":"x","status":"lost"}`)}), nil, rows.NewLayout(nil))
	w.refused(err, kiterror.ValidationFailed, "enum:status")
	_, err = w.store.Update(w.ctx(), author, json.RawMessage(`"a"`), nil, w.record(author, `{"age":"x"}`), nil, rows.NewLayout(nil))
	w.refused(err, kiterror.ValidationFailed, "type:age")
	w.equal("rows", "a", w.ids("author", nil))

	// The store does not refuse a value that the card allows.
	_, spelled := w.odd()
	w.insert("author", `{"id":"b","name":"`+strings.Repeat("é", 200)+`"}`, `{"id":"c","name":"`+spelled+`"}`)
	w.insert("post", `{"id":"p","status":"it's; gone"}`)
}
