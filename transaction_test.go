package frond_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond"
	"github.com/frondhost/frond/gateway"
)

// Show and Ticket are the rows of a box office.
type (
	Show struct {
		ID, Title    string
		Seats, Taken int
	}
	Ticket struct{ ID, ShowID, Holder string }
)

// boxOffice is a program with two commands: buy writes a ticket and the count of its show,
// charge writes a ticket and is detached. Both fail behind their writes for a holder called
// thief.
func boxOffice() *frond.App {
	site := fstest.MapFS{
		"gateway.yaml": {Data: []byte("store: memory\nmode: development\n")},
		"entities/show.yaml": {Data: []byte(`
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string}
  seats: {type: integer}
  taken: {type: integer, minimum: 0}
required: [id, title, seats, taken]
`)},
		"entities/ticket.yaml": {Data: []byte(`
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: nanoid}}}}
  showId: {type: string, x-kit: {role: {relation: {to: show, kind: one}}}}
  holder: {type: string}
required: [showId, holder]
`)},
		"frond.yaml": {Data: []byte(`
name: box
doors:
  show:
    operations:
      buy: {kind: command, params: {type: object, properties: {id: {type: string}, holder: {type: string}}, required: [id, holder]}, output: ticket}
      charge: {kind: command, params: {type: object, properties: {id: {type: string}, holder: {type: string}}, required: [id, holder]}, output: ticket}
collectors: {'*': open}
`)},
		"seeds/show.yaml": {Data: []byte("- {id: s, title: Lohengrin, seats: 5, taken: 0}\n")},
	}
	app := frond.New(site)
	show := frond.Door[Show](app, "show")
	frond.Door[Ticket](app, "ticket")
	type purchase struct{ ID, Holder string }
	ticket := func(ctx context.Context, in purchase) (*Ticket, error) {
		return frond.Inside[Ticket](ctx).Create(ctx, Ticket{ShowID: in.ID, Holder: in.Holder})
	}
	thief := func(in purchase) error {
		if in.Holder == "thief" {
			return frond.Errorf(frond.Forbidden, "no")
		}
		return nil
	}
	frond.Command(show, "buy", func(ctx context.Context, in purchase) (*Ticket, error) {
		s, err := frond.Inside[Show](ctx).Find(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		if s.Taken >= s.Seats {
			return nil, frond.Errorf(frond.Conflict, "sold out")
		}
		t, err := ticket(ctx, in)
		if err != nil {
			return nil, err
		}
		if _, err := frond.Inside[Show](ctx).Update(ctx, in.ID, frond.Set{"taken": s.Taken + 1}); err != nil {
			return nil, err
		}
		return t, thief(in)
	})
	frond.Command(show, "charge", func(ctx context.Context, in purchase) (*Ticket, error) {
		t, err := ticket(ctx, in)
		if err != nil {
			return nil, err
		}
		return t, thief(in)
	}, frond.Detached)
	return app
}

// TestCommandIsATransaction: a command that fails has written nothing, unless it is detached.
func TestCommandIsATransaction(t *testing.T) {
	ctx := frond.Test(t, boxOffice())
	for _, c := range []struct {
		method, holder string
		tickets        int64
		taken          int
	}{
		{"show.buy", "thief", 0, 0},
		{"show.buy", "ada", 1, 1},
		{"show.charge", "thief", 2, 1},
	} {
		_, err := frond.Call[*Ticket](ctx, c.method, frond.Set{"id": "s", "holder": c.holder})
		if (err == nil) != (c.holder != "thief") {
			t.Errorf("%s for %s: %v", c.method, c.holder, err)
		}
		tickets, err := frond.Inside[Ticket](ctx).Count(ctx)
		if err != nil {
			t.Fatal(err)
		}
		show, err := frond.Inside[Show](ctx).Find(ctx, "s")
		if err != nil || tickets != c.tickets || show.Taken != c.taken {
			t.Errorf("%s for %s: %d tickets, %+v, %v", c.method, c.holder, tickets, show, err)
		}
	}
}

// TestBoxOffice: 200 purchases of 5 seats at once, over REST and GraphQL, sell 5.
func TestBoxOffice(t *testing.T) {
	call := served(t, boxOffice())
	var sold, refused atomic.Int64
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var answer string
			if i%2 == 0 {
				answer = call("POST", fmt.Sprintf("/api/box/shows/s/buy?holder=h%d", i), "")
			} else {
				answer = call("POST", "/graphql", fmt.Sprintf(`{"query":"mutation { showBuy(id: \"s\", holder: \"h%d\") { holder } }"}`, i))
			}
			switch {
			case strings.Contains(answer, fmt.Sprintf(`"holder":"h%d"`, i)):
				sold.Add(1)
			case strings.Contains(answer, "sold out"):
				refused.Add(1)
			default:
				t.Errorf("a purchase answers %s", answer)
			}
		}()
	}
	wg.Wait()
	if sold.Load() != 5 || refused.Load() != 195 {
		t.Errorf("sold %d, refused %d", sold.Load(), refused.Load())
	}
	if shows := call("GET", "/api/box/shows/s", ""); !strings.Contains(shows, `"taken":5`) {
		t.Error(shows)
	}
	if tickets := call("GET", "/api/box/tickets?limit=0", ""); !strings.Contains(tickets, `"total":5`) {
		t.Error(tickets)
	}
}

// TestCommandThatCallsItself: a command that sends a write to its own host over HTTP waits for
// itself. It is ended at its limit, says why, and nothing of it stays; what it sent is a
// request of its own, and may arrive.
func TestCommandThatCallsItself(t *testing.T) {
	for _, store := range []string{"memory", "sqlite:" + t.TempDir() + "/rows.db"} {
		var url string
		app := frond.New(fstest.MapFS{
			"gateway.yaml":       {Data: []byte("store: " + store + "\nmode: development\nlimits: {transaction: 100ms}\n")},
			"entities/note.yaml": {Data: []byte("properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n")},
			"frond.yaml":         {Data: []byte("name: a\ndoors: {note: {operations: {call: {kind: command}, callDetached: {kind: command}}}}\ncollectors: {note: open}\n")},
		})
		type Note struct{ ID string }
		note := frond.Door[Note](app, "note")
		call := func(ctx context.Context, id string) error {
			if _, err := frond.Inside[Note](ctx).Create(ctx, Note{ID: id}); err != nil {
				return err
			}
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/api/a/notes", strings.NewReader(fmt.Sprintf(`{"id":%q}`, id+" by HTTP")))
			if err != nil {
				return err
			}
			r.Header.Set("Content-Type", "application/json")
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				return err
			}
			return res.Body.Close()
		}
		frond.Command(note, "call", func(ctx context.Context, _ struct{}) (any, error) { return nil, call(ctx, "n") })
		frond.Command(note, "callDetached", func(ctx context.Context, _ struct{}) (any, error) { return nil, call(ctx, "d") }, frond.Detached)
		app.Configure(func(o *gateway.Options) { o.Logger = slog.New(slog.DiscardHandler) })
		handler, closeApp, err := app.Handler()
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(handler)
		url = server.URL
		answer := func(method, path string) string {
			r, _ := http.NewRequestWithContext(t.Context(), method, url+path, nil)
			r.Header.Set("Content-Type", "application/json")
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			text, err := io.ReadAll(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		if got := answer("POST", "/api/a/notes/call"); !strings.Contains(got, `"status":503`) || !strings.Contains(got, "limits.transaction") {
			t.Errorf("%s: %s", store, got)
		}
		if got := answer("POST", "/api/a/notes/call-detached"); strings.Contains(got, `"status"`) {
			t.Errorf("%s: detached: %s", store, got)
		}
		if got := answer("GET", "/api/a/notes"); strings.Contains(got, `{"id":"n"}`) || !strings.Contains(got, `"d"`) || !strings.Contains(got, `"d by HTTP"`) {
			t.Errorf("%s: there are %s", store, got)
		}
		server.Close()
		if err := closeApp(); err != nil {
			t.Error(err)
		}
	}
}

// TestWhereOnEverySurface: an update and a delete under a condition.
func TestWhereOnEverySurface(t *testing.T) {
	call := served(t, boxOffice())
	frame := func(op, query, body string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"show.%s","params":{"params":{"id":"s"},"query":%s%s}}`, op, query, body)
	}
	for _, c := range []struct{ what, method, path, body, want string }{
		{"REST, and it holds", "PATCH", "/api/box/shows/s?where[taken][lt]=5&where[title]=Lohengrin", `{"taken":1}`, `"taken":1`},
		{"REST, and it does not", "PATCH", "/api/box/shows/s?where[taken][lt]=1", `{"taken":9}`, `"status":412`},
		{"REST, no such row", "PATCH", "/api/box/shows/x?where[taken][lt]=1", `{"taken":9}`, `"status":404`},
		{"REST as JSON", "PUT", `/api/box/shows/s?where=%7B%22taken%22:%7B%22eq%22:1%7D%7D`, `{"taken":2}`, `"taken":2`},
		{"REST, twice", "PATCH", `/api/box/shows/s?where=%7B%7D&where[taken]=2`, `{"taken":9}`, `is sent both as JSON and in brackets`},
		{"REST, no field", "PATCH", "/api/box/shows/s?where[took]=1", `{"taken":9}`, `/query/where/took`},
		{"REST, no filter", "PATCH", "/api/box/shows/s?where[]=1", `{"taken":9}`, `where[price][gte]`},
		{"REST, a list's word", "PATCH", "/api/box/shows/s?filter[taken]=1", `{"taken":9}`, `there is where`},
		{"REST creates under none", "POST", "/api/box/shows?where[taken]=1", `{"id":"t","title":"T","seats":1,"taken":0}`, `"status":400`},
		{"GraphQL, and it holds", "POST", "/graphql", `{"query":"mutation { updateShow(id: \"s\", where: {taken: {eq: 2}, or: [{title: {startsWith: \"L\"}}]}, input: {taken: 3}) { taken } }"}`, `"taken":3`},
		{"GraphQL, and it does not", "POST", "/graphql", `{"query":"mutation { updateShow(id: \"s\", where: {taken: {eq: 2}}, input: {taken: 9}) { taken } }"}`, `PRECONDITION_FAILED`},
		{"GraphQL, null", "POST", "/graphql", `{"query":"mutation ($w: ShowFilter) { updateShow(id: \"s\", where: $w, input: {taken: 9}) { taken } }","variables":{"w":null}}`, `VALIDATION_FAILED`},
		{"the envelope, and it holds", "POST", "/_kit/call", frame("update", `{"where":{"taken":{"eq":3}}}`, `,"body":{"taken":4}`), `"taken":4`},
		{"the envelope, and it does not", "POST", "/_kit/call", frame("update", `{"where":{"taken":{"eq":3}}}`, `,"body":{"taken":9}`), `PRECONDITION_FAILED`},
		{"deleted under one that does not hold", "DELETE", "/api/box/shows/s?where[taken]=3", "", `"status":412`},
		{"the same in GraphQL", "POST", "/graphql", `{"query":"mutation { deleteShow(id: \"s\", where: {taken: {eq: 3}}) }"}`, `PRECONDITION_FAILED`},
		{"the same on the envelope", "POST", "/_kit/call", frame("delete", `{"where":{"taken":{"eq":3}}}`, ""), `PRECONDITION_FAILED`},
		{"deleted under one that holds", "DELETE", "/api/box/shows/s?where[taken]=4", "", ``},
		{"it is gone", "DELETE", "/api/box/shows/s?where[taken]=4", "", `"status":404`},
	} {
		if got := call(c.method, c.path, c.body); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %s", c.what, got)
		}
	}

	ctx := frond.Test(t, boxOffice())
	shows := frond.Inside[Show](ctx)
	if show, err := shows.Update(ctx, "s", frond.Set{"taken": 1}, frond.Lt("taken", 5), frond.Eq("title", "Lohengrin")); err != nil || show.Taken != 1 {
		t.Errorf("in Go, and it holds: %v, %v", show, err)
	}
	if _, err := shows.Update(ctx, "s", frond.Set{"taken": 9}, frond.Eq("taken", 0)); frond.CodeOf(err) != frond.PreconditionFailed {
		t.Errorf("in Go, and it does not: %v", err)
	}
	if err := shows.Delete(ctx, "s", frond.Eq("taken", 0)); frond.CodeOf(err) != frond.PreconditionFailed {
		t.Errorf("a delete in Go: %v", err)
	}
	if err := shows.Delete(ctx, "s", frond.Eq("taken", 1)); err != nil {
		t.Errorf("a delete in Go: %v", err)
	}
	if err := shows.Delete(ctx, "s", frond.Eq("taken", func() {})); err == nil {
		t.Error("a value that JSON does not have is taken")
	}
}
