package facade

import (
	"context"
	"encoding/json"
	"errors"
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

// write makes one write of the store of this host. Each write takes the same steps, in this order:
//
//	terms       relations of the body, the version, a patch of nested objects    termsOf
//	visible     the access rules, for the row as it will be                      checkVisible
//	announce    the row before the change, and the events                        announcement
//	do          the store decides the terms in the transaction that writes
//	hold        the files that the row names are its own                     holdFiles
//
// did says whether a row was written. A conflict leaves as the caller may know it.
func write(ctx context.Context, x *execution, change catalog.Change, do func(terms *Terms) (found *rows.Rows, did bool, err error)) (found *rows.Rows, did bool, err error) {
	terms := termsOf(x)
	if change != catalog.Deleted {
		if err := checkVisible(ctx, x, terms, change); err != nil {
			return nil, false, err
		}
	}
	if x.late.waits() {
		if err := judgeBeforeWrite(ctx, x, terms, change); err != nil {
			return nil, false, err
		}
	}
	announce, err := announcement(ctx, x, change, terms)
	if err != nil {
		return nil, false, err
	}
	if found, did, err = do(terms.orNone()); x.late != nil && takenKeyOf(err) != nil {
		found, err = writeLate(ctx, x, terms, change == catalog.Updated, err, do)
		did = err == nil && found.Len() > 0
	}
	if err != nil {
		err = rulesFirst(ctx, x, terms, []Record{x.body}, err)
		if change != catalog.Deleted {
			err = referencesFirst(ctx, x, err)
		}
		return nil, false, maskedConflict(ctx, &x.viewer, err)
	}
	if did && change != catalog.Deleted && len(x.door.Files) > 0 {
		key := x.id
		if change == catalog.Created {
			key = keyOfWritten(x, x.body, found, 0)
		}
		if err = holdFiles(ctx, x, x.body, key); err != nil {
			return nil, false, err
		}
	}
	if did && announce != nil {
		err = announce(found)
	}
	return found, did, err
}

// writeLate writes a row whose key another row has. broken is the CONFLICT.
func writeLate(ctx context.Context, x *execution, terms *Terms, update bool, broken error, do func(terms *Terms) (*rows.Rows, bool, error)) (*rows.Rows, error) {
	body := x.body
	defer func() { x.body = body }()
	return x.late.write(ctx, &heldRows{x: x, terms: terms, records: []Record{body}, update: update}, broken,
		func(err error) ([]rowConflict, error) { return []rowConflict{{0, err}}, nil },
		func(records []Record, terms *Terms) (*rows.Rows, error) {
			if !update { // else the terms have the record
				x.body = records[0]
			}
			found, _, err := do(terms)
			return found, err
		},
		func(c rowConflict) error { return x.name(maskedConflict(ctx, &x.viewer, c.err)) })
}

// errHidden is the error of a write after which the writer could not see the row
// (docs/decisions/writes-and-versions.md).
func errHidden(change catalog.Change) *kiterror.Error {
	if change == catalog.Created {
		return kiterror.Errorf(kiterror.Forbidden, "you may not create a row that your access rules would hide from you")
	}
	return kiterror.Errorf(kiterror.Forbidden, "you may not make a change that hides the row from you")
}

// runCreate writes a new row.
func runCreate(ctx context.Context, x *execution) (*Result, error) {
	found, _, err := write(ctx, x, catalog.Created, func(terms *Terms) (*rows.Rows, bool, error) {
		found, err := x.store().Insert(ctx, x.door.Entity, []Record{x.body}, terms, x.sel.stored)
		return found, found.Len() > 0, err
	})
	if err != nil {
		return nil, err
	}
	return &Result{Form: FormRow, Rows: found}, nil
}

// runUpdate changes a row. No row is NOT_FOUND, whether it does not exist or the caller cannot
// see it.
func runUpdate(ctx context.Context, x *execution) (*Result, error) {
	found, did, err := write(ctx, x, catalog.Updated, func(terms *Terms) (*rows.Rows, bool, error) {
		found, err := x.store().Update(ctx, x.door.Entity, x.id, targetOf(x), x.body, terms, x.sel.stored)
		return found, found.Len() > 0, err
	})
	switch {
	case err != nil:
		return nil, err
	case !did:
		return nil, absentRow(ctx, x)
	case x.pending.forRow(x):
		x.pending.used.Store(true)
	}
	return &Result{Form: FormRow, Rows: found}, nil
}

// runDelete removes a row and answers whether it was there.
func runDelete(ctx context.Context, x *execution) (*Result, error) {
	_, did, err := write(ctx, x, catalog.Deleted, func(terms *Terms) (*rows.Rows, bool, error) {
		did, err := x.store().Delete(ctx, x.door.Entity, x.id, targetOf(x), terms)
		return nil, did, err
	})
	if err == nil && !did && x.condition != nil {
		if err = absentRow(ctx, x); kiterror.CodeOf(err) == kiterror.NotFound {
			err = nil
		}
	}
	if err != nil {
		return nil, err
	}
	return &Result{Form: FormValue, Value: strconv.AppendBool(nil, did)}, nil
}

// orNone is nil for terms without a condition.
func (w *Terms) orNone() *Terms {
	if w.Judge == nil && w.After == nil && w.Points == nil && w.Events == nil {
		return nil
	}
	return w
}

// checkRelations holds the relations of a body to the rows that exist for the caller: one that
// leads to a row a collector hides is refused like one that leads nowhere. Presets,
// defaults, values of the author's own code, and the targets that the row has already are not
// checked. An entity without a door has no collector: the keeper of its rows checks them
// (docs/decisions/card-language.md).
//
// Rows of the store that writes are checked in its transaction. Rows elsewhere are asked about
// before, and may be gone a moment later.
//
// The ids of a list are no keys of the store: for every writer, each has to be a row's,
// as the store sees to for a single one.
func checkRelations(ctx context.Context, x *execution) error {
	sent := x.call.Invocation.Body
	for _, m := range x.body {
		p := x.door.Entity.Property(m.Name)
		if p.Link == nil || jsontext.IsNull(m.Value) {
			continue
		}
		target := p.Link.Target
		list := p.Link.Many && x.door.keeper.follows() && x.host.catalog.RemoteOf(target) == x.door.Frond.Remote
		if x.inside || jsontext.Get(sent, p.Name) == nil {
			if list {
				x.points = append(x.points, Points{Field: p})
			}
			continue
		}
		scope, ok := access.Open, true
		door := x.host.catalog.Door(target.Key)
		if door != nil {
			scope, ok = x.scopeOfRows(ctx, target)
		}
		if x.verdict != nil {
			return x.verdict // the collector failed
		}
		there := x.host.catalog.RemoteOf(target)
		beside := there == x.door.Frond.Remote // who keeps the row keeps these too, and knows whether they are there
		switch {
		case beside && ok && scope.Rows == nil && !list, there != "" && door == nil, there == catalog.Elsewhere:
			continue
		case beside && x.door.keeper.follows():
			where := filter.Nothing()
			if ok {
				where = scope.Rows
			}
			// A caller that cannot read the field could guess at its value.
			x.points = append(x.points, Points{Field: p, Where: where, All: !x.readable(x.doorScope, p)})
			continue
		}
		if err := checkElsewhere(ctx, x, p, m.Value, scope, ok); err != nil {
			return beforeElsewhere(ctx, x, p, err)
		}
	}
	return nil
}

// beforeElsewhere returns the error that a store with all rows has before the error of a relation p that leads
// nowhere elsewhere: there is no row to update, or a relation before p leads nowhere.
func beforeElsewhere(ctx context.Context, x *execution, p *schema.Property, dangling error) error {
	var v *kiterror.Violation
	if !errors.As(dangling, &v) {
		return dangling
	}
	if x.id != nil {
		found, err := x.door.keeper.visibleRow(ctx, x, []string{x.door.Entity.Primary.Name})
		if err != nil || found.Len() == 0 {
			return err // the update answers that there is no row
		}
	}
	first, err := firstDangling(ctx, x, x.body)
	if err != nil {
		return err
	}
	if first != nil {
		return first
	}
	return dangling
}

// firstDangling returns the CONFLICT of the first relation of a record, in the order of the card, that leads to no
// row which exists for the caller, or nil.
func firstDangling(ctx context.Context, x *execution, record Record) (dangling *kiterror.Error, err error) {
	for _, p := range x.door.Entity.Fields {
		value := record.Get(p.Name)
		if p.Link == nil || value == nil || jsontext.IsNull(value) || x.inside || x.host.catalog.Door(p.Link.Target.Key) == nil || x.host.catalog.RemoteOf(p.Link.Target) == catalog.Elsewhere {
			continue
		}
		scope, ok := x.scopeOfRows(ctx, p.Link.Target)
		err := checkElsewhere(ctx, x, p, value, scope, ok)
		var v *kiterror.Violation
		if errors.As(err, &v) {
			return kiterror.AsError(err), nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// referencesFirst returns the error of a write. If access rules or a unique key refused it, and a relation leads nowhere, it is the
// error of the relation: that is the order wherever rows and those behind their relations are kept.
func referencesFirst(ctx context.Context, x *execution, err error) error {
	var v *kiterror.Violation
	if errors.As(err, &v) && v.Kind == kiterror.Restrict || v == nil && kiterror.CodeOf(err) != kiterror.Forbidden {
		return err
	}
	first, failed := firstDangling(ctx, x, x.body)
	switch {
	case failed != nil:
		return failed
	case first != nil:
		return first
	}
	return err
}

// checkElsewhere checks the rows that a relation leads to where the row and they are
// kept in different places, or both at a remote.
func checkElsewhere(ctx context.Context, x *execution, p *schema.Property, value json.RawMessage, scope *access.Scope, ok bool) error {
	e := p.Link.Target
	ids := idsOf(p, value)
	if e == x.door.Entity && x.id == nil {
		// A new row may point at itself; whether it may be at all is asked next.
		own, _ := e.Primary.KeyText(x.body.Get(e.Primary.Name))
		ids = slices.DeleteFunc(ids, func(id json.RawMessage) bool { return string(id) == string(own) })
	}
	missing := ids
	if ok {
		var err error
		if missing, err = invisible(ctx, x, e, scope, ids); err != nil {
			return err
		}
	}
	if len(missing) == 0 {
		return nil
	}
	had, err := relatedBefore(ctx, x, p)
	if err == nil && (had == nil || !subset(missing, had)) {
		err = kiterror.Dangling(p)
	}
	return err
}

// relatedBefore are the ids that the row to update holds already; nil if the row is new or does
// not exist for the caller.
func relatedBefore(ctx context.Context, x *execution, p *schema.Property) ([]json.RawMessage, error) {
	if x.id == nil || !x.readable(x.doorScope, p) { // a caller who cannot read the field could guess at it
		return nil, nil
	}
	rows, err := x.door.keeper.visibleRow(ctx, x, []string{p.Name})
	if err != nil || rows.Len() == 0 || jsontext.IsNull(rows.Row(0).Get(p.Name)) {
		return nil, err
	}
	return idsOf(p, rows.Row(0).Get(p.Name)), nil
}

// subset reports whether all holds each of some.
func subset(some, all []json.RawMessage) bool {
	for _, id := range some {
		if !slices.ContainsFunc(all, func(other json.RawMessage) bool { return string(other) == string(id) }) {
			return false
		}
	}
	return true
}

// checkVisible holds a write to the caller's access rules for the row afterwards (docs/decisions/writes-and-versions.md).
// Rules about the body alone are decided here, the rest by the store in the
// transaction that writes. An update of fields that the rules do not read, in the row or in rows
// behind its relations, is not judged.
func checkVisible(ctx context.Context, x *execution, terms *Terms, change catalog.Change) error {
	if x.doorScope.Rows == nil {
		return nil
	}
	a := writtenRow{x: x, ctx: ctx, record: x.body, new: x.id == nil}
	remaining, err := x.doorScope.Rows.Reduce(&a)
	switch {
	case err != nil:
		return err
	case remaining.Never() && a.new && len(x.points) == 0: // else the store says first whether its relations lead anywhere
		return errHidden(change)
	case remaining.Always(), !a.new && !x.doorScope.Rows.Reads(a.writes):
	default:
		terms.After, terms.Unmet = x.doorScope.Rows, errHidden(change)
	}
	return nil
}

// writtenRow is one row as it will be once it is written: the written record, and
// whether it is new.
type writtenRow struct {
	x      *execution
	ctx    context.Context
	record Record
	new    bool
}

// Value implements [filter.Known]: an unwritten field keeps its value.
func (a *writtenRow) Value(p *schema.Property) (json.RawMessage, bool) {
	value := a.record.Get(p.Name)
	return value, value != nil || a.new
}

// writes reports whether a field of the row is written.
func (a *writtenRow) writes(p *schema.Property) bool {
	return p.Owner == a.x.door.Entity && a.record.Get(p.Name) != nil
}

// Related implements [filter.Known]: the store looks at the other side of a relation once
// the row is written.
func (a *writtenRow) Related(f *filter.Filter) (*filter.Filter, error) { return f, nil }

// maskedConflict is a CONFLICT of the store as this caller may know it: it names no fields that
// are hidden from them, and no relations of rows that may be.
func maskedConflict(ctx context.Context, x *viewer, err error) error {
	var v *kiterror.Violation
	if x.inside || !errors.As(err, &v) {
		return err
	}
	if v.Kind == kiterror.Restrict {
		by := v.Fields[0]
		scope, ok := x.scopeBehind(ctx, by.Owner)
		if ok && scope.Rows == nil && x.readable(scope, by) {
			return err
		}
		return veiledConflict(err)
	}
	var seen []*schema.Property
	for _, p := range v.Fields {
		if x.readable(x.doorScope, p) || jsontext.Get(x.call.Invocation.Body, p.Name) != nil { // who sent it knows it
			seen = append(seen, p)
		}
	}
	switch {
	case len(seen) == len(v.Fields):
		return err
	case len(seen) > 0: // of the constraint's members the caller knows these
		return kiterror.Taken(seen...)
	case v.Kind == kiterror.Unique:
		return kiterror.Errorf(kiterror.Conflict, "a value that is not yours to send is already taken").WithCause(err)
	}
	return kiterror.Errorf(kiterror.Conflict, "a field that you may not send names a missing row").WithCause(err)
}

// veiledConflict is the CONFLICT of a row that others point at, without a name for them.
func veiledConflict(err error) *kiterror.Error {
	const message = "is still pointed at by other rows; remove or change them first"
	veiled := kiterror.Errorf(kiterror.Conflict, "the row %s", message).WithCause(err)
	veiled.Details = []schema.Detail{{Path: "id", Pointer: "/params/id", Code: kiterror.Restrict, Message: message}}
	return veiled
}

// storeKeeper is the keeper of rows in the store of this host, and the boundary that their
// values cross here.
type storeKeeper struct{}

// missing implements [keeper], in one statement for all ids.
func (storeKeeper) missing(ctx context.Context, x *execution, e *schema.Entity, where *filter.Filter, ids []json.RawMessage) (missing []json.RawMessage, err error) {
	found, err := x.store().Find(ctx, &Find{
		Entity: e, Select: rows.NewLayout([]string{e.Primary.Name}), Where: where, Limit: 1,
		Each: &EachKey{Field: e.Primary, Values: ids},
	})
	if err != nil {
		return nil, err
	}
	for i, g := range found.Groups {
		if g.From == g.To {
			missing = append(missing, ids[i])
		}
	}
	return missing, nil
}

// visibleRow implements [keeper]: an update without a set reads the row.
func (storeKeeper) visibleRow(ctx context.Context, x *execution, fields []string) (*rows.Rows, error) {
	return x.store().Update(ctx, x.door.Entity, x.id, x.doorScope.Rows, nil, nil, rows.NewLayout(fields))
}

// merge implements [keeper]. The patch is merged again in the transaction that writes, so
// this read needs no lock.
func (k storeKeeper) merge(ctx context.Context, x *execution) error {
	stands, err := k.visibleRow(ctx, x, x.merging.fields)
	if err == nil && stands.Len() > 0 { // that there is no such row is reported when it is updated
		x.merging.merged = x.merging.over(x.door.Entity, stands.Row(0).Get)
	}
	return err
}

// complete implements [keeper]: conversions and the lifecycle, the hooks before a command,
// relations.
func (storeKeeper) complete(ctx context.Context, x *execution) error {
	if err := fill(ctx, x); err != nil {
		return err
	}
	if x.op.builtin != nil && x.op.builtin.fill != fillNothing && len(x.door.Files) > 0 {
		if err := admitFiles(ctx, x); err != nil {
			return err
		}
	}
	if x.op.hooks != nil {
		if err := runBefore(ctx, x); err != nil {
			return err
		}
	}
	if x.op.builtin == nil || x.op.builtin.fill == fillNothing {
		return nil
	}
	return checkRelations(ctx, x)
}

// holds implements [keeper]: the store judges every precondition in its transaction.
func (storeKeeper) holds(*execution) error { return nil }

// decode implements [keeper].
func (storeKeeper) decode(x *viewer, p *schema.Property, text json.RawMessage) (json.RawMessage, bool) {
	name := p.Axes.In.Name
	convert := x.host.registry.Conversions[name].Decode
	if convert == nil {
		x.fail(fmt.Errorf("unknown generator: no conversion called %q decodes %s.%s", name, p.Owner.Name, p.Name))
		return text, true
	}
	decoded, err := convert(text)
	return decoded, err == nil
}

// gives implements [keeper]: the judge knows the fields that the lifecycle fills in.
func (storeKeeper) gives(*viewer, schema.Mode, string, string) bool { return false }

// version implements [keeper].
func (storeKeeper) version(x *execution, row rows.Row) (string, error) {
	if x.sel.version == nil {
		return "", nil
	}
	return rowVersion(x.host.registry, row, x.sel.version, x.sel.omitted, x.sel.encoded)
}

// follows implements [keeper].
func (storeKeeper) follows() bool { return true }

// objectOf is an object with its members.
func objectOf(text json.RawMessage) (o schema.Object) {
	for name, value := range jsontext.Members(text) {
		o = append(o, schema.Member{Name: name, Value: value})
	}
	return o
}
