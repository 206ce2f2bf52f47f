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
	// Unregistered is told each generator and conversion that a card names and nobody
	// registered, which is then no fault: for those who look at a project that
	// another program runs. A call that needs one fails.
	Unregistered func(schema.Fault)
	// Remotes carry the calls of the Fronds that run elsewhere, by the Frond's name.
	Remotes map[string]Caller
	// Incomplete says that there are remotes of which nothing is known yet: relations
	// may name entities that are not here, and appear when those do.
	Incomplete bool
	// Now is the clock of lifecycle: now; nil is time.Now.
	Now func() time.Time
	// Suggest has messages about names that do not exist suggest some that do, for the
	// caller. It is for development: it tells names of the cards.
	Suggest bool
}

// Facade answers every call on the doors of its project. It is a [Caller], never
// changes and may be used from many goroutines.
type Facade struct {
	catalog  *Catalog
	store    Store
	registry *schema.Registry
	entry    Caller // the path, inside its middleware
	now      func() time.Time
	seeds    []seedFile
	remotes  map[string]Caller
	suggest  bool
}

var _ Caller = (*Facade)(nil)

// New compiles a project over a store. The error is schema.Faults: every fault of
// every file and of everything attached, at once. A nil store is fine for those
// who only want the catalog; calls that need rows then answer SERVICE_UNAVAILABLE.
func New(p *Project, store Store, opts *Options) (*Facade, error) {
	if opts == nil {
		opts = &Options{}
	}
	b := &compiler{project: p, unregistered: opts.Unregistered, limits: opts.List.Or(project.ListLimits{Default: 50, Max: 500}), incomplete: opts.Incomplete}
	catalog := b.compile()
	if len(b.faults) > 0 {
		slices.SortStableFunc(b.faults, func(x, y schema.Fault) int { return strings.Compare(x.File, y.File) })
		return nil, b.faults
	}
	f := &Facade{catalog: catalog, store: store, registry: b.registry, now: opts.Now, seeds: b.seeds, remotes: opts.Remotes, suggest: opts.Suggest}
	if f.store == nil {
		f.store = nowhere{}
	}
	if f.now == nil {
		f.now = time.Now
	}
	f.entry = CallerFunc(f.walk)
	for i := len(opts.Middleware) - 1; i >= 0; i-- {
		f.entry = opts.Middleware[i](f.entry)
	}
	return f, nil
}

// Catalog is what the façade serves.
func (f *Facade) Catalog() *Catalog { return f.catalog }

// nowhere is the store of a façade that was made without one.
type nowhere struct{}

var errNowhere = kiterror.Errorf(kiterror.ServiceUnavailable, "this host keeps no rows: it was started without a store")

func (nowhere) Find(context.Context, *Find) (*Found, error) { return nil, errNowhere }

func (nowhere) Insert(context.Context, *schema.Entity, []Record, *Terms, *Layout) (*Rows, error) {
	return nil, errNowhere
}

func (nowhere) Update(context.Context, *schema.Entity, json.RawMessage, *Filter, Record, *Terms, *Layout) (*Rows, error) {
	return nil, errNowhere
}

func (nowhere) Delete(context.Context, *schema.Entity, json.RawMessage, *Filter, *Terms) (bool, error) {
	return false, errNowhere
}
