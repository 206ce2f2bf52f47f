package binding_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema"
)

func TestNodeID(t *testing.T) {
	for _, key := range []string{`"a"`, `"with:colon/and ü"`, `7`, `-9007199254740993`, `"\""`} {
		id := binding.NodeIDOf(&schema.Entity{Key: "orderline"}, json.RawMessage(key))
		entity, got, ok := binding.ParseNodeID(id)
		if !ok || entity != "orderline" || string(got) != key {
			t.Errorf("%s came back as %s, %s, %v", key, entity, got, ok)
		}
	}
	for _, id := range []string{"", "x", "!!", "cG9zdA", "cG9zdDo", "OiJhIg", "cG9zdDp7fQ", "cG9zdDpudWxs", "cG9zdDoiYSIg\n", "cG9zdDoiYSIsMQ"} {
		if entity, key, ok := binding.ParseNodeID(id); ok {
			t.Errorf("%q was taken for %s %s", id, entity, key)
		}
	}
}

func FuzzParseNodeID(f *testing.F) {
	f.Add(binding.NodeIDOf(&schema.Entity{Key: "post"}, json.RawMessage(`"a"`)))
	f.Add("cG9zdDp7fQ")
	f.Fuzz(func(t *testing.T, id string) {
		if entity, key, ok := binding.ParseNodeID(id); ok {
			if !json.Valid(key) || strings.Contains(entity, ":") || entity == "" {
				t.Errorf("%q was taken for %q %q", id, entity, key)
			}
		}
	})
}

func TestPageIDs(t *testing.T) {
	ids := []json.RawMessage{[]byte(`"a"`), []byte(`"b"`), []byte(`"c"`), []byte(`"d"`), []byte(`"e"`)}
	all := []bool{true, true, true, true, true}
	cursor := func(i int) *string {
		_, _, page, err := binding.PageIDs(ids, all, binding.Window{})
		if err != nil {
			t.Fatal(err)
		}
		return &page.Cursors[i]
	}
	n := func(n int) *int { return &n }
	alien := "alien"
	tests := []struct {
		name       string
		window     binding.Window
		want       string
		more, prev bool
		code       kiterror.Code
	}{
		{"all", binding.Window{}, "abcde", false, false, ""},
		{"the first two", binding.Window{First: n(2)}, "ab", true, false, ""},
		{"more than there are", binding.Window{First: n(9)}, "abcde", false, false, ""},
		{"none", binding.Window{First: n(0)}, "", true, false, ""},
		{"behind a cursor", binding.Window{After: cursor(1)}, "cde", false, true, ""},
		{"two behind a cursor", binding.Window{First: n(2), After: cursor(1)}, "cd", true, true, ""},
		{"behind the last", binding.Window{After: cursor(4)}, "", false, true, ""},
		{"the last two", binding.Window{Last: n(2)}, "de", false, true, ""},
		{"the last two before a cursor", binding.Window{Last: n(2), Before: cursor(3)}, "bc", true, true, ""},
		{"before the first", binding.Window{Last: n(2), Before: cursor(0)}, "", true, false, ""},
		{"by offset", binding.Window{Offset: n(1), First: n(2)}, "bc", true, true, ""},
		{"beyond the end", binding.Window{Offset: n(7)}, "", false, true, ""},
		{"a negative first", binding.Window{First: n(-1)}, "", false, false, kiterror.BadRequest},
		{"a negative offset", binding.Window{Offset: n(-1)}, "", false, false, kiterror.BadRequest},
		{"both ends", binding.Window{First: n(1), Last: n(1)}, "", false, false, kiterror.BadRequest},
		{"before an empty cursor", binding.Window{Last: n(2), Before: new(string)}, "", false, false, kiterror.BadRequest},
		{"behind an empty cursor", binding.Window{First: n(2), After: new(string)}, "", false, false, kiterror.BadRequest},
		{"before a cursor", binding.Window{Before: cursor(3)}, "abc", true, false, ""},
		{"a range", binding.Window{After: cursor(0), Before: cursor(4)}, "bcd", false, true, ""},
		{"the first of a range", binding.Window{First: n(2), After: cursor(0), Before: cursor(4)}, "bc", true, true, ""},
		{"all of a range", binding.Window{First: n(3), After: cursor(0), Before: cursor(4)}, "bcd", false, true, ""},
		{"the last of a range", binding.Window{Last: n(2), After: cursor(0), Before: cursor(4)}, "cd", true, true, ""},
		{"all of a range, from its end", binding.Window{Last: n(3), After: cursor(0), Before: cursor(4)}, "bcd", true, false, ""},
		{"a range of nothing", binding.Window{First: n(2), After: cursor(2), Before: cursor(3)}, "", false, true, ""},
		{"a range whose ends are turned round", binding.Window{First: n(2), After: cursor(3), Before: cursor(1)}, "", false, true, ""},
		{"the first before a cursor", binding.Window{First: n(1), Before: cursor(3)}, "a", true, false, ""},
		{"the last behind a cursor", binding.Window{Last: n(1), After: cursor(2)}, "e", false, true, ""},
		{"all behind a cursor, from the end", binding.Window{Last: n(2), After: cursor(2)}, "de", false, false, ""},
		{"by offset from a cursor", binding.Window{Offset: n(1), After: cursor(0)}, "", false, false, kiterror.BadRequest},
		{"by offset from the end", binding.Window{Offset: n(1), Last: n(1)}, "", false, false, kiterror.BadRequest},
		{"by no offset from a cursor", binding.Window{Offset: n(0), First: n(1), After: cursor(0)}, "b", true, true, ""},
		{"a cursor from elsewhere", binding.Window{After: &alien}, "", false, false, kiterror.BadRequest},
		{"another cursor from elsewhere", binding.Window{Last: n(1), Before: &alien}, "", false, false, kiterror.BadRequest},
	}
	for _, tt := range tests {
		from, to, page, err := binding.PageIDs(ids, all, tt.window)
		if kiterror.CodeOf(err) != tt.code {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.code)
			continue
		}
		if err != nil {
			continue
		}
		var got string
		for _, id := range ids[from:to] {
			got += strings.Trim(string(id), `"`)
		}
		if got != tt.want || page.HasMore != tt.more || page.HasPrevious != tt.prev || page.Total != 5 || len(page.Cursors) != len(got) {
			t.Errorf("%s: %s, %+v; want %s, more %v, previous %v", tt.name, got, page, tt.want, tt.more, tt.prev)
		}
	}
}

// TestPageIDsOfRowsThatAreGone: a cursor holds as long as its id stands in the list,
// whether or not its row is there.
func TestPageIDsOfRowsThatAreGone(t *testing.T) {
	ids := []json.RawMessage{[]byte(`1`), []byte(`2`), []byte(`3`), []byte(`4`)}
	_, _, page, _ := binding.PageIDs(ids, []bool{true, true, true, true}, binding.Window{})
	two, one := page.Cursors[1], 1
	there := []bool{true, false, false, true}
	from, to, page, err := binding.PageIDs(ids, there, binding.Window{First: &one, After: &two})
	if err != nil || from != 1 || to != 2 || page.HasMore || !page.HasPrevious || page.Total != 2 || page.Cursors[0] == two {
		t.Errorf("forward: %d to %d of %+v, %v", from, to, page, err)
	}
	from, to, page, err = binding.PageIDs(ids, there, binding.Window{Last: &one, Before: &two})
	if err != nil || from != 0 || to != 1 || !page.HasMore || page.HasPrevious {
		t.Errorf("backward: %d to %d of %+v, %v", from, to, page, err)
	}
}
