package gateway_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/gateway"
)

// TestStreamsOfAGateway: a stream passes every layer of a gateway that runs as it is written,
// shows what its caller may see when an event comes, and does not hold up a stop.
func TestStreamsOfAGateway(t *testing.T) {
	var roles atomic.Value
	roles.Store([]any{"staff"})
	url := make(chan string, 1)
	project := announcingLibrary(t)
	for _, f := range project.Fronds {
		f.Config.Data = []byte("changes: [book]\ncollectors:\n  book:\n    - when: '\"staff\" in user.roles'\n    - hide: [price]\n")
	}
	g, err := gateway.New(project, &gateway.Options{
		Config: gateway.Config{Store: "memory", Listen: "127.0.0.1:0", CORS: gateway.CORS{Origins: []string{"https://shop.example"}}, Shutdown: gateway.Shutdown{Timeout: 5 * time.Minute}},
		Session: func(*http.Request) (access.State, error) {
			return access.State{"user": map[string]any{"id": "ada", "roles": roles.Load()}}, nil
		},
		Listening: func(u string) { url <- u }, Logger: silence,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- g.Run(ctx) }()
	base := <-url
	write := func(id string) {
		t.Helper()
		call := &facade.Call{Entity: "book", Operation: "create", Invocation: facade.Invocation{
			Body: []byte(`{"id":"` + id + `","title":"T","price":5}`), State: access.State{"user": map[string]any{"roles": []any{"staff"}}},
		}}
		if _, err := g.Caller().Call(t.Context(), call); err != nil {
			t.Fatal(err)
		}
	}
	of := followed(t, base+"/api/library/facts/bookChanged?fields=id,price", "Accept-Encoding", "gzip, zstd", "Origin", "https://shop.example")
	if h := of.header; h.Get("Content-Encoding") != "" || h.Get("Access-Control-Allow-Origin") != "https://shop.example" {
		t.Errorf("the head is %v", h)
	}
	write("b1")
	if got := of.next(); brief(got) != "bookChanged created b1 " {
		t.Fatalf("the first event is %s", got)
	}
	// The field that the stream asked for is not this caller's any more.
	roles.Store([]any{"guest"})
	write("b2")
	if got := of.next(); got == "" || brief(got) != "   " {
		t.Errorf("without rights comes %s", got)
	}
	whole := followed(t, base+"/api/library/books", "Accept", "text/event-stream")
	if got := whole.next(); len(got) < 20 {
		t.Errorf("the list is %s", got)
	}
	if w := askOnce(g.Handler(), "/api/library/facts/nope"); w.Code != 404 {
		t.Errorf("an unknown fact: %d %s", w.Code, w.Body)
	}

	// Other cards: streams are opened again on what is served then.
	if err := g.Replace(t.Context(), announcingLibrary(t)); err != nil {
		t.Fatal(err)
	}
	if got := whole.next(); got != "" {
		t.Errorf("after a change of the cards comes %s", got)
	}
	again := followed(t, base+"/api/library/facts/bookChanged")
	began := time.Now()
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 4*time.Minute { // it did not wait for the streams until shutdown.timeout
		t.Errorf("the stop took %s", took)
	}
	if got := again.next(); got != "" {
		t.Errorf("a host that stops sends %s", got)
	}
}
