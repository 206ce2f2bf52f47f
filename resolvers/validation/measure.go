package validation

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/resolvers/language"
)

// Limits bound the size of a document (docs/decisions/graphql-execution.md). A negative limit
// means no limit. All of them count a fragment at each of its spreads, except Depth, which is
// the longest path.
type Limits struct {
	Depth    int // fields inside fields; introspection counts by itself, up to twice that
	Aliases  int
	Roots    int // root fields of one operation
	Fields   int // those of a fragment count wherever it is spread
	Expanded int // fields, arguments, values, directives and spreads, counted in the same way
}

// size is the size of a selection set, with fragments counted at each of their spreads. An
// empty set has the zero size.
type size struct {
	fields, aliases, depth, introspection int

	expanded int // fields, arguments, values, directives and spreads
	roots    int // fields at the top
	lists    int // the depth of nested lists of introspection
}

// meter measures a document before it is validated, so that every later walk through the
// spreads of fragments ends. Every fragment is measured once, and counting stops at the limit.
// A document of n fragments, each of which spreads the next one twice, comes to 2^n fields and
// is measured in n steps.
type meter struct {
	limits     *Limits
	fragments  map[string]*ast.FragmentDefinition
	done       map[string]*size // nil value: being measured
	operations []int            // what each comes to
	steps      int              // the elements measured: the amount of work
}

// newMeter returns a meter for doc. Of two fragments with one name, the last one is measured;
// validation refuses the document for it.
func newMeter(l *Limits, doc *ast.QueryDocument) *meter {
	m := &meter{limits: l, done: map[string]*size{}, fragments: make(map[string]*ast.FragmentDefinition, len(doc.Fragments))}
	for _, f := range doc.Fragments {
		m.fragments[f.Name] = f
	}
	return m
}

// run returns the error of the first limit that the document breaks, or nil. Afterwards
// operations has the expanded size of each operation.
func (m *meter) run(doc *ast.QueryDocument) *language.Error {
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

// maxLists is the largest depth of nested lists of introspection, as in graphql-js. Types of
// fields of types grow by the number of types with each level, and depth alone does not bound
// that.
const maxLists = 2

// broken returns the first limit that a size breaks, with the code and the format of its error;
// code is "" if it keeps all of them. operation says that s is a whole operation: only then do
// roots count.
func (l *Limits) broken(s *size, operation bool) (code string, limit int, format string) {
	switch {
	case language.Exceeds(s.fields, l.Fields):
		return language.CodeFields, l.Fields, "The document selects more than %d fields, those of fragments counted wherever they are spread; select fewer, or split it."
	case language.Exceeds(s.expanded, l.Expanded):
		return language.CodeExpanded, l.Expanded, "The document comes to more than %d fields, arguments, values, directives and spreads, those of fragments counted wherever they are spread; spread fewer, or split it."
	case language.Exceeds(s.aliases, l.Aliases):
		return language.CodeAliases, l.Aliases, "The document has more than %d aliases; use fewer, or split it."
	case operation && language.Exceeds(s.roots, l.Roots):
		return language.CodeRoots, l.Roots, "The operation has more than %d root fields; split it."
	case language.Exceeds(s.depth, l.Depth):
		return language.CodeDepth, l.Depth, "The document is more than %d fields deep; ask for less at a time."
	case language.Exceeds(s.introspection, 2*l.Depth):
		return language.CodeDepth, 2 * l.Depth, "The introspection is more than %d fields deep; ask for less at a time."
	case s.lists > maxLists:
		return language.CodeDepth, maxLists, "The introspection has more than %d lists of fields, inputFields, interfaces or possibleTypes in each other; ask for the types by name."
	}
	return "", 0, ""
}

// check returns the error of the first limit that s breaks, or nil.
func (l *Limits) check(s size, operation bool) *language.Error {
	if code, limit, format := l.broken(&s, operation); code != "" {
		return language.ForLimit(code, limit, format)
	}
	return nil
}

// full reports whether s is enough to refuse the document, so that counting may stop.
func (m *meter) full(s *size) bool {
	code, _, _ := m.limits.broken(s, false)
	return code != ""
}

// most keeps unlimited sums within an int.
const most = 1 << 40

// root returns the size of an operation's selections. It counts them one at a time, so that a
// long list of root fields ends at its limit.
func (m *meter) root(set ast.SelectionSet) size {
	var total size
	for i := range set {
		total.add(m.selections(set[i:i+1], false))
		if m.full(&total) || language.Exceeds(total.roots, m.limits.Roots) {
			break
		}
	}
	return total
}

// add adds a sibling of s: numbers are summed, depths are the larger of both.
func (s *size) add(t size) {
	s.fields = min(s.fields+t.fields, most)
	s.expanded = min(s.expanded+t.expanded, most)
	s.aliases = min(s.aliases+t.aliases, most)
	s.roots = min(s.roots+t.roots, most)
	s.depth = max(s.depth, t.depth)
	s.introspection = max(s.introspection, t.introspection)
	s.lists = max(s.lists, t.lists)
}

// selections returns the size of a selection set. introspecting says that it is below __schema
// or __type, where depth is counted apart. The size is too small where a limit is broken
// before the end.
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

// field returns the size of a field with all below it. Its depth is one more than its
// selections' depth; roots is 1, so that the sum over a set counts the fields on its top level.
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
	// The lists that lead from types to types. Each level of them may multiply the response by
	// the number of types.
	case "fields", "inputFields", "interfaces", "possibleTypes":
		s.lists++
	}
	return s
}

// directives returns n plus the size of directives: one for each, one for each argument, and
// the size of its value.
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

// value adds to n the size of a value: one for each value in it, and for each 32 bytes of text.
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

// fragment returns the size of a fragment, measured at the first spread. A fragment that
// spreads itself counts 0 inside itself: validation reports the cycle. A fragment that does not
// exist has size 0.
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
	// Marks the fragment as being measured, so that a cycle ends here.
	m.done[name] = nil
	s := m.selections(f.SelectionSet, strings.HasPrefix(f.TypeCondition, "__"))
	s.expanded = m.directives(s.expanded, f.Directives)
	m.done[name] = &s
	return s
}
