package envelope

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/singleflight"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// MaxAnswer is how many bytes an answer may have; a longer one is BAD_GATEWAY.
const MaxAnswer = 8 << 20

// MaxDocument is how many bytes a discovery document may have: that of a thousand
// entities has about ten million.
const MaxDocument = 64 << 20

// RemoteOptions of a Remote; nil is fine, and the zero value is DESIGN 8's.
type RemoteOptions struct {
	Name      string        // for the log, events and the status; "": the address's host
	Connect   time.Duration // for a connection to form; 0: 2 s
	Attempt   time.Duration // for one HTTP request; 0: 5 s
	Timeout   time.Duration // for a call with all its attempts; 0: 10 s. The caller's deadline holds too
	Retries   int           // of a query; 0: 2. Less than 0: none
	InFlight  int           // HTTP requests at once; 0: 256. More of them wait
	MaxAnswer int64         // bytes; 0: [MaxAnswer]
	// MaxDocument and Discovery bound the discovery document: bytes, 0: [MaxDocument], and
	// what is in it. One that has more fails as a [schema.OverLimit].
	MaxDocument int64
	Discovery   schema.DiscoveryLimits
	// NoCoalesce answers equal queries one by one.
	NoCoalesce bool
	// Strict refuses answers that do not fit their card: BAD_GATEWAY. Without it one
	// answer a second of each operation is looked at, and what is wrong is logged once.
	Strict bool
	// Signer signs what is posted; nil: nothing is signed. A call is for the Frond whose
	// door it is; of a door no catalog knows, and of discovery, for Name.
	Signer *signing.Signer
	// Transport carries requests; nil: one of its own, HTTP/1.1 with connections that
	// are kept. It must not send a POST again that a host may have got.
	Transport http.RoundTripper
	Log       *slog.Logger // nil: slog.Default()
	// Observe is told of every call, within its context; nil: nobody is. It is called
	// from many goroutines.
	Observe func(context.Context, Event)
	// Header adds to what a request of a call says; nil: nothing is. The context is the
	// call's, or where equal ones are answered together that of one of them.
	Header func(context.Context, http.Header)
}

// Remote is a host elsewhere, called with care: time limits, retries of queries, a
// breaker, a bound on what is in flight, batches for many keys, one trip for equal
// queries. It is a facade.Caller and may be used from many goroutines.
//
// What each kind of failure becomes stands in docs/remotes.md. A failure the host
// itself answers is the KitError it sent, as it was there (spec 7.3).
type Remote struct {
	*link
	catalog *facade.Catalog
}

// link is what all views of a remote share.
type link struct {
	options   RemoteOptions
	address   *url.URL
	broken    error // the address is none
	transport http.RoundTripper
	guard     *guard
	flights   singleflight.Group[flightKey, outcome]
	peer      peer
	shapes    shapes
	results   reader
	counters  counters
	lastID    atomic.Int64
}

// flightKey is what equal calls have in common. Results are read by the catalog.
type flightKey struct {
	catalog *facade.Catalog
	call    string
}

// outcome is how a question was answered.
type outcome struct {
	result *facade.Result // shared: never changed
	err    *facade.Error
	posts  int
}

var _ facade.Caller = (*Remote)(nil)

// NewRemote is the host at a base address, with or without [Path] at its end. An
// address that is none fails every call.
func NewRemote(base string, opts *RemoteOptions) *Remote {
	l := &link{}
	if opts != nil {
		l.options = *opts
	}
	base = strings.TrimRight(base, "/")
	if !strings.HasSuffix(base, Path) {
		base += Path
	}
	l.address, l.broken = addressOf(base)
	o := &l.options
	if o.Name == "" && l.broken == nil {
		o.Name = l.address.Host
	}
	o.Connect = cmp.Or(max(o.Connect, 0), 2*time.Second)
	o.Attempt = cmp.Or(max(o.Attempt, 0), 5*time.Second)
	o.Timeout = cmp.Or(max(o.Timeout, 0), 10*time.Second)
	o.InFlight = cmp.Or(max(o.InFlight, 0), 256)
	o.MaxDocument = cmp.Or(max(o.MaxDocument, 0), MaxDocument)
	o.MaxAnswer = cmp.Or(max(o.MaxAnswer, 0), MaxAnswer)
	if o.Retries == 0 {
		o.Retries = 2
	}
	o.Retries = max(o.Retries, 0)
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if l.transport = o.Transport; l.transport == nil {
		l.transport = newTransport(o)
	}
	l.guard = newGuard(o, l.breakerChanged)
	return &Remote{link: l}
}

// newTransport is the connections of one remote.
func newTransport(o *RemoteOptions) *http.Transport {
	t := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: o.Connect, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout: o.Connect,
		MaxIdleConns:        o.InFlight,
		MaxIdleConnsPerHost: o.InFlight,
		// Common servers close what has been idle for five seconds; a call on a connection
		// that is being closed may be lost, and a command is not sent again.
		IdleConnTimeout:    4 * time.Second,
		DisableCompression: true, // hosts are near
		Protocols:          new(http.Protocols),
	}
	// HTTP/2 has resets after which net/http sends a request again that the host may have run.
	t.Protocols.SetHTTP1(true)
	return t
}

// With is the remote for calls whose results a catalog describes: results take the
// form their operation has there. Without one the form is told from the text. All
// of them share breaker, connections, flights and what was learned of the host.
func (r *Remote) With(catalog *facade.Catalog) *Remote {
	return &Remote{link: r.link, catalog: catalog}
}

// Close closes the connections nobody uses. Calls may still be made.
func (r *Remote) Close() {
	if t, ok := r.transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// Call asks the host: one post, or with Each as few as the host's manners allow.
func (r *Remote) Call(ctx context.Context, call *facade.Call) (*facade.Result, error) {
	began := time.Now()
	r.counters.calls.Add(1)
	event := Event{Remote: r.options.Name, Entity: call.Entity, Operation: call.Operation, Began: began, Trace: call.Invocation.Trace, Aboard: 1}
	if call.Each != nil {
		event.Keys = len(call.Each.Keys)
	}
	q, err := r.ask(call, !r.options.NoCoalesce)
	out := outcome{err: err}
	if err == nil {
		out = r.settle(ctx, q, &event)
		event.Kind = q.kind
		if q.door != nil && q.door.Frond != nil {
			event.Frond = q.door.Frond.Name
		}
	}
	if account := facade.AccountOf(ctx); account != nil && out.err == nil {
		if q.kind == facade.Command {
			account.Add(out.result.Size()) // it was run
		} else if err := account.Take(out.result); err != nil {
			out.err = facade.AsError(err)
		}
	}
	r.observe(ctx, &event, out.err)
	if out.err != nil {
		return nil, out.err.At(call.Entity, call.Operation)
	}
	result := *out.result // others may have it too
	return &result, nil
}

// settle answers a question, together with equal ones that are asked at the time.
func (r *Remote) settle(ctx context.Context, q *question, event *Event) outcome {
	ctx, cancel := within(ctx, r.options.Timeout)
	defer cancel()
	if q.key == "" {
		out := r.answer(ctx, q)
		event.Posts = out.posts
		return out
	}
	var flew atomic.Bool
	out, aboard, err := r.flights.Do(ctx, flightKey{r.catalog, q.key}, func(ctx context.Context) outcome {
		flew.Store(true)
		return r.answer(ctx, q)
	})
	switch {
	case err != nil:
		return outcome{err: facade.AsError(ctx.Err())}
	case flew.Load():
		event.Posts = out.posts
	default:
		event.RodeAlong = true
		r.counters.rodeAlong.Add(1)
	}
	event.Aboard = aboard
	return out
}

// answer asks the host.
func (r *Remote) answer(ctx context.Context, q *question) outcome {
	ctx, cancel := within(ctx, r.options.Timeout) // a flight has no deadline of its own
	defer cancel()
	// Others may wait for it, and the first to ask may go: what is read is charged to an
	// account of its own, and then to everybody who has the result.
	ctx, account, refused := facade.AccountOf(ctx).Apart(ctx)
	if refused != nil {
		return outcome{err: facade.AsError(refused)}
	}
	defer account.Close()
	result, err := r.fetch(ctx, q)
	return outcome{result, err, int(q.posts.Load())}
}

// within is a context that ends after d, if not before: as it is where its own deadline
// is no later.
func within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if by, ok := ctx.Deadline(); ok && time.Until(by) <= d {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, d)
}

func (r *Remote) fetch(ctx context.Context, q *question) (*facade.Result, *facade.Error) {
	query, err := q.narrow(q.call.Invocation.Query)
	if err != nil {
		return nil, err
	}
	if q.lists() {
		return r.list(ctx, q, query)
	}
	return r.one(ctx, q, query)
}

// one asks with a query, once or for many keys.
func (r *Remote) one(ctx context.Context, q *question, query json.RawMessage) (*facade.Result, *facade.Error) {
	if q.call.Each != nil {
		return r.each(ctx, q, query)
	}
	return r.single(ctx, q, r.name(q, q.call.Operation), q.call.Invocation.Params, query)
}

// single is one frame in one post.
func (r *Remote) single(ctx context.Context, q *question, method string, params, query json.RawMessage) (*facade.Result, *facade.Error) {
	var result *facade.Result
	var unread *facade.Error
	reply, a := r.frame(ctx, q, r.options.MaxAnswer, method,
		func(dst []byte) []byte { return q.appendInvocation(dst, params, query) },
		func(text []byte, at int) (end int) {
			result, end, unread = r.results.readAt(text, at, q.op)
			return end
		})
	switch {
	case a != nil:
		return nil, a.err()
	case reply.failed != nil:
		return nil, reply.failed
	case unread != nil:
		return nil, unread
	}
	return r.admit(q, result, jsontext.KindOf(reply.result) == jsontext.Array)
}

// frame posts one frame and reads the reply to it, as [readReply] does.
func (r *Remote) frame(ctx context.Context, q *question, most int64, method string, params func([]byte) []byte, result func(text []byte, at int) (end int)) (reply, *accident) {
	var answer reply
	id := r.lastID.Add(1)
	p := &post{
		frames: appendRequest(make([]byte, 0, 512), id, method, params), most: most,
		command: q.kind == facade.Command, trace: q.call.Invocation.Trace, aside: method == Discover,
		read: readOne(id, &answer, result), sent: &q.posts,
	}
	if answer.failed = r.sign(p, q); answer.failed != nil {
		return answer, nil
	}
	return answer, r.send(ctx, p)
}

// sign has a post signed each time it is sent, where posts are.
func (r *Remote) sign(p *post, q *question) (err *facade.Error) {
	if r.options.Signer == nil {
		return nil
	}
	frond := r.options.Name
	if q.door != nil && q.door.Frond != nil {
		frond = q.door.Frond.Name
	}
	p.sealed, err = r.options.Signer.Seal(p.frames, frond, q.state)
	return err
}

func tooLarge(over error) *facade.Error {
	return facade.Errorf(facade.BadGateway, "what the host tells of itself cannot be used: %w", over)
}

// Discover is the host's discovery document (spec 2.5), checked to be JSON and no
// more. The remote learns from it how the host spells its methods and what they take.
func (r *Remote) Discover(ctx context.Context) (json.RawMessage, error) {
	event := Event{Remote: r.options.Name, Entity: "rpc", Operation: "discover", Kind: facade.Query, Began: time.Now(), Aboard: 1}
	ctx, cancel := context.WithTimeout(ctx, r.options.Timeout)
	defer cancel()
	q := &question{kind: facade.Query}
	reply, a := r.frame(ctx, q, r.options.MaxDocument, Discover, nil, nil)
	err := reply.failed
	switch {
	case a != nil && a.what == large:
		err = tooLarge(schema.OverLimit(fmt.Sprintf("its discovery document has more than %d bytes", r.options.MaxDocument)))
	case a != nil:
		err = a.err()
	case err == nil:
		if over := r.options.Discovery.Check(reply.result); over != nil {
			err = tooLarge(over)
		}
	}
	event.Posts = int(q.posts.Load())
	r.observe(ctx, &event, err)
	if err != nil {
		return nil, err
	}
	r.peer.learn(reply.result)
	return reply.result, nil
}
