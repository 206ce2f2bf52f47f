package resolvers

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/language"
)

// custom resolves the hand-registered fields of one level: first every function, then, when the
// calls of the level have returned, their thunks, then the selection sets of the objects they
// returned. wait is for those calls.
func (x *execution) custom(r *run, list []*customField, wait *sync.WaitGroup) {
	values := make([][]any, len(list))
	for i, w := range list {
		if res := &r.Results[w.On.ID]; res.Err == nil && res.Items > 0 {
			values[i] = x.resolve(r, w)
		}
	}
	wait.Wait()
	for i, w := range list {
		// The parent failed or has no rows, so the field has no value.
		if values[i] == nil {
			continue
		}
		c := completer{x: x, w: w}
		trees := make([]tree, len(values[i]))
		for j, v := range values[i] {
			trees[j] = c.complete(w.Field.Output, v)
		}
		c.run()
		r.Results[w.On.ID].Trees[w.ID] = trees
	}
}

// failure is the error that a function returned instead of a value.
type failure struct{ err *language.Error }

// resolve returns the value of a field for each of its items. A node is searched once and is
// the same for all, as its only parent is the root.
func (x *execution) resolve(r *run, w *customField) []any {
	res := &r.Results[w.On.ID]
	values := make([]any, res.Items)
	switch {
	case w.Node:
		node := x.node(w)
		for i := range values {
			values[i] = node
		}
		return values
	case w.Def == nil: // a column whose objects hold hand-written fields
		for i := range values {
			if v := res.at(i, w.Field.Slot); v != nil {
				values[i] = v
			}
		}
		return values
	}
	args, err := x.goArguments(w)
	for i := range values {
		if err != nil {
			values[i] = failure{x.Failed(err)}
			continue
		}
		values[i] = x.call(w, res.sourceOf(i), args)
	}
	return values
}

// sourceOf returns the Source of the fields of item i: the value that a Resolve returned, or the
// row.
func (res *result) sourceOf(i int) any {
	if res.source != nil {
		return res.source[i]
	}
	return res.rows.Row(i)
}

// call runs one Resolve and returns its value, which may be a thunk. An error or a panic of it
// is a failure of the field.
func (x *execution) call(w *customField, source any, args map[string]any) (value any) {
	defer func() {
		if p := recover(); p != nil {
			value = failure{x.Panicked(p)}
		}
	}()
	value, err := w.Resolve(graphql.ResolveParams{
		Source:  source,
		Args:    args,
		Context: x.withLoaders(),
		Info:    x.info(w),
	})
	if err != nil {
		return failure{x.Failed(err)}
	}
	return value
}

// withLoaders returns the context of a Resolve, in which package binding finds the request's
// loaders. Only this goroutine of the execution calls it.
func (x *execution) withLoaders() context.Context {
	if x.loading == nil {
		x.loading = binding.WithLoaders(x.Ctx, x.Schema, x.Caller)
	}
	return x.loading
}

// info describes the field to its Resolve. The document is not one of graphql-go's, so
// FieldASTs, Fragments and Operation are empty.
func (x *execution) info(w *customField) graphql.ResolveInfo {
	info := graphql.ResolveInfo{
		FieldName:      w.Def.Name,
		Path:           &graphql.ResponsePath{Key: w.Field.Name},
		ReturnType:     w.Def.Type,
		Schema:         *x.Schema.GraphQL(),
		VariableValues: x.variableValues(),
	}
	info.ParentType, _ = x.Schema.GraphQL().Type(w.Field.Type.Parent.Name).(*graphql.Object)
	return info
}

// variableValues returns the variables as Go values, decoded once for an execution. Numbers
// are float64, as in graphql-go.
func (x *execution) variableValues() map[string]any {
	if x.decoded == nil {
		x.decoded = map[string]any{}
		for name, text := range x.Vars.All() {
			var v any
			if json.Unmarshal(text, &v) == nil {
				x.decoded[name] = v
			}
		}
	}
	return x.decoded
}
