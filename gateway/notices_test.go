package gateway_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema/jsontext"
)

// TestCardsFromElsewhereAreLetBe: what would be a fault of an author's is taken of
// another host, and the log says what has no effect.
func TestCardsFromElsewhereAreLetBe(t *testing.T) {
	const document = `{"x-kit-version":1,"fronds":[{"name":"press","doors":[{"name":"post","schema":{"title":"post","type":"object","properties":{
		"id":{"type":"string","x-kit":{"role":{"primary":true}}},
		"title":{"type":"string","nullable":true,"maxLenght":60,"format":"url"},
		"price":{"type":"integer","minimum":5,"maximum":3,"default":4}}},"ops":[{"name":"findById","kind":"query"}]}]}]}`
	there := newElsewhere(t)
	there.stand(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, jsontext.Get(body, "id"), document)
	}))
	var log bytes.Buffer
	gw, err := gateway.New(&facade.Project{}, &gateway.Options{
		Config: gateway.Config{Store: "memory", GraphQL: gateway.GraphQL{Introspection: new(true)}, Remotes: map[string]gateway.Remote{"press": {URL: there.url(), Open: true}}},
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := gw.Close(); err != nil {
		t.Fatal(err)
	}
	if got := query(gw, `{ __type(name: "Post") { fields { name } } }`); !strings.Contains(got, `"price"`) {
		t.Errorf("the host's card was not taken: %s", got)
	}
	for _, want := range []string{"rpc.discover of " + there.url() + "#/post/properties/title/maxLenght: ", "nullable has no effect here", "format url is unknown", "default has no effect here", "minimum is over maximum"} {
		if n := strings.Count(log.String(), want); n != 1 {
			t.Errorf("the log says %d times %q:\n%s", n, want, log.String())
		}
	}
}
