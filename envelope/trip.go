package envelope

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema/jsontext"
)

// TimeoutHeader tells a host how many milliseconds its caller will wait for the
// answer, so that it can give up when nobody is there any more. It is additive: a
// host that does not know it loses nothing (decision 161).
const TimeoutHeader = "X-Kit-Timeout"

// post is one thing to send: frames, and who reads what comes back.
type post struct {
	frames  []byte
	sealed  *signing.Sealed // the frames to be signed for every attempt; nil: they are not
	most    int64           // bytes of an answer
	command bool            // it must not be run twice
	trace   string
	aside   bool // it asks about the host, not of it: the breaker has no say, and learns nothing
	// read reads an answer that is JSON; the header is for an accident to read.
	read func(status int, header http.Header, body []byte) *accident
	sent *atomic.Int32 // counts attempts
}

// exchange sends frames once and has the answer read.
func (l *link) exchange(ctx context.Context, p *post) *accident {
	attempt, cancel := within(ctx, l.options.Attempt)
	defer cancel()
	var taken atomic.Bool
	p.sent.Add(1)
	resp, err := l.transport.RoundTrip(l.request(attempt, p, &taken))
	if err != nil {
		return unanswered(ctx, attempt, err, taken.Load())
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := readBody(resp, p.most, p.account(ctx))
	var refused *facade.Error
	switch {
	case errors.As(err, &refused):
		return &accident{what: crowdedHere, cause: refused}
	case int64(len(body)) > p.most:
		return &accident{what: large}
	case err != nil:
		return unanswered(ctx, attempt, err, true)
	case resp.StatusCode >= 300 && resp.StatusCode < 400: // never followed: frames go where they were meant to go
		return frameless(resp.StatusCode, resp.Header)
	}
	if err := jsontext.Check(body); err != nil {
		strange := frameless(resp.StatusCode, resp.Header)
		strange.cause = err
		return strange
	}
	return p.read(resp.StatusCode, resp.Header, body)
}

// readBody reads an answer to its end, so that the connection serves again, or up to
// one byte more than most. It is not pooled: rows stand in it.
func readBody(resp *http.Response, most int64, account *facade.Account) ([]byte, error) {
	if n := resp.ContentLength; n > 0 && n <= most {
		if err := account.Reserve(int(n)); err != nil {
			return nil, err
		}
		body := make([]byte, n)
		_, err := io.ReadFull(resp.Body, body)
		return body, err
	}
	return io.ReadAll(account.Reader(io.LimitReader(resp.Body, most+1), -1))
}

// account is what an answer is charged to while it is read. That of a command is read
// in any case: it was run.
func (p *post) account(ctx context.Context) *facade.Account {
	if p.command {
		return nil
	}
	return facade.AccountOf(ctx)
}

var hostHeader = http.Header{"Content-Type": jsonType, "Accept": jsonType}

func (l *link) request(ctx context.Context, p *post, taken *atomic.Bool) *http.Request {
	frames := p.frames
	if p.sealed != nil { // a token counts once
		frames = p.sealed.Post()
	}
	header := make(http.Header, 6)
	for name, values := range hostHeader {
		header[name] = values
	}
	if by, ok := ctx.Deadline(); ok {
		header[TimeoutHeader] = []string{strconv.FormatInt(max(1, time.Until(by).Milliseconds()), 10)}
	}
	if isTraceparent(p.trace) {
		header["Traceparent"] = []string{p.trace}
	}
	if l.options.Header != nil {
		l.options.Header(ctx, header)
	}
	body := func() (io.ReadCloser, error) { return &payload{Reader: bytes.NewReader(frames), taken: taken}, nil }
	if l.options.Transport == nil { // net/http's: it sends head and body in one piece where it knows what the body is
		body = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(frames)), nil }
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			GetConn:      func(string) { taken.Store(false) }, // again, where nothing was written on the last one
			WroteHeaders: func() { taken.Store(true) },        // into a buffer: nothing of the body has left before
		})
	}
	first, _ := body()
	req := &http.Request{
		Method: http.MethodPost, URL: l.address, Host: l.address.Host, Header: header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: first, ContentLength: int64(len(frames)),
		// A connection that turns out closed before anything was written on it is
		// replaced by the transport, which needs the body anew for that. It never sends
		// a POST again of which anything was written.
		GetBody: body,
	}
	if u := l.address.User; u != nil {
		password, _ := u.Password()
		req.SetBasicAuth(u.Username(), password)
	}
	return req.WithContext(ctx)
}

// payload is a body that knows whether anything of it was taken. As long as nothing
// was, no host can have got a frame.
type payload struct {
	*bytes.Reader
	taken *atomic.Bool
}

func (p *payload) Read(b []byte) (int, error) {
	p.taken.Store(true)
	return p.Reader.Read(b)
}

// WriteTo is Read for who copies.
func (p *payload) WriteTo(w io.Writer) (int64, error) {
	p.taken.Store(true)
	return p.Reader.WriteTo(w)
}

func (*payload) Close() error { return nil }

// isTraceparent says whether a text can stand in a header; what it means is not ours.
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

// timeoutOf is how long the caller of a request waits, or 0 where it does not say.
func timeoutOf(r *http.Request) time.Duration {
	ms, err := strconv.ParseUint(r.Header.Get(TimeoutHeader), 10, 31)
	if err != nil {
		return 0
	}
	return time.Duration(ms) * time.Millisecond
}

// readOne reads the answer to one frame into into, its result by result.
func readOne(id int64, into *reply, result func(text []byte, at int) int) func(int, http.Header, []byte) *accident {
	return func(status int, header http.Header, body []byte) *accident {
		r, ok := readReply(body, result)
		asked := ok && r.answers(id)
		switch {
		case !ok:
			return frameless(status, header)
		case unsignedBy(header, r.failed) != nil:
			return unsignedBy(header, r.failed)
		case r.failed != nil && (asked || r.id == "null"):
		case !asked:
			return &accident{what: another}
		case status != http.StatusOK:
			return frameless(status, header)
		}
		*into = r
		return nil
	}
}

// address is the parsed place calls go to.
func addressOf(base string) (*url.URL, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	if u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, facade.Errorf(facade.ServiceUnavailable, "the address is not http://host or https://host")
	}
	return u, nil
}
