package subscriptions_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway/subscriptions"
	"github.com/frondhost/frond/resolvers"
)

const initialised = `{"type":"connection_init"}`

// TestCloseCodes: every way to break the protocol, and how the connection ends then.
func TestCloseCodes(t *testing.T) {
	h := start(t, func(o *subscriptions.SocketOptions, _ *subscriptions.HubOptions) { o.MaxMessage = 64 << 10 })
	for name, c := range map[string]struct {
		send   []string
		code   int
		reason string
	}{
		"no JSON":                  {[]string{`{`}, 4400, "JSON object"},
		"no object":                {[]string{`[]`}, 4400, "JSON object"},
		"no type":                  {[]string{`{"id":"1"}`}, 4400, "has to have a type"},
		"a type of the server":     {[]string{initialised, `{"type":"next","id":"1"}`}, 4400, "none that a client sends"},
		"init with a list":         {[]string{`{"type":"connection_init","payload":[]}`}, 4400, "payload of connection_init"},
		"ping with a text":         {[]string{`{"type":"ping","payload":"x"}`}, 4400, "payload of ping"},
		"subscribe without id":     {[]string{initialised, `{"type":"subscribe","payload":{"query":"{__typename}"}}`}, 4400, "have an id"},
		"subscribe with id 1":      {[]string{initialised, `{"type":"subscribe","id":1,"payload":{"query":"{__typename}"}}`}, 4400, "have an id"},
		"subscribe without what":   {[]string{initialised, `{"type":"subscribe","id":"1"}`}, 4400, "have a payload"},
		"an id without end":        {[]string{initialised, fmt.Sprintf(`{"type":"subscribe","id":"%0300d","payload":{}}`, 1)}, 4400, "too long"},
		"complete without id":      {[]string{initialised, `{"type":"complete"}`}, 4400, "have an id"},
		"subscribe first":          {[]string{`{"type":"subscribe","id":"1","payload":{"query":"{__typename}"}}`}, 4401, "Unauthorized"},
		"a caller that is refused": {[]string{`{"type":"connection_init","payload":{"authorization":"bad"}}`}, 4403, "Forbidden: the token does not hold"},
		"a credential of no text":  {[]string{`{"type":"connection_init","payload":{"Authorization":{}}}`}, 4403, "authorization has to be a string"},
		"keys that are not there":  {[]string{`{"type":"connection_init","payload":{"authorization":"down"}}`}, 1013, "no keys"},
		"an id that is in use":     {[]string{initialised, fmt.Sprintf(`{"type":"subscribe","id":"é","payload":{"query":%q}}`, changed), fmt.Sprintf(`{"type":"subscribe","id":"é","payload":{"query":%q}}`, changed)}, 4409, "Subscriber for é already exists"},
		"init twice":               {[]string{initialised, initialised}, 4429, "Too many initialisation requests"},
		"a message of 65 KiB":      {[]string{strings.Repeat(" ", 65<<10)}, 1009, ""},
	} {
		t.Run(name, func(t *testing.T) {
			conn := h.dial(t, nil)
			for _, text := range c.send {
				conn.send("%s", text)
			}
			conn.closes(c.code, c.reason)
		})
	}
	t.Run("binary", func(t *testing.T) {
		c := h.dial(t, nil)
		if err := c.Write(c.ctx, websocket.MessageBinary, []byte(initialised)); err != nil {
			t.Fatal(err)
		}
		c.closes(4400, "text")
	})
	for name, protocols := range map[string][]string{"none": nil, "the old one": {"graphql-ws"}} {
		t.Run("subprotocol: "+name, func(t *testing.T) {
			h.dial(t, &websocket.DialOptions{Subprotocols: protocols}).closes(4406, "Subprotocol not acceptable")
		})
	}
}

// crashing fails on every operation.
type crashing struct{ subscriptions.Operations }

func (crashing) Operate(context.Context, json.RawMessage, access.State) (*resolvers.Subscription, *resolvers.Response) {
	panic("of an operation")
}

// TestInternalErrors: a failure of ours ends the connection with 1011, and its text stays here.
func TestInternalErrors(t *testing.T) {
	var log bytes.Buffer
	h := start(t, func(o *subscriptions.SocketOptions, _ *subscriptions.HubOptions) {
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
		o.Operations = crashing{o.Operations}
		o.Session = func(r *http.Request) (access.State, error) {
			if r.Header.Get("Authorization") == "crash" {
				panic("of a session")
			}
			return session(r)
		}
	})
	c := h.dial(t, nil)
	c.send(`{"type":"connection_init","payload":{"authorization":"crash"}}`)
	c.closes(1011, "Internal server error")
	c = h.known(t, "ada")
	c.send(`{"type":"subscribe","id":"1","payload":{"query":"{__typename}"}}`)
	c.closes(1011, "Internal server error")
	h.server.Shutdown(t.Context(), false) // nobody logs any more
	for _, want := range []string{"of a session", "of an operation"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no %q: %s", want, &log)
		}
	}
}

// TestInitTimeout: a client that says nothing is not waited for.
func TestInitTimeout(t *testing.T) {
	h := start(t, func(o *subscriptions.SocketOptions, _ *subscriptions.HubOptions) { o.InitWait = 20 * time.Millisecond })
	h.dial(t, nil).closes(4408, "Connection initialisation timeout")
}

// TestExpired: a connection ends with the credential of its caller, with a code after which
// clients connect again.
func TestExpired(t *testing.T) {
	h := start(t, func(o *subscriptions.SocketOptions, _ *subscriptions.HubOptions) {
		o.Expires = func(s access.State) time.Time {
			if s == nil {
				return time.Time{}
			}
			return time.Now().Add(20 * time.Millisecond)
		}
	})
	c := h.dial(t, nil)
	c.send(`{"type":"connection_init","payload":{"authorization":"ada"}}`)
	c.closes(4403, "expired") // behind the acknowledgement, unless that takes longer
	h.known(t, "").settle()
}

// TestCredentials: the caller is who the upgrade says, or the first message.
func TestCredentials(t *testing.T) {
	h := start(t, nil)
	h.create(t, "dear", 100)
	seen := func(header, payload string) string {
		t.Helper()
		o := &websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}, HTTPHeader: http.Header{}}
		if header != "" {
			o.HTTPHeader.Set("Authorization", header)
		}
		c := h.dial(t, o)
		c.send(`{"type":"connection_init","payload":%s}`, payload)
		_, text, err := c.Read(c.ctx)
		if err != nil {
			return err.Error()
		}
		if string(text) != `{"type":"connection_ack"}` {
			t.Fatalf("%s", text)
		}
		c.send(`{"type":"subscribe","id":"1","payload":{"query":"{ products { total } }"}}`)
		return c.read()
	}
	const all, none = `{"id":"1","type":"next","payload":{"data":{"products":{"total":1}}}}`, `{"id":"1","type":"next","payload":{"data":{"products":{"total":0}}}}`
	for _, c := range []struct{ header, payload, want string }{
		{"", `{}`, all},
		{"", `null`, all},
		{"", `{"authorization":null,"other":1}`, all},
		{"", `{"authorization":"ada"}`, none},
		{"", `{"Authorization":"ada"}`, none},
		{"ada", `{}`, none},
		{"ada", `{"authorization":"ada"}`, none},
		{"ada", `{"authorization":"bob"}`, "different credentials"},
		{"bad", `{}`, "4403"},
	} {
		if got := seen(c.header, c.payload); !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %s, want %s", c.header, c.payload, got, c.want)
		}
	}
}

// TestOperations: queries and mutations have one response, and what is refused has an error.
// None of it ends the connection.
func TestOperations(t *testing.T) {
	h := start(t, nil)
	c := h.known(t, "")
	for _, o := range []struct{ payload, want string }{
		{`{"query":"{ products { total } }"}`, `"type":"next","payload":{"data":{"products":{"total":0}}}}`},
		{`{"query":"mutation { createProduct(input: {id: \"p\", name: \"n\", price: 1}) { id } }"}`, `"type":"next","payload":{"data":{"createProduct":{"id":"p"}}}}`},
		{`{"query":"query($id: ID!) { product(id: $id) { name } }","variables":{"id":"p"}}`, `"type":"next","payload":{"data":{"product":{"name":"n"}}}}`},
		{`{"query":"{ nope }"}`, `"type":"error","payload":[{"message":"Cannot query field`},
		{`{"query":"{"}`, `"type":"error","payload":[{"message":`},
		{`{}`, `"type":"error","payload":[{"message":"there is no query`},
		{`{"query":1}`, `"type":"error","payload":[{"message":"the member query has to be a string`},
		{`{"query":"subscription { productChanged(after: \"x\") { key } }"}`, `"type":"error","payload":[{"message":"\"x\" is no position`},
		{`{"query":"subscription { productChanged(after: \"` + facade.Position(1<<50).String() + `\") { key } }"}`, `"type":"error","payload":[{"message":"`},
		{`{"query":"subscription { productChanged(filter: {name: {like: 1}}) { key } }"}`, `"type":"error"`},
	} {
		c.send(`{"type":"subscribe","id":"1","payload":%s}`, o.payload)
		got := c.read()
		if !strings.HasPrefix(got, `{"id":"1",`) || !strings.Contains(got, o.want) {
			t.Errorf("%s: %s, want %s", o.payload, got, o.want)
		}
		if strings.Contains(o.want, "next") {
			c.want(`{"id":"1","type":"complete"}`)
		}
	}
	c.send(`{"type":"ping"}`)
	c.want(`{"type":"pong"}`)
	c.send(`{"type":"ping","payload":{"a":1}}`)
	c.want(`{"type":"pong","payload":{"a":1}}`)
	c.send(`{"type":"pong"}`)
	c.send(`{"type":"complete","id":"unknown"}`)
	c.settle()
	refused := h.known(t, "nobody")
	refused.send(`{"type":"subscribe","id":"1","payload":{"query":%q}}`, changed)
	if got := refused.read(); !strings.Contains(got, `"type":"error"`) || !strings.Contains(got, "FORBIDDEN") {
		t.Errorf("who may not see products: %s", got)
	}
}

// TestPlacesOfUnknownCallers: a connection counts for its address until its caller is known, and
// addresses leave a part of all places to identified callers.
func TestPlacesOfUnknownCallers(t *testing.T) {
	refused := func(h *host, want string) {
		t.Helper()
		_, resp, err := websocket.Dial(t.Context(), h.url, nil) //nolint:bodyclose // it was refused
		if err == nil || resp.StatusCode != 429 {
			t.Errorf("%s: a connection more is accepted: %v", want, err)
		}
	}
	caller := func(_ string, state access.State) string {
		if id, is := state.User()["id"].(string); is {
			return "user " + id
		}
		return subscriptions.ByAddress + "10.0.0.1"
	}
	h := start(t, func(o *subscriptions.SocketOptions, s *subscriptions.HubOptions) {
		s.Limits, o.Caller = subscriptions.Limits{Caller: 2, Process: 100}, caller
	})
	first := h.dial(t, nil)
	h.dial(t, nil)
	refused(h, "two connections of one address without a caller")
	first.send(`{"type":"connection_init","payload":{"authorization":"ada"}}`)
	first.want(`{"type":"connection_ack"}`)
	h.dial(t, nil) // ada's counts for ada
	refused(h, "two again")
	bob := h.dial(t, &websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}, HTTPHeader: http.Header{"Authorization": {"bob"}}}) // the upgrade identifies him
	bob.send(`{"type":"connection_init"}`)
	bob.want(`{"type":"connection_ack"}`)
	refused(h, "bob's is none of the address")

	h = start(t, func(o *subscriptions.SocketOptions, s *subscriptions.HubOptions) {
		s.Limits, o.Caller = subscriptions.Limits{Caller: 100, Process: 8}, caller
	})
	for range 3 {
		h.known(t, "ada")
	}
	for range 4 {
		h.dial(t, nil)
	}
	h.known(t, "bob")
	refused(h, "all places are taken")
}

// TestLimits: too many subscriptions are refused, each with what there are too many of, and
// those that there are go on.
func TestLimits(t *testing.T) {
	h := start(t, func(o *subscriptions.SocketOptions, s *subscriptions.HubOptions) {
		s.Limits = subscriptions.Limits{Connection: 2, Caller: 3, Process: 4}
		o.Caller = func(_ string, state access.State) string { return fmt.Sprint(state.User()["id"]) }
		n := 0
		o.Allow = func(string, access.State) error {
			if n++; n > 40 {
				return kiterror.Errorf(kiterror.TooManyRequests, "too often")
			}
			return nil
		}
	})
	subscribe := func(c *client, id string) {
		t.Helper()
		before := h.follows.Load()
		c.send(`{"type":"subscribe","id":%q,"payload":{"query":%q}}`, id, changed)
		wait(t, func() bool { return h.follows.Load() > before })
	}
	refused := func(c *client, want string) {
		t.Helper()
		c.send(`{"type":"subscribe","id":"refused","payload":{"query":%q}}`, changed)
		if got := c.read(); !strings.Contains(got, want) || !strings.Contains(got, `"type":"error"`) || !strings.Contains(got, "TOO_MANY_REQUESTS") {
			t.Errorf("%s, want %s", got, want)
		}
	}
	first := h.known(t, "ada")
	subscribe(first, "1")
	subscribe(first, "2")
	refused(first, "this connection has 2 operations")
	second := h.known(t, "ada")
	subscribe(second, "1")
	refused(second, "this caller has 3 open subscriptions")
	third := h.known(t, "bob")
	subscribe(third, "1")
	refused(third, "this host has 4 open subscriptions")
	h.create(t, "a", 1)
	third.event("1", "CREATED", "a")
	h.known(t, "ada")
	if n := h.hub.Numbers().Connections; n != 4 {
		t.Errorf("%d connections", n)
	}
	if _, resp, err := websocket.Dial(t.Context(), h.url, nil); err == nil || resp.StatusCode != 429 { //nolint:bodyclose // it was refused
		t.Errorf("a fifth connection: %v", err)
	}
	_ = third.Close(1000, "")
	wait(t, func() bool { return h.hub.Numbers().Connections == 3 })
	fourth := h.dial(t, nil)
	fourth.send(`{"type":"connection_init","payload":{"authorization":"ada"}}`)
	fourth.closes(1013, "this caller has 3 open connections")
	wait(t, func() bool { n := h.hub.Numbers(); return n.Subscriptions == 3 && n.Connections == 3 })
	for i := 0; ; i++ {
		second.send(`{"type":"subscribe","id":"q%d","payload":{"query":"{ __typename }"}}`, i)
		if got := second.read(); strings.Contains(got, "too often") {
			break
		}
	}
}

func wait(t testing.TB, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not come to be")
		}
	}
}

// TestShutdown: the program stops; connections end when what executes has ended, and the ones
// that come then end at once.
func TestShutdown(t *testing.T) {
	for _, restart := range []bool{false, true} {
		code := 1001
		if restart {
			code = 1012
		}
		h := start(t, nil)
		c := h.known(t, "")
		h.subscribe(c, changed)
		done := make(chan struct{})
		go func() {
			defer close(done)
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			h.server.Shutdown(ctx, restart)
		}()
		c.closes(code, "connect again")
		<-done
		if n := h.hub.Numbers(); n.Connections != 0 || n.Subscriptions != 0 {
			t.Errorf("something remains: %+v", n)
		}
		h.server.Shutdown(t.Context(), restart) // once more changes nothing
		h.dial(t, nil).closes(code, "connect again")
	}
}

// TestKeepAlive: a connection on which nothing happens is pinged, and one that is dead ends.
func TestKeepAlive(t *testing.T) {
	var ended subscriptions.SocketSummary
	over := make(chan struct{})
	h := start(t, func(o *subscriptions.SocketOptions, _ *subscriptions.HubOptions) {
		o.KeepAlive = time.Second
		o.Closed = func(s subscriptions.SocketSummary) { ended = s; close(over) }
	})
	c := h.known(t, "ada")
	c.want(`{"type":"ping"}`)
	c.send(`{"type":"pong"}`)
	c.want(`{"type":"ping"}`)
	<-over // no pong
	if ended.Code != 1006 || ended.Operations != 0 {
		t.Errorf("%+v", ended)
	}
}

// TestSlowClient: one that does not read is cut off, and holds up nobody. What it missed is
// there when it comes back.
func TestSlowClient(t *testing.T) {
	h := start(t, func(o *subscriptions.SocketOptions, _ *subscriptions.HubOptions) { o.Patience = 300 * time.Millisecond })
	slow, fast := h.known(t, ""), h.known(t, "")
	const wide = `subscription { productChanged { key position product { name } } }`
	h.subscribe(slow, wide)
	h.subscribe(fast, changed)
	name := strings.Repeat("x", 50_000)
	last := ""
	for i := 0; h.hub.Numbers().Connections == 2; i++ {
		if i == 1000 {
			t.Fatal("50 MB fit into the network; the client is not cut off")
		}
		id := fmt.Sprint("p", i)
		if _, err := h.Call(t.Context(), &facade.Call{Entity: "product", Operation: "create", Invocation: facade.Invocation{Body: fmt.Appendf(nil, `{"id":%q,"name":%q,"price":1}`, id, name)}}); err != nil {
			t.Fatal(err)
		}
		last = fast.read()
	}
	fast.send(`{"type":"complete","id":"1"}`)
	fast.settle()
	h.create(t, "after", 1)
	back := h.known(t, "")
	back.send(`{"type":"subscribe","id":"1","payload":{"query":%q,"variables":{"after":%q}}}`, changed, position(t, last))
	back.event("1", "CREATED", "after")
}

// TestUpgrade: what is no websocket is refused, and a client that speaks early is heard.
func TestUpgrade(t *testing.T) {
	h := start(t, nil)
	listener := httptest.NewServer(h.server)
	defer listener.Close()
	resp, err := http.Get(listener.URL)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusUpgradeRequired {
		t.Errorf("a GET has the status %d", resp.StatusCode)
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(listener.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	// A masked text frame of the first message, behind the request in one packet.
	frame := append([]byte{0x81, 0x80 | byte(len(initialised)), 0, 0, 0, 0}, initialised...)
	_, _ = conn.Write(append([]byte("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n"), frame...))
	_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
	var got []byte
	for !strings.Contains(string(got), "connection_ack") {
		room := make([]byte, 4096)
		n, err := conn.Read(room)
		if err != nil {
			t.Fatalf("%v after %s", err, got)
		}
		got = append(got, room[:n]...)
	}
}

// wrapping is a listener whose connections count the bytes that are read through them.
type wrapping struct {
	net.Listener
	read atomic.Int64
}

func (l *wrapping) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return wrapped{conn, l}, err
}

type wrapped struct {
	net.Conn
	of *wrapping
}

func (c wrapped) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.of.read.Add(int64(n))
	return n, err
}

func (c wrapped) Plain() net.Conn { return c.Conn }

// TestPlainConnection: a websocket reads the connection below the wrapper of the listener.
func TestPlainConnection(t *testing.T) {
	h := start(t, nil)
	l := &wrapping{Listener: httptest.NewUnstartedServer(nil).Listener}
	plain := &httptest.Server{Listener: l, Config: &http.Server{Handler: h.server}} //nolint:gosec // a test
	plain.Start()
	defer plain.Close()
	h.url = "ws" + strings.TrimPrefix(plain.URL, "http")
	c := h.dial(t, nil)
	upgrade := l.read.Load()
	c.send(initialised)
	c.want(`{"type":"connection_ack"}`)
	// net/http waits for the first byte behind a request until it hands the connection over, and may
	// get that of the first message.
	if read := l.read.Load(); upgrade == 0 || read > upgrade+1 {
		t.Errorf("the wrapper read %d bytes of the upgrade, then %d of the websocket", upgrade, read-upgrade)
	}
}
