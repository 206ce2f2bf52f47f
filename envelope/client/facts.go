package client

import (
	"context"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// Facts is the log of the facts of one Frond of a host, as GET /_kit/facts gives it. It may be
// used from many goroutines. A host that has no such path, as the specification does not ask
// for it, answers NOT_IMPLEMENTED here.
//
// A read of all facts without new events waits at the host for up to 20 seconds, so that a
// reader in a loop gets an event at once, over one request at a time.
type Facts struct {
	host  *host
	frond string
	log   atomic.Bool // the absence of the path was logged
	// broken is why the last answer could not be used, as it was logged.
	broken atomic.Value
	// idle is the end of the last read without events, in nanoseconds since 1970.
	idle atomic.Int64
}

var _ facade.EventLog = (*Facts)(nil)

// factsWait is how long a host is asked to wait for an event.
const factsWait = 20 * time.Second

// leastWait is the interval of reads at a host that has no events and does not wait.
const leastWait = time.Second

// Facts returns the log of a Frond that the host serves.
func (r *Remote) Facts(frond string) *Facts { return &Facts{host: r.host, frond: frond} }

// always is a closed channel.
var always = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// Committed is always closed: [Facts.Log] waits itself.
func (*Facts) Committed() <-chan struct{} { return always }

// Log implements [facade.EventLog]. names are of the log's Frond.
func (f *Facts) Log(ctx context.Context, after facade.Position, names []string, limit int) ([]*facade.Event, facade.Position, error) {
	wait := time.Duration(0)
	if names == nil {
		wait = factsWait
	}
	return f.read(ctx, after, names, limit, wait)
}

// Follow calls fn with the events of some facts after a position, in order, and with the
// position of the last one. The caller keeps that position once fn has handled the events, and
// a later Follow continues from it. 0 begins at the oldest event in the log, the last of
// [Facts.Span] now. names are as FROND.NAME; nil: all.
//
// Events are delivered at least once. While the host cannot be reached Follow tries again, less
// and less often, up to every 5 s. It returns the error of fn or of ctx; GONE or
// VALIDATION_FAILED for a lost or unknown position, NOT_IMPLEMENTED if the host gives no facts,
// and BAD_GATEWAY if it refuses the signature or answers in another form.
func (f *Facts) Follow(ctx context.Context, after facade.Position, names []string, fn func(events []*facade.Event, resume facade.Position) error) error {
	const least, most = 100 * time.Millisecond, 5 * time.Second
	pause := least
	for {
		events, behind, err := f.read(ctx, after, names, envelope.MaxEvents, factsWait)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && !again(err):
			return err
		case err != nil:
			if !facade.Pause(ctx, pause/2+rand.N(pause)) {
				return ctx.Err()
			}
			pause = min(2*pause, most)
			continue
		}
		pause = least
		if len(events) > 0 {
			if err := fn(events, behind); err != nil {
				return err
			}
		}
		after = behind
	}
}

// again reports whether a failure to read may pass.
func again(err error) bool {
	switch kiterror.AsError(err).Code {
	case kiterror.Gone, kiterror.ValidationFailed, kiterror.NotImplemented, kiterror.BadGateway:
		return false
	}
	return true
}

// read reads events, and has the host wait for new ones.
func (f *Facts) read(ctx context.Context, after facade.Position, names []string, limit int, wait time.Duration) ([]*facade.Event, facade.Position, error) {
	query := "after=" + strconv.FormatInt(int64(after), 10) + "&limit=" + strconv.Itoa(max(1, min(limit, envelope.MaxEvents)))
	if wait > 0 {
		query += "&wait=" + strconv.Itoa(int(wait/time.Second))
	}
	if names != nil {
		query += "&names=" + f.own(names)
	}
	if err := f.pace(ctx, wait > 0); err != nil {
		return nil, after, err
	}
	began := time.Now()
	a, err := f.get(ctx, query, wait)
	if err != nil {
		return nil, after, err
	}
	f.idle.Store(0)
	if len(a.Events) == 0 && a.Position <= after && time.Since(began) < leastWait {
		f.idle.Store(time.Now().UnixNano())
	}
	return a.Events, max(a.Position, after), nil
}

// pace waits after a read that came back empty at once: the host does not wait.
func (f *Facts) pace(ctx context.Context, waits bool) error {
	last := f.idle.Load()
	if last == 0 || !waits {
		return nil
	}
	if !facade.Pause(ctx, time.Until(time.Unix(0, last).Add(leastWait))) {
		return ctx.Err()
	}
	return nil
}

// Span implements [facade.EventLog].
func (f *Facts) Span(ctx context.Context) (oldest, last facade.Position, err error) {
	a, err := f.get(ctx, "limit=0", 0)
	if err != nil {
		return 0, 0, err
	}
	return a.Oldest, a.Last, nil
}

// Behind counts the events of some facts after a position, as the host does, and returns the
// time of the first; known is false if the host does not count. names are as FROND.NAME.
func (f *Facts) Behind(ctx context.Context, after facade.Position, names []string) (events int, since time.Time, known bool, err error) {
	a, err := f.get(ctx, "after="+strconv.FormatInt(int64(after), 10)+"&limit=0&names="+f.own(names), 0)
	if err != nil || a.Waiting == nil {
		return 0, since, false, err
	}
	return a.Waiting.Events, a.Waiting.Since, true, nil
}

// own is names as the host knows them, for a query.
func (f *Facts) own(names []string) string {
	own := make([]string, len(names))
	for i, name := range names {
		own[i] = strings.TrimPrefix(name, f.frond+".")
	}
	return escape(strings.Join(own, ","))
}

// get sends a GET, and reads the answer. The error is the host's, or an error on the way.
func (f *Facts) get(ctx context.Context, query string, wait time.Duration) (*envelope.Events, error) {
	o := f.host.options
	var answer *envelope.Events
	g := &get{path: envelope.FactsPath, query: query, wait: wait, signer: o.Signer, frond: f.frond, none: noFacts, wrong: wrongFacts}
	refused, failed := f.host.ask(ctx, &post{get: g, most: o.MaxAnswer, uncounted: true}, func(body []byte) (err error) {
		answer, err = envelope.ReadEvents(body, f.frond)
		return err
	})
	switch {
	case failed != nil && failed.kind == noFacts:
		if !f.log.Swap(true) {
			o.Log.Info("a remote does not give its facts to other hosts; none of its events arrive here", "frond", f.frond, "remote", o.Name)
		}
		return nil, failed.err()
	case failed != nil:
		f.note(failed)
		return nil, failed.err()
	case refused != nil && refused.Code == kiterror.Gone:
		return nil, gone(refused)
	case refused != nil:
		return nil, refused
	}
	f.log.Store(false)
	return answer, nil
}

// note logs why an answer cannot be used, once for each reason. Readers try again, and their
// error hides the answer.
func (f *Facts) note(failed *failure) {
	if failed.kind != wrongFacts || failed.cause == nil || f.broken.Swap(failed.cause.Error()) == failed.cause.Error() {
		return
	}
	f.host.options.Log.Warn("the answer of a remote about its facts cannot be used; later events do not arrive here until its answer changes",
		"frond", f.frond, "remote", f.host.options.Name, "error", failed.cause)
}

// gone is GONE of a host with its oldest position as positions are written here.
func gone(refused *kiterror.Error) *kiterror.Error {
	message := outcomes[goneFacts].message
	details, _ := refused.Details.(map[string]any)
	text, _ := details["oldest"].(string)
	oldest, err := envelope.ReadPosition(text)
	if err != nil {
		return kiterror.Errorf(kiterror.Gone, "%s", message)
	}
	e := kiterror.Errorf(kiterror.Gone, "%s or from %s, the oldest one", message, oldest)
	e.Details = map[string]any{"oldest": oldest.String()}
	return e
}
