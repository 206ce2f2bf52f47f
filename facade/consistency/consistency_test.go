package consistency_test

import (
	"context"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade/consistency"
)

func TestRead(t *testing.T) {
	many := make([]string, 17)
	for i := range many {
		many[i] = string(rune('a'+i)) + ".01.x"
	}
	cases := []struct {
		name  string
		lines []string
		text  string // "!": refused
	}{
		{"no header", nil, ""},
		{"an empty one", []string{""}, ""},
		{"one token", []string{"a.01.x"}, "a.01.x"},
		{"two stores", []string{"b.01.x, a.01.y"}, "a.01.y, b.01.x"},
		{"two lines", []string{"b.01.x", "a.01.y"}, "a.01.y, b.01.x"},
		{"the newest of a store", []string{"a.02.x,a.01.y", "a.03.z"}, "a.03.z"},
		{"an empty part between commas", []string{"a.01.x,,"}, "a.01.x"},
		{"no seal", []string{"a.01"}, "!"},
		{"an empty store", []string{".01.x"}, "!"},
		{"an empty position", []string{"a..x"}, "!"},
		{"other characters", []string{"a.01.x\"y"}, "!"},
		{"four parts", []string{"a.01.x.y"}, "!"},
		{"too long", []string{"a.01." + strings.Repeat("x", 128)}, "!"},
		{"too many", []string{strings.Join(many, ",")}, "!"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r, err := consistency.Read(c.lines)
			got := r.Text()
			if err != nil {
				got = "!"
			}
			if got != c.text {
				t.Errorf("%q, want %q", got, c.text)
			}
			if r.Answer() != "" {
				t.Errorf("a request that wrote nothing is answered with %q", r.Answer())
			}
		})
	}
}

// A caller that keeps nothing but the last answer loses no token.
func TestAnswer(t *testing.T) {
	r, err := consistency.Read([]string{"a.05.x, b.07.y"})
	if err != nil {
		t.Fatal(err)
	}
	r.Wrote("a.09.z")
	r.Wrote("a.04.late")
	r.Wrote("no token")
	r.Learned([]string{"c.01.w, b.02.old"})
	if got, want := r.Answer(), "a.09.z, b.07.y, c.01.w"; got != want {
		t.Errorf("the answer has %q, want %q", got, want)
	}
	if got := r.Of("a"); got != "a.09.z" {
		t.Errorf("a read of a heeds %q", got)
	}
	if got := r.Of("d"); got != "" {
		t.Errorf("a read of d heeds %q", got)
	}
}

func TestRecordOfContext(t *testing.T) {
	if r := consistency.From(context.Background()); r != nil || r.Of("a") != "" || r.Text() != "" || r.Answer() != "" {
		t.Error("a context without a record has one")
	}
	var none *consistency.Record
	none.Wrote("a.01.x")
	r := &consistency.Record{}
	ctx := consistency.With(context.Background(), r)
	if consistency.From(ctx) != r || consistency.Copies(ctx) != r {
		t.Error("the record of a context is lost")
	}
	if ctx = consistency.Latest(ctx); consistency.From(ctx) != r || consistency.Copies(ctx) != nil {
		t.Error("a command reads copies")
	}
	if ctx := context.Background(); consistency.Latest(ctx) != ctx {
		t.Error("without a record there is no other context")
	}
}
