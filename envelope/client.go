package envelope

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema/jsontext"
)

// MaxAnswer is how many bytes an answer may have; a longer one is BAD_GATEWAY.
const MaxAnswer = 8 << 20

// MaxDocument is how many bytes a discovery document may have: that of a thousand
// entities has about ten million.
const MaxDocument = 64 << 20

// Client calls the operations of a host at an address. It is a facade.Caller and
// may be used from many goroutines. It sends each call once.
//
//	the host cannot be reached               SERVICE_UNAVAILABLE
//	no answer within the context's deadline
//	or the http.Client's timeout             GATEWAY_TIMEOUT
//	an answer that is no frame, is not JSON,
//	has another id or is over MaxAnswer      BAD_GATEWAY
//	a failure frame                          the KitError in it, as it was there
type Client struct {
	url     string
	http    *http.Client
	catalog *facade.Catalog
	lastID  *atomic.Int64
}

var _ facade.Caller = (*Client)(nil)

// NewClient is a client of the host at a base address, with or without [Path] at
// its end. A nil http.Client is one with a timeout of 10 s.
func NewClient(base string, hc *http.Client) *Client {
	if hc == nil {
		hc = &http.Client{Timeout: 10 * time.Second}
	}
	base = strings.TrimRight(base, "/")
	if !strings.HasSuffix(base, Path) {
		base += Path
	}
	return &Client{url: base, http: hc, lastID: new(atomic.Int64)}
}

// With is the client for calls whose results a catalog describes: results take
// the form their operation has there. Without one the form is told from the text.
func (c *Client) With(cat *facade.Catalog) *Client {
	bound := *c
	bound.catalog = cat
	return &bound
}

// Call posts one frame, or with Each as many as there are keys, in batches.
func (c *Client) Call(ctx context.Context, call *facade.Call) (*facade.Result, error) {
	if call.Each != nil {
		return c.callEach(ctx, call)
	}
	text, err := c.send(ctx, MaxAnswer, call.Entity+"."+call.Operation, func(dst []byte) ([]byte, error) {
		return appendInvocation(dst, &call.Invocation)
	})
	if err != nil {
		return nil, err.At(call.Entity, call.Operation)
	}
	result, err := readResult(text, c.operation(call))
	if err != nil {
		return nil, err.At(call.Entity, call.Operation)
	}
	return result, nil
}

// Discover is the host's discovery document (spec 2.5), checked to be JSON and no more.
func (c *Client) Discover(ctx context.Context) (json.RawMessage, error) {
	text, err := c.send(ctx, MaxDocument, Discover, nil)
	if err != nil {
		return nil, err
	}
	return text, nil
}

// operation is what the catalog says of a call, or nil.
func (c *Client) operation(call *facade.Call) *facade.Operation {
	if c.catalog == nil {
		return nil
	}
	if door := c.catalog.Door(call.Entity); door != nil {
		return door.Operation(call.Operation)
	}
	return nil
}

// send posts one frame and answers its result, of most bytes with its frame.
func (c *Client) send(ctx context.Context, most int64, method string, params func([]byte) ([]byte, error)) (json.RawMessage, *facade.Error) {
	id := c.lastID.Add(1)
	frame, err := appendRequest(nil, id, method, params)
	if err != nil {
		return nil, facade.Errorf(facade.BadRequest, "the call cannot be written as JSON: %w", err)
	}
	body, status, failed := c.post(ctx, most, frame)
	if failed != nil {
		return nil, failed
	}
	reply, ok := readReply(body)
	switch {
	case !ok:
		return nil, notAFrame(status)
	case reply.failed != nil && (reply.id == strconv.FormatInt(id, 10) || reply.id == "null"):
		return nil, reply.failed
	case reply.id != strconv.FormatInt(id, 10):
		return nil, facade.Errorf(facade.BadGateway, "the host answered another frame than the one sent")
	case status != http.StatusOK:
		return nil, notAFrame(status)
	}
	return reply.result, nil
}

// post sends frames and answers the body, checked JSON of at most most bytes, with
// its status.
func (c *Client) post(ctx context.Context, most int64, frames []byte) ([]byte, int, *facade.Error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(frames))
	if err != nil {
		return nil, 0, facade.Errorf(facade.ServiceUnavailable, "the host's address is not one: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, 0, unreached(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var body bytes.Buffer
	if resp.ContentLength > 0 {
		body.Grow(int(min(resp.ContentLength, most)) + bytes.MinRead)
	}
	n, err := body.ReadFrom(io.LimitReader(resp.Body, most+1))
	if err != nil {
		return nil, 0, unreached(err)
	}
	if n > most {
		return nil, 0, facade.Errorf(facade.BadGateway, "the host answered more than %d bytes; ask for less at once", most)
	}
	if err := jsontext.Check(body.Bytes()); err != nil {
		return nil, 0, notAFrame(resp.StatusCode)
	}
	return body.Bytes(), resp.StatusCode, nil
}

// unreached codes a failure of the trip itself. The address stays in the cause: it
// is for the log, not for whoever called.
func unreached(err error) *facade.Error {
	var failed *url.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &failed) && failed.Timeout() {
		return facade.Errorf(facade.GatewayTimeout, "the host did not answer in time%w", silent{err})
	}
	return facade.Errorf(facade.ServiceUnavailable, "the host cannot be reached%w", silent{err})
}

// silent keeps a cause out of a message.
type silent struct{ error }

func (silent) Error() string   { return "" }
func (s silent) Unwrap() error { return s.error }

// notAFrame codes an answer that is none of ours by its status: what stands in
// between (a balancer, a proxy) speaks by it.
func notAFrame(status int) *facade.Error {
	switch status {
	case http.StatusTooManyRequests:
		return facade.Errorf(facade.TooManyRequests, "the host asks to be called less often")
	case http.StatusServiceUnavailable:
		return facade.Errorf(facade.ServiceUnavailable, "the host cannot be reached")
	case http.StatusGatewayTimeout:
		return facade.Errorf(facade.GatewayTimeout, "the host did not answer in time")
	}
	return facade.Errorf(facade.BadGateway, "the host answered status %d and no JSON-RPC 2.0 frame", status)
}

func appendRequest(dst []byte, id int64, method string, params func([]byte) ([]byte, error)) ([]byte, error) {
	dst = fmt.Appendf(dst, `{"jsonrpc":"2.0","id":%d,"method":`, id)
	dst = jsontext.AppendString(dst, method)
	if params != nil {
		var err error
		if dst, err = params(append(dst, `,"params":`...)); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// appendInvocation appends an invocation as a frame's params; what is absent stays absent.
func appendInvocation(dst []byte, inv *facade.Invocation) ([]byte, error) {
	member := func(name string, text []byte) {
		if len(text) > 0 {
			if dst[len(dst)-1] != '{' {
				dst = append(dst, ',')
			}
			dst = append(jsontext.AppendString(dst, name), ':')
			dst = append(dst, text...)
		}
	}
	dst = append(dst, '{')
	member("params", inv.Params)
	member("query", inv.Query)
	member("body", inv.Body)
	if inv.State != nil {
		state, err := json.Marshal(inv.State)
		if err != nil {
			return nil, err
		}
		member("state", state)
	}
	if inv.Trace != "" {
		member("trace", jsontext.Quote(inv.Trace))
	}
	return append(dst, '}'), nil
}
