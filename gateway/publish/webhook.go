package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/frondhost/frond/facts/delivery"
)

// hookConfig is one webhook.
type hookConfig struct {
	Name string // of the webhook, for logs and metrics
	URL  string // https://…, or http://… to an address that Allow names
	// Secrets sign every message; while a secret is replaced, there are the old one and the
	// new one.
	Secrets []secret
	// Allow are addresses, in addition to public ones, that the URL may lead to.
	Allow []netip.Prefix
	// Header is sent with every message. It may hold credentials and is never printed.
	Header http.Header
	// Timeout is for one attempt, from the connection to the end of the answer; 0: 15 s.
	Timeout time.Duration
	// Parallel is how many messages are under way at once; 0: 8. Those of one key never are.
	Parallel int
}

// The defaults of a Config.
const (
	connectTime     = 5 * time.Second
	defaultTimeout  = 15 * time.Second
	defaultParallel = 8
)

// hookOptions are the host's parts of a webhook; each may be the zero value.
type hookOptions struct {
	Writer delivery.CloudEvents
	// Resolver looks names up; nil: the system's.
	Resolver *net.Resolver
	Log      *slog.Logger
}

// hook sends events to one URL.
type hook struct {
	config  hookConfig
	options hookOptions
	client  *http.Client
	log     *slog.Logger
	outage  outage // of the session, of which there is one at a time
}

// newHook makes a webhook. It sends no request before [hook.Run]. The error names the remedy and
// repeats no secret.
func newHook(c hookConfig, opts hookOptions) (*hook, error) {
	err := checkHookURL(c.URL)
	if err == nil {
		err = checkHookHeader(c.Header)
	}
	if err == nil && len(c.Secrets) == 0 {
		err = errors.New("has no secret; name one, such as secret: env:BILLING_SECRET")
	}
	if err != nil {
		return nil, err
	}
	c.Timeout, c.Parallel = cmp.Or(c.Timeout, defaultTimeout), cmp.Or(c.Parallel, defaultParallel)
	h := &hook{config: c, options: opts, log: opts.Log}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	gate := &gate{allow: c.Allow, plain: strings.HasPrefix(strings.ToLower(c.URL), "http:")}
	h.client = &http.Client{
		Timeout: c.Timeout,
		Transport: &http.Transport{
			Proxy:                  nil, // a proxy would connect in our place, and to any address
			DialContext:            gate.dialer(opts.Resolver).DialContext,
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    connectTime,
			MaxIdleConnsPerHost:    c.Parallel,
			MaxConnsPerHost:        c.Parallel,
			IdleConnTimeout:        90 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
			DisableCompression:     true, // the answer's body is not read further than its bound
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return h, nil
}

// Run delivers the consumer's events until ctx is done or the receiver wants no more; see
// [delivery.Consumer.Run].
func (h *hook) Run(ctx context.Context, c *delivery.Consumer) error {
	defer h.client.CloseIdleConnections()
	return c.Run(ctx, func(ctx context.Context, s *delivery.Session) error {
		return newDispatcher(h, c, s).run(ctx)
	})
}

// checkHookURL reports a text that cannot be the address of a receiver. The error does not repeat
// it: it may hold a token.
func checkHookURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return errors.New("write an address such as https://billing.example/hooks")
	case u.User != nil:
		return errors.New("write credentials as a header, such as headers: {Authorization: env:BILLING_TOKEN}")
	case u.Fragment != "":
		return errors.New("leave out the part from # on: it is never sent")
	}
	return nil
}

// checkHookReach reports a URL, one that CheckURL accepts, to which no request could be made with
// these blocks in addition to public addresses: http:// without any, or an address outside of
// them. A name's address is judged at the connection.
func checkHookReach(text string, allow []netip.Prefix) error {
	u, err := url.Parse(text)
	if err != nil {
		return err
	}
	isPlain := u.Scheme == "http"
	if isPlain && len(allow) == 0 {
		return errors.New("write https://, or name the receiver's address, such as allow: [10.0.0.7]")
	}
	ip, err := netip.ParseAddr(u.Hostname())
	if err != nil {
		return nil //nolint:nilerr // a name
	}
	switch (&gate{allow: allow, plain: isPlain}).check(ip) {
	case nil:
		return nil
	case errPlain: //nolint:errorlint // check returns it as it is
		return errors.New("write https://, or name its address under allow, such as allow: [10.0.0.7]")
	}
	return errors.New("its address is not public; name it under allow, such as allow: [10.0.0.7]")
}

// reserved are headers that the message or the connection has.
var reserved = []string{
	"Webhook-Id", "Webhook-Timestamp", "Webhook-Signature", "Content-Type", "Content-Length", "Content-Encoding", "Transfer-Encoding", "Host", "Connection",
	"Upgrade", "Te", "Trailer", "Keep-Alive", "Proxy-Connection", "Expect", "User-Agent", "Traceparent",
}

// checkHookHeader reports a header that cannot be sent. The error names it and does not repeat its
// value.
func checkHookHeader(header http.Header) error {
	for name, values := range header {
		canonical := http.CanonicalHeaderKey(name)
		switch {
		case !isToken(name):
			return fmt.Errorf("%q is not the name of a header; write one such as Authorization", name)
		case slices.Contains(reserved, canonical):
			return fmt.Errorf("the header %s belongs to the message; leave it out", canonical)
		case slices.ContainsFunc(values, isUnsendable):
			return fmt.Errorf("the header %s cannot be sent; write text without line breaks", canonical)
		}
	}
	return nil
}

// isToken reports whether a text may be a header's name (RFC 9110 section 5.6.2).
func isToken(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
	})
}

// isUnsendable reports a header's value that is empty or has control characters.
func isUnsendable(value string) bool {
	return strings.TrimSpace(value) == "" || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}
