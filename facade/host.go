package facade

import (
	"context"
	"encoding/json"
	"time"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// host is what all executions of one façade share. It never changes.
type host struct {
	catalog    *catalog.Catalog
	doors      boundDoors
	operations boundOperations
	facts      map[*catalog.Fact]*boundFact
	store      Store
	transactor Transactor // of store; nil: it has no transactions
	outbox     Outbox     // of store; nil: it keeps no events
	values     KeyValues  // of store; nil: it keeps none
	keepValue  func(ctx context.Context, key string, text json.RawMessage) error
	dryRuns    bool // store undoes the writes of a dry run
	registry   *schema.Registry
	now        func() time.Time
	remotes    Remotes                                              // nil: none
	last       func(ctx context.Context, f *catalog.Frond) Position // nil: unknown
	suggest    bool
	crosses    bool // a relation of rows of store leads to rows elsewhere
	// rows visits the rows of an entity that meet a condition, wherever they are kept, until visit returns false. limit is how many it
	// probably takes.
	rows      func(ctx context.Context, x *viewer, e *schema.Entity, fields []string, where *filter.Filter, limit int, visit func(rows.Row) bool) error
	pointing  map[*schema.Entity][]*schema.Property // relations of rows elsewhere to rows of the entity
	pointers  map[*schema.Entity][]*schema.Property // all relations to rows of the entity
	following map[*schema.Entity][]*schema.Property // relations of rows that go with a row of the entity, and have such relations
	local     keeper                                // of rows that are kept in store
	entry     Caller                                // the path, inside its middleware
	queried   Caller                                // entry for calls with a query
}

// followed reports whether rows elsewhere may have to follow a deleted row of e.
func (h *host) followed(e *schema.Entity) bool { return h.pointing[e] != nil || h.following[e] != nil }

// reaches reports whether this host can read the rows of an entity.
func (h *host) reaches(e *schema.Entity) bool {
	place := h.catalog.RemoteOf(e)
	return place == "" || place != catalog.Elsewhere && h.catalog.Door(e.Key) != nil
}

// records reports whether the store keeps the events of a single write by itself.
func (h *host) records() bool { return h.outbox != nil && h.outbox.Records() }

// Call hands a call to the path, through the middleware, which sees the entity's name and no
// alias of it: a rule of the author's on c.Entity holds under both.
func (h *host) Call(ctx context.Context, c *Call) (res *Result, err error) {
	defer rescue(&res, &err)
	if c, err = underNewName(h.catalog, c); err != nil {
		return nil, err
	}
	if c.Invocation.Query != nil {
		return h.queried.Call(ctx, c)
	}
	return h.entry.Call(ctx, c)
}

// rescue turns a panic into INTERNAL_ERROR; the stack is in its cause, which
// [kiterror.Report] logs.
func rescue(res **Result, err *error) {
	if p := recover(); p != nil {
		*res, *err = nil, kiterror.Panicked(p)
	}
}

// underNewName returns c under the new name of its entity: c itself, or a copy of a c with an old
// one. It fails after the last day of an old name.
func underNewName(c *catalog.Catalog, call *Call) (*Call, error) {
	a := c.Alias(call.Entity)
	if a == nil {
		return call, nil
	}
	if err := a.Refusal(); err != nil {
		return nil, err.At(a.Door.Name, call.Operation)
	}
	own := *call // the caller keeps its own
	own.Entity = a.Door.Name
	return &own, nil
}

// boundDoor is a door with what answers it in this process.
type boundDoor struct {
	*catalog.Door
	collector access.Collector // nil: the door is open
	keeper    keeper
	reader    *reader // of its rows; nil without any
	byID      order   // of its list, where the caller names none
}

// boundOperation is an operation with what answers it in this process.
type boundOperation struct {
	*catalog.Operation
	builtin  *builtin // nil: the author declares it
	runner   runner
	inner    runner // for the author's own code, which reaches the built-in behind a handler
	handler  Handler
	detached bool            // the calls of handler are no transaction
	hooks    []Hook          // around a command
	ofMany   *boundOperation // of create: for a list of rows that belong to others, which createMany writes
	reader   *reader         // of Output; nil without one
}

// boundFact is a fact with the door that judges its events.
type boundFact struct {
	judged *boundDoor
	reader *reader // of Data; nil without any
}

// boundDoors are the doors of a host by Door.Index.
type boundDoors []*boundDoor

// of is a door of the catalog, or of a view of it, as it is bound.
func (b boundDoors) of(d *catalog.Door) *boundDoor { return b[d.Index] }

// boundOperations are the operations of a host by Operation.Index.
type boundOperations []*boundOperation

// of is an operation of the catalog, or of a view of it, as it is bound.
func (b boundOperations) of(op *catalog.Operation) *boundOperation { return b[op.Index] }

// runner answers an operation. Which one answers is decided once, when the project is
// compiled: the built-in of a stored door, the author's handler, the host of a remote
// Frond, or nobody.
type runner struct {
	by  runnerKind
	run func(ctx context.Context, x *execution) (*Result, error) // of an admitted call
}

// runnerKind names a runner.
type runnerKind string

// The kinds of runners.
const (
	byStore   runnerKind = "store"
	byHandler runnerKind = "handler"
	byRemote  runnerKind = "remote"
	byNobody  runnerKind = "nobody"
)

// builtin is an operation that every stored door has unless its author says otherwise
// (docs/calls.md). admit judges the call, answer runs it over the store of this host; a
// handler or a remote takes the place of answer, never of admit.
type builtin struct {
	admit  func(context.Context, *execution) error
	fill   filling
	answer func(context.Context, *execution) (*Result, error)
}

// filling says which rules of the lifecycle (spec 2.2) complete the body of an operation.
type filling uint8

const (
	fillNothing filling = iota
	fillCreate
	fillUpdate
)

// keeper keeps the rows of a door: the store of this host, or the host that a remote Frond
// runs at. It is chosen when the project is compiled.
type keeper interface {
	// missing returns the ids without a row of e that meets where.
	missing(ctx context.Context, x *execution, e *schema.Entity, where *filter.Filter, ids []json.RawMessage) ([]json.RawMessage, error)
	// visibleRow is the row to update, as the caller sees it; it may be empty.
	visibleRow(ctx context.Context, x *execution, fields []string) (*rows.Rows, error)
	// merge lays a patch that reaches into nested objects over the current row.
	merge(ctx context.Context, x *execution) error
	// complete decodes and completes the judged values, as far as that is done here, and
	// follows its relations.
	complete(ctx context.Context, x *execution) error
	// holds is why the row cannot be held to the version that the call names, or nil.
	holds(x *execution) error

	// The values of a door cross the boundary (spec 2.2) in this process, or where a remote Frond
	// runs.

	// decode brings the operand of a filter in; false where its conversion refuses it.
	decode(x *viewer, p *schema.Property, text json.RawMessage) (json.RawMessage, bool)
	// gives reports whether the keeper gives an absent required field: top is the field, path
	// the missing member.
	gives(x *viewer, mode schema.Mode, top, path string) bool
	// version is the version of a row, or "".
	version(x *execution, row rows.Row) (string, error)
	// follows reports whether relations of a row are looked at in the transaction that
	// writes it.
	follows() bool
}

// Remotes sends calls to the hosts of the Fronds that run elsewhere (spec 1.6). Package
// facade/remote implements it over a [Caller] for each Frond. It may be used from many goroutines.
//
// Each method is given calls with the door's own name, the state of the caller and the wanted
// fields. Create, List and Aggregate complete the call, which is theirs. The error is
// SERVICE_UNAVAILABLE if there is no client for the Frond.
type Remotes interface {
	// Call sends a call as it is.
	Call(ctx context.Context, r RemoteRequest, c *Call) (*Result, error)
	// Create sends a new row with the values that access rules set.
	Create(ctx context.Context, r RemoteRequest, c *Call, set schema.Object) (*Result, error)
	// List reads a page, or a page for each key of a batch.
	List(ctx context.Context, r RemoteRequest, c *Call, l RemoteList) (*Result, error)
	// Aggregate groups the rows that meet where, which takes the place of the filter of the query.
	Aggregate(ctx context.Context, r RemoteRequest, c *Call, where *filter.Filter) (*Result, error)
	// Where returns the condition of a write without relations to rows of other hosts, and without those that access rules here narrow.
	Where(ctx context.Context, r RemoteRequest, f *filter.Filter) (*filter.Filter, error)
	// Rows visits the rows that meet where until visit returns false. limit is how many it probably takes.
	Rows(ctx context.Context, r RemoteRequest, fields []string, where *filter.Filter, limit int, visit func(rows.Row) bool) error
	// Together has the host make calls one after the other as one transaction. beside are members beside the calls,
	// and answer is the whole answer. The error is the error of the first failing call.
	Together(ctx context.Context, r RemoteRequest, calls []*Call, beside schema.Object) (found []*Result, answer json.RawMessage, err error)
	// Find reads the rows with these ids that meet where, a group for each id.
	Find(ctx context.Context, r RemoteRequest, fields []string, where *filter.Filter, ids []json.RawMessage) (*Result, error)
}

// RemoteRequest says which rows elsewhere a call is about, and for whom.
type RemoteRequest struct {
	Door    *catalog.Door    // of the rows
	Catalog *catalog.Catalog // has the doors behind relations
	State   access.State     // of the caller
	Trace   string           // of the call
	// Elsewhere returns the distinct values of a field in rows that another host keeps, or the store of this one, at most [maxKeys].
	// rule is [filter.Filter.Rule] of the condition that they are for.
	Elsewhere func(ctx context.Context, field *schema.Property, where *filter.Filter, rule bool) ([]any, error)
	// Aggregated returns a condition on an aggregate of such rows as one on a key of the row.
	Aggregated func(ctx context.Context, f *filter.Filter) (*filter.Filter, error)
	wrap       func(c Caller, address string) Caller // see [Trace]; nil: c as it is
}

// Through is a caller of a Frond for this request: c, or one that a [Trace] wraps around it. The error
// is SERVICE_UNAVAILABLE where c is nil.
func (r *RemoteRequest) Through(c Caller, f *catalog.Frond) (Caller, error) {
	if c == nil {
		return nil, kiterror.Errorf(kiterror.ServiceUnavailable, "%s runs elsewhere, and this host has no address of it", f.Name)
	}
	if r.wrap != nil {
		c = r.wrap(c, f.Remote)
	}
	return c, nil
}

// RemoteList is a list of the rows of a remote door.
type RemoteList struct {
	Op       *catalog.Operation
	Query    json.RawMessage  // of the caller
	Sent     json.RawMessage  // Call.SentQuery
	Rules    *filter.Filter   // that access rules add; nil: none
	Filter   *filter.Filter   // of the query; nil: none
	Limit    int              // of rows
	Count    bool             // a total is wanted
	Estimate bool             // it may be an estimate
	Cursors  bool             // wanted for every row, beside those that Query asks for
	Each     *schema.Property // of a batch; nil: one page
	Keys     []json.RawMessage
	Layout   *rows.Layout // of an answer without rows
}
