package facade

import (
	"context"
	"fmt"
	"strings"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// Hook is the author's code around a command, whatever answers it and wherever the call
// comes from. Either function may be nil. Both are called from many goroutines.
type Hook struct {
	// Before runs when the call is allowed and judged, and before anything is written. c
	// is what a [Handler] is given. Its error is the call's, and nothing is written. The
	// members it answers are written beside those of the body or in their place, as they
	// are kept; only create and update take any, and a value that does not fit its field
	// is INTERNAL_ERROR.
	Before func(ctx context.Context, c *Call) (schema.Object, error)
	// After runs when the write is committed: never for a call that failed, a delete that
	// found no row, or an update that writes nothing. res is the answer before it is
	// projected: its rows have every stored field, as they are kept. The context is not
	// cancelled when the caller goes away.
	After func(ctx context.Context, c *Call, res *Result)
}

type attachedHook struct {
	door DoorRef
	name string
	Hook
}

// Attach adds a hook to a command of the door, built in or the author's own. Hooks run in
// the order they were attached. Calls that a hook, or the handler of the command, makes
// to the same command by [Inside] run no hooks again.
func Attach(door DoorRef, operation string, h Hook) {
	door.project.hooks = append(door.project.hooks, attachedHook{door, operation, h})
}

func (b *compiler) attachHook(h attachedHook) {
	method := h.door.name + "." + h.name
	door := b.doors[h.door.key()]
	if door == nil {
		b.fault(goCode, "", fmt.Sprintf("a hook is attached to %s, but no door is called %s", method, h.door.name), b.doorsRemedy())
		return
	}
	switch op := door.ops[h.name]; {
	case op == nil:
		b.fault(goCode, "", fmt.Sprintf("a hook is attached to %s, but %s has no such operation", method, door.Name), "name one of "+strings.Join(door.operationNames(), ", "))
	case op.Kind != Command:
		b.fault(goCode, "", fmt.Sprintf("a hook is attached to %s, which is a query", method), "attach hooks to commands; collectors say who reads what, and computed fields what rows show")
	default:
		op.hooks = append(op.hooks, h.Hook)
	}
}

// hooks are those of the call. A Frond that runs elsewhere has its hooks there, an
// explained call changes nothing, and neither does an empty patch.
func (t *trip) hooks() []Hook {
	switch {
	case t.op.hooks == nil, t.away(), t.told != nil, t.inside && t.within == t.op:
		return nil
	case t.op.builtin != nil && t.op.builtin.fill == fillUpdate && len(t.body) == 0 && !t.handled():
		return nil
	}
	return t.op.hooks
}

// runBefore runs the hooks before the write, and takes over what they write.
func (t *trip) runBefore(ctx context.Context) error {
	for _, h := range t.hooks() {
		if h.Before == nil {
			continue
		}
		set, err := h.Before(t.station(ctx), t.admitted())
		if err == nil && len(set) > 0 {
			err = t.amend(set)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// runAfter runs the hooks after a write that is committed.
func (t *trip) runAfter(ctx context.Context, res *Result) {
	hooks := t.hooks()
	if hooks == nil || t.op.Name == "delete" && t.op.Builtin && string(res.Value) != "true" {
		return
	}
	ctx = context.WithoutCancel(ctx)
	for _, h := range hooks {
		if h.After != nil {
			h.After(t.station(ctx), t.admitted(), res)
		}
	}
}

// amend lays members that a hook writes over the body.
func (t *trip) amend(set schema.Object) error {
	if t.op.builtin == nil || t.op.builtin.fill == fillNothing {
		return kiterror.Internal(fmt.Errorf("a hook before %s answers fields to write; only hooks before create and update do", t.where()))
	}
	card := t.door.Entity
	if set.Get(card.Primary.Name) != nil && t.id != nil {
		return kiterror.Internal(fmt.Errorf("a hook before %s writes %s, which names the row and never changes", t.where(), card.Primary.Name))
	}
	judged, details := card.Judge(schema.Plain, set.AppendJSON(nil), "/body")
	for _, d := range details {
		if name, _, _ := strings.Cut(d.Path, "."); set.Get(name) != nil {
			return kiterror.Internal(fmt.Errorf("a hook before %s writes what the card does not take: %s %s", t.where(), d.Path, d.Message))
		}
	}
	inside := *t
	inside.inside = true // a hook's values are the author's: as they are kept
	for i := range judged {
		judged[i].Value = inside.inward(card.Property(judged[i].Name), judged[i].Value)
	}
	if err := inside.refusal(); err != nil {
		return kiterror.Internal(fmt.Errorf("a hook before %s: %w", t.where(), err))
	}
	t.amended = laidOver(card, t.amended, judged)
	t.body = laidOver(card, t.body, judged)
	return nil
}

// laidOver is a record with the members of another laid over it, in declaration order.
func laidOver(card *schema.Entity, below, above schema.Object) schema.Object {
	out := make(schema.Object, 0, len(below)+len(above))
	for _, p := range card.Fields {
		value := above.Get(p.Name)
		if value == nil {
			value = below.Get(p.Name)
		}
		if value != nil {
			out = append(out, schema.Member{Name: p.Name, Value: value})
		}
	}
	return out
}
