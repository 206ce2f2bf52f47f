package store

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/frondhost/frond/facade"
)

// TestSameFields groups the rows of one write by the fields that they set: each group is one statement.
func TestSameFields(t *testing.T) {
	set := func(names ...string) (r facade.Record) {
		for _, n := range names {
			r = append(r, facade.Record{{Name: n, Value: json.RawMessage("1")}}...)
		}
		return r
	}
	for _, c := range []struct {
		sets []facade.Record
		want string
	}{
		{nil, "[]"},
		{[]facade.Record{set("a"), set("a")}, "[[0 1]]"},
		{[]facade.Record{set("a"), set("a", "b"), set("a"), set("b", "a")}, "[[0 2] [1] [3]]"},
	} {
		if got := fmt.Sprint(sameFields(c.sets)); got != c.want {
			t.Errorf("%v: %s, want %s", c.sets, got, c.want)
		}
	}
}
