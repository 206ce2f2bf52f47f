package client

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// maxDocument is how many bytes a discovery document may have by default: a thousand entities
// have about ten million.
const maxDocument = 64 << 20

// Options of a Remote. A nil *Options is fine, and every zero value is the default of
// docs/remotes.md.
type Options struct {
	// Name is the remote's name in the log, in events and in the status; "": the host of
	// its address.
	Name string
	// Connect bounds the time for a connection to form, TLS included; 0: 2 s.
	Connect time.Duration
	// Attempt bounds one HTTP request, until the whole answer is read; 0: 5 s.
	Attempt time.Duration
	// Timeout bounds a call with all its attempts; 0: 10 s. The deadline of the caller's
	// context holds too.
	Timeout time.Duration
	// Retries is the number of times that a query is sent again after a failure; 0: 2, less
	// than 0: never. A command is sent again only if the host provably received no byte of it.
	Retries int
	// InFlight is how many HTTP requests may be under way; 0: 256. Further ones wait.
	InFlight int
	// MaxAnswer is how many bytes an answer may have; 0: envelope.MaxAnswer. A larger one is
	// BAD_GATEWAY.
	MaxAnswer int64
	// MaxDocument and Discovery bound the discovery document: its bytes, 0: 64 MiB,
	// and its contents. A larger one fails as a [schema.OverLimit].
	MaxDocument int64
	Discovery   schema.DiscoveryLimits
	// NoCoalesce answers equal queries one by one.
	NoCoalesce bool
	// Strict refuses answers that do not fit their card as BAD_GATEWAY. Without it one
	// answer a second of each operation is checked, and each violation is logged once.
	Strict bool
	// Signer signs posts; nil: they are unsigned. A call is signed for the Frond of its door;
	// discovery, and a call of a door in no catalog, for Name.
	Signer *signing.Signer
	// Transport carries requests; nil: one of its own, HTTP/1.1 with connections that
	// are kept. It must not resend a POST that the host may have received.
	Transport http.RoundTripper
	// Log receives the causes of failures, which callers do not see; nil: slog.Default().
	Log *slog.Logger
	// Observe receives every call within its context, from many goroutines; nil: not called.
	Observe func(context.Context, Event)
	// Header, if not nil, adds headers to the HTTP requests of a call. The context is the
	// call's, or the context of one of the calls that share an answer.
	Header func(context.Context, http.Header)
}

// withDefaults is a copy of the options, which may be nil, with every default filled in.
// address is nil if it is invalid; the calls then fail.
func (o *Options) withDefaults(address *url.URL) *Options {
	out := Options{}
	if o != nil {
		out = *o
	}
	if out.Name == "" && address != nil {
		out.Name = address.Host
	}
	out.Connect = cmp.Or(max(out.Connect, 0), 2*time.Second)
	out.Attempt = cmp.Or(max(out.Attempt, 0), 5*time.Second)
	out.Timeout = cmp.Or(max(out.Timeout, 0), 10*time.Second)
	out.InFlight = cmp.Or(max(out.InFlight, 0), 256)
	out.MaxDocument = cmp.Or(max(out.MaxDocument, 0), maxDocument)
	out.MaxAnswer = cmp.Or(max(out.MaxAnswer, 0), envelope.MaxAnswer)
	if out.Retries == 0 {
		out.Retries = 2
	}
	out.Retries = max(out.Retries, 0)
	if out.Log == nil {
		out.Log = slog.Default()
	}
	return &out
}

// newTransport makes the connections of one remote. HTTP/1.1 alone, and a short idle time: a
// command must not be lost on a connection that is being closed (docs/decisions/remotes.md).
func newTransport(o *Options) *http.Transport {
	t := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: o.Connect, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout: o.Connect,
		MaxIdleConns:        o.InFlight,
		MaxIdleConnsPerHost: o.InFlight,
		// Common servers close a connection that was idle for five seconds. A call on a
		// connection that is being closed may be lost, and a command is not sent again.
		IdleConnTimeout:    4 * time.Second,
		DisableCompression: true, // hosts are near
		Protocols:          new(http.Protocols),
	}
	// After some HTTP/2 resets net/http resends a request that the host may have run.
	t.Protocols.SetHTTP1(true)
	return t
}

// parseAddress parses a base address, with or without [envelope.Path] at its end. http://h:4100,
// http://h:4100/ and http://h:4100/_kit/call are one address.
func parseAddress(base string) (*url.URL, error) {
	base = strings.TrimRight(base, "/")
	if !strings.HasSuffix(base, envelope.Path) {
		base += envelope.Path
	}
	u, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	if u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, kiterror.Errorf(kiterror.ServiceUnavailable, "the address is not http://host or https://host")
	}
	return u, nil
}
