package resolvers

import (
	"encoding/json"
	"sync"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/language"
	"github.com/frondhost/frond/schema/jsontext"
)

// node resolves Query.node and Query.nodes. The id names the type, so the selection set for
// that type is compiled now, and one findById for each type reads the rows. An id that names
// no row the caller may read is null. A failed call is an error for each row of its type. More
// than binding.MaxNodes ids are an error of the field.
func (x *execution) node(w *customField) (value any) {
	defer func() {
		if p := recover(); p != nil {
			value = failure{x.Panicked(p)}
		}
	}()
	r := language.Renderer{Vars: x.Vars}
	var text json.RawMessage
	for _, def := range w.Field.Type.Args {
		text, _ = r.Argument(nil, def, language.ValueOf(w.Args, def.Name))
	}
	if r.Err != nil {
		return failure{x.Failed(r.Err)}
	}
	if w.Field.Output.Elem == nil {
		s := nodeSearch{x: x, w: w, found: make([]any, 1)}
		s.add(0, jsontext.Unquote(text))
		return s.run()[0]
	}
	var ids []string
	for _, id := range jsontext.Elements(text) {
		if len(ids) == binding.MaxNodes {
			return failure{x.Failed(binding.TooManyNodes())}
		}
		ids = append(ids, jsontext.Unquote(id))
	}
	s := nodeSearch{x: x, w: w, found: make([]any, len(ids))}
	for i, id := range ids {
		s.add(i, id)
	}
	return s.run()
}

// nodeSearch looks for rows by their global ids, type by type.
type nodeSearch struct {
	x     *execution
	w     *customField
	types []*nodesOfType
	found []any // by place among the ids; nil: not found
}

// nodesOfType are the rows of one type to search.
type nodesOfType struct {
	node   *binding.Node
	run    *run
	keys   []json.RawMessage // distinct
	at     map[string]int    // in keys
	places [][]int           // by key, the places of its row in the answer

	groups []facade.Group
	err    *language.Error
}

// add searches the row of a global id, for a place in the list. Any other text, and an id of an
// unknown type, is not searched: its place stays null.
func (s *nodeSearch) add(place int, id string) {
	entity, key, ok := binding.ParseNodeID(id)
	node := s.x.Schema.Nodes[entity]
	if !ok || node == nil || node.Door == nil {
		return
	}
	t := s.of(node)
	if t == nil {
		return
	}
	i, known := t.at[string(key)]
	if !known {
		i = len(t.keys)
		t.at[string(key)] = i
		// A repeated id is one key with two places.
		t.keys, t.places = append(t.keys, key), append(t.places, nil)
	}
	t.places[i] = append(t.places[i], place)
}

// of returns the search of a type, made at its first id, or nil where the field's own type
// does not include it.
func (s *nodeSearch) of(node *binding.Node) *nodesOfType {
	for _, t := range s.types {
		if t.node == node {
			return t
		}
	}
	typ := s.x.Types.object(node.Type)
	if typ == nil || !s.x.Types.is(typ, s.w.Field.Output.named().Definition.Name) {
		return nil
	}
	u := s.w.Values.unit(typ)
	t := &nodesOfType{node: node, run: &run{Unit: u, Results: make([]result, len(u.Fetches))}, at: map[string]int{}}
	s.types = append(s.types, t)
	return t
}

// run makes the calls, all at once, then executes the selections of their rows. It returns a
// Tree, a failure or nil for each place.
func (s *nodeSearch) run() []any {
	var wait sync.WaitGroup
	for i, t := range s.types {
		// The last call runs in this goroutine; a search of one type starts no other.
		if i == len(s.types)-1 {
			s.x.nodesOf(t)
			break
		}
		wait.Go(func() {
			s.x.nodesOf(t)
		})
	}
	wait.Wait()
	for _, t := range s.types {
		if t.err == nil {
			s.x.levels(t.run) // one after the other: hand-written fields share their loaders
		}
		for i, places := range t.places {
			for _, place := range places {
				switch {
				case t.err != nil:
					s.found[place] = failure{t.err}
				case t.groups[i].From < t.groups[i].To:
					s.found[place] = tree{Kind: treeObject, Run: t.run, At: t.groups[i].From}
				}
			}
		}
	}
	return s.found
}

// nodesOf makes the call of one type. A key that no row can have finds no row.
func (x *execution) nodesOf(t *nodesOfType) {
	defer func() {
		if p := recover(); p != nil {
			t.err = x.Panicked(p)
		}
	}()
	rows := t.run.Unit.Fetches[0]
	out, err := x.Caller.Call(x.Ctx, &facade.Call{
		Entity:     t.node.Door.Name,
		Operation:  "findById",
		Invocation: facade.Invocation{State: x.State, Trace: x.Trace},
		Each:       &facade.Each{Field: t.node.Door.Entity.Primary.Name, Keys: t.keys},
		Select:     rows.Selects(),
		Partial:    true,
	})
	if err == nil {
		err = out.Grouped(len(t.keys))
	}
	if err != nil {
		t.err = x.Failed(err)
		return
	}
	t.groups = out.Groups
	t.run.Results[0].lay(x, rows, out)
}
