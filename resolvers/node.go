package resolvers

import (
	"encoding/json"
	"sync"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/graphqlerror"
	"github.com/frondhost/frond/schema/jsontext"
)

// node resolves Query.node and Query.nodes: the type stands in the id, so the
// selection for it is compiled now, and one findById for each type reads what that
// selects of all its rows. An id that names nothing here is null, as a row that is
// gone or hidden is; a type that cannot be read fails where its rows would stand.
func (x *exec) node(w *written) (value any) {
	defer func() {
		if p := recover(); p != nil {
			value = failure{x.panicked(p)}
		}
	}()
	r := renderer{vars: x.vars}
	var text json.RawMessage
	for _, def := range w.field.typ.args {
		text, _ = r.argument(nil, def, valueOf(w.args, def.name))
	}
	if r.err != nil {
		return failure{x.failed(r.err)}
	}
	if w.field.out.elem == nil {
		s := nodeSearch{x: x, w: w, found: make([]any, 1)}
		s.add(0, jsontext.Unquote(text))
		return s.run()[0]
	}
	var ids []string
	for _, id := range jsontext.Elements(text) {
		if len(ids) == binding.MaxNodes {
			return failure{x.failed(binding.TooManyNodes())}
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
	x     *exec
	w     *written
	types []*nodesOfType
	found []any // by place among the ids; nil: nothing is there
}

// nodesOfType are the rows of one type that are looked for.
type nodesOfType struct {
	node   *binding.Node
	run    *run
	keys   []json.RawMessage // distinct
	at     map[string]int    // in keys
	places [][]int           // by key, where its row stands in the answer

	groups []facade.Group
	fault  *graphqlerror.Error
}

// add looks for the row of a global id, for a place of the answer.
func (s *nodeSearch) add(place int, id string) {
	entity, key, ok := binding.ParseNodeID(id)
	node := s.x.e.schema.Nodes[entity]
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
		t.keys, t.places = append(t.keys, key), append(t.places, nil)
	}
	t.places[i] = append(t.places[i], place)
}

func (s *nodeSearch) of(node *binding.Node) *nodesOfType {
	for _, t := range s.types {
		if t.node == node {
			return t
		}
	}
	typ := s.x.e.types.object(node.Type)
	if typ == nil || !s.x.e.types.is(typ, s.w.field.out.named().def.Name) {
		return nil
	}
	u := s.w.values.unit(typ)
	t := &nodesOfType{node: node, run: &run{unit: u, res: make([]result, len(u.fetches))}, at: map[string]int{}}
	s.types = append(s.types, t)
	return t
}

// run makes the calls, side by side, then what stands below their rows.
func (s *nodeSearch) run() []any {
	var wait sync.WaitGroup
	for i, t := range s.types {
		if i == len(s.types)-1 {
			s.x.nodesOf(t)
			break
		}
		wait.Add(1)
		go func() {
			defer wait.Done()
			s.x.nodesOf(t)
		}()
	}
	wait.Wait()
	for _, t := range s.types {
		if t.fault == nil {
			s.x.levels(t.run) // one after the other: hand-written fields share what they load
		}
		for i, places := range t.places {
			for _, place := range places {
				switch {
				case t.fault != nil:
					s.found[place] = failure{t.fault}
				case t.groups[i].From < t.groups[i].To:
					s.found[place] = tree{kind: treeObject, run: t.run, at: t.groups[i].From}
				}
			}
		}
	}
	return s.found
}

// nodesOf makes the call of one type. A key that no row can have finds none, as in
// every batch.
func (x *exec) nodesOf(t *nodesOfType) {
	defer func() {
		if p := recover(); p != nil {
			t.fault = x.panicked(p)
		}
	}()
	rows := t.run.unit.fetches[0]
	out, err := x.e.caller.Call(x.ctx, &facade.Call{
		Entity:     t.node.Door.Name,
		Operation:  "findById",
		Invocation: facade.Invocation{State: x.state, Trace: x.trace},
		Each:       &facade.Each{Field: t.node.Door.Entity.Primary.Name, Keys: t.keys},
		Select:     rows.selects(),
		Partial:    true,
	})
	switch {
	case err != nil:
		t.fault = x.failed(err)
	case len(out.Groups) != len(t.keys) || out.Form == facade.FormValue:
		t.fault = x.failed(errNotGroups)
	default:
		t.groups = out.Groups
		t.run.res[0].lay(x, rows, out)
	}
}
