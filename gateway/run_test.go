package gateway

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frondhost/frond/e2e/freeport"
)

// quietHost is a host without a project: enough to serve a handler.
func quietHost(config Config, listening func(string)) *Host {
	return &Host{config: config.withDefaults(), log: slog.New(slog.DiscardHandler), announce: listening, endStreams: func() {}}
}

// start serves a handler on a free port and answers its address, the drain's
// beginning and its end.
func start(t *testing.T, config Config, handler http.Handler, draining *atomic.Bool) (url string, stop func(), ended <-chan error) {
	t.Helper()
	urls, done := make(chan string, 1), make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	h := quietHost(config, func(url string) { urls <- url })
	go func() { done <- h.serve(ctx, handler, draining, "127.0.0.1:0") }()
	select {
	case url = <-urls:
	case err := <-done:
		t.Fatalf("it did not start: %v", err)
	case <-time.After(time.Minute):
		t.Fatal("it did not start")
	}
	return url, cancel, done
}

func TestDrainLetsRequestsFinish(t *testing.T) {
	var draining atomic.Bool
	inside, finish := make(chan struct{}), make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/readyz", (&Host{feeds: &feeds{}, ways: &ways{}}).ready(&draining, false))
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		close(inside)
		<-finish
		if err := r.Context().Err(); err != nil {
			t.Errorf("the drain cancelled a request in flight: %v", err)
		}
		_, _ = io.WriteString(w, "done")
	})
	url, stop, ended := start(t, Config{Shutdown: Shutdown{Delay: 200 * time.Millisecond}}, mux, &draining)

	if status, _ := get(t, url+"/readyz"); status != 200 {
		t.Errorf("/readyz is %d before the drain, want 200", status)
	}
	type answer struct {
		status int
		body   string
	}
	answered := make(chan answer, 1)
	go func() {
		status, body := get(t, url+"/slow")
		answered <- answer{status, body}
	}()
	<-inside
	stop()
	// During the delay it still accepts, and says that it would rather not.
	await(t, func() bool { status, _ := get(t, url+"/readyz"); return status == 503 })
	// After it nothing new is accepted, while the slow request is still running.
	await(t, func() bool {
		c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	})
	select {
	case err := <-ended:
		t.Fatalf("it ended (%v) before the request did", err)
	default:
	}
	close(finish)
	if a := <-answered; a != (answer{200, "done"}) {
		t.Errorf("the request in flight got %+v", a)
	}
	if err := <-ended; err != nil {
		t.Errorf("a clean drain ended with %v", err)
	}
}

func TestDrainCutsOffWhatTakesTooLong(t *testing.T) {
	inside := make(chan struct{})
	url, stop, ended := start(t, Config{Shutdown: Shutdown{Timeout: 50 * time.Millisecond}}, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(inside)
		<-r.Context().Done()
	}), new(atomic.Bool))
	go func() {
		if resp, err := http.Get(url); err == nil {
			_ = resp.Body.Close()
		}
	}()
	<-inside
	stop()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "shutdown.timeout gives them longer") {
		t.Errorf("got %v", err)
	}
}

func TestListenErrorsSayWhatToDo(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, c := range []struct{ address, want string }{
		{taken.Addr().String(), "another program has this port; stop it"},
		{"192.0.2.1:80", "write an address of this machine"}, // TEST-NET: nobody's
	} {
		err := quietHost(Config{}, nil).serve(t.Context(), http.NotFoundHandler(), new(atomic.Bool), c.address)
		if !errors.Is(err, ErrListen) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.address) {
			t.Errorf("listening on %s: %v", c.address, err)
		}
	}
}

// When the second address cannot be had, the first is given back.
func TestListenAllOrNone(t *testing.T) {
	address := freeport.Address(t)
	err := quietHost(Config{}, func(url string) { t.Errorf("it said it listens on %s", url) }).
		serve(t.Context(), http.NotFoundHandler(), new(atomic.Bool), address, "192.0.2.1:80")
	if !errors.Is(err, ErrListen) {
		t.Fatalf("got %v", err)
	}
	again, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatalf("the first address was not given back: %v", err)
	}
	_ = again.Close()
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Errorf("GET %s: %v", url, err)
		return 0, ""
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Errorf("GET %s: %v", url, err)
	}
	return resp.StatusCode, string(body)
}

func await(t *testing.T, done func() bool) {
	t.Helper()
	for by := time.Now().Add(time.Minute); time.Now().Before(by); {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("it did not happen within a minute")
}

// TestDelayOfAStop: a gateway that other machines reach gives a balancer time, and others stop at once.
func TestDelayOfAStop(t *testing.T) {
	for _, c := range []struct {
		listen, mode, delay string
		want                time.Duration
	}{
		{"127.0.0.1:8080", "production", "", 0},
		{"0.0.0.0:8080", "production", "", 5 * time.Second},
		{":8080", "production", "", 5 * time.Second},
		{"0.0.0.0:8080", "development", "", 0},
		{"0.0.0.0:8080", "production", "0s", 0},
		{"0.0.0.0:8080", "production", "2s", 2 * time.Second},
		{"127.0.0.1:8080", "production", "2s", 2 * time.Second},
	} {
		config := Config{Listen: c.listen, Mode: c.mode}
		if c.delay != "" {
			if err := config.Set("shutdown.delay", c.delay); err != nil {
				t.Fatal(err)
			}
		}
		if got := max(0, config.withDefaults().Shutdown.Delay); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
