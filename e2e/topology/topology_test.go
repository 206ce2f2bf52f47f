package topology

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/e2e/places"
)

const staff = `{"id": "s", "roles": ["staff"]}`

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

// late reports whether two refusals are of one call with two faults: a host judges the files of its rows after keys and rows are looked for.
func late(got, want string) bool {
	return strings.Contains(want, "is not the id of a file that you have sent") && (strings.HasPrefix(got, "409 ") || strings.HasPrefix(got, "404 "))
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
// refuses by name is not made of the first. A short run has two topologies: people and desk on hosts of their own, shop and desk
// behind a gateway.
func TestMovedFronds(t *testing.T) {
	signing := places.Keys(t)
	for i, p := range places.All(fronds, signing) {
		if testing.Short() && i != 4 && i != 5 {
			continue
		}
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			here, there := newWorld(t, &places.Place{Fronds: fronds, Signing: signing}), newWorld(t, &p)
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
				if got != want && !late(got, want) {
					differ++
					t.Errorf("call %d: %s\n got %s\nwant %s", n, &c, got, want)
				}
				if differ > 5 {
					t.FailNow()
				}
			}
			for _, e := range entities {
				c := call{user: staff, method: "GET", path: fmt.Sprintf("/api/%s/%s?limit=100", e.frond, e.plural)}
				if got, want := there.answer(t, &c), here.answer(t, &c); got != want {
					t.Errorf("at the end, %s\n got %s\nwant %s", &c, got, want)
				}
			}
			compareEvents(t, here, there, &p)
			t.Log(made, statuses)
			if made < *calls*3/4 {
				t.Errorf("%d of %d calls were made, the others refused by name", made, *calls)
			}
		})
	}
}

// The last rows that are created, and who receives events of them.
var (
	ends = []call{
		{path: "/api/people/orgs", body: `{"id": "end", "name": "End", "level": 0}`},
		{path: "/api/people/persons", body: `{"id": "end", "name": "End", "orgId": "end"}`},
		{path: "/api/shop/products", body: `{"id": "end", "name": "End", "price": "1", "state": "active"}`},
		{path: "/api/desk/orders", body: `{"id": "end", "title": "End", "buyerId": "end"}`},
		{path: "/api/notes/notes", body: `{"id": "end", "text": "End", "personId": "end"}`},
	}
	receivers = []struct{ user, fact string }{
		{staff, "/api/people/facts/personChanged"},
		{``, "/api/people/facts/personChanged"},
		{staff, "/api/shop/facts/productChanged"},
		{``, "/api/shop/facts/productChanged"},
		{staff, "/api/desk/facts/orderChanged"},
		{`{"id": "end"}`, "/api/desk/facts/orderChanged"},
		{staff, "/api/notes/facts/noteChanged"},
		{`{"id": "end"}`, "/api/notes/facts/noteChanged"},
	}
)

// compareEvents compares what callers receive of all that was written.
func compareEvents(t *testing.T, here, there *world, p *places.Place) {
	t.Helper()
	for _, c := range ends {
		c.user, c.method, c.writes = staff, "POST", true
		if got, want := there.answer(t, &c), here.answer(t, &c); got != want || got[:3] != "201" {
			t.Fatalf("%s\n got %s\nwant %s", &c, got, want)
		}
	}
	for _, r := range receivers {
		got, want := there.events(t, r.user, r.fact), here.events(t, r.user, r.fact)
		if slices.Contains(p.Moved, strings.Split(r.fact, "/")[2]) {
			got, want = current(got, want, r.user == staff)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s as %s, - here, + there:\n%s", r.fact, r.user, diff)
		}
	}
}

// current leaves the events of moved rows that have to be equal (docs/facts.md, Facts of a remote Frond). Each has the row as it is now. So of
// a row that exists the last event is equal, and for a caller who sees every row the changes before in their order; of one that was
// deleted, for such a caller, the last event without computed fields. Of a row that left, and of one that is visible at its host now, there is no promise.
func current(there, here map[string][]event, all bool) (got, want map[string][]event) {
	got, want = map[string][]event{}, map[string][]event{}
	for key, events := range here {
		last := events[len(events)-1]
		switch last.Change {
		case "left":
		case "deleted":
			if !all {
				continue // a rule through a relation hides it, as the rows behind are not asked for
			}
			want[key] = []event{{last.Change, withoutComputed(last.Data)}}
			if n := len(there[key]); n > 0 {
				got[key] = []event{{there[key][n-1].Change, withoutComputed(there[key][n-1].Data)}}
			}
		default:
			want[key], got[key] = changes(events, all), changes(there[key], all)
		}
	}
	return got, want
}

// changes are events of which the last one alone has a row, or the last one.
func changes(events []event, all bool) (out []event) {
	for i, e := range events {
		if i == len(events)-1 {
			out = append(out, e)
		} else if all {
			out = append(out, event{Change: e.Change})
		}
	}
	return out
}

func withoutComputed(row string) string {
	var members map[string]any
	_ = json.Unmarshal([]byte(row), &members)
	delete(members, "title")
	return text(members)
}
