package storetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// testGoneCursors deletes the row of each cursor before the next page is read, both ways and in both directions: no row comes
// twice, and none is left out. Texts beyond the size that a cursor has whole are refused where their beginning
// does not say the place.
func testGoneCursors(w *manyWorld) {
	p, err := facade.Read(fstest.MapFS{
		"entities/note.yaml": {Data: []byte("type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  text: {type: string}\n  n: {type: integer}\nrequired: [text, n]\n")},
		"frond.yaml":         {Data: []byte("name: notes\nmany: {note: '*'}\ncollectors: {'*': open}\n")},
	})
	if err != nil {
		w.Fatal(err)
	}
	w.store = w.opened(w, Compiled(w, p).Catalog.Set.Entities)
	w.facade = New(w, p, w.store, nil)
	for _, c := range []struct {
		what, beginning string
		refused         bool
	}{
		{"short texts", "", false},
		{"texts of a long equal beginning", strings.Repeat("é", 900), false},
		{"texts that no cursor has whole", strings.Repeat("é", 3000), true},
	} {
		for _, sort := range []string{"text", "-text", "n,text", "text,-n"} {
			for _, backward := range []bool{false, true} {
				_, _ = w.as("admin", "note.deleteMany", `{"where":{"n":{"gte":0}},"max":1000}`, "")
				var all []string
				for i := range 9 {
					all = append(all, fmt.Sprintf(`{"id":"n%d","text":"%s%d","n":%d}`, i, c.beginning, i*5%9, i%2))
				}
				if _, err := w.as("admin", "note.createMany", `{"fields":[]}`, "["+strings.Join(all, ",")+"]"); err != nil {
					w.Fatal(err)
				}
				want := w.noteIDs(fmt.Sprintf(`{"sort":%q}`, sort)).ids
				if backward {
					slices.Reverse(want)
				}
				var got []string
				failed := (*kiterror.Error)(nil)
				for at := ""; ; {
					query := fmt.Sprintf(`{"sort":%q,"limit":2%s`, sort, at)
					if backward && at == "" {
						query += `,"backward":true`
					}
					page := w.noteIDs(query + "}")
					if failed = page.failed; failed != nil {
						break
					}
					ids, edge := page.ids, `,"after":`
					if backward {
						slices.Reverse(ids)
						edge = `,"before":`
					}
					if got = append(got, ids...); len(ids) < 2 {
						break
					}
					at = edge + fmt.Sprintf("%q", page.cursor(backward))
					if _, err := w.as("admin", "note.deleteMany", fmt.Sprintf(`{"where":{"id":{"eq":%q}}}`, ids[1]), ""); err != nil {
						w.Fatal(err)
					}
				}
				switch {
				case c.refused:
					if failed == nil || short(failed) != "VALIDATION_FAILED /query/"+map[bool]string{false: "after", true: "before"}[backward]+" cursor" {
						w.Errorf("%s by %s, backward %t: %v, %v", c.what, sort, backward, got, failed)
					}
				case failed != nil || !slices.Equal(got, want):
					w.Errorf("%s by %s, backward %t: %v, want %v (%v)", c.what, sort, backward, got, want, failed)
				}
			}
		}
	}
}

// notePage is a page of notes.
type notePage struct {
	ids         []string
	first, last string // cursors
	failed      *kiterror.Error
}

func (p notePage) cursor(first bool) string {
	if first {
		return p.first
	}
	return p.last
}

// noteIDs reads a page with the cursors of its rows.
func (w *manyWorld) noteIDs(query string) (page notePage) {
	w.Helper()
	res, err := w.facade.Call(w.Context(), &facade.Call{Entity: "note", Operation: "list", Cursors: true, Invocation: facade.Invocation{Query: json.RawMessage(query)}})
	if err != nil {
		page.failed = kiterror.AsError(err)
		return page
	}
	for i := range res.Rows.Len() {
		page.ids = append(page.ids, strings.Trim(string(res.Rows.Row(i).Get("id")), `"`))
	}
	if n := len(res.Cursors); n > 0 {
		page.first, page.last = res.Cursors[0], res.Cursors[n-1]
	}
	return page
}
