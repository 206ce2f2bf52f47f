package gateway_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

// TestStartThatWaits: a start that has to wait for the tables answers probes, and hears its end.
func TestStartThatWaits(t *testing.T) {
	starts := map[string]func(ctx context.Context, p *facade.Project, address string, opts gateway.Options) (io.Closer, error){
		"gateway": func(ctx context.Context, p *facade.Project, address string, opts gateway.Options) (io.Closer, error) {
			opts.Config.Listen = address
			return gateway.Start(ctx, p, &opts)
		},
		"receiver": func(ctx context.Context, p *facade.Project, address string, opts gateway.Options) (io.Closer, error) {
			return gateway.StartReceiver(ctx, p, "app", &gateway.ReceiverOptions{Options: opts, Addresses: []string{address}})
		},
	}
	for name, start := range starts {
		t.Run(name, func(t *testing.T) { testStartThatWaits(t, start) })
	}
}

func testStartThatWaits(t *testing.T, start func(context.Context, *facade.Project, string, gateway.Options) (io.Closer, error)) {
	cluster := pgtest.New(t, pgtest.Options{})
	database := cluster.Database(t)
	_, stop := run(t, notes(t), gateway.Options{Config: gateway.Config{Store: cluster.Primary.URL(database)}})
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	// Another gateway changes the tables, for an hour.
	if err := cluster.Primary.Exec(database, "INSERT INTO frond.lease SELECT 'prepare public', 'another', now() + interval '1 hour'"); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	changed := folderOf(t, map[string]string{"entities/note.yaml": thingCard("title: type: string", "more?: type: [string, 'null'], x-kit: {lifecycle: {create: optional}}")})
	go func() {
		gw, err := start(ctx, changed, address, *quiet(gateway.Options{Config: gateway.Config{Store: cluster.Primary.URL(database)}}))
		if err == nil {
			err = errors.Join(errors.New("it started"), gw.Close())
		}
		ended <- err
	}()
	for by := time.Now().Add(time.Minute); ; {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
			break
		}
		select {
		case err := <-ended:
			t.Fatal(err)
		default:
		}
		if time.Now().After(by) {
			t.Fatal("the port does not open")
		}
	}
	for path, want := range map[string]int{"/livez": http.StatusOK, "/readyz": http.StatusServiceUnavailable, "/api/app/notes": http.StatusServiceUnavailable} {
		if status, body := send(t, http.MethodGet, "http://"+address+path, ""); status != want || want != http.StatusOK && !strings.Contains(body, "starting") {
			t.Errorf("%s: %d %s, want %d", path, status, body, want)
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, gateway.ErrStopped) {
		t.Errorf("stopped: %v", err)
	}
	if c, err := net.Dial("tcp", address); err == nil {
		_ = c.Close()
		t.Error("the port is still open")
	}
}
