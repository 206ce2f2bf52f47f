package client

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/envelope/wire"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/consistency"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// post is one body to send, and what reads the answer.
type post struct {
	frames  []byte
	sealed  *signing.Sealed // frames that get a new signature for every attempt; nil: unsigned
	get     *get            // a GET in place of frames; nil: a POST
	most    int64           // bytes of an answer
	command bool            // it must not run twice
	trace   string
	// discovery is not stopped by the breaker and not counted by it: it is how a host
	// that recovers is noticed.
	discovery bool
	// uncounted is not counted by the breaker, and is not its probe.
	uncounted bool
	// read reads an answer that is JSON; header is for the failure of an answer that is not a
	// frame.
	read func(status int, header http.Header, body []byte) *failure
	sent *atomic.Int32 // counts attempts
}

// endpoint is where the posts of one host go.
type endpoint struct {
	options   *Options
	address   *url.URL
	transport http.RoundTripper
	traced    bool // transport is net/http's, which reports the bytes it has sent
	// wrote is what calls that belong to no request have written at the host.
	wrote consistency.Record
}

// record holds the writes that a call has to see: in a gateway those of its request; in other
// programs those of all calls of this remote.
func (e *endpoint) record(ctx context.Context) *consistency.Record {
	if r := consistency.From(ctx); r != nil {
		return r
	}
	return &e.wrote
}

// roundTrip sends a post once and has the answer read; nil: it was read. Only bodies that
// jsontext.Check accepts reach p.read.
func (e *endpoint) roundTrip(ctx context.Context, p *post) *failure {
	attempt, cancel := within(ctx, e.options.Attempt+p.get.patience())
	defer cancel()
	var taken atomic.Bool
	p.sent.Add(1)
	resp, err := e.transport.RoundTrip(e.request(attempt, p, &taken))
	if err != nil {
		return unanswered(ctx, attempt, err, taken.Load())
	}
	defer func() { _ = resp.Body.Close() }()
	e.record(ctx).Learned(resp.Header[consistency.Header])
	body, err := readBody(resp, p.most, p.account(ctx))
	var refused *kiterror.Error
	switch {
	case errors.As(err, &refused):
		return &failure{kind: answerOverBudget, cause: refused}
	case int64(len(body)) > p.most:
		return &failure{kind: tooLarge}
	case err != nil:
		return unanswered(ctx, attempt, err, true)
	case resp.StatusCode >= 300 && resp.StatusCode < 400: // never followed: frames go where they were meant to go
		return frameless(resp.StatusCode, resp.Header)
	}
	if p.get != nil && withoutFacts(resp.StatusCode) {
		return &failure{kind: noFacts}
	}
	if err := jsontext.Check(body); err != nil {
		f := p.get.frameless(resp.StatusCode, resp.Header)
		f.cause = err
		return f
	}
	return p.read(resp.StatusCode, resp.Header, body)
}

// within is ctx bounded by d: ctx itself if its own deadline is earlier.
func within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if by, ok := ctx.Deadline(); ok && time.Until(by) <= d {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, d)
}

// readBody reads an answer to its end, so that the connection can be reused, or up to
// one byte more than most. It is not pooled: the rows of the result are parts of it.
func readBody(resp *http.Response, most int64, account *budget.Account) ([]byte, error) {
	if n := resp.ContentLength; n > 0 && n <= most {
		if err := account.Reserve(int(n)); err != nil {
			return nil, err
		}
		body := make([]byte, n)
		_, err := io.ReadFull(resp.Body, body)
		return body, err
	}
	return io.ReadAll(account.Reader(io.LimitReader(resp.Body, most+1), -1, 0))
}

// account is charged with an answer while it is read. The answer of a command is read
// in any case, because the command has run.
func (p *post) account(ctx context.Context) *budget.Account {
	if p.command {
		return nil
	}
	return budget.AccountOf(ctx)
}

// jsonType and jsonHeader are shared by all requests, so that they allocate nothing.
var (
	jsonType   = []string{"application/json"}
	jsonHeader = http.Header{"Content-Type": jsonType, "Accept": jsonType}
)

// request makes the HTTP request of one attempt. taken is set once a connection has accepted
// anything of it.
//
//	POST /_kit/call
//	Content-Type, Accept: application/json
//	Traceparent, the timeout in milliseconds, X-Frond-Consistency, Options.Header, Authorization of the address
func (e *endpoint) request(ctx context.Context, p *post, taken *atomic.Bool) *http.Request {
	header := make(http.Header, 6)
	maps.Copy(header, jsonHeader)
	if by, ok := ctx.Deadline(); ok {
		header[wire.TimeoutHeader] = []string{strconv.FormatInt(max(1, time.Until(by).Milliseconds()), 10)}
	}
	if isTraceparent(p.trace) {
		header["Traceparent"] = []string{p.trace}
	}
	if tokens := e.record(ctx).Text(); tokens != "" {
		header[consistency.Header] = []string{tokens}
	}
	if e.options.Header != nil {
		e.options.Header(ctx, header)
	}
	req := &http.Request{
		Method: http.MethodPost, URL: e.address, Host: e.address.Host, Header: header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	if u := e.address.User; u != nil && header["Authorization"] == nil {
		password, _ := u.Password()
		req.SetBasicAuth(u.Username(), password)
	}
	if p.get != nil {
		taken.Store(true) // without effect on it: a GET may be sent again
		return p.get.request(req).WithContext(ctx)
	}
	frames := p.frames
	if p.sealed != nil { // a token is valid once
		frames = p.sealed.Post()
	}
	body := func() (io.ReadCloser, error) { return &payload{Reader: bytes.NewReader(frames), taken: taken}, nil }
	if e.traced { // net/http sends head and body in one piece where it knows the body's type
		body = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(frames)), nil }
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			GetConn:      func(string) { taken.Store(false) }, // a second connection, if no byte was written on the first
			WroteHeaders: func() { taken.Store(true) },        // into a buffer: no byte of the body is sent before
		})
	}
	first, _ := body()
	req.Body, req.ContentLength = first, int64(len(frames))
	// The transport replaces a connection that turns out to be closed before it wrote a byte
	// on it, and needs the body again for that. It never resends a POST after writing a byte
	// of it.
	req.GetBody = body
	return req.WithContext(ctx)
}

// payload is a body that knows whether a byte of it was read. Before that the host cannot have
// received a frame.
type payload struct {
	*bytes.Reader
	taken *atomic.Bool
}

// Read implements io.Reader.
func (p *payload) Read(b []byte) (int, error) {
	p.taken.Store(true)
	return p.Reader.Read(b)
}

// WriteTo is what io.Copy calls in place of Read.
func (p *payload) WriteTo(w io.Writer) (int64, error) {
	p.taken.Store(true)
	return p.Reader.WriteTo(w)
}

// Close implements io.Closer and has no effect.
func (*payload) Close() error { return nil }

// isTraceparent says whether a text is valid in the header; its meaning is not checked.
func isTraceparent(s string) bool {
	if s == "" || len(s) > 256 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}
