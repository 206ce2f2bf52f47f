package facade

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// The writes of this file find their rows: updateMany and deleteMany by a filter, upsert by a
// unique key.

// admitMany judges updateMany and deleteMany: the condition, the largest number of rows, and the
// patch. A patch of nested objects is judged by each row, which it is laid over.
func admitMany(ctx context.Context, x *execution) error {
	in := &x.call.Invocation
	x.many = &manyRows{max: catalog.UsualMany}
	onlyKeys(&x.viewer, sentParams(&x.viewer, in), "/params", nil)
	admitRowQuery(x)
	admitMax(x, jsontext.Get(in.Query, "max"))
	if err := admitWhere(ctx, x); err != nil {
		return err
	}
	const write = `write a condition, such as {"status": {"eq": "draft"}}`
	switch {
	case jsontext.Get(in.Query, "where") == nil:
		x.refuseQuery("where", "required", "is required: it says which rows are written; "+write)
	case !x.full() && len(x.details) == 0 && everyRow(x.condition):
		x.refuseQuery("where", "minProperties", "is empty, and would be every row; "+write)
	}
	if x.versionScope != nil && !x.op.Patch {
		x.resultScope = x.versionScope // deleted rows leave as findById shows them
	}
	if !x.op.Patch {
		onlyKeys(&x.viewer, in.Body, "/body", nil)
		return nil
	}
	if jsontext.KindOf(in.Body) != jsontext.Object {
		refuseBody(x, "type", "must be an object of the fields to change")
		return nil
	}
	nested := &mergePatch{whole: x.call.Merge}
	for name, value := range jsontext.Members(in.Body) {
		if p := x.door.Entity.Property(name); p != nil && p.Stored && !x.doorScope.Hides(name) && nested.reaches(p) && jsontext.KindOf(value) == jsontext.Object {
			return nil
		}
	}
	one := x.oneRow(x.needed(0), in.Body)
	one.nestable = x.nestable
	renameBody(&one.viewer, x.door.Entity)
	judgeBody(&one.viewer, x.door.Entity, schema.Update, cutNested(one, schema.Update, one.call.Invocation.Body, "/body", 0))
	return x.gather(one.refusal())
}

// admitMax reads query.max.
func admitMax(x *execution, sent json.RawMessage) {
	if jsontext.IsNull(sent) || sent == nil {
		return
	}
	n, ok := schema.Integer(sent)
	if !ok || n < 1 || n > catalog.MaxMany {
		x.refuseQuery("max", "maximum", fmt.Sprintf("must be a whole number from 1 to %d; without it a call writes at most %d rows", catalog.MaxMany, catalog.UsualMany))
		return
	}
	x.many.max = int(n)
}

// everyRow reports whether a condition holds for all rows because it is empty.
func everyRow(f *filter.Filter) bool {
	rest, err := f.Reduce(&writtenRow{})
	return err == nil && rest.Always()
}

// rowsOfMany are the rows that a write of many is about, with the fields of the answer; more than
// max are UNPROCESSABLE_ENTITY.
func rowsOfMany(ctx context.Context, x *execution) (*rows.Rows, error) {
	e := x.door.Entity
	layout := x.sel.stored
	if layout.Index(e.Primary.Name) < 0 {
		layout = rows.NewLayout(append([]string{e.Primary.Name}, layout.Fields...))
	}
	q := Find{Entity: e, Select: layout, Where: targetOf(x), Sort: newOrder(e, nil).keys, Limit: x.many.max, NoKeys: true}
	found, err := x.store().Find(ctx, &q)
	if err != nil || !found.More {
		if err != nil {
			return nil, err
		}
		return found.Rows, nil
	}
	q.Limit, q.Count = 0, true
	all, err := x.store().Find(ctx, &q)
	if err != nil {
		return nil, err
	}
	return nil, tooMany(all.Total, x.many.max)
}

// tooMany is the failure of a write that would be of more rows than it may.
func tooMany(n int64, most int) error {
	remedy := "narrow the condition, or send max: " + strconv.FormatInt(n, 10)
	if n > catalog.MaxMany {
		remedy = fmt.Sprintf("narrow the condition: a call writes at most %d", catalog.MaxMany)
	}
	err := kiterror.Errorf(kiterror.UnprocessableEntity, "%d rows meet the condition, and the call writes at most %d; %s", n, most, remedy)
	err.Details = map[string]any{"count": float64(n), "max": float64(most)}
	return err
}

// asksRows reports whether the caller names fields of the rows to answer.
func (x *execution) asksRows() bool { return x.call.Select != nil || x.list.fields != nil }

// runUpdateMany updates the rows, together or one by one, in the transaction that found them.
func runUpdateMany(ctx context.Context, x *execution) (*Result, error) {
	return runMany(ctx, x, func(id json.RawMessage) (*Result, error) {
		fields := []string{}
		if x.asksRows() {
			fields = x.calledFields()
		}
		return x.callOne(ctx, x.needed(0), Invocation{ID: id, Body: x.call.Invocation.Body}, fields)
	})
}

// runDeleteMany deletes the rows, together or one by one, in the transaction that found them. A row that has gone
// with another one counts too.
func runDeleteMany(ctx context.Context, x *execution) (*Result, error) {
	return runMany(ctx, x, func(id json.RawMessage) (*Result, error) {
		_, err := x.callOne(ctx, x.needed(0), Invocation{ID: id}, nil)
		return nil, err
	})
}

// runMany finds the rows and writes each.
func runMany(ctx context.Context, x *execution, write func(id json.RawMessage) (*Result, error)) (*Result, error) {
	if err := transactional(x); err != nil {
		return nil, err
	}
	found, err := rowsOfMany(ctx, x)
	if err != nil {
		return nil, err
	}
	made, ids := make([]*Result, 0, found.Len()), make([]json.RawMessage, found.Len())
	for i := range ids {
		ids[i] = found.Row(i).Get(x.door.Entity.Primary.Name)
	}
	all := &rowBatch{x: x, op: x.needed(0), ids: ids}
	if x.op.Patch {
		all.patch = func(int, rows.Row) json.RawMessage { return x.call.Invocation.Body }
	}
	if !x.op.Patch || !x.asksRows() {
		if done, err := all.write(ctx); err != nil {
			return nil, err
		} else if done {
			ids = nil
		}
	}
	err = x.judgedLate(ctx, func(late *LateKeys) error {
		for i, id := range ids {
			late.Next(i)
			res, err := write(id)
			if err != nil {
				return ofRow(err, id)
			}
			made = append(made, res)
		}
		return nil
	}, func(call int, err error) error { return ofRow(err, ids[call]) })
	if err != nil {
		return nil, err
	}
	out := &Result{Form: FormCount, Rows: rows.New(x.sel.stored, 0)}
	switch {
	case !x.asksRows():
	case x.op.Patch:
		if out, err = adoptAll(x, made); err != nil {
			return nil, err
		}
		out.Form = FormCounted
	default:
		out.Form, out.Rows = FormCounted, rows.New(x.sel.stored, found.Len())
		for i := range found.Len() {
			out.Rows.CopyRow(found.Row(i))
		}
	}
	out.Total = int64(found.Len())
	return out, nil
}

// ofRow is an error of one of the rows, which its message names. Faults of the patch keep their
// pointers into the body; faults of the row point at the condition that it meets.
func ofRow(err error, id json.RawMessage) error {
	own := *kiterror.AsError(err)
	if own.Code == kiterror.InternalError {
		return err
	}
	own.Message = "the row " + string(id) + ": " + own.Message
	if details, ok := own.Details.([]schema.Detail); ok {
		details = slices.Clone(details)
		for i := range details {
			if details[i].Pointer == "/params/id" {
				details[i].Path, details[i].Pointer = "where", "/query/where"
			}
		}
		own.Details = details
	}
	return own.WithCause(err)
}

// admitUpsert judges the key and the row. The row is judged as create judges it, so that the same
// body is refused whether the row is there or not.
func admitUpsert(ctx context.Context, x *execution) error {
	in := &x.call.Invocation
	onlyKeys(&x.viewer, sentParams(&x.viewer, in), "/params", nil)
	admitRowQuery(x)
	x.many = &manyRows{}
	admitBy(x, jsontext.Get(in.Query, "by"))
	one := x.oneRow(x.needed(0), in.Body)
	one.nestable = x.nestable
	err := admitCreate(ctx, one)
	if err == nil {
		err = one.refusal()
	}
	if err = x.gather(err); err != nil || len(x.details) > 0 || x.verdict != nil {
		return err
	}
	var key Record
	key, x.many.fixed = upsertKey(x, &x.refusals, one.body)
	if len(key) == len(x.many.by) {
		x.many.key = keyFilter(x.many.by, key)
	}
	x.many.body = one.call.Invocation.Body
	return nil
}

// upsertKey returns the members of a judged row that are its key, and those that update does not take, as
// they are kept. A member of the key without a value is refused.
func upsertKey(x *execution, r *refusals, body schema.Object) (key Record, fixed schema.Object) {
	key, fixed = make(Record, 0, len(x.many.by)), make(schema.Object, 0, len(x.many.by)+1) // with the primary key
	for _, p := range x.door.Entity.Fields {
		value := body.Get(p.Name)
		if value != nil {
			value = inward(&x.viewer, p, value)
		}
		if slices.Contains(x.many.by, p) {
			if value == nil {
				value = x.doorScope.Set.Get(p.Name)
			}
			if value == nil || isNull(value) {
				r.refuse(schema.Detail{Path: p.Name, Pointer: "/body/" + jsontext.Token(p.Name), Code: "required", Message: "is required: the row is known by it"})
				continue
			}
			key = append(key, schema.Member{Name: p.Name, Value: value})
		}
		if value != nil && (p.Axes.Update == schema.UpdateForbidden || p.Axes.Primary || slices.Contains(x.many.by, p)) {
			fixed = append(fixed, schema.Member{Name: p.Name, Value: value})
		}
	}
	return key, fixed
}

// admitBy reads query.by: the names of a unique key of the card, in any order.
func admitBy(x *execution, sent json.RawMessage) {
	// A key of fields that the caller may not read does not count.
	keys := slices.DeleteFunc(catalog.UniqueKeys(x.door.Entity), func(key []*schema.Property) bool {
		return slices.ContainsFunc(key, func(p *schema.Property) bool { return !x.inside && !x.doorScope.Readable(p) })
	})
	if x.many.by = catalog.KeyNamed(keys, sent); x.many.by != nil {
		return
	}
	code, is := "enum", "is no unique key of "+x.door.Entity.Name
	if sent == nil {
		code, is = "required", "is required: it names the unique key that the row is known by"
	}
	if x.Suggests() {
		var each []string
		for _, key := range keys {
			each = append(each, strings.Join(catalog.NamesOf(key), ","))
		}
		is += "; write " + strings.Join(each, ", or ")
	} else {
		is += "; write the fields of a unique key"
	}
	x.refuseQuery("by", code, is)
}

// runUpsert updates the row that has the key, or creates it, in one transaction. A row that the caller
// may not see is a CONFLICT, as it is for create.
func runUpsert(ctx context.Context, x *execution) (*Result, error) {
	if err := transactional(x); err != nil {
		return nil, err
	}
	if err := judgeBeforeKey(ctx, x, x.many.by); err != nil {
		return nil, err
	}
	id, err := storedRow(ctx, x, x.many.key)
	if err != nil {
		return nil, err
	}
	var res *Result
	if id == nil {
		res, err = x.callOne(ctx, x.needed(0), Invocation{Body: x.call.Invocation.Body}, x.calledFields())
		if takes(err, x.many.by) {
			err = &raced{kiterror.AsError(err)}
		}
	} else {
		res, err = updateKnown(ctx, x, id)
	}
	if err != nil {
		return nil, err
	}
	if res, err = adopt(x, res); err != nil {
		return nil, err
	}
	res.Form, res.Created = FormUpsert, id == nil
	return res, nil
}

// updateKnown updates the row of an upsert. Members that update does not take are left out if they
// equal the row's, so that the same upsert can be sent again. A row that the caller may not update
// has taken the key, before they are compared: the answer is create's.
func updateKnown(ctx context.Context, x *execution, id json.RawMessage) (*Result, error) {
	if err := judgeBeforeRow(ctx, x, id); err != nil {
		return nil, err
	}
	scope, err := x.scopeOf(ctx, x.door, x.needed(1).Operation)
	if err != nil {
		return nil, err
	}
	found, err := x.store().Find(ctx, &Find{Entity: x.door.Entity, Select: rows.NewLayout(x.many.fixed.Names()), Where: scope.Rows, Key: id})
	switch {
	case err != nil:
		return nil, err
	case found.Rows.Len() == 0:
		return nil, takenKey(ctx, x)
	}
	row := found.Rows.Row(0)
	res, err := x.callOne(ctx, x.needed(1), Invocation{ID: id, Body: withoutFixed(x.many.body, x.many.fixed, row)}, x.calledFields())
	if kiterror.CodeOf(err) == kiterror.NotFound {
		err = kiterror.Taken(x.many.by...)
	}
	return res, err
}

// takenKey is the error of an upsert whose key belongs to a row which the caller may not update: create judges
// references and access rules before it finds the key taken.
func takenKey(ctx context.Context, x *execution) error {
	if t := x.transaction; t != nil && t.late != nil {
		late := t.late
		t.late = nil // the row keeps the key that it is known by
		defer func() { t.late = late }()
	}
	_, err := x.callOne(ctx, x.needed(0), Invocation{Body: x.many.body}, []string{})
	var v *kiterror.Violation
	switch {
	case err == nil: // the row has gone in between
		return &raced{kiterror.Taken(x.many.by...)}
	case errors.As(err, &v) && v.Kind == kiterror.Unique:
		return kiterror.Taken(x.many.by...)
	}
	return err
}

// takes reports whether an error is the CONFLICT of this unique key.
func takes(err error, key []*schema.Property) bool {
	var v *kiterror.Violation
	return errors.As(err, &v) && v.Kind == kiterror.Unique && slices.Equal(v.Fields, key)
}

// Stored rows are updated or deleted together if neither a handler nor a hook of the author's takes
// part ([execution.atOnce]):
//
//	find     the rows that the caller may write, as they are    one statement
//	judge    each row, as update judges it
//	write    all of them, with their events                     [Abilities.WriteAll]
//
// If one of them is at fault, the write is undone, and the rows are written one by one, which reports
// the row at fault.

// rowBatch is a write of stored rows.
type rowBatch struct {
	x    *execution // of the write of many rows
	op   *boundOperation
	ids  []json.RawMessage
	read []string // fields of the rows that patch reads
	// patch is the body of update for a row; nil: the rows are deleted.
	patch func(i int, row rows.Row) json.RawMessage

	terms Terms
	was   []rows.Row        // of the rows that are written
	keys  []json.RawMessage // of them
	sets  []Record
}

// write writes the rows. done is false if it wrote no row, and the caller has to write them one by one.
func (w *rowBatch) write(ctx context.Context) (done bool, err error) {
	x, all := w.x, w.x.store().Abilities().WriteAll
	if all == nil || len(w.ids) < 2 || !x.atOnce(w.op) || x.nestable != nil || w.patch == nil && x.host.followed(x.door.Entity) || w.patch == nil && w.op.Emits && x.host.catalog.Cascades[x.door.Entity] != nil {
		return false, nil
	}
	one := x.oneRow(w.op, nil)
	if one.doorScope, err = x.scopeOf(ctx, x.door, w.op.Operation); err == nil {
		one.resultScope = one.doorScope
		done, err = w.judge(ctx, one)
	}
	if err == nil && done && len(w.keys) > 0 {
		err = w.store(ctx, one, all)
	}
	if isRowFault(ctx, err) {
		return false, nil
	}
	return done && err == nil, err
}

// judge finds the rows and judges each. It is false if one of them does not exist for the caller, or is at fault.
func (w *rowBatch) judge(ctx context.Context, one *execution) (bool, error) {
	e, fields := w.x.door.Entity, w.read
	if w.op.Emits {
		fields = catalog.StoredFields(e)
	}
	at := make(map[string]int, len(w.ids))
	for i, id := range w.ids {
		at[string(id)] = i
	}
	others := slices.DeleteFunc(slices.Clone(fields), func(name string) bool { return name == e.Primary.Name })
	layout := rows.NewLayout(append([]string{e.Primary.Name}, others...))
	found, err := w.x.store().Find(ctx, &Find{Entity: e, Select: layout, Where: filter.Both(among(e.Primary, w.ids), writableRows(one)), Sort: newOrder(e, nil).keys, Limit: len(w.ids), NoKeys: true})
	if err != nil || found.Rows.Len() < len(w.ids) {
		return false, err
	}
	stored := make([]rows.Row, len(w.ids))
	for k := range found.Rows.Len() {
		i, known := at[string(found.Rows.Row(k).Get(e.Primary.Name))]
		if !known {
			return false, nil // the store compares keys in its own way
		}
		stored[i] = found.Rows.Row(k)
	}
	for i, row := range stored {
		id := w.ids[i]
		if w.patch != nil {
			if ok, err := w.judgeRow(ctx, one, id, w.patch(i, row)); !ok || err != nil {
				return false, err
			}
			if len(one.body) == 0 {
				continue // nothing is to be written
			}
			w.sets = append(w.sets, one.body)
		}
		w.was, w.keys = append(w.was, row), append(w.keys, id)
	}
	w.terms.Points = pointsOf(w.terms.Points, len(w.keys))
	return true, nil
}

// judgeRow judges the patch of a row; false: it is at fault, or reaches into nested objects, which are
// merged with the row's.
func (w *rowBatch) judgeRow(ctx context.Context, one *execution, id, patch json.RawMessage) (bool, error) {
	one.refusals, one.points, one.id = refusals{}, nil, nil
	one.call.Invocation.ID, one.call.Invocation.Body = id, patch
	err := admitUpdate(ctx, one)
	if err == nil {
		err = one.refusal()
	}
	if err != nil || one.merging != nil {
		return false, err
	}
	if err := one.door.keeper.complete(ctx, one); err != nil {
		return false, err
	}
	if namesFiles(one) {
		return false, nil // each row takes its own file
	}
	for _, p := range one.points {
		p.Of = []int{len(w.keys)}
		w.terms.Points = append(w.terms.Points, p)
	}
	return true, checkVisible(ctx, one, &w.terms, catalog.Updated)
}

// store writes the judged rows.
func (w *rowBatch) store(ctx context.Context, one *execution, all writeAll) error {
	var announce func(*rows.Rows) error
	if w.op.Emits {
		e := newEmission(ctx, &one.viewer)
		announce = e.withAll(ctx, &w.terms, func(found *rows.Rows) []written {
			changed := make([]written, len(w.was))
			for i, row := range w.was {
				changed[i] = written{door: w.x.door.Door, before: row.JSON()}
				if w.patch != nil {
					changed[i].after = found.Row(i).JSON()
				}
			}
			return changed
		})
	}
	var layout *rows.Layout
	if w.patch != nil {
		layout = pick(one, []string{}, nil).stored
	}
	write := func(ctx context.Context) (found *rows.Rows, err error) {
		return all(ctx, w.x.door.Entity, w.keys, w.sets, w.terms.orNone(), layout)
	}
	found, err := write(ctx)
	if takenKeyOf(err) != nil {
		found, err = w.changePlaces(ctx, all, err, write)
	}
	if err == nil && announce != nil {
		err = announce(found)
	}
	return err
}

// changePlaces writes the rows again, each with a free value in a field of its unique key before. broken is
// the CONFLICT of the first write.
func (w *rowBatch) changePlaces(ctx context.Context, all writeAll, broken error, write func(context.Context) (*rows.Rows, error)) (found *rows.Rows, err error) {
	var freed []*schema.Property
	for err = broken; takenKeyOf(err) != nil; {
		p := w.freed(takenKeyOf(err))
		if p == nil || slices.Contains(freed, p) {
			return nil, broken
		}
		freed = append(freed, p)
		var keys []json.RawMessage
		var sets []Record
		for i, set := range w.sets {
			var free Record
			for _, p := range freed {
				if set.Get(p.Name) != nil {
					free = append(free, schema.Member{Name: p.Name, Value: freeValue(p, i)})
				}
			}
			if free != nil {
				keys, sets = append(keys, w.keys[i]), append(sets, free)
			}
		}
		err = w.x.host.transactor.Transact(ctx, func(ctx context.Context) error {
			if _, err := all(ctx, w.x.door.Entity, keys, sets, nil, nil); err != nil {
				return broken
			}
			var err error
			found, err = write(ctx)
			return err
		})
	}
	return found, err
}

// freed returns the field of a unique key that gets free values: each row that sets a field of the key sets it.
func (w *rowBatch) freed(key []*schema.Property) (best *schema.Property) {
	for _, p := range key {
		lacks := func(set Record) bool {
			return set.Get(p.Name) == nil && slices.ContainsFunc(key, func(q *schema.Property) bool { return set.Get(q.Name) != nil })
		}
		if p.Axes.Primary || freeValue(p, 0) == nil || slices.ContainsFunc(w.sets, lacks) {
			continue
		}
		if best == nil || p.MayBeNull() && !best.MayBeNull() {
			best = p
		}
	}
	return best
}

// withoutFixed is the body of an upsert for an existing row, without the members that update does not
// take and that equal the row's.
func withoutFixed(body json.RawMessage, fixed schema.Object, row rows.Row) json.RawMessage {
	return schema.Rewrite(body, func(name string, value json.RawMessage) json.RawMessage {
		if is := fixed.Get(name); is != nil && bytes.Equal(is, row.Get(name)) {
			return nil
		}
		return value
	})
}
