package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

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
		if p := x.door.Entity.Property(name); p != nil && p.Stored && nested.reaches(p) && jsontext.KindOf(value) == jsontext.Object {
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

// runUpdateMany updates the rows one by one, in the transaction that found them.
func runUpdateMany(ctx context.Context, x *execution) (*Result, error) {
	return runMany(ctx, x, func(id json.RawMessage) (*Result, error) {
		fields := []string{}
		if x.asksRows() {
			fields = x.calledFields()
		}
		return x.callOne(ctx, x.needed(0), Invocation{ID: id, Body: x.call.Invocation.Body}, fields)
	})
}

// runDeleteMany deletes the rows one by one, in the transaction that found them. A row that has gone
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
	made := make([]*Result, 0, found.Len())
	for i := range found.Len() {
		id := found.Row(i).Get(x.door.Entity.Primary.Name)
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
	out.Total = int64(len(made))
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
