package frond

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Change is a hook's view of a command. It belongs to one call of the hook: keep its values,
// not the Change itself. Values are the stored ones, for any caller.
type Change[T any] struct {
	// Operation is create, update, delete, or the name of a command of the program.
	Operation string
	// ID is the id of the row; "" for a command without one.
	ID string
	// Row is, before create, the row as it is going to be written; before update, only the
	// written fields; after any command that answers a row of the door, the row as it is stored
	// now. Else it is nil.
	Row *T
	// Set is empty before create and update: the hook's values in it are written too, and
	// replace values of the caller. It is nil in all other hooks.
	Set Set

	call *facade.Call
}

// Writes reports whether create or update writes the field, null included.
func (c *Change[T]) Writes(field string) bool {
	return jsontext.Get(c.call.Invocation.Body, field) != nil || hasKey(c.Set, field)
}

func hasKey(s Set, name string) bool { _, there := s[name]; return there }

// Input decodes the input of the command into a pointer: one object with the members of params,
// query and body.
func (c *Change[T]) Input(into any) error {
	in := &c.call.Invocation
	for _, part := range []json.RawMessage{in.Params, in.Query, in.Body} {
		if len(part) == 0 {
			continue
		}
		if err := json.Unmarshal(part, into); err != nil {
			return err
		}
	}
	return nil
}

// Before attaches fn to run before a command of the door: create, update, delete, or one of the
// program's. It runs after the call is allowed and judged, and before any write, for calls from
// every surface and from the program itself. An error refuses the call, and no row is written.
// Hooks run in the order they were attached. A hook that calls the same operation [Inside] does
// not run again.
func (d *DoorOf[T]) Before(operation string, fn func(ctx context.Context, c *Change[T]) error) {
	facade.Attach(d.ref, operation, facade.Hook{Before: func(ctx context.Context, call *facade.Call) (schema.Object, error) {
		c, err := changeOf[T](d.door, call, nil)
		if err != nil {
			return nil, err
		}
		if err := fn(d.enter(ctx), c); err != nil {
			return nil, err
		}
		return members(c.Set)
	}})
}

// After attaches fn to run after a command of the door is committed. It does not run if the
// command failed, delete found no row, or update had no field to write. The answer waits for
// it, and it continues after the caller is gone. It cannot change the write any more: fn
// returns no error, and a panic is logged.
func (d *DoorOf[T]) After(operation string, fn func(ctx context.Context, c *Change[T])) {
	facade.Attach(d.ref, operation, facade.Hook{After: func(ctx context.Context, call *facade.Call, res *facade.Result) {
		defer func() {
			if p := recover(); p != nil {
				slog.ErrorContext(ctx, "a hook panicked; the committed write stays", "operation", d.name+"."+operation, "panic", p, "stack", string(debug.Stack()))
			}
		}()
		c, err := changeOf[T](d.door, call, res)
		if err != nil {
			slog.ErrorContext(ctx, "a hook cannot run", "operation", d.name+"."+operation, "error", err)
			return
		}
		fn(d.enter(ctx), c)
	}})
}

// changeOf is a call as a hook sees it; res is nil before it.
func changeOf[T any](d *door, call *facade.Call, res *facade.Result) (*Change[T], error) {
	c := &Change[T]{Operation: call.Operation, call: call, ID: textOf(jsontext.Get(call.Invocation.Params, "id"))}
	if call.Operation == "create" {
		c.ID = textOf(jsontext.Get(call.Invocation.Body, d.card.primary))
	}
	var row json.RawMessage
	switch writes := call.Operation == "create" || call.Operation == "update"; {
	case res != nil && res.Form == facade.FormRow && res.Rows.Len() > 0:
		row = res.Rows.Row(0).JSON()
	case res == nil && writes:
		row, c.Set = call.Invocation.Body, Set{}
	}
	if row != nil {
		c.Row = new(T)
		if err := json.Unmarshal(row, c.Row); err != nil {
			return nil, kiterror.Internal(fmt.Errorf("what %s.%s writes does not fit %T: %w", call.Entity, call.Operation, *c.Row, err))
		}
	}
	return c, nil
}

// textOf is an id as text, a number as it is written.
func textOf(id json.RawMessage) string {
	if jsontext.KindOf(id) == jsontext.String {
		return jsontext.Unquote(jsontext.Trim(id))
	}
	return string(id)
}

// members is a Set as JSON, for the façade.
func members(set Set) (schema.Object, error) {
	var out schema.Object
	for name, value := range set {
		text, err := jsontext.Marshal(value)
		if err != nil {
			return nil, kiterror.Internal(fmt.Errorf("a hook sets %s: %w", name, err))
		}
		out = append(out, schema.Member{Name: name, Value: text})
	}
	return out, nil
}
