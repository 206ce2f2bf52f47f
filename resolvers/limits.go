package resolvers

import (
	"context"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

// Limits bound what one request may cost (DESIGN 5). Zero means the default that
// stands beside the member, negative means no limit.
type Limits struct {
	Document  int           // bytes of the document: 64 KiB
	Tokens    int           // 5,000
	Depth     int           // fields standing in each other: 15. Introspection counts by itself, up to twice that
	Aliases   int           // 30
	Roots     int           // root fields: 20
	Fields    int           // fields, those of a fragment counted wherever it is spread: 3,500
	Execution time.Duration // 15 s
	Response  int           // bytes of the answer: 64 MiB
}

// DefaultLimits are those of a zero [Limits].
func DefaultLimits() Limits { return Limits{}.withDefaults() }

func (l Limits) withDefaults() Limits {
	set := func(n *int, def int) {
		if *n == 0 {
			*n = def
		}
	}
	set(&l.Document, 64<<10)
	set(&l.Tokens, 5000)
	set(&l.Depth, 15)
	set(&l.Aliases, 30)
	set(&l.Roots, 20)
	set(&l.Fields, 3500)
	set(&l.Response, 64<<20)
	if l.Execution == 0 {
		l.Execution = 15 * time.Second
	}
	return l
}

func (l *Limits) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.Execution < 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, l.Execution, errTooSlow)
}

// The codes of the limits. Each comes with details {limit}.
const (
	CodeDocument  = "DOCUMENT_TOO_LARGE"
	CodeTokens    = "TOKEN_LIMIT_EXCEEDED"
	CodeDepth     = "DEPTH_LIMIT_EXCEEDED"
	CodeAliases   = "ALIAS_LIMIT_EXCEEDED"
	CodeRoots     = "ROOT_FIELD_LIMIT_EXCEEDED"
	CodeFields    = "FIELD_LIMIT_EXCEEDED"
	CodeExecution = "EXECUTION_TIMEOUT"
	CodeResponse  = "RESPONSE_TOO_LARGE"
)

// size is what a selection set amounts to, fragments counted wherever they are spread.
type size struct {
	fields, aliases, depth, introspection int
	roots                                 int // fields at the top
}

// meter measures a document before it is validated: validating costs more than
// linear time, so it must not see what is out of bounds. Every fragment is
// measured once, and counting stops at the limit.
type meter struct {
	limits    *Limits
	fragments map[string]*ast.FragmentDefinition
	done      map[string]*size // nil value: being measured
}

// measure says which limit a document breaks, or nil.
func (l *Limits) measure(doc *ast.QueryDocument) *fault {
	m := &meter{limits: l, done: map[string]*size{}, fragments: make(map[string]*ast.FragmentDefinition, len(doc.Fragments))}
	for _, f := range doc.Fragments {
		m.fragments[f.Name] = f
	}
	for _, op := range doc.Operations {
		if f := l.check(m.selections(op.SelectionSet, false), true); f != nil {
			return f
		}
	}
	for _, frag := range doc.Fragments { // those that no operation spreads are validated too
		if f := l.check(m.fragment(frag.Name), false); f != nil {
			return f
		}
	}
	return nil
}

func (l *Limits) check(s size, operation bool) *fault {
	over := func(n, limit int) bool { return limit >= 0 && n > limit }
	switch {
	case over(s.fields, l.Fields):
		return limitFault(CodeFields, l.Fields, "The document selects more than %d fields, those of fragments counted wherever they are spread; select fewer, or split it.")
	case over(s.aliases, l.Aliases):
		return limitFault(CodeAliases, l.Aliases, "The document has more than %d aliases; use fewer, or split it.")
	case operation && over(s.roots, l.Roots):
		return limitFault(CodeRoots, l.Roots, "The operation has more than %d root fields; split it.")
	case over(s.depth, l.Depth):
		return limitFault(CodeDepth, l.Depth, "The document is more than %d fields deep; ask for less at a time.")
	case over(s.introspection, 2*l.Depth):
		return limitFault(CodeDepth, 2*l.Depth, "The introspection is more than %d fields deep; ask for less at a time.")
	}
	return nil
}

func (m *meter) selections(set ast.SelectionSet, introspecting bool) size {
	var total size
	for _, sel := range set {
		var s size
		switch sel := sel.(type) {
		case *ast.Field:
			inner := introspecting || sel.Name == "__schema" || sel.Name == "__type"
			s = m.selections(sel.SelectionSet, inner)
			s.fields++
			s.roots = 1
			if sel.Alias != sel.Name {
				s.aliases++
			}
			if inner {
				s.introspection++
			} else {
				s.depth++
			}
		case *ast.InlineFragment:
			s = m.selections(sel.SelectionSet, introspecting)
		case *ast.FragmentSpread:
			s = m.fragment(sel.Name)
		}
		total.fields += s.fields
		total.aliases += s.aliases
		total.roots += s.roots
		total.depth = max(total.depth, s.depth)
		total.introspection = max(total.introspection, s.introspection)
		if m.limits.Fields >= 0 && total.fields > m.limits.Fields {
			return total // far enough to refuse it
		}
	}
	return total
}

// fragment is the size of a fragment. One that spreads itself counts as nothing
// where it does: validation names the cycle.
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
	m.done[name] = &s
	return s
}
