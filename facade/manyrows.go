package facade

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// Stored rows are updated or deleted together where neither a handler nor a hook of the author's takes
// part ([execution.atOnce]):
//
//	find     the rows that the caller may write, as they are    one statement
//	judge    each row, as update judges it
//	write    all of them, with their events                     [Abilities.WriteAll]
//
// If anything is wrong with one of them, nothing is written, and the rows are written one by one, which
// reports the row at fault.

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

// write writes the rows. done is false where nothing was written, and they have to be written one by one.
func (w *rowBatch) write(ctx context.Context) (done bool, err error) {
	x, all := w.x, w.x.store().Abilities().WriteAll
	if all == nil || len(w.ids) < 2 || !x.atOnce(w.op) || w.patch == nil && w.op.Emits && x.host.catalog.Cascades[x.door.Entity] != nil {
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

// judge finds the rows and judges each. It is false where one of them is not there for the caller, or is at fault.
func (w *rowBatch) judge(ctx context.Context, one *execution) (bool, error) {
	e, fields := w.x.door.Entity, w.read
	if w.op.Emits {
		fields = catalog.StoredFields(e)
	}
	by := &filter.Filter{Op: filter.In, Field: e.Primary}
	at := make(map[string]int, len(w.ids))
	for i, id := range w.ids {
		value, _ := rows.Value(e.Primary.Kind, id)
		by.Values, at[string(id)] = append(by.Values, value), i
	}
	others := slices.DeleteFunc(slices.Clone(fields), func(name string) bool { return name == e.Primary.Name })
	layout := rows.NewLayout(append([]string{e.Primary.Name}, others...))
	found, err := w.x.store().Find(ctx, &Find{Entity: e, Select: layout, Where: filter.Both(by, writableRows(one)), Sort: newOrder(e, nil).keys, Limit: len(w.ids), NoKeys: true})
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
// merged with those of the row.
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
	return true, checkVisible(ctx, one, &w.terms, errHidden(catalog.Updated))
}

// store writes the judged rows.
func (w *rowBatch) store(ctx context.Context, one *execution, all writeAll) error {
	var announce func(*rows.Rows) error
	if w.op.Emits {
		e := newEmission(&one.viewer)
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
	found, err := all(ctx, w.x.door.Entity, w.keys, w.sets, w.terms.orNone(), layout)
	if err == nil && announce != nil {
		err = announce(found)
	}
	return err
}

// withoutFixed is the body of an upsert for a row that is there, without the members that update does not
// take and that are those of the row.
func withoutFixed(body json.RawMessage, fixed schema.Object, row rows.Row) json.RawMessage {
	return schema.Rewrite(body, func(name string, value json.RawMessage) json.RawMessage {
		if is := fixed.Get(name); is != nil && bytes.Equal(is, row.Get(name)) {
			return nil
		}
		return value
	})
}
