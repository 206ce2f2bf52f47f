package gateway

import (
	"io"
	"net/http"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway/guard"
)

// live answers /livez with 200: the process runs.
func live(w http.ResponseWriter, r *http.Request) { health(w, r, true, "live") }

// health answers a probe, in a line of text.
func health(w http.ResponseWriter, r *http.Request, ok bool, word string) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		guard.WriteProblem(w, r, http.StatusMethodNotAllowed, facade.Errorf(facade.MethodNotAllowed, "%s takes GET and HEAD", r.URL.Path))
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if !ok {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_, _ = io.WriteString(w, word+"\n")
}

// nowhere answers an unknown path with 404 and the known ones.
func nowhere(paths []string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		guard.WriteProblem(w, r, http.StatusNotFound, facade.Errorf(facade.NotFound, "nothing is served at %s; there is %s", r.URL.Path, strings.Join(paths, ", ")))
	})
}
