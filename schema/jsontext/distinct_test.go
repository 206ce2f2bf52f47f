package jsontext_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/frondhost/frond/schema/jsontext"
)

// TestDistinct numbers texts as a map does, empty and full, again and again.
func TestDistinct(t *testing.T) {
	var d jsontext.Distinct
	for round := range 20 {
		if round > 0 {
			d.Reset(rand.IntN(100))
		}
		if n := len(d.Texts()); n > 0 {
			t.Fatalf("%d texts are there before one was added", n)
		}
		want := map[string]int{}
		for range rand.IntN(2000) {
			text := fmt.Appendf(nil, "%q", fmt.Sprint(rand.IntN(500)))
			n, known := want[string(text)]
			if !known {
				n = len(want)
				want[string(text)] = n
			}
			if got := d.Add(text); got != n {
				t.Fatalf("%s is %d, want %d", text, got, n)
			}
		}
		for i, text := range d.Texts() {
			if want[string(text)] != i {
				t.Errorf("text %d is %s", i, text)
			}
		}
		if len(d.Texts()) != len(want) {
			t.Errorf("%d texts, want %d", len(d.Texts()), len(want))
		}
	}
}
