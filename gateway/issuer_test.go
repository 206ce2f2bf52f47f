package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/identity/tokentest"
)

// The same over HTTP, with the gateway as it runs: it starts without its issuer,
// refuses tokens until it has keys, and keeps those it had.
func TestGatewayWithoutItsIssuer(t *testing.T) {
	ed, next := tokentest.EdDSA("ed"), tokentest.EdDSA("next")
	var mode, asked atomic.Int32 // mode 0: down; 1: ed; 2: ed and next
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		switch mode.Load() {
		case 1:
			_, _ = w.Write(tokentest.JWKS(ed))
		case 2:
			_, _ = w.Write(tokentest.JWKS(ed, next))
		default:
			http.Error(w, "the database password is hunter2", http.StatusInternalServerError)
		}
	}))
	defer server.Close()
	url, _ := run(t, notes(t), gateway.Options{Config: gateway.Config{Identity: gateway.Identity{
		Issuer: tokentest.Issuer, Audience: []string{tokentest.Audience}, Algorithms: []string{"EdDSA"}, JWKS: server.URL,
	}}})
	bearer := "Bearer " + ed.Token(nil, nil)
	for _, s := range surfaces {
		got := s.ask(t, url, bearer)
		status := http.StatusServiceUnavailable
		if s.name == "the envelope" {
			status = 200 // the frame says it
		}
		if got.status != status || !strings.Contains(got.body, "SERVICE_UNAVAILABLE") || strings.Contains(got.body, "hunter2") || strings.Contains(got.body, server.URL) {
			t.Errorf("%s without the issuer: %d %s", s.name, got.status, got.body)
		}
		if got := s.ask(t, url); got.status != 200 || strings.Contains(got.body, "SERVICE_UNAVAILABLE") {
			t.Errorf("%s without the issuer, anonymous: %d %s", s.name, got.status, got.body)
		}
	}
	if status, _ := send(t, "GET", url+"/readyz", ""); status != 200 {
		t.Errorf("/readyz without the issuer: %d", status)
	}
	mode.Store(1)
	deadline := time.Now().Add(time.Minute)
	for surfaces[0].ask(t, url, bearer).status != 200 { // it asks again by itself, after a second
		if time.Now().After(deadline) {
			t.Fatal("the issuer is back, and its token is still turned away")
		}
		time.Sleep(20 * time.Millisecond)
	}
	mode.Store(2)
	before := asked.Load()
	for _, s := range surfaces {
		if got := s.ask(t, url, "Bearer "+next.Token(nil, nil)); got.status != 200 {
			t.Errorf("%s, a key that is new: %d %s", s.name, got.status, got.body)
		}
	}
	if n := asked.Load() - before; n != 1 {
		t.Errorf("the new key made it %d questions, want 1", n)
	}
	server.Close()
	for _, s := range surfaces {
		if got := s.ask(t, url, bearer); got.status != 200 {
			t.Errorf("%s, the issuer gone: %d %s", s.name, got.status, got.body)
		}
		if got := s.ask(t, url, "Bearer "+tokentest.EdDSA("mallory").Token(nil, nil)); got.status != 401 {
			t.Errorf("%s, the issuer gone, an unknown key: %d %s", s.name, got.status, got.body)
		}
	}
}

// Nobody is asked by a gateway that is only looked at.
func TestNothingIsFetchedBeforeItRuns(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer server.Close()
	gw, err := gateway.New(notes(t), quiet(gateway.Options{Config: gateway.Config{Identity: gateway.Identity{
		Issuer: tokentest.Issuer, Audience: []string{tokentest.Audience}, Algorithms: []string{"EdDSA"}, JWKS: server.URL,
	}}}))
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	gw.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/api/app/notes", nil)) // anonymous
	if err := gw.Close(); err != nil || w.Code != 200 || asked.Load() != 0 {
		t.Errorf("%v, status %d, asked %d times", err, w.Code, asked.Load())
	}
}
