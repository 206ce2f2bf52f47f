package client

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade/kiterror"
)

// get is a GET of the facts or files of a Frond; it replaces the frames of a post.
type get struct {
	path, query string
	wait        time.Duration   // how long the host may wait before it answers
	signer      *signing.Signer // nil: unsigned
	frond       string
	state       json.RawMessage // of the caller; nil: anonymous
	none        failureKind     // of a host without the path
	wrong       failureKind     // of an answer that cannot be used
}

// ask sends a GET and has the body of its answer read. The error is the refusal of the host, or the
// failure of the way.
func (h *host) ask(ctx context.Context, p *post, read func(body []byte) error) (refused *kiterror.Error, failed *failure) {
	ctx, cancel := within(ctx, h.options.Timeout+p.get.wait)
	defer cancel()
	p.sent = new(atomic.Int32)
	p.read = func(status int, header http.Header, body []byte) *failure {
		if status == http.StatusOK {
			if err := read(body); err != nil {
				return &failure{kind: p.get.wrong, cause: err}
			}
			return nil
		}
		r, ok := envelope.ReadResponse(body, nil)
		if !ok || r.Err == nil {
			return p.get.frameless(status, header)
		}
		refused = r.Err
		return unsigned(header, r.Err)
	}
	failed = h.sender.send(ctx, p)
	return refused, failed
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
	req.Method, req.URL = http.MethodGet, beside(req.URL, g.path, g.query)
	req.Header = maps.Clone(req.Header)
	req.Header.Del("Content-Type")
	authorize(req.Header, g.signer, signing.Request{Method: req.Method, Path: g.path, Query: g.query}, g.frond, g.state)
	return req
}

// beside is the address of a path beside the path of calls.
func beside(calls *url.URL, path, query string) *url.URL {
	u := *calls
	u.Path = strings.TrimSuffix(u.Path, envelope.Path) + path
	u.RawPath, u.RawQuery = "", query
	return &u
}

// authorize signs a request; without a signer it has the caller's state in a header of its own.
func authorize(header http.Header, signer *signing.Signer, r signing.Request, frond string, state json.RawMessage) {
	switch {
	case signer != nil:
		// A state of this program's making has no fault.
		if token, err := signer.Authorize(r, frond, state); err == nil {
			header.Set("Authorization", token)
		}
	case state != nil:
		header.Set(envelope.StateHeader, base64.RawURLEncoding.EncodeToString(state))
	}
}

// frameless is the failure of an answer without a frame. The status 410 of a GET of facts has the
// same meaning as in a frame.
func (g *get) frameless(status int, header http.Header) *failure {
	if g != nil && g.none == noFacts && status == http.StatusGone {
		return &failure{kind: goneFacts}
	}
	return frameless(status, header)
}

// withoutPath reports whether a status says that the host has no such path.
func withoutPath(status int) bool {
	return status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status == http.StatusNotImplemented
}

// escape is a text in a query string.
func escape(text string) string { return url.QueryEscape(text) }
