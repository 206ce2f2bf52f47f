package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Built-in commands announce the rows that they write, in the transaction that writes them.
// Who writes does not matter: a caller, a handler or a hook. An explained call and a dry run
// announce nothing, and neither do seeds and migrations, which do not come along this path.

// written is what a command did to one row: the row as it was and as it is, each nil where
// there is none.
type written struct {
	door          *Door
	before, after json.RawMessage
}

// change is what happened to the row.
func (w *written) change() Change {
	switch {
	case w.before == nil:
		return Created
	case w.after == nil:
		return Deleted
	}
	return Updated
}

// announce emits the facts of rows that were written, in their order.
func (x *execution) announce(ctx context.Context, all ...written) error {
	var events []Event
	for i := range all {
		w := &all[i]
		for _, f := range w.door.emits.on(w.change()) {
			holds, err := f.when.holds(f.Name, w.before, w.after)
			if err != nil {
				return err
			}
			if !holds {
				continue
			}
			e, err := x.host.event(f, x.now(), x.call.Invocation.Trace)
			if err != nil {
				return err
			}
			e.Change, e.Entity = w.change(), w.door.Entity.Key
			if e.Data = w.after; w.after == nil {
				e.Data = w.before
			}
			if f.Changes && e.Change == Updated {
				e.Before = w.before
			}
			e.Key, _ = rows.Key(w.door.Entity.Primary, jsontext.Get(e.Data, w.door.Entity.Primary.Name))
			events = append(events, e)
		}
	}
	if len(events) == 0 || x.watch.announced(events) || InDryRun(ctx) {
		return nil
	}
	return x.host.outbox.Emit(ctx, events)
}

// event is a new event of a fact, without what it carries.
func (h *host) event(f *Fact, at time.Time, trace string) (Event, error) {
	id, err := schema.UUIDv7()
	if err != nil {
		return Event{}, kiterror.Internal(fmt.Errorf("the id of an event: %w", err))
	}
	return Event{ID: id, Frond: f.Frond.Name, Name: f.Name, At: at.UTC(), Trace: trace}, nil
}

// standing has the write report the row as it stands in its transaction, before it is changed.
// The result is filled when the store has run.
func (x *execution) standing(terms *Terms) *json.RawMessage {
	before := new(json.RawMessage)
	fields := x.door.storedNames()
	judge := terms.Judge
	terms.Read = NewLayout(fields)
	terms.Judge = func(current Row) (Record, error) {
		*before = slices.Clone(current.JSON())
		if judge == nil {
			return nil, nil
		}
		return judge(current)
	}
	return before
}

// needsBefore reports whether a fact of a change reads or carries the row as it was.
func (d *Door) needsBefore(c Change) bool {
	return c == Deleted || slices.ContainsFunc(d.emits.on(c), func(f *Fact) bool { return f.Changes || f.when.readsBefore() })
}
