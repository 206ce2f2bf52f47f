package resolvers

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema/jsontext"
)

// compiler makes the plan of an operation. It is a small value: what is compiled
// later (see variants) goes on with a copy.
type compiler struct {
	e       *Engine
	op      *operation
	include map[string]bool // the variables of @skip and @include
	unit    *unit
	shared  map[string]*fetch // by what they call
}

func compile(e *Engine, op *operation, vars *variables) *plan {
	c := compiler{e: e, op: op, include: make(map[string]bool, len(op.conditions))}
	for _, slot := range op.conditions {
		c.include[op.vars[slot].name] = condition(vars.text[slot]) == 't'
	}
	p := &plan{mutation: op.def.Operation == ast.Mutation}
	name := e.types.schema.Query.Name
	if p.mutation {
		name = e.types.schema.Mutation.Name
	}
	root := e.types.object(name)
	groups := c.collect(root, op.def.SelectionSet)
	if !p.mutation {
		p.units = []*unit{c.over(root, groups)}
		return p
	}
	for i := range groups {
		u := c.over(root, groups[i:i+1])
		if i > 0 {
			u.sel.fields[0].key = append([]byte{','}, u.sel.fields[0].key...)
		}
		p.units = append(p.units, u)
	}
	return p
}

// group is the fields of one response key in one selection set.
type group struct {
	key    string
	fields []*ast.Field
}

// collect is CollectFields (specification 6.3.2) for objects of one type.
func (c *compiler) collect(typ *objectType, sets ...ast.SelectionSet) []group {
	k := collector{c: c, typ: typ, at: map[string]int{}, visited: map[string]bool{}}
	for _, set := range sets {
		k.selections(set)
	}
	return k.groups
}

type collector struct {
	c       *compiler
	typ     *objectType
	groups  []group
	at      map[string]int
	visited map[string]bool
}

func (k *collector) selections(set ast.SelectionSet) {
	for _, sel := range set {
		switch sel := sel.(type) {
		case *ast.Field:
			if !k.c.includes(sel.Directives) {
				continue
			}
			i, ok := k.at[sel.Alias]
			if !ok {
				i = len(k.groups)
				k.at[sel.Alias] = i
				k.groups = append(k.groups, group{key: sel.Alias})
			}
			k.groups[i].fields = append(k.groups[i].fields, sel)
		case *ast.InlineFragment:
			if k.c.includes(sel.Directives) && k.c.e.types.is(k.typ, sel.TypeCondition) {
				k.selections(sel.SelectionSet)
			}
		case *ast.FragmentSpread:
			// A fragment counts once in a set, but not if its directives leave it out.
			if !k.c.includes(sel.Directives) || k.visited[sel.Name] {
				continue
			}
			k.visited[sel.Name] = true
			if k.c.e.types.is(k.typ, sel.Definition.TypeCondition) {
				k.selections(sel.Definition.SelectionSet)
			}
		}
	}
}

// includes decides @skip and @include (specification 3.13.1, 3.13.2).
func (c *compiler) includes(list ast.DirectiveList) bool {
	for _, d := range list {
		if d.Name != "skip" && d.Name != "include" {
			continue
		}
		v := d.Arguments.ForName("if").Value
		yes := v.Raw == "true"
		if v.Kind == ast.Variable {
			yes = c.include[v.Raw]
		}
		if yes == (d.Name == "skip") {
			return false
		}
	}
	return true
}

// compileUnit is the unit over items of typ for the fields that gave them.
func (c *compiler) compileUnit(typ *objectType, fields []*ast.Field) *unit {
	return c.over(typ, c.collect(typ, under(fields)...))
}

// under is the selection sets of fields of one response key.
func under(fields []*ast.Field) []ast.SelectionSet {
	sets := make([]ast.SelectionSet, len(fields))
	for i, f := range fields {
		sets[i] = f.SelectionSet
	}
	return sets
}

// over is the unit for fields that are collected already.
func (c compiler) over(typ *objectType, groups []group) *unit {
	items := &fetch{slots: map[string]int{}}
	c.unit = &unit{typ: typ, fetches: []*fetch{items}}
	c.shared = map[string]*fetch{}
	c.unit.sel = c.object(typ, groups, items)
	for _, f := range c.unit.fetches {
		for len(c.unit.levels) < f.depth || len(f.written) > 0 && len(c.unit.levels) < f.depth+1 {
			c.unit.levels = append(c.unit.levels, level{})
		}
		if f.depth > 0 {
			f.finish()
			l := &c.unit.levels[f.depth-1]
			l.fetches = append(l.fetches, f)
		}
		if len(f.written) > 0 {
			l := &c.unit.levels[f.depth]
			l.written = append(l.written, f.written...)
		}
	}
	return c.unit
}

// below is the selection below fields of a composite type.
func (c *compiler) below(typ *objectType, g group, on *fetch) *selection {
	return c.object(typ, c.collect(typ, under(g.fields)...), on)
}

// object compiles what is written of an object that stands on rows of a fetch.
func (c *compiler) object(typ *objectType, groups []group, on *fetch) *selection {
	sel := &selection{typ: typ}
	for _, g := range groups {
		first := g.fields[0]
		f := &field{name: g.key, ast: first}
		for _, a := range g.fields {
			f.at = append(f.at, a.Position)
		}
		f.key = jsontext.AppendName(nil, g.key)
		if len(sel.fields) > 0 {
			f.key = append([]byte{','}, f.key...)
		}
		if first.Name == "__typename" {
			f.do, f.text = writeTypename, typ.typename
		} else {
			f.typ = typ.fields[first.Name]
			f.out = f.typ.out
			c.field(f, g, on)
		}
		sel.fields = append(sel.fields, f)
	}
	return sel
}

// field decides how a field is written, and what has to be fetched for it.
func (c *compiler) field(f *field, g group, on *fetch) {
	b := f.typ.binding
	switch {
	case f.typ.def.Name == "__schema" || f.typ.def.Name == "__type":
		f.do = writeType
		if f.typ.def.Name == "__schema" {
			f.do = writeSchema
		}
		f.sub = c.below(c.e.types.object(f.out.named().def.Name), g, on)
		return
	case b == nil && strings.HasPrefix(f.typ.parent.name, "__"):
		if named := f.out.named(); named.leaf == composite {
			f.sub = c.below(c.e.types.object(named.def.Name), g, on)
		}
		return
	case b == nil:
		def, resolve := c.e.types.written(f.typ.parent.name, f.typ.def.Name)
		c.hand(f, g, on, &written{def: def, resolve: resolve})
		on.every = on.every || len(c.e.types.built.Fields[f.typ.parent.name]) > 0
		return
	}
	switch b.Kind {
	case binding.Column, binding.Computed:
		f.slot = on.slot(b.Column)
		f.do = writeColumn
		if f.out.named().leaf == composite {
			f.do = writeNested
			typ := c.e.types.object(f.out.named().def.Name)
			if typ == nil || c.needsHand(typ, g.fields) {
				c.hand(f, g, on, &written{})
				return
			}
			f.sub = c.below(typ, g, &fetch{slots: map[string]int{}})
		}
	case binding.NodeID:
		f.do, f.slot = writeNodeID, on.slot(b.Column)
	case binding.Operation, binding.ToOne, binding.ToMany, binding.ToManyIDs:
		c.fetched(f, g, on)
	case binding.NodeRoot:
		c.hand(f, g, on, &written{node: true})
	case binding.Items, binding.Edges, binding.EdgeNode, binding.PageInfo:
		on.rows = true
		f.do = structure[b.Kind]
		f.sub = c.below(c.e.types.object(f.out.named().def.Name), g, on)
	default:
		f.do = structure[b.Kind]
		switch b.Kind {
		case binding.Total:
			on.total = true
		case binding.EdgeCursor, binding.StartCursor:
			on.rows, on.cursors = true, true
		case binding.HasPreviousPage:
			on.rows, on.behind = true, true
		default:
			on.rows = true
		}
	}
}

// structure is how the parts of connections, edges and PageInfos are written.
var structure = map[binding.Kind]action{
	binding.Items: writeItems, binding.Total: writeTotal, binding.HasMore: writeHasMore, binding.EndCursor: writeEndCursor,
	binding.Edges: writeEdges, binding.PageInfo: writePageInfo, binding.EdgeNode: writeNode, binding.EdgeCursor: writeCursor,
	binding.HasNextPage: writeHasNext, binding.HasPreviousPage: writeHasPrevious, binding.StartCursor: writeStartCursor, binding.PageInfoEndCursor: writeEndCursor,
}

// needsHand says whether a nested object's selection holds a hand-written field:
// then its objects are items of their own, else their text is walked.
func (c *compiler) needsHand(typ *objectType, fields []*ast.Field) bool {
	for _, g := range c.collect(typ, under(fields)...) {
		name := g.fields[0].Name
		if name == "__typename" {
			continue
		}
		ft := typ.fields[name]
		if ft.binding == nil || ft.binding.Kind != binding.Column {
			return true
		}
		if named := ft.out.named(); named.leaf == composite {
			if inner := c.e.types.object(named.def.Name); inner == nil || c.needsHand(inner, g.fields) {
				return true
			}
		}
	}
	return false
}

// hand makes f a field whose values are found one item at a time.
func (c *compiler) hand(f *field, g group, on *fetch, w *written) {
	w.id, w.on, w.field, w.args = len(on.written), on, f, g.fields[0].Arguments
	if f.out.named().leaf == composite {
		w.values = &variants{compiler: *c, fields: g.fields, units: map[string]*unit{}}
	}
	on.written = append(on.written, w)
	f.do, f.hand = writeHand, w
}

// fetched makes f a field whose value comes from a call, of its own or shared.
func (c *compiler) fetched(f *field, g group, on *fetch) {
	b := f.typ.binding
	f.do = writeFetched
	args := c.arguments(f.typ, b, g.fields[0].Arguments)
	id := ""
	if c.op.def.Operation == ast.Query || on.depth > 0 || b.Kind != binding.Operation {
		id = f.typ.parent.name + "." + f.typ.def.Name + string(args.canonical)
		f.fetch = c.shared[sharedKey(on, id)]
	}
	if f.fetch == nil {
		f.fetch = c.call(b, on, args)
		if id != "" {
			c.shared[sharedKey(on, id)] = f.fetch
		}
	}
	named := f.out.named()
	switch typ := c.e.types.object(named.def.Name); {
	case named.leaf != composite || typ == nil:
		f.shape = someValue
		return
	case typ.page:
		f.shape = connection
		f.sub = c.below(typ, g, f.fetch)
	default:
		if f.out.elem != nil {
			f.shape = allRows
		}
		f.sub = c.below(typ, g, f.fetch)
	}
}

func sharedKey(on *fetch, id string) string { return string(rune(on.id)) + id }

// call is a new fetch.
func (c *compiler) call(b *binding.Field, on *fetch, args *arguments) *fetch {
	f := &fetch{
		id: len(c.unit.fetches), depth: on.depth + 1, parent: on, binding: b,
		args: args, slots: map[string]int{},
	}
	switch b.Kind {
	case binding.Operation:
		f.entity, f.op = b.Operation.Door.Name, b.Operation.Name
	case binding.ToOne, binding.ToManyIDs:
		f.entity, f.op, f.each = b.Door.Name, "findById", b.Output.Primary.Name
		f.key = on.slot(b.Column)
	case binding.ToMany:
		f.entity, f.op, f.each = b.Door.Name, "list", b.Link.Inverse.Name
		f.key = on.slot(b.Column)
	}
	c.unit.fetches = append(c.unit.fetches, f)
	return f
}
