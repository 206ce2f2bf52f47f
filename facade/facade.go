package facade

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// Options of [New]; nil is fine.
type Options struct {
	// Middleware stands around every call, those of handlers included; the first is
	// outermost.
	Middleware []Middleware
	// List is how many rows a page holds where a door's frond.yaml does not say;
	// the zero value is 50, at most 500.
	List project.ListLimits
	// Unregistered receives each generator and conversion that a card names and nobody
	// registered, which is then no fault: for those who look at a project that
	// another program runs. A call that needs one fails.
	Unregistered func(schema.Fault)
	// Remotes carry the calls of the Fronds that run elsewhere, by the Frond's name.
	Remotes map[string]Caller
	// Incomplete says that there are remotes of which nothing is known yet: relations
	// may name entities that are not here, and appear when those do.
	Incomplete bool
	// User says which members of user rules may name.
	User UserMembers
	// Now is the clock of lifecycle: now and of aliases; nil is time.Now.
	Now func() time.Time
	// Position returns a position that the log of a Frond has reached; 0: it is not known, or
	// the rows that are going to be read with ctx may be older. nil: it never is.
	Position func(ctx context.Context, f *Frond) Position
	// Suggest has messages about names that do not exist suggest some that do, and failures of
	// the author's code name the field that they are about. It is for development: it discloses
	// names of the cards.
	Suggest bool
}

// Facade answers every call on the doors of its project. It is a [Caller], never
// changes and may be used from many goroutines.
type Facade struct {
	host  *host
	seeds []seedFile
}

var _ Caller = (*Facade)(nil)

// New compiles a project over a store. The error is schema.Faults: every fault of every
// file and of everything attached, at once. A nil store is fine for those who need the
// catalog alone; calls that need rows then answer SERVICE_UNAVAILABLE. p is not changed
// and can be compiled again; opts may be nil.
func New(p *Project, store Store, opts *Options) (*Facade, error) {
	if opts == nil {
		opts = &Options{}
	}
	b := &compiler{project: p, unregistered: opts.Unregistered, limits: opts.List.Or(project.ListLimits{Default: 50, Max: 500}), incomplete: opts.Incomplete, user: opts.User, now: opts.Now}
	if b.now == nil {
		b.now = time.Now
	}
	catalog := b.compile()
	if len(b.faults) > 0 {
		slices.SortStableFunc(b.faults, func(x, y schema.Fault) int { return strings.Compare(x.File, y.File) })
		return nil, b.faults
	}
	h := &host{catalog: catalog, store: store, registry: b.registry, now: b.now, remotes: opts.Remotes, last: opts.Position, suggest: opts.Suggest, local: storeKeeper{}}
	if h.store == nil {
		h.store = noStore{}
	}
	h.transactor, _ = store.(Transactor)
	h.recorder, _ = store.(Recorder)
	if h.outbox, _ = store.(Outbox); h.outbox == nil && store != nil {
		if faults := unkept(catalog); faults != nil {
			return nil, faults
		}
	}
	h.entry = CallerFunc(h.walk)
	for i := len(opts.Middleware) - 1; i >= 0; i-- {
		h.entry = opts.Middleware[i](h.entry)
	}
	return &Facade{h, b.seeds}, nil
}

// Catalog returns what the façade serves. It never changes and is shared.
func (f *Facade) Catalog() *Catalog { return f.host.catalog }

// Call carries one call through the five steps (find, scope, admit, run, project), inside
// the middleware; see walk in path.go. The error is an *Error that names entity and
// operation. It may be called from many goroutines and does not change c.
func (f *Facade) Call(ctx context.Context, c *Call) (*Result, error) { return f.host.Call(ctx, c) }

// Enter is ctx for the author's own code outside of any call, such as a job or a test: with
// it [From] calls for state, and [Inside] as the author.
func (f *Facade) Enter(ctx context.Context, state State) context.Context {
	return WithState(context.WithValue(ctx, callContextKey{}, &callContext{host: f.host, state: state, transaction: f.host.transactionOf(ctx)}), state)
}

// On is the façade as one surface sees it: what view does not show is NOT_FOUND, with the
// message of a name that never existed, before any middleware; filters reach no door that
// view does not show. Handlers, presenters and collectors that the call comes to run in
// process again, where everything is shown. view comes from [Catalog.Surface] of f's own
// catalog; a caller cannot name it.
func (f *Facade) On(view *Catalog) Caller {
	if view == f.host.catalog {
		return f
	}
	return &surface{f.host, view}
}

// noStore is the store of a façade that was made without one.
type noStore struct{}

var errNoStore = kiterror.Errorf(kiterror.ServiceUnavailable, "this host keeps no rows: it was started without a store")

func (noStore) Find(context.Context, *Find) (*Found, error) { return nil, errNoStore }

func (noStore) Insert(context.Context, *schema.Entity, []Record, *Terms, *Layout) (*Rows, error) {
	return nil, errNoStore
}

func (noStore) Update(context.Context, *schema.Entity, json.RawMessage, *Filter, Record, *Terms, *Layout) (*Rows, error) {
	return nil, errNoStore
}

func (noStore) Delete(context.Context, *schema.Entity, json.RawMessage, *Filter, *Terms) (bool, error) {
	return false, errNoStore
}

// Usable reports why no Frond can be made of a discovery document, whatever else there is:
// its cards contradict themselves, or have names that are none here. nil means that one
// can. from is where the document came from, for messages.
func Usable(d *schema.DiscoveredFrond, from string) error {
	src := project.Discovered(d, from)
	src.Remote = from
	project := &Project{Fronds: []*project.Frond{src}, Registry: schema.Builtins()}
	_, err := New(project, nil, &Options{Incomplete: true, Unregistered: func(schema.Fault) {}})
	return err
}
