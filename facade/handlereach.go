package facade

import (
	"context"
	"encoding/json"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// handleEach answers a batch of an operation whose built-in a handler replaces: the
// handler knows one call at a time, so it is called once for each distinct key.
func (x handlerCall) handleEach(ctx context.Context) (*Result, error) {
	out := &Result{Form: FormRow, Page: Page{Total: -1}}
	if x.op.Name == "list" {
		out.Form = FormPage
	}
	each, made := x.each, make([]Group, len(x.each.values))
	var parts []*rows.Rows
	n := 0
	for i, key := range each.values {
		one := *x.execution
		one.each = nil
		call := *x.call
		call.Each = nil
		if x.op.Name == "list" {
			call.Invocation.Query = withKey(call.Invocation.Query, each.field, key)
		} else {
			call.Invocation.ID = key
		}
		one.call = &call
		res, err := handlerCall{&one}.handle(ctx)
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

// handlerRunner answers an operation by the author's handler.
type handlerRunner struct{}

// by implements [runner].
func (handlerRunner) by() answerer { return byHandler }

// run implements [runner]: the handler is called once, or once for each key of a batch.
func (handlerRunner) run(ctx context.Context, x *execution) (*Result, error) {
	switch {
	case x.op.detached && x.transaction != nil:
		return nil, x.errDetached()
	case x.each != nil && x.call.Each != nil:
		return handlerCall{x}.handleEach(ctx)
	}
	return handlerCall{x}.handle(ctx)
}

// errDetached is why a detached command does not run within a transaction.
func (x *execution) errDetached() error {
	return kiterror.Errorf(kiterror.InternalError, "%s is detached, and was called within the transaction of another command; "+
		"attach that one as detached too, or call %[1]s where its answer is there", x.where())
}
