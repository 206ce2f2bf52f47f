package facade

import (
	"context"
	"encoding/json"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Subscription says what one subscriber wants to hear of.
type Subscription struct {
	// Frond and Fact name a fact of the catalog; see [catalog.Catalog.Fact].
	Frond, Fact string
	// Filter is a condition on the rows of its events, in the grammar of a list's filter; nil:
	// all of them. null is nil.
	Filter json.RawMessage
	// Select are the fields that are going to be read, computed ones included; nil: all that
	// the subscriber may read.
	Select []string
	// Versions asks for Revealed.Version.
	Versions bool
	// State is who subscribes; nil is an anonymous caller.
	State access.State
	// View is the view of the surface that the subscription came in by ([catalog.Catalog.Surface] of
	// this façade's catalog); nil: everything.
	View *catalog.Catalog
}

// Watch is one admitted subscription: it reveals of events the part that the subscriber may see.
// It keeps nothing between two calls and may be used from many goroutines.
type Watch struct {
	host *host
	fact *catalog.Fact
	sub  Subscription
	view *catalog.Catalog
}

// Watch admits one subscriber of one fact, and judges its filter and its fields as they are
// judged for every event again. It receives no events by itself: it reveals those that it is given
// ([Watch.Reveal]). s is not changed and may be reused.
//
// The error is NOT_FOUND where there is no such fact here and names those that there are for
// this caller, UNAUTHORIZED or FORBIDDEN by the collector of the fact, asked about list, and
// VALIDATION_FAILED for the filter and the fields.
func (f *Facade) Watch(ctx context.Context, s *Subscription) (*Watch, error) {
	w := &Watch{host: f.host, sub: *s, view: s.View}
	if w.view == nil {
		w.view = f.host.catalog
	}
	if jsontext.IsNull(w.sub.Filter) {
		w.sub.Filter = nil
	}
	if w.fact = f.host.catalog.Fact(s.Frond, s.Fact); w.fact == nil || !w.view.Announces(w.fact) {
		return nil, w.missing(ctx)
	}
	_, err := w.look(ctx)
	return w, err
}

// Fact returns the fact of the subscription.
func (w *Watch) Fact() *catalog.Fact { return w.fact }

// missing is NOT_FOUND. It names the facts that this caller may watch.
func (w *Watch) missing(ctx context.Context) error {
	var names []string
	for f := range w.view.Facts() {
		if len(names) > kiterror.MaxNames || !w.view.Announces(f) {
			continue
		}
		other := Watch{host: w.host, fact: f, sub: Subscription{State: w.sub.State}, view: w.view}
		if _, err := other.look(ctx); err == nil {
			names = append(names, f.FullName())
		}
	}
	name := w.sub.Frond + "." + w.sub.Fact
	return kiterror.Errorf(kiterror.NotFound, "no fact is called %s here%s", kiterror.Quoted(name), kiterror.Instead(name, names, w.host.suggest))
}

// look returns the present rights of the subscriber on the fact: scope and selection of x, and
// the condition that rows have to meet.
func (w *Watch) look(ctx context.Context) (x *execution, err error) {
	fact := w.host.facts[w.fact]
	door := fact.judged
	reading := door.Reading()
	silent := *reading
	silent.Emits = false
	op := &boundOperation{Operation: &silent, reader: fact.reader}
	call := &Call{Entity: door.Name, Operation: op.Name, Select: w.sub.Select, Version: w.sub.Versions && door.Entity != nil, Partial: true, Invocation: Invocation{State: w.sub.State}}
	x = &execution{viewer: viewer{host: w.host, call: call, state: w.sub.State, catalogView: w.view, door: door, op: op}}
	defer func() {
		if err != nil {
			err = kiterror.AsError(err).At(door.Name, w.fact.Name).Masked()
		}
	}()
	defer func() {
		if p := recover(); p != nil {
			err = kiterror.Panicked(p)
		}
	}()
	if x.doorScope, err = x.scopeOf(ctx, door, reading); err != nil {
		return nil, err
	}
	x.resultScope = x.doorScope
	if w.fact.Frond.Remote != "" && w.fact.Door == nil && access.AuthorityOf(door.Door, door.collector) == catalog.ByHost {
		// The remote may close it, and cannot be asked about one event.
		return nil, access.Denied(w.sub.State, door.Door, reading)
	}
	if w.fact.Data == nil {
		const nothing = "carries nothing that could be chosen; leave filter and fields out"
		var details []schema.Detail
		if w.sub.Filter != nil {
			details = append(details, schema.Detail{Path: "filter", Pointer: "/query/filter", Code: schema.UnknownKey, Message: nothing})
		}
		if w.sub.Select != nil {
			details = append(details, schema.Detail{Path: "fields", Pointer: "/query/fields", Code: schema.UnknownKey, Message: nothing})
		}
		if details != nil {
			return nil, kiterror.Invalid(w.fact.Name+" "+nothing, details...)
		}
		return x, nil
	}
	if asksVersion(&x.viewer) && door.Entity.Primary != nil {
		if x.versionScope, err = scopeOfVersion(ctx, &x.viewer); err != nil {
			return nil, err
		}
	}
	if w.sub.Filter != nil {
		if !reading.Takes("filter") {
			return nil, kiterror.Invalid("events of "+w.fact.Name+" cannot be filtered: its host answers no list with a filter; leave filter out",
				schema.Detail{Path: "filter", Pointer: "/query/filter", Code: schema.UnknownKey, Message: "is not taken where the rows are kept"})
		}
		p := filter.Parser{Host: &x.viewer, At: "/query/filter"}
		x.condition = p.Parse(ctx, w.fact.Data, x.view(x.doorScope), w.sub.Filter)
		x.details = append(x.details, p.Details...)
	}
	side := outside
	if w.fact.Frond.Remote != "" {
		side = already // it left there
	}
	x.sel = pickOn(x, side, op.reader, x.doorScope, w.sub.Select, nil)
	x.condition = filter.Both(x.doorScope.Rows, x.condition)
	return x, x.refusal()
}
