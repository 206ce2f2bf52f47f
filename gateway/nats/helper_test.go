package nats

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	client "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/frondhost/frond/e2e/freeport"
	"github.com/frondhost/frond/facts/delivery"
)

// start runs a server with JetStream in a folder at a port, -1 for any. cluster are its name and
// routes, where it has some.
func start(t testing.TB, dir string, port int, change func(*server.Options)) *server.Server {
	t.Helper()
	o := &server.Options{ServerName: "alone", Host: "127.0.0.1", Port: port, StoreDir: dir, JetStream: true, SyncAlways: true, NoSigs: true}
	if change != nil {
		change(o)
	}
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	return s
}

// cluster runs three servers that know each other, and waits until they have a leader.
func cluster(t testing.TB) (servers []*server.Server, urls []string) {
	t.Helper()
	var routes []string
	var ports []int
	for range 3 {
		port := freeport.Port(t)
		ports = append(ports, port)
		routes = append(routes, fmt.Sprint("nats://127.0.0.1:", port))
	}
	dir := t.TempDir()
	for i, port := range ports {
		s := start(t, filepath.Join(dir, fmt.Sprint(i)), -1, func(o *server.Options) {
			o.ServerName, o.Cluster = fmt.Sprint("s", i), server.ClusterOpts{Name: "facts", Host: "127.0.0.1", Port: port}
			o.Routes = server.RoutesFromStr(strings.Join(routes, ","))
		})
		servers, urls = append(servers, s), append(urls, s.ClientURL())
	}
	eventually(t, "the cluster has a leader", func() bool {
		for _, s := range servers {
			if s.JetStreamIsLeader() {
				return len(s.JetStreamClusterPeers()) == 3
			}
		}
		return false
	})
	return servers, urls
}

// eventually waits for what a test cannot go on without.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for by := time.Now().Add(90 * time.Second); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(by) {
			t.Fatal("it does not become true: " + what)
		}
	}
}

// run runs a publisher until stop is called or the test ends.
func run(t testing.TB, config clientConfig, c *delivery.Consumer) (p *publisher, stop func()) {
	t.Helper()
	p, err := newPublisher(config, publisherOptions{Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() { defer close(done); _ = p.Run(ctx, c) }()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return p, stop
}

// began waits until a consumer has its first cursor: events from then on are its.
func began(t testing.TB, c *delivery.Consumer) {
	t.Helper()
	eventually(t, "the consumer has a cursor", func() bool {
		_, known, err := c.Store.Cursor(t.Context(), c.Name)
		return err == nil && known
	})
}

// connect is a consumer's connection.
func connect(t testing.TB, url string) jetstream.JetStream {
	t.Helper()
	conn, err := client.Connect(url, client.MaxReconnects(-1), client.ReconnectWait(50*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// readStream reads count messages of the stream from its begin, with an ordinary consumer.
func readStream(t testing.TB, js jetstream.JetStream, stream string, count int) (all []jetstream.Msg) {
	t.Helper()
	c, err := js.OrderedConsumer(t.Context(), stream, jetstream.OrderedConsumerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	for by := time.Now().Add(90 * time.Second); len(all) < count; {
		batch, err := c.Fetch(count-len(all), jetstream.FetchMaxWait(5*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		for m := range batch.Messages() {
			all = append(all, m)
		}
		// A cluster that elects a leader answers nothing for a while.
		if time.Now().After(by) {
			t.Fatalf("%d messages of %d; the last fetch ended with %v", len(all), count, batch.Error())
		}
	}
	return all
}
