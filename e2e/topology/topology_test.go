package topology

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

var (
	calls = flag.Int("calls", 400, "how many calls each topology answers")
	from  = flag.Uint64("from", 1, "the seed of the calls")
)

// refused are the refusals that docs/remotes.md lists: what needs rows of two hosts at once.
var refused = []string{
	"no transaction has rows of two hosts",                // atomic
	"cannot be part of a transaction at the host of",      // atomic
	"and takes no rows of",                                // nested
	"where the access rules of this host for single rows", // many, with rules here
}

func listed(answer string) bool {
	if !strings.Contains(answer, "NOT_IMPLEMENTED") {
		return false
	}
	for _, r := range refused {
		if strings.Contains(answer, r) {
			return true
		}
	}
	return false
}

// TestMovedFronds makes the same calls of a gateway over all four Fronds and of one for each topology. A call that a topology
// refuses by name is not made of the first.
func TestMovedFronds(t *testing.T) {
	for i, p := range places() {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			here, there := newWorld(t, place{}), newWorld(t, p)
			d := dice{rand.New(rand.NewPCG(*from, uint64(i)))}
			made, differ := 0, 0
			statuses := map[string]int{}
			for n := range *calls {
				c := d.call()
				got := there.answer(t, &c)
				if listed(got) {
					continue
				}
				made++
				want := here.answer(t, &c)
				statuses[want[:3]]++
				if got != want {
					differ++
					t.Errorf("call %d: %s\n got %s\nwant %s", n, &c, got, want)
				}
				if differ > 5 {
					t.FailNow()
				}
			}
			for _, e := range entities {
				c := call{user: `{"id": "s", "roles": ["staff"]}`, method: "GET", path: fmt.Sprintf("/api/%s/%s?limit=100", e.frond, e.plural)}
				if got, want := there.answer(t, &c), here.answer(t, &c); got != want {
					t.Errorf("at the end, %s\n got %s\nwant %s", &c, got, want)
				}
			}
			t.Log(made, statuses)
			if made < *calls*3/4 {
				t.Errorf("%d of %d calls were made, the others refused by name", made, *calls)
			}
		})
	}
}
