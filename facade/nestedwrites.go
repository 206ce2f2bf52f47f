package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/nested"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Rows that belong to a row are written with it (docs/nested.md): each body that writes the row has them under
// the name of the relation. The owners are written first, then the rows by calls of their own door for
// the same caller, with the keys of their owners, in one transaction. One call creates all new rows of a
// relation, unless a handler or a hook takes part.
//
// createMany writes them when all of its rows are written. The other writes of many rows leave them to the
// calls of create and update that they are made of.

// findNested finds the relations whose rows the body writes. A relation that the caller may not read is
// left out, so that the judge does not know it.
func findNested(ctx context.Context, x *execution) error {
	if len(x.door.Nested) == 0 || x.op.builtin == nil || x.owned || x.op.Kind != catalog.Command {
		return nil
	}
	relations := slices.DeleteFunc(slices.Clone(x.door.Nested), func(n *catalog.Nested) bool {
		sent := anyRow(x.call.Invocation.Body, func(row json.RawMessage) bool { return jsontext.Get(row, n.Name) != nil })
		if !sent || x.inside {
			return !sent
		}
		if l := x.door.Entity.Property(n.Name).Link; n.Far != nil {
			_, there := between(ctx, &x.viewer, l)
			if _, ok := x.scopeBehind(ctx, l.Target); !ok || !there {
				own := *x.doorScope
				own.Hide = append(slices.Clip(own.Hide), n.Name)
				x.doorScope = &own
			}
		}
		return x.doorScope.Hides(n.Name) || x.doorScope.ReadsOnly(n.Name)
	})
	if x.verdict != nil {
		return x.verdict
	}
	if len(relations) == 0 {
		return nil
	}
	x.nestable = relations
	for _, n := range relations {
		if err := notPassed(x.op.Operation, n); err != nil {
			return err
		}
	}
	switch {
	case x.runner.by == byRemote:
		for _, n := range relations {
			if err := passesOn(ctx, x, n); err != nil {
				return err
			}
		}
	case x.op.detached && !x.inside:
		return kiterror.Errorf(kiterror.NotImplemented, "%s has a detached handler, outside of transactions; write the rows of %s separately", x.where(), relations[0].Name)
	case x.host.transactor == nil:
		return kiterror.Errorf(kiterror.NotImplemented, "rows of %s need a transaction, which this store lacks; write them separately", relations[0].Name)
	}
	return nil
}

// notPassed returns why no call writes the rows of a relation with their owner, or nil: another host keeps them, or the host of both
// does not take them.
func notPassed(op *catalog.Operation, n *catalog.Nested) error {
	switch owner := op.Door.Frond; {
	case n.Door.Frond.Remote != owner.Remote:
		return kiterror.Errorf(kiterror.NotImplemented, "%s.%s %s, and %s, with the rows of %s, %s: no transaction has rows of two hosts; write them by calls of their own",
			op.Door.Name, op.Name, op.Door.Runs(), n.Door.Name, n.Name, n.Door.Runs()).At(op.Door.Name, op.Name)
	case owner.Remote != "" && !n.Passed:
		return errTakesNone(op, n, "its host does not list them under nested")
	}
	return nil
}

// errTakesNone is the refusal of rows that the host of their owner does not take from here.
func errTakesNone(op *catalog.Operation, n *catalog.Nested, why string) error {
	return kiterror.Errorf(kiterror.NotImplemented, "%s.%s %s, and takes no rows of %s from here: %s; write them by calls of their own", op.Door.Name, op.Name, op.Door.Runs(), n.Name, why).At(op.Door.Name, op.Name)
}

// passesOn returns why rows cannot be written by the host of their remote owner for this caller: rules or code of this host are about
// them.
func passesOn(ctx context.Context, x *execution, n *catalog.Nested) error {
	refused := func(why string) error { return errTakesNone(x.op.Operation, n, why) }
	if x.inside {
		return nil
	}
	for _, name := range []string{"list", "create", "update", "delete"} {
		door, op := x.catalogView.Find(n.Door.Name, name)
		if op == nil {
			return refused(n.Door.Name + " has no " + name + " here")
		}
		scope, err := x.scopeOf(ctx, x.host.doors.of(door), op)
		switch bound := x.host.operations.of(op); {
		case err != nil:
			return err
		case scope.Rows != nil || len(scope.Hide)+len(scope.Set)+len(scope.ReadOnly) > 0:
			return refused("access rules here are about " + n.Door.Name)
		case bound.Attached || bound.hooks != nil:
			return refused("code here is about " + n.Door.Name)
		}
	}
	if n.Far != nil {
		if scope, ok := x.scopeOfRows(ctx, n.Far.Link.Target); !ok || scope.Rows != nil {
			return refused("access rules here are about " + n.Far.Link.Target.Name)
		}
	}
	return nil
}

// writeNested writes the rows once their owners are written.
func writeNested(ctx context.Context, x *execution, res *Result) error {
	w := &nestedWriter{x: x, owners: []json.RawMessage{x.id}}
	switch key := x.door.Entity.Primary.Name; {
	case x.many != nil:
		w.owners = nil
		for i, record := range x.many.records {
			w.owners = append(w.owners, keyOfWritten(x, record, res.Rows, i))
		}
	case x.id != nil:
	case res.Rows.Len() > 0 && res.Rows.Row(0).Get(key) != nil:
		w.owners[0] = res.Rows.Row(0).Get(key)
	default:
		w.owners[0] = x.body.Get(key)
	}
	for _, relation := range x.nestable {
		var cuts []*nested.Rows
		for _, cut := range x.nested {
			if cut.Relation == relation {
				cuts = append(cuts, cut)
				if w.owners[cut.Owner] == nil {
					return kiterror.Errorf(kiterror.InternalError, "%s answered no key, which the rows of %s need", x.where(), relation.Name)
				}
			}
		}
		if cuts == nil { // the empty list of a new row
			continue
		}
		changes := w.rows
		if relation.Far != nil {
			changes = w.links
		}
		w.placed = nil
		err := x.judgedLate(ctx, func(late *LateKeys) error {
			w.late = late
			fresh, err := changes(ctx, cuts)
			if err == nil {
				err = w.create(ctx, relation, fresh)
			}
			return err
		}, func(call int, err error) error { return w.failed(err, relation, w.placed[call]...) })
		if err != nil {
			return err
		}
	}
	return x.refusal()
}

// nestedWriter writes the rows of owners. Faults of the rows are collected in the execution.
type nestedWriter struct {
	x      *execution
	owners []json.RawMessage
	// late judges the unique keys of a relation's rows; placed are the rows of its calls.
	late   *LateKeys
	placed [][]nested.Row
}

// named are the writes of a relation with their ids in the one form of a key, and these ids. Those whose id is at
// fault are left out: the others are judged all the same.
func (w *nestedWriter) named(cut *nested.Rows, key *schema.Property) (list []nested.Row, named map[string]bool) {
	named = map[string]bool{}
	for _, row := range cut.List {
		if row.ID != nil {
			id, why := key.KeyText(row.ID)
			switch {
			case why != "":
				w.refuse(row.At, "type", "does not name a row: the id must be "+why)
				continue
			case named[string(id)]:
				w.refuse(row.At, "reference", "names a row that is named before; name it once")
				continue
			}
			row.ID, named[string(id)] = id, true
		}
		list = append(list, row)
	}
	return list, named
}

// unseen takes out the writes of rows that do not exist for the caller, and refuses them.
func (w *nestedWriter) unseen(list []nested.Row, of string, is func(row nested.Row) bool) []nested.Row {
	return slices.DeleteFunc(list, func(row nested.Row) bool {
		if is(row) {
			w.refuse(row.At, "reference", fmt.Sprintf("does not name a row of %s that you may see; write the id of one", of))
			return true
		}
		return false
	})
}

// links deletes the rows in between of disconnected rows, and returns the rows in between to create for
// connected ones. It knows only rows that exist for the caller.
func (w *nestedWriter) links(ctx context.Context, cuts []*nested.Rows) (fresh []nested.Row, err error) {
	x, target := w.x, cuts[0].Relation.Far.Link.Target
	scope, ok := x.scopeOfRows(ctx, target)
	if x.verdict != nil {
		return nil, x.verdict
	}
	lists, named := make([][]nested.Row, len(cuts)), make([]map[string]bool, len(cuts))
	var sent jsontext.Distinct
	for i, cut := range cuts {
		lists[i], named[i] = w.named(cut, target.Primary)
		for _, row := range lists[i] {
			if row.Write == nested.Create {
				sent.Add(row.ID)
			}
		}
	}
	missing := sent.Texts()
	if ok {
		if missing, err = invisible(ctx, x, target, scope, missing); err != nil {
			return nil, err
		}
	}
	for i := range lists {
		lists[i] = w.unseen(lists[i], target.Name, func(row nested.Row) bool {
			return row.Write == nested.Create && subset([]json.RawMessage{row.ID}, missing)
		})
	}
	if !ok {
		return nil, nil
	}
	for i, cut := range cuts {
		changes, err := w.changes(ctx, cut, scope.Rows, lists[i], named[i])
		if err != nil {
			return nil, err
		}
		for _, row := range changes {
			if row.Write == nested.Create {
				fresh = append(fresh, row)
			} else if err := w.write(ctx, cut.Relation, row); err != nil {
				return nil, err
			}
		}
	}
	return fresh, nil
}

// changes are the rows in between to delete, then those to create. Rows are those whose other side
// meets there.
func (w *nestedWriter) changes(ctx context.Context, cut *nested.Rows, there *filter.Filter, list []nested.Row, named map[string]bool) (changes []nested.Row, err error) {
	key, far := cut.Relation.Door.Entity.Primary.Name, cut.Relation.Far
	found, err := w.found(ctx, cut, []string{key, far.Name}, &filter.Filter{Op: filter.Some, Link: far.Link, Sub: oneOrNone(there)})
	if err != nil {
		return nil, err
	}
	linked := map[string]bool{}
	for i := range found.Len() {
		id := string(found.Row(i).Get(far.Name))
		linked[id] = true
		gone := nested.Row{Write: nested.Delete, At: cut.At + "/set", ID: found.Row(i).Get(key)}
		for _, row := range list {
			if row.Write == nested.Delete && string(row.ID) == id {
				gone.At = row.At
				changes = append(changes, gone)
			}
		}
		if cut.Set && !named[id] && len(list) == len(cut.List) {
			changes = append(changes, gone)
		}
	}
	for _, row := range list {
		if row.Write == nested.Create && !linked[string(row.ID)] {
			changes = append(changes, nested.Row{Write: nested.Create, At: row.At, Owner: cut.Owner, Body: schema.Object{{Name: far.Name, Value: row.ID}}.AppendJSON(nil)})
		}
	}
	return changes, nil
}

// oneOrNone is a list of one filter, or nil.
func oneOrNone(f *filter.Filter) []*filter.Filter {
	if f == nil {
		return nil
	}
	return []*filter.Filter{f}
}

// rows writes those that go and those that change, and returns those that are new.
func (w *nestedWriter) rows(ctx context.Context, cuts []*nested.Rows) (fresh []nested.Row, err error) {
	for _, cut := range cuts {
		list, named := w.named(cut, cut.Relation.Door.Entity.Primary)
		known, err := w.known(ctx, cut, named)
		if err != nil {
			return nil, err
		}
		list = w.unseen(list, cut.Relation.Name, func(row nested.Row) bool { return row.ID != nil && !known[string(row.ID)] })
		if len(list) == len(cut.List) { // an id at fault may be meant as one of the others
			for _, id := range slices.Sorted(maps.Keys(known)) {
				if !named[id] {
					list = append(list, nested.Row{Write: nested.Delete, At: cut.At + "/set", ID: json.RawMessage(id)})
				}
			}
		}
		slices.SortStableFunc(list, func(a, b nested.Row) int { return int(a.Write) - int(b.Write) })
		for _, row := range list {
			if row.Write == nested.Create {
				row.Owner = cut.Owner
				fresh = append(fresh, row)
			} else if err := w.write(ctx, cut.Relation, row); err != nil {
				return nil, err
			}
		}
	}
	return fresh, nil
}

// known are the keys of the owner's rows that exist for the caller: the named ones, or all of them
// for a set.
func (w *nestedWriter) known(ctx context.Context, cut *nested.Rows, named map[string]bool) (ids map[string]bool, err error) {
	e := cut.Relation.Door.Entity
	if len(named) == 0 && !cut.Set {
		return nil, nil
	}
	var in *filter.Filter
	if !cut.Set {
		var of []json.RawMessage
		for _, id := range slices.Sorted(maps.Keys(named)) {
			of = append(of, json.RawMessage(id))
		}
		in = among(e.Primary, of)
	}
	found, err := w.found(ctx, cut, []string{e.Primary.Name}, in)
	if err != nil {
		return nil, err
	}
	ids = map[string]bool{}
	for i := range found.Len() {
		ids[string(found.Row(i).Get(e.Primary.Name))] = true
	}
	return ids, nil
}

// found are the rows of the owner that exist for the caller and meet a condition. A new owner has no
// rows.
func (w *nestedWriter) found(ctx context.Context, cut *nested.Rows, fields []string, where *filter.Filter) (*rows.Rows, error) {
	x, e, by, layout := w.x, cut.Relation.Door.Entity, cut.Relation.By, rows.NewLayout(fields)
	scope, ok := x.scopeOfRows(ctx, e)
	switch {
	case x.verdict != nil:
		return nil, x.verdict
	case !ok || x.id == nil:
		return rows.New(layout, 0), nil
	}
	owner, why := by.Kind.Value(w.owners[cut.Owner])
	if why != "" {
		return nil, kiterror.Errorf(kiterror.InternalError, "the key of %s is not one of %s", x.door.Name, by.Name)
	}
	where = filter.Both(filter.Both(&filter.Filter{Op: filter.Eq, Field: by, Values: []any{owner}}, where), scope.Rows)
	found, err := x.store().Find(ctx, &Find{Entity: e, Select: layout, Where: where, Sort: newOrder(e, nil).keys, Limit: catalog.MaxMany, NoKeys: true})
	switch {
	case err != nil:
		return nil, err
	case found.More:
		return nil, kiterror.Errorf(kiterror.UnprocessableEntity, "%s has more than %d rows; write some of them by themselves", cut.Relation.Name, catalog.MaxMany)
	}
	return found.Rows, nil
}

// refuse keeps a fault of a row.
func (w *nestedWriter) refuse(at, code, message string) {
	w.x.refuse(schema.Detail{Code: code, Message: message}.At(at))
}

// create writes new rows by one call of their door, or by one for each where the author's code takes part.
func (w *nestedWriter) create(ctx context.Context, relation *catalog.Nested, fresh []nested.Row) error {
	fresh = slices.DeleteFunc(fresh, func(row nested.Row) bool { return w.body(relation, row) == nil })
	together := 1
	if op := relation.Door.Operation("create"); op != nil && w.x.atOnce(w.x.host.operations.of(op)) {
		together = catalog.MaxCreateMany
	}
	for part := range slices.Chunk(fresh, together) {
		var err error
		if len(part) == 1 {
			err = w.write(ctx, relation, part[0])
		} else {
			bodies := make([]json.RawMessage, len(part))
			for i, row := range part {
				bodies[i] = w.body(relation, row)
			}
			if _, err = w.call(ctx, relation, nested.Create, Invocation{Body: jsontext.AppendTexts(nil, bodies)}, part...); err != nil {
				err = w.failed(err, relation, part...)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// write writes one row by a call of its door.
func (w *nestedWriter) write(ctx context.Context, relation *catalog.Nested, row nested.Row) error {
	in := Invocation{ID: row.ID}
	if row.Write != nested.Delete {
		if in.Body = w.body(relation, row); in.Body == nil {
			return nil
		}
	}
	res, err := w.call(ctx, relation, row.Write, in, row)
	switch {
	case err != nil:
		return w.failed(err, relation, row)
	case row.Write == nested.Delete && string(res.Value) == "false":
		w.refuse(row.At, "forbidden", "would remove a row that you may not delete")
	}
	return nil
}

// body is the body of a row, with the key of the owner if it is new; nil if it has another one.
func (w *nestedWriter) body(relation *catalog.Nested, row nested.Row) json.RawMessage {
	by, owner := relation.By.Name, w.owners[row.Owner]
	if sent := jsontext.Get(row.Body, by); sent != nil && string(sent) != string(owner) {
		w.refuse(row.At+"/"+jsontext.Token(by), "read_only", "is the key of the owner, which is filled in; leave it out")
		return nil
	}
	body := schema.Rewrite(row.Body, func(name string, value json.RawMessage) json.RawMessage {
		if name == by {
			return nil
		}
		return value
	})
	if row.Write == nested.Create {
		body = append(schema.Object{{Name: by, Value: owner}}, objectOf(body)...).AppendJSON(nil)
	}
	return body
}

// call makes a call of the door of rows, which writes rows.
func (w *nestedWriter) call(ctx context.Context, relation *catalog.Nested, write nested.Write, in Invocation, rows ...nested.Row) (*Result, error) {
	w.late.Next(len(w.placed))
	w.placed = append(w.placed, rows)
	x, name := w.x, write.Operation()
	if _, op := x.catalogView.Find(relation.Door.Name, name); op == nil && !x.inside {
		return nil, kiterror.Errorf(kiterror.Forbidden, "%s of %s is not served here; leave it out of %s", name, relation.Door.Name, relation.Name)
	}
	ctx = authorContext(ctx, x, x.cause(ctx))
	c := caller{at: callContextOf(ctx), inside: x.inside, kept: x.kept, owned: true}
	return c.Call(ctx, &Call{Entity: relation.Door.Name, Operation: name, Invocation: in, Select: []string{}, Merge: x.call.Merge})
}

// failed is the error of rows, with their places. Refusals of values are collected.
func (w *nestedWriter) failed(err error, relation *catalog.Nested, written ...nested.Row) error {
	own := *kiterror.AsError(err)
	if (own.Code == kiterror.Conflict || own.Code == kiterror.Forbidden) && len(w.x.details) > 0 {
		return w.x.refusal() // a row that was refused may be the reason, and other faults have their places
	}
	own.Entity, own.Operation = w.x.door.Name, w.x.op.Name
	details, ok := own.Details.([]schema.Detail)
	if !ok {
		if own.Code != kiterror.InternalError {
			own.Message = relation.Name + ": " + own.Message
		}
		return own.WithCause(err)
	}
	details = slices.Clone(details)
	for i := range details {
		row := written[0]
		rest, body := cutBody(details[i].Pointer)
		if len(written) > 1 && body {
			place, _, _ := strings.Cut(rest[1:], "/")
			at, _ := strconv.Atoi(place)
			row, rest = written[at], rest[1+len(place):]
		}
		if !body || relation.Far != nil {
			rest = ""
		}
		details[i] = details[i].At(row.At + rest)
	}
	if own.Details = details; len(details) > 0 {
		own.Message = kiterror.Sentence(details[0])
	}
	return w.x.gather(own.WithCause(err))
}
