package resolvers

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/frondhost/frond/resolvers/graphqlerror"
	"github.com/frondhost/frond/resolvers/loader"
	"github.com/graphql-go/graphql"
)

// written resolves the hand-written fields of one level: every function first,
// then, when the level's calls have come back, the thunks they gave, then what
// stands below the objects.
func (x *exec) written(r *run, list []*written, wait *sync.WaitGroup) {
	values := make([][]any, len(list))
	for i, w := range list {
		if res := &r.res[w.on.id]; res.fault == nil && res.items > 0 {
			values[i] = x.resolve(r, w)
		}
	}
	wait.Wait()
	for i, w := range list {
		if values[i] == nil {
			continue
		}
		c := completer{x: x, w: w}
		trees := make([]tree, len(values[i]))
		for j, v := range values[i] {
			trees[j] = c.complete(w.field.out, v)
		}
		c.run()
		r.res[w.on.id].trees[w.id] = trees
	}
}

// failure is what a function gave instead of a value.
type failure struct{ fault *graphqlerror.Error }

// resolve is the value of a field for each of its items.
func (x *exec) resolve(r *run, w *written) []any {
	res := &r.res[w.on.id]
	values := make([]any, res.items)
	switch {
	case w.node:
		node := x.node(w)
		for i := range values {
			values[i] = node
		}
		return values
	case w.def == nil: // a column whose objects hold hand-written fields
		for i := range values {
			if v := res.at(i, w.field.slot); v != nil {
				values[i] = v
			}
		}
		return values
	}
	args, err := x.goArguments(w)
	for i := range values {
		if err != nil {
			values[i] = failure{x.failed(err)}
			continue
		}
		values[i] = x.call(w, res.stands(i), args)
	}
	return values
}

// stands is what a hand-written field of item i stands on.
func (res *result) stands(i int) any {
	if res.source != nil {
		return res.source[i]
	}
	return res.rows.Row(i)
}

// call runs one function. What it panics with stays here.
func (x *exec) call(w *written, source any, args map[string]any) (value any) {
	defer func() {
		if p := recover(); p != nil {
			value = failure{x.panicked(p)}
		}
	}()
	value, err := w.resolve(graphql.ResolveParams{
		Source:  source,
		Args:    args,
		Context: x.withLoaders(),
		Info:    x.info(w),
	})
	if err != nil {
		return failure{x.failed(err)}
	}
	return value
}

// withLoaders is the context of hand-written fields, where [Load] finds its loaders.
func (x *exec) withLoaders() context.Context {
	if x.loading == nil {
		x.loading = loader.With(x.ctx, x.e.schema, x.e.caller)
	}
	return x.loading
}

// info is what a function is told about its field. There is no document in
// graphql-go's form: FieldASTs, Fragments and Operation are empty.
func (x *exec) info(w *written) graphql.ResolveInfo {
	info := graphql.ResolveInfo{
		FieldName:      w.def.Name,
		Path:           &graphql.ResponsePath{Key: w.field.name},
		ReturnType:     w.def.Type,
		Schema:         x.e.schema.GraphQL,
		VariableValues: x.variableValues(),
	}
	info.ParentType, _ = x.e.schema.GraphQL.Type(w.field.typ.parent.name).(*graphql.Object)
	return info
}

func (x *exec) variableValues() map[string]any {
	if x.decoded == nil {
		x.decoded = map[string]any{}
		for i, text := range x.vars.text {
			var v any
			if text != nil && json.Unmarshal(text, &v) == nil {
				x.decoded[x.vars.op.vars[i].name] = v
			}
		}
	}
	return x.decoded
}
