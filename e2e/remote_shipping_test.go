package e2e_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/frondhost/frond/e2e/freeport"
)

var shippingScript = filepath.Join(root, "examples", "shipping", "shipping.py")

// startShipping starts the Frond in Python, on a port; "0" is one that stays the test's, where it
// may be started again.
func startShipping(t testing.TB, port string, args ...string) *program {
	t.Helper()
	need(t, "python3")
	if port == "0" {
		port = strconv.Itoa(freeport.Port(t))
	}
	return start(t, exec.Command("python3", append([]string{shippingScript, "--port", port}, args...)...))
}

// port is the port a program listens on, to start another one there.
func (p *program) port() string { return p.URL[strings.LastIndexByte(p.URL, ':')+1:] }

// shippingExample is the shop with its parcels elsewhere, as the page about it has it.
type shippingExample struct{ there, shop *program }

// become makes it what a block of the page is run over: "shipping", and then
// "shipping, killed" and "shipping, started again".
func (s *shippingExample) become(t *testing.T, name string) addresses {
	t.Helper()
	switch {
	case name == "shipping":
		s.there = startShipping(t, "0")
		s.shop = startGateway(t, shopDir, "--remote", "shipping="+s.there.URL)
	case s.shop == nil:
		t.Fatalf("the page has to start with a block of shipping, not of %q", name)
	case name == "shipping, killed":
		s.there.kill()
	case name == "shipping, started again":
		s.there = startShipping(t, s.there.port())
	default:
		t.Fatalf("shipping cannot become %q", name)
	}
	return addresses{"127.0.0.1:8080": s.shop.URL, "127.0.0.1:4200": s.there.URL}
}

// TestShippingIsShort: the page promises under 250 lines, and nothing to install.
func TestShippingIsShort(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(shippingScript)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte("\n")); n >= 250 {
		t.Errorf("shipping.py has %d lines", n)
	}
}

// TestShippingAnswersAsTheShopDoes: what an envelope gives that Python answers itself
// is what the gateway gives that asks it, value by value and error by error.
func TestShippingAnswersAsTheShopDoes(t *testing.T) {
	t.Parallel()
	there := startShipping(t, "0")
	shop := startGateway(t, shopDir, "--remote", "shipping="+there.URL)
	parcels := host{
		doors: map[string]doorShape{
			"parcel": {frond: "shipping", plural: "parcels", one: "parcel", many: "parcels", typ: "Parcel"},
			"rate":   {frond: "shipping", plural: "rates", one: "rate", typ: "Rate"},
		},
		types:   map[string]bool{"Parcel": true, "Order": true},
		queries: map[string]bool{"rate.quote": true},
		maybe:   map[string]bool{"parcel.findById": true},
	}
	runMatrix(t, shippingStories, []*lane{
		{name: "python", wire: receiverWire{parcels, map[string]string{"shipping": there.URL}}},
		{name: "envelope", wire: envelopeWire{shop.URL}},
		{name: "rest", wire: restWire{shop.URL, parcels}},
		{name: "graphql", wire: newGraphQLWire(t, shop.URL, parcels)},
		{name: "frond call --url", wire: cliWire{url: shop.URL}},
	})
}

var shippingStories = []story{{name: "parcels", as: staff, steps: []step{
	{name: "by id", call: call{Method: "parcel.findById", Params: `{"id":"p-1"}`}, want: `{"id":"p-1","orderId":"o-24104","carrier":"post","status":"shipped","weight":6400,"shippedAt":"2025-01-23T09:10:00Z"}`},
	{name: "none", call: call{Method: "parcel.findById", Params: `{"id":"p-9"}`}, want: `null`},
	{name: "a limit", call: call{Method: "parcel.list", Query: `{"limit":1,"filter":{"orderId":{"eq":"o-24104"}}}`}, want: `{"items":[{"id":"p-1","orderId":"o-24104","carrier":"post","status":"shipped","weight":6400,"shippedAt":"2025-01-23T09:10:00Z"}],"total":2,"hasMore":true,"endCursor":null}`},
	{name: "none of them", call: call{Method: "parcel.list", Query: `{"filter":{"id":{"in":["p-7","p-8"]}}}`}, want: `{"items":[],"total":0,"hasMore":false,"endCursor":null}`},
	{name: "some of them", call: call{Method: "parcel.list", Query: `{"limit":1,"filter":{"id":{"in":["p-2","p-9"]}}}`}, want: `{"items":[{"id":"p-2","orderId":"o-24104","carrier":"courier","status":"packed","weight":310,"shippedAt":null}],"total":1,"hasMore":false,"endCursor":null}`},
	{name: "more of a filter than it understands", call: call{Method: "parcel.list", Query: `{"filter":{"weight":{"gt":4}}}`}, fail: "VALIDATION_FAILED", says: "eq"},
	{name: "what it costs", call: call{Method: "rate.quote", Body: `{"carrier":"courier","weight":2000}`}, want: `{"cents":1090,"days":1}`},
	{name: "on its way", call: call{Method: "parcel.dispatch", Params: `{"id":"p-1"}`}, fail: "CONFLICT"},
	{name: "a parcel that is not there", call: call{Method: "parcel.dispatch", Params: `{"id":"p-9"}`}, fail: "NOT_FOUND"},
	{name: "nobody sends", call: call{Method: "parcel.dispatch", Params: `{"id":"p-2"}`, User: `{"id":"tom","roles":["customer"]}`}, fail: "FORBIDDEN"},
}}}
