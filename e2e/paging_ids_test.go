package e2e_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
)

// TestPagingOverIDs is the walk through a connection over ids that stand in a row:
// the ids have the order, some stand twice, some have no row any more. The list
// changes around the cursor; an id that is not in it any more is no cursor.
func TestPagingOverIDs(t *testing.T) {
	t.Parallel()
	for seed := range *walks {
		w := newWarehouse(t, uint64(seed))
		for range 12 {
			w.insert()
		}
		var picks []string
		add := func() {
			id := w.items[w.IntN(len(w.items))].id
			picks = slices.Insert(picks, w.IntN(len(picks)+1), id)
		}
		for range 12 {
			add()
		}
		save := func(op, id string) {
			text, err := json.Marshal(picks)
			if err != nil {
				t.Fatal(err)
			}
			w.call("box."+op, id, map[string]string{"create": `{"id":"x","pickIds":` + string(text) + `}`, "update": `{"pickIds":` + string(text) + `}`}[op])
		}
		save("create", "")
		backward, at := w.IntN(2) == 0, ""
		var cursor *string
		throughout, seen, removed := distinct(picks), map[string]int{}, map[string]bool{}
		for step := 0; ; step++ {
			n := w.IntN(4)
			args, vars := "first: $n, after: $c", map[string]any{"n": n, "c": cursor}
			if backward {
				args = "last: $n, before: $c"
			}
			var data struct{ Box struct{ Picks *page } }
			w.ask("query ($n: Int, $c: String) { box(id: \"x\") { picks("+args+") "+pageFields+" } }", vars, &data)
			p := data.Box.Picks
			w.holdPicks(p, distinct(picks), at, n, backward)
			ids := p.ids()
			for _, id := range ids {
				seen[id]++
			}
			if len(ids) > 0 {
				at, cursor = ids[len(ids)-1], p.PageInfo.EndCursor
				if backward {
					at, cursor = ids[0], p.PageInfo.StartCursor
				}
			}
			if more := p.PageInfo.HasNextPage && !backward || p.PageInfo.HasPreviousPage && backward; !more {
				break
			}
			if step > 20 {
				continue
			}
			switch i := w.IntN(len(picks) + 1); {
			case i == len(picks) || w.IntN(3) == 0:
				if id := w.items[w.IntN(len(w.items))].id; !slices.Contains(picks, id) { // else it would move
					picks = slices.Insert(picks, i, id)
				}
			case w.IntN(2) == 0 && picks[i] != at && len(picks) > 1:
				gone := picks[i]
				removed[gone] = true // it may come back elsewhere
				picks = slices.DeleteFunc(picks, func(id string) bool { return id == gone })
			default: // the row goes, its id stays
				if j := slices.IndexFunc(w.items, func(it *item) bool { return it.id == picks[i] }); j >= 0 && len(w.items) > 4 {
					w.remove(w.items[j])
				}
			}
			save("update", "x")
		}
		for id, n := range seen {
			if n > 1 && !removed[id] {
				t.Fatalf("seed %d: %s came %d times", seed, id, n)
			}
		}
		for _, id := range throughout {
			if slices.Contains(picks, id) && w.there(id) && !removed[id] && seen[id] != 1 {
				t.Fatalf("seed %d: %s was there throughout and was seen %d times", seed, id, seen[id])
			}
		}
	}
}

func (w *warehouse) there(id string) bool {
	return slices.ContainsFunc(w.items, func(it *item) bool { return it.id == id })
}

// distinct is a list with each id where it stands first.
func distinct(ids []string) []string {
	var out []string
	for _, id := range ids {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// holdPicks holds a page over ids to the list: the n whose rows are there behind at,
// or before it.
func (w *warehouse) holdPicks(p *page, list []string, at string, n int, backward bool) {
	w.Helper()
	var visible []string
	from, to := 0, -1
	for _, id := range list {
		if id == at && backward {
			to = len(visible)
		}
		if w.there(id) {
			visible = append(visible, id)
		}
		if id == at && !backward {
			from = len(visible)
		}
	}
	if to < 0 {
		to = len(visible)
	}
	if backward {
		from = max(from, to-n)
	} else {
		to = min(to, from+n)
	}
	got := fmt.Sprint(p.ids(), p.Total, p.PageInfo.HasNextPage, p.PageInfo.HasPreviousPage, p.HasMore)
	want := fmt.Sprint(visible[from:to], len(visible), to < len(visible), from > 0, to < len(visible))
	if got != want {
		w.Fatalf("a page of %d from %q, backward %v, of %v: %s, want %s", n, at, backward, list, got, want)
	}
}
