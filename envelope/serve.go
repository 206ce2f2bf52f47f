package envelope

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/consistency"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// ServeHTTP reads the frames of a request, makes the calls, and writes the answers. The order
// matters for the budget: the account is open before the body is read, and the execution
// begins only after it has arrived, so that slow clients take no execution.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, account, err := h.options.Budget.Open(r.Context())
	if err != nil {
		overBudget(err).write(w)
		return
	}
	defer account.Close()
	body, refused := readBody(w, r, h.options.MaxBody, account)
	if refused != nil {
		refused.write(w)
		return
	}
	ctx, cancel := h.deadline(ctx, timeoutOf(r))
	defer cancel()
	buf := jsontext.TakeBuffer()
	defer buf.Release()
	q := request{handler: h, http: r, account: account}
	ctx, q.beside = preferred(ctx, r.Header["Prefer"])
	if err := account.Begin(); err != nil {
		q.refusal = kiterror.AsError(err)
	}
	failed := q.identify(ctx, body)
	if q.signed {
		ctx = facade.WithCause(ctx, catalog.BySigned, "", nil)
	}
	if failed != nil {
		buf.Text = appendFailure(buf.Text, nullID, failed)
	} else if q.batch = jsontext.KindOf(body) == jsontext.Array; q.batch {
		buf.Text = q.appendAnswers(ctx, buf.Text, body)
	} else {
		buf.Text = q.appendAnswer(ctx, buf.Text, body, false)
	}
	account.Keep(len(buf.Text)) // the rows are written
	account.End()
	status := q.status(w.Header())
	if q.position != 0 {
		w.Header().Set(facade.PositionHeader, q.position.String())
	}
	if len(buf.Text) == 0 { // only notifications
		if status == http.StatusOK {
			status = http.StatusNoContent
		}
		w.WriteHeader(status)
		return
	}
	writeFrames(w, status, buf.Text)
}

// status is the HTTP status of an answered request, with the headers that belong to it.
// Failures of single frames leave it at 200.
//
//	a frame with a time to retry, alone, 503   503 and Retry-After
//	a frame with a time to retry, in a batch   200 and Retry-After
//	the credential is invalid                  401 and WWW-Authenticate
//	the caller has to wait                     the status of the code, and Retry-After
//	a frame was UNAUTHORIZED                   200 and WWW-Authenticate: Bearer
func (q *request) status(header http.Header) int {
	status := http.StatusOK
	if later := q.later.Load(); later != nil {
		header.Set("Retry-After", later.RetryAfter())
		if !q.batch && later.Code == kiterror.ServiceUnavailable {
			status = http.StatusServiceUnavailable
		}
	}
	if challenge := q.refusal.Challenge(); challenge != "" {
		// The credential is invalid: no frame was run, and the request itself is refused.
		status = http.StatusUnauthorized
		header.Set("WWW-Authenticate", challenge)
	} else if after := q.refusal.RetryAfter(); after != "" {
		// The caller has to wait: again the request is refused, not one frame of it.
		status = q.refusal.Code.Status()
		header.Set("Retry-After", after)
	} else if q.unauthorized.Load() {
		// The failure is the frame's and the status stays 200; the header still names the
		// missing credential.
		header.Set("WWW-Authenticate", "Bearer")
	}
	return status
}

// preferred reads the preferences position and position=any (RFC 7240), and reports whether there
// is one of them. The first reads pages from the store itself.
func preferred(ctx context.Context, lines []string) (context.Context, bool) {
	words := strings.FieldsFunc(strings.Join(lines, ","), func(r rune) bool { return r == ',' || r == ' ' })
	if slices.Contains(words, "position") {
		return consistency.Latest(ctx), true
	}
	return ctx, slices.Contains(words, "position=any")
}

// deadline bounds a request by the handler's limit and by how long its caller waits.
func (h *Handler) deadline(ctx context.Context, wanted time.Duration) (context.Context, context.CancelFunc) {
	limit := h.options.Timeout
	if wanted > 0 && (limit < 0 || wanted < limit) {
		limit = wanted
	}
	if limit < 0 {
		return ctx, func() {}
	}
	return budget.Within(ctx, limit, nil)
}

// timeoutOf is how long the caller of a request waits, or 0 where the header does not say. The
// header is in milliseconds (docs/decisions/remotes.md).
func timeoutOf(r *http.Request) time.Duration {
	ms, _ := strconv.ParseUint(r.Header.Get(TimeoutHeader), 10, 31)
	return time.Duration(ms) * time.Millisecond
}
