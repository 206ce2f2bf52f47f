package gateway_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
)

// factsOfTwo is a project with a fact of one name in two Fronds, and others.
func factsOfTwo(t *testing.T) *facade.Project {
	t.Helper()
	card := "type: object\nproperties: {id: {type: string, x-kit: {role: {primary: true}}}}\n"
	fs := fstest.MapFS{}
	for name, text := range map[string]string{
		"fronds/shop/entities/order.yaml":   card,
		"fronds/shop/frond.yaml":            "facts: [{name: orderPlaced, schema: order, on: order.create}, {name: closed}]\nchanges: [order]\ncollectors: {order: open}\n",
		"fronds/press/entities/parcel.yaml": card,
		"fronds/press/frond.yaml":           "facts: [{name: closed}]\ncollectors: {parcel: open}\nsurfaces: {graphql: false}\n",
	} {
		fs[name] = &fstest.MapFile{Data: []byte(text)}
	}
	project, err := facade.Read(fs)
	if err != nil {
		t.Fatal(err)
	}
	return project
}

// TestPublishFaults: what cannot work fails the start, with its place and what to write, and
// without secrets.
func TestPublishFaults(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "bad.pem"), []byte("hunter2"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOOD", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	t.Setenv("BAD", "hunter2")
	hook := func(text string) string {
		return "webhooks: [{name: a, url: 'https://a.test', facts: [orderPlaced], secret: env:GOOD, " + text + "}]"
	}
	for text, want := range map[string]string{
		"webhooks: [{name: a, url: 'https://a.test', facts: [orderPlcd], secret: env:GOOD}]":                                         "gateway.yaml#/webhooks/0/facts/0: there is no fact orderPlcd; write one of press.closed, shop.closed, shop.orderChanged, shop.orderPlaced",
		"webhooks: [{name: a, url: 'https://a.test', facts: [closed], secret: env:GOOD}]":                                            "gateway.yaml#/webhooks/0/facts/0: several Fronds have a fact closed; write one of press.closed, shop.closed",
		"webhooks: [{name: a, url: 'https://a.test', facts: [orderPlaced], secret: env:NOT_SET}]":                                    "gateway.yaml#/webhooks/0/secret: the secret cannot be used; the variable NOT_SET is not set",
		"webhooks: [{name: a, url: 'https://a.test', facts: [orderPlaced], secret: env:BAD}]":                                        "gateway.yaml#/webhooks/0/secret: the secret cannot be used; write whsec_",
		"webhooks: [{name: a, url: 'https://u:hunter2@a.test', facts: [orderPlaced], secret: env:GOOD}]":                             "gateway.yaml#/webhooks/0/url: the URL cannot be used; write credentials as a header",
		"webhooks: [{name: a, url: 'http://a.test', facts: [orderPlaced], secret: env:GOOD}]":                                        "gateway.yaml#/webhooks/0/url: nothing could be sent to the URL; write https://, or name the receiver's address, such as allow: [10.0.0.7]",
		"webhooks: [{name: a, url: 'https://[::ffff:10.0.0.1]/hunter2', facts: [orderPlaced], secret: env:GOOD, allow: [10.0.0.2]}]": "gateway.yaml#/webhooks/0/url: nothing could be sent to the URL; its address is not public; name it under allow",
		"webhooks: [{name: a, url: 'http://93.184.216.34', facts: [orderPlaced], secret: env:GOOD, allow: [10.0.0.2]}]":              "gateway.yaml#/webhooks/0/url: nothing could be sent to the URL; write https://, or name its address under allow",
		"webhooks: [{name: a, url: 'ftp://a.test/hunter2', facts: [orderPlaced], secret: env:GOOD}]":                                 "gateway.yaml#/webhooks/0/url: the URL cannot be used; write an address such as",
		hook("headers: {Webhook-Id: x}"):      "gateway.yaml#/webhooks/0/headers/Webhook-Id: the header cannot be sent; the header Webhook-Id belongs to the message",
		hook(`headers: {X: "hunter2\nY: 1"}`): "gateway.yaml#/webhooks/0/headers/X: the header cannot be sent; the header X cannot be sent",
		hook("secrets: hunter2"):              "gateway.yaml#/webhooks: webhooks cannot be this; a: secrets: is not known; a webhook has name, url, facts, secret, allow, headers, timeout, parallel",
		hook("allow: [hunter2]"):              "gateway.yaml#/webhooks: webhooks cannot be this; a: allow: write addresses or blocks of them",
		hook("timeout: 2h"):                   "gateway.yaml#/webhooks: webhooks cannot be this; a: timeout: write a duration of 1s to 1m",
		"webhooks: [{url: 'https://a.test/hunter2', facts: [orderPlaced], secret: env:GOOD}]": "gateway.yaml#/webhooks: webhooks cannot be this; number 1: has no name",
		"webhooks: [{name: a, url: 'https://a.test/hunter2', facts: [orderPlaced]}]":          "gateway.yaml#/webhooks: webhooks cannot be this; a: has no secret",
		"webhooks: hunter2":                                                                               "gateway.yaml#/webhooks: webhooks cannot be this; number 1: write a list of maps",
		"facts: {nats: 'http://user:hunter2@broker'}":                                                     "gateway.yaml#/facts/nats: facts.nats cannot be this; write nats://HOST:4222",
		"facts: {nats: env:BAD}":                                                                          "gateway.yaml#/facts/nats: the address cannot be used; write nats://HOST:4222",
		"facts: {nats: {url: 'nats://a', token: env:NOT_SET}}":                                            "gateway.yaml#/facts/nats/token: the token cannot be read; the variable NOT_SET is not set",
		"facts: {nats: {url: 'nats://a', ca: bad.pem}}":                                                   "bad.pem cannot be used; it contains no certificate; name a file that can be",
		"facts: {nats: {url: 'nats://a', certificate: bad.pem}}":                                          "gateway.yaml#/facts/nats/key: a client certificate has two files; write both",
		"facts: {nats: {url: 'nats://a', stream: a.b}}":                                                   "gateway.yaml#/facts/nats/stream: facts.nats.stream cannot be a.b; write a name such as frond",
		"facts: {nats: {url: embedded, listen: '0.0.0.0:0'}}":                                             "gateway.yaml#/facts/nats/listen: everybody who reaches 0.0.0.0:0 could read every fact; listen on 127.0.0.1, or write facts.nats.token",
		"facts: {nats: {url: embedded, replicas: 3}}":                                                     "gateway.yaml#/facts/nats/replicas: an embedded server is one server",
		"facts: {nats: {url: 'nats://a', listen: '127.0.0.1:4333'}}":                                      "gateway.yaml#/facts/nats/listen: facts.nats.listen is of the embedded server, and has no effect here; leave it out",
		"facts: {nats: {url: embedded, listen: '127.0.0.1:0', ca: bad.pem}}":                              "gateway.yaml#/facts/nats/ca: facts.nats.ca is for servers of your own, and has no effect here; leave it out",
		"facts: {nats: {stream: x}}":                                                                      "gateway.yaml#/facts/nats: facts.nats has no url; write a map with url, facts, stream",
		"store: 'postgres://nobody@127.0.0.1:1/none'\nfacts: {nats: embedded}":                            "gateway.yaml#/facts/nats: an embedded server belongs to one process, and several may have this store; run a NATS server",
		"facts: {nats: {url: 'nats://a', facts: [orderPlcd]}}":                                            "gateway.yaml#/facts/nats/facts/0: there is no fact orderPlcd; write one of",
		"webhooks: [{name: a, url: 'https://a.test', facts: [orderPlaced], secret: env:GOOD}, {name: a}]": "gateway.yaml#/webhooks: webhooks cannot be this; a: has no url",
	} {
		config := gateway.Config{Extras: all.Extras(), Dir: dir, Store: "memory", Mode: gateway.Development}
		err := config.ReadText("gateway.yaml", []byte(text))
		if err == nil {
			var gw *gateway.Gateway
			if gw, err = gateway.New(factsOfTwo(t), &gateway.Options{Config: config, Logger: slog.New(slog.DiscardHandler)}); err == nil {
				_ = gw.Close()
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s:\n%v\nwant %s", text, err, want)
		}
	}
	for name, value := range map[string]string{"FROND_WEBHOOKS": `[{"name":"a","url":"hunter2"}]`, "FROND_FACTS_NATS": "http://hunter2"} {
		if _, err := gateway.LoadConfig(t.TempDir(), "", []string{name + "=" + value}); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A check on another machine has neither the variables nor the files.
	config := gateway.Config{Store: "memory"}
	if err := config.ReadText("gateway.yaml", []byte("webhooks: [{name: a, url: env:U, facts: [orderPlaced], secret: env:NOT_SET}]\nfacts: {nats: {url: env:N, ca: none.pem}}")); err != nil {
		t.Fatal(err)
	}
	gw, err := gateway.New(factsOfTwo(t), quiet(gateway.Options{Config: config, Undecided: true}))
	if err != nil {
		t.Fatal(err)
	}
	_ = gw.Close()
	// What needs neither is checked there.
	config = gateway.Config{Store: "memory"}
	if err := config.ReadText("gateway.yaml", []byte("webhooks: [{name: a, url: 'ftp://a.test', facts: [orderPlaced], secret: hunter2}]")); err != nil {
		t.Fatal(err)
	}
	_, err = gateway.New(factsOfTwo(t), quiet(gateway.Options{Config: config, Undecided: true}))
	for _, want := range []string{"/webhooks/0/url: the URL cannot be used", "/webhooks/0/secret: the secret cannot be used"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a check: %v; want %s", err, want)
		}
	}
}

// TestReceiverPublishes: a receiver sends the webhooks that are for its Frond, and no others: it
// has no secrets of theirs.
func TestReceiverPublishes(t *testing.T) {
	got := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- r.URL.Path + " " + string(body)
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	t.Setenv("GOOD", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	config := gateway.Config{Extras: all.Extras(), Store: "memory", Mode: gateway.Development}
	err := config.ReadText("gateway.yaml", fmt.Appendf(nil, `
webhooks:
  - {name: mine, url: '%s/mine', facts: [orderPlaced, press.closed], secret: env:GOOD, allow: [127.0.0.1]}
  - {name: theirs, url: '%s/theirs', facts: [press.closed], secret: env:NOT_SET}
facts: {nats: embedded}
`, server.URL, server.URL))
	if err != nil {
		t.Fatal(err)
	}
	r, err := gateway.NewReceiver(factsOfTwo(t), "shop", &gateway.ReceiverOptions{Options: gateway.Options{Config: config, Logger: slog.New(slog.DiscardHandler)}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	w := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/_kit/call", strings.NewReader(`{"jsonrpc": "2.0", "id": 1, "method": "order.create", "params": {"body": {"id": "o1"}}}`))
	request.Host = "127.0.0.1"
	request.Header.Set("Content-Type", "application/json")
	if r.Handler().ServeHTTP(w, request); !strings.Contains(w.Body.String(), `"o1"`) {
		t.Fatal(w.Body)
	}
	select {
	case event := <-got:
		if !strings.HasPrefix(event, "/mine ") || !strings.Contains(event, `"type":"shop.orderPlaced"`) {
			t.Error(event)
		}
	case <-time.After(time.Minute):
		t.Fatal("nothing is sent")
	}
}
