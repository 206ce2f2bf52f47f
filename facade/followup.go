package facade

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/consistency"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// A followUp is the work that a delete leaves at other hosts. A store with an outbox keeps it, so that it is finished after a crash
// ([Facade.FinishDelete]):
//
//	a row here        kept in the transaction of the delete
//	a row elsewhere   kept before the call of its host
//
// Finishing looks for deleted rows that are gone, and for rows that still point at them. So it may be done twice,
// or by several processes at once, and has no effect for a delete that never happened.
type followUp struct {
	key   string // of [KeyValues]; "": it is not kept
	state access.State
	trace string
	cause cause         // of the delete
	rows  []pointedRows // in the order in which they are changed
}

// pointedRows are rows that point at deleted rows by one relation.
type pointedRows struct {
	by   *schema.Property
	keys []any // of the deleted rows
}

// keptFollowUp is the text of a followUp in the store.
type keptFollowUp struct {
	State access.State    `json:"state,omitempty"`
	Trace string          `json:"trace,omitempty"`
	Actor json.RawMessage `json:"actor,omitempty"` // of the delete; notes of older programs have none
	Rows  []keptRows      `json:"rows"`
}

type keptRows struct {
	Entity string            `json:"entity"`
	Field  string            `json:"field"`
	Keys   []json.RawMessage `json:"keys"`
}

// followUps is the beginning of the keys of follow-ups.
const followUps = "delete "

// keepsFollowUps reports whether the store keeps follow-ups.
func (h *host) keepsFollowUps() bool { return h.values != nil && h.keepValue != nil && h.records() }

// deleteWith deletes rows by run, and changes the rows that follow them.
func deleteWith(ctx context.Context, x *execution, follow []pointedRows, run func(context.Context, *execution) (*Result, error)) (*Result, error) { //nolint:contextcheck // the transaction ends before what follows it
	f := &followUp{state: x.state, trace: x.call.Invocation.Trace, cause: x.cause(ctx), rows: follow}
	dry := x.trace.dry() || InDryRun(ctx)
	if x.host.keepsFollowUps() && !dry {
		id, err := schema.UUIDv7()
		if err != nil {
			return nil, kiterror.Internal(fmt.Errorf("the key of a follow-up: %w", err))
		}
		f.key = followUps + id
	}
	res, err := f.keptWith(ctx, x, run)
	switch {
	case err != nil && f.key != "" && x.door.Frond.Remote != "" && !mayHaveRun(err):
		f.forget(context.WithoutCancel(ctx), x.host)
		return nil, err
	case err != nil || dry: // then every row is there
		return res, err
	case x.transaction == nil:
		return res, f.finished(ctx, x)
	default:
		base := x.transaction.base
		x.transaction.later(func() { _ = f.finish(base, x.host, true) }) // a failure is kept
	}
	return res, nil
}

// keptWith keeps the follow-up, if it has a key, and deletes by run.
func (f *followUp) keptWith(ctx context.Context, x *execution, run func(context.Context, *execution) (*Result, error)) (res *Result, err error) {
	if f.key == "" {
		return run(ctx, x)
	}
	if x.door.Frond.Remote != "" {
		if _, err := x.host.values.SetValue(ctx, f.key, 0, f.text()); err != nil {
			return nil, err
		}
		return run(ctx, x)
	}
	err = x.host.transactor.Transact(ctx, func(ctx context.Context) error {
		if err := x.host.keepValue(ctx, f.key, f.text()); err != nil {
			return err
		}
		try := *x
		res, err = run(ctx, &try)
		return err
	})
	return res, err
}

// mayHaveRun reports whether a host may have done a call that failed.
func mayHaveRun(err error) bool {
	switch kiterror.CodeOf(err) {
	case kiterror.ServiceUnavailable, kiterror.GatewayTimeout, kiterror.BadGateway, kiterror.RequestTimeout, kiterror.InternalError:
		return true
	}
	return false
}

// finished finishes the follow-up for the caller of the delete. A failure that may pass is no error where the store keeps the
// follow-up: it is finished later.
func (f *followUp) finished(ctx context.Context, x *execution) error {
	err := f.finish(ctx, x.host, true)
	if err == nil || f.key != "" && (mayHaveRun(err) || kiterror.CodeOf(err) == kiterror.TooManyRequests || ctx.Err() != nil) {
		return nil
	}
	failed := *kiterror.AsError(err)
	if f.key != "" {
		failed.Message += "; the host tries again"
	}
	return failed.WithCause(err)
}

// finish changes the rows that point at rows that are gone, and forgets the follow-up once every row is gone, or settled says that
// the delete is over. A row that cannot be changed does not keep the others.
func (f *followUp) finish(ctx context.Context, h *host, settled bool) (failed error) {
	ctx = consistency.Latest(ctx)
	x := &viewer{host: h, call: &Call{Invocation: Invocation{Trace: f.trace}}, inside: true, state: f.state.OfHost(), from: &callContext{cause: f.cause}, trace: traceOf(ctx)}
	all := true
	for _, rows := range f.rows {
		gone, err := rows.gone(ctx, x)
		all = all && len(gone) == len(rows.keys)
		if err == nil {
			err = rows.change(ctx, x, gone)
		}
		if err != nil {
			own := *kiterror.AsError(err)
			own.Message = "the " + rows.by.Link.Target.Name + " is deleted, and rows of " + rows.by.Owner.Name + " still name it in " + rows.by.Name + ": " + own.Message
			failed = cmp.Or(failed, error(own.WithCause(err)))
		}
	}
	if failed == nil && (all || settled) && f.key != "" {
		f.forget(ctx, h)
	}
	return failed
}

// forget removes the follow-up from the store. One that stays is finished again, which changes no row.
func (f *followUp) forget(ctx context.Context, h *host) { _, _ = h.values.SetValue(ctx, f.key, 1, nil) }

// gone returns the keys of missing rows.
func (r *pointedRows) gone(ctx context.Context, x *viewer) (gone []any, err error) {
	target := r.by.Link.Target
	for some := range slices.Chunk(r.keys, 500) {
		there, err := keysAnywhere(ctx, x, target.Primary, &filter.Filter{Op: filter.In, Field: target.Primary, Values: some}, len(some))
		if err != nil {
			return nil, err
		}
		for _, key := range some {
			if !slices.Contains(there, key) {
				gone = append(gone, key)
			}
		}
	}
	return gone, nil
}

// change does what onDelete says for the rows that point at keys, as the author's own code does.
func (r *pointedRows) change(ctx context.Context, x *viewer, keys []any) (failed error) {
	op := changeOf(x.host, r.by)
	if op == nil {
		return kiterror.Errorf(kiterror.NotImplemented, "%s has no operation for it where it runs", r.by.Owner.Name)
	}
	c := caller{at: &callContext{host: x.host, state: x.state, trace: x.call.Invocation.Trace, cause: x.from.cause}, inside: true}
	seen := map[any]bool{}
	for some := range slices.Chunk(keys, 500) {
		for more := true; more; {
			ids, err := keysAnywhere(ctx, x, r.by.Owner.Primary, &filter.Filter{Op: filter.In, Field: r.by, Values: some}, 500)
			if err != nil {
				return err
			}
			more = len(ids) > 500
			ids = slices.DeleteFunc(ids, func(id any) bool { return seen[id] })
			more = more && len(ids) > 0
			for _, id := range ids {
				seen[id] = true
				in := Invocation{ID: keyText(id), State: x.state}
				if op.Name == "update" {
					in.Body = schema.Object{{Name: r.by.Name, Value: json.RawMessage("null")}}.AppendJSON(nil)
				}
				_, err := c.Call(ctx, &Call{Entity: op.Door.Name, Operation: op.Name, Invocation: in, Select: []string{}})
				switch code := kiterror.CodeOf(err); {
				case err == nil, code == kiterror.NotFound:
				case mayHaveRun(err), ctx.Err() != nil:
					return err
				default:
					failed = cmp.Or(failed, err)
				}
			}
		}
	}
	return failed
}

// changeOf returns the operation by which rows follow a deleted one; nil: they keep it.
func changeOf(h *host, by *schema.Property) *catalog.Operation {
	name := map[string]string{"cascade": "delete", schema.SetNull: "update"}[by.Axes.Relation.OnDelete]
	door := h.catalog.Door(by.Owner.Key)
	if door == nil || name == "" {
		return nil
	}
	return door.Operation(name)
}

// keyText returns the text of a key among the values of a filter.
func keyText(key any) json.RawMessage {
	if text, is := key.(string); is {
		return jsontext.Quote(text)
	}
	text, _ := json.Marshal(key)
	return text
}

// text is the follow-up as the store keeps it.
func (f *followUp) text() json.RawMessage {
	kept := keptFollowUp{State: f.state, Trace: f.trace, Actor: f.cause.actor().AppendJSON(nil)}
	for _, r := range f.rows {
		one := keptRows{Entity: r.by.Owner.Key, Field: r.by.Name}
		for _, key := range r.keys {
			one.Keys = append(one.Keys, keyText(key))
		}
		kept.Rows = append(kept.Rows, one)
	}
	text, _ := json.Marshal(&kept)
	return text
}

// read reads the text of a follow-up; false: this host does not reach all of its rows.
func (f *followUp) read(h *host, text json.RawMessage) (bool, error) {
	var kept keptFollowUp
	if err := json.Unmarshal(text, &kept); err != nil {
		return false, err
	}
	f.state, f.trace = kept.State, kept.Trace
	if actor, err := ReadActor(kept.Actor); err != nil {
		return false, err
	} else if actor != nil {
		f.cause = cause{by: actor.By, call: actor.Call, state: actor.state(), parent: kept.Trace}
	}
	for _, one := range kept.Rows {
		entity, field := h.catalog.Changes.Now(one.Entity, one.Field)
		e := h.catalog.Set.Entity(entity)
		if e == nil || e.Property(field) == nil {
			return false, nil
		}
		r := pointedRows{by: e.Property(field)}
		if r.by.Link == nil || !h.reaches(e) || !h.reaches(r.by.Link.Target) {
			return false, nil
		}
		for _, text := range one.Keys {
			key, why := r.by.Link.Target.Primary.Kind.Value(text)
			if why != "" {
				return false, nil
			}
			r.keys = append(r.keys, key)
		}
		f.rows = append(f.rows, r)
	}
	return true, nil
}

// FollowsDeletes reports whether deletes have rows of other hosts follow.
func (f *Facade) FollowsDeletes() bool { return len(f.host.pointing) > 0 && f.host.keepsFollowUps() }

// UnfinishedDeletes returns the deletes of rows whose followers at other hosts may still be there, by their keys. A delete under way
// is among them.
func (f *Facade) UnfinishedDeletes(ctx context.Context) (map[string]json.RawMessage, error) {
	if !f.host.keepsFollowUps() {
		return nil, nil
	}
	return f.host.values.Values(ctx, followUps)
}

// FinishDelete does what onDelete says for the rows that point at deleted ones, and forgets the delete. settled
// says that no host works at it any more, so that a row which is still there stays. It leaves the rows alone that
// this host does not reach.
func (f *Facade) FinishDelete(ctx context.Context, key string, text json.RawMessage, settled bool) error {
	u := &followUp{key: key}
	reached, err := u.read(f.host, text)
	if err != nil || !reached {
		return err
	}
	return u.finish(ctx, f.host, settled)
}
