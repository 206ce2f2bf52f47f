package schema_test

import (
	"strings"
	"testing"

	"github.com/frondhost/frond/schema"
)

// TestOperatorsMeant: a name of another system leads to the operators that do the same on a field that takes them.
func TestOperatorsMeant(t *testing.T) {
	text := strings.Fields("eq ne in notIn lt lte gt gte contains startsWith endsWith icontains isNull")
	yes := strings.Fields("eq ne in notIn isNull")
	for _, c := range []struct {
		name  string
		known []string
		want  string
	}{
		{"like", text, "contains startsWith endsWith icontains"},
		{"$iLike", text, "icontains"},
		{"not", text, "ne notIn"},
		{"starts_with", text, "startsWith"},
		{"contain", text, "contains"},
		{"startWith", text, "startsWith"},
		{"like", yes, ""},
		{"equals", yes, "eq"},
		{"", text, ""},
		{"colour", text, ""},
	} {
		if got := strings.Join(schema.OperatorsMeant(c.name, c.known), " "); got != c.want {
			t.Errorf("%s of %v: %q, want %q", c.name, c.known, got, c.want)
		}
	}
}
