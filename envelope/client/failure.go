package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade/kiterror"
)

// failureKind is what went wrong in a round trip to a host.
type failureKind uint8

// The kinds of failures, in the order in which a round trip can meet them.
const (
	// badAddress: the configured address is not a URL of http or https.
	badAddress failureKind = iota
	// connectFailed: no byte was sent. The connection was refused or did not form in time, the
	// name does not exist, there is no route, or the handshake failed.
	connectFailed
	// badCertificate: the host's certificate is invalid.
	badCertificate
	// connectionLost: the connection ended before the whole answer arrived.
	connectionLost
	// attemptTimeout: the time of one attempt ran out.
	attemptTimeout
	// callTimeout: the time of the call, or its caller's deadline, ran out.
	callTimeout
	// callerGone: the caller cancelled.
	callerGone
	// unavailable: 503 without a frame.
	unavailable
	// proxyFailed: 502 without a frame. A proxy got no answer.
	proxyFailed
	// proxyTimeout: 504 without a frame. A proxy stopped waiting.
	proxyTimeout
	// rateLimited: 429 without a frame.
	rateLimited
	// notAFrame: an answer of another form, such as HTML, a redirect or other JSON.
	notAFrame
	// wrongFrame: a frame, but not the answer to this request.
	wrongFrame
	// tooLarge: more bytes than an answer may have.
	tooLarge
	// breakerOpen: no byte was sent, because the host keeps failing.
	breakerOpen
	// tooManyInFlight: no byte was sent, because no other request ended in time.
	tooManyInFlight
	// signatureRefused: the host refuses the signature, or its absence.
	signatureRefused
	// answerOverBudget: this process has no room for the answer.
	answerOverBudget
	// noFacts: the host does not give its facts to other hosts.
	noFacts
	// wrongFacts: the answer to a GET of facts has another form.
	wrongFacts
	// goneFacts: 410 without a frame, which no other answer is.
	goneFacts
	// noFiles: the host does not give files to gateways.
	noFiles
	// wrongFiles: the answer about a file has another form.
	wrongFiles
	// unknownCoding: the answer is compressed, unasked, in a coding that is unknown here.
	unknownCoding
)

// outcome is the consequence of a failure of one kind. The three switches are independent: a
// certificate counts against the host, and sending again would not help.
type outcome struct {
	code    kiterror.Code
	message string // for callers: never an address, never a text of the host
	query   bool   // a query is sent again
	command bool   // a command is sent again: only if the host provably received no byte
	counts  bool   // the breaker counts it against the host
}

// unreachable says no address, which the caller may not have.
const unreachable = "the host cannot be reached; start it, or correct its address"

// outcomes is the table of docs/remotes.md, "What becomes of a failure".
var outcomes = [...]outcome{
	badAddress:       {kiterror.ServiceUnavailable, unreachable, false, false, false},
	connectFailed:    {kiterror.ServiceUnavailable, unreachable, true, true, true},
	badCertificate:   {kiterror.ServiceUnavailable, "the host cannot be reached: its certificate is not trusted; correct the certificate, or its address", false, false, true},
	connectionLost:   {kiterror.ServiceUnavailable, "the connection to the host ended before the whole answer was there", true, false, true},
	attemptTimeout:   {kiterror.GatewayTimeout, "the host did not answer in time", true, false, true},
	callTimeout:      {kiterror.GatewayTimeout, "the host did not answer in time", false, false, true},
	callerGone:       {kiterror.RequestTimeout, "", false, false, false}, // the façade has the message
	unavailable:      {kiterror.ServiceUnavailable, unreachable, true, false, true},
	proxyFailed:      {kiterror.BadGateway, "the host answered status 502 and no JSON-RPC 2.0 frame", true, false, true},
	proxyTimeout:     {kiterror.GatewayTimeout, "the host did not answer in time", true, false, true},
	rateLimited:      {kiterror.TooManyRequests, "the host asks to be called less often", false, false, false},
	notAFrame:        {kiterror.BadGateway, "the host answered no JSON-RPC 2.0 frame", false, false, true},
	wrongFrame:       {kiterror.BadGateway, "the host answered another frame than the one sent", false, false, true},
	tooLarge:         {kiterror.BadGateway, "the host answered more than fits; ask for less at once", false, false, false},
	breakerOpen:      {kiterror.ServiceUnavailable, "the host has been failing; its breaker is open for a moment", false, false, false},
	tooManyInFlight:  {kiterror.ServiceUnavailable, "too many calls of the host are in flight", false, false, false},
	signatureRefused: {kiterror.BadGateway, "the host does not take the call as it is signed", false, false, false},

	answerOverBudget: {kiterror.ServiceUnavailable, "", false, false, false}, // the cause has the message
	noFacts:          {kiterror.NotImplemented, "the host does not give its facts to other hosts", false, false, false},
	wrongFacts:       {kiterror.BadGateway, "the host's answer about its facts cannot be used", false, false, false},
	goneFacts:        {kiterror.Gone, "the remote service no longer keeps the events after this position; read the rows again, and continue from the position of that page", false, false, false},
	noFiles:          {kiterror.NotImplemented, "the host does not give the files of its rows to gateways", false, false, false},
	wrongFiles:       {kiterror.BadGateway, "the host's answer about a file cannot be used", false, false, false},
	unknownCoding:    {kiterror.BadGateway, "the host compresses its answer, unasked, in a coding other than gzip and deflate; turn compression off there for paths below /_kit/", false, false, true},
}

// failure is why a round trip brought no answer. Callers receive err.
type failure struct {
	kind   failureKind
	status int           // of an answer without a frame
	after  time.Duration // how long the host asks to wait; 0: it does not say
	cause  error         // for the log
	retry  bool          // the attempt is repeated
}

// code is the code that the caller receives; "" for nil, which means success.
func (f *failure) code() kiterror.Code {
	if f == nil {
		return ""
	}
	return outcomes[f.kind].code
}

// err is the error that the caller receives. The cause is kept for the log only: it may contain
// the address.
func (f *failure) err() *kiterror.Error {
	o := &outcomes[f.kind]
	switch f.kind {
	case answerOverBudget:
		return kiterror.AsError(f.cause)
	case callerGone:
		return kiterror.AsError(context.Canceled)
	}
	message := o.message
	if f.kind == notAFrame && f.status != 0 {
		message = fmt.Sprintf("the host answered status %d and no JSON-RPC 2.0 frame", f.status)
	}
	if f.cause != nil {
		return kiterror.Errorf(o.code, "%s%w", message, silent{f.cause})
	}
	return kiterror.Errorf(o.code, "%s", message)
}

// silent keeps a cause out of a message. errors.Is and errors.As still find it.
type silent struct{ error }

func (silent) Error() string   { return "" }
func (s silent) Unwrap() error { return s.error }

// unanswered is the failure of an attempt that brought no complete answer. ctx is the call's; late
// says whether the time of the attempt ran out, sent whether a connection accepted any byte of the
// request. The caller is asked first: a cancelled context makes every error of the
// transport look like a lost connection.
func unanswered(ctx context.Context, late bool, err error, sent bool) *failure {
	f := &failure{kind: connectionLost, cause: err}
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		f.kind = callerGone
	case ctx.Err() != nil:
		f.kind = callTimeout
	case late:
		f.kind = attemptTimeout
	case errors.As(err, &certificate):
		f.kind = badCertificate
	case !sent:
		f.kind = connectFailed
	}
	return f
}

// frameless is the failure of an answer without a frame. Its status shows whether a balancer or
// a proxy answered instead of the host.
//
//	429          rateLimited, with Retry-After
//	503          unavailable, with Retry-After
//	502, 504     proxyFailed, proxyTimeout
//	other        notAFrame, 200 with HTML among them
func frameless(status int, header http.Header) *failure {
	f := &failure{kind: notAFrame, status: status}
	switch status {
	case http.StatusTooManyRequests:
		f.kind, f.after = rateLimited, retryAfter(header)
	case http.StatusServiceUnavailable:
		f.kind, f.after = unavailable, retryAfter(header)
	case http.StatusBadGateway:
		f.kind = proxyFailed
	case http.StatusGatewayTimeout:
		f.kind = proxyTimeout
	}
	return f
}

// unsigned is the failure of an answer that refuses the signature; nil for any other. Other
// refusals are passed to the caller, this one is for the operator to correct. The challenge of
// package signing distinguishes it from a host that refuses the caller.
func unsigned(header http.Header, refused *kiterror.Error) *failure {
	if header.Get("WWW-Authenticate") != signing.Challenge || refused == nil {
		return nil
	}
	return &failure{kind: signatureRefused, cause: refused}
}

// retryAfter is how long an answer asks to wait (RFC 9110, section 10.2.3); 0: it does
// not say.
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
