package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/frondhost/frond/facade/catalog"
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
	door          *catalog.Door
	before, after json.RawMessage
}

// change is what happened to the row.
func (w *written) change() catalog.Change {
	switch {
	case w.before == nil:
		return catalog.Created
	case w.after == nil:
		return catalog.Deleted
	}
	return catalog.Updated
}

// announce emits the facts of rows that were written, in their order, with a call of its own.
func (x *execution) announce(ctx context.Context, all ...written) error {
	events, err := x.eventsOf(ctx, all...)
	if err != nil || len(events) == 0 {
		return err
	}
	return x.host.outbox.Emit(ctx, events)
}

// announces has a write announce what it writes, in its own transaction where the store records
// by itself. of makes what was written of the rows that the write answers. then announces it
// where the store does not, and is called when the write has written something.
func (x *execution) announces(ctx context.Context, terms *Terms, of func(found *rows.Rows) written) (then func(*rows.Rows) error) {
	if x.host.records() && !x.watch.on() {
		terms.Events = func(found *rows.Rows) ([]Event, error) { return x.eventsOf(ctx, of(found)) }
		return func(*rows.Rows) error { return nil }
	}
	return func(found *rows.Rows) error { return x.announce(ctx, of(found)) }
}

// eventsOf are the events of rows that were written; none where nothing is to be emitted.
func (x *execution) eventsOf(ctx context.Context, all ...written) ([]Event, error) {
	var events []Event
	for i := range all {
		w := &all[i]
		for _, f := range w.door.Announced[w.change()] {
			holds, err := f.Condition.Holds(f.Name, w.before, w.after)
			if err != nil {
				return nil, err
			}
			if !holds {
				continue
			}
			e, err := x.host.event(f, x.now(), x.call.Invocation.Trace)
			if err != nil {
				return nil, err
			}
			e.Change, e.Entity = w.change(), w.door.Entity.Key
			if e.Data = w.after; w.after == nil {
				e.Data = w.before
			}
			if f.Changes && e.Change == catalog.Updated {
				e.Before = w.before
			}
			e.Key, _ = rows.Key(w.door.Entity.Primary, jsontext.Get(e.Data, w.door.Entity.Primary.Name))
			events = append(events, e)
		}
	}
	if len(events) > 0 && x.watch.announced(events) || InDryRun(ctx) {
		return nil, nil
	}
	return events, nil
}

// event is a new event of a fact, without what it carries.
func (h *host) event(f *catalog.Fact, at time.Time, trace string) (Event, error) {
	id, err := schema.UUIDv7()
	if err != nil {
		return Event{}, kiterror.Internal(fmt.Errorf("the id of an event: %w", err))
	}
	return Event{ID: id, Frond: f.Frond.Name, Name: f.Name, At: at.UTC(), Trace: trace}, nil
}

// announcesUpdate is announces for an update.
func (x *execution) announcesUpdate(ctx context.Context, terms *Terms) func(*rows.Rows) error {
	if !needsBefore(x.door.Door) {
		return x.announces(ctx, terms, func(found *rows.Rows) written {
			after := found.Row(0).JSON()
			return written{door: x.door.Door, before: after, after: after} // nobody reads before
		})
	}
	before := x.captureBefore(terms)
	return x.announces(ctx, terms, func(found *rows.Rows) written {
		return written{door: x.door.Door, before: *before, after: found.Row(0).JSON()}
	})
}

// announcesDelete is announces for a delete, with the rows that go or change with the row.
func (x *execution) announcesDelete(ctx context.Context, terms *Terms) (func(*rows.Rows) error, error) {
	before := x.captureBefore(terms)
	if x.host.catalog.Cascades[x.door.Entity] == nil {
		return x.announces(ctx, terms, func(*rows.Rows) written { return written{door: x.door.Door, before: *before} }), nil
	}
	others, err := x.touches(ctx)
	return func(*rows.Rows) error {
		return x.announce(ctx, append([]written{{door: x.door.Door, before: *before}}, others...)...)
	}, err
}

// captureBefore makes the write report the row before the change.
// The result is filled when the store has run.
func (x *execution) captureBefore(terms *Terms) *json.RawMessage {
	before := new(json.RawMessage)
	judge := terms.Judge
	terms.Read = rows.NewLayout(catalog.StoredFields(x.door.Entity))
	terms.Judge = func(current rows.Row) (Record, error) {
		*before = slices.Clone(current.JSON())
		if judge == nil {
			return nil, nil
		}
		return judge(current)
	}
	return before
}

// needsBefore reports whether a fact of updates reads or carries the row as it was.
func needsBefore(d *catalog.Door) bool {
	return slices.ContainsFunc(d.Announced[catalog.Updated], func(f *catalog.Fact) bool { return f.Changes || f.Condition.ReadsBefore() })
}
