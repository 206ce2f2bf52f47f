package facade

import (
	"context"
	"time"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
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
	dryRuns    bool       // store undoes the writes of a dry run
	registry   *schema.Registry
	now        func() time.Time
	remotes    Remotes                                              // nil: none
	last       func(ctx context.Context, f *catalog.Frond) Position // nil: unknown
	suggest    bool
	local      keeper // of rows that are kept in store
	entry      Caller // the path, inside its middleware
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
	return h.entry.Call(ctx, c)
}

// rescue turns a panic into INTERNAL_ERROR; the stack is in its cause, which
// [kiterror.Report] logs.
func rescue(res **Result, err *error) {
	if p := recover(); p != nil {
		*res, *err = nil, kiterror.Panicked(p)
	}
}

// underNewName returns c under the new name of its entity: c itself, or a copy where it has an old
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
	boundary  boundary
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
	detached bool    // the calls of handler are no transaction
	hooks    []Hook  // around a command
	reader   *reader // of Output; nil without one
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
