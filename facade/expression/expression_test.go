package expression_test

import (
	"encoding/json"
	"testing"

	"github.com/frondhost/frond/facade/expression"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// TestFormula: a value is of the declared type, whole numbers are written as such, and a row that
// lacks an input gives null in place of a failure.
func TestFormula(t *testing.T) {
	for _, c := range []struct{ text, kind, row, want string }{
		{"price * 100", "integer", `{"price":1.5}`, "150"},
		{"price * 100", "number", `{"price":1.5}`, "150"},
		{"price * 100", "string", `{"price":1.5}`, "fails"},
		{"price * 100", "integer", `{"price":null}`, "null"},
		{"price * 100", "integer", `{}`, "null"},
		{"name[0:2]", "string", `{"name":"Ada Lovelace"}`, `"Ad"`},
		{"size.depth", "integer", `{"size":{"depth":3}}`, "3"},
		{"size.depth", "integer", `{"size":null}`, "null"},
	} {
		x, err := expression.CompileFree(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		f := expression.Formula{Expr: x, Shape: schema.Shape{Type: c.kind, Nullable: true}}
		got, err := f.Of(map[string]any{}, func(name string) json.RawMessage { return jsontext.Get(json.RawMessage(c.row), name) })
		if err != nil {
			got = json.RawMessage("fails")
		}
		if string(got) != c.want {
			t.Errorf("%s as %s of %s: %s (%v), want %s", c.text, c.kind, c.row, got, err, c.want)
		}
	}
}

// TestFreeNames: an expression over names that are not known has those that it reads, without those
// that it declares, and the same value at any time.
func TestFreeNames(t *testing.T) {
	x, err := expression.CompileFree("let whole = price * amount; whole + price")
	if err != nil {
		t.Fatal(err)
	}
	if len(x.Names) != 2 || x.Names[0] != "price" || x.Names[1] != "amount" {
		t.Errorf("it reads %v", x.Names)
	}
	for text, want := range map[string]string{
		"":            "the expression is empty",
		"now()":       "there is no function now",
		"$env[\"a\"]": "$env is not available; use a field name",
		"a +":         "unexpected token EOF, at column 3 of the expression",
	} {
		if _, err := expression.CompileFree(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestQuick: an answer without the machine equals the machine's.
func TestQuick(t *testing.T) {
	type role string
	users := []map[string]any{nil, {}, {"role": nil}, {"role": "staff"}, {"role": "guest"}, {"role": ""}, {"role": 3}, {"role": role("staff")}, {"role": []any{"staff"}}}
	for text, quick := range map[string]bool{
		`user == nil`: true, `user != nil`: true, `user.role == "staff"`: true, `user["role"] != "staff"`: true, `user.role == ""`: true,
		`user.role == nil`: false, `state.user.role == "staff"`: false, `user.role.name == "staff"`: false, `user == "staff"`: false, `user.role in ["staff"]`: false, `true`: false,
	} {
		x, err := expression.Compile(text, expression.NamesOfState)
		if err != nil {
			t.Fatal(err)
		}
		if (x.Quick != nil) != quick {
			t.Errorf("%s is quick: %t", text, !quick)
		}
		for _, user := range users {
			given := map[string]any{"user": nil, "state": map[string]any{}}
			if user != nil {
				given["user"] = user
			}
			want, err := x.Run(given)
			if x.Quick == nil {
				continue
			}
			switch holds, known := x.Quick(user); {
			case known && (err != nil || holds != want):
				t.Errorf("%s of %v: %t, want %v (%v)", text, user, holds, want, err)
			case !known && (user["role"] == nil || user["role"] == "staff"):
				t.Errorf("%s of %v is not known", text, user)
			}
		}
	}
}
