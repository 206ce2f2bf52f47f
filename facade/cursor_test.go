package facade_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/storetest"
)

func TestCursorFromElsewhere(t *testing.T) {
	f := storetest.Facade(t)
	cursor := func(method, query string) string {
		t.Helper()
		page, err := facade.Do[facade.List[any]](t.Context(), f, method, facade.Invocation{Query: raw(query)})
		if err != nil || page.EndCursor == "" {
			t.Fatalf("%v %v", page, err)
		}
		return page.EndCursor
	}
	good := cursor("post.list", `{"sort":"-rating","limit":2}`)
	raw9, _ := base64.RawURLEncoding.DecodeString(good)
	with := func(array string) string {
		return base64.RawURLEncoding.EncodeToString(append(append([]byte{}, raw9[:9]...), array...))
	}
	for _, c := range []struct{ name, cursor, want string }{
		{"its own", good, "p4 p5 p3"},
		{"a null where a field may be null", with(`[null,"p3"]`), ""},
		{"other values of the right kinds", with(`[4,"p9"]`), "p4 p5 p3"},
		{"of another order", cursor("post.list", `{"sort":"rating","limit":2}`), "no"},
		{"of no order", cursor("post.list", `{"limit":2}`), "no"},
		{"of another entity", cursor("author.list", `{"limit":2}`), "no"},
		{"a value too few", with(`[4]`), "no"},
		{"a value too many", with(`[4,"p1",1]`), "no"},
		{"a value of another kind", with(`["4","p1"]`), "no"},
		{"a null key", with(`[4,null]`), "no"},
		{"an object", with(`{"rating":4}`), "no"},
		{"a nested value", with(`[[4],"p1"]`), "no"},
		{"no JSON", with(`[4,"p1"`), "no"},
		{"a head alone", with(``), "no"},
		{"another version", "AA" + good[2:], "no"},
		{"padding", good + "==", "no"},
		{"not base64", "!!!", "no"},
		{"very long", with(fmt.Sprintf(`[4,%q]`, make([]byte, 9000))), "no"},
		{"SQL", with(`[4,"' OR 1=1 --"]`), "p4 p5 p3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, err := do(t, f, "post.list", "", fmt.Sprintf(`{"sort":"-rating","after":%q}`, c.cursor), "")
			got := "no"
			if err == nil {
				got = ids(t, text)
			} else if err.Code != kiterror.ValidationFailed {
				t.Errorf("%v", err)
			}
			if got != c.want {
				t.Errorf("got %s want %s (%v)", got, c.want, err)
			}
		})
	}
}

// long is an entity whose rows are sorted by texts of any length.
var long = map[string]string{
	"entities/note.yaml": `
type: object
properties:
  id: {type: string, maxLength: 100000, x-kit: {role: {primary: true}}}
  text: {type: string}
  n: {type: integer}
required: [id, text, n]
x-kit-version: 1
`,
	"frond.yaml": `{name: shop, collectors: {note: [{when: user == nil, rows: {n: {lt: 100}}}, {}]}}`,
}

// TestCursorsOfLongValues pages through rows whose sort values are long: every cursor
// that is given is taken, is short, and leads on though its row is gone, has moved or
// is nobody's to see, unless other rows begin alike.
func TestCursorsOfLongValues(t *testing.T) {
	texts := make([]string, 9)
	f := facadeOf(t, long, nil)
	for i := range texts {
		texts[i] = strings.Repeat("é", 50+i%3) + strings.Repeat("x", 4000) + fmt.Sprint(i)
		if i == 4 {
			texts[i] = strings.Repeat("é", 51) + "a" + texts[i]
		}
		must(t, f, "note.create", "", "", fmt.Sprintf(`{"id":"n%d","text":%q,"n":%d}`, i, texts[i], i))
	}
	end := func(query string) string {
		t.Helper()
		page, err := facade.Do[facade.List[any]](t.Context(), f, "note.list", facade.Invocation{Query: raw(query)})
		if err != nil {
			t.Fatal(err)
		}
		if len(page.EndCursor) > 2000 {
			t.Errorf("a cursor of %d bytes", len(page.EndCursor))
		}
		return page.EndCursor
	}
	rest := func(query, cursor string) string {
		t.Helper()
		return ids(t, must(t, f, "note.list", "", fmt.Sprintf(query, cursor), ""))
	}
	for _, sort := range []string{"text", "-text", "n,text"} {
		want := ids(t, must(t, f, "note.list", "", `{"sort":"`+sort+`"}`, ""))
		var walked []string
		for after := ""; ; {
			query := `{"sort":"` + sort + `","limit":2`
			if after != "" {
				query += `,"after":"` + after + `"`
			}
			text := must(t, f, "note.list", "", query+"}", "")
			if walked = append(walked, ids(t, text)); !strings.Contains(text, `"hasMore":true`) {
				break
			}
			after = end(query + "}")
		}
		if got := strings.Join(walked, " "); got != want {
			t.Errorf("by %s: walked %s, want %s", sort, got, want)
		}
	}

	// By text: n0 n3 n6 (fifty é), then n4, n1 n7, then n2 n5 n8; zzz comes before them.
	up := end(`{"sort":"text","limit":4}`)    // at n4
	down := end(`{"sort":"-text","limit":6}`) // at n4 too
	among := end(`{"sort":"text","limit":5}`) // at n1, which n7 begins like
	must(t, f, "note.update", `{"id":"n4"}`, "", `{"text":"zzz"}`)
	const forward, backward, fall = `{"sort":"text","after":"%s"}`, `{"sort":"text","before":"%s","limit":50}`, `{"sort":"-text","after":"%s"}`
	for _, c := range []struct{ what, got, want string }{
		{"up, from a row that moved", rest(forward, up), "n1 n7 n2 n5 n8"},
		{"before it", rest(backward, up), "n4 n0 n3 n6"},
		{"down, from a row that moved", rest(fall, down), "n6 n3 n0 n4"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.what, c.got, c.want)
		}
	}
	must(t, f, "note.delete", `{"id":"n4"}`, "", "")
	if got, want := rest(forward, up), "n1 n7 n2 n5 n8"; got != want {
		t.Errorf("from a row that is gone: %s, want %s", got, want)
	}
	must(t, f, "note.delete", `{"id":"n1"}`, "", "")
	if _, err := do(t, f, "note.list", "", fmt.Sprintf(forward, among), ""); err == nil || err.Code != kiterror.ValidationFailed || !strings.Contains(err.Message, "is gone") {
		t.Errorf("from a row that is gone, among rows that begin alike: %v", err)
	}
	must(t, f, "note.delete", `{"id":"n7"}`, "", "")
	if got, want := rest(forward, among), "n2 n5 n8"; got != want {
		t.Errorf("from a row that is gone with those that begin alike: %s, want %s", got, want)
	}

	// A cursor made up with the key of a hidden row does not disclose where that row stands.
	must(t, as(f, access.State{"user": map[string]any{"id": "ada"}}), "note.create", "", "", fmt.Sprintf(`{"id":"secret","text":%q,"n":500}`, strings.Repeat("m", 5000)))
	head, _ := base64.RawURLEncoding.DecodeString(up)
	made := base64.RawURLEncoding.EncodeToString(append(head[:9:9], `[["a"],"secret"]`...))
	if got, want := rest(forward, made), rest(forward, base64.RawURLEncoding.EncodeToString(append(head[:9:9], `[["a"],"nobody"]`...))); got != want {
		t.Errorf("a hidden row's cursor gives %s, one of no row %s", got, want)
	}
}

// TestCursorsThatAreGivenAreTaken checks the guard on a cursor's length from both
// sides: the longest that is given is taken, and one byte more is not.
func TestCursorsThatAreGivenAreTaken(t *testing.T) {
	f := facadeOf(t, long, nil)
	const most = 64 << 10
	key := func(n int) string { return strings.Repeat("k", n) }
	longest := most/4*3 - 9 - len(`[""]`) // bytes of a key whose cursor is as long as one may be
	must(t, f, "note.create", "", "", fmt.Sprintf(`{"id":%q,"text":"a","n":1}`, key(longest)))
	must(t, f, "note.create", "", "", `{"id":"z","text":"a","n":2}`)
	page, err := facade.Do[facade.List[any]](t.Context(), f, "note.list", facade.Invocation{Query: raw(`{"limit":1}`)})
	if err != nil || len(page.EndCursor) != most {
		t.Fatalf("a cursor of %d bytes, want %d: %v", len(page.EndCursor), most, err)
	}
	if got := ids(t, must(t, f, "note.list", "", `{"after":"`+page.EndCursor+`"}`, "")); got != "z" {
		t.Errorf("behind the longest cursor there is %s", got)
	}
	raw9, _ := base64.RawURLEncoding.DecodeString(page.EndCursor)
	longer := base64.RawURLEncoding.EncodeToString(append(raw9[:9:9], fmt.Sprintf(`[%q]`, key(longest+1))...))
	if _, err := do(t, f, "note.list", "", `{"after":"`+longer+`"}`, ""); err == nil || err.Code != kiterror.ValidationFailed {
		t.Errorf("a cursor of %d bytes: %v", len(longer), err)
	}
	must(t, f, "note.delete", fmt.Sprintf(`{"id":%q}`, key(longest)), "", "")
	must(t, f, "note.create", "", "", fmt.Sprintf(`{"id":%q,"text":"a","n":1}`, key(longest+1)))
	page, err = facade.Do[facade.List[any]](t.Context(), f, "note.list", facade.Invocation{Query: raw(`{"limit":1}`)})
	if err != nil || page.EndCursor != "" || !page.HasMore {
		t.Errorf("a cursor that would not be taken: %d bytes, %v", len(page.EndCursor), err)
	}
}

// TestPagesWithoutCursors: a caller who reads none has none made, of one page and of the pages of
// many keys, and everything else is the same.
func TestPagesWithoutCursors(t *testing.T) {
	f := storetest.Facade(t)
	for _, each := range []*facade.Each{nil, {Field: "postId", Keys: []json.RawMessage{raw(`"p1"`), raw(`"p2"`)}}} {
		call := func(none, all bool) *facade.Result {
			res, err := f.Call(t.Context(), &facade.Call{
				Entity: "comment", Operation: "list", Each: each, NoCursors: none, Cursors: all,
				Invocation: facade.Invocation{Query: raw(`{"limit":1}`)},
			})
			if err != nil {
				t.Fatal(err)
			}
			return res
		}
		pages := func(res *facade.Result) (all []facade.Page) {
			if each == nil {
				return []facade.Page{res.Page}
			}
			for _, g := range res.Groups {
				all = append(all, g.Page)
			}
			return all
		}
		usual := pages(call(false, false))
		for i, p := range pages(call(true, false)) {
			if p.Cursors != nil || p.HasMore != usual[i].HasMore || p.Total != usual[i].Total {
				t.Errorf("page %d: %+v, usually %+v", i, p, usual[i])
			}
		}
		if diff := cmp.Diff(usual, pages(call(true, true))); diff != "" {
			t.Errorf("with all cursors: %s", diff)
		}
		if usual[0].EndCursor() == "" {
			t.Error("the usual page has no cursor either")
		}
	}
}
