package validation

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/resolvers/graphqlerror"
)

// Limits bound what a document may come to. A negative limit is none.
type Limits struct {
	Depth    int // fields inside fields; introspection counts by itself, up to twice that
	Aliases  int
	Roots    int // root fields of one operation
	Fields   int // those of a fragment count wherever it is spread
	Expanded int // fields, arguments, values, directives and spreads, counted likewise
}

// size is what a selection set amounts to, fragments counted wherever they are spread.
type size struct {
	fields, aliases, depth, introspection int

	expanded int // fields, arguments, values, directives and spreads
	roots    int // fields at the top
	lists    int // how many lists of introspection stand in each other
}

// meter measures a document before it is validated, so that whatever follows the
// spreads of fragments later has an end. Every fragment is measured once, and
// counting stops at the limit.
type meter struct {
	limits     *Limits
	fragments  map[string]*ast.FragmentDefinition
	done       map[string]*size // nil value: being measured
	operations []int            // what each comes to
	steps      int              // what was looked at: the measure of the work
}

func newMeter(l *Limits, doc *ast.QueryDocument) *meter {
	m := &meter{limits: l, done: map[string]*size{}, fragments: make(map[string]*ast.FragmentDefinition, len(doc.Fragments))}
	for _, f := range doc.Fragments {
		m.fragments[f.Name] = f
	}
	return m
}

// run says which limit the document breaks, or nil.
func (m *meter) run(doc *ast.QueryDocument) *graphqlerror.Error {
	var all size // of the whole document: all its operations are validated, whichever is run
	for _, op := range doc.Operations {
		s := m.root(op.SelectionSet)
		s.expanded = m.directives(s.expanded, op.Directives)
		for _, v := range op.VariableDefinitions {
			s.expanded = m.directives(m.value(s.expanded+1, v.DefaultValue), v.Directives)
		}
		m.operations = append(m.operations, s.expanded)
		all.fields, all.expanded = all.fields+s.fields, all.expanded+s.expanded
		s.fields, s.expanded = all.fields, all.expanded
		if f := m.limits.check(s, true); f != nil {
			return f
		}
	}
	for _, frag := range doc.Fragments { // those that no operation spreads are validated too
		if f := m.limits.check(m.fragment(frag.Name), false); f != nil {
			return f
		}
	}
	return nil
}

// maxLists is how many lists of introspection stand in each other, as graphql-js
// has it: types in types in types grow by the number of types each time.
const maxLists = 2

// broken is the first limit that a size breaks, with the code and the
// format of its error; code is "" where it breaks none.
func (l *Limits) broken(s *size, operation bool) (code string, limit int, format string) {
	switch {
	case graphqlerror.Exceeds(s.fields, l.Fields):
		return graphqlerror.CodeFields, l.Fields, "The document selects more than %d fields, those of fragments counted wherever they are spread; select fewer, or split it."
	case graphqlerror.Exceeds(s.expanded, l.Expanded):
		return graphqlerror.CodeExpanded, l.Expanded, "The document comes to more than %d fields, arguments, values, directives and spreads, those of fragments counted wherever they are spread; spread fewer, or split it."
	case graphqlerror.Exceeds(s.aliases, l.Aliases):
		return graphqlerror.CodeAliases, l.Aliases, "The document has more than %d aliases; use fewer, or split it."
	case operation && graphqlerror.Exceeds(s.roots, l.Roots):
		return graphqlerror.CodeRoots, l.Roots, "The operation has more than %d root fields; split it."
	case graphqlerror.Exceeds(s.depth, l.Depth):
		return graphqlerror.CodeDepth, l.Depth, "The document is more than %d fields deep; ask for less at a time."
	case graphqlerror.Exceeds(s.introspection, 2*l.Depth):
		return graphqlerror.CodeDepth, 2 * l.Depth, "The introspection is more than %d fields deep; ask for less at a time."
	case s.lists > maxLists:
		return graphqlerror.CodeDepth, maxLists, "The introspection has more than %d lists of fields, inputFields, interfaces or possibleTypes in each other; ask for the types by name."
	}
	return "", 0, ""
}

func (l *Limits) check(s size, operation bool) *graphqlerror.Error {
	if code, limit, format := l.broken(&s, operation); code != "" {
		return graphqlerror.ForLimit(code, limit, format)
	}
	return nil
}

// full says whether there is enough to refuse the document: counting stops there.
func (m *meter) full(s *size) bool {
	code, _, _ := m.limits.broken(s, false)
	return code != ""
}

// most keeps sums from growing over what an int holds, where nothing is limited.
const most = 1 << 40

// root is the size of an operation's selections.
func (m *meter) root(set ast.SelectionSet) size {
	var total size
	for i := range set {
		total.add(m.selections(set[i:i+1], false))
		if m.full(&total) || graphqlerror.Exceeds(total.roots, m.limits.Roots) {
			break
		}
	}
	return total
}

// add adds what stands beside.
func (s *size) add(t size) {
	s.fields = min(s.fields+t.fields, most)
	s.expanded = min(s.expanded+t.expanded, most)
	s.aliases = min(s.aliases+t.aliases, most)
	s.roots = min(s.roots+t.roots, most)
	s.depth = max(s.depth, t.depth)
	s.introspection = max(s.introspection, t.introspection)
	s.lists = max(s.lists, t.lists)
}

func (m *meter) selections(set ast.SelectionSet, introspecting bool) size {
	var total size
	for _, sel := range set {
		m.steps++
		var s size
		switch sel := sel.(type) {
		case *ast.Field:
			s = m.field(sel, introspecting)
		case *ast.InlineFragment:
			s = m.selections(sel.SelectionSet, introspecting)
			s.expanded = m.directives(s.expanded+1, sel.Directives)
		case *ast.FragmentSpread:
			s = m.fragment(sel.Name)
			s.expanded = m.directives(s.expanded+1, sel.Directives)
		}
		total.add(s)
		if m.full(&total) {
			return total
		}
	}
	return total
}

func (m *meter) field(f *ast.Field, introspecting bool) size {
	inner := introspecting || f.Name == "__schema" || f.Name == "__type"
	s := m.selections(f.SelectionSet, inner)
	s.fields++
	s.roots = 1
	s.expanded = m.directives(s.expanded+1, f.Directives)
	for _, a := range f.Arguments {
		s.expanded = m.value(s.expanded+1, a.Value)
	}
	if f.Alias != f.Name {
		s.aliases++
	}
	if !inner {
		s.depth++
		return s
	}
	s.introspection++
	switch f.Name {
	case "fields", "inputFields", "interfaces", "possibleTypes":
		s.lists++
	}
	return s
}

// directives adds to n what directives come to.
func (m *meter) directives(n int, list ast.DirectiveList) int {
	for _, d := range list {
		m.steps++
		n++
		for _, a := range d.Arguments {
			n = m.value(n+1, a.Value)
		}
	}
	return n
}

// value adds to n what a value comes to: one for each value in it, and for each 32
// bytes of text.
func (m *meter) value(n int, v *ast.Value) int {
	if v == nil {
		return n
	}
	m.steps++
	n += 1 + len(v.Raw)/32
	for _, c := range v.Children {
		n = m.value(n, c.Value)
	}
	return n
}

// fragment is the size of a fragment. One that spreads itself counts as nothing
// where it does: validation names the circle.
func (m *meter) fragment(name string) size {
	if s, ok := m.done[name]; ok {
		if s == nil {
			return size{}
		}
		return *s
	}
	f := m.fragments[name]
	if f == nil {
		return size{}
	}
	m.done[name] = nil
	s := m.selections(f.SelectionSet, strings.HasPrefix(f.TypeCondition, "__"))
	s.expanded = m.directives(s.expanded, f.Directives)
	m.done[name] = &s
	return s
}
