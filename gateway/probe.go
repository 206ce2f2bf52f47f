package gateway

import (
	"io"
	"net/http"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway/guard"
)

// live answers /livez with 200: the process runs.
func live(w http.ResponseWriter, r *http.Request) { health(w, r, true, "live") }

// health answers a probe, in a line of text.
func health(w http.ResponseWriter, r *http.Request, ok bool, word string) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		guard.WriteProblem(w, r, http.StatusMethodNotAllowed, kiterror.Errorf(kiterror.MethodNotAllowed, "%s takes GET and HEAD", r.URL.Path))
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if !ok {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_, _ = io.WriteString(w, word+"\n")
}
