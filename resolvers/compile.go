package resolvers

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/language"
	"github.com/frondhost/frond/schema/jsontext"
)

// compiler makes the plan of an operation. It is a small value: later compilations (see
// Variants) use a copy, so that units compiled at once do not share state.
type compiler struct {
	types    *types
	mutation bool
	include  map[string]bool // the variables of @skip and @include
	unit     *unit
	shared   map[string]*fetch // by their call
}

// compile makes the plan of a validated operation. include has the value of every variable in a
// @skip or an @include (see [conditions]). It does not change def and may be called from many
// goroutines with the same one.
func compile(t *types, def *ast.OperationDefinition, include map[string]bool) *plan {
	c := compiler{types: t, mutation: def.Operation == ast.Mutation, include: include}
	p := &plan{Mutation: c.mutation}
	root := t.object(rootOf(t.Schema, def.Operation).Name)
	groups := c.collect(root, def.SelectionSet)
	if !p.Mutation {
		p.Units = []*unit{c.over(root, groups)}
		return p
	}
	for i := range groups {
		u := c.over(root, groups[i:i+1])
		if i > 0 {
			u.Selection.Fields[0].Key = append([]byte{','}, u.Selection.Fields[0].Key...)
		}
		p.Units = append(p.Units, u)
	}
	return p
}

// rootOf returns the root type of an operation, which the schema has.
func rootOf(s *ast.Schema, o ast.Operation) *ast.Definition {
	switch o {
	case ast.Mutation:
		return s.Mutation
	case ast.Subscription:
		return s.Subscription
	}
	return s.Query
}

// fieldGroup is the fields of one response key in one selection set.
type fieldGroup struct {
	key    string
	fields []*ast.Field
}

// collect is CollectFields (GraphQL 6.3.2) for objects of one type, over one or more selection
// sets: fields grouped by response key, in the order in which the keys come first.
func (c *compiler) collect(typ *objectType, sets ...ast.SelectionSet) []fieldGroup {
	k := collector{c: c, typ: typ, at: map[string]int{}, visited: map[string]bool{}}
	for _, set := range sets {
		k.selections(set)
	}
	return k.groups
}

// collector is one run of CollectFields; visited are the named fragments that it went into.
type collector struct {
	c       *compiler
	typ     *objectType
	groups  []fieldGroup
	at      map[string]int
	visited map[string]bool
}

// selections adds the fields of a selection set to their groups.
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
				k.groups = append(k.groups, fieldGroup{key: sel.Alias})
			}
			k.groups[i].fields = append(k.groups[i].fields, sel)
		case *ast.InlineFragment:
			if k.c.includes(sel.Directives) && k.c.types.is(k.typ, sel.TypeCondition) {
				k.selections(sel.SelectionSet)
			}
		case *ast.FragmentSpread:
			// A fragment counts once in a set, but not if its directives leave it out.
			if !k.c.includes(sel.Directives) || k.visited[sel.Name] {
				continue
			}
			k.visited[sel.Name] = true
			if k.c.types.is(k.typ, sel.Definition.TypeCondition) {
				k.selections(sel.Definition.SelectionSet)
			}
		}
	}
}

// includes decides @skip and @include (GraphQL 3.13.1, 3.13.2). A selection with both is there
// only where both allow it.
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

// compileUnit returns the unit over items of typ, for the fields that gave them. fields have
// one response key.
func (c *compiler) compileUnit(typ *objectType, fields []*ast.Field) *unit {
	return c.over(typ, c.collect(typ, under(fields)...))
}

// under returns the selection sets of fields of one response key, for a merge.
func under(fields []*ast.Field) []ast.SelectionSet {
	sets := make([]ast.SelectionSet, len(fields))
	for i, f := range fields {
		sets[i] = f.SelectionSet
	}
	return sets
}

// over returns the unit for collected fields. c is a copy: the unit and the shared fetches are
// its own.
func (c compiler) over(typ *objectType, groups []fieldGroup) *unit {
	items := &fetch{Slots: map[string]int{}}
	c.unit = &unit{Type: typ, Fetches: []*fetch{items}}
	c.shared = map[string]*fetch{}
	c.unit.Selection = c.object(typ, groups, items)
	for _, f := range c.unit.Fetches {
		// A fetch of depth d is made on level d-1. Hand-written fields on its rows need those
		// rows, so they are one level further.
		for len(c.unit.Levels) < f.depth || len(f.Custom) > 0 && len(c.unit.Levels) < f.depth+1 {
			c.unit.Levels = append(c.unit.Levels, level{})
		}
		if f.depth > 0 {
			f.finish()
			l := &c.unit.Levels[f.depth-1]
			l.Fetches = append(l.Fetches, f)
		}
		if len(f.Custom) > 0 {
			l := &c.unit.Levels[f.depth]
			l.Custom = append(l.Custom, f.Custom...)
		}
	}
	return c.unit
}

// below returns the selection below fields of a composite type, on rows of on.
func (c *compiler) below(typ *objectType, g fieldGroup, on *fetch) *selectionSet {
	return c.object(typ, c.collect(typ, under(g.fields)...), on)
}

// object compiles the selections of an object that reads the rows of a fetch. It adds to on the
// columns that the fields read, and to the unit the fetches that they need.
func (c *compiler) object(typ *objectType, groups []fieldGroup, on *fetch) *selectionSet {
	sel := &selectionSet{Type: typ}
	for _, g := range groups {
		first := g.fields[0]
		f := &field{Name: g.key, AST: first}
		for _, a := range g.fields {
			f.Positions = append(f.Positions, a.Position)
		}
		f.Key = jsontext.AppendName(nil, g.key)
		if len(sel.Fields) > 0 {
			f.Key = append([]byte{','}, f.Key...)
		}
		if first.Name == "__typename" {
			f.Action, f.Text = asTypename, typ.typename
		} else {
			f.Type = typ.fields[first.Name]
			f.Output = f.Type.Output
			c.field(f, g, on)
		}
		sel.Fields = append(sel.Fields, f)
	}
	return sel
}

// field decides how a field is written, and which fetches it needs:
//
//	no binding, type __…       introspection, read from the SDL
//	no binding                 hand-written
//	Column, Computed           a column of on
//	NodeID                     a column of on
//	Operation, relations       a fetch of its own, or a shared one
//	Event, EventRow            a fetch of its own, or a shared one, of the current event
//	NodeRoot                   one value at a time, like a hand-written field
//	Aggregate, Groups          a fetch of its own, or a shared one, beside on
//	parts of a connection      no fetch of their own; they set what on has to read
func (c *compiler) field(f *field, g fieldGroup, on *fetch) {
	b := f.Type.Binding
	switch {
	case f.Type.Definition.Name == "__schema" || f.Type.Definition.Name == "__type":
		f.Action = asType
		if f.Type.Definition.Name == "__schema" {
			f.Action = asSchema
		}
		f.Selection = c.below(c.types.object(f.Output.named().Definition.Name), g, on)
		return
	// Below __schema and __type: the writer reads the SDL, no row is involved.
	case b == nil && strings.HasPrefix(f.Type.Parent.Name, "__"):
		if named := f.Output.named(); named.Kind == language.Composite {
			f.Selection = c.below(c.types.object(named.Definition.Name), g, on)
		}
		return
	case b == nil:
		def, resolve := c.types.custom(f.Type.Parent.Name, f.Type.Definition.Name)
		c.hand(f, g, on, &customField{Def: def, Resolve: resolve})
		// A Resolve gets the whole row. An object of an author's type is not a row, so there is
		// no row to read.
		on.every = on.every || len(c.types.built.Fields[f.Type.Parent.Name]) > 0
		return
	}
	switch b.Kind {
	case binding.Column, binding.Computed:
		f.Slot = on.slot(b.Column)
		f.Action = asColumn
		if f.Output.named().Kind == language.Composite {
			f.Action = asNested
			typ := c.types.object(f.Output.named().Definition.Name)
			if typ == nil || c.needsHand(typ, g.fields) {
				c.hand(f, g, on, &customField{})
				return
			}
			// The members are in the column's text; the slots of this fetch are never read.
			f.Selection = c.below(typ, g, &fetch{Slots: map[string]int{}})
		}
		if on.list != nil {
			on.selectFunctions(f)
		}
	case binding.NodeID:
		f.Action, f.Slot = asNodeID, on.slot(b.Column)
	case binding.Operation, binding.ToOne, binding.ToMany, binding.ToManyIDs, binding.Event, binding.EventRow:
		c.fetched(f, g, on)
	case binding.Aggregate, binding.Groups:
		c.grouped(f, g, on)
	case binding.NodeRoot:
		c.hand(f, g, on, &customField{Node: true})
	case binding.Items, binding.WrittenRow, binding.Edges, binding.EdgeNode, binding.PageInfo:
		on.rows = true
		f.Action = asPart
		f.Selection = c.below(c.types.object(f.Output.named().Definition.Name), g, on)
	default:
		f.Action = asPart
		on.need(b.Kind)
	}
}

// need notes the part of a page that a field reads.
func (f *fetch) need(kind binding.Kind) {
	switch kind {
	case binding.Total:
		f.total = true
	case binding.EdgeCursor, binding.StartCursor:
		f.rows, f.Cursors = true, true
	case binding.EndCursor, binding.PageInfoEndCursor:
		f.rows, f.end = true, true
	case binding.HasPreviousPage:
		f.rows, f.Behind = true, true
	case binding.Position:
		f.rows, f.Position = true, true
	default:
		f.rows = true
	}
}

// needsHand reports whether the selection of a nested object holds a hand-written field,
// itself or deeper. Its objects then are items of their own; otherwise their text is walked as
// it is written.
func (c *compiler) needsHand(typ *objectType, fields []*ast.Field) bool {
	for _, g := range c.collect(typ, under(fields)...) {
		name := g.fields[0].Name
		if name == "__typename" {
			continue
		}
		ft := typ.fields[name]
		if ft.Binding == nil || ft.Binding.Kind != binding.Column {
			return true
		}
		if named := ft.Output.named(); named.Kind == language.Composite {
			if inner := c.types.object(named.Definition.Name); inner == nil || c.needsHand(inner, g.fields) {
				return true
			}
		}
	}
	return false
}

// hand makes f a field whose values are found one item at a time, and adds it to on's such
// fields.
func (c *compiler) hand(f *field, g fieldGroup, on *fetch, w *customField) {
	w.ID, w.On, w.Field, w.Args = len(on.Custom), on, f, g.fields[0].Arguments
	if f.Output.named().Kind == language.Composite {
		w.Values = &variants{compiler: *c, fields: g.fields, units: map[string]*unit{}}
	}
	on.Custom = append(on.Custom, w)
	f.Action, f.Custom = asResolved, w
}

// fetched makes f a field whose value comes from a call, of its own or shared. Two equal root
// fields of a mutation are still two calls, since each has an effect (GraphQL 6.2.2).
func (c *compiler) fetched(f *field, g fieldGroup, on *fetch) {
	b := f.Type.Binding
	f.Action = asFetched
	args := c.arguments(f.Type, b, g.fields[0].Arguments)
	made := func() *fetch { return c.call(b, on, args) }
	if c.mutation && on.depth == 0 && b.Kind == binding.Operation {
		f.Fetch = made() // only reads without effect are shared
		f.Fetch.Field = f.Type.Parent.Name + "." + f.Type.Definition.Name
	} else {
		f.Fetch = c.sharing(f, on, args, made)
	}
	c.fill(f, g)
}

// sharing returns the fetch of a field on the rows of on, and makes it for the first of equal
// fields.
func (c *compiler) sharing(f *field, on *fetch, args *arguments, made func() *fetch) *fetch {
	field := f.Type.Parent.Name + "." + f.Type.Definition.Name
	key := sharedKey(on, field+string(args.canonical))
	if c.shared[key] == nil {
		c.shared[key] = made()
		c.shared[key].Field = field
	}
	return c.shared[key]
}

// fill gives a field with a fetch its shape and the selection of its rows.
func (c *compiler) fill(f *field, g fieldGroup) {
	named := f.Output.named()
	switch typ := c.types.object(named.Definition.Name); {
	case named.Kind != language.Composite || typ == nil:
		f.Shape = anyValue
		return
	case typ.Page:
		f.Shape = pageOfRows
		f.Selection = c.below(typ, g, f.Fetch)
	default:
		if f.Output.Elem != nil {
			f.Shape = allRows
		}
		f.Selection = c.below(typ, g, f.Fetch)
	}
}

// sharedKey returns the key of compiler.shared: the parent fetch, the field and its arguments.
func sharedKey(on *fetch, id string) string { return string(rune(on.ID)) + id }

// call returns a new fetch on rows of on. A relation adds its key to the columns that on
// reads.
func (c *compiler) call(b *binding.Field, on *fetch, args *arguments) *fetch {
	f := &fetch{
		ID: len(c.unit.Fetches), depth: on.depth + 1, Parent: on, Binding: b,
		Args: args, Slots: map[string]int{},
	}
	switch b.Kind {
	case binding.Operation:
		f.Entity, f.Operation = b.Entity(), b.Operation.Name
		f.grouped = b.IsNumbers() // also where it selects __typename alone
	case binding.ToOne, binding.ToManyIDs, binding.ToMany:
		f.Entity, f.Operation, f.Each = b.Door.Name, b.Relation.Operation, b.Relation.Each
		f.Key = on.slot(b.Column)
	}
	c.unit.Fetches = append(c.unit.Fetches, f)
	return f
}
