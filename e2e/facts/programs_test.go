package facts

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frondhost/frond/e2e/freeport"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

var programs = flag.Int("programs", 2, "how many whole gateways are killed on each store")

// The settings of a program, beside those of every process.
const (
	listenOf  = "FROND_FACTS_LISTEN"
	hookOf    = "FROND_FACTS_HOOK"
	hookToken = "FROND_FACTS_SECRET"
	quietOf   = "FROND_FACTS_QUIET" // no commands are run
)

// program is a whole gateway: it relays, serves streams, sends a webhook, calls a consumer, and
// runs commands meanwhile.
func program(ctx context.Context, name string, at *step) error {
	p, err := project()
	if err != nil {
		return err
	}
	s, err := open(ctx, name, at.trace)
	if err != nil {
		return err
	}
	config := gateway.Config{Mode: gateway.Development, Listen: os.Getenv(listenOf)}
	if err := config.ReadText("gateway.yaml", fmt.Appendf(nil, "webhooks: [{name: out, url: '%s', facts: [accountChanged], secret: env:%s, allow: [127.0.0.1]}]", os.Getenv(hookOf), hookToken)); err != nil {
		return err
	}
	listening := make(chan struct{})
	gw, err := gateway.New(p, &gateway.Options{
		Store: s, Config: config, Logger: slog.New(slog.DiscardHandler),
		Listening: func(string) { close(listening) },
		Consumers: []gateway.Consumer{{Name: "effects", Fact: "accountChanged", FromStart: true, Handle: func(ctx context.Context, e *facade.Event) error {
			_, err := call(ctx, facade.Inside(ctx), "effect", "create", facade.Invocation{Body: object("id", e.ID, "of", e.Name)})
			return err
		}}},
	})
	if err != nil {
		return err
	}
	errs := make(chan error, 2)
	go func() { errs <- gw.Run(ctx) }()
	if os.Getenv(quietOf) == "" {
		go func() {
			<-listening
			err := begin(ctx, gw.Caller())
			if err == nil {
				err = gatewayOf(ctx, gw.Caller(), at)
			}
			errs <- err
		}()
	}
	return <-errs
}

// receivers are what stays while programs are killed: the receiver of the webhook and a client
// of the stream. Both keep what came, as often as it came.
type receivers struct {
	mu     sync.Mutex
	hooked []string
	stream []string
}

func (r *receivers) add(to *[]string, id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*to = append(*to, id)
}

// has reports whether both have as many events.
func (r *receivers) has(n int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(distinct(r.hooked)) >= n && len(distinct(r.stream)) >= n
}

// distinct are the texts without those that came before.
func distinct(all []string) (first []string) {
	known := map[string]bool{}
	for _, one := range all {
		if !known[one] {
			known[one] = true
			first = append(first, one)
		}
	}
	return first
}

// ServeHTTP is the receiver of the webhook.
func (r *receivers) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	var e struct{ ID string }
	if err := json.NewDecoder(q.Body).Decode(&e); err != nil || e.ID != q.Header.Get("Webhook-Id") {
		http.Error(w, "no event", http.StatusBadRequest)
		return
	}
	r.add(&r.hooked, e.ID)
}

// follow reads the stream of a fact until ctx is done. A program that is gone, or busy for a
// moment, is asked again for what comes behind the last position.
func (r *receivers) follow(ctx context.Context, url string) {
	last := ""
	for ctx.Err() == nil {
		if err := r.read(ctx, url, &last); err != nil && ctx.Err() == nil {
			time.Sleep(5 * time.Millisecond)
		}
	}
}

func (r *receivers) read(ctx context.Context, url string, last *string) error {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"?after=start", nil)
	if err != nil {
		return err
	}
	if *last != "" {
		q.Header.Set("Last-Event-ID", *last)
	}
	w, err := http.DefaultClient.Do(q)
	if err != nil {
		return err
	}
	defer w.Body.Close()
	if w.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(w.Body)
		return errors.New(string(text))
	}
	id := ""
	for lines := bufio.NewScanner(w.Body); lines.Scan(); {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch field {
		case "id":
			id = value
		case "data":
			var e struct{ ID string }
			if err := json.Unmarshal([]byte(value), &e); err != nil {
				return err // cut off
			}
			r.add(&r.stream, e.ID)
		case "":
			*last = id // the event is whole
		}
	}
	return io.ErrUnexpectedEOF
}

// TestPrograms kills whole gateways, one on SQLite and two over one database of PostgreSQL, that
// emit, relay, send and consume at once.
func TestPrograms(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { killPrograms(t, "sqlite:"+filepath.Join(t.TempDir(), "ledger.db"), 1) })
	t.Run("postgres", func(t *testing.T) { killPrograms(t, pgtest.Database(t), 2) })
}

func killPrograms(t *testing.T, name string, beside int) {
	f, s, err := host(t.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r := &receivers{}
	receiver := httptest.NewServer(r)
	defer receiver.Close()
	t.Setenv(hookOf, receiver.URL)
	t.Setenv(hookToken, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var streams, running sync.WaitGroup
	var addresses []string
	for range beside {
		addresses = append(addresses, freeport.Address(t))
	}
	url := "http://" + addresses[0] + "/api/" + f.Catalog().Fronds[0].Name + "/facts/accountChanged"
	streams.Go(func() { r.follow(ctx, url) })
	for _, address := range addresses {
		running.Go(func() {
			for range *programs / beside {
				if err := killOne("program", name, "", listenOf+"="+address); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	running.Wait()
	if t.Failed() {
		return
	}
	settle(t, s)
	log := everything(t, s)
	var changes []string
	for _, e := range log {
		if e.Name == "accountChanged" {
			changes = append(changes, e.ID)
		}
	}
	// One that runs no command delivers what is left.
	ended := make(chan error, 1)
	quiet, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		ended <- start(quiet, name, listenOf+"="+addresses[0], quietOf+"=yes")
	}()
	deadline := time.Now().Add(5 * time.Minute)
	done := func() bool { return r.has(len(changes)) && len(rowsOf(t, s, f, "effect", "id", "of")) >= len(changes) }
	for !done() && time.Now().Before(deadline) {
		time.Sleep(50 * time.Millisecond)
	}
	cancel()
	<-ended
	stop()
	streams.Wait()
	receiver.Close()

	faults := held(log, rowsOf(t, s, f, "account", "id", "count"), rowsOf(t, s, f, "transfer", "id", "from"))
	effects := rowsOf(t, s, f, "effect", "id", "of")
	if len(effects) != len(changes) {
		faults = append(faults, fmt.Sprintf("%d events have %d effects", len(changes), len(effects)))
	}
	if got := distinct(r.stream); strings.Join(got, " ") != strings.Join(changes, " ") {
		faults = append(faults, fmt.Sprintf("the stream has %d events in another order than the log, which has %d", len(got), len(changes)))
	}
	faults = append(faults, ofRows(log, distinct(r.hooked), len(changes))...)
	for _, fault := range faults[:min(len(faults), 10)] {
		t.Error(fault)
	}
	t.Logf("%d kills, %d events of accounts, received %d times by webhook and %d times by stream", *programs, len(changes), len(r.hooked), len(r.stream))
	if len(changes) == 0 {
		t.Errorf("no events in the lives of %d programs", *programs)
	}
}

// ofRows holds what a webhook received to the log: each event, those of a row in their order.
func ofRows(log []*facade.Event, got []string, want int) (faults []string) {
	byID, next := map[string]*facade.Event{}, map[string]facade.Position{}
	for _, e := range log {
		byID[e.ID] = e
	}
	for _, id := range got {
		e := byID[id]
		if e == nil {
			faults = append(faults, "the webhook was sent an event that is not in the log: "+id)
			continue
		}
		if e.Position <= next[string(e.Key)] {
			faults = append(faults, fmt.Sprintf("the webhook was sent %s of %s behind %s", e.Position, e.Key, next[string(e.Key)]))
		}
		next[string(e.Key)] = e.Position
	}
	if len(got) != want {
		faults = append(faults, fmt.Sprintf("the webhook was sent %d of %d events", len(got), want))
	}
	return faults
}
