package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/signing"
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
	// read reads an answer in JSON; header is for the failure of an answer without a frame.
	read func(status int, header http.Header, body []byte) *failure
	sent *atomic.Int32 // counts attempts
}

// endpoint is where the posts of one host go.
type endpoint struct {
	options   *Options
	address   *url.URL
	transport http.RoundTripper
	traced    bool      // transport is net/http's, which reports the bytes it has sent
	own       exchanger // carries posts in place of transport; nil: transport carries all
	// wrote is what calls that belong to no request have written at the host.
	wrote consistency.Record
}

// exchanger carries posts over connections of this package. sent reports whether a connection took
// a byte of the request.
type exchanger interface {
	exchange(ctx context.Context, a *attempt) (r response, sent bool, err error)
	CloseIdleConnections()
}

// maxOwnPost is how many bytes a post has at most that an exchanger carries: a socket takes them
// at once. net/http reads an answer while a longer body is being written.
const maxOwnPost = 32 << 10

// attempt is a post that is being sent.
type attempt struct {
	endpoint *endpoint
	post     *post
	frames   []byte    // of the post, with a new signature if it is signed
	by       time.Time // when it ends
	account  *budget.Account
}

// response is an HTTP response. The header may lack fields that no call reads.
type response struct {
	status int
	header http.Header
	body   []byte
}

// record holds the writes that a call has to see: in a gateway the writes of its request; in
// other programs all writes through this remote.
func (e *endpoint) record(ctx context.Context) *consistency.Record {
	if r := consistency.From(ctx); r != nil {
		return r
	}
	return &e.wrote
}

// roundTrip sends a post once and has the answer read; nil: it was read. Only bodies that
// jsontext.Check accepts reach p.read.
func (e *endpoint) roundTrip(ctx context.Context, p *post) *failure {
	a := attempt{endpoint: e, post: p, frames: p.frames, by: time.Now().Add(e.options.Attempt + p.get.patience()), account: p.account(ctx)}
	if by, ok := ctx.Deadline(); ok && by.Before(a.by) {
		a.by = by
	}
	if p.sealed != nil { // a token is valid once
		a.frames = p.sealed.Post()
	}
	p.sent.Add(1)
	carry := a.overTransport
	if e.own != nil && p.get == nil && len(a.frames) <= maxOwnPost {
		carry = a.overConnection
	}
	r, sent, err := carry(ctx)
	e.record(ctx).Learned(r.header[consistency.Header])
	switch {
	case err != nil:
		if refused := (*kiterror.Error)(nil); errors.As(err, &refused) {
			return &failure{kind: answerOverBudget, cause: refused}
		}
		if by, ok := ctx.Deadline(); ok && passed(by) {
			<-ctx.Done() // a connection may notice a little earlier
		}
		return unanswered(ctx, passed(a.by), err, sent)
	case int64(len(r.body)) > p.most:
		return &failure{kind: tooLarge}
	case r.status >= 300 && r.status < 400: // never followed: frames go where they were meant to go
		return frameless(r.status, r.header)
	}
	if p.get != nil && withoutPath(r.status) {
		return &failure{kind: p.get.none}
	}
	if err := jsontext.Check(r.body); err != nil {
		f := p.get.frameless(r.status, r.header)
		if f.cause = err; r.header["Content-Encoding"] != nil {
			f.cause = fmt.Errorf("the answer has Content-Encoding %s: %w", r.header.Get("Content-Encoding"), err)
		}
		if r.status == http.StatusOK && isCodedUnknown(r.header) {
			f.kind = unknownCoding
		}
		return f
	}
	return p.read(r.status, r.header, r.body)
}

// overConnection sends a post over a connection of this package.
func (a *attempt) overConnection(ctx context.Context) (response, bool, error) {
	return a.endpoint.own.exchange(ctx, a)
}

// overTransport sends a post by the endpoint's transport.
func (a *attempt) overTransport(ctx context.Context) (r response, sent bool, err error) {
	ctx, cancel := context.WithDeadline(ctx, a.by)
	defer cancel()
	var taken atomic.Bool
	resp, err := a.endpoint.transport.RoundTrip(a.request(ctx, &taken))
	if err != nil {
		return r, taken.Load(), err
	}
	defer func() { _ = resp.Body.Close() }()
	r = response{status: resp.StatusCode, header: resp.Header}
	r.body, err = readBody(resp, a.post.most, a.account)
	return r, true, err
}

// passed reports whether a time has come.
func passed(by time.Time) bool { return !time.Now().Before(by) }

// within is ctx bounded by d: ctx itself if its own deadline is earlier.
func within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if by, ok := ctx.Deadline(); ok && time.Until(by) <= d {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, d)
}

// readBody reads an answer to its end, so that the connection can be reused, or up to
// one byte more than most. It is not pooled: the rows of the result are parts of it. No request asks for a compressed answer, and some
// hosts compress all the same.
func readBody(resp *http.Response, most int64, account *budget.Account) ([]byte, error) {
	if plain := decompressor(resp.Header); plain != nil {
		r, err := plain(resp.Body)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(account.Reader(io.LimitReader(r, most+1), -1, 0))
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<10)) // the end of the body, so that the connection can be reused
		return body, err
	}
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

// jsonType is shared by all requests, so that it is not allocated for each.
var jsonType = []string{"application/json"}

// setHeader sets the header of a post.
//
//	Content-Type, Accept: application/json
//	Traceparent, the timeout in milliseconds, X-Frond-Consistency, Options.Header, Authorization of the address
func (a *attempt) setHeader(ctx context.Context, header http.Header) {
	header["Content-Type"], header["Accept"] = jsonType, jsonType
	header[envelope.TimeoutHeader] = []string{strconv.FormatInt(max(1, time.Until(a.by).Milliseconds()), 10)}
	if hops := envelope.HopsOf(ctx); hops > 0 {
		header[envelope.HopsHeader] = []string{strconv.Itoa(hops)}
	}
	if isTraceparent(a.post.trace) {
		header["Traceparent"] = []string{a.post.trace}
	}
	e := a.endpoint
	if tokens := e.record(ctx).Text(); tokens != "" {
		header[consistency.Header] = []string{tokens}
	}
	if e.options.Header != nil {
		e.options.Header(ctx, header)
	}
	if u := e.address.User; u != nil && header["Authorization"] == nil {
		password, _ := u.Password()
		(&http.Request{Header: header}).SetBasicAuth(u.Username(), password)
	}
}

// request makes the HTTP request of an attempt. taken is set once a connection has accepted
// anything of it.
func (a *attempt) request(ctx context.Context, taken *atomic.Bool) *http.Request {
	e, header := a.endpoint, make(http.Header, 6)
	a.setHeader(ctx, header)
	req := &http.Request{
		Method: http.MethodPost, URL: e.address, Host: e.address.Host, Header: header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	if a.post.get != nil {
		taken.Store(true) // without effect on it: a GET may be sent again
		return a.post.get.request(req).WithContext(ctx)
	}
	frames := a.frames
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
