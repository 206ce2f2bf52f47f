package rows_test

import (
	"strings"
	"testing"

	"github.com/frondhost/frond/facade/rows"
)

func TestRows(t *testing.T) {
	layout := rows.NewLayout([]string{"id", "a\"b", "x"})
	run := rows.New(layout, 0)
	if got := string(run.AppendJSON(nil)); got != "[]" || run.Len() != 0 {
		t.Errorf("empty: %s", got)
	}
	run.BeginRow()
	run.Put(2, []byte(`{"deep":[1,2]}`)) // columns in any order
	run.Put(0, []byte(`1`))
	run.EndRow()
	run.BeginRow()
	run.EndRow()
	run.BeginRow()
	run.End(1, append(run.Begin(1), `"{"`...))
	run.EndRow()
	run.Write(func(dst []byte, column int) []byte { return append(dst, '0'+byte(column)) })
	if got, want := string(run.AppendJSON(nil)), `[{"x":{"deep":[1,2]},"id":1},{},{"a\"b":"{"},{"id":0,"a\"b":1,"x":2}]`; got != want {
		t.Errorf("got %s want %s", got, want)
	}
	if got := string(run.Row(3).Get("x")); got != "2" {
		t.Errorf("x of a row written whole is %s", got)
	}
	if got := string(run.Row(0).Get("x")); got != `{"deep":[1,2]}` {
		t.Errorf("x is %s", got)
	}
	if run.Row(0).Get("a\"b") != nil || run.Row(1).At(0) != nil || run.Row(2).Get("none") != nil {
		t.Error("an absent field has a value")
	}
	if got := string(run.Row(2).JSON()); got != `{"a\"b":"{"}` {
		t.Errorf("row 2 is %s", got)
	}
	var v struct{ ID int }
	if err := run.Row(0).Decode(&v); err != nil || v.ID != 1 {
		t.Errorf("%v %v", v, err)
	}
	if (*rows.Rows)(nil).Len() != 0 || string((*rows.Rows)(nil).AppendJSON(nil)) != "[]" {
		t.Error("nil rows are not empty")
	}
}

func TestReadRows(t *testing.T) {
	layout := rows.NewLayout([]string{"id", "title"})
	for _, c := range []struct{ text, want string }{
		{`[{"title":"a","extra":{"id":9},"id":1}, {"id" : null}]`, `[{"title":"a","id":1},{"id":null}]`},
		{`{"id":1}`, `[{"id":1}]`},
		{`[]`, `[]`},
		{` [ { } ] `, `[{}]`},
		{`[1]`, "no"},
		{`"x"`, "no"},
		{`null`, "no"},
		{``, "no"},
	} {
		got := "no"
		if run, ok := rows.Read(layout, []byte(c.text)); ok {
			got = string(run.AppendJSON(nil))
		}
		if got != c.want {
			t.Errorf("%s: got %s want %s", c.text, got, c.want)
		}
	}
}

// TestRoom: runs begin with the room that earlier runs of their layout took, and for no more rows
// than asked for.
func TestRoom(t *testing.T) {
	layout := rows.NewLayout([]string{"text"})
	long := `"` + strings.Repeat("x", 1000) + `"`
	fill := func(n int) (grown bool) {
		run := rows.New(layout, 100)
		began := run.Size()
		for range n {
			run.BeginRow()
			run.Put(0, []byte(long))
			run.EndRow()
		}
		run.Learn()
		return run.Size() != began
	}
	if !fill(50) || fill(50) || fill(3) {
		t.Error("the first of three runs alone has to grow")
	}
	if one, page := rows.New(layout, 1).Size(), rows.New(layout, 100).Size(); one > 2000 || page > 80_000 {
		t.Errorf("room of %d bytes for a row, %d for a page of fifty", one, page)
	}
	for range 30 {
		fill(1)
	}
	if page := rows.New(layout, 100).Size(); page > 20_000 {
		t.Errorf("room of %d bytes after runs of one row", page)
	}
}
