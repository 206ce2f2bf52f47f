package gateway_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/frondhost/frond/gateway"
)

// togetherFronds are two Fronds. A rack has relations of its own, a book leads to a rack of the other Frond.
var togetherFronds = map[string]string{
	"fronds/stock/entities/rack.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string, x-kit: {role: {unique: [[name]]}}}
  boards: {x-kit: {role: {relation: {to: board, kind: many}}}}
required: [id, name]
x-kit-version: 1
`,
	"fronds/stock/entities/board.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  width: {type: integer, minimum: 1}
  secret: {type: [string, 'null'], x-kit: {boundary: {out: closed}, lifecycle: {create: optional}}}
  rackId: {type: string, x-kit: {role: {relation: {to: rack, kind: one, onDelete: cascade}}}}
required: [id, width, rackId]
x-kit-version: 1
`,
	"fronds/stock/frond.yaml": `
many: {board: '*'}
nested: {rack: [boards]}
collectors:
  rack: open
  board:
    - when: '"staff" in user.roles'
    - hide: [width]
computed: {rack: {title: {type: string, value: name + "!"}}}
`,
	"fronds/desk/entities/book.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
  rackId: {type: [string, 'null'], x-kit: {role: {relation: {to: rack, kind: one, onDelete: set null}}, lifecycle: {create: optional}}}
required: [id, name]
x-kit-version: 1
`,
	"fronds/desk/frond.yaml": `collectors: {book: open}`,
}

// togetherPlace starts a gateway of which some Fronds run elsewhere; between: behind another gateway.
func togetherPlace(t *testing.T, signed gateway.Signing, between bool, moved ...string) *gateway.Gateway {
	t.Helper()
	open := func(remotes map[string]gateway.Remote) *gateway.Gateway {
		gw, err := gateway.New(folderOf(t, togetherFronds), &gateway.Options{Config: gateway.Config{
			Store: "memory", Signing: signed, Remotes: remotes, Identity: gateway.Identity{Dev: true},
		}, Logger: silence})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = gw.Close() })
		return gw
	}
	remotes := map[string]gateway.Remote{}
	for _, frond := range moved {
		r, err := gateway.NewReceiver(folderOf(t, togetherFronds), frond, &gateway.ReceiverOptions{Options: gateway.Options{
			Config: gateway.Config{Store: "memory", Signing: gateway.Signing{Keys: signed.Keys}}, Logger: silence,
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = r.Close() })
		at := newElsewhere(t)
		at.stand(r.Handler())
		remotes[frond] = gateway.Remote{URL: at.url()}
	}
	if between {
		at := newElsewhere(t)
		at.stand(open(maps.Clone(remotes)).Handler())
		for frond := range remotes {
			remotes[frond] = gateway.Remote{URL: at.url()}
		}
	}
	return open(remotes)
}

// togetherAsk makes a request, as staff unless it begins with a *.
func togetherAsk(t *testing.T, gw *gateway.Gateway, call string) string {
	t.Helper()
	user, line := `{"id": "s", "roles": ["staff"]}`, call
	if rest, other := strings.CutPrefix(call, "* "); other {
		user, line = `{"id": "u", "roles": []}`, rest
	}
	method, rest, _ := strings.Cut(line, " ")
	path, body, _ := strings.Cut(rest, " ")
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.RemoteAddr, r.Host = "127.0.0.1:1", "127.0.0.1"
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Frond-User", user)
	w := httptest.NewRecorder()
	gw.Handler().ServeHTTP(w, r)
	return fmt.Sprintf("%d %s", w.Code, strings.TrimSpace(w.Body.String()))
}

// TestAtomicAtAnotherHost: calls of one host are its transaction, with the answers of a process that has all Fronds.
func TestAtomicAtAnotherHost(t *testing.T) {
	t.Parallel()
	private, public := keysIn(t, t.TempDir())
	signed := gateway.Signing{Key: private, Keys: []string{public}}
	calls := []string{
		`POST /api/atomic {"calls": [{"method": "rack.create", "params": {"body": {"id": "s1", "name": "A"}}}, {"method": "board.create", "params": {"body": {"id": "b1", "width": 3, "secret": "x", "rackId": {"$result": "0.id"}}}}, {"method": "board.list", "params": {"query": {"filter": {"rack": {"name": {"eq": "A"}}}, "fields": "id,width", "sort": "-rack.name", "cursors": true}}}]}`,
		`POST /api/atomic {"calls": [{"method": "rack.create", "params": {"body": {"id": "s2", "name": "B"}}}, {"method": "rack.create", "params": {"body": {"id": "s3", "name": "A"}}}]}`,
		`POST /api/atomic {"calls": [{"method": "rack.create", "params": {"body": {"id": "s2", "name": "B"}}}, {"method": "board.create", "params": {"body": {"id": "b2", "width": 0, "rackId": "s2"}}}]}`,
		`POST /api/atomic {"calls": [{"method": "board.update", "params": {"params": {"id": "none"}, "body": {"width": 2}}}]}`,
		`POST /api/atomic {"calls": [{"method": "board.create", "params": {"body": {"id": {"$result": "0.x"}}}}, {"method": "board.list"}]}`,
		`POST /api/atomic {"calls": [{"method": "rack.create", "params": {"body": {"id": "s4", "name": "N", "boards": {"create": [{"id": "b4", "width": 1}]}}}}, {"method": "rack.findById", "params": {"params": {"id": "s4"}}}]}`,
		`POST /_kit/call {"jsonrpc": "2.0", "id": 1, "method": "rpc.atomic", "params": {"calls": [{"method": "board.createMany", "params": {"body": [{"id": "b5", "width": 1, "rackId": "s1"}]}}, {"method": "board.deleteMany", "params": {"query": {"where": {"id": {"eq": "b4"}}}}}, {"method": "board.aggregate", "params": {"query": {"select": ["count", "width.sum"]}}}, {"method": "board.upsert", "params": {"query": {"by": "id"}, "body": {"id": "b5", "width": 7, "rackId": "s1"}}}]}}`,
		`POST /graphql {"query": "mutation @atomic { a: createRack(input: {id: \"g1\", name: \"G\"}) { id title } b: createBoard(input: {id: \"g2\", width: 4, rackId: \"g1\"}) { width } }"}`,
		`POST /graphql {"query": "mutation @atomic { a: createRack(input: {id: \"g3\", name: \"H\"}) { id } b: createRack(input: {id: \"g4\", name: \"G\"}) { id } }"}`,
		`POST /graphql {"query": "mutation @atomic { a: createRack(input: {id: \"g3\", name: \"H\"}) { id } b: updateBoard(id: \"none\", input: {width: 1}) { id } }"}`,
		`* POST /api/atomic {"calls": [{"method": "rack.create", "params": {"body": {"id": "u1", "name": "U"}}}]}`,
		`GET /api/stock/racks`, `GET /api/stock/boards`,
	}
	var want []string
	here := togetherPlace(t, signed, false)
	for _, call := range calls {
		want = append(want, togetherAsk(t, here, call))
	}
	if !strings.Contains(want[0], `"results":[{"id":"s1","name":"A","title":"A!"}`) {
		t.Fatalf("here: %s", want[0])
	}
	for _, c := range []struct {
		between bool
		moved   []string
	}{{false, []string{"stock"}}, {false, []string{"stock", "desk"}}, {true, []string{"stock"}}, {true, []string{"stock", "desk"}}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			gw := togetherPlace(t, signed, c.between, c.moved...)
			for i, call := range calls {
				if got := togetherAsk(t, gw, call); got != want[i] {
					t.Errorf("%s\n got %s\nwant %s", call, got, want[i])
				}
			}
		})
	}
}

// TestAtomicThatNoHostMakes: what one host alone cannot do is refused in the same words on every surface, and nothing is written.
func TestAtomicThatNoHostMakes(t *testing.T) {
	t.Parallel()
	private, public := keysIn(t, t.TempDir())
	signed := gateway.Signing{Key: private, Keys: []string{public}}
	gw := togetherPlace(t, signed, false, "stock")
	both := togetherPlace(t, signed, false, "stock", "desk")
	for _, c := range []struct{ name, calls, graphql, want string }{
		{
			"two hosts", `{"method": "book.create", "params": {"body": {"id": "k", "name": "K"}}}, {"method": "rack.create", "params": {"body": {"id": "s", "name": "S"}}}`,
			`mutation @atomic { createBook(input: {id: "k", name: "K"}) { id } createRack(input: {id: "s", name: "S"}) { id } }`,
			"rack.create runs at the host of stock, and book.create runs here: no transaction has rows of two hosts; send their calls one by one",
		},
		{
			"a delete that others point at", `{"method": "rack.delete", "params": {"params": {"id": "s"}}}`, `mutation @atomic { deleteRack(id: "s") }`,
			"rack.delete cannot be part of a transaction at the host of stock: rows of another host point at rows of rack; call it by itself",
		},
		{
			"rows behind a relation", `{"method": "board.list", "params": {"query": {"fields": "rack.name"}}}`, ``,
			"board.list cannot be part of a transaction at the host of stock: it reads rows behind rack; call it by itself",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, ask := range []string{
				`POST /api/atomic {"calls": [` + c.calls + `]}`,
				`POST /_kit/call {"jsonrpc": "2.0", "id": 1, "method": "rpc.atomic", "params": {"calls": [` + c.calls + `]}}`,
				`POST /graphql {"query": "` + strings.ReplaceAll(c.graphql, `"`, `\"`) + `"}`,
			} {
				if strings.Contains(ask, `"query": ""`) {
					continue
				}
				if got := togetherAsk(t, gw, ask); !strings.Contains(got, c.want) || !strings.Contains(got, "NOT_IMPLEMENTED") {
					t.Errorf("%s\n got %s\nwant %s", ask, got, c.want)
				}
			}
		})
	}
	for ask, want := range map[string]string{
		`POST /api/atomic {"calls": [{"method": "book.create", "params": {"body": {"id": "k", "name": "K", "rackId": "s"}}}]}`:     "book.create cannot be part of a transaction at the host of desk: book.rackId names rows of another host; call it by itself",
		`POST /api/atomic {"calls": [{"method": "book.list", "params": {"query": {"filter": {"not": {"rack": {"name": "S"}}}}}}]}`: "its query leads through book.rack to rows of another host",
		`POST /api/atomic {"calls": [{"method": "book.list", "params": {"query": {"sort": "name,-rack.name"}}}]}`:                  "its query leads through book.rack to rows of another host",
		`* POST /api/atomic {"calls": [{"method": "board.list"}]}`:                                                                 "board.list cannot be part of a transaction at the host of stock: access rules here are about board; call it by itself",
		`POST /graphql {"query": "mutation @atomic { createBook(input: {id: \"k\", name: \"K\"}) { id rack { id } } }"}`:           "Mutation.createBook cannot be part of a transaction at another host: it reads Book.rack",
	} {
		if got := togetherAsk(t, both, ask); !strings.Contains(got, want) || !strings.Contains(got, "NOT_IMPLEMENTED") {
			t.Errorf("%s\n got %s\nwant %s", ask, got, want)
		}
	}
	for _, place := range []*gateway.Gateway{gw, both} {
		if got := togetherAsk(t, place, `GET /api/desk/books`) + togetherAsk(t, place, `GET /api/stock/racks`); strings.Contains(got, `"id"`) {
			t.Errorf("something was written: %s", got)
		}
	}
}

// TestAtomicAtAHostWithout: a host that does not say that it takes atomic calls gets none.
func TestAtomicAtAHostWithout(t *testing.T) {
	t.Parallel()
	at := newElsewhere(t)
	r, err := gateway.NewReceiver(folderOf(t, togetherFronds), "stock", &gateway.ReceiverOptions{Options: gateway.Options{Config: gateway.Config{Store: "memory"}, Logger: silence}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	at.stand(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		rec := httptest.NewRecorder()
		r.Handler().ServeHTTP(rec, req)
		text := strings.Replace(rec.Body.String(), `,"atomic":true`, "", 1)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(rec.Code)
		_, _ = w.Write([]byte(text))
	}))
	gw := front(t, folderOf(t, togetherFronds), map[string]gateway.Remote{"stock": {URL: at.url()}})
	const want = "rack.create cannot be part of a transaction at the host of stock: that host does not offer rpc.atomic; call it by itself"
	if got := togetherAsk(t, gw, `POST /api/atomic {"calls": [{"method": "rack.create", "params": {"body": {"id": "s", "name": "S"}}}]}`); !strings.Contains(got, want) {
		t.Errorf("got %s", got)
	}
}
