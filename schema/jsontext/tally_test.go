package jsontext_test

import (
	"strings"
	"testing"

	"github.com/frondhost/frond/schema/jsontext"
)

// TestTally counts texts, whole and byte by byte.
func TestTally(t *testing.T) {
	for _, c := range []struct {
		text          string
		values, depth int
	}{
		{"", 0, 0},
		{"1", 0, 0},
		{"[1,2,3]", 3, 1},
		{`{"a":{"b":[]},"c":"[{,\\\"}]"}`, 4, 3},
		{`["\\",{},"\\\\"]`, 4, 2},
		{strings.Repeat("[", 100), 100, 100},
	} {
		var whole, parts jsontext.Tally
		whole.Add([]byte(c.text))
		for i := range len(c.text) {
			parts.Add([]byte(c.text[i : i+1]))
		}
		if whole.Values != c.values || whole.Deepest != c.depth {
			t.Errorf("%s: %d values, %d deep; want %d, %d", c.text, whole.Values, whole.Deepest, c.values, c.depth)
		}
		if whole != parts {
			t.Errorf("%s: byte by byte %+v, whole %+v", c.text, parts, whole)
		}
	}
}
