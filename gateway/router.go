package gateway

import (
	"net/http"
	"strings"

	"github.com/gorilla/mux"
)

// Router is where the gateway mounts its surfaces (spec 1.4). A path that ends in a slash
// serves everything below it, any other serves itself alone; the handler answers every
// method. [http.ServeMux] is a Router; [Mux] makes one of gorilla's.
type Router interface {
	Handle(path string, h http.Handler)
}

var _ Router = (*http.ServeMux)(nil)

// Mux mounts on a router of gorilla/mux. A router with SkipClean sees paths as they were
// sent; others redirect a path with two slashes in a row.
func Mux(r *mux.Router) Router { return gorilla{r} }

type gorilla struct{ router *mux.Router }

// Handle maps a path that ends in a slash to a prefix route.
func (g gorilla) Handle(path string, h http.Handler) {
	if strings.HasSuffix(path, "/") {
		g.router.PathPrefix(path).Handler(h)
		return
	}
	g.router.Path(path).Handler(h)
}
