// Package rehearse makes a command without its effects and says what they would be. Later it makes the same command on
// the condition that its effects are still the same (docs/rights.md).
//
//	do      the command, in a transaction                                   rehearse.go
//	record  the rows that the command writes, before and after              record.go
//	show    these rows as the caller may see them                           show.go
//	seal    a digest of the call and of the rows, in a token                token.go
//
// A rehearsal rolls the transaction back. An approval commits it if the digest is that of its token.
package rehearse

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/consistency"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// Command is a command, or several that are one transaction.
type Command struct {
	Facade *facade.Facade
	// Caller reads the rows that are shown, as the surface of the command shows them.
	Caller facade.Caller
	State  access.State
	Trace  string // the traceparent of the command
	// Value is the call as the caller has sent it, without the words: a token is bound to it.
	Value []*facade.Call
	// Do makes the command. It may run again.
	Do func(ctx context.Context) error
}

// Rehearsal is what a command would do, as far as its caller may see it.
type Rehearsal struct {
	Token   string
	Changes []Change
	Events  []Event
	More    int // changes beyond those in Changes
}

// Run makes a command as the words say. A rehearsal writes nothing. An approval returns nil when it has written.
//
// The error is that of the command; VALIDATION_FAILED for a text that is no token of this store; PRECONDITION_FAILED for a
// token that is used, too old, or of another call, and for changes that differ from those of the rehearsal; NOT_IMPLEMENTED
// for a store that cannot undo a command.
func Run(ctx context.Context, w catalog.Words, c *Command) (*Rehearsal, error) {
	can := c.Facade.Store().Abilities()
	switch {
	case facade.InDryRun(ctx):
		return nil, kiterror.Errorf(kiterror.BadRequest, "this call is explained, and writes nothing; send it without rehearse and approve")
	case !Can(can):
		return nil, kiterror.Errorf(kiterror.NotImplemented, "the store of this host cannot undo a command; send it without rehearse and approve")
	}
	s := &sealer{values: can.KeyValues, keep: can.KeepValue, call: digestOf(c.Value), now: time.Now()}
	if err := s.open(ctx, w.Approve); err != nil {
		return nil, err
	}
	r := &rehearsal{command: c, sealer: s, record: newRecord(c.Facade)}
	if w.Approve != "" {
		return nil, r.approve(ctx)
	}
	return r.rehearse(ctx)
}

// Can reports whether commands over a store can be rehearsed.
func Can(store facade.Abilities) bool {
	return store.Transactor != nil && store.DryRuns && store.KeyValues != nil && store.KeepValue != nil
}

// rehearsal is one command on its way.
type rehearsal struct {
	command *Command
	sealer  *sealer
	record  *record
}

// do makes the command as one transaction, and then, within it, end.
func (r *rehearsal) do(ctx context.Context, end func(ctx context.Context) error) error {
	return r.command.Facade.Together(facade.WithTrace(ctx, r.record.trace), r.command.Trace, func(ctx context.Context) error {
		r.record.begin()
		if err := r.command.Do(ctx); err != nil {
			return err
		}
		ctx = facade.WithTrace(ctx, func() *facade.Trace { return nil }) // what follows only reads
		if err := r.record.end(ctx); err != nil {
			return err
		}
		return end(ctx)
	})
}

// rehearse makes the command and rolls it back.
func (r *rehearsal) rehearse(ctx context.Context) (*Rehearsal, error) {
	v := &view{command: r.command, record: r.record}
	err := r.do(facade.DryRun(ctx), func(ctx context.Context) (err error) {
		v.after, err = v.look(ctx, catalog.Deleted)
		return err
	})
	if err != nil {
		return nil, err
	}
	if v.before, err = v.look(consistency.Latest(ctx), catalog.Created); err != nil {
		return nil, err
	}
	out := &Rehearsal{Token: r.sealer.seal(r.record)}
	out.Changes, out.More = v.changes()
	out.Events = v.events(ctx)
	return out, nil
}

// approve makes the command, and commits it if its changes are those of the token.
func (r *rehearsal) approve(ctx context.Context) error {
	differs := -1
	err := r.do(ctx, func(ctx context.Context) error {
		if differs = r.sealer.differs(r.record); differs >= 0 {
			return errChanged
		}
		return r.sealer.use(ctx)
	})
	switch {
	case errors.Is(err, errChanged):
		return r.changed(ctx, differs)
	case err != nil && r.sealer.used(ctx):
		return errUsed()
	case err == nil:
		r.sealer.sweep(ctx)
	}
	return err
}

// errChanged rolls back an approved command whose changes are not those of its rehearsal.
var errChanged = errors.New("the changes are not those of the rehearsal")

// changed is the PRECONDITION_FAILED of changes that differ from those of the rehearsal, from the one at the place on. It
// names the first row that differs, if the caller may see it and the token says which it is.
func (r *rehearsal) changed(ctx context.Context, place int) error {
	out := refused("changed", "the command would change other rows now, or change them in another way than in the rehearsal; nothing was written; rehearse it again")
	details, _ := out.Details.(map[string]any)
	details["rehearsal"] = r.sealer.seal(r.record)
	if c := r.record.single(place); c != nil {
		v := &view{command: r.command, record: r.record}
		seen, err := v.read(ctx, c.entity, []*change{c}, nil)
		if err == nil && len(seen) > 0 {
			details["entity"], details["key"] = v.nameOf(c.entity), c.key
		}
	}
	return out
}

// Middleware answers the commands that have one of the words in their query. f is the façade that the middleware is part of.
func Middleware(f func() *facade.Facade) facade.Middleware {
	return func(next facade.Caller) facade.Caller {
		return facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
			if facade.IsNested(ctx) || !asks(f().Catalog(), c) {
				return next.Call(ctx, c)
			}
			return answer(ctx, f(), next, c)
		})
	}
}

// asks reports whether a call is a command with one of the words, which its card does not have as a parameter of its own.
func asks(served *catalog.Catalog, c *facade.Call) bool {
	query := c.Invocation.Query
	if jsontext.Get(query, catalog.Rehearse) == nil && jsontext.Get(query, catalog.Approve) == nil {
		return false
	}
	_, op := served.Find(c.Entity, c.Operation)
	return op != nil && op.Kind == catalog.Command && !op.HasWords()
}

// answer makes a call with the words.
func answer(ctx context.Context, f *facade.Facade, next facade.Caller, c *facade.Call) (*facade.Result, error) {
	own := *c
	own.Invocation.Query = catalog.CutWords(c.Invocation.Query)
	w, details := catalog.ReadWords(c.Invocation.Query, "/query")
	if details != nil {
		return nil, kiterror.Refused(details).At(c.Entity, c.Operation)
	}
	if !w.Any() {
		return next.Call(ctx, &own)
	}
	state := c.Invocation.State
	if _, err := f.Joins(ctx, f.Catalog(), state, c.Entity, c.Operation); err != nil {
		return nil, err
	}
	switch there, err := f.PassesOn(f.Catalog(), []*facade.Call{c}); {
	case err != nil:
		return nil, err
	case there:
		found, results, err := PassOn(ctx, w, f, next, []*facade.Call{&own})
		if err != nil {
			err, _ := kiterror.AsError(err).WithoutCall()
			return nil, err
		}
		if found == nil {
			return results[0], nil
		}
		return found.Answer(results[0].AppendJSON(nil)), nil
	}
	var res *facade.Result
	var text json.RawMessage
	found, err := Run(ctx, w, &Command{
		Facade: f, Caller: f, State: state, Trace: c.Invocation.Trace, Value: []*facade.Call{&own},
		Do: func(ctx context.Context) (err error) {
			if res, err = next.Call(ctx, &own); err == nil {
				text = res.AppendJSON(nil)
			}
			return err
		},
	})
	switch {
	case err != nil:
		return nil, kiterror.AsError(err).At(c.Entity, c.Operation)
	case found == nil:
		return res, nil
	}
	return found.Answer(text), nil
}
