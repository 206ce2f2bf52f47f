package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/frondhost/frond/facade"
)

// live answers /livez: the process runs.
func live(w http.ResponseWriter, r *http.Request) { health(w, r, true, "live") }

// checker is a store that can say why it does not take writes.
type checker interface {
	Check(ctx context.Context) error
}

// ready answers /readyz: calls are welcome while the service does not drain and its
// store takes writes. Why a store does not is in the log, not in the answer. An
// unreachable remote is no reason to take this gateway out: each has a line.
func (h *Host) ready(draining *atomic.Bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if draining.Load() {
			health(w, r, false, "draining")
			return
		}
		if store, ok := h.store.Store.(checker); ok && store.Check(r.Context()) != nil {
			health(w, r, false, "the store takes no writes; the log says why")
			return
		}
		word := "ready"
		for _, remote := range h.Remotes() {
			word += "\n" + remote.Frond + ": " + remote.word()
		}
		health(w, r, true, word)
	}
}

// word is a remote's state in few words, without its address.
func (s *RemoteState) word() string {
	switch {
	case s.Unusable != "":
		return "not usable: " + s.Unusable
	case s.Failed == nil && s.Known && s.Calls.Breaker != "open":
		return "reached"
	case s.Failed == nil && s.Known:
		return "failing; calls are held back for a moment"
	case s.Known:
		return "away: " + string(s.Failed.Code)
	case s.Failed != nil:
		return "not known yet: " + string(s.Failed.Code)
	}
	return "not known yet"
}

func health(w http.ResponseWriter, r *http.Request, ok bool, word string) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		writeProblem(w, http.StatusMethodNotAllowed, facade.MethodNotAllowed, fmt.Sprintf("%s takes GET and HEAD", r.URL.Path))
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if !ok {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_, _ = io.WriteString(w, word+"\n")
}

// nowhere answers a path that no surface has, and names those there are.
func nowhere(paths []string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		writeProblem(w, http.StatusNotFound, facade.NotFound,
			fmt.Sprintf("nothing is served at %s; there is %s", r.URL.Path, strings.Join(paths, ", ")))
	})
}

// problemOf is a failure as RFC 9457 has it.
func problemOf(status int, code facade.Code, message string) map[string]any {
	return map[string]any{
		"type": "about:blank", "title": http.StatusText(status), "status": status, "detail": message,
		"data": &facade.Error{Code: code, Message: message},
	}
}

// writeProblem answers a failure that happened before any surface was reached,
// in the form REST has for its own.
func writeProblem(w http.ResponseWriter, status int, code facade.Code, message string) {
	writeFailure(w, status, &facade.Error{Code: code, Message: message})
}

// writeFailure answers with an error as a problem.
func writeFailure(w http.ResponseWriter, status int, e *facade.Error) {
	problem := problemOf(status, e.Code, e.Message)
	problem["data"] = e
	body, err := json.Marshal(problem)
	if err != nil { // plain strings: it cannot
		body = nil
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
