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
	"github.com/frondhost/frond/envelope/wire"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema/jsontext"
)

// FactsPath is where a host gives its facts to other hosts, behind its base address.
const FactsPath = wire.FactsPath

// FactsOptions of [NewFacts].
type FactsOptions struct {
	// Frond is whose facts they are, and Names their names, as their author spells them.
	Frond string
	Names []string
	// Log is read for its span, Subscribe for events; names are as FROND.NAME.
	Log       facade.EventLog
	Subscribe func(ctx context.Context, names []string, after facade.Position) (EventReader, error)
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
	// Next waits for events and returns them, with the position behind them. Where ctx ends
	// first, the error is its own and the position where to go on.
	Next(ctx context.Context) ([]*facade.Event, facade.Position, error)
	// Poll is Next without waiting: there may be no events.
	Poll(ctx context.Context) ([]*facade.Event, facade.Position, error)
	Close()
}

// Facts answers GET /_kit/facts: the events of one Frond behind a position, for a gateway that
// hands them to its own subscribers. A request waits while there are none (long polling,
// docs/decisions/revealing-events.md). It is safe for concurrent use.
//
//	after   the position to go on from; none: from the oldest that is kept
//	names   facts, separated by commas; none: all of the Frond
//	limit   how many events at most; 100, at most 500. 0: none, only what the log spans
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

// FactsOf answers GET /_kit/facts for a host of several Fronds: whose facts a request is about is what
// its token was signed for. Without a token that v accepts it is refused. of is called for each
// request, with any text, and returns what gives the facts of a Frond, without a Verifier of its
// own; nil is 404, the answer of a host without this path: nothing of the Frond is given.
func FactsOf(v *signing.Verifier, of func(frond string) *Facts) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			new(Facts).ServeHTTP(w, r) // which reads nothing
			return
		}
		call, err := v.VerifyGet(FactsPath, r.URL.RawQuery, r.Header.Get("Authorization"))
		if err != nil {
			(&refusal{status: err.Code.Status(), err: err}).send(w)
			return
		}
		if h := of(call.Frond); h != nil {
			h.ServeHTTP(w, r)
			return
		}
		refuse(http.StatusNotFound, facade.NotFound, "nothing that %q announces is given here", call.Frond).send(w)
	})
}

// maxFactsAnswer is how many bytes of payloads an answer has before it ends early. One event
// is always in it.
const maxFactsAnswer = wire.MaxAnswer / 4

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
func (h *Facts) serve(r *http.Request) (*wire.Events, *refusal) {
	if !strings.HasSuffix(r.URL.Path, FactsPath) {
		return nil, refuse(http.StatusNotFound, facade.NotFound, "nothing is served here; facts are at GET %s", FactsPath)
	}
	const allow = "GET, OPTIONS"
	switch r.Method {
	case http.MethodGet:
	case http.MethodOptions:
		return nil, &refusal{status: http.StatusNoContent, allow: allow}
	default:
		f := refuse(http.StatusMethodNotAllowed, facade.MethodNotAllowed, "%s is not served here; send GET %s", verb(r.Method), FactsPath)
		f.allow = allow
		return nil, f
	}
	// Before anything of the request is judged: a message about it names facts.
	if v := h.options.Verifier; v != nil {
		if _, err := v.VerifyGet(FactsPath, r.URL.RawQuery, r.Header.Get("Authorization")); err != nil {
			return nil, &refusal{status: err.Code.Status(), err: err}
		}
	}
	q, err := h.read(r.URL.RawQuery)
	if err == nil {
		var answer *wire.Events
		if answer, err = h.events(r.Context(), q); err == nil {
			return answer, nil
		}
	}
	if r.Context().Err() != nil {
		return nil, &refusal{}
	}
	e := facade.Report(r.Context(), h.options.Errors, err, r.Header.Get("Traceparent"))
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
		return nil, facade.Errorf(facade.BadRequest, "the query string is not percent-encoded UTF-8; encode every %% as %%25")
	}
	q := &factsQuery{limit: wire.DefaultEvents}
	var names []string
	for name, all := range values {
		text := all[0]
		if len(all) > 1 {
			return nil, facade.Errorf(facade.ValidationFailed, "%s stands more than once; send it once", name)
		}
		var bad error
		switch name {
		case "after":
			q.after, bad = wire.ReadPosition(text)
		case "names":
			names = strings.Split(text, ",")
		case "limit":
			q.limit, bad = count(text, wire.MaxEvents)
		case "wait":
			seconds := 0
			seconds, bad = count(text, int(wire.MaxWait/time.Second))
			q.wait = time.Duration(seconds) * time.Second
		default:
			return nil, facade.Errorf(facade.ValidationFailed, "%q is no parameter; there are after, names, limit and wait", name)
		}
		if bad != nil {
			return nil, facade.Errorf(facade.ValidationFailed, "%s: %w", name, bad)
		}
	}
	if names == nil {
		names = h.options.Names
	}
	for _, name := range names {
		if !slices.Contains(h.options.Names, name) {
			// Not 404, which is the answer of a host without this path.
			return nil, facade.Errorf(facade.ValidationFailed, "%s has no fact %q; it has %s", h.options.Frond, name, listed(h.options.Names))
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
func (h *Facts) events(ctx context.Context, q *factsQuery) (*wire.Events, error) {
	oldest, last, err := h.options.Log.Span(ctx)
	if err != nil {
		return nil, err
	}
	a := &wire.Events{Position: q.after, Oldest: oldest, Last: last}
	if q.after == 0 {
		a.Position = oldest
	}
	if err := facade.Resumable(a.Position, oldest, last); err != nil {
		return nil, wire.NotResumable(err, a.Position, oldest, last)
	}
	if q.limit == 0 || len(q.names) == 0 {
		return a, nil
	}
	reader, err := h.options.Subscribe(ctx, q.names, a.Position)
	if err != nil {
		return nil, wire.NotResumable(err, a.Position, oldest, last)
	}
	defer reader.Close()
	events, position, err := read(ctx, h.options.Ending, reader, q.wait)
	if err != nil {
		return nil, wire.NotResumable(err, a.Position, oldest, last)
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

// read reads what there is, and waits for it where there is time to. A time that passes is no
// error; nor is the end of the host, which has nothing more to wait for.
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

// fitting is the events that an answer has room for, and the position behind them.
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
func write(w http.ResponseWriter, a *wire.Events) {
	buf := jsontext.TakeBuffer()
	defer buf.Release()
	buf.Text = wire.AppendEvents(buf.Text, a)
	w.Header().Set("Cache-Control", "no-store")
	writeFrames(w, http.StatusOK, buf.Text)
}
