package resolvers

import (
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/language"
)

// Aggregate and groups of a connection are calls of aggregate, beside the list that answers its rows:
// for the same parents, with the same filter. Their groups are rows with the columns key, count and a
// column for each field, an object of its functions.

// grouped makes f a field whose value comes from a call of aggregate on the rows of the connection that on
// fetches. A connection that neither a list nor the ids of a row make has no such call: the author's own code
// chooses its rows.
func (c *compiler) grouped(f *field, g fieldGroup, on *fetch) {
	f.Action = asFetched
	b := on.Binding
	if b == nil || !b.IsList() && !b.IsNumbers() && b.Kind != binding.ToManyIDs {
		return
	}
	args := c.arguments(f.Type, f.Type.Binding, g.fields[0].Arguments)
	f.Fetch = c.sharing(f, on, args, func() *fetch {
		for _, a := range on.Args.bound {
			if b.Kind != binding.ToManyIDs && a.Into == binding.IntoQuery && a.Key != "offset" {
				args.bound = append(args.bound, a)
			}
		}
		made := &fetch{
			ID: len(c.unit.Fetches), depth: on.depth, Parent: on.Parent, Binding: f.Type.Binding, list: on,
			Entity: on.Entity, Operation: catalog.Aggregate, Each: on.Each, Key: on.Key, Args: args, Slots: map[string]int{},
		}
		c.unit.Fetches = append(c.unit.Fetches, made)
		return made
	})
	on.grouped = true
	c.fill(f, g)
}

// selectFunctions adds the functions that a field of a group selects. An object without any is there
// if one is asked for.
func (f *fetch) selectFunctions(of *field) {
	column := of.Type.Binding.Column
	switch {
	case column == binding.GroupKey:
	case of.Selection == nil:
		f.functions = binding.With(f.functions, column)
	default:
		n := len(f.functions)
		for _, fn := range of.Selection.Fields {
			if fn.Action != asTypename {
				f.functions = binding.With(f.functions, column+"."+fn.Type.Binding.Column)
			}
		}
		if len(f.functions) == n {
			f.functions = binding.With(f.functions, column+".countDistinct")
		}
	}
}

// groupArgument returns an argument of groups as the query of aggregate has it, and functions with those
// that it names.
func groupArgument(r *language.Renderer, into binding.Place, text []byte, functions []string) (value []byte, all []string) {
	if !sent(text) {
		return text, functions
	}
	var err *kiterror.Error
	switch into {
	case binding.IntoGroupBy:
		text, err = binding.GroupBy(text)
	case binding.IntoGroupSort:
		text, functions, err = binding.GroupSort(text, functions)
	default:
		functions = binding.GroupHaving(text, functions)
	}
	if err != nil && r.Err == nil {
		r.Err = err
	}
	return text, functions
}

// ungrouped is the error of a connection whose rows no list answers.
var ungrouped = &language.Error{
	Message: "the rows of this connection are chosen one by one; ask the list of their type for aggregate and groups, with a filter",
	Code:    string(kiterror.NotImplemented),
}
