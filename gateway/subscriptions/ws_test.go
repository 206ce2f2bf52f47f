package subscriptions_test

import (
	"context"
	"encoding/json"
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
	"time"

	"github.com/coder/websocket"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/readset"
	"github.com/frondhost/frond/facts"
	"github.com/frondhost/frond/gateway/graphqlhttp"
	"github.com/frondhost/frond/gateway/subscriptions"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/store/storetest"
)

// shop is a project whose rows are announced.
var shop = fstest.MapFS{
	"entities/product.yaml": {Data: []byte(`
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
  price: {type: integer}
  makerId: {type: [string, 'null'], x-kit: {role: {relation: {to: maker, kind: one, onDelete: set null}}, lifecycle: {create: optional}}}
required: [id, name, price]
`)},
	"entities/maker.yaml": {Data: []byte(`
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
required: [id, name]
`)},
	"frond.yaml": {Data: []byte(`
name: shop
changes: product
collectors:
  maker: open
  product:
    - when: user.role == "nobody"
      deny: all
    - when: user != nil
      rows: {price: {lt: 100}}
    - when: "true"
`)},
}

type feed struct {
	*facts.Feed
	follows *atomic.Int64 // how many subscriptions have their place in the log
}

func (f feed) Changes(context.Context, *readset.Set, map[string]bool) ([]subscriptions.Reader, error) {
	return nil, nil
}

func (f feed) Follow(ctx context.Context, s *resolvers.Subscription) (subscriptions.Reader, error) {
	after := s.After
	if s.Now {
		after = facts.Now
	}
	r, err := f.Subscribe(ctx, []string{s.Frond + "." + s.Fact}, after)
	if err != nil {
		return nil, err
	}
	f.follows.Add(1)
	return r, nil
}

// host is a running server over the shop.
type host struct {
	*facade.Facade
	hub     *subscriptions.Hub
	server  *subscriptions.SocketServer
	url     string
	fails   atomic.Pointer[kiterror.Error] // of what is revealed; nil: nothing fails
	failed  atomic.Int64                   // how often it did
	follows atomic.Int64                   // subscriptions that have begun
}

// failing is a watch whose store may be down, or whose subscriber may lose its rights.
type failing struct {
	resolvers.Watch
	*host
}

func (f failing) Reveal(ctx context.Context, events []*facade.Event) ([]facade.Revealed, error) {
	if err := f.fails.Load(); err != nil {
		f.failed.Add(1)
		return nil, err
	}
	return f.Watch.Reveal(ctx, events)
}

func start(t testing.TB, change func(*subscriptions.SocketOptions, *subscriptions.HubOptions)) *host {
	t.Helper()
	p, err := facade.Read(shop)
	if err != nil {
		t.Fatal(err)
	}
	store := storetest.NewStore()
	f, err := facade.New(storetest.Compiled(t, p), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := projection.NewBuilder()
	if err := projection.RegisterAll(b, f.Catalog(), nil); err != nil {
		t.Fatal(err)
	}
	schema, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	h := &host{Facade: f}
	engine, err := resolvers.NewEngine(schema, f, &resolvers.Options{Logger: quiet, Watch: func(ctx context.Context, s *facade.Subscription) (resolvers.Watch, error) {
		w, err := f.Watch(ctx, s)
		return failing{w, h}, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	log := facts.New(store, nil)
	t.Cleanup(log.Close)
	ho := subscriptions.HubOptions{Feed: feed{log, &h.follows}, Log: quiet}
	o := subscriptions.SocketOptions{Operations: graphqlhttp.New(engine, &graphqlhttp.Options{Log: quiet}), Log: quiet, Session: session}
	if change != nil {
		change(&o, &ho)
	}
	h.hub = subscriptions.NewHub(ho)
	o.Hub = h.hub
	h.server = subscriptions.NewSocketServer(o)
	listener := httptest.NewServer(h.server)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		h.server.Shutdown(ctx, false)
		listener.Close()
	})
	h.url = "ws" + strings.TrimPrefix(listener.URL, "http")
	return h
}

// session believes what Authorization says: the id of the caller, or a refusal.
func session(r *http.Request) (access.State, error) {
	switch id := r.Header.Get("Authorization"); id {
	case "":
		return nil, nil
	case "bad":
		return nil, kiterror.Errorf(kiterror.Unauthorized, "the token does not hold")
	case "down":
		return nil, kiterror.Errorf(kiterror.ServiceUnavailable, "no keys")
	default:
		return access.State{"user": map[string]any{"id": id, "role": id}}, nil
	}
}

func (h *host) create(t testing.TB, id string, price int) {
	t.Helper()
	_, err := h.Call(context.Background(), &facade.Call{Entity: "product", Operation: "create", Invocation: facade.Invocation{Body: json.RawMessage(fmt.Sprintf(`{"id":%q,"name":"n","price":%d}`, id, price))}})
	if err != nil {
		t.Fatal(err)
	}
}

// client is one connection.
type client struct {
	testing.TB
	*websocket.Conn
	ctx context.Context
}

func (h *host) dial(t testing.TB, o *websocket.DialOptions) *client {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	if o == nil {
		o = &websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}}
	}
	c, _, err := websocket.Dial(ctx, h.url, o) //nolint:bodyclose // it is the connection
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.CloseNow() })
	c.SetReadLimit(1 << 20)
	return &client{t, c, ctx}
}

// known is a connection of a caller.
func (h *host) known(t testing.TB, caller string) *client {
	t.Helper()
	c := h.dial(t, nil)
	c.send(`{"type":"connection_init","payload":{"authorization":%q}}`, caller)
	c.want(`{"type":"connection_ack"}`)
	return c
}

func (c *client) send(format string, args ...any) {
	c.Helper()
	if err := c.Write(c.ctx, websocket.MessageText, fmt.Appendf(nil, format, args...)); err != nil {
		c.Fatal(err)
	}
}

func (c *client) read() string {
	c.Helper()
	_, text, err := c.Read(c.ctx)
	if err != nil {
		c.Fatalf("in place of a message: %v", err)
	}
	return string(text)
}

func (c *client) want(text string) {
	c.Helper()
	if got := c.read(); got != text {
		c.Fatalf("got  %s\nwant %s", got, text)
	}
}

// closes wants the connection to be ended with a code.
func (c *client) closes(code int, reason string) {
	c.Helper()
	for {
		_, text, err := c.Read(c.ctx)
		if err == nil {
			c.Logf("before the end: %s", text)
			continue
		}
		if got := websocket.CloseStatus(err); int(got) != code || !strings.Contains(err.Error(), reason) {
			c.Errorf("ended by %v, want %d %s", err, code, reason)
		}
		return
	}
}

const changed = `subscription($after: String) { productChanged(after: $after) { change key position product { name maker { name } } } }`

// position is that of the event in a message.
func position(t testing.TB, message string) string {
	t.Helper()
	var m struct {
		Payload struct {
			Data struct{ ProductChanged struct{ Position string } }
		}
	}
	if err := json.Unmarshal([]byte(message), &m); err != nil || m.Payload.Data.ProductChanged.Position == "" {
		t.Fatalf("%v: %s", err, message)
	}
	return m.Payload.Data.ProductChanged.Position
}

// event is the message for a change of a product, whatever its position.
func (c *client) event(id, change, key string) (at string) {
	c.Helper()
	got := c.read()
	at = position(c, got)
	row := `{"name":"n","maker":null}`
	if change == "LEFT" {
		row = "null"
	}
	if want := fmt.Sprintf(`{"id":%q,"type":"next","payload":{"data":{"productChanged":{"change":%q,"key":%q,"position":%q,"product":%s}}}}`, id, change, key, at, row); got != want {
		c.Fatalf("got  %s\nwant %s", got, want)
	}
	return at
}

// TestSubscription: a change arrives, as its subscriber may see it, and can be resumed from.
func TestSubscription(t *testing.T) {
	h := start(t, nil)
	c := h.known(t, "ada")
	h.subscribe(c, changed)
	h.create(t, "dear", 100) // which ada does not see
	h.create(t, "a", 1)
	at := c.event("1", "CREATED", "a")
	if _, err := h.Call(t.Context(), &facade.Call{Entity: "product", Operation: "update", Invocation: facade.Invocation{ID: json.RawMessage(`"a"`), Body: json.RawMessage(`{"price":200}`)}}); err != nil {
		t.Fatal(err)
	}
	c.event("1", "LEFT", "a")
	c.send(`{"type":"complete","id":"1"}`)
	c.settle()
	h.create(t, "b", 2)
	c.send(`{"type":"subscribe","id":"1","payload":{"query":%q,"variables":{"after":%q}}}`, changed, at)
	c.event("1", "LEFT", "a")
	c.event("1", "CREATED", "b")
	everything := h.known(t, "")
	everything.send(`{"type":"subscribe","id":"x","payload":{"query":%q,"variables":{"after":"start"}}}`, changed)
	everything.event("x", "CREATED", "dear")
}

// subscribe begins the subscription 1, and waits until it has its place in the log.
func (h *host) subscribe(c *client, query string) {
	c.Helper()
	before := h.follows.Load()
	c.send(`{"type":"subscribe","id":"1","payload":{"query":%q}}`, query)
	wait(c, func() bool { return h.follows.Load() > before })
}

// settle waits until the server has read what was sent before, and has executed a query.
func (c *client) settle() {
	c.Helper()
	c.send(`{"type":"subscribe","id":"settle","payload":{"query":"{ products { total } }"}}`)
	c.read()
	c.want(`{"id":"settle","type":"complete"}`)
}

// TestEqualSubscriptions: an event is evaluated once for all who see the same of it.
func TestEqualSubscriptions(t *testing.T) {
	h := start(t, nil)
	var all []*client
	for _, caller := range []string{"ada", "ada", "ada", "bob"} {
		c := h.known(t, caller)
		h.subscribe(c, changed)
		all = append(all, c)
	}
	h.create(t, "a", 1)
	for _, c := range all {
		c.event("1", "CREATED", "a")
	}
	if n := h.hub.Numbers(); n.Evaluated != 2 || n.Shared != 2 || n.Subscriptions != 4 {
		t.Errorf("%+v", n)
	}
}

// TestFailures: a store that cannot be reached is waited for, and nothing is missing then; a
// subscriber whose rights are gone has an error, and its connection goes on.
func TestFailures(t *testing.T) {
	h := start(t, nil)
	c := h.known(t, "ada")
	h.subscribe(c, changed)
	h.fails.Store(kiterror.Errorf(kiterror.ServiceUnavailable, "the store is down"))
	h.create(t, "a", 1)
	h.create(t, "b", 1)
	wait(t, func() bool { return h.failed.Load() > 0 })
	h.fails.Store(nil)
	c.event("1", "CREATED", "a")
	c.event("1", "CREATED", "b")
	h.fails.Store(kiterror.Errorf(kiterror.Forbidden, "no more"))
	h.create(t, "c", 1)
	if got := c.read(); !strings.HasPrefix(got, `{"id":"1","type":"error","payload":[{"message":"no more","locations":`) {
		t.Error(got)
	}
	wait(t, func() bool { return h.hub.Numbers().Subscriptions == 0 })
	c.settle()
}

// holding is a feed whose first reader waits in its first Poll until it is released.
type holding struct {
	subscriptions.Feed
	first         sync.Once
	held, release chan struct{}
}

func (f *holding) Follow(ctx context.Context, s *resolvers.Subscription) (subscriptions.Reader, error) {
	r, err := f.Feed.Follow(ctx, s)
	f.first.Do(func() { r = &heldReader{Reader: r, feed: f} })
	return r, err
}

type heldReader struct {
	subscriptions.Reader
	feed *holding
	once sync.Once
}

func (r *heldReader) Poll(ctx context.Context) ([]*facade.Event, facade.Position, error) {
	r.once.Do(func() {
		close(r.feed.held)
		<-r.feed.release
	})
	return r.Reader.Poll(ctx)
}

// TestShutdownEndsQuietSubscriptions: a subscription that has just begun, and has no events, does not
// hold up the end of its connection.
func TestShutdownEndsQuietSubscriptions(t *testing.T) {
	f := &holding{held: make(chan struct{}), release: make(chan struct{})}
	h := start(t, func(_ *subscriptions.SocketOptions, o *subscriptions.HubOptions) { f.Feed, o.Feed = o.Feed, f })
	c := h.known(t, "ada")
	begin := func(id string) { c.send(`{"id":%q,"type":"subscribe","payload":{"query":%q}}`, id, changed) }
	begin("1")
	<-f.held
	begin("2")
	for h.follows.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	stopped := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		h.server.Shutdown(ctx, true)
		stopped <- ctx.Err()
	}()
	for h.dial(t, nil).closed() != 1012 { // the server takes no connections any more
		time.Sleep(time.Millisecond)
	}
	close(f.release)
	c.closes(1012, "")
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// closed reads until the connection ends, at most for a moment, and returns its code.
func (c *client) closed() int {
	ctx, cancel := context.WithTimeout(c.ctx, time.Second)
	defer cancel()
	for {
		if _, _, err := c.Read(ctx); err != nil {
			return int(websocket.CloseStatus(err))
		}
	}
}
