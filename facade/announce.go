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

// Built-in commands announce the rows that they write, in the transaction that writes them, for
// every writer: a caller, a handler or a hook. A dry run, seeds and migrations announce no
// rows: the latter do not come along this path.

// written is the change of one row by a command: the row before and after it, either of which
// may be nil.
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

// emission announces what one command writes.
type emission struct {
	outbox Outbox
	trace  *Trace
	at     time.Time // of the call
	parent string    // the traceparent of the call
	cause  cause
	actor  *Actor // made with the first event
}

// newEmission returns the emission of a call.
func newEmission(ctx context.Context, x *viewer) emission {
	return emission{outbox: x.host.outbox, trace: x.trace, at: x.now(), parent: x.call.Invocation.Trace, cause: x.cause(ctx)}
}

// announce emits the facts of written rows, in their order, with a call of its own.
func (m *emission) announce(ctx context.Context, all ...written) error {
	events, err := m.events(ctx, all...)
	if err != nil || len(events) == 0 {
		return err
	}
	return m.outbox.Emit(ctx, events)
}

// with has a write announce its row, in its own transaction where the store records by itself. of
// makes the change from the rows that the write answers. then announces it where the store does
// not; the caller runs it once the write has written something.
func (m *emission) with(ctx context.Context, terms *Terms, of func(found *rows.Rows) written) (then func(*rows.Rows) error) {
	return m.withAll(ctx, terms, func(found *rows.Rows) []written { return []written{of(found)} })
}

// withAll is with for a write of many rows.
func (m *emission) withAll(ctx context.Context, terms *Terms, of func(found *rows.Rows) []written) (then func(*rows.Rows) error) {
	if m.outbox != nil && m.outbox.Records() && !m.trace.dry() {
		terms.Events = func(found *rows.Rows) ([]Event, error) { return m.events(ctx, of(found)...) }
		return nil
	}
	return func(found *rows.Rows) error { return m.announce(ctx, of(found)...) }
}

// events returns the events of written rows; it may be empty.
func (m *emission) events(ctx context.Context, all ...written) ([]Event, error) {
	var events []Event
	for i := range all {
		w := &all[i]
		for _, f := range w.door.Announced[w.change()] {
			holds, err := f.Condition.Holds(f.Name, w.before, w.after)
			if err != nil {
				return nil, kiterror.Internal(err)
			}
			if !holds {
				continue
			}
			if m.actor == nil {
				m.actor = m.cause.actor()
			}
			e, err := newEvent(f, m.at, m.parent, m.actor)
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
			e.Key, _ = w.door.Entity.Primary.KeyText(jsontext.Get(e.Data, w.door.Entity.Primary.Name))
			events = append(events, e)
		}
	}
	if m.trace.dry() || InDryRun(ctx) {
		m.trace.emitted(events)
		return nil, nil
	}
	return events, nil
}

// newEvent is a new event of a fact, without its payload.
func newEvent(f *catalog.Fact, at time.Time, trace string, actor *Actor) (Event, error) {
	id, err := schema.UUIDv7()
	if err != nil {
		return Event{}, kiterror.Internal(fmt.Errorf("the id of an event: %w", err))
	}
	return Event{ID: id, Frond: f.Frond.Name, Name: f.Name, At: at.UTC(), Trace: trace, Actor: actor}, nil
}

// announcement has a write announce its row, and a delete the rows that go or change with it. If
// then is not nil, the caller runs it after a write that has written a row.
func announcement(ctx context.Context, x *execution, change catalog.Change, terms *Terms) (then func(*rows.Rows) error, err error) {
	door := x.door.Door
	if !x.op.Emits || change == catalog.Updated && len(x.body) == 0 {
		return nil, nil
	}
	m := newEmission(ctx, &x.viewer)
	switch {
	case change == catalog.Created:
		return m.with(ctx, terms, func(found *rows.Rows) written { return written{door: door, after: found.Row(0).JSON()} }), nil
	case change == catalog.Updated && !needsBefore(door):
		return m.with(ctx, terms, func(found *rows.Rows) written {
			after := found.Row(0).JSON()
			return written{door: door, before: after, after: after} // before says that it was there; no fact reads it
		}), nil
	}
	before := captureBefore(door.Entity, terms)
	cascades := x.host.catalog.Cascades
	switch {
	case change == catalog.Updated:
		return m.with(ctx, terms, func(found *rows.Rows) written {
			return written{door: door, before: *before, after: found.Row(0).JSON()}
		}), nil
	case cascades[door.Entity] == nil:
		return m.with(ctx, terms, func(*rows.Rows) written { return written{door: door, before: *before} }), nil
	}
	others, err := touchedBy(ctx, x.store(), cascades, door.Entity, x.id)
	return func(*rows.Rows) error {
		return m.announce(ctx, append([]written{{door: door, before: *before}}, others...)...)
	}, err
}

// captureBefore makes the write report the row before the change.
// The result is filled when the store has run.
func captureBefore(e *schema.Entity, terms *Terms) *json.RawMessage {
	before := new(json.RawMessage)
	judge := terms.Judge
	terms.Read = rows.NewLayout(catalog.StoredFields(e))
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

// Rows that a database removes or changes because another row is deleted (onDelete) are announced
// like the rows of a command of their own. The database does not name them, so they are read
// before, in the transaction of the delete.

// cascadePage is how many rows are read at once.
const cascadePage = 500

// touched collects the rows that go or change with a deleted one.
type touched struct {
	store    Store
	cascades map[*schema.Entity][]catalog.Cascade
	list     []written
	at       map[string]int // place in list by entity and key; -1: deleted, and not announced
}

// touchedBy returns the rows that go or change when a row is deleted. ctx has the transaction that
// deletes it.
func touchedBy(ctx context.Context, store Store, cascades map[*schema.Entity][]catalog.Cascade, e *schema.Entity, id json.RawMessage) ([]written, error) {
	t := &touched{store: store, cascades: cascades, at: map[string]int{e.Key + string(id): -1}}
	err := t.by(ctx, e, []json.RawMessage{id})
	return t.list, err
}

// by collects what rows of an entity touch when they are deleted.
func (t *touched) by(ctx context.Context, target *schema.Entity, ids []json.RawMessage) error {
	for _, c := range t.cascades[target] {
		for chunk := range slices.Chunk(ids, cascadePage) {
			if err := t.along(ctx, c, chunk); err != nil {
				return err
			}
		}
	}
	return nil
}

// along collects the rows that one relation leads back to.
func (t *touched) along(ctx context.Context, c catalog.Cascade, ids []json.RawMessage) error {
	e := c.Field.Owner
	q := Find{
		Entity: e, Select: rows.NewLayout(catalog.StoredFields(e)), Where: among(c.Field, ids),
		Sort: newOrder(e, nil).keys, Limit: cascadePage,
	}
	for {
		found, err := t.store.Find(ctx, &q)
		if err != nil {
			return err
		}
		var gone []json.RawMessage
		for i := range found.Rows.Len() {
			row := found.Rows.Row(i)
			if key := row.Get(e.Primary.Name); t.add(c, key, row.JSON()) {
				gone = append(gone, key)
			}
		}
		if err := t.by(ctx, e, gone); err != nil || !found.More {
			return err
		}
		q.From = jsontext.List(found.Keys[found.Rows.Len()-1])
	}
}

// add adds a row, and reports whether it is deleted and was not known to be.
func (t *touched) add(c catalog.Cascade, key, row json.RawMessage) (gone bool) {
	id := c.Field.Owner.Key + string(key)
	at, known := t.at[id]
	switch {
	case known && (at < 0 || t.list[at].after == nil):
		return false
	case c.Null && known: // by a second relation
		t.list[at].after = withNull(t.list[at].after, c.Field.Name)
		return false
	case c.Null:
		t.at[id] = len(t.list)
		t.list = append(t.list, written{door: c.Door, before: row, after: withNull(row, c.Field.Name)})
		return false
	case known: // by this relation it goes
		t.list[at].after = nil
		return true
	case c.Door == nil:
		t.at[id] = -1
		return true
	}
	t.at[id] = len(t.list)
	t.list = append(t.list, written{door: c.Door, before: row})
	return true
}

// withNull is the text of a row with one field null.
func withNull(row json.RawMessage, field string) json.RawMessage {
	return schema.Rewrite(row, func(name string, value json.RawMessage) json.RawMessage {
		if name == field {
			return json.RawMessage("null")
		}
		return value
	})
}
