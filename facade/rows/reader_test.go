package rows_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema/jsontext"
)

func TestRowReader(t *testing.T) {
	var reader rows.Reader
	for _, c := range []struct{ text, columns, rows string }{
		{`[{"a":1,"b":"x"},{"a":2,"b":"y"}]`, "[a b]", `[{"a":1,"b":"x"},{"a":2,"b":"y"}]`},
		{`[{"a":1,"b":"x"},{"b":"y","a":2}]`, "[a b]", `[{"a":1,"b":"x"},{"b":"y","a":2}]`},
		{`[{"a":1,"b":"x"},{"a":2,"c":[3,{"d":"}"}]}]`, "[a b c]", `[{"a":1,"b":"x"},{"a":2,"c":[3,{"d":"}"}]}]`},
		{`[{"a":1,"b":"x"}]`, "[a b c]", `[{"a":1,"b":"x"}]`}, // as the last ones were
		{"\t[ {\"z\" : 1 ,\n\"y\":\r2 } , { } ] ", "[z y]", "[{\"z\" : 1 ,\n\"y\":\r2 } , { }]"},
		{` {"k":{"l":null}} `, "[k]", `[{"k":{"l":null}}]`},
		{`[{"\u0061b":1},{"ab":2}]`, "[ab]", `[{"\u0061b":1},{"ab":2}]`},
		{`[]`, "[]", `[]`},
		{` [ ] `, "[]", `[]`},
		{`{}`, "[]", `[{}]`},
	} {
		run, ok := reader.Read(json.RawMessage(c.text))
		if !ok {
			t.Errorf("%s: no rows", c.text)
			continue
		}
		if got := fmt.Sprint(run.Layout().Fields); got != c.columns {
			t.Errorf("%s: columns %s, want %s", c.text, got, c.columns)
		}
		if got := string(run.AppendJSON(nil)); got != c.rows {
			t.Errorf("%s: rows %s, want %s", c.text, got, c.rows)
		}
	}
	for _, text := range []string{`1`, `null`, `"a"`, `[1]`, `[{"a":1},2]`, `[null]`, `[[]]`} {
		if run, ok := reader.Read(json.RawMessage(text)); ok {
			t.Errorf("%s: %s", text, run.AppendJSON(nil))
		}
	}
}

// TestRowsWithNothingInCommon: what would need a place in every row for each of very
// many columns is refused before the places are made.
func TestRowsWithNothingInCommon(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, `,{"c%d":1}`, i)
	}
	var reader rows.Reader
	if _, ok := reader.Read(json.RawMessage("[" + b.String()[1:] + "]")); ok {
		t.Error("5000 rows of a column each were laid out in 25 million places")
	}
}

// TestRowReaderIsShared: readers of other rows at the same time do not mix them up.
func TestRowReaderIsShared(t *testing.T) {
	var reader rows.Reader
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 600 { // more layouts than are kept
				text := fmt.Sprintf(`[{"a%d":%d},{"a%d":1,"b%d":2}]`, i, g, i, g%2)
				run, ok := reader.Read(json.RawMessage(text))
				if !ok || string(run.AppendJSON(nil)) != text || string(run.Row(0).Get(fmt.Sprintf("a%d", i))) != fmt.Sprint(g) || string(run.Row(1).Get(fmt.Sprintf("b%d", g%2))) != "2" {
					t.Errorf("%s was read as %v", text, run)
				}
			}
		})
	}
	all.Wait()
}

// FuzzRowReader holds what is read against what encoding/json makes of it.
func FuzzRowReader(f *testing.F) {
	for _, seed := range []string{`[{"a":1},{"b":[{}]}]`, `{"a":"\"}"}`, " [ { \"\\u0061\" :\n1 } ]", `[]`, `[1]`, `[{"a":1},{"a":2,"":3}]`} {
		f.Add([]byte(seed), []byte(seed))
	}
	f.Fuzz(func(t *testing.T, before, text []byte) {
		if jsontext.Check(before) != nil || jsontext.Check(text) != nil {
			return
		}
		var reader rows.Reader
		_, _ = reader.Read(before)
		run, ok := reader.Read(text)
		var want []map[string]json.RawMessage
		isRows := json.Unmarshal(text, &want) == nil && want != nil
		for _, row := range want {
			isRows = isRows && row != nil
		}
		var one map[string]json.RawMessage
		if !isRows && json.Unmarshal(text, &one) == nil && one != nil {
			want, isRows = []map[string]json.RawMessage{one}, true
		}
		if ok != isRows {
			t.Fatalf("rows: %t, want %t", ok, isRows)
		}
		if !ok {
			return
		}
		if run.Len() != len(want) {
			t.Fatalf("%d rows, want %d", run.Len(), len(want))
		}
		for i, members := range want {
			got := map[string]json.RawMessage{}
			for _, name := range run.Layout().Fields {
				if v := run.Row(i).Get(name); v != nil {
					got[name] = v
				}
			}
			if !reflect.DeepEqual(got, members) && len(got)+len(members) > 0 {
				t.Fatalf("row %d: %s, want %s", i, got, members)
			}
		}
	})
}
