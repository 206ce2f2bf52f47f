package facade

import (
	"context"
	"fmt"
	"strings"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// hooksOf are those of the call. An explained call changes nothing, and neither does an
// empty patch.
func hooksOf(x *execution) []Hook {
	switch {
	case x.op.hooks == nil, x.watch.on(), x.inside && x.within == x.op:
		return nil
	case x.op.builtin != nil && x.op.builtin.fill == fillUpdate && len(x.body) == 0 && x.runner.by() != byHandler:
		return nil
	}
	return x.op.hooks
}

// runBefore runs the hooks before the write, and takes over what they write.
func runBefore(ctx context.Context, x *execution) error {
	for _, h := range hooksOf(x) {
		if h.Before == nil {
			continue
		}
		set, err := h.Before(authorContext(ctx, x), admittedCall(x))
		if err == nil && len(set) > 0 {
			err = amend(x, set)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// runHooksAfter runs the hooks after a command, or has them wait for the commit of the transaction
// that it is part of. They then are part of none.
func runHooksAfter(ctx context.Context, x *execution, res *Result) {
	t := x.transaction
	if t == nil {
		runAfter(ctx, x, res)
		return
	}
	own := *x
	own.transaction = nil
	t.later(func() { runAfter(t.base, &own, res) })
}

// runAfter runs the hooks after a write that is committed.
func runAfter(ctx context.Context, x *execution, res *Result) {
	hooks := hooksOf(x)
	if hooks == nil || x.op.Name == "delete" && x.op.Builtin && string(res.Value) != "true" {
		return
	}
	ctx = context.WithoutCancel(ctx)
	for _, h := range hooks {
		if h.After != nil {
			h.After(authorContext(ctx, x), admittedCall(x), res)
		}
	}
}

// amend lays members that a hook writes over the body.
func amend(x *execution, set schema.Object) error {
	if x.op.builtin == nil || x.op.builtin.fill == fillNothing {
		return kiterror.Internal(fmt.Errorf("a hook before %s answers fields to write; only hooks before create and update do", x.where()))
	}
	card := x.door.Entity
	if set.Get(card.Primary.Name) != nil && x.id != nil {
		return kiterror.Internal(fmt.Errorf("a hook before %s writes %s, which names the row and never changes", x.where(), card.Primary.Name))
	}
	judged, details := card.Judge(schema.Plain, set.AppendJSON(nil), "/body")
	for _, d := range details {
		if name, _, _ := strings.Cut(d.Path, "."); set.Get(name) != nil {
			return kiterror.Internal(fmt.Errorf("a hook before %s writes what the card does not take: %s %s", x.where(), d.Path, d.Message))
		}
	}
	inside := *x
	inside.inside = true // a hook's values are the author's: as they are kept
	for i := range judged {
		judged[i].Value = inward(&inside.viewer, card.Property(judged[i].Name), judged[i].Value)
	}
	if err := inside.refusal(); err != nil {
		return kiterror.Internal(fmt.Errorf("a hook before %s: %w", x.where(), err))
	}
	x.amended = laidOver(card, x.amended, judged)
	x.body = laidOver(card, x.body, judged)
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
