package gateway_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/frondhost/frond/gateway"
)

// TestRefusalsOfATopology: the writes that need two hosts are listed with their doors, in the words of the refusal of a call.
func TestRefusalsOfATopology(t *testing.T) {
	t.Parallel()
	private, public := keysIn(t, t.TempDir())
	gw := togetherPlace(t, gateway.Signing{Key: private, Keys: []string{public}}, false, "stock", "desk")
	var listed []string
	for _, e := range gw.Refusals() {
		listed = append(listed, e.Entity+"."+e.Operation+": "+e.Message)
	}
	text := strings.Join(listed, "\n")
	for ask, want := range map[string]string{
		`POST /api/atomic {"calls": [{"method": "book.create", "params": {"body": {"id": "k", "name": "K", "rackId": "s"}}}]}`:                                      "book.create: book.create cannot be part of a transaction at the host of desk: book.rackId names rows of another host; call it by itself",
		`POST /api/atomic {"calls": [{"method": "rack.delete", "params": {"params": {"id": "s"}}}]}`:                                                                "rack.delete: rack.delete cannot be part of a transaction at the host of stock: rows of another host point at rows of rack; call it by itself",
		`POST /api/atomic {"calls": [{"method": "book.create", "params": {"body": {"id": "k", "name": "K"}}}, {"method": "board.create", "params": {"body": {}}}]}`: "board.create: board.create runs at the host of stock, and book.create runs at the host of desk: no transaction has rows of two hosts; send their calls one by one",
	} {
		_, message, _ := strings.Cut(want, ": ")
		if got := togetherAsk(t, gw, ask); !strings.Contains(got, message) {
			t.Errorf("%s\n got %s\nwant %s", ask, got, message)
		}
		if !strings.Contains(text, want) {
			t.Errorf("%s\nis not among\n%s", want, text)
		}
	}
	if here := togetherPlace(t, gateway.Signing{}, false).Refusals(); len(here) > 0 {
		t.Errorf("all Fronds run here, and %v is refused", here)
	}
}

// TestNestedRowsOfAnotherHost: a Frond with nested rows in another Frond may be moved; writing them together is refused by name, and
// the owner alone is written.
func TestNestedRowsOfAnotherHost(t *testing.T) {
	t.Parallel()
	files := maps.Clone(togetherFronds)
	files["fronds/desk/entities/book.yaml"] = strings.Replace(files["fronds/desk/entities/book.yaml"], "onDelete: set null", "onDelete: cascade", 1)
	files["fronds/stock/entities/rack.yaml"] = strings.Replace(files["fronds/stock/entities/rack.yaml"], "  boards:", "  books: {x-kit: {role: {relation: {to: book, kind: many}}}}\n  boards:", 1)
	files["fronds/stock/frond.yaml"] = strings.Replace(files["fronds/stock/frond.yaml"], "nested: {rack: [boards]}", "nested: {rack: [boards, books]}", 1)
	const both = `{"id": "s1", "name": "A", "books": {"create": [{"id": "k1", "name": "K"}]}}`
	here := front(t, folderOf(t, files), nil)
	if got := togetherAsk(t, here, `POST /api/stock/racks `+both); !strings.HasPrefix(got, "201") {
		t.Fatalf("here: %s", got)
	}
	for _, c := range []struct{ moved, want string }{
		{"desk", "rack.create runs here, and book, with the rows of books, runs at the host of desk: no transaction has rows of two hosts; write them by calls of their own"},
		{"stock", "rack.create runs at the host of stock, and book, with the rows of books, runs here: no transaction has rows of two hosts; write them by calls of their own"},
	} {
		at := newElsewhere(t)
		at.serve(c.moved, folderOf(t, files))
		gw := front(t, folderOf(t, files), map[string]gateway.Remote{c.moved: {URL: at.url()}})
		for _, ask := range []string{
			`POST /api/stock/racks ` + both,
			`POST /_kit/call {"jsonrpc": "2.0", "id": 1, "method": "rack.create", "params": {"body": ` + both + `}}`,
			`POST /graphql {"query": "mutation { createRack(input: {id: \"s1\", name: \"A\", books: {create: [{id: \"k1\", name: \"K\"}]}}) { id } }"}`,
		} {
			if got := togetherAsk(t, gw, ask); !strings.Contains(got, c.want) || !strings.Contains(got, "NOT_IMPLEMENTED") {
				t.Errorf("%s moved, %s\n got %s\nwant %s", c.moved, ask, got, c.want)
			}
		}
		if got := togetherAsk(t, gw, `POST /api/stock/racks {"id": "s1", "name": "A"}`); !strings.HasPrefix(got, "201") {
			t.Errorf("%s moved, the owner alone: %s", c.moved, got)
		}
		found := false
		for _, e := range gw.Refusals() {
			found = found || e.Message == c.want
		}
		if !found {
			t.Errorf("%s moved: the refusal is not listed", c.moved)
		}
	}
}
