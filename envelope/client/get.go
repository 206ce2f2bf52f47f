package client

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/envelope/wire"
)

// get is a GET of the facts of a Frond; it replaces the frames of a post.
type get struct {
	query  string
	wait   time.Duration   // how long the host may wait before it answers
	signer *signing.Signer // nil: unsigned
	frond  string
}

// patience is the time that an attempt takes in addition to a call's.
func (g *get) patience() time.Duration {
	if g == nil {
		return 0
	}
	return g.wait
}

// request makes the GET out of a request for the path of calls, with a new signature for every
// attempt.
func (g *get) request(req *http.Request) *http.Request {
	u := *req.URL
	u.Path = strings.TrimSuffix(u.Path, wire.Path) + wire.FactsPath
	u.RawPath, u.RawQuery = "", g.query
	req.Method, req.URL = http.MethodGet, &u
	req.Header = maps.Clone(req.Header)
	req.Header.Del("Content-Type")
	if g.signer != nil {
		// A state that is nil has no fault.
		if header, err := g.signer.AuthorizeGet(wire.FactsPath, g.query, g.frond, nil); err == nil {
			req.Header.Set("Authorization", header)
		}
	}
	return req
}

// frameless is the failure of an answer that is not a frame. The status 410 of a GET has the
// same meaning as in a frame.
func (g *get) frameless(status int, header http.Header) *failure {
	if g != nil && status == http.StatusGone {
		return &failure{kind: goneFacts}
	}
	return frameless(status, header)
}

// withoutFacts reports whether a status says that the host has no such path.
func withoutFacts(status int) bool {
	return status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status == http.StatusNotImplemented
}

// escape is a text in a query string.
func escape(text string) string { return url.QueryEscape(text) }
