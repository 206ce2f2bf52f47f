package sqlite_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/store/sqlite"
)

// TestSortsHaveABound: a page far behind, sorted without an index, is refused before it
// takes the process's memory; what the connection took is given back, and a page by the
// key is read as ever.
func TestSortsHaveABound(t *testing.T) {
	set := compile(t, thing("text: type: string")...)
	// Statement: the race detector makes a sort slow, and memory is what is bounded here.
	store := open(t, sqlite.Options{Path: t.TempDir() + "/store.db", Readers: 1, Statement: -1}, set.Entities)
	e := set.Entity("thing")
	text := strings.Repeat("x", 10_000)
	for page := range 10 {
		var list []facade.Record
		for i := range 500 {
			list = append(list, record(t, e, fmt.Sprintf(`{"id":"%02d-%03d","text":"%03d%s"}`, page, i, i, text)))
		}
		if _, err := store.Insert(t.Context(), e, list, nil, rows.NewLayout(nil)); err != nil {
			t.Fatal(err)
		}
	}
	layout := rows.NewLayout([]string{"id"})
	byText := []facade.SortKey{{Field: e.Property("text")}, {Field: e.Primary}}
	for _, c := range []struct {
		offset int
		sort   []facade.SortKey
		code   kiterror.Code
	}{{0, byText, ""}, {4900, byText, kiterror.BadRequest}, {4900, byText[1:], ""}, {10, byText, ""}} {
		found, err := store.Find(t.Context(), &facade.Find{Entity: e, Select: layout, Sort: c.sort, Limit: 1, Offset: c.offset})
		if kiterror.CodeOf(err) != c.code || err == nil && found.Rows.Len() != 1 {
			t.Errorf("offset %d, %d sort keys: %v, want %q", c.offset, len(c.sort), err, c.code)
		}
	}
}
