package envelope

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
)

// mishap is what can befall a trip to a host.
type mishap uint8

// The mishaps, in the order a trip meets them.
const (
	noAddress   mishap = iota // the address is none
	unformed                  // nothing was sent: refused, no such name, no route, no connection in time, a handshake that broke
	untrusted                 // the certificate does not hold
	lost                      // the connection ended before the whole answer was there
	late                      // the time of an attempt ran out
	tooLate                   // the time of the call ran out
	left                      // the caller went away
	busy                      // 503 without a frame
	behind                    // 502 without a frame: a proxy got no answer
	waited                    // 504 without a frame: a proxy waited
	slowDown                  // 429 without a frame
	strange                   // anything else that is no frame: HTML, a redirect, a status, another JSON
	another                   // a frame, and not the one that was asked for
	large                     // more than an answer may have
	resting                   // the breaker is open: nothing was sent
	full                      // too many calls are in flight: nothing was sent
	unsigned                  // the host refuses how the call is signed, or that it is not
	crowdedHere               // there is no room here for the answer
)

// fate is what becomes of a mishap.
type fate struct {
	code    facade.Code
	message string // for callers: never an address, never a text of the host
	query   bool   // a query is sent again
	command bool   // a command is: only where the host provably got nothing
	counts  bool   // it speaks against the host, as the breaker counts
}

// fates is the table of docs/remotes.md, "What becomes of a failure".
var fates = [...]fate{
	noAddress: {facade.ServiceUnavailable, "the host cannot be reached", false, false, false},
	unformed:  {facade.ServiceUnavailable, "the host cannot be reached", true, true, true},
	untrusted: {facade.ServiceUnavailable, "the host cannot be reached", false, false, true},
	lost:      {facade.ServiceUnavailable, "the host went away before it had answered", true, false, true},
	late:      {facade.GatewayTimeout, "the host did not answer in time", true, false, true},
	tooLate:   {facade.GatewayTimeout, "the host did not answer in time", false, false, true},
	left:      {facade.RequestTimeout, "the caller went away before there was an answer", false, false, false},
	busy:      {facade.ServiceUnavailable, "the host cannot be reached", true, false, true},
	behind:    {facade.BadGateway, "the host answered status 502 and no JSON-RPC 2.0 frame", true, false, true},
	waited:    {facade.GatewayTimeout, "the host did not answer in time", true, false, true},
	slowDown:  {facade.TooManyRequests, "the host asks to be called less often", false, false, false},
	strange:   {facade.BadGateway, "the host answered no JSON-RPC 2.0 frame", false, false, true},
	another:   {facade.BadGateway, "the host answered another frame than the one sent", false, false, true},
	large:     {facade.BadGateway, "the host answered more than fits; ask for less at once", false, false, false},
	resting:   {facade.ServiceUnavailable, "the host has been failing and is let rest for a moment", false, false, false},
	full:      {facade.ServiceUnavailable, "too many calls of the host are in flight", false, false, false},
	unsigned:  {facade.BadGateway, "the host does not take the call as it is signed", false, false, false},

	crowdedHere: {facade.ServiceUnavailable, "", false, false, false}, // the cause says it
}

// accident is a trip that failed. It is an error for the retries alone.
type accident struct {
	what   mishap
	status int           // of an answer without a frame
	after  time.Duration // the host asks to wait so long; 0: it does not say
	cause  error         // for the log
	again  bool          // it is sent again
}

func (a *accident) Error() string { return a.err().Error() }

// err is what the caller is told. The cause keeps what is for the log: it may hold
// the address.
func (a *accident) err() *facade.Error {
	f := &fates[a.what]
	if a.what == crowdedHere {
		return facade.AsError(a.cause)
	}
	message := f.message
	if a.what == strange && a.status != 0 {
		message = fmt.Sprintf("the host answered status %d and no JSON-RPC 2.0 frame", a.status)
	}
	if a.cause != nil {
		return facade.Errorf(f.code, "%s%w", message, silent{a.cause})
	}
	return facade.Errorf(f.code, "%s", message)
}

// silent keeps a cause out of a message.
type silent struct{ error }

func (silent) Error() string   { return "" }
func (s silent) Unwrap() error { return s.error }

// unanswered is the accident of an attempt that brought no answer, or not all of
// it. ctx is the call's, attempt its part; sent says whether anything of the frames
// was taken by a connection.
func unanswered(ctx, attempt context.Context, err error, sent bool) *accident {
	a := &accident{what: lost, cause: err}
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		a.what = left
	case ctx.Err() != nil:
		a.what = tooLate
	case attempt.Err() != nil:
		a.what = late
	case errors.As(err, &certificate):
		a.what = untrusted
	case !sent:
		a.what = unformed
	}
	return a
}

// frameless is the accident of an answer that is none of ours, by its status: what
// stands in between (a balancer, a proxy) speaks by it.
func frameless(status int, header http.Header) *accident {
	a := &accident{what: strange, status: status}
	switch status {
	case http.StatusTooManyRequests:
		a.what, a.after = slowDown, retryAfter(header)
	case http.StatusServiceUnavailable:
		a.what, a.after = busy, retryAfter(header)
	case http.StatusBadGateway:
		a.what = behind
	case http.StatusGatewayTimeout:
		a.what = waited
	}
	return a
}

// unsignedBy is the accident of an answer that refuses the sender, or nil. What a
// host says to a caller is the caller's; this is ours to mend.
func unsignedBy(header http.Header, failed *facade.Error) *accident {
	if header.Get("WWW-Authenticate") != signing.Challenge || failed == nil {
		return nil
	}
	return &accident{what: unsigned, cause: failed}
}

// retryAfter is how long an answer asks to wait (RFC 9110, section 10.2.3); 0: it
// does not say.
func retryAfter(header http.Header) time.Duration {
	text := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}
