package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
)

// paged is a page of books with the position beside it.
type paged struct {
	Items    []json.RawMessage `json:"items"`
	Position string            `json:"position"`
}

// readPage reads all books over one surface.
func readPage(t *testing.T, base, surface string) (p paged) {
	t.Helper()
	method, path, body := http.MethodGet, "/api/library/books?limit=500&fields=id,title,price", ""
	switch surface {
	case "graphql":
		method, path, body = http.MethodPost, "/graphql", `{"query":"{ books(first: 500) { position items { id title price } } }"}`
	case "envelope":
		method, path, body = http.MethodPost, "/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"book.list","params":{"query":{"limit":500,"fields":["id","title","price"]}}}`
	}
	if surface == "batch" {
		frame := `{"jsonrpc":"2.0","id":%d,"method":"book.list","params":{"query":{"limit":500,"fields":["id","title","price"]}}}`
		method, path, body = http.MethodPost, "/_kit/call", fmt.Sprintf("["+frame+","+frame+"]", 1, 2)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Prefer", "position")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if surface == "batch" {
		var frames []struct {
			Result   paged
			Position string
		}
		if err := json.Unmarshal(text, &frames); err != nil || len(frames) != 2 {
			t.Fatalf("%s: %v", text, err)
		}
		p, p.Position = frames[1].Result, frames[1].Position
		return p
	}
	answer := struct {
		paged
		Data   struct{ Books paged }
		Result paged
	}{}
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatal(err)
	}
	switch p = answer.paged; surface {
	case "graphql":
		return answer.Data.Books
	case "envelope":
		p = answer.Result
	}
	p.Position = resp.Header.Get(facade.PositionHeader)
	return p
}

// copyOf reads a page, and follows its changes up to the book called end.
func copyOf(t *testing.T, base, surface string, began func()) map[string]string {
	t.Helper()
	defer began() // also where the test has failed
	var book struct{ ID, Title, Price any }
	rows := map[string]string{}
	set := func(text []byte) {
		if err := json.Unmarshal(text, &book); err != nil {
			t.Fatal(err)
		}
		rows[fmt.Sprint(book.ID)] = fmt.Sprint(book.Title, book.Price)
	}
	page := readPage(t, base, surface)
	if page.Position == "" {
		t.Fatalf("%s: the page has no position", surface)
	}
	for _, item := range page.Items {
		set(item)
	}
	events := followed(t, base+"/api/library/facts/bookChanged?fields=id,title,price&after="+page.Position)
	began()
	for rows["end"] == "" {
		var e struct {
			Change, Key string
			Data        json.RawMessage
		}
		if err := json.Unmarshal([]byte(events.next()), &e); err != nil {
			t.Fatal(err)
		}
		if delete(rows, e.Key); e.Change != "deleted" {
			set(e.Data)
		}
	}
	return rows
}

// TestPositionOfAPage: whoever reads a page and follows from its position has every row as it is,
// whatever is written meanwhile, over every surface and where the rows are elsewhere.
func TestPositionOfAPage(t *testing.T) {
	for _, where := range []string{"here", "elsewhere"} {
		t.Run(where, func(t *testing.T) {
			config := gateway.Config{Dir: t.TempDir(), Store: "sqlite:library.db"}
			if where == "elsewhere" {
				receiver, err := gateway.NewReceiver(announcingLibrary(t), "library", &gateway.ReceiverOptions{Options: *quiet(gateway.Options{Config: config})})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = receiver.Close() })
				config = gateway.Config{Remotes: map[string]gateway.Remote{"library": {URL: serveHandler(t, receiver.Handler())}}}
			}
			g, err := gateway.New(announcingLibrary(t), quiet(gateway.Options{Config: config}))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = g.Close() })
			base := serveHandler(t, g.Handler())
			call := func(op, params, body string) error {
				_, err := g.Caller().Call(context.WithoutCancel(t.Context()), &facade.Call{Entity: "book", Operation: op, Invocation: facade.Invocation{Params: json.RawMessage(params), Body: json.RawMessage(body)}})
				return err
			}
			stop := make(chan struct{})
			var writers, readers sync.WaitGroup
			for w := range 3 {
				writers.Go(func() {
					for n := 0; ; n++ {
						select {
						case <-stop:
							return
						default:
						}
						id := fmt.Sprint("b", w, "-", rand.N(60))
						switch rand.N(4) {
						case 0:
							_ = call("delete", fmt.Sprintf(`{"id":%q}`, id), "")
						case 1:
							_ = call("create", "", fmt.Sprintf(`{"id":%q,"title":"t","price":%d}`, id, n))
						default:
							_ = call("update", fmt.Sprintf(`{"id":%q}`, id), fmt.Sprintf(`{"price":%d}`, n))
						}
					}
				})
			}
			var copies [12]map[string]string
			for i := range copies {
				following, began := context.WithCancel(t.Context())
				readers.Go(func() { copies[i] = copyOf(t, base, []string{"rest", "graphql", "envelope", "batch"}[i%4], began) })
				<-following.Done() // the next one reads while this one follows
			}
			close(stop)
			writers.Wait()
			if err := call("create", "", `{"id":"end","title":"t","price":1}`); err != nil {
				t.Fatal(err)
			}
			readers.Wait()
			var want map[string]string
			for i, have := range copies {
				if i == 0 {
					want = map[string]string{}
					for _, item := range readPage(t, base, "rest").Items {
						var book struct{ ID, Title, Price any }
						_ = json.Unmarshal(item, &book)
						want[fmt.Sprint(book.ID)] = fmt.Sprint(book.Title, book.Price)
					}
				}
				if !maps.Equal(have, want) {
					for _, id := range slices.Sorted(maps.Keys(want)) {
						if have[id] != want[id] {
							t.Errorf("reader %d has %s as %q, and it is %q", i, id, have[id], want[id])
						}
					}
					t.Errorf("reader %d has %d rows of %d", i, len(have), len(want))
				}
			}
		})
	}
}
