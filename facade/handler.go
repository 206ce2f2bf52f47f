package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// handle hands the admitted call to the author's handler, and takes over its answer. A
// precondition of the caller is judged first.
func handle(ctx context.Context, x *execution) (*Result, error) {
	lent, there, err := beforeHandler(ctx, x)
	switch {
	case err != nil:
		return nil, err
	case !there && x.op.Name == "delete":
		return &Result{Form: FormValue, Value: json.RawMessage("false")}, nil
	case !there:
		return nil, kiterror.Errorf(kiterror.NotFound, "there is no %s with this id", x.door.Name)
	}
	x.pending = lent
	answer, err := x.op.handler(authorContext(ctx, x), admittedCall(x))
	if err != nil {
		return nil, err
	}
	return adopt(x, answer)
}

// admittedCall is the call as the author's code is given it: judged, decoded and filled.
func admittedCall(x *execution) *Call {
	in := x.call.Invocation
	in.State = x.state
	in.ID, in.Params = nil, in.ParamsJSON()
	if x.op.builtin == nil {
		in.Params, in.Query = x.params, x.query
	}
	if x.op.Input != nil {
		in.Body = x.body.AppendJSON(nil)
	}
	if x.condition != nil {
		in.Query = withWhere(x, in.Query)
	}
	return &Call{
		Entity: x.door.Name, Operation: x.op.Name, Invocation: in,
		Select: newNames(x.op.reader, x.call.Select), Cursors: x.call.Cursors, Partial: x.call.Partial, If: x.precondition,
	}
}

// handleEach answers a batch of an operation whose built-in a handler replaces: the
// handler knows one call at a time, so it is called once for each distinct key.
func handleEach(ctx context.Context, x *execution) (*Result, error) {
	out := &Result{Form: FormRow, Page: Page{Total: -1}}
	if x.op.Name == "list" {
		out.Form = FormPage
	}
	each, made := x.each, make([]Group, len(x.each.values))
	var parts []*rows.Rows
	n := 0
	for i, key := range each.values {
		one := *x
		one.each = nil
		call := *x.call
		call.Each = nil
		if x.op.Name == "list" {
			call.Invocation.Query = withKey(call.Invocation.Query, each.field, key)
		} else {
			call.Invocation.ID = key
		}
		one.call = &call
		res, err := handle(ctx, &one)
		if err != nil {
			return nil, err
		}
		x.sel = one.sel
		parts = append(parts, res.Rows)
		made[i] = Group{From: n, To: n + res.Rows.Len(), Page: res.Page}
		n += res.Rows.Len()
	}
	out.Rows = rows.Join(x.sel.stored, parts)
	out.Groups = make([]Group, len(each.order))
	for i, at := range each.order {
		if at >= 0 {
			out.Groups[i] = made[at]
		}
	}
	return out, nil
}

// withKey is the query of list with one more condition: the field equals the key.
func withKey(query json.RawMessage, field *schema.Property, key json.RawMessage) json.RawMessage {
	name := field.Name
	if field.Link != nil {
		name = field.Link.Key
	}
	eq := schema.Object{{Name: "eq", Value: key}}.AppendJSON(nil)
	filter := schema.Object{{Name: name, Value: eq}}.AppendJSON(nil)
	var out schema.Object
	for name, value := range jsontext.Members(query) {
		if name == "filter" && !jsontext.IsNull(value) {
			both := append(append(append(append([]byte("["), value...), ','), filter...), ']')
			filter = schema.Object{{Name: "and", Value: both}}.AppendJSON(nil)
			continue
		}
		if name != "filter" {
			out = append(out, schema.Member{Name: name, Value: value})
		}
	}
	return schema.Object(append(out, schema.Member{Name: "filter", Value: filter})).AppendJSON(nil)
}

// runHandler calls the author's handler: once, or once for each key of a batch.
func runHandler(ctx context.Context, x *execution) (*Result, error) {
	switch {
	case x.op.detached && x.transaction != nil:
		return nil, errDetached(&x.viewer)
	case x.each != nil && x.call.Each != nil:
		return handleEach(ctx, x)
	}
	return handle(ctx, x)
}

// errDetached is why a detached command does not run within a transaction.
func errDetached(x *viewer) error {
	return kiterror.Errorf(kiterror.InternalError, "%s is detached, and was called within the transaction of another command; "+
		"attach that one as detached too, or call %[1]s where its answer is there", x.where())
}

// hooksOf are those of the call. A dry run changes nothing, and neither does an
// empty patch.
func hooksOf(x *execution) []Hook {
	switch {
	case x.op.hooks == nil, x.trace.dry(), x.inside && x.within == x.op:
		return nil
	case x.op.builtin != nil && x.op.builtin.fill == fillUpdate && len(x.body) == 0 && x.runner.by != byHandler:
		return nil
	}
	return x.op.hooks
}

// runBefore runs the hooks before the write, and takes over their fields.
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
	own, kept := *x, *res // the answer is projected before the commit
	own.transaction = nil
	t.later(func() { runAfter(t.base, &own, &kept) })
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
