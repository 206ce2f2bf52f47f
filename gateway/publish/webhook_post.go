package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facts/delivery"
)

// maxAnswer is the number of bytes read of an answer's body, so that its connection can be used
// again. The content is ignored.
const maxAnswer = 64 << 10

// userAgent names the sender.
const userAgent = "frond-webhook/1"

// verdict is the result of an attempt for its event.
type verdict int

const (
	delivered verdict = iota
	again             // later
	gone              // the receiver wants no more
)

// answer is the outcome of one attempt.
type answer struct {
	verdict verdict
	reason  string        // why it failed, without secrets, addresses and the receiver's own words
	after   time.Duration // what Retry-After asks for; the whole webhook waits that long
}

// post sends an event once. The reported reason of a failure is a text of this package or the
// status: the receiver's text may hold secrets.
func (h *hook) post(ctx context.Context, e *facade.Event) answer {
	body, err := h.options.Writer.Write(e)
	if err != nil {
		h.log.Error("an event cannot be written for a webhook", "webhook", h.config.Name, "event", e.ID, "error", err)
		return answer{verdict: again, reason: "the event cannot be written; the log has the reason"}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.config.URL, bytes.NewReader(body))
	if err != nil {
		return answer{verdict: again, reason: "the request cannot be made"}
	}
	for name, values := range h.config.Header {
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	now := time.Now()
	r.Header.Set("Content-Type", delivery.CloudEventType)
	r.Header.Set("User-Agent", userAgent)
	r.Header.Set("Webhook-Id", e.ID)
	r.Header.Set("Webhook-Timestamp", strconv.FormatInt(now.Unix(), 10))
	r.Header.Set("Webhook-Signature", sign(h.config.Secrets, e.ID, now, body))
	if e.Trace != "" {
		r.Header.Set("Traceparent", e.Trace)
	}
	// The answer is read to its bound and closed below.
	res, err := h.client.Do(r)
	if err != nil {
		return answer{verdict: again, reason: reasonOf(err)}
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxAnswer)) // the status decides
	_ = res.Body.Close()
	return judge(res.StatusCode, res.Header, time.Now())
}

// judge turns an answer into its verdict.
func judge(status int, header http.Header, now time.Time) answer {
	switch {
	case status >= 200 && status < 300:
		return answer{verdict: delivered}
	case status == http.StatusGone:
		return answer{verdict: gone, reason: "the receiver answered 410: it wants no more"}
	case status >= 300 && status < 400:
		return answer{verdict: again, reason: fmt.Sprintf("the receiver answered %d; redirects are not followed", status)}
	}
	a := answer{verdict: again, reason: fmt.Sprintf("the receiver answered %d", status)}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		a.after = retryAfter(header, now)
	}
	return a
}

// reasonOf is why a request had no answer. The error's own text has the URL, which may hold a
// token.
func reasonOf(err error) string {
	var timeout interface{ Timeout() bool }
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.Is(err, errRefused):
		return errRefused.Error()
	case errors.Is(err, errPlain):
		return errPlain.Error()
	case errors.As(err, &dns):
		return "the receiver's name cannot be resolved"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "the receiver did not answer in time"
	case errors.As(err, &op) && op.Op == "dial":
		return "the receiver cannot be connected to"
	case errors.As(err, &op) && op.Op == "remote error", isCertificate(err):
		return "the receiver's TLS is not accepted"
	}
	return "the connection broke before the answer"
}
