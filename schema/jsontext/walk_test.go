package jsontext_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/schema/jsontext"
)

func TestWalk(t *testing.T) {
	for _, c := range []struct {
		text string
		end  int
		want []string
	}{
		{`{}, `, 2, nil},
		{`{"a":1,"b":{"c":"}"}} ,`, 21, []string{`"a"`, `1`, `"b"`, `{"c":"}"}`}},
		{"{ \"\\u0061\\/\" :\n[ 1 ] , \"\" :null }", 33, []string{`"a/"`, `[ 1 ]`, `""`, `null`}},
		{`[1]`, 0, nil},
		{``, 0, nil},
	} {
		var got []string
		end := jsontext.Walk([]byte(c.text), 0, func(name []byte, at int) int {
			end := jsontext.Skip([]byte(c.text), at)
			got = append(got, string(name), c.text[at:end])
			return end
		})
		if diff := cmp.Diff(c.want, got); diff != "" || end != c.end {
			t.Errorf("%s: ends at %d, want %d\n%s", c.text, end, c.end, diff)
		}
	}
}
