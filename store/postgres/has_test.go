package postgres

import (
	"fmt"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
)

// TestHasOverAnyJSON looks for scalars in arrays that PostgreSQL can keep and not convert: no
// row is an error, and the others are found by value and by type.
func TestHasOverAnyJSON(t *testing.T) {
	const card = `
type: object
properties:
  id: {type: integer, x-kit: {role: {primary: true}}}
  tags: {type: array}
required: [id, tags]
x-kit-version: 1
`
	p, set := newObserved(t, "thing", card)
	e := set.Entity("thing")
	for i, tags := range []string{
		`["a","b"]`, `["\u0000","a"]`, `["\ud83d","b"]`, `[1e999999, 1]`, `[1.0, true]`, `["1", "true", null]`, `"a"`, `{"a": "a"}`, `null`, `[]`, `[["a"]]`, `[{"a":1}]`, `["\u0061"]`, `["\\u0000a"]`, `["\ud83d\ude00"]`, `["\ude00"]`, `["\ud83d\ud83d\ude00"]`,
	} {
		p.run(t, fmt.Sprintf(`INSERT INTO thing VALUES (%d, %s)`, i, literal(tags)))
	}
	for _, c := range []struct {
		value any
		want  string
	}{
		{"a", "0 1 12"}, {"b", "0 2"}, {"1", "5"}, {int64(1), "3 4"}, {1.0, "3 4"}, {0.5, ""}, {true, "4"}, {false, ""}, {"true", "5"}, {"\x00", "1"}, {`\u0000a`, "13"}, {"😀", "14"},
	} {
		found, err := p.Find(t.Context(), &facade.Find{
			Entity: e, Select: rows.NewLayout([]string{"id"}), Sort: []facade.SortKey{{Field: e.Primary}}, Limit: 99,
			Where: &filter.Filter{Op: filter.Has, Field: e.Property("tags"), Values: []any{c.value}},
		})
		if err != nil {
			t.Errorf("has %v: %v", c.value, err)
			continue
		}
		got := ""
		for i := range found.Rows.Len() {
			if i > 0 {
				got += " "
			}
			got += string(found.Rows.Row(i).Get("id"))
		}
		if got != c.want {
			t.Errorf("has %#v: %s, want %s", c.value, got, c.want)
		}
	}
}
