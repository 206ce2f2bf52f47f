package facade

import (
	"cmp"
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

// A write of many rows is made of the operations of one row (docs/many.md): it has their rights,
// and each row is judged as theirs is.
//
//	createMany    all rows are judged, then written by one statement; by calls of create where a
//	              handler or hooks take part
//	updateMany    the rows are found, then written by calls of update, in one transaction
//	deleteMany    the same, by calls of delete
//	upsert        the row is found by its key; a call of update or of create follows

// needed is the operation of one row that a write of many rows is made of.
func (x *execution) needed(i int) *boundOperation {
	return x.host.operations.of(x.op.Needs[i])
}

// oneRow is the execution of one row of a write of many: the same caller and scope, and the call of
// op for the row.
func (x *execution) oneRow(op *boundOperation, body json.RawMessage) *execution {
	own := &execution{viewer: x.viewer, within: x.within, sel: x.sel, runner: op.runner}
	own.refusals = refusals{}
	own.op = op
	if x.inside {
		own.runner = op.inner
	}
	call := *x.call
	call.Operation, call.Invocation.Query, call.Invocation.Body = op.Name, nil, body
	own.call = &call
	return own
}

// callOne calls the operation of one row for the caller, in the transaction of x. fields are the
// fields to answer.
func (x *execution) callOne(ctx context.Context, op *boundOperation, in Invocation, fields []string) (*Result, error) {
	ctx = authorContext(ctx, x, x.cause(ctx))
	c := caller{at: callContextOf(ctx), inside: x.inside, kept: x.kept}
	res, err := c.Call(ctx, &Call{Entity: x.door.Name, Operation: op.Name, Invocation: in, Select: fields, Merge: x.call.Merge, Partial: x.call.Partial})
	if err != nil { // the caller knows the operation that was called
		own := *kiterror.AsError(err)
		own.Operation = x.op.Name
		return nil, own.WithCause(err)
	}
	return res, nil
}

// calledFields are the fields that the calls of single rows answer: all where a version is wanted,
// which is made of them.
func (x *execution) calledFields() []string {
	if x.versionScope != nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(x.sel.out.Fields), func(name string) bool { return name == catalog.ETag })
}

// admitCreateMany judges the rows of a list, each as create judges it. The details of all rows are
// reported, with their index.
func admitCreateMany(ctx context.Context, x *execution) error {
	in := &x.call.Invocation
	onlyKeys(&x.viewer, sentParams(&x.viewer, in), "/params", nil)
	admitRowQuery(x)
	if !admitRows(x) {
		return nil
	}
	op, m := x.needed(0), &manyRows{}
	x.many = m
	one, i := x.oneRow(op, nil), 0
	var dangling error
	all, follows := jsontext.List(in.Body), x.atOnce(op) || x.runner.by == byRemote
	ctx, err := withFiles(ctx, x, all)
	if err == nil && follows {
		one.exist, err = referencesOf(ctx, x, all)
	}
	if err != nil {
		return err
	}
	for _, row := range all {
		one.refusals, one.points = refusals{}, nil
		one.call.Invocation.Body = cutNested(x, schema.Create, row, "/body/"+strconv.Itoa(i), i)
		err := admitCreate(ctx, one)
		if err == nil {
			err = one.refusal()
		}
		if err == nil && dangling == nil && follows {
			err = m.complete(ctx, one, i)
			if v := (*kiterror.Violation)(nil); errors.As(err, &v) {
				dangling, err = atRow(err, i), nil // the next rows are judged first
			}
		}
		if err != nil {
			if err = x.gather(atRow(err, i)); err != nil {
				return err
			}
		}
		i++
	}
	m.terms.Points = pointsOf(m.terms.Points, i)
	if dangling != nil && len(x.details) == 0 {
		first, err := firstDanglingRow(ctx, x) // of the rows before
		if err == nil && first.err != nil {
			err = atRow(first.err, first.row)
		}
		return cmp.Or(err, dangling)
	}
	n := 0
	for _, cut := range x.nested {
		n += len(cut.List)
	}
	if n > catalog.MaxMany {
		refuseBody(x, "maxItems", fmt.Sprintf("has %d rows of relations, and may have %d; send the rest in another call", n, catalog.MaxMany))
	}
	return nil
}

// admitRows refuses a body that is no list of rows, or has too many.
func admitRows(x *execution) bool {
	switch body := x.call.Invocation.Body; {
	case jsontext.KindOf(body) != jsontext.Array:
		refuseBody(x, "type", "must be a list of rows, such as [{…}, {…}]")
		return false
	case count(body) > catalog.MaxCreateMany:
		refuseBody(x, "maxItems", fmt.Sprintf("must have at most %d rows, and has %d; send the rest in another call", catalog.MaxCreateMany, count(body)))
		return false
	}
	if x.scopes == nil {
		x.scopes = map[*catalog.Door]*access.Scope{} // shared by the rows
	}
	return true
}

// atOnce reports whether one statement writes all rows: neither a handler nor a hook of the author's
// takes part, and the rows are kept here.
func (x *execution) atOnce(op *boundOperation) bool {
	return x.runner.by == byStore && (op.runner.by == byStore || x.inside) && op.hooks == nil
}

// refuseBody refuses the body as a whole.
func refuseBody(x *execution, code, message string) {
	x.refuse(schema.Detail{Path: ".", Pointer: "/body", Code: code, Message: message})
}

// atRow is the error of a row with the row's index: in its details, or else in its message.
func atRow(err error, i int) *kiterror.Error {
	own, at := *kiterror.AsError(err), strconv.Itoa(i)
	details, ok := own.Details.([]schema.Detail)
	if !ok {
		if own.Code != kiterror.InternalError {
			own.Message = "row " + at + ": " + own.Message
		}
		return own.WithCause(err)
	}
	details = slices.Clone(details)
	for j := range details {
		d := &details[j]
		rest, body := cutBody(d.Pointer)
		if !body {
			continue
		}
		d.Pointer = "/body/" + at + rest
		if d.Path == "." || d.Path == "" {
			d.Path = at
		} else {
			d.Path = at + "." + d.Path
		}
	}
	own.Details = details
	if len(details) > 0 {
		own.Message = kiterror.Sentence(details[0])
	}
	return own.WithCause(err)
}

// cutBody is the rest of a pointer behind /body; false for a pointer to another part.
func cutBody(pointer string) (rest string, ok bool) {
	const body = "/body"
	if len(pointer) < len(body) || pointer[:len(body)] != body || len(pointer) > len(body) && pointer[len(body)] != '/' {
		return "", false
	}
	return pointer[len(body):], true
}

// complete completes the judged record of a row, and adds it and its terms to m.
func (m *manyRows) complete(ctx context.Context, one *execution, i int) error {
	if err := one.door.keeper.complete(ctx, one); err != nil {
		return err
	}
	for _, p := range one.points {
		p.Of = []int{i}
		m.terms.Points = append(m.terms.Points, p)
	}
	m.records = append(m.records, one.body)
	if err := checkVisible(ctx, one, &m.terms, catalog.Created); err != nil && m.unmet == nil {
		m.unmet = atRow(err, i)
	}
	return nil
}

// pointsOf joins equal points of n rows, so that the store checks each relation once.
func pointsOf(all []Points, n int) (joined []Points) {
	for _, p := range all {
		i := slices.IndexFunc(joined, func(j Points) bool {
			return j.Field == p.Field && j.All == p.All && (j.Where == p.Where || j.Where.Never() && p.Where.Never())
		})
		if i < 0 {
			joined = append(joined, p)
			continue
		}
		joined[i].Of = append(joined[i].Of, p.Of...)
	}
	for i := range joined {
		if len(joined[i].Of) == n {
			joined[i].Of = nil
		}
	}
	return joined
}

// runCreateMany writes all rows in one transaction.
func runCreateMany(ctx context.Context, x *execution) (*Result, error) {
	if x.atOnce(x.needed(0)) {
		return insertMany(ctx, x)
	}
	if err := transactional(x); err != nil {
		return nil, err
	}
	x.nested = nil // calls of create write them
	var made []*Result
	for i, row := range jsontext.List(x.call.Invocation.Body) {
		res, err := x.callOne(ctx, x.needed(0), Invocation{Body: row}, x.calledFields())
		if err != nil {
			return nil, atRow(err, i)
		}
		made = append(made, res)
	}
	res, err := adoptAll(x, made)
	if res != nil {
		res.Form = FormItems
	}
	return res, err
}

// transactional returns why a write of many rows cannot be one transaction, or nil.
func transactional(x *execution) error {
	for _, need := range x.op.Needs {
		if op := x.host.operations.of(need); op.detached && !x.inside {
			return kiterror.Errorf(kiterror.NotImplemented, "%s.%s has a detached handler, which joins no transaction; call it for each row", x.door.Name, op.Name)
		}
	}
	if x.host.transactor == nil {
		return kiterror.Errorf(kiterror.NotImplemented, "%s needs a transaction, which this store lacks; write each row by itself", x.where())
	}
	return nil
}

// adoptAll is the answer made of the answers of single rows, as a handler would answer it.
func adoptAll(x *execution, made []*Result) (*Result, error) {
	all := &Result{Form: FormRows, Rows: rows.New(x.sel.stored, 0)}
	if len(made) > 0 {
		parts := make([]*rows.Rows, len(made))
		for i, res := range made {
			parts[i] = res.Rows
		}
		all.Rows = rows.Join(parts[0].Layout(), parts)
		if parts[0].Crossed() {
			all.Rows.MarkOutside()
		}
	}
	return adopt(x, all)
}

// insertMany writes all rows by one statement.
func insertMany(ctx context.Context, x *execution) (*Result, error) {
	found, err := insertRecords(ctx, x)
	if err != nil {
		return nil, conflictOfMany(ctx, x, err)
	}
	return &Result{Form: FormItems, Rows: found}, nil
}

// insertRecords writes the records of x by one statement. Their events are emitted with it.
func insertRecords(ctx context.Context, x *execution) (*rows.Rows, error) {
	m := x.many
	if m.unmet != nil {
		return nil, m.unmet
	}
	if x.late.waits() {
		if err := judgeBeforeWrite(ctx, x, &m.terms, catalog.Created); err != nil {
			return nil, err
		}
	}
	var announce func(*rows.Rows) error
	if x.op.Emits {
		e := newEmission(ctx, &x.viewer)
		announce = e.withAll(ctx, &m.terms, func(found *rows.Rows) []written {
			all := make([]written, found.Len())
			for i := range all {
				all[i] = written{door: x.door.Door, after: found.Row(i).JSON()}
			}
			return all
		})
	}
	insert := func(records []Record, terms *Terms) (*rows.Rows, error) {
		return x.store().Insert(ctx, x.door.Entity, records, terms, x.sel.stored)
	}
	found, err := insert(m.records, m.terms.orNone())
	if x.late != nil && takenKeyOf(err) != nil {
		found, err = insertLate(ctx, x, err, insert)
	}
	if err == nil && len(x.door.Files) > 0 {
		if i, err := holdFilesOfNew(ctx, x, m.records, found); err != nil {
			return nil, atRow(err, i)
		}
	}
	if err == nil && announce != nil {
		err = announce(found)
	}
	return found, err
}

// insertLate writes new rows of which some have a key that another row has. broken is the CONFLICT.
func insertLate(ctx context.Context, x *execution, broken error, insert func([]Record, *Terms) (*rows.Rows, error)) (*rows.Rows, error) {
	h := &heldRows{x: x, terms: &x.many.terms, records: x.many.records}
	bodies := jsontext.List(x.call.Invocation.Body)
	return x.late.write(ctx, h, broken,
		func(err error) ([]rowConflict, error) { return takenIn(ctx, x, h.written(), takenKeyOf(err)) },
		insert,
		func(c rowConflict) error {
			one := x.oneRow(x.needed(0), bodies[c.row])
			return x.name(atRow(maskedConflict(ctx, &one.viewer, c.err), c.row))
		})
}

// manyRemote sends a write of many rows to its host, whose rules judge each row. Rules of this host
// that select rows or set fields would have to judge each row too, and cannot. Nor can those that hide or close
// fields judge the rows of an import.
func manyRemote(ctx context.Context, x *execution, r RemoteRequest) (*Result, error) {
	for _, need := range x.op.Needs {
		scope, err := x.scopeOf(ctx, x.door, need)
		if err != nil {
			return nil, err
		}
		unjudged := x.many.imported != nil && len(scope.Hide)+len(scope.ReadOnly) > 0 // its rows are not looked at here
		if scope.Rows != nil || len(scope.Set) > 0 || unjudged {
			return nil, kiterror.Errorf(kiterror.NotImplemented, "%s runs elsewhere, where the access rules of this host for single rows are not known; call %s for each row", x.where(), need.Name)
		}
	}
	in := x.call.Invocation
	if x.condition != nil {
		where, err := x.host.remotes.Where(ctx, r, x.condition)
		if err != nil {
			return nil, err
		}
		in.Query = jsontext.With(in.Query, "where", where.AppendJSON(nil))
	}
	return x.host.remotes.Call(ctx, r, sentCall(ctx, x, in))
}

// conflictOfMany is the CONFLICT of rows of one write, as the caller may know it, with the index of
// each row at fault. The store names the constraint; the rows are looked for here, after the write
// has failed.
func conflictOfMany(ctx context.Context, x *execution, err error) error {
	var v *kiterror.Violation
	err = rulesFirst(ctx, x, &x.many.terms, x.many.records, err)
	if !errors.As(err, &v) && kiterror.CodeOf(err) != kiterror.Forbidden || v != nil && v.Kind == kiterror.Restrict {
		return err
	}
	var at []rowConflict
	dangling, failed := firstDanglingRow(ctx, x)
	switch {
	case failed != nil:
	case dangling.err != nil:
		at = []rowConflict{dangling}
	case v != nil && v.Kind == kiterror.Unique:
		at, failed = takenIn(ctx, x, x.many.records, v.Fields)
	case v == nil:
		return hiddenRow(ctx, x, err)
	}
	if failed != nil {
		return failed
	}
	if len(at) == 0 {
		return maskedConflict(ctx, &x.viewer, err)
	}
	bodies := jsontext.List(x.call.Invocation.Body)
	var first *kiterror.Error
	for _, c := range at {
		one := x.oneRow(x.needed(0), bodies[c.row])
		next := atRow(maskedConflict(ctx, &one.viewer, c.err), c.row)
		if first == nil {
			first = next
			continue
		}
		first = withDetails(first, next)
	}
	return first
}

// hiddenRow is the error of written rows that the writer may not see, with the index of the first such row if that
// does not depend on the other rows.
func hiddenRow(ctx context.Context, x *execution, err error) error {
	rule := x.many.terms.After
	if rule == nil || rule.Reads(func(p *schema.Property) bool { return p.Link != nil && p.Link.Target == x.door.Entity }) {
		return err
	}
	for i, record := range x.many.records {
		if stays, failed := staysVisible(ctx, x, rule, record); failed == nil && !stays {
			return atRow(err, i)
		}
	}
	return err
}

// rowConflict is the CONFLICT of a row of the call.
type rowConflict struct {
	row int
	err error
}

// takenIn returns the rows whose values of a unique key an earlier or a stored row has, in their order, each
// with its CONFLICT. broken is the key that the store has found broken.
func takenIn(ctx context.Context, x *execution, records []Record, broken []*schema.Property) (all []rowConflict, err error) {
	for _, key := range catalog.UniqueKeys(x.door.Entity) {
		names := map[string]bool{} // of rows before
		var whole []Record
		for _, record := range records {
			if _, ok := UniqueKey(key, record); ok {
				whole = append(whole, record)
			}
		}
		for part := range slices.Chunk(whole, mostCompound) {
			stored, err := storedKeys(ctx, x, key, part)
			if err != nil {
				return nil, err
			}
			for _, one := range stored {
				name, _ := UniqueKey(key, one)
				names[name] = true
			}
			if len(stored) == 1 && len(whole) == 1 && slices.Equal(key, broken) { // the store compares in its own way
				name, _ := UniqueKey(key, whole[0])
				names[name] = true
			}
		}
		for i, record := range records {
			name, ok := UniqueKey(key, record)
			if ok && names[name] {
				all = append(all, rowConflict{i, kiterror.Taken(key...)})
			}
			names[name] = true
		}
	}
	slices.SortStableFunc(all, func(a, b rowConflict) int { return a.row - b.row })
	return all[:min(len(all), schema.MaxDetails)], nil
}

// mostCompound is how many compound keys one condition has.
const mostCompound = 200

// storedKeys returns the values of a key, and the primary key, of the stored rows that have one of these keys. Access
// rules do not hold for it.
func storedKeys(ctx context.Context, x *execution, key []*schema.Property, records []Record) (stored []Record, err error) {
	e := x.door.Entity
	fields := []string{e.Primary.Name}
	for _, p := range key {
		if p != e.Primary {
			fields = append(fields, p.Name)
		}
	}
	where := &filter.Filter{Op: filter.Or}
	if len(key) == 1 {
		where = &filter.Filter{Op: filter.In, Field: key[0]}
	}
	for _, record := range records {
		if len(key) > 1 {
			where.Sub = append(where.Sub, keyFilter(key, record))
			continue
		}
		value, _ := key[0].Kind.Value(record.Get(key[0].Name))
		where.Values = append(where.Values, value)
	}
	found, err := x.store().Find(ctx, &Find{Entity: e, Select: rows.NewLayout(fields), Where: where, Sort: newOrder(e, nil).keys, Limit: len(records), NoKeys: true})
	if err != nil {
		return nil, err
	}
	for i := range found.Rows.Len() {
		var one Record
		for _, name := range fields {
			one = append(one, schema.Member{Name: name, Value: found.Rows.Row(i).Get(name)})
		}
		stored = append(stored, one)
	}
	return stored, nil
}

// keyFilter is the condition that a row has the values of a key that a record has.
func keyFilter(key []*schema.Property, record Record) *filter.Filter {
	all := &filter.Filter{Op: filter.And}
	for _, p := range key {
		value, _ := p.Kind.Value(record.Get(p.Name))
		all.Sub = append(all.Sub, &filter.Filter{Op: filter.Eq, Field: p, Values: []any{value}})
	}
	return all
}

// among is the condition that a field has one of these values.
func among(p *schema.Property, values []json.RawMessage) *filter.Filter {
	in := &filter.Filter{Op: filter.In, Field: p}
	for _, v := range values {
		value, _ := p.Kind.Value(v)
		in.Values = append(in.Values, value)
	}
	return in
}

// storedRow is the primary key of the row that meets a condition, without access rules; nil: no row does.
func storedRow(ctx context.Context, x *execution, where *filter.Filter) (json.RawMessage, error) {
	e := x.door.Entity
	found, err := x.store().Find(ctx, &Find{
		Entity: e, Select: rows.NewLayout([]string{e.Primary.Name}), Where: where, Sort: newOrder(e, nil).keys, Limit: 1, NoKeys: true,
	})
	if err != nil || found.Rows.Len() == 0 {
		return nil, err
	}
	return found.Rows.Row(0).Get(e.Primary.Name), nil
}

// firstDanglingRow returns the first row with a relation that leads nowhere, and the CONFLICT of its first such relation; an error
// of nil: it is not found.
func firstDanglingRow(ctx context.Context, x *execution) (first rowConflict, err error) {
	for _, p := range x.door.Entity.Fields {
		if p.Link == nil || !p.Stored || catalog.Apart(x.host.catalog.Fronds, p.Link) {
			continue
		}
		i, err := danglingIn(ctx, x, p)
		if err != nil {
			return first, err
		}
		if i >= 0 && (first.err == nil || i < first.row) {
			first = rowConflict{i, kiterror.Dangling(p)}
		}
	}
	return first, nil
}

// danglingIn is the index of the first row whose relation leads to no row that the caller may name;
// -1: it is not found.
func danglingIn(ctx context.Context, x *execution, p *schema.Property) (int, error) {
	e := p.Link.Target
	for i, record := range x.many.records {
		value := record.Get(p.Name)
		if value == nil || isNull(value) {
			continue
		}
		var where *filter.Filter
		for _, point := range x.many.terms.Points {
			if point.Field == p && (point.Of == nil || slices.Contains(point.Of, i)) {
				where = point.Where
			}
		}
		ids := idsOf(p, value)
		if e == x.door.Entity {
			ids = slices.DeleteFunc(ids, func(id json.RawMessage) bool {
				return slices.ContainsFunc(x.many.records, func(other Record) bool {
					own, _ := e.Primary.KeyText(other.Get(e.Primary.Name))
					return string(own) == string(id)
				})
			})
		}
		if len(ids) == 0 {
			continue
		}
		missing, err := x.door.keeper.missing(ctx, x, e, where, ids)
		if err != nil || len(missing) > 0 {
			return i, err
		}
	}
	return -1, nil
}

// UniqueKey returns the values of a constraint's members as one text; false if one of them is
// null, which is never taken.
func UniqueKey(members []*schema.Property, r Record) (string, bool) {
	var room [64]byte
	key := room[:0]
	for _, p := range members {
		v := r.Get(p.Name)
		if v == nil || jsontext.IsNull(v) {
			return "", false
		}
		if k, why := p.KeyText(v); why == "" {
			v = k
		}
		key = append(append(key, v...), 0)
	}
	return string(key), len(key) > 0
}
