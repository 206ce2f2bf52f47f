package facade

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// A condition of a write is query.where of update and delete: a filter that the row has to
// meet, decided by the statement that writes. It is in the grammar of a list's filter, and
// may compare the fields that the caller may read (docs/decisions/writes-and-versions.md).

// admitWhere reads query.where. A null is refused: its sender means to hold the row
// to something.
func admitWhere(ctx context.Context, x *execution) error {
	value := jsontext.Get(x.call.Invocation.Query, "where")
	switch {
	case value == nil || x.full():
		return nil
	case !x.op.Takes("where"):
		return kiterror.Errorf(kiterror.NotImplemented, "%s cannot hold the row to a condition where it runs; leave where out", x.where())
	case jsontext.IsNull(value):
		x.refuseQuery("where", "type", "must be a filter of the row, such as {\"status\": {\"eq\": \"draft\"}}; leave it out to write whatever the row holds")
		return nil
	}
	if x.versionScope == nil {
		var err error
		if x.versionScope, err = scopeOfVersion(ctx, &x.viewer); err != nil {
			return err
		}
	}
	if x.versionScope == nil {
		return kiterror.Errorf(kiterror.PreconditionFailed, "you may not read the row, so no condition can hold; leave where out")
	}
	p := filter.Parser{Host: &x.viewer, At: "/query/where", Max: schema.MaxDetails - len(x.details), Write: true}
	x.condition = p.Parse(ctx, x.door.Entity, x.view(x.versionScope), value)
	_ = RequestOf(ctx).Spend(time.Duration(p.Conditions) * conditionWork) // the store reads the rest
	x.details = append(x.details, p.Details...)
	return nil
}

// targetOf is the condition on the row that a write is about: that it exists for the
// caller, and the condition.
func targetOf(x *execution) *filter.Filter { return filter.Both(writableRows(x), x.condition) }

// absentRow is the failure of a write that found no row: PRECONDITION_FAILED if the row exists
// and does not meet the condition, else NOT_FOUND.
func absentRow(ctx context.Context, x *execution) error {
	if x.condition != nil {
		key := rows.NewLayout([]string{x.door.Entity.Primary.Name})
		rows, err := x.store().Update(ctx, x.door.Entity, x.id, writableRows(x), nil, nil, key)
		switch {
		case err != nil:
			return err
		case rows.Len() > 0:
			return kiterror.Errorf(kiterror.PreconditionFailed, "the row does not meet the condition of the call, where; nothing was written")
		}
	}
	return kiterror.Errorf(kiterror.NotFound, "there is no %s with this id", x.door.Name)
}

// withRow adds the row to a refused condition of a surface's call, as details.row: the answer of
// findById to the same caller, through the middleware, their access rules and the surface. A row
// that a remote sent was read under other rules, and is removed.
func withRow(ctx context.Context, x *viewer, err error) error {
	if kiterror.CodeOf(err) != kiterror.PreconditionFailed {
		return err
	}
	e := *kiterror.AsError(err)
	if there, _ := e.Details.(map[string]any); x.door.Frond.Remote != "" && there["row"] != nil {
		e.Details = nil
	}
	if x.depth > 0 || x.trace.dry() || e.Details != nil || x.op.Name != "update" && x.op.Name != "delete" {
		return &e
	}
	read := Call{Entity: x.door.Name, Operation: "findById", Invocation: x.call.Invocation}
	read.Invocation.Query, read.Invocation.Body = nil, nil
	if x.door.ETag {
		read.Select = []string{catalog.AllFields, catalog.ETag}
	}
	if res, err := x.host.Call(ctx, &read); err == nil {
		if row := res.AppendJSON(nil); jsontext.KindOf(row) == jsontext.Object {
			e.Details = map[string]any{"row": json.RawMessage(row)}
		}
	}
	return &e
}

// withWhere is the query of a call with the condition as it was read, for the author's own
// code: values are as rows keep them.
func withWhere(x *execution, query json.RawMessage) json.RawMessage {
	return schema.Rewrite(query, func(name string, value json.RawMessage) json.RawMessage {
		if name == "where" {
			return x.condition.AppendJSON(nil)
		}
		return value
	})
}

// beforeHandler holds the row to the caller's precondition before the author's handler runs,
// and hands it on to the write that the handler makes. there is false if the row does not
// exist.
func beforeHandler(ctx context.Context, x *execution) (l *pendingPrecondition, there bool, err error) {
	if x.precondition == nil && x.condition == nil {
		return nil, true, nil
	}
	terms := termsOf(x)
	rows, err := x.store().Update(ctx, x.door.Entity, x.id, targetOf(x), nil, nil, terms.Read)
	if err == nil && rows.Len() == 0 {
		if err = absentRow(ctx, x); kiterror.CodeOf(err) == kiterror.NotFound {
			err = nil
		}
		return nil, false, err
	}
	if err == nil && x.precondition != nil {
		err = judgeVersion(x, rows.Row(0))
	}
	return &pendingPrecondition{cond: x.precondition, where: x.condition, door: x.door, id: x.id}, true, err
}

// readIfMatch reads query.ifMatch: a version, or a list of them. A null is refused:
// its sender means to hold the row to something.
func readIfMatch(r *refusals, value json.RawMessage) *Precondition {
	p := &Precondition{}
	add := func(v json.RawMessage) bool {
		if jsontext.KindOf(v) == jsontext.String {
			p.Match = append(p.Match, jsontext.Unquote(v))
			return true
		}
		return false
	}
	ok := add(value)
	if jsontext.KindOf(value) == jsontext.Array {
		for _, v := range jsontext.Elements(value) {
			if ok = add(v); !ok {
				break
			}
		}
	}
	if !ok {
		r.refuseQuery("ifMatch", "type", "must be the version of the row, as its etag gives it, or a list of such texts")
	}
	return p
}

// admitIf finds out which version the row has to have: the one the caller names, or, for
// the author's own code within a handler that replaces the operation, the one that
// the handler's caller named.
func admitIf(ctx context.Context, x *execution) error {
	if own := x.call.If; own != nil {
		if x.op.builtin == nil || x.op.Name != "update" && x.op.Name != "delete" {
			return kiterror.Errorf(kiterror.PreconditionFailed, "%s holds no row to a version; leave If-Match out", x.where())
		}
		if x.precondition != nil {
			x.refuseQuery("ifMatch", "exclusive", "stands in the query and beside the call; send one of the two")
		}
		x.precondition = own
	}
	if x.pending.forRow(x) {
		if x.precondition == nil {
			x.precondition = x.pending.cond
		}
		x.condition = filter.Both(x.condition, x.pending.where)
	}
	if x.precondition == nil || x.precondition.any() {
		return nil
	}
	if x.versionScope == nil {
		var err error
		if x.versionScope, err = scopeOfVersion(ctx, &x.viewer); err != nil {
			return err
		}
	}
	if x.versionScope == nil {
		return kiterror.Errorf(kiterror.PreconditionFailed, "you may not read the row or its version; leave If-Match out")
	}
	return x.door.keeper.holds(x)
}

// judgeVersion fails with PRECONDITION_FAILED where the current row is not the one
// that the call is about.
func judgeVersion(x *execution, current rows.Row) error {
	if x.precondition.any() {
		return nil
	}
	fields := x.versionScope.Versioned(x.door.Entity)
	holds, err := x.precondition.holds(func(omitted string) (string, error) {
		return rowVersion(x.host.registry, current, withoutOmitted(fields, omitted), omitted, false)
	})
	if err == nil && !holds {
		err = kiterror.Errorf(kiterror.PreconditionFailed, "the row is not the one named; read it again and send its ETag")
	}
	return err
}

// writableRows is the condition on the rows that a write reaches: with a precondition or a
// condition the caller has to be able to read them as well.
func writableRows(x *execution) *filter.Filter {
	if x.precondition == nil && x.condition == nil || x.versionScope == nil || x.inside {
		return x.doorScope.Rows
	}
	if x.versionScope == x.doorScope {
		return x.doorScope.Rows
	}
	return filter.Both(x.doorScope.Rows, x.versionScope.Rows)
}

// forRow reports whether the precondition is about the row that a call within the handler
// writes, and was not used yet.
func (l *pendingPrecondition) forRow(x *execution) bool {
	return l != nil && !l.used.Load() && x.inside && l.door == x.door && x.op.builtin != nil && (x.op.Name == "update" || x.op.Name == "delete") && bytes.Equal(l.id, x.id)
}

// unread is the layout of rows of which no field is read.
var unread = rows.NewLayout(nil)

// termsOf returns the terms of a write here, for the store to decide in its transaction:
// the targets of the body's relations, the version of the row, and the result of a patch that
// reaches into nested objects of the current row.
func termsOf(x *execution) *Terms {
	terms := &Terms{Points: x.points}
	var read []string
	if x.precondition != nil && !x.precondition.any() {
		for _, p := range x.versionScope.Versioned(x.door.Entity) {
			read = append(read, p.Name)
		}
	}
	if x.merging != nil {
		for _, name := range x.merging.fields {
			if !slices.Contains(read, name) {
				read = append(read, name)
			}
		}
	}
	terms.Read = unread
	if x.precondition != nil || x.merging != nil {
		terms.Read = rows.NewLayout(read)
		terms.Judge = func(current rows.Row) (Record, error) { return judgedRow(x, current) }
	}
	return terms
}

// judgedRow is the record to write over the row that the transaction reads.
func judgedRow(x *execution, current rows.Row) (Record, error) {
	if x.precondition != nil {
		if err := judgeVersion(x, current); err != nil {
			return nil, err
		}
	}
	if x.merging != nil {
		return mergedRow(x, current)
	}
	return nil, nil
}

// mergeNested finds out whether a patch reaches into nested objects. It lays one that does over
// the current row; the keeper of the row does it.
func mergeNested(ctx context.Context, x *execution, patch json.RawMessage) error {
	e := x.door.Entity
	m := &mergePatch{patch: patch, merged: patch, whole: x.call.Merge}
	for name, value := range jsontext.Members(patch) {
		if p := e.Property(name); p != nil && p.Stored && m.reaches(p) && jsontext.KindOf(value) == jsontext.Object {
			m.fields = append(m.fields, name)
		}
	}
	if m.fields == nil {
		return nil
	}
	x.merging = m
	return x.door.keeper.merge(ctx, x)
}

// mergedRow is the record that a patch writes over the row that the transaction reads; nil if it
// equals the record of the earlier judgement.
func mergedRow(x *execution, current rows.Row) (Record, error) {
	body := x.merging.over(x.door.Entity, current.Get)
	if bytes.Equal(body, x.merging.merged) {
		return nil, nil
	}
	again := *x
	again.refusals = refusals{renamed: x.renamed}
	again.body = judgeBody(&again.viewer, x.door.Entity, schema.Update, body)
	if err := again.refusal(); err != nil {
		return nil, err
	}
	var err error
	if again.body, err = patched(&again.viewer, x.door.Entity, again.body); err != nil {
		return nil, err
	}
	if x.amended != nil {
		again.body = laidOver(x.door.Entity, again.body, x.amended)
	}
	return again.body, again.refusal()
}
