package facade

import (
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
	renameBody(&one.viewer, x.door.Entity)
	judgeBody(&one.viewer, x.door.Entity, schema.Update, one.call.Invocation.Body)
	err := one.refusal()
	if e := kiterror.AsError(err); e != nil && e.Code == kiterror.ValidationFailed {
		details, _ := e.Details.([]schema.Detail)
		x.details = append(x.details, details...)
		return nil
	}
	return err
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

// everyRow reports whether a condition holds for all rows because it says nothing.
func everyRow(f *filter.Filter) bool {
	if f.Always() {
		return true
	}
	all := f.Op == filter.And
	for _, sub := range f.Sub {
		switch {
		case f.Op == filter.And && !everyRow(sub):
			return false
		case f.Op == filter.Or && everyRow(sub):
			return true
		case f.Op == filter.Not:
			return noRow(sub)
		}
	}
	return all || f.Op == filter.NotIn && len(f.Values) == 0
}

// noRow reports whether a condition holds for no row because it says nothing.
func noRow(f *filter.Filter) bool {
	switch f.Op {
	case filter.Or:
		for _, sub := range f.Sub {
			if !noRow(sub) {
				return false
			}
		}
		return true
	case filter.And:
		for _, sub := range f.Sub {
			if noRow(sub) {
				return true
			}
		}
	case filter.Not:
		return len(f.Sub) > 0 && everyRow(f.Sub[0])
	case filter.In:
		return len(f.Values) == 0
	}
	return false
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

// tooMany is the failure of a write that would be of more rows than it may; nothing was written.
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
	for _, id := range ids {
		res, err := write(id)
		if err != nil {
			return nil, ofRow(err, id)
		}
		made = append(made, res)
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
// pointers into the body.
func ofRow(err error, id json.RawMessage) error {
	own := *kiterror.AsError(err)
	if own.Code == kiterror.InternalError {
		return err
	}
	own.Message = "the row " + string(id) + ": " + own.Message
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
	err := admitCreate(ctx, one)
	if err == nil {
		err = one.refusal()
	}
	if e := kiterror.AsError(err); e != nil && e.Code == kiterror.ValidationFailed {
		details, _ := e.Details.([]schema.Detail)
		x.details, err = append(x.details, details...), nil
	}
	if err != nil || len(x.details) > 0 || x.verdict != nil {
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
	// A key of fields that the caller may not read is none.
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
			each = append(each, strings.Join(catalog.KeyFields(key), ","))
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
		if res, err = updateKnown(ctx, x, id); kiterror.CodeOf(err) == kiterror.NotFound {
			err = kiterror.Taken(x.many.by...)
		}
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

// updateKnown updates the row of an upsert. Members that update does not take are left out where they
// are those of the row, so that the same upsert can be sent again. A row that the caller may not
// update is NOT_FOUND before they are compared.
func updateKnown(ctx context.Context, x *execution, id json.RawMessage) (*Result, error) {
	scope, err := x.scopeOf(ctx, x.door, x.needed(1).Operation)
	if err != nil {
		return nil, err
	}
	found, err := x.store().Find(ctx, &Find{Entity: x.door.Entity, Select: rows.NewLayout(x.many.fixed.Names()), Where: scope.Rows, Key: id})
	switch {
	case err != nil:
		return nil, err
	case found.Rows.Len() == 0:
		return nil, kiterror.Errorf(kiterror.NotFound, "there is no %s with this id", x.door.Name)
	}
	row := found.Rows.Row(0)
	return x.callOne(ctx, x.needed(1), Invocation{ID: id, Body: withoutFixed(x.many.body, x.many.fixed, row)}, x.calledFields())
}

// takes reports whether an error is the CONFLICT of this unique key.
func takes(err error, key []*schema.Property) bool {
	var v *kiterror.Violation
	return errors.As(err, &v) && v.Kind == kiterror.Unique && slices.Equal(v.Fields, key)
}
