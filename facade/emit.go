package facade

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
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
func announce(ctx context.Context, x *viewer, all ...written) error {
	events, err := eventsOf(ctx, x, all...)
	if err != nil || len(events) == 0 {
		return err
	}
	return x.host.outbox.Emit(ctx, events)
}

// announces has a write announce what it writes, in its own transaction where the store records
// by itself. of makes what was written of the rows that the write answers. then announces it
// where the store does not, and is called when the write has written something.
func announces(ctx context.Context, x *viewer, terms *Terms, of func(found *rows.Rows) written) (then func(*rows.Rows) error) {
	if x.host.records() && !x.watch.on() {
		terms.Events = func(found *rows.Rows) ([]Event, error) { return eventsOf(ctx, x, of(found)) }
		return func(*rows.Rows) error { return nil }
	}
	return func(found *rows.Rows) error { return announce(ctx, x, of(found)) }
}

// eventsOf are the events of rows that were written; none where nothing is to be emitted.
func eventsOf(ctx context.Context, x *viewer, all ...written) ([]Event, error) {
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
			e, err := newEvent(f, x.now(), x.call.Invocation.Trace)
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

// newEvent is a new event of a fact, without what it carries.
func newEvent(f *catalog.Fact, at time.Time, trace string) (Event, error) {
	id, err := schema.UUIDv7()
	if err != nil {
		return Event{}, kiterror.Internal(fmt.Errorf("the id of an event: %w", err))
	}
	return Event{ID: id, Frond: f.Frond.Name, Name: f.Name, At: at.UTC(), Trace: trace}, nil
}

// announcesUpdate is announces for an update.
func announcesUpdate(ctx context.Context, x *viewer, terms *Terms) func(*rows.Rows) error {
	if !needsBefore(x.door.Door) {
		return announces(ctx, x, terms, func(found *rows.Rows) written {
			after := found.Row(0).JSON()
			return written{door: x.door.Door, before: after, after: after} // nobody reads before
		})
	}
	before := captureBefore(x, terms)
	return announces(ctx, x, terms, func(found *rows.Rows) written {
		return written{door: x.door.Door, before: *before, after: found.Row(0).JSON()}
	})
}

// announcesDelete is announces for a delete, with the rows that go or change with the row.
func announcesDelete(ctx context.Context, x *execution, terms *Terms) (func(*rows.Rows) error, error) {
	before := captureBefore(&x.viewer, terms)
	if x.host.catalog.Cascades[x.door.Entity] == nil {
		return announces(ctx, &x.viewer, terms, func(*rows.Rows) written { return written{door: x.door.Door, before: *before} }), nil
	}
	others, err := touchedBy(ctx, x)
	return func(*rows.Rows) error {
		return announce(ctx, &x.viewer, append([]written{{door: x.door.Door, before: *before}}, others...)...)
	}, err
}

// captureBefore makes the write report the row before the change.
// The result is filled when the store has run.
func captureBefore(x *viewer, terms *Terms) *json.RawMessage {
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

// Emit emits a fact by its name within a command's handler or hook, in the transaction of the
// command: the event leaves if and only if the command is committed. Where there is no
// transaction (a detached handler, a hook after a command, [Facade.Enter]) it is committed when
// Emit returns.
//
// name is a fact of the Frond whose command runs, or FROND.NAME. payload is marshalled to JSON
// and has to fit the fact's card; json.RawMessage and [rows.Row] are taken as they are. It is nil, or
// any object, for a fact without a card. A row is carried with its stored fields: of a fact of an
// entity the payload is the row, such as a command of that entity answers it inside.
//
// Every error is INTERNAL_ERROR: an unknown name (which names the declared ones), a payload that
// does not fit, a query that emits, a fact that built-in commands emit by themselves, a store
// without an outbox; or an error of the store. Return it, so that the command fails and nothing
// is written.
func Emit(ctx context.Context, name string, payload any) error {
	s := callContextOf(ctx)
	if s == nil {
		return kiterror.Errorf(kiterror.InternalError, "this context is not a handler's; hand on the one the handler was given")
	}
	if err := emit(ctx, s.host, s, name, payload); err != nil {
		if e := (*kiterror.Error)(nil); errors.As(err, &e) {
			return err
		}
		return kiterror.Internal(fmt.Errorf("the fact %s: %w", kiterror.Quoted(name), err))
	}
	return nil
}

// emit is Emit for a call context.
func emit(ctx context.Context, h *host, s *callContext, name string, payload any) error {
	f, err := declared(h.catalog, s, name)
	switch {
	case err != nil:
		return err
	case s.op != nil && s.op.Kind == catalog.Query:
		return fmt.Errorf("%s.%s is a query, and emits nothing; emit in a command", s.op.Door.Name, s.op.Name)
	case f.Frond.Remote != "":
		return fmt.Errorf("it is emitted where %s runs", f.Frond.Name)
	case f.Changes:
		return fmt.Errorf("it is emitted by what writes rows of %s, and by nothing else", f.Door.Name)
	case h.outbox == nil:
		return errors.New("the store of this host has no outbox, so that it cannot be kept; open a store of SQLite or PostgreSQL")
	}
	e, err := newEvent(f, h.now(), s.trace)
	if err != nil {
		return err
	}
	if e.Data, err = carried(f, payload); err != nil {
		return err
	}
	if f.Door != nil {
		if p := f.Door.Entity.Primary; jsontext.Get(e.Data, p.Name) != nil {
			e.Entity = f.Door.Entity.Key
			e.Key, _ = rows.Key(p, jsontext.Get(e.Data, p.Name))
		}
	}
	write := func(ctx context.Context) error {
		if InDryRun(ctx) {
			return nil
		}
		return h.outbox.Emit(ctx, []Event{e})
	}
	switch {
	case h.transactionOf(ctx) != nil:
		return write(ctx)
	case s.transaction != nil:
		return errOutside
	}
	return h.outbox.Transact(ctx, write)
}

// declared is the fact that Go code means by a name.
func declared(served *catalog.Catalog, s *callContext, name string) (*catalog.Fact, error) {
	var found []*catalog.Fact
	var names []string
	for f := range served.Facts() {
		own := s.op == nil || s.op.Door.Frond.Name == f.Frond.Name
		if own && f.Name == name || f.FullName() == name {
			found = append(found, f)
		}
		if own {
			names = append(names, f.Name)
		} else {
			names = append(names, f.FullName())
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, fmt.Errorf("%s and %s are both called that; write one of these", found[0].FullName(), found[1].FullName())
	case names == nil:
		return nil, errors.New("no fact is declared; write facts: [{name: …}] in frond.yaml")
	}
	slices.Sort(names)
	return nil, fmt.Errorf("no fact is called that; declared are %s", strings.Join(names, ", "))
}

// carried is a payload as an event carries it: an object that fits the card, its fields in
// declaration order and in the form of rows.
func carried(f *catalog.Fact, payload any) (json.RawMessage, error) {
	text, err := payloadText(payload)
	if err != nil {
		return nil, err
	}
	null := len(text) == 0 || jsontext.IsNull(text)
	if f.Data == nil {
		if null {
			return nil, nil
		}
		if jsontext.KindOf(text) != jsontext.Object {
			return nil, errors.New("what it carries has to be an object")
		}
		return text, nil
	}
	if null {
		text = json.RawMessage("{}")
	}
	n := naming{of: f.Data.Name}
	for _, p := range f.Data.Fields {
		n.fields = append(n.fields, schema.Field{Name: p.Name, Shape: p.Shape})
	}
	if f.Door != nil { // a row may come with all of its fields
		for _, p := range f.Door.Entity.Fields {
			n.dropped = append(n.dropped, p.Name)
		}
		for _, c := range f.Door.Computed {
			n.dropped = append(n.dropped, c.Name)
		}
	}
	if text, err = n.object(text); err != nil {
		return nil, err
	}
	record, details := f.Data.Judge(schema.Plain, text, "")
	for _, d := range details {
		return nil, fmt.Errorf("%s %s", d.Path, d.Message)
	}
	for i := range record {
		p := f.Data.Property(record[i].Name)
		switch {
		case p.Kind == schema.KindDateTime:
			record[i].Value = rows.NormalDateTime(record[i].Value)
		case closed(&p.Shape):
			record[i].Value = prune(&p.Shape, record[i].Value)
		}
	}
	return record.AppendJSON(nil), nil
}

// payloadText is a payload as checked JSON.
func payloadText(payload any) (json.RawMessage, error) {
	text, _, _, err := textOf(payload)
	return text, err
}
