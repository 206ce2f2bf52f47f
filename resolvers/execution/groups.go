package execution

import (
	"encoding/json"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/language"
	"github.com/frondhost/frond/schema/jsontext"
)

// Aggregate and groups of a connection are calls of aggregate, beside the list that answers its rows:
// for the same parents, with the same filter. Their groups are rows with the columns key, count and a
// column for each field, an object of its functions.

// grouped makes f a field whose value comes from a call of aggregate on the rows of the connection that on
// fetches. A connection without a list has no such call: the author's own code chooses its rows, or the
// row above has their ids.
func (c *compiler) grouped(f *Field, g group, on *Fetch) {
	f.Action = asFetched
	b := on.Binding
	if b == nil || !b.IsList() {
		return
	}
	args := c.arguments(f.Type, f.Type.Binding, g.fields[0].Arguments)
	f.Fetch = c.sharing(f, on, args, func() *Fetch {
		for _, a := range on.Args.bound {
			if a.Into == binding.IntoQuery && a.Key != "offset" {
				args.bound = append(args.bound, a)
			}
		}
		made := &Fetch{
			ID: len(c.unit.Fetches), depth: on.depth, Parent: on.Parent, Binding: f.Type.Binding, list: on,
			Entity: on.Entity, Operation: catalog.Aggregate, Each: on.Each, Key: on.Key, Args: args, Slots: map[string]int{},
		}
		c.unit.Fetches = append(c.unit.Fetches, made)
		return made
	})
	on.grouped = true
	c.fill(f, g)
}

// selectFunctions adds what a field of a group selects to the functions. An object without any is there
// if one is asked for.
func (f *Fetch) selectFunctions(of *Field) {
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

// groupQuery writes arguments of groups to the query of aggregate, and collects the functions that
// they name beside those that are selected.
type groupQuery struct {
	query     *member
	functions []string
}

// add writes an argument; ok is false if it is no argument of groups.
func (q *groupQuery) add(r *language.Renderer, b *bound, text json.RawMessage) (ok bool) {
	var err *kiterror.Error
	switch b.Into {
	case binding.IntoGroupBy:
		text, err = binding.GroupBy(text)
	case binding.IntoGroupSort:
		if sent(text) {
			text, q.functions, err = binding.GroupSort(text, q.functions)
		}
	case binding.IntoHaving:
		q.functions = binding.GroupHaving(text, q.functions)
	default:
		return false
	}
	if err != nil && r.Err == nil {
		r.Err = err
	}
	q.query.add(b.Key, text)
	return true
}

// end writes the functions.
func (q *groupQuery) end() {
	if len(q.functions) > 0 {
		q.query.add("select", jsontext.AppendStrings(nil, q.functions))
	}
}

// ungrouped is the error of a connection whose rows no list answers.
var ungrouped = &language.Error{
	Message: "the rows of this connection are chosen one by one; ask the list of their type for aggregate and groups, with a filter",
	Code:    string(kiterror.NotImplemented),
}
