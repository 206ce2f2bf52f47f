package facade

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Emit emits a fact by its name within a command's handler or hook, in the transaction of the
// command: the event leaves if and only if the command is committed. Without a transaction (a
// detached handler, a hook after a command, [Facade.Enter]) it is committed when Emit returns.
//
// name is a fact of the Frond whose command runs, or FROND.NAME. payload is marshalled to JSON
// and has to fit the fact's card; json.RawMessage and [rows.Row] are taken as they are. It is nil, or
// any object, for a fact without a card. A row is carried with its stored fields: of a fact of an
// entity the payload is the row, such as a command of that entity answers it inside.
//
// Every error is INTERNAL_ERROR: an unknown name (which names the declared ones), a payload that
// does not fit, a query that emits, a fact that built-in commands emit by themselves, a store
// without an outbox; or an error of the store. Return it, so that the command fails and is
// rolled back.
func Emit(ctx context.Context, name string, payload any) error {
	s := callContextOf(ctx)
	if s == nil {
		return kiterror.Errorf(kiterror.InternalError, "this context is not a handler's; hand on the one the handler was given")
	}
	if err := emit(ctx, s.host, s, name, payload); err != nil {
		if e := (*kiterror.Error)(nil); errors.As(err, &e) {
			return err
		}
		return kiterror.Internal(fmt.Errorf("the fact %s: %w", schema.Quoted(name), err))
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
		return errors.New("the store of this host has no outbox; open a SQLite or PostgreSQL store")
	}
	by := causeOf(ctx, s)
	if by.by == "" {
		by = cause{by: catalog.ByHandler, state: s.state, parent: s.trace}
	}
	e, err := newEvent(f, h.now(), s.trace, by.actor())
	if err != nil {
		return err
	}
	if e.Data, err = carried(f, payload); err != nil {
		return err
	}
	if f.Door != nil {
		if p := f.Door.Entity.Primary; jsontext.Get(e.Data, p.Name) != nil {
			e.Entity = f.Door.Entity.Key
			e.Key, _ = p.KeyText(jsontext.Get(e.Data, p.Name))
		}
	}
	write := func(ctx context.Context) error {
		if InDryRun(ctx) {
			traceOf(ctx).emitted([]Event{e})
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
			record[i].Value = schema.NormalDateTime(record[i].Value)
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

// Current returns e with the fields of its rows under the names that they have now: an event from
// before a rename has them under the old ones. Without a rename since it is e itself; e is not
// changed.
func (f *Facade) Current(e *Event) *Event {
	return current(f.host.catalog.Fact(e.Frond, e.Name), e)
}

// Outward is an event as it leaves for receivers of the operator, who are no callers: webhooks and message brokers.
// Of the row it has the fields of the fact's card that are open outward, encoded as they leave on every surface; a
// field without a value is absent if it may be. Rows before the change and computed fields are not in it.
// Collectors are not asked: the operator decides which facts a receiver gets.
//
// An event of a fact without a declaration has neither data nor key, since its closed fields
// are unknown. e is not changed. The error is INTERNAL_ERROR, of a conversion.
func (f *Facade) Outward(e *Event) (*Event, error) {
	fact := f.host.catalog.Fact(e.Frond, e.Name)
	e = current(fact, e)
	out := *e
	out.Before = nil
	switch {
	case fact == nil:
		out.Data, out.Key, out.Entity = nil, nil, ""
		return &out, nil
	case fact.Data == nil, fact.Frond.Remote != "": // without a card, and about no row; or it has left already
		return &out, nil
	}
	b := append(make([]byte, 0, len(e.Data)), '{')
	for _, p := range fact.Data.Fields {
		value := jsontext.Get(e.Data, p.Name)
		if !p.Readable() || value == nil || p.MayBeAbsent() && isNull(value) {
			continue
		}
		if p.Axes.Out.Name != "" {
			var err error
			if value, err = outward(f.host.registry, p, value); err != nil {
				return nil, err
			}
		}
		b = append(jsontext.AppendName(jsontext.Comma(b), p.Name), value...)
	}
	out.Data = append(b, '}')
	if e.Data == nil {
		out.Data = nil
	}
	if e.Key == nil || fact.Door == nil || fact.Door.Entity == nil || fact.Door.Entity.Primary == nil {
		return &out, nil
	}
	switch p := fact.Door.Entity.Primary; {
	case !p.Readable():
		out.Key, out.Entity = nil, ""
	case p.Axes.Out.Name != "":
		var err error
		if out.Key, err = outward(f.host.registry, p, json.RawMessage(e.Key)); err != nil {
			return nil, err
		}
	}
	return &out, nil
}
