package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
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

// Watch is one admitted subscription: it reveals the part of events that the subscriber may see.
// It keeps no state between two calls and may be used from many goroutines.
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
// The error is NOT_FOUND for an unknown fact, which lists the facts of this caller,
// UNAUTHORIZED or FORBIDDEN by the collector of the fact, asked about list, and
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
		if len(names) > schema.MaxNames || !w.view.Announces(f) {
			continue
		}
		other := Watch{host: w.host, fact: f, sub: Subscription{State: w.sub.State}, view: w.view}
		if _, err := other.look(ctx); err == nil {
			names = append(names, f.FullName())
		}
	}
	name := w.sub.Frond + "." + w.sub.Fact
	return kiterror.Errorf(kiterror.NotFound, "no fact is called %s here%s", schema.Quoted(name), schema.Instead(name, names, w.host.suggest))
}

// unasked is the refusal of a remote's fact about no row, whose host cannot be asked about one event.
func (w *Watch) unasked(door *catalog.Door, reading *catalog.Operation) error {
	denied := access.Denied(w.sub.State, door, reading)
	denied.Message = fmt.Sprintf("%s: its host does not say which callers may have it; facts: {%[1]s: {open: true}} in fronds/%s/frond.yaml opens it for everybody", w.fact.Name, w.fact.Frond.Name)
	return denied
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
	if w.fact.Door == nil && access.HostDecides(door.Door, door.collector) {
		// The remote may close it, and cannot be asked about one event.
		return nil, w.unasked(door.Door, reading)
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

// Revealed is the part of an event that one subscriber may see. A surface shows of Event itself
// only its ID, Position, Frond, Name and At.
type Revealed struct {
	Event *Event
	// Change is the event's change, or [catalog.Withdrawn].
	Change catalog.Change
	// Key is the primary key of the row, as it leaves; nil for a fact without a row, and if the
	// subscriber may not read it.
	Key json.RawMessage
	// Row is the payload of the event: closed and hidden fields are gone, values are encoded and
	// computed fields added. It is the zero Row for [catalog.Withdrawn] and for a fact without a card.
	Row rows.Row
	// Data is the text of Row; nil for the zero Row of Withdrawn. For a fact without a card it is
	// the payload of the event, or nil.
	Data json.RawMessage
	// Version is the version of the row, if Subscription.Versions asked for it, or "".
	Version string
	// Failed are the computed fields that could not be made: they are absent from Row.
	Failed []FieldError
	// Actor is who caused the event; nil where the subscriber may not know, or the event does not say.
	Actor *Actor
}

// Reveal answers the events that exist for the subscriber, in their order, with the parts that
// it may see at this moment. Rights are judged again in every call. Own fields are judged by
// the row in the event, relations by the store as it is now. Events of other facts are left
// out.
//
// An error ends the subscription: UNAUTHORIZED or FORBIDDEN if the rights are gone,
// VALIDATION_FAILED if filter or fields name fields that may not be read any more. Others are of
// the store, and a later call may succeed.
func (w *Watch) Reveal(ctx context.Context, events []*Event) (out []Revealed, err error) {
	x, err := w.look(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil {
			out, err = nil, kiterror.Panicked(p)
		}
		if err != nil {
			err = kiterror.AsError(err).At(x.door.Name, w.fact.Name).Masked()
		}
	}()
	own := events[:0:0]
	for _, e := range events {
		if e.Name == w.fact.Name && e.Frond == w.fact.Frond.Name {
			own = append(own, current(w.fact, e))
		}
	}
	if w.fact.Data == nil {
		for _, e := range own {
			out = append(out, Revealed{Event: e, Change: e.Change, Data: e.Data})
		}
	} else if out, err = w.reveal(ctx, x, own); err != nil {
		return nil, err
	}
	if x.doorScope.Actor {
		for i := range out {
			out[i].Actor = out[i].Event.Actor
		}
	}
	return out, nil
}

// reveal is Reveal for a fact with a card.
func (w *Watch) reveal(ctx context.Context, x *execution, events []*Event) ([]Revealed, error) {
	if w.fact.Frond.Remote != "" && w.fact.Door != nil {
		return w.revealRemote(ctx, x, events)
	}
	shown, err := rowsMeeting(ctx, x, events, func(e *Event) json.RawMessage { return e.Data })
	if err != nil {
		return nil, err
	}
	withdrawn, err := rowsMeeting(ctx, x, events, func(e *Event) json.RawMessage {
		if !w.fact.Changes || shown[e] {
			return nil
		}
		return e.Before
	})
	if err != nil {
		return nil, err
	}
	res := &Result{Form: FormRows, Rows: rows.New(x.sel.stored, len(shown))}
	for _, e := range events {
		if shown[e] {
			carry(res.Rows, e.Data, nil)
		}
	}
	if res, err = x.project(ctx, res); err != nil {
		return nil, err
	}
	out := make([]Revealed, 0, len(shown)+len(withdrawn))
	n := 0
	for _, e := range events {
		r := Revealed{Event: e, Change: e.Change}
		switch {
		case shown[e]:
			r.Row, r.Failed = res.Rows.Row(n), res.Failed
			r.Data = r.Row.JSON()
			if res.Versions != nil {
				if r.Version, err = w.versionOf(x, e, res.Versions[n]); err != nil {
					return nil, err
				}
			}
			n++
		case withdrawn[e]:
			r.Change = catalog.Withdrawn
		default:
			continue
		}
		if r.Key, err = keyOf(&x.viewer, e); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// versionOf is the version of an event's row: the carried one if the event carries the whole row
// and no view of it, and "" if Go code has emitted the event with a part of the row.
func (w *Watch) versionOf(x *execution, e *Event, carried string) (string, error) {
	if carried == "" || w.fact.Data == x.door.Entity && e.Change != "" {
		return carried, nil
	}
	var names []string
	var fields []*schema.Property
	omitted := ""
	for _, p := range x.versionScope.Versioned(x.door.Entity) {
		if !x.resultScope.Readable(p) {
			omitted = appendOmitted(omitted, p)
			continue
		}
		fields = append(fields, p)
		if e.Change == "" && jsontext.Get(e.Data, p.Name) == nil && !p.MayBeAbsent() {
			return "", nil
		}
		names = append(names, p.Name)
	}
	row := rows.New(rows.NewLayout(names), 1)
	carry(row, e.Data, nil)
	return rowVersion(x.host.registry, row.Row(0), fields, omitted, false)
}

// carry writes the row of an event. A field that is younger than the event is null. A row that
// leaves at once names its card: its fields that may be absent are left out in place of null.
func carry(to *rows.Rows, data json.RawMessage, leaves *schema.Entity) {
	to.BeginRow()
	for i, name := range to.Layout().Fields {
		value := jsontext.Get(data, name)
		if value == nil {
			value = json.RawMessage("null")
		}
		if leaves != nil && isNull(value) {
			if p := leaves.Property(name); p != nil && p.MayBeAbsent() {
				continue
			}
		}
		to.Put(i, value)
	}
	to.EndRow()
}

// keyOf is the key of an event's row as it leaves.
func keyOf(x *viewer, e *Event) (json.RawMessage, error) {
	if e.Key == nil || x.door.Entity == nil || x.door.Entity.Primary == nil {
		return nil, nil
	}
	p := x.door.Entity.Primary
	if !x.readable(x.doorScope, p) {
		return nil, nil
	}
	if p.Axes.Out.Name != "" {
		return outward(x.host.registry, p, e.Key)
	}
	return e.Key, nil
}

// rowsMeeting are the events whose row meets the condition of the subscription. row gives the row; nil
// leaves the event out.
func rowsMeeting(ctx context.Context, x *execution, events []*Event, row func(*Event) json.RawMessage) (map[*Event]bool, error) {
	j := rowJudge{x: x, entity: x.door.Entity}
	var of []*Event
	var all []int
	for _, e := range events {
		if text := row(e); text != nil {
			j.rows = append(j.rows, knownRow{text: text, key: e.Key, gone: e.Change == catalog.Deleted})
			of, all = append(of, e), append(all, len(all))
		}
	}
	holds, err := j.holds(ctx, x.condition, all, false)
	if err != nil {
		return nil, err
	}
	met := make(map[*Event]bool, len(holds))
	for _, i := range holds {
		met[of[i]] = true
	}
	return met, nil
}

// Events of a Frond that runs elsewhere. Its rows are scoped there, by collectors that this host
// does not know. So the rows are read there, with the subscriber's state, and the answer is
// shown: the row as it is now. A deleted row cannot be read any more, nor one as it was before
// an update; they are judged here if this host has rules for them.

// revealRemote is reveal for a fact about the rows of a remote door.
func (w *Watch) revealRemote(ctx context.Context, x *execution, events []*Event) ([]Revealed, error) {
	primary := x.door.Entity.Primary
	var keys []json.RawMessage
	known := map[string]bool{}
	for _, e := range events {
		if key, why := primary.KeyText(e.Key); why == "" && e.Change != catalog.Deleted && !known[string(key)] {
			known[string(key)] = true
			keys = append(keys, key)
		}
	}
	there := map[string]shownRow{}
	for chunk := range slices.Chunk(keys, max(1, min(100, x.door.Limits.Max))) {
		if err := w.readThere(ctx, x, chunk, there); err != nil {
			return nil, err
		}
	}
	gone, err := w.judgedHere(ctx, x, events, there)
	if err != nil {
		return nil, err
	}
	var out []Revealed
	for _, e := range events {
		r := Revealed{Event: e, Change: e.Change, Key: e.Key}
		key, _ := primary.KeyText(e.Key)
		row, seen := there[string(key)]
		switch {
		case gone[e] && e.Change != catalog.Deleted:
			r.Change = catalog.Withdrawn
		case gone[e]:
			one := rows.New(x.sel.out, 1)
			carry(one, e.Data, w.fact.Data)
			r.Row = one.Outside().Row(0)
		case seen && e.Change != catalog.Deleted:
			r.Row, r.Version, r.Failed = row.row, row.version, row.failed
		default:
			continue
		}
		if r.Change != catalog.Withdrawn {
			r.Data = r.Row.JSON()
		}
		if !x.readable(x.doorScope, primary) {
			r.Key = nil
		}
		out = append(out, r)
	}
	return out, nil
}

// judgedHere are the events whose row cannot be read there (any more) and that the collector of
// this host shows all the same: deleted rows, and rows as they were before an update that took
// them out of sight. It is empty without rules on this host.
func (w *Watch) judgedHere(ctx context.Context, x *execution, events []*Event, there map[string]shownRow) (map[*Event]bool, error) {
	if access.HostDecides(x.door.Door, x.door.collector) {
		return nil, nil
	}
	return rowsMeeting(ctx, x, events, func(e *Event) json.RawMessage {
		key, _ := x.door.Entity.Primary.KeyText(e.Key)
		switch _, seen := there[string(key)]; {
		case e.Change == catalog.Deleted:
			return e.Data
		case w.fact.Changes && e.Change == catalog.Updated && !seen:
			return e.Before
		}
		return nil
	})
}

// shownRow is a row as its own host answers it.
type shownRow struct {
	row     rows.Row
	version string
	failed  []FieldError
}

// readThere reads the rows with these keys that the subscriber may see and that meet its filter.
func (w *Watch) readThere(ctx context.Context, x *execution, keys []json.RawMessage, into map[string]shownRow) error {
	primary := x.door.Entity.Primary
	if !x.readable(x.doorScope, primary) {
		return nil // which row is which is not known
	}
	call := &Call{
		Entity: x.door.Name, Operation: "list", Version: w.sub.Versions, Partial: true, NoCursors: true,
		Invocation: Invocation{State: w.sub.State},
	}
	if op := x.door.Operation("list"); op != nil && op.Takes("filter") {
		call.Invocation.Query = w.queryThere(primary, keys)
	} else { // Watch has refused a filter
		call.Operation, call.Each = "findById", &Each{Field: primary.Name, Keys: keys}
	}
	if w.sub.Select != nil {
		call.Select = append(slices.Clone(w.sub.Select), primary.Name)
	}
	res, err := w.host.Call(ctx, call)
	if err != nil {
		return err
	}
	shown := res.Rows
	if fields := x.sel.out.Fields; w.fact.Data != x.door.Entity || w.sub.Select != nil {
		shown = rows.New(rows.NewLayout(fields), res.Rows.Len())
		for i := range res.Rows.Len() {
			shown.CopyRow(res.Rows.Row(i))
		}
		shown.MarkOutside()
	}
	for i := range res.Rows.Len() {
		key, _ := primary.KeyText(res.Rows.Row(i).Get(primary.Name))
		row := shownRow{row: shown.Row(i), failed: res.Failed}
		if res.Versions != nil {
			row.version = res.Versions[i]
		}
		into[string(key)] = row
	}
	return nil
}

// queryThere is the query of a list that answers the rows with these keys that meet the filter.
func (w *Watch) queryThere(primary *schema.Property, keys []json.RawMessage) json.RawMessage {
	in := schema.Object{{Name: "in", Value: jsontext.AppendTexts(nil, keys)}}.AppendJSON(nil)
	filter := schema.Object{{Name: primary.Name, Value: in}}.AppendJSON(nil)
	if w.sub.Filter != nil {
		filter = append(append(append(append([]byte(`{"and":[`), w.sub.Filter...), ','), filter...), "]}"...)
	}
	return schema.Object{
		{Name: "filter", Value: filter},
		{Name: "limit", Value: strconv.AppendInt(nil, int64(len(keys)), 10)},
		{Name: "total", Value: json.RawMessage("false")},
	}.AppendJSON(nil)
}
