package rehearse

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// The most that a rehearsal shows.
const (
	maxChanges = 1000
	maxShown   = 1 << 20 // bytes of rows
)

// Change is one row that the command would change, as its caller sees it. A side is nil if there is no row, or none for the caller.
type Change struct {
	Entity        string
	Key           json.RawMessage
	Kind          catalog.Change
	Before, After json.RawMessage
}

// Event is an event that the command would emit.
type Event struct {
	Name   string
	Entity string          // "": the event is about no row
	Key    json.RawMessage // nil: the event is about no row
}

// AppendJSON appends the answer of a rehearsal: result is the answer of the command itself.
func (r *Rehearsal) AppendJSON(dst []byte, result json.RawMessage) []byte {
	dst = jsontext.AppendString(append(dst, `{"rehearsal":`...), r.Token)
	if result != nil {
		dst = append(append(dst, `,"result":`...), result...)
	}
	dst = append(dst, `,"changes":[`...)
	for i := range r.Changes {
		dst = r.Changes[i].appendJSON(jsontext.Comma(dst))
	}
	dst = append(dst, `],"events":[`...)
	for _, e := range r.Events {
		dst = jsontext.AppendString(append(jsontext.Comma(dst), `{"name":`...), e.Name)
		if e.Entity != "" {
			dst = jsontext.AppendString(append(dst, `,"entity":`...), e.Entity)
			dst = append(append(dst, `,"key":`...), e.Key...)
		}
		dst = append(dst, '}')
	}
	return append(strconv.AppendInt(append(dst, `],"more":`...), int64(r.More), 10), '}')
}

// Answer is the rehearsal as the answer of a call.
func (r *Rehearsal) Answer(result json.RawMessage) *facade.Result {
	return &facade.Result{Form: facade.FormValue, Value: r.AppendJSON(nil, result), Rehearsed: true}
}

// kinds are the changes as they are written.
var kinds = map[catalog.Change]string{catalog.Created: "CREATED", catalog.Updated: "UPDATED", catalog.Deleted: "DELETED"}

func (c *Change) appendJSON(dst []byte) []byte {
	dst = jsontext.AppendString(append(dst, `{"entity":`...), c.Entity)
	dst = append(append(dst, `,"key":`...), c.Key...)
	dst = append(append(append(dst, `,"change":"`...), kinds[c.Kind]...), '"')
	for _, side := range []struct {
		name string
		row  json.RawMessage
	}{{"before", c.Before}, {"after", c.After}} {
		dst = append(append(append(dst, `,"`...), side.name...), `":`...)
		if side.row == nil {
			dst = append(dst, "null"...)
		} else {
			dst = append(dst, side.row...)
		}
	}
	return append(dst, '}')
}

// view is the caller's view of the rows of a record.
type view struct {
	command       *Command
	record        *record
	before, after map[*change]json.RawMessage // rows, empty beyond what is shown
}

// look reads the rows as the caller sees them now, but for those of one kind, which are not there now.
func (v *view) look(ctx context.Context, but catalog.Change) (map[*change]json.RawMessage, error) {
	seen := map[*change]json.RawMessage{}
	size := 0
	var run []*change
	flush := func() error {
		if len(run) == 0 {
			return nil
		}
		var fields []string
		whole := len(seen) < maxChanges && size < maxShown
		if !whole {
			fields = []string{run[0].entity.Primary.Name}
		}
		found, err := v.read(ctx, run[0].entity, run, fields)
		for c, row := range found {
			if !whole {
				row = json.RawMessage{}
			}
			seen[c] = row
			size += len(row)
		}
		run = run[:0]
		return err
	}
	for _, c := range v.record.changes {
		if c.kind() == but {
			continue
		}
		if len(run) > 0 && (run[0].entity != c.entity || len(run) == 100) {
			if err := flush(); err != nil {
				return nil, err
			}
		}
		run = append(run, c)
	}
	return seen, flush()
}

// read reads rows of one entity as the caller sees them. nil fields are all.
func (v *view) read(ctx context.Context, e *schema.Entity, all []*change, fields []string) (map[*change]json.RawMessage, error) {
	served := v.command.Facade.Catalog()
	door := served.Door(e.Key)
	if door == nil {
		return nil, nil
	}
	op := "findById"
	if door.Operation(op) == nil {
		op = "list"
	}
	if door.Operation(op) == nil {
		return nil, nil
	}
	each := &facade.Each{Field: e.Primary.Name}
	for _, c := range all {
		each.Keys = append(each.Keys, c.key)
	}
	res, err := v.command.Caller.Call(ctx, &facade.Call{
		Entity: door.Name, Operation: op, Each: each, Select: fields, Partial: true, NoCursors: true,
		Invocation: facade.Invocation{State: v.command.State, Trace: v.command.Trace},
	})
	switch kiterror.CodeOf(err) {
	case kiterror.Unauthorized, kiterror.Forbidden, kiterror.NotFound, kiterror.MethodNotAllowed:
		return nil, nil
	}
	if err == nil {
		err = res.Grouped(len(all))
	}
	if err != nil {
		return nil, err
	}
	seen := map[*change]json.RawMessage{}
	for i, g := range res.Groups {
		if g.From < g.To {
			seen[all[i]] = slices.Clone(res.Rows.Row(g.From).JSON())
		}
	}
	return seen, nil
}

// nameOf is the name of an entity on the surfaces.
func (v *view) nameOf(e *schema.Entity) string {
	if door := v.command.Facade.Catalog().Door(e.Key); door != nil {
		return door.Name
	}
	return e.Name
}

// changes are those that are shown, and how many more there are.
func (v *view) changes() (shown []Change, more int) {
	for _, c := range v.record.changes {
		before, was := v.before[c]
		after, is := v.after[c]
		whole := (!was || len(before) > 0) && (!is || len(after) > 0)
		switch {
		case !was && !is, was && is && whole && string(before) == string(after): // none, or none for the caller
		case !whole || len(shown) == maxChanges:
			more++
		default:
			shown = append(shown, Change{Entity: v.nameOf(c.entity), Key: c.key, Kind: c.kind(), Before: before, After: after})
		}
	}
	return shown, more
}

// events are those about rows that the caller sees, and those about none that the caller may subscribe to.
func (v *view) events(ctx context.Context) (shown []Event) {
	f := v.command.Facade
	may := map[string]bool{}
	for i := range v.record.emitted {
		e := &v.record.emitted[i]
		if len(shown) == maxChanges {
			break
		}
		if e.Key == nil {
			name := e.Frond + "." + e.Name
			if _, asked := may[name]; !asked {
				_, err := f.Watch(ctx, &facade.Subscription{Frond: e.Frond, Fact: e.Name, State: v.command.State})
				may[name] = err == nil
			}
			if may[name] {
				shown = append(shown, Event{Name: e.Name})
			}
			continue
		}
		entity := f.Catalog().Set.Entity(e.Entity)
		c := v.record.at[rowOf{entity, string(e.Key)}]
		_, was := v.before[c]
		if _, is := v.after[c]; c != nil && (was || is) {
			shown = append(shown, Event{Name: e.Name, Entity: v.nameOf(entity), Key: e.Key})
		}
	}
	return shown
}
