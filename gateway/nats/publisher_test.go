package nats

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/frondhost/frond/e2e/freeport"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facts/delivery"
	"github.com/frondhost/frond/facts/delivery/deliverytest"
	"github.com/frondhost/frond/store/storetest"
)

// TestPublish: an event is a CloudEvent at its subject, with its id as Nats-Msg-Id, in a stream
// that was made; the cursor is behind it.
func TestPublish(t *testing.T) {
	s := start(t, t.TempDir(), -1, nil)
	store := storetest.NewStore()
	c := deliverytest.Consumer(t, "nats", store)
	p, _ := run(t, clientConfig{URL: s.ClientURL()}, c)
	began(t, c)
	deliverytest.Emit(t, store, deliverytest.Event(1, 7), deliverytest.Event(2, 7), deliverytest.Event(3, 8))
	eventually(t, "all are delivered", func() bool { return c.Stats.State().Delivered == 3 })
	js := connect(t, s.ClientURL())
	messages := readStream(t, js, "FROND_FACTS", 3)
	for i, m := range messages {
		var body struct {
			SpecVersion, ID, Source, Type, Subject, Sequence string
			Data                                             struct{ ID, Number int }
		}
		if err := json.Unmarshal(m.Data(), &body); err != nil {
			t.Fatal(err)
		}
		id := fmt.Sprintf("00000000-0000-7000-8000-%012d", i+1)
		if m.Subject() != "frond.shop.orderPlaced" || m.Headers().Get(jetstream.MsgIDHeader) != id || body.ID != id || body.Data.Number != i+1 ||
			body.SpecVersion != "1.0" || body.Source != "/shop" || body.Type != "shop.orderPlaced" || body.Subject != fmt.Sprint("order/", body.Data.ID) || len(body.Sequence) != 13 {
			t.Errorf("message %d: %s %v %s", i, m.Subject(), m.Headers(), m.Data())
		}
	}
	_, last, _ := store.Span(t.Context())
	eventually(t, "the cursor is at the end", func() bool { return c.Stats.State().Cursor == last })
	if p.Problem() != "" {
		t.Error(p.Problem())
	}
	stream, err := js.Stream(t.Context(), "FROND_FACTS")
	if err != nil {
		t.Fatal(err)
	}
	if config := stream.CachedInfo().Config; config.Storage != jetstream.FileStorage || config.MaxAge != 7*24*time.Hour || config.Duplicates != 10*time.Minute || config.Replicas != 1 {
		t.Errorf("%+v", config)
	}
}

// TestServerMissing: without a server at the start facts wait, the problem says so, and they are published
// when there is one.
func TestServerMissing(t *testing.T) {
	port := freeport.Port(t)
	first := start(t, t.TempDir(), port, nil)
	url := first.ClientURL()
	first.Shutdown()
	first.WaitForShutdown()
	store := storetest.NewStore()
	c := deliverytest.Consumer(t, "nats", store)
	p, _ := run(t, clientConfig{URL: url}, c)
	began(t, c)
	deliverytest.Emit(t, store, deliverytest.Event(1, 1))
	eventually(t, "the state says what is wrong, and what waits", func() bool {
		s := c.Stats.State()
		return strings.Contains(s.Problem, "NATS cannot be reached") && s.Waiting == 1 && s.Lag() > 0
	})
	if !strings.Contains(p.Problem(), "facts wait in the outbox") || strings.Contains(p.Problem(), "127.0.0.1") {
		t.Error(p.Problem())
	}
	start(t, t.TempDir(), port, nil)
	eventually(t, "it is published", func() bool { return c.Stats.State().Delivered == 1 && p.Problem() == "" })
}

// TestStreamOfAnother: a stream that exists is used as it is where it has the subjects; else the
// problem says what to write, and facts wait until it is done.
func TestStreamOfAnother(t *testing.T) {
	s := start(t, t.TempDir(), -1, nil)
	js := connect(t, s.ClientURL())
	own := jetstream.StreamConfig{Name: "FROND_FACTS", Subjects: []string{"orders.>"}, Storage: jetstream.MemoryStorage, MaxMsgs: 1000}
	if _, err := js.CreateStream(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	store := storetest.NewStore()
	c := deliverytest.Consumer(t, "nats", store)
	run(t, clientConfig{URL: s.ClientURL()}, c)
	began(t, c)
	deliverytest.Emit(t, store, deliverytest.Event(1, 1))
	eventually(t, "the state says what is wrong", func() bool {
		return strings.Contains(c.Stats.State().Problem, "has the subjects orders.>; add frond.> to them")
	})
	own.Subjects = append(own.Subjects, "frond.>")
	if _, err := js.UpdateStream(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is published", func() bool { return c.Stats.State().Delivered == 1 })
	stream, _ := js.Stream(t.Context(), "FROND_FACTS")
	if config := stream.CachedInfo().Config; config.Storage != jetstream.MemoryStorage || config.MaxMsgs != 1000 {
		t.Errorf("the stream was changed: %+v", config)
	}
	other := deliverytest.Consumer(t, "other", store)
	run(t, clientConfig{URL: s.ClientURL(), Stream: "second"}, other)
	began(t, other)
	deliverytest.Emit(t, store, deliverytest.Event(2, 1))
	eventually(t, "the state says that the subjects are taken", func() bool { return strings.Contains(other.Stats.State().Problem, "another stream has its subjects") })
}

// TestReplayWhileBusy: what a replay has revived is published, in the order of its positions and
// however much it is, while other events come all the time.
func TestReplayWhileBusy(t *testing.T) {
	defer func(every time.Duration) { lookEvery = every }(lookEvery)
	lookEvery = 50 * time.Millisecond
	s := start(t, t.TempDir(), -1, nil)
	store := storetest.NewStore()
	c := deliverytest.Consumer(t, "nats", store)
	_, stop := run(t, clientConfig{URL: s.ClientURL()}, c)
	began(t, c)
	busy := make(chan struct{})
	emitting := make(chan struct{})
	go func() {
		defer close(emitting)
		for n := 1000; ; n++ {
			select {
			case <-busy:
				return
			case <-time.After(20 * time.Millisecond):
				deliverytest.Emit(t, store, deliverytest.Event(n, n))
			}
		}
	}()
	eventually(t, "the publisher is busy", func() bool { return c.Stats.State().Delivered > 0 })
	const replayed = 300 // more than are read at once
	for n := range replayed {
		e := deliverytest.Event(n, 1)
		e.Position = facade.Position(n + 1)
		if err := store.Bury(t.Context(), &facade.DeadEvent{Consumer: delivery.Retrying("nats"), Event: e}); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "all of it is published", func() bool {
		waiting, err := store.Dead(t.Context(), delivery.Retrying("nats"), 1)
		return err == nil && len(waiting) == 0
	})
	close(busy)
	<-emitting
	stop()
}

// TestRefused: a client whose token the server does not take says so, and goes on when the server
// takes it, however often it was refused.
func TestRefused(t *testing.T) {
	gate := &natsGate{}
	s := start(t, t.TempDir(), -1, func(o *server.Options) { o.CustomClientAuthentication = gate })
	store := storetest.NewStore()
	c := deliverytest.Consumer(t, "nats", store)
	p, _ := run(t, clientConfig{URL: s.ClientURL(), Token: "not-printed"}, c)
	began(t, c)
	deliverytest.Emit(t, store, deliverytest.Event(1, 1))
	eventually(t, "it was refused several times", func() bool { return gate.refused.Load() >= 3 })
	eventually(t, "the problem says what to mend", func() bool { return strings.Contains(p.Problem(), "NATS refuses the token") })
	if strings.Contains(p.Problem(), "not-printed") {
		t.Error(p.Problem())
	}
	gate.open.Store(true)
	eventually(t, "it is published", func() bool { return c.Stats.State().Delivered == 1 && p.Problem() == "" })
}

// natsGate lets clients in once it is open.
type natsGate struct {
	open    atomic.Bool
	refused atomic.Int64
}

// Check implements [server.Authentication].
func (g *natsGate) Check(server.ClientAuthentication) bool {
	if g.open.Load() {
		return true
	}
	g.refused.Add(1)
	return false
}

// TestTooLarge: an event that no server takes is dead, and those behind it go on.
func TestTooLarge(t *testing.T) {
	s := start(t, t.TempDir(), -1, func(o *server.Options) { o.MaxPayload = 4096 })
	store := storetest.NewStore()
	c := deliverytest.Consumer(t, "nats", store)
	_, stop := run(t, clientConfig{URL: s.ClientURL()}, c)
	began(t, c)
	large := deliverytest.Event(1, 1)
	large.Data = json.RawMessage(`"` + strings.Repeat("x", 5000) + `"`)
	deliverytest.Emit(t, store, large, deliverytest.Event(2, 1))
	eventually(t, "the second one is published", func() bool { return c.Stats.State().Delivered == 1 })
	dead, err := store.Dead(t.Context(), "nats", 10)
	if err != nil || len(dead) != 1 || dead[0].Event.ID != large.ID {
		t.Fatalf("%v %v", dead, err)
	}
	// As frond facts replay does it, once the server takes more, and with the next start.
	dead[0].Consumer = delivery.Retrying("nats")
	if err := store.Bury(t.Context(), dead[0]); err != nil {
		t.Fatal(err)
	}
	stop()
	big := start(t, t.TempDir(), -1, nil)
	again := deliverytest.Consumer(t, "nats", store)
	run(t, clientConfig{URL: big.ClientURL()}, again)
	eventually(t, "the large one is published", func() bool { return again.Stats.State().Delivered == 1 })
	eventually(t, "it is not kept any more", func() bool {
		dead, err := store.Dead(t.Context(), delivery.Retrying("nats"), 10)
		return err == nil && len(dead) == 0
	})
}

// TestRestarts: a server that is killed and starts again under load loses nothing, and each event
// is in the stream once, in the order of its key.
func TestRestarts(t *testing.T) {
	dir := t.TempDir()
	port := freeport.Port(t)
	s := start(t, dir, port, nil)
	store := storetest.NewStore()
	c := deliverytest.Consumer(t, "nats", store)
	run(t, clientConfig{URL: s.ClientURL()}, c)
	began(t, c)
	const count = 600
	for n := 1; n <= count; n++ {
		deliverytest.Emit(t, store, deliverytest.Event(n, n%13))
		time.Sleep(time.Millisecond)
		if n%200 == 100 {
			s.Shutdown()
			s.WaitForShutdown()
			s = start(t, dir, port, nil)
		}
	}
	eventually(t, "all are published", func() bool { return behind(t, store) == 0 })
	once(t, readStream(t, connect(t, s.ClientURL()), "FROND_FACTS", count), count)
}

// TestCluster: a cluster of three loses one server under load, the leader of the stream, and no
// event.
func TestCluster(t *testing.T) {
	servers, urls := cluster(t)
	store := storetest.NewStore()
	c := deliverytest.Consumer(t, "nats", store)
	run(t, clientConfig{URL: strings.Join(urls, ","), Replicas: 3}, c)
	began(t, c)
	const count = 600
	var other *server.Server
	for n := 1; n <= count; n++ {
		deliverytest.Emit(t, store, deliverytest.Event(n, n%13))
		time.Sleep(time.Millisecond)
		if n != count/2 {
			continue
		}
		eventually(t, "the stream has a leader", func() bool { return c.Stats.State().Delivered > 0 })
		leader := -1
		eventually(t, "the stream has a leader that is known", func() bool {
			leader = slices.IndexFunc(servers, func(s *server.Server) bool { return s.JetStreamIsStreamLeader("$G", "FROND_FACTS") })
			return leader >= 0
		})
		other = servers[(leader+1)%len(servers)]
		servers[leader].Shutdown() // this one alone: another one leads before it is down
		servers[leader].WaitForShutdown()
	}
	eventually(t, "all are published", func() bool { return behind(t, store) == 0 })
	once(t, readStream(t, connect(t, other.ClientURL()), "FROND_FACTS", count), count)
}

// behind is how many events the cursor of the consumer nats has before it.
func behind(t testing.TB, store facade.Outbox) int {
	t.Helper()
	at, _, err := store.Cursor(t.Context(), "nats")
	if err != nil {
		t.Fatal(err)
	}
	n, _, err := store.Behind(t.Context(), at, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// once holds messages to what is promised: each event once, those of a key in their order.
func once(t testing.TB, messages []jetstream.Msg, count int) {
	t.Helper()
	seen, last := map[string]bool{}, map[int]int{}
	for _, m := range messages {
		var body struct {
			ID   string
			Data struct{ ID, Number int }
		}
		if err := json.Unmarshal(m.Data(), &body); err != nil {
			t.Fatal(err)
		}
		if seen[body.ID] {
			t.Errorf("event %d is there twice", body.Data.Number)
		}
		if seen[body.ID] = true; last[body.Data.ID] > body.Data.Number {
			t.Errorf("key %d: %d is behind %d", body.Data.ID, body.Data.Number, last[body.Data.ID])
		}
		last[body.Data.ID] = body.Data.Number
	}
	if len(seen) != count {
		t.Errorf("%d events of %d", len(seen), count)
	}
}

// TestConfigs: what cannot be used is refused when the publisher is made, without secrets.
func TestConfigs(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(bad, []byte("hunter2"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []clientConfig{
		{URL: "http://admin:hunter2@broker"},
		{URL: "nats://"},
		{URL: ""},
		{URL: "nats://a:4222,b:4222"},
		{URL: "nats://a", CA: bad},
		{URL: "nats://a", CA: filepath.Join(dir, "none")},
		{URL: "nats://a", Credentials: filepath.Join(dir, "none")},
		{URL: "nats://a", Certificate: bad, Key: bad},
	} {
		if _, err := newPublisher(c, publisherOptions{}); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestTLS: servers that want a client's certificate and a user, by the files and the URL that the
// settings name.
func TestTLS(t *testing.T) {
	dir := t.TempDir()
	ca, key := authority(t)
	serverPair := issued(t, dir, "server", ca, key)
	clientPair := issued(t, dir, "client", ca, key)
	pool := x509.NewCertPool()
	pool.AddCert(ca)
	certificate, err := tls.LoadX509KeyPair(serverPair[0], serverPair[1])
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, t.TempDir(), -1, func(o *server.Options) {
		o.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12}
		o.Username, o.Password = "frond", "hunter2"
	})
	good := clientConfig{URL: strings.Replace(s.ClientURL(), "nats://", "tls://frond:hunter2@", 1), CA: filepath.Join(dir, "ca.pem"), Certificate: clientPair[0], Key: clientPair[1]}
	if !strings.HasPrefix(good.URL, "tls://frond:hunter2@") {
		good.URL = "tls://frond:hunter2@" + good.URL[strings.Index(good.URL, "//")+2:]
	}
	store := storetest.NewStore()
	c := deliverytest.Consumer(t, "nats", store)
	run(t, good, c)
	began(t, c)
	deliverytest.Emit(t, store, deliverytest.Event(1, 1))
	eventually(t, "it is published", func() bool { return c.Stats.State().Delivered == 1 })
	// What is wrong on either side is named, without a secret.
	stranger, distrusting := good, good
	stranger.Certificate, stranger.Key, distrusting.CA = "", "", ""
	for want, config := range map[string]clientConfig{"it may want facts.nats.certificate": stranger, "write the authority's as facts.nats.ca": distrusting} {
		other := deliverytest.Consumer(t, want, store)
		p, _ := run(t, config, other)
		began(t, other)
		deliverytest.Emit(t, store, deliverytest.Event(2, 1))
		eventually(t, "the problem says: "+want, func() bool { return strings.Contains(p.Problem(), want) })
		if text := p.Problem() + other.Stats.State().Problem; strings.Contains(text, "hunter2") || other.Stats.State().Delivered != 0 {
			t.Error(text)
		}
	}
}

// TestStreamLost: a stream that is made again in place of one that is gone is a warning with the
// command that publishes its events again; the first one is not.
func TestStreamLost(t *testing.T) {
	s := start(t, t.TempDir(), -1, nil)
	store := storetest.NewStore()
	var lines lockedText
	publish := func() (c *delivery.Consumer, stop func()) {
		c = deliverytest.Consumer(t, "nats", store)
		p, err := newPublisher(clientConfig{URL: s.ClientURL()}, publisherOptions{Log: slog.New(slog.NewTextHandler(&lines, nil))})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); _ = p.Run(ctx, c) }()
		return c, func() { cancel(); <-done }
	}
	c, stop := publish()
	began(t, c)
	begin, _, _ := store.Cursor(t.Context(), "nats")
	deliverytest.Emit(t, store, deliverytest.Event(1, 1), deliverytest.Event(2, 1))
	eventually(t, "both are published", func() bool { return c.Stats.State().Delivered == 2 })
	_, last, _ := store.Span(t.Context())
	eventually(t, "the cursor is at the end", func() bool { return c.Stats.State().Cursor == last })
	stop()
	if text := lines.String(); strings.Contains(text, "level=WARN") || !strings.Contains(text, "a stream was made in NATS") {
		t.Errorf("at the first start: %s", text)
	}
	if err := connect(t, s.ClientURL()).DeleteStream(t.Context(), "FROND_FACTS"); err != nil {
		t.Fatal(err)
	}
	c, stop = publish()
	defer stop()
	deliverytest.Emit(t, store, deliverytest.Event(3, 1))
	eventually(t, "the third is published", func() bool { return c.Stats.State().Delivered == 1 })
	if text := lines.String(); !strings.Contains(text, "level=WARN") || !strings.Contains(text, `command="frond facts replay nats --from `+begin.String()+`"`) {
		t.Errorf("after the stream was lost: %s", text)
	}
}

// lockedText is a text that several goroutines write.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
