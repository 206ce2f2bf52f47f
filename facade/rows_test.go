package facade_test

import (
	"testing"

	"github.com/frondhost/frond/facade"
)

func TestRows(t *testing.T) {
	layout := facade.NewLayout([]string{"id", "a\"b", "x"})
	rows := facade.NewRows(layout, 0)
	if got := string(rows.AppendJSON(nil)); got != "[]" || rows.Len() != 0 {
		t.Errorf("empty: %s", got)
	}
	rows.BeginRow()
	rows.Put(2, []byte(`{"deep":[1,2]}`)) // columns in any order
	rows.Put(0, []byte(`1`))
	rows.EndRow()
	rows.BeginRow()
	rows.EndRow()
	rows.BeginRow()
	rows.End(1, append(rows.Begin(1), `"{"`...))
	rows.EndRow()
	if got, want := string(rows.AppendJSON(nil)), `[{"x":{"deep":[1,2]},"id":1},{},{"a\"b":"{"}]`; got != want {
		t.Errorf("got %s want %s", got, want)
	}
	if got := string(rows.Row(0).Get("x")); got != `{"deep":[1,2]}` {
		t.Errorf("x is %s", got)
	}
	if rows.Row(0).Get("a\"b") != nil || rows.Row(1).At(0) != nil || rows.Row(2).Get("none") != nil {
		t.Error("an absent field has a value")
	}
	if got := string(rows.Row(2).JSON()); got != `{"a\"b":"{"}` {
		t.Errorf("row 2 is %s", got)
	}
	var v struct{ ID int }
	if err := rows.Row(0).Decode(&v); err != nil || v.ID != 1 {
		t.Errorf("%v %v", v, err)
	}
	if (*facade.Rows)(nil).Len() != 0 || string((*facade.Rows)(nil).AppendJSON(nil)) != "[]" {
		t.Error("nil rows are not empty")
	}
}

func TestReadRows(t *testing.T) {
	layout := facade.NewLayout([]string{"id", "title"})
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
		if rows, ok := facade.ReadRows(layout, raw(c.text)); ok {
			got = string(rows.AppendJSON(nil))
		}
		if got != c.want {
			t.Errorf("%s: got %s want %s", c.text, got, c.want)
		}
	}
}
