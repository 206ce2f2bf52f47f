package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/subscriptions"
)

// booksAndAuthors is books and their authors, and a room whose changes nobody announces.
func booksAndAuthors(t *testing.T) *facade.Project {
	t.Helper()
	card := func(fields string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n" + fields + "required: [id]\n")}
	}
	return read(t, fstest.MapFS{
		"entities/author.yaml": card("  name: {type: string}\n  books: {type: array, items: {type: string}, x-kit: {role: {relation: {to: book, kind: many}}}}\n"),
		"entities/room.yaml":   card("  name: {type: string}\n"),
		"entities/visit.yaml":  card(""),
		"entities/book.yaml": card("  title: {type: string}\n  year: {type: integer}\n" +
			"  authorId: {type: string, x-kit: {role: {relation: {to: author, kind: one}}}}\n  roomId: {type: string, x-kit: {role: {relation: {to: room, kind: one}}}}\n"),
		"frond.yaml": {Data: []byte(`
name: library
changes: [book, author, visit]
search: {book: {fields: {title: A}}}
surfaces: {graphql: {except: [room.delete]}} # a surface that hides something has live queries too
collectors:
  author: open
  room: open
  visit: open
  book:
    - when: user.id == "staff"
      allow: all
    - rows: {year: {lt: 2000}}
      allow: all
doors:
  visit: {operations: {only: [aggregate, create]}}
  book:
    operations:
      recent: {kind: query, output: book, cardinality: many}
`)},
	})
}

// lives is a gateway over the library.
type lives struct {
	*testing.T
	url string
	hub *subscriptions.Hub

	fails atomic.Bool // the handler, once
}

func liveLibrary(t *testing.T, limits subscriptions.Limits) *lives {
	t.Helper()
	p := booksAndAuthors(t)
	l := &lives{T: t}
	facade.HandleQuery(p.Door("book"), "recent", func(ctx context.Context, _ struct{}) (json.RawMessage, error) {
		if l.fails.Swap(false) {
			return nil, kiterror.Errorf(kiterror.ServiceUnavailable, "not now")
		}
		page, err := facade.Do[struct{ Items json.RawMessage }](ctx, facade.From(ctx), "book.list", facade.Invocation{Query: json.RawMessage(`{"filter":{"author":{"name":{"eq":"Le Guin"}}},"fields":"id,title"}`)})
		return page.Items, err
	})
	gw, err := gateway.New(p, quiet(gateway.Options{Config: gateway.Config{Identity: gateway.Identity{Dev: true}, Limits: gateway.Limits{Subscriptions: limits}}}))
	if err != nil {
		t.Fatal(err)
	}
	l.url, l.hub = serveHandler(t, gw.Handler()), gw.Subscriptions()
	t.Cleanup(func() { _ = gw.Close() })
	l.mutate(`a: createAuthor(input: {id: "le", name: "Le Guin"}) { id } b: createAuthor(input: {id: "le2", name: "Lem"}) { id }
		c: createBook(input: {id: "b1", title: "Solaris", year: 1961, authorId: "le2"}) { id } d: createBook(input: {id: "b2", title: "Lavinia", year: 2008, authorId: "le"}) { id }
		e: createRoom(input: {id: "s", name: "S"}) { id }`)
	return l
}

func (l *lives) mutate(text string) {
	l.Helper()
	body, _ := json.Marshal(map[string]string{"query": "mutation { " + text + " }"})
	if status, got := send(l.T, "POST", l.url+"/graphql", string(body), `X-Frond-User: {"id":"staff"}`); status != 200 || strings.Contains(got, "errors") {
		l.Fatalf("%d %s", status, got)
	}
}

// live begins a live query of a caller.
func (l *lives) live(query, user string) *socket {
	l.Helper()
	s, err := dialSocket(l.T, l.url+"/graphql", `{}`, `X-Frond-User: {"id":"`+user+`"}`)
	if err != nil {
		l.Fatal(err)
	}
	s.begin("1", query)
	return s
}

func (s *socket) begin(id, query string) {
	s.Helper()
	body, _ := json.Marshal(map[string]string{"query": "subscription { " + query + " }"})
	s.send(`{"type":"subscribe","id":"` + id + `","payload":` + string(body) + `}`)
}

// answers holds the next message to a payload.
func (s *socket) answers(want string) {
	s.Helper()
	if got := s.read(); got != `{"id":"1","type":"next","payload":`+want+`}` {
		s.Fatalf("%s\nwant %s", got, want)
	}
}

// TestLive: a live query is answered at once, and when a row that it reads has changed, whatever
// it reads it through.
func TestLive(t *testing.T) {
	l := liveLibrary(t, subscriptions.Limits{})
	for _, c := range []struct{ name, query, first, change, then string }{
		{"a row", `book(id: "b1") @live { title }`, `{"data":{"book":{"title":"Solaris"}}}`, `updateBook(id: "b1", input: {title: "S."}) { id }`, `{"data":{"book":{"title":"S."}}}`},
		{"under another name", `x: book(id: "b1") @live { title }`, `{"data":{"x":{"title":"S."}}}`, `updateBook(id: "b1", input: {title: "Solaris"}) { id }`, `{"data":{"x":{"title":"Solaris"}}}`},
		{"a row that is not there yet", `book(id: "b3") @live { id }`, `{"data":{"book":null}}`, `createBook(input: {id: "b3", year: 1970}) { id }`, `{"data":{"book":{"id":"b3"}}}`},
		{"a row that is deleted", `book(id: "b3") @live { id }`, `{"data":{"book":{"id":"b3"}}}`, `deleteBook(id: "b3")`, `{"data":{"book":null}}`},
		{"a list", `books(filter: {year: {lt: 1990}}) @live { total items { id } }`, `{"data":{"books":{"total":1,"items":[{"id":"b1"}]}}}`, `updateBook(id: "b2", input: {year: 1980}) { id }`, `{"data":{"books":{"total":2,"items":[{"id":"b1"},{"id":"b2"}]}}}`},
		{"a row behind a relation", `books(first: 1) @live { items { author { name } } }`, `{"data":{"books":{"items":[{"author":{"name":"Lem"}}]}}}`, `updateAuthor(id: "le2", input: {name: "S. Lem"}) { id }`, `{"data":{"books":{"items":[{"author":{"name":"S. Lem"}}]}}}`},
		{"a filter through a relation", `books(filter: {author: {name: {eq: "X"}}}) @live { total }`, `{"data":{"books":{"total":0}}}`, `updateAuthor(id: "le2", input: {name: "X"}) { id }`, `{"data":{"books":{"total":1}}}`},
		{"what a handler reads", `bookRecent @live { title }`, `{"data":{"bookRecent":[{"title":"Lavinia"}]}}`, `updateAuthor(id: "le", input: {name: "U. Le Guin"}) { id }`, `{"data":{"bookRecent":[]}}`},
		{"an order through a relation", `books(orderBy: [{author: {name: DESC}}]) @live { items { id } }`, `{"data":{"books":{"items":[{"id":"b1"},{"id":"b2"}]}}}`, `updateAuthor(id: "le2", input: {name: "Lem"}) { id }`, `{"data":{"books":{"items":[{"id":"b2"},{"id":"b1"}]}}}`},
		{"an order by a number of rows", `authors(orderBy: [{books: {count: DESC}}]) @live { items { id } }`, `{"data":{"authors":{"items":[{"id":"le2"},{"id":"le"}]}}}`, `createBook(input: {id: "b3", title: "Malafrena", year: 1979, authorId: "le"}) { id }`, `{"data":{"authors":{"items":[{"id":"le"},{"id":"le2"}]}}}`},
		{"an order by a function of rows", `authors(orderBy: [{books: {max: {year: ASC}}}]) @live { items { id } }`, `{"data":{"authors":{"items":[{"id":"le2"},{"id":"le"}]}}}`, `updateBook(id: "b1", input: {year: 1999}) { id }`, `{"data":{"authors":{"items":[{"id":"le"},{"id":"le2"}]}}}`},
		{"a filter by a number of rows", `authors(filter: {books: {count: {lt: 2}}}) @live { items { id } }`, `{"data":{"authors":{"items":[{"id":"le2"}]}}}`, `deleteBook(id: "b3")`, `{"data":{"authors":{"items":[{"id":"le"},{"id":"le2"}]}}}`},
		{"numbers about rows", `books @live { aggregate { count year { max } } }`, `{"data":{"books":{"aggregate":{"count":2,"year":{"max":1999}}}}}`, `updateBook(id: "b2", input: {year: 2008}) { id }`, `{"data":{"books":{"aggregate":{"count":2,"year":{"max":2008}}}}}`},
		{"groups", `books @live { groups(by: [{authorId: VALUE}], having: {count: {gte: 2}}) { items { key { authorId } count } } }`, `{"data":{"books":{"groups":{"items":[]}}}}`, `updateBook(id: "b2", input: {authorId: "le2"}) { id }`, `{"data":{"books":{"groups":{"items":[{"key":{"authorId":"le2"},"count":2}]}}}}`},
		{"numbers of a door without a list", `visits @live { aggregate { count } }`, `{"data":{"visits":{"aggregate":{"count":0}}}}`, `createVisit(input: {id: "v1"}) { id }`, `{"data":{"visits":{"aggregate":{"count":1}}}}`},
		{"numbers below rows", `authors @live { items { books(filter: {year: {gt: 2000}}) { aggregate { count } } } }`, `{"data":{"authors":{"items":[{"books":{"aggregate":{"count":0}}},{"books":{"aggregate":{"count":1}}}]}}}`, `updateBook(id: "b2", input: {authorId: "le"}) { id }`, `{"data":{"authors":{"items":[{"books":{"aggregate":{"count":1}}},{"books":{"aggregate":{"count":0}}}]}}}`},
		{"a search", `books(search: "sol*", orderBy: [{rank: DESC}]) @live { total items { title } }`, `{"data":{"books":{"total":1,"items":[{"title":"Solaris"}]}}}`, `updateBook(id: "b2", input: {title: "Sol"}) { id }`, `{"data":{"books":{"total":2,"items":[{"title":"Sol"},{"title":"Solaris"}]}}}`},
		{"numbers about a search", `books(search: "sol") @live { aggregate { count } }`, `{"data":{"books":{"aggregate":{"count":1}}}}`, `deleteBook(id: "b2")`, `{"data":{"books":{"aggregate":{"count":0}}}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &lives{T: t, url: l.url, hub: l.hub}
			s := l.live(c.query, "staff")
			s.answers(c.first)
			l.mutate(c.change)
			s.answers(c.then)
		})
	}
}

// TestLiveScopes: each caller is answered as a query would be.
func TestLiveScopes(t *testing.T) {
	l := liveLibrary(t, subscriptions.Limits{})
	staff, other := l.live(`books @live { items { id } }`, "staff"), l.live(`books @live { items { id } }`, "bob")
	staff.answers(`{"data":{"books":{"items":[{"id":"b1"},{"id":"b2"}]}}}`)
	other.answers(`{"data":{"books":{"items":[{"id":"b1"}]}}}`)
	l.mutate(`createBook(input: {id: "b3", year: 2001}) { id }`)
	staff.answers(`{"data":{"books":{"items":[{"id":"b1"},{"id":"b2"},{"id":"b3"}]}}}`)
	l.mutate(`updateBook(id: "b3", input: {year: 1999}) { id }`)
	other.answers(`{"data":{"books":{"items":[{"id":"b1"},{"id":"b3"}]}}}`) // and nothing of what b3 was before
}

// TestLiveScopesBehind: orders through relations and numbers go by the rows that each caller sees, though
// live queries are answered together.
func TestLiveScopesBehind(t *testing.T) {
	l := liveLibrary(t, subscriptions.Limits{})
	for _, query := range []string{`authors(orderBy: [{books: {max: {year: DESC}}}]) @live { items { id } }`, `authors(orderBy: [{books: {count: DESC}}, {id: DESC}]) @live { items { id } }`} {
		staff, other := l.live(query, "staff"), l.live(query, "bob")
		staff.read()
		other.answers(`{"data":{"authors":{"items":[{"id":"le2"},{"id":"le"}]}}}`)
		l.mutate(`a: createBook(input: {id: "b4", year: 2010, authorId: "le"}) { id } b: createBook(input: {id: "b5", year: 1962, authorId: "le2"}) { id } c: createBook(input: {id: "b6", year: 2011, authorId: "le"}) { id }`)
		again := l.live(query, "staff")
		again.answers(`{"data":{"authors":{"items":[{"id":"le"},{"id":"le2"}]}}}`)
		l.mutate(`a: deleteBook(id: "b4") b: deleteBook(id: "b5") c: deleteBook(id: "b6")`)
	}
}

// TestChangesBehind: a subscription filters by the number of rows that its caller sees.
func TestChangesBehind(t *testing.T) {
	l := liveLibrary(t, subscriptions.Limits{})
	l.mutate(`a: createBook(input: {id: "b3", year: 2001, authorId: "le"}) { id } b: createBook(input: {id: "b4", year: 1968, authorId: "le2"}) { id } c: createAuthor(input: {id: "none"}) { id }`)
	const query = `authorChanged(after: "start", filter: {books: {count: {gte: 2}}}) { key author { books { aggregate { count } } } }`
	staff, other := l.live(query, "staff"), l.live(query, "bob")
	l.mutate(`a: updateAuthor(id: "none", input: {name: "N"}) { id } b: updateAuthor(id: "le", input: {name: "L"}) { id } c: updateAuthor(id: "le2", input: {name: "M"}) { id }`)
	answer := func(key string) string {
		return `{"data":{"authorChanged":{"key":"` + key + `","author":{"books":{"aggregate":{"count":2}}}}}}`
	}
	for range 2 { // the creation and the update
		staff.answers(answer("le"))
		staff.answers(answer("le2"))
		other.answers(answer("le2"))
	}
}

// TestLiveExecutes: nothing is executed for a change of another row, and once for equal callers.
func TestLiveExecutes(t *testing.T) {
	l := liveLibrary(t, subscriptions.Limits{})
	one, two := l.live(`book(id: "b1") @live { title }`, "bob"), l.live(`book(id: "b1") @live { title }`, "bob")
	one.answers(`{"data":{"book":{"title":"Solaris"}}}`)
	two.answers(`{"data":{"book":{"title":"Solaris"}}}`)
	all := l.live(`books @live { total }`, "staff")
	all.answers(`{"data":{"books":{"total":2}}}`)
	before := l.hub.Numbers().Evaluated
	l.mutate(`createBook(input: {id: "b3", year: 1971}) { id }`)
	all.answers(`{"data":{"books":{"total":3}}}`)
	l.mutate(`updateBook(id: "b1", input: {title: "S."}) { id }`)
	one.answers(`{"data":{"book":{"title":"S."}}}`)
	two.answers(`{"data":{"book":{"title":"S."}}}`)
	// The list once for each change, though the second changes nothing of its answer; the row once.
	for by := time.Now().Add(20 * time.Second); l.hub.Numbers().Evaluated-before < 3 && time.Now().Before(by); {
		time.Sleep(time.Millisecond)
	}
	if n := l.hub.Numbers(); n.Evaluated-before != 3 || n.Subscriptions != 3 {
		t.Errorf("executed %d times for %d", n.Evaluated-before, n.Subscriptions)
	}
}

// TestLiveRefusals: what cannot be followed, what is no live query, and too many of them.
func TestLiveRefusals(t *testing.T) {
	l := liveLibrary(t, subscriptions.Limits{Live: 2})
	s := l.live(`book(id: "b1") @live { title }`, "bob")
	s.answers(`{"data":{"book":{"title":"Solaris"}}}`)
	for query, want := range map[string]string{
		`books { total }`:                                   `Add @live to receive it again`,
		`bookChanged @live { key }`:                         `belongs on a query field`,
		`books @live { items @live { id } }`:                `belongs on a query field`,
		`room(id: "s") @live { name }`:                      `Cannot query field \"room\"`,
		`books(first: -1) @live { total }`:                  `VALIDATION_FAILED`,
		`books @live @skip(if: true) { total }`:             `must not use \"@skip\"`,
		`books @live { total } book(id: "b1") @live { id }`: `must select only one`,
	} {
		s.begin("2", query)
		if got := s.read(); !strings.Contains(got, want) {
			t.Errorf("%s: %s", query, got)
		}
		s.send(`{"type":"complete","id":"2"}`)
	}
	for by := time.Now().Add(time.Minute); l.hub.Numbers().Subscriptions > 1 && time.Now().Before(by); { // those that are completed end by and by
		time.Sleep(time.Millisecond)
	}
	s.begin("3", `books @live { items { room { name } } }`)
	if got := s.read(); !strings.Contains(got, `"type":"next"`) {
		t.Errorf("without a room there is nothing to follow: %s", got)
	}
	s.begin("4", `books @live { total }`)
	if got := s.read(); !strings.Contains(got, "TOO_MANY_REQUESTS") || !strings.Contains(got, "2 open live queries") {
		t.Error(got)
	}
	l.mutate(`updateBook(id: "b1", input: {roomId: "s"}) { id }`)
	if got := s.read(); !strings.Contains(got, `"id":"3","type":"error"`) || !strings.Contains(got, "room publishes no change events") {
		t.Error(got)
	}
}

// TestLiveAgain: an answer with errors is tried again without a change.
func TestLiveAgain(t *testing.T) {
	l := liveLibrary(t, subscriptions.Limits{})
	s := l.live(`bookRecent @live { title }`, "staff")
	s.answers(`{"data":{"bookRecent":[{"title":"Lavinia"}]}}`)
	l.fails.Store(true)
	l.mutate(`updateAuthor(id: "le", input: {name: "Le Guin"}) { id }`)
	if got := s.read(); !strings.Contains(got, "SERVICE_UNAVAILABLE") {
		t.Fatal(got)
	}
	s.answers(`{"data":{"bookRecent":[{"title":"Lavinia"}]}}`)
}

// TestLiveGroups: live queries of one document that are answered together have each their own groups.
func TestLiveGroups(t *testing.T) {
	l := liveLibrary(t, subscriptions.Limits{})
	var callers []*socket
	l.mutate(`updateBook(id: "b2", input: {year: 1999}) { id }`)
	for i := range 150 {
		s, err := dialSocket(t, l.url+"/graphql", `{}`, fmt.Sprintf(`X-Frond-User: {"id":"u%d"}`, i))
		if err != nil {
			t.Fatal(err)
		}
		callers = append(callers, s)
		s.send(fmt.Sprintf(`{"type":"subscribe","id":"1","payload":{"query":"subscription ($n: Int!) { books @live { groups(by: [{authorId: VALUE}], having: {count: {gte: $n}}) { items { key { authorId } count } } } }","variables":{"n":%d}}}`, i%4))
		s.read()
	}
	l.mutate(`createBook(input: {id: "b3", year: 1970, authorId: "le2"}) { id }`)
	two := `{"key":{"authorId":"le2"},"count":2}`
	both := `{"key":{"authorId":"le"},"count":1},` + two
	for i, s := range callers {
		if least := i % 4; least < 3 { // of 3 there is no group, before and after
			s.answers(`{"data":{"books":{"groups":{"items":[` + []string{both, both, two}[least] + `]}}}}`)
		}
	}
}

// TestLiveLane: live queries wait for one another. None is refused however many there are, and
// requests find room beside them.
func TestLiveLane(t *testing.T) {
	p := booksAndAuthors(t)
	facade.HandleQuery(p.Door("book"), "recent", func(context.Context, struct{}) (json.RawMessage, error) { return json.RawMessage("[]"), nil })
	gw, err := gateway.New(p, quiet(gateway.Options{Config: gateway.Config{Identity: gateway.Identity{Dev: true}, Limits: gateway.Limits{Executions: 1}}}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	l := &lives{T: t, url: serveHandler(t, gw.Handler()), hub: gw.Subscriptions()}
	l.mutate(`a: createBook(input: {id: "b1", title: "Solaris", year: 1961}) { id }`)
	var callers []*socket
	for i := range 150 {
		s, err := dialSocket(t, l.url+"/graphql", `{}`, fmt.Sprintf(`X-Frond-User: {"id":"u%d"}`, i))
		if err != nil {
			t.Fatal(err)
		}
		callers = append(callers, s)
		s.send(fmt.Sprintf(`{"type":"subscribe","id":"1","payload":{"query":"subscription ($t: String) { books(filter: {title: {eq: $t}}) @live { total items { id } } }","variables":{"t":"T%d"}}}`, i))
	}
	for _, s := range callers {
		s.answers(`{"data":{"books":{"total":0,"items":[]}}}`)
	}
	for n := range 5 {
		for i := range callers {
			if i%5 == n {
				l.mutate(fmt.Sprintf(`createBook(input: {id: "c%d", title: "T%d", year: 1970}) { id }`, i, i))
			}
		}
		for i, s := range callers {
			if i%5 == n {
				s.answers(fmt.Sprintf(`{"data":{"books":{"total":1,"items":[{"id":"c%d"}]}}}`, i))
			}
		}
	}
}
