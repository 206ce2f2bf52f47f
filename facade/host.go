package facade

import (
	"context"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// host is what all executions of one façade share. It never changes.
type host struct {
	catalog    *Catalog
	store      Store
	transactor Transactor // store, where it has transactions; else nil
	outbox     Outbox     // store, where it keeps events; else nil
	recorder   Recorder   // store, where it may keep the events of a single write by itself; else nil
	registry   *schema.Registry
	now        func() time.Time
	remotes    map[string]Caller                            // by the Frond's name
	last       func(ctx context.Context, f *Frond) Position // nil: unknown
	suggest    bool
	local      keeper // of rows that are kept in store
	entry      Caller // the path, inside its middleware
}

// records reports whether the store keeps the events of a single write by itself. A store that
// is opened late says so when it is open.
func (h *host) records() bool { return h.recorder != nil && h.recorder.Records() }

// Call hands a call to the path, through the middleware, which sees the entity's name and no
// alias of it: a rule of the author's on c.Entity holds under both.
func (h *host) Call(ctx context.Context, c *Call) (res *Result, err error) {
	defer rescue(&res, &err)
	if c, err = h.catalog.named(c); err != nil {
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
