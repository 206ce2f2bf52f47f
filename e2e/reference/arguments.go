package reference

import (
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers/binding"
)

// invoke puts the arguments of a field into the invocation, each where its binding says.
// graphql-go has dropped every null by now, so an argument that is null counts as not sent.
func invoke(in *facade.Invocation, where []binding.Arg, args map[string]any) error {
	params, query := map[string]any{}, map[string]any{}
	for _, a := range where {
		value, sent := args[a.Name]
		if !sent {
			continue
		}
		switch a.Into {
		case binding.IntoID:
			in.ID = mustJSON(value)
		case binding.IntoParams:
			params[a.Key] = value
		case binding.IntoQuery, binding.IntoWhere, binding.IntoFirst, binding.IntoLast, binding.IntoAfter, binding.IntoBefore:
			query[a.Key] = value
		case binding.IntoSort:
			keys, err := binding.Sort(mustJSON(value))
			if err != nil {
				return err
			}
			query[a.Key] = keys
		case binding.IntoBody:
			in.Body = mustJSON(value)
		case binding.AllParams:
			in.Params = mustJSON(value)
		case binding.AllQuery:
			in.Query = mustJSON(value)
		}
	}
	// Only a connection has the argument first; its paging arguments are checked together.
	if slices.ContainsFunc(where, func(a binding.Arg) bool { return a.Into == binding.IntoFirst }) {
		w := windowOf(args)
		if err := w.Check(); err != nil {
			return err
		}
		if name, value := binding.DirectionMember(w.First != nil, w.Last != nil, w.After != nil, w.Before != nil); name != "" {
			query[name] = json.RawMessage(value)
		}
	}
	switch {
	// The argument params and arguments for single members fill one object.
	case len(params) > 0 && in.Params != nil:
		whole, err := binding.MergeParams(mustJSON(params), in.Params)
		if err != nil {
			return err
		}
		in.Params = whole
	case len(params) > 0:
		in.Params = mustJSON(params)
	}
	if len(query) > 0 {
		in.Query = mustJSON(query)
	}
	return nil
}

// windowOf returns the paging arguments of a connection; those that are not sent are nil.
func windowOf(args map[string]any) binding.Window {
	number := func(name string) *int {
		if n, ok := args[name].(int); ok {
			return &n
		}
		return nil
	}
	text := func(name string) *string {
		if s, ok := args[name].(string); ok {
			return &s
		}
		return nil
	}
	return binding.Window{First: number("first"), Last: number("last"), Offset: number("offset"), After: text("after"), Before: text("before")}
}

// mustJSON returns v as JSON. Its values were decoded from a document or from JSON, so JSON
// can write all of them.
func mustJSON(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}
