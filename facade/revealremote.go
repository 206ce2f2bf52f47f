package facade

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Events of a Frond that runs elsewhere. Who may see its rows is said there, by collectors that
// this host does not know. So the rows are read there, with the subscriber's state, and what
// comes back is shown: the row as it is now. A row that was deleted cannot be read any more, nor
// one as it was before an update; they are judged where this host says who may see them.

// revealRemote is reveal for a fact about the rows of a remote door.
func (w *Watch) revealRemote(ctx context.Context, x *execution, events []*Event) ([]Revealed, error) {
	primary := x.door.Entity.Primary
	var keys []json.RawMessage
	known := map[string]bool{}
	for _, e := range events {
		if key, why := rows.Key(primary, e.Key); why == "" && e.Change != catalog.Deleted && !known[string(key)] {
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
		key, _ := rows.Key(primary, e.Key)
		row, seen := there[string(key)]
		switch {
		case gone[e] && e.Change != catalog.Deleted:
			r.Change = Withdrawn
		case gone[e]:
			one := rows.New(x.sel.out, 1)
			carry(one, e.Data, w.fact.Data)
			r.Row = one.Outside().Row(0)
		case seen && e.Change != catalog.Deleted:
			r.Row, r.Version, r.Failed = row.row, row.version, row.failed
		default:
			continue
		}
		if r.Change != Withdrawn {
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
// this host shows all the same: rows that were deleted, and rows as they were before an update
// that took them out of sight. Where nothing is said here there are none.
func (w *Watch) judgedHere(ctx context.Context, x *execution, events []*Event, there map[string]shownRow) (map[*Event]bool, error) {
	if access.AuthorityOf(x.door.Door, x.door.collector) == catalog.ByHost {
		return nil, nil
	}
	return rowsMeeting(ctx, x, events, func(e *Event) json.RawMessage {
		key, _ := rows.Key(x.door.Entity.Primary, e.Key)
		switch _, seen := there[string(key)]; {
		case e.Change == catalog.Deleted:
			return e.Data
		case w.fact.Changes && e.Change == catalog.Updated && !seen:
			return e.Before
		}
		return nil
	})
}

// shownRow is a row that was read where it is kept.
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
		key, _ := rows.Key(primary, res.Rows.Row(i).Get(primary.Name))
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
