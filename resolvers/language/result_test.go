package language_test

import (
	"testing"

	"github.com/frondhost/frond/resolvers/language"
)

// TestResultsOfColumns coerces the JSON of a column to a leaf; "" is refused.
func TestResultsOfColumns(t *testing.T) {
	colours := language.Values{`"RED"`: {}}
	for _, c := range []struct {
		kind language.Kind
		v    string
		want string
	}{
		{language.Int, `3`, `3`},
		{language.Int, `3.0`, `3`},
		{language.Int, `1.5`, ``},
		{language.Int, `2147483648`, ``},
		{language.Int, `"3"`, ``},
		{language.Float, `1.5`, `1.5`},
		{language.Float, `"x"`, ``},
		{language.String, `"a"`, `"a"`},
		{language.String, `7`, ``},
		{language.Boolean, `true`, `true`},
		{language.Boolean, `1`, ``},
		{language.ID, `7`, `"7"`},
		{language.ID, `"7"`, `"7"`},
		{language.ID, `1.5`, ``},
		{language.Enum, `"RED"`, `"RED"`},
		{language.Enum, `"BLUE"`, ``},
		{language.Custom, `{"a":1}`, `{"a":1}`},
	} {
		if got, ok := language.AppendResult(nil, c.kind, colours, []byte(c.v)); ok != (c.want != "") || ok && string(got) != c.want {
			t.Errorf("kind %d of %s: %s %t, want %s", c.kind, c.v, got, ok, c.want)
		}
	}
}

// TestResultsOfGoValues coerces the values of Go functions; "" is refused.
func TestResultsOfGoValues(t *testing.T) {
	seven := 7
	for _, c := range []struct {
		kind  language.Kind
		value any
		want  string
	}{
		{language.Int, 1.0, `1`},
		{language.String, 1.0, `"1"`},
		{language.Int, "7", `7`},
		{language.ID, "7", `"7"`},
		{language.Int, true, `1`},
		{language.String, true, `"true"`},
		{language.ID, true, ``},
		{language.Int, 1.5, ``},
		{language.Int, &seven, `7`},
	} {
		if got, ok := language.FromGo(c.kind, c.value); ok != (c.want != "") || ok && string(got) != c.want {
			t.Errorf("kind %d of %v: %s %t, want %s", c.kind, c.value, got, ok, c.want)
		}
	}
}
