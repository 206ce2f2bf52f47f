package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/frondhost/frond/describe"
	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/gateway/guard"
)

// DocumentFormats are the API documents that a gateway serves, by the names that
// [Gateway.Document] takes: openapi at /openapi.json, and so on.
var DocumentFormats = []string{"openapi", "openrpc", "asyncapi"}

// documented is the surface that each document is about.
var documented = map[string]catalog.Surface{"openapi": catalog.OnREST, "openrpc": catalog.OnEnvelope, "asyncapi": catalog.OnREST}

// document writes the document of a surface.
func (p *place) document(format string) json.RawMessage {
	info := describe.Info{Title: p.title, Description: p.about, REST: p.base + strings.TrimSuffix(restPath, "/"), RPC: p.base + envelope.Path}
	switch format {
	case "openrpc":
		return describe.OpenRPC(p.view, info)
	case "asyncapi":
		return describe.AsyncAPI(p.view, info)
	}
	var routes []describe.Route
	for _, r := range p.table.Routes() {
		routes = append(routes, describe.Route(r))
	}
	return describe.OpenAPI(p.view, routes, info)
}

// describe mounts the documents next to the surfaces that they are about.
func (g *generation) describe(p *place) {
	if g.host.config.NoDocuments {
		return
	}
	for _, format := range DocumentFormats {
		if p.surface.Kind() == documented[format] {
			g.mount(&mounted{path: p.base + "/" + format + ".json", hidden: true, Path: guard.Path{Handler: serveDocument("application/json", func() []byte { return p.document(format) })}})
		}
	}
	if p.graphQL != nil && g.introspects() {
		g.mount(&mounted{path: p.base + sdlPath, hidden: true, Path: guard.Path{Handler: serveDocument("text/plain; charset=utf-8", func() []byte { return []byte(p.schema.SDL()) })}})
	}
}

// sdlPath is the GraphQL schema as text, for callers with introspection.
const sdlPath = "/schema.graphql"

// serveDocument answers with a document, which it writes at the first request: most processes
// never serve it.
func serveDocument(media string, write func() []byte) http.Handler {
	var doc *document
	var tag string
	once := sync.OnceFunc(func() {
		text := write()
		sum := sha256.Sum256(text)
		doc, tag = keep(text), `"`+hex.EncodeToString(sum[:12])+`"`
		doc.giveBack()
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			head.Set("Allow", "GET, HEAD")
			http.Error(w, "a document is read with GET", http.StatusMethodNotAllowed)
			return
		}
		once()
		head.Set("Content-Type", media)
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Cache-Control", "no-cache")
		head.Set("ETag", tag)
		http.ServeContent(w, r, "", time.Time{}, doc.open())
	})
}
