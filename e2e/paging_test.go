package e2e_test

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers"
)

var walks = flag.Int("walks", 30, "how many walks the tests of paging take")

// page is a connection as a client reads it.
type page struct {
	Total     int
	HasMore   bool
	EndCursor *string
	Items     []struct{ ID string }
	Edges     []struct {
		Cursor string
		Node   struct{ ID string }
	}
	PageInfo struct {
		HasNextPage, HasPreviousPage bool
		StartCursor, EndCursor       *string
	}
}

func (p *page) ids() []string {
	ids := make([]string, len(p.Edges))
	for i, e := range p.Edges {
		ids[i] = e.Node.ID
	}
	return ids
}

const pageFields = `{ total hasMore endCursor items { id } edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`

// ask runs a query and reads its data.
func (w *warehouse) ask(query string, variables map[string]any, into any) {
	w.Helper()
	text, err := json.Marshal(variables)
	if err != nil {
		w.Fatal(err)
	}
	r := w.engine.Execute(context.Background(), &resolvers.Request{Query: query, Variables: text})
	answer := struct {
		Data   any
		Errors []any
	}{Data: into}
	if err := json.Unmarshal(r.Body, &answer); err != nil || len(answer.Errors) > 0 {
		w.Fatalf("%v %s\n%s\n%s", err, r.Body, query, text)
	}
}

// walk is a walk through a list, page by page, in one direction.
type walk struct {
	*warehouse
	order    []sortKey
	rack     string // whose items; "": of all racks
	all      bool   // the rack is read together with the others
	atLeast  string // of the filter rank >= …; "": none
	backward bool

	at      *item // the last row read, as it was then
	cursor  string
	end     *item // the row that a range ends at, as it was then
	until   string
	orderBy []json.RawMessage
}

// newWalk returns a walk in any order. beside says that there are other writers: their
// items change no value that it sorts by.
func newWalk(w *warehouse, beside bool) *walk {
	names := slices.Concat(columnNames, slices.Sorted(maps.Keys(behind)))
	if beside {
		names = slices.DeleteFunc(names, func(name string) bool { return name == "rack.items" })
	}
	k := &walk{warehouse: w, order: w.anyOrder(names), backward: w.IntN(2) == 0}
	if w.IntN(2) == 0 {
		k.rack, k.all = racks[w.IntN(len(racks))], w.IntN(2) == 0
	}
	if w.IntN(4) == 0 {
		k.atLeast = "0"
	}
	k.orderBy = []json.RawMessage{}
	for i, o := range k.order {
		if o.name != "id" || o.desc != (i > 0 && k.order[i-1].desc) { // else it is the one that every order ends with
			form := cmp.Or(behind[o.name].orderBy, `{"`+o.name+`":%q}`)
			k.orderBy = append(k.orderBy, json.RawMessage(fmt.Sprintf(form, map[bool]string{true: "DESC", false: "ASC"}[o.desc])))
		}
	}
	return k
}

// by are the fields whose change moves an item on the walk.
func (k *walk) by() []string {
	names := []string{}
	for _, o := range k.order {
		names = append(names, o.name)
	}
	if k.rack != "" {
		names = append(names, "rackId")
	}
	if k.atLeast != "" {
		names = append(names, "rank")
	}
	return names
}

// list is what the walk leads through as it stands now, in its order.
func (k *walk) list(rack string) []*item {
	k.look()
	var list []*item
	for _, it := range k.items {
		if rack != "" && it.of["rackId"] != `"`+rack+`"` {
			continue
		}
		if k.atLeast != "" && (it.of["rank"] == "null" || compareTexts("rank", it.of["rank"], k.atLeast) < 0) {
			continue
		}
		list = append(list, it)
	}
	slices.SortFunc(list, func(a, b *item) int { return compareItems(k.order, a, b) })
	return list
}

// next reads the next page of n rows and holds it to the slice.
func (k *walk) next(n int) *page {
	vars := map[string]any{"o": k.orderBy}
	args := "orderBy: $o, first: $n, after: $c, before: $d"
	if k.backward {
		args = "orderBy: $o, last: $n, before: $c, after: $d"
	}
	vars["n"] = n
	if k.at != nil {
		vars["c"] = k.cursor
	}
	if k.end != nil {
		vars["d"] = k.until
	}
	if k.atLeast != "" {
		vars["f"] = map[string]any{"rank": map[string]any{"gte": json.RawMessage(k.atLeast)}}
		args += ", filter: $f"
	}
	head := "query ($n: Int, $c: String, $d: String, $o: [ItemOrderBy!], $f: ItemFilter) "
	if k.atLeast == "" {
		head = "query ($n: Int, $c: String, $d: String, $o: [ItemOrderBy!]) "
	}
	var p *page
	switch {
	case k.rack == "":
		var data struct{ Items *page }
		k.ask(head+"{ items("+args+") "+pageFields+" }", vars, &data)
		p = data.Items
		k.hold("", p, n)
	case k.all:
		var data struct {
			Racks struct {
				Items []struct {
					ID    string
					Items *page
				}
			}
		}
		k.ask(head+"{ racks { items { id items("+args+") "+pageFields+" } } }", vars, &data)
		for _, s := range data.Racks.Items {
			k.hold(s.ID, s.Items, n)
			if s.ID == k.rack {
				p = s.Items
			}
		}
	default:
		var data struct{ Rack struct{ Items *page } }
		k.ask(head+fmt.Sprintf("{ rack(id: %q) { items(", k.rack)+args+") "+pageFields+" } }", vars, &data)
		p = data.Rack.Items
		k.hold(k.rack, p, n)
	}
	if ids := p.ids(); len(ids) > 0 {
		last, cursor := ids[len(ids)-1], p.PageInfo.EndCursor
		if k.backward {
			last, cursor = ids[0], p.PageInfo.StartCursor
		}
		k.cursor = *cursor
		k.at = k.snapshot(last)
	}
	return p
}

// ranges reads what lies between two rows of the list in either direction, also when
// they are turned round, or gone by then, and before or behind one of them alone.
func (k *walk) ranges() {
	whole := *k
	whole.at, whole.end = nil, nil
	p := whole.next(100)
	if len(p.Edges) == 0 {
		return
	}
	mark := func() (*item, string) {
		e := p.Edges[k.IntN(len(p.Edges))]
		return k.snapshot(e.Node.ID), e.Cursor
	}
	r := *k
	r.at, r.cursor = mark()
	r.end, r.until = mark()
	if k.IntN(4) == 0 {
		r.at = nil
	}
	k.stir(k.by())
	for _, r.backward = range []bool{false, true} {
		read := r // next goes on from what it has read
		read.next(k.IntN(6))
		read.next(1 + k.IntN(6))
	}
}

// snapshot is an item as it is now.
func (w *warehouse) snapshot(id string) *item {
	for _, it := range w.items {
		if it.id == id {
			return &item{id: id, of: maps.Clone(it.of)}
		}
	}
	w.Fatalf("the page has %s, which is not there", id)
	return nil
}

// hold holds a page to what the slice says: which rows, how many in all, whether
// there are others on either side, and where its cursors stand.
func (k *walk) hold(rack string, p *page, n int) {
	k.Helper()
	if wrong := k.wrong(rack, p, n); wrong != "" {
		k.Fatalf("%s\n%s", wrong, k)
	}
}

// wrong says in which way a page is not the slice's, or "".
func (k *walk) wrong(rack string, p *page, n int) string {
	list := k.list(rack)
	after, before := k.at, k.end
	if k.backward {
		after, before = before, after
	}
	from, to := 0, len(list)
	for i, it := range list {
		if after != nil && compareItems(k.order, it, after) <= 0 {
			from = i + 1
		}
		if before != nil && compareItems(k.order, it, before) >= 0 {
			to = min(to, i)
		}
	}
	// In the direction of reading the range ends, against it the list.
	next, previous := to < len(list), from > 0
	if k.backward {
		previous = to-n > from
		from = max(min(from, to), to-n)
	} else {
		next = from+n < to
		to = min(max(from, to), from+n)
	}
	want := []string{}
	for _, it := range list[from:to] {
		want = append(want, it.id)
	}
	got, items := p.ids(), []string{}
	for _, it := range p.Items {
		items = append(items, it.ID)
	}
	switch {
	case !slices.Equal(want, got) || !slices.Equal(want, items):
		return fmt.Sprintf("a page of %d is %v, items %v; want %v", n, got, items, want)
	case p.Total != len(list):
		return fmt.Sprintf("total is %d, want %d", p.Total, len(list))
	case p.PageInfo.HasNextPage != next || p.HasMore != p.PageInfo.HasNextPage:
		return fmt.Sprintf("hasNextPage is %v, hasMore %v, %d to %d of %d", p.PageInfo.HasNextPage, p.HasMore, from, to, len(list))
	case p.PageInfo.HasPreviousPage != previous:
		return fmt.Sprintf("hasPreviousPage is %v, %d to %d of %d", p.PageInfo.HasPreviousPage, from, to, len(list))
	case len(want) == 0 && (p.PageInfo.StartCursor != nil || p.PageInfo.EndCursor != nil || p.EndCursor != nil):
		return "an empty page has cursors"
	case len(want) > 0 && (*p.PageInfo.StartCursor != p.Edges[0].Cursor || *p.PageInfo.EndCursor != p.Edges[len(want)-1].Cursor || *p.EndCursor != *p.PageInfo.EndCursor):
		return "the page's cursors are not those of its ends"
	}
	return ""
}

func (k *walk) String() string {
	s := fmt.Sprintf("backward %v, order %v, rack %q (with the others: %v), rank >= %q", k.backward, k.order, k.rack, k.all, k.atLeast)
	if k.at != nil {
		s += fmt.Sprintf(", from %v", k.at.of)
	}
	if k.end != nil {
		s += fmt.Sprintf(", until %v", k.end.of)
	}
	for _, it := range k.list("") {
		s += fmt.Sprintf("\n%v", it.of)
	}
	return s
}

// TestPagingOverAChangingTable walks from one end of a list to the other while rows
// come, go and change between the pages. Every page is what the slice says; and of
// the rows that were there throughout, where they stood, none is skipped, and none at all
// comes twice.
func TestPagingOverAChangingTable(t *testing.T) {
	t.Parallel()
	for seed := range *walks {
		w := newWarehouse(t, uint64(seed))
		for range 10 + w.IntN(25) {
			w.insert()
		}
		k := newWalk(w, false)
		clear(w.moved)
		throughout := map[string]bool{}
		for _, it := range k.list(k.rack) {
			throughout[it.id] = true
		}
		seen := map[string]int{}
		for step := 0; ; step++ {
			if w.IntN(8) == 0 {
				k.next(0)
			}
			p := k.next(1 + w.IntN(5))
			for _, id := range p.ids() {
				seen[id]++
			}
			if more := p.PageInfo.HasNextPage && !k.backward || p.PageInfo.HasPreviousPage && k.backward; !more {
				break
			}
			if step < 30 {
				w.stir(k.by())
			}
			if w.IntN(3) == 0 {
				k.ranges()
			}
			if w.IntN(6) == 0 { // look back, and go on
				back := *k
				back.backward = !k.backward
				back.next(1 + w.IntN(3))
			}
		}
		here := map[string]bool{}
		for _, it := range k.list(k.rack) {
			here[it.id] = true
		}
		for id := range throughout {
			if here[id] && !w.moved[id] && seen[id] != 1 {
				t.Errorf("seed %d: %s was there throughout and was seen %d times", seed, id, seen[id])
			}
		}
		for id, n := range seen {
			if n > 1 && !w.moved[id] {
				t.Errorf("seed %d: %s came %d times", seed, id, n)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, k)
		}
	}
}

// TestPagingHoles: a model that has null behind a relation on the other side, or counts in
// the other direction, is found out.
func TestPagingHoles(t *testing.T) {
	t.Parallel()
	for name, b := range behind {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(10) {
				w := newWarehouse(t, seed)
				for range 20 {
					w.insert()
				}
				k := &walk{warehouse: w, order: []sortKey{{name, false}, {"id", false}}}
				k.orderBy = []json.RawMessage{json.RawMessage(fmt.Sprintf(b.orderBy, "ASC"))}
				p := k.next(100)
				k.at = nil
				w.hole = func(text string) string {
					switch {
					case name == "notes": // a count is never null
						return "-" + text
					case text == "null":
						return map[bool]string{true: `"~"`, false: "99"}[name == "rack.zone"]
					}
					return text
				}
				if k.wrong("", p, 100) != "" {
					return
				}
			}
			t.Error("the model does not find it")
		})
	}
}

// TestPagingBesideWriters is the same with the writers at work meanwhile: the rows
// they leave alone are seen once each, in their order.
func TestPagingBesideWriters(t *testing.T) {
	t.Parallel()
	for seed := range max(1, *walks/30) {
		w := newWarehouse(t, uint64(seed))
		for range 60 {
			w.insert()
		}
		k := newWalk(w, true)
		var steady []string
		for _, it := range k.list(k.rack) {
			steady = append(steady, it.id)
		}
		if k.backward {
			slices.Reverse(steady)
		}
		stop := make(chan struct{})
		var wait sync.WaitGroup
		for writer := range 2 {
			wait.Add(1)
			go func() {
				defer wait.Done()
				w.write(seed, writer, stop)
			}()
		}
		for round := range 3 {
			if got := w.through(k); !slices.Equal(got, steady) {
				t.Errorf("seed %d, round %d: saw %v\nwant %v\n%s", seed, round, got, steady, k)
			}
		}
		close(stop)
		wait.Wait()
	}
}

// write creates, changes and removes items of its own, "z…", until it is stopped.
func (w *warehouse) write(seed, writer int, stop chan struct{}) {
	r := rand.New(rand.NewPCG(uint64(seed), uint64(writer)))
	call := func(op string, in facade.Invocation) {
		if _, err := w.facade.Call(context.Background(), &facade.Call{Entity: "item", Operation: op, Invocation: in}); err != nil {
			w.Errorf("%s: %v", op, err)
		}
	}
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		id := fmt.Sprintf("z%d-%d", writer, i%40)
		params := json.RawMessage(fmt.Sprintf(`{"id":%q}`, id))
		call("delete", facade.Invocation{Params: params})
		members := []string{fmt.Sprintf(`"id":%q,"rackId":%q`, id, racks[r.IntN(3)])}
		for name, values := range columns {
			members = append(members, fmt.Sprintf("%q:%s", name, values[r.IntN(len(values))]))
		}
		call("create", facade.Invocation{Body: json.RawMessage("{" + strings.Join(members, ",") + "}")})
		call("update", facade.Invocation{Params: params, Body: json.RawMessage(`{"rank":1,"label":null}`)})
	}
}

// through walks a list to its end and gives the ids that no writer owns.
func (w *warehouse) through(k *walk) (ids []string) {
	args := "orderBy: $o, first: 7, after: $c"
	if k.backward {
		args = "orderBy: $o, last: 7, before: $c"
	}
	if k.atLeast != "" {
		args += ", filter: {rank: {gte: " + k.atLeast + "}}"
	}
	query := "query ($c: String, $o: [ItemOrderBy!]) { rack(id: \"a\") { id } items(" + args + ") " + pageFields + " }"
	if k.rack != "" {
		query = fmt.Sprintf("query ($c: String, $o: [ItemOrderBy!]) { rack(id: %q) { items(%s) %s } }", k.rack, args, pageFields)
	}
	vars := map[string]any{"o": k.orderBy}
	for {
		var data struct {
			Items *page
			Rack  struct{ Items *page }
		}
		w.ask(query, vars, &data)
		p := data.Items
		if k.rack != "" {
			p = data.Rack.Items
		}
		got := p.ids()
		cursor, more := p.PageInfo.EndCursor, p.PageInfo.HasNextPage
		if k.backward {
			slices.Reverse(got)
			cursor, more = p.PageInfo.StartCursor, p.PageInfo.HasPreviousPage
		}
		for _, id := range got {
			if !strings.HasPrefix(id, "z") || !strings.Contains(id, "-") {
				ids = append(ids, id)
			}
		}
		if !more {
			return ids
		}
		vars["c"] = *cursor
	}
}
