package resolvers

import (
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema/jsontext"
)

// node resolves Query.node: the type stands in the id, so the selection for it is
// compiled now, and findById reads what that selects. An id that names nothing
// here is null, as a row that is gone is.
func (x *exec) node(w *written) (value any) {
	defer func() {
		if p := recover(); p != nil {
			value = failure{x.panicked(p)}
		}
	}()
	r := renderer{vars: x.vars}
	var text []byte
	for _, def := range w.field.typ.args {
		text, _ = r.argument(nil, def, valueOf(w.args, def.name))
	}
	if r.err != nil {
		return failure{x.failed(r.err)}
	}
	entity, key, ok := ParseNodeID(jsontext.Unquote(text))
	n := x.e.schema.Nodes[entity]
	if !ok || n == nil || n.Door == nil {
		return nil
	}
	typ := x.e.types.object(n.Type)
	if typ == nil || !x.e.types.is(typ, w.field.out.def.Name) {
		return nil
	}
	u := w.values.unit(typ)
	call := &facade.Call{
		Entity:     n.Door.Name,
		Operation:  "findById",
		Invocation: facade.Invocation{State: x.state, Trace: x.trace},
		Select:     u.fetches[0].selects(),
		Partial:    true,
	}
	var params member
	params.add("id", key)
	call.Invocation.Params = params.object()
	out, err := x.e.caller.Call(x.ctx, call)
	if err != nil {
		return failure{x.failed(err)}
	}
	switch {
	case out.Form == facade.FormValue && !jsontext.IsNull(out.Value):
		return failure{x.failed(errNotRows)}
	case out.Rows.Len() == 0:
		return nil
	}
	sub := &run{unit: u, res: make([]result, len(u.fetches))}
	sub.res[0].lay(x, u.fetches[0], out)
	x.levels(sub)
	return tree{kind: treeObject, run: sub}
}
