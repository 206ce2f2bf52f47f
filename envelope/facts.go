package envelope

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// FactsOptions of [NewFacts].
type FactsOptions struct {
	// Frond is whose facts they are, and Names their names, as their author spells them.
	Frond string
	Names []string
	// Log is read for its span, Subscribe for events; names are as FROND.NAME.
	Log       facade.EventLog
	Subscribe func(ctx context.Context, names []string, after facade.Position) (EventReader, error)
	// Behind counts the events of names after a position, and returns the time of the first;
	// known is false if the count is unknown. Nil: it is always unknown.
	Behind func(ctx context.Context, after facade.Position, names []string) (events int, since time.Time, known bool, err error)
	// Outward returns an event as it leaves this host.
	Outward func(e *facade.Event) (*facade.Event, error)
	// Verifier, unless nil, accepts signed requests only.
	Verifier *signing.Verifier
	// Ending is done when the host stops; requests that wait are then answered. Nil: never.
	Ending context.Context //nolint:containedctx // it is a signal, of a life longer than a request's
	Errors *slog.Logger    // nil: slog.Default()
}

// EventReader reads a log in order.
type EventReader interface {
	// Next waits for events and returns them, with the position of the last. If ctx ends
	// first, the error is its own and the position the one to continue from.
	Next(ctx context.Context) ([]*facade.Event, facade.Position, error)
	// Poll is Next without waiting: there may be no events.
	Poll(ctx context.Context) ([]*facade.Event, facade.Position, error)
	Close()
}

// Facts answers GET /_kit/facts: the events of one Frond after a position, for a gateway that
// passes them to its own subscribers. A request without events waits for them (long polling,
// docs/decisions/revealing-events.md). It is safe for concurrent use.
//
//	after   the position to go on from; absent: from the oldest event
//	names   facts, separated by commas; absent: all of the Frond
//	limit   the largest number of events; 100, at most 500. 0: only the span of the log, and with
//	        after how many of names are behind it
//	wait    how many seconds to wait for one; 0, at most 30
type Facts struct {
	options FactsOptions
}

// NewFacts returns the handler of [FactsPath].
func NewFacts(opts *FactsOptions) *Facts {
	h := &Facts{*opts}
	if h.options.Errors == nil {
		h.options.Errors = slog.Default()
	}
	if h.options.Ending == nil {
		h.options.Ending = context.Background()
	}
	return h
}

// FactsOf answers GET /_kit/facts for a host of several Fronds: the token of a request is
// signed for one Frond, whose facts it reads. Without a token that v accepts the request is
// refused. of is called for each request, with any text, and returns the facts of a Frond,
// without a Verifier of their own; nil is 404, the answer of a host without this path.
func FactsOf(v *signing.Verifier, of func(frond string) *Facts) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			new(Facts).ServeHTTP(w, r) // which refuses the request
			return
		}
		call, err := v.VerifyRequest(signing.Request{Method: r.Method, Path: FactsPath, Query: r.URL.RawQuery}, r.Header.Get("Authorization"))
		if err != nil {
			(&refusal{status: err.Code.Status(), err: err}).send(w)
			return
		}
		if h := of(call.Frond); h != nil {
			h.ServeHTTP(w, r)
			return
		}
		refuse(http.StatusNotFound, kiterror.NotFound, "the facts of %q are not given here", call.Frond).send(w)
	})
}

// maxFactsAnswer is how many bytes of payloads an answer has before it ends early. One event
// is always in it.
const maxFactsAnswer = MaxAnswer / 4

// ServeHTTP answers one request. A refusal is a failure frame whose id is null, as for the
// path of calls.
func (h *Facts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, refused := h.serve(r)
	if refused != nil {
		refused.send(w)
		return
	}
	write(w, answer)
}

// send writes a refusal with the challenge of its error.
func (f *refusal) send(w http.ResponseWriter) {
	if challenge := f.err.Challenge(); challenge != "" {
		w.Header().Set("WWW-Authenticate", challenge)
	}
	f.write(w)
}

// serve reads a request and waits for its events.
func (h *Facts) serve(r *http.Request) (*Events, *refusal) {
	if !strings.HasSuffix(r.URL.Path, FactsPath) {
		return nil, refuse(http.StatusNotFound, kiterror.NotFound, "no route here; facts are at GET %s", FactsPath)
	}
	const allow = "GET, OPTIONS"
	switch r.Method {
	case http.MethodGet:
	case http.MethodOptions:
		return nil, &refusal{status: http.StatusNoContent, allow: allow}
	default:
		f := refuse(http.StatusMethodNotAllowed, kiterror.MethodNotAllowed, "%s is not served here; send GET %s", verb(r.Method), FactsPath)
		f.allow = allow
		return nil, f
	}
	// Before anything of the request is judged: a message about it names facts.
	if v := h.options.Verifier; v != nil {
		if _, err := v.VerifyRequest(signing.Request{Method: r.Method, Path: FactsPath, Query: r.URL.RawQuery}, r.Header.Get("Authorization")); err != nil {
			return nil, &refusal{status: err.Code.Status(), err: err}
		}
	}
	q, err := h.read(r.URL.RawQuery)
	if err == nil {
		var answer *Events
		if answer, err = h.events(r.Context(), q); err == nil {
			return answer, nil
		}
	}
	if r.Context().Err() != nil {
		return nil, &refusal{}
	}
	e := kiterror.Report(r.Context(), h.options.Errors, err, r.Header.Get("Traceparent"))
	return nil, &refusal{status: e.Code.Status(), err: e}
}

// factsQuery is the query of a request.
type factsQuery struct {
	after facade.Position
	names []string // as FROND.NAME
	limit int
	wait  time.Duration
}

// read reads a query string. The error names the parameter and what to write.
func (h *Facts) read(raw string) (*factsQuery, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, kiterror.Errorf(kiterror.BadRequest, "the query string is not percent-encoded UTF-8; encode every %% as %%25")
	}
	q := &factsQuery{limit: defaultEvents}
	var names []string
	for name, all := range values {
		text := all[0]
		if len(all) > 1 {
			return nil, kiterror.Errorf(kiterror.ValidationFailed, "%s is sent more than once; send it once", name)
		}
		var bad error
		switch name {
		case "after":
			q.after, bad = ReadPosition(text)
		case "names":
			names = strings.Split(text, ",")
		case "limit":
			q.limit, bad = count(text, MaxEvents)
		case "wait":
			seconds := 0
			seconds, bad = count(text, int(maxWait/time.Second))
			q.wait = time.Duration(seconds) * time.Second
		default:
			return nil, kiterror.Errorf(kiterror.ValidationFailed, "%q is not a parameter; the parameters are after, names, limit and wait", name)
		}
		if bad != nil {
			return nil, kiterror.Errorf(kiterror.ValidationFailed, "%s: %w", name, bad)
		}
	}
	if names == nil {
		names = h.options.Names
	}
	for _, name := range names {
		if !slices.Contains(h.options.Names, name) {
			// Not 404, which is the answer of a host without this path.
			return nil, kiterror.Errorf(kiterror.ValidationFailed, "%s has no fact %q; it has %s", h.options.Frond, name, listed(h.options.Names))
		}
		q.names = append(q.names, h.options.Frond+"."+name)
	}
	return q, nil
}

// count reads a number from 0 to most.
func count(text string, most int) (int, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil || int(n) > most {
		return 0, errors.New("write a whole number from 0 to " + strconv.Itoa(most))
	}
	return int(n), nil
}

// listed is names for a message.
func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// events reads the log. It waits until there is an event, the log has grown by others, or the
// time is over.
func (h *Facts) events(ctx context.Context, q *factsQuery) (*Events, error) {
	oldest, last, err := h.options.Log.Span(ctx)
	if err != nil {
		return nil, err
	}
	a := &Events{Position: q.after, Oldest: oldest, Last: last}
	if q.after == 0 {
		a.Position = oldest
	}
	if err := facade.Resumable(a.Position, oldest, last); err != nil {
		return nil, notResumable(err, a.Position, oldest, last)
	}
	if q.limit == 0 || len(q.names) == 0 {
		return a, h.count(ctx, q, a)
	}
	reader, err := h.options.Subscribe(ctx, q.names, a.Position)
	if err != nil {
		return nil, notResumable(err, a.Position, oldest, last)
	}
	defer reader.Close()
	events, position, err := read(ctx, h.options.Ending, reader, q.wait)
	if err != nil {
		return nil, notResumable(err, a.Position, oldest, last)
	}
	events, a.Position = fitting(events, q.limit, max(position, a.Position))
	a.Last = max(last, a.Position)
	for _, e := range events {
		out, err := h.options.Outward(e)
		if err != nil {
			return nil, err
		}
		a.Events = append(a.Events, out)
	}
	return a, nil
}

// count counts the backlog after a position that a request without events names.
func (h *Facts) count(ctx context.Context, q *factsQuery, a *Events) error {
	if q.after == 0 || len(q.names) == 0 || h.options.Behind == nil {
		return nil
	}
	n, since, known, err := h.options.Behind(ctx, q.after, q.names)
	if known && err == nil {
		a.Waiting = &waiting{Events: n, Since: since}
	}
	return err
}

// read reads the available events, and waits for some if there is time. Neither the end of that
// time nor the end of the host is an error.
func read(ctx, ending context.Context, reader EventReader, wait time.Duration) ([]*facade.Event, facade.Position, error) {
	if wait == 0 {
		return reader.Poll(ctx)
	}
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	defer context.AfterFunc(ending, cancel)()
	events, position, err := reader.Next(waiting)
	if err != nil && ctx.Err() == nil && waiting.Err() != nil {
		err = nil
	}
	return events, position, err
}

// fitting is the events that fit into an answer, and the position of the last.
func fitting(events []*facade.Event, limit int, behind facade.Position) ([]*facade.Event, facade.Position) {
	size := 0
	for i, e := range events {
		size += len(e.Data) + len(e.Before)
		if i == limit || i > 0 && size > maxFactsAnswer {
			return events[:i], events[i-1].Position
		}
	}
	return events, behind
}

// write sends the answer.
func write(w http.ResponseWriter, a *Events) {
	buf := jsontext.TakeBuffer()
	defer buf.Release()
	buf.Text = appendEvents(buf.Text, a)
	w.Header().Set("Cache-Control", "no-store")
	writeFrames(w, http.StatusOK, buf.Text)
}
