package gateway_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
)

// TestBacklog: the metrics count what waits for each way out as the store has it, however much of
// it was read, and how large and how old the log is. Only the operator's /readyz names who is stuck.
func TestBacklog(t *testing.T) {
	down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	defer down.Close()
	t.Setenv("GOOD", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	config := gateway.Config{Extras: all.Extras(), Store: "memory", Mode: gateway.Development, Admin: gateway.Admin{Listen: "127.0.0.1:0"}}
	if err := config.ReadText("gateway.yaml", fmt.Appendf(nil, "webhooks:\n  - {name: secretpartner, url: '%s', facts: [tagged], secret: env:GOOD, allow: [127.0.0.1]}\n", down.URL)); err != nil {
		t.Fatal(err)
	}
	hold := make(chan struct{})
	gw, err := gateway.New(read(t, fstest.MapFS{
		"fronds/own/entities/tag.yaml": {Data: []byte(strings.ReplaceAll(noteCard, "title", "label"))},
		"fronds/own/frond.yaml":        {Data: []byte("facts: [{name: tagged, schema: tag, on: tag.create}]\n")},
	}), &gateway.Options{Config: config, Logger: silence, Consumers: []gateway.Consumer{{Fact: "tagged", Detached: true, Handle: func(ctx context.Context, _ *facade.Event) error {
		select {
		case <-hold:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	const many = 40
	for i := range many {
		if w := askHandler(gw.Handler(), "POST", "/api/own/tags", fmt.Sprintf(`{"id":"t%d","label":"x"}`, i)); w.Code != 201 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	await := func(what string, ask func() string, wants ...string) {
		t.Helper()
		awaitText(t, what, ask, wants...)
	}
	metrics := func() string { return askHandler(gw.AdminHandler(), "GET", "/metrics", "").Body.String() }
	await("/metrics", metrics, fmt.Sprintf(`frond_facts_waiting{way="go:own.tagged"} %d`, many), fmt.Sprintf(`frond_facts_waiting{way="webhook:secretpartner"} %d`, many), fmt.Sprint("\nfrond_facts_log_events ", many), "\nfrond_facts_log_age_seconds ")
	ready := func(h http.Handler) func() string {
		return func() string { return askHandler(h, "GET", "/readyz", "").Body.String() }
	}
	await("the operator's /readyz", ready(gw.AdminHandler()), "webhook:secretpartner: ")
	await("/readyz", ready(gw.Handler()), "ready\nfacts: 1 of the receivers cannot be delivered to")
	if text := ready(gw.Handler())(); strings.Contains(text, "secretpartner") {
		t.Errorf("/readyz for everybody: %s", text)
	}
	close(hold)
	await("/metrics", metrics, `frond_facts_waiting{way="go:own.tagged"} 0`)
}

// awaitText waits until a text has all that is wanted.
func awaitText(t *testing.T, what string, ask func() string, wants ...string) {
	t.Helper()
	var text string
	for by := time.Now().Add(time.Minute); time.Now().Before(by); time.Sleep(50 * time.Millisecond) {
		text = ask()
		if !slices.ContainsFunc(wants, func(want string) bool { return !strings.Contains(text, want) }) {
			return
		}
	}
	t.Fatalf("%s has not all of %q:\n%s", what, wants, text)
}

// TestBacklogOfARemote: the host of a remote's facts counts what waits for a consumer here. Where it
// does not count, or does not answer, there is no number.
func TestBacklogOfARemote(t *testing.T) {
	library := newElsewhere(t)
	receiver, err := gateway.NewReceiver(announcingLibrary(t), "library", &gateway.ReceiverOptions{Options: gateway.Options{Config: gateway.Config{Store: "memory"}, Logger: silence}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = receiver.Close() })
	counted := regexp.MustCompile(`,"waiting":\d+(,"since":"[^"]*")?`)
	var old atomic.Bool
	library.stand(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !old.Load() || r.URL.Path != "/_kit/facts" {
			receiver.Handler().ServeHTTP(w, r)
			return
		}
		recorded := httptest.NewRecorder()
		receiver.Handler().ServeHTTP(recorded, r)
		w.WriteHeader(recorded.Code)
		_, _ = w.Write(counted.ReplaceAll(recorded.Body.Bytes(), nil))
	}))
	hold := make(chan struct{})
	gw, err := gateway.New(announcingLibrary(t), &gateway.Options{
		Config: gateway.Config{Extras: all.Extras(), Store: "memory", Admin: gateway.Admin{Listen: "127.0.0.1:0"}, Remotes: map[string]gateway.Remote{"library": {URL: library.url()}}}, Logger: silence,
		Consumers: []gateway.Consumer{{Fact: "library.bookChanged", FromStart: true, Detached: true, Handle: func(ctx context.Context, _ *facade.Event) error {
			select {
			case <-hold:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	const many = 300
	for i := range many {
		if w := askHandler(gw.Handler(), "POST", "/api/library/books", fmt.Sprintf(`{"id":"b%d","title":"x","price":1}`, i)); w.Code != 201 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	const waiting = `frond_facts_waiting{way="go:library.bookChanged"} `
	metrics := func() string { return askHandler(gw.AdminHandler(), "GET", "/metrics", "").Body.String() }
	awaitText(t, "/metrics", metrics, fmt.Sprint(waiting, many, "\n"))
	old.Store(true)
	for by := time.Now().Add(time.Minute); strings.Contains(metrics(), waiting); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(by) {
			t.Fatalf("the host does not count, and there is a number:\n%s", metrics())
		}
	}
	old.Store(false)
	close(hold)
	awaitText(t, "/metrics", metrics, waiting+"0\n", `frond_facts_lag_seconds{way="go:library.bookChanged"} 0`)
}
