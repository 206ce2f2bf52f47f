package gateway_test

import (
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/gatewaytest"
)

// TestDocuments: the paths serve what Document gives, an audience's below its own. A client that
// sends the tag of the document that it has gets 304, also for the weak tag of a compressed answer.
func TestDocuments(t *testing.T) {
	files := fstest.MapFS{
		"fronds/app/entities/note.yaml": {Data: []byte(noteCard)},
		"fronds/app/frond.yaml":         {Data: []byte("collectors: {note: open}\nsurfaces: {audiences: {partner: {rest: {only: [note.list]}}}}\n")},
	}
	gw := gatewayOf(t, read(t, files), gateway.Options{})
	for path, of := range map[string][2]string{"/openapi.json": {"openapi", ""}, "/openrpc.json": {"openrpc", ""}, "/asyncapi.json": {"asyncapi", ""}, "/partner/openapi.json": {"openapi", "partner"}} {
		want, err := gw.Document(of[0], of[1])
		if err != nil {
			t.Fatal(err)
		}
		w := askHandler(gw.Handler(), "GET", path, "")
		if w.Code != 200 || w.Body.String() != string(want) || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %s, %d bytes, want %d", path, w.Code, w.Header().Get("Content-Type"), w.Body.Len(), len(want))
		}
		tag := w.Header().Get("ETag")
		for _, sent := range []string{tag, "W/" + tag, `"other", ` + tag} {
			if w := gatewaytest.Do(gw.Handler(), "GET", path, "", "If-None-Match: "+sent); w.Code != 304 || w.Body.Len() > 0 {
				t.Errorf("%s with %s: %d, %d bytes", path, sent, w.Code, w.Body.Len())
			}
		}
		if w := gatewaytest.Do(gw.Handler(), "POST", path, "{}", gatewaytest.AsJSON); w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("POST %s: %d %v", path, w.Code, w.Header())
		}
	}
	if _, err := gw.Document("openrpc", "partner"); err == nil {
		t.Error("an audience without the surface has a document of it")
	}
	off := gatewayOf(t, read(t, files), gateway.Options{Config: gateway.Config{NoDocuments: true}})
	for _, path := range []string{"/openapi.json", "/docs", "/partner/openapi.json"} {
		if w := askHandler(off.Handler(), "GET", path, ""); w.Code != 404 {
			t.Errorf("%s without documents: %d", path, w.Code)
		}
	}
}

// TestSDL: the schema of GraphQL is at /schema.graphql where introspection is answered.
func TestSDL(t *testing.T) {
	files := fstest.MapFS{
		"fronds/app/entities/note.yaml": {Data: []byte(noteCard)},
		"fronds/app/frond.yaml":         {Data: []byte("collectors: {note: open}\nsurfaces: {audiences: {partner: {graphql: {only: [note.list]}}}}\n")},
	}
	shown := gatewayOf(t, read(t, files), gateway.Options{Config: gateway.Config{GraphQL: gateway.GraphQL{Introspection: new(true)}}})
	for path, surface := range map[string]catalog.Surface{"/schema.graphql": catalog.OnGraphQL, "/partner/schema.graphql": "partner/graphql"} {
		want, err := shown.Shown(surface)
		if err != nil {
			t.Fatal(err)
		}
		if w := askHandler(shown.Handler(), "GET", path, ""); w.Code != 200 || w.Body.String() != want {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	for name, config := range map[string]gateway.Config{
		"without introspection": {},
		"without documents":     {NoDocuments: true, GraphQL: gateway.GraphQL{Introspection: new(true)}},
	} {
		if w := askHandler(gatewayOf(t, read(t, files), gateway.Options{Config: config}).Handler(), "GET", "/schema.graphql", ""); w.Code != 404 {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
}
