package resolvers

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/frondhost/frond/resolvers/graphqlerror"
	"github.com/frondhost/frond/schema/jsontext"
)

// document is a parsed and validated document. It keeps the plans of its operations.
type document struct {
	text       string
	operations []*operation
	bytes      int // of text it takes as much as, its plans included; the cache's
}

// operation is one operation of a document.
type operation struct {
	doc        *document
	expanded   int // what it comes to, see [Limits.Expanded]
	def        *ast.OperationDefinition
	slots      map[string]int // of variables, where there are many
	vars       []*variable
	conditions []int     // variables that @skip and @include read, by slot
	shared     bool      // equal requests may share an answer
	heeds      bool      // all that it runs ends with its context
	none       variables // those of an operation that declares none

	mu    sync.Mutex
	plans map[string]*plan // by the values of conditions
}

// maxPlans is how many plans an operation keeps; each is for one set of values of
// the variables in its @skip and @include.
const maxPlans = 32

// planBytes is what a plan takes for each thing that is selected, counted as text:
// what is kept of a document is some fifty times that.
const planBytes = 8

// document is the document of a text, from the cache or read now.
func (e *Engine) document(text string) (*document, []*graphqlerror.Error) {
	if l := e.limits.Document; over(len(text), l) { // before anything reads it
		return nil, []*graphqlerror.Error{graphqlerror.ForLimit(graphqlerror.CodeDocument, l, "The document is longer than %d bytes; send a shorter one.")}
	}
	if d := e.docs.get(text); d != nil {
		return d, nil
	}
	if strings.TrimSpace(text) == "" {
		return nil, []*graphqlerror.Error{{Message: "There is no query; send a document in the member query.", Code: graphqlerror.CodeParse}}
	}
	parsed, f := e.parse(text)
	if f != nil {
		return nil, []*graphqlerror.Error{f}
	}
	m := newMeter(&e.limits, parsed)
	if f := m.run(parsed); f != nil {
		return nil, []*graphqlerror.Error{f}
	}
	if faults := e.validate(parsed); faults != nil {
		return nil, faults
	}
	d := &document{text: text, bytes: len(text)}
	for i, def := range parsed.Operations {
		op := e.operation(def)
		op.doc, op.expanded = d, m.operations[i]
		d.operations = append(d.operations, op)
	}
	e.docs.put(d)
	return d, nil
}

func (e *Engine) parse(text string) (*ast.QueryDocument, *graphqlerror.Error) {
	if !utf8.ValidString(text) {
		return nil, &graphqlerror.Error{Message: "The document is not UTF-8; send it as UTF-8.", Code: graphqlerror.CodeParse}
	}
	limit := max(e.limits.Tokens, 0) // to the parser, 0 is no limit
	m := mask(text)
	src := &ast.Source{Input: m.text}
	doc, err := parser.ParseQueryWithTokenLimit(src, limit)
	if err != nil {
		told := gqlerror.WrapIfUnwrapped(err)
		if told.Message == fmt.Sprintf("exceeded token limit of %d", limit) {
			return nil, graphqlerror.ForLimit(graphqlerror.CodeTokens, limit, "The document has more than %d tokens; send a shorter one.")
		}
		return nil, unparsed(text, m, told)
	}
	if f := halfPair(text); f != nil {
		return nil, f
	}
	src.Input = text // what positions refer to from here on
	if f := locate(text, m, doc); f != nil {
		return nil, f
	}
	if len(doc.Operations) == 0 {
		return nil, &graphqlerror.Error{Message: "The document has no operation, only fragments; add a query or a mutation.", Code: graphqlerror.CodeParse}
	}
	return doc, nil
}

func (e *Engine) operation(def *ast.OperationDefinition) *operation {
	op := &operation{def: def, plans: map[string]*plan{}, shared: e.shareable(def), heeds: e.heeds(def)}
	op.none.op = op
	for _, v := range def.VariableDefinitions {
		op.vars = append(op.vars, &variable{
			inField: inField{name: v.Variable, typ: e.types.in(v.Type), fallback: v.DefaultValue},
			at:      v.Position,
		})
	}
	if len(op.vars) > 8 {
		op.slots = make(map[string]int, len(op.vars))
		for i, v := range op.vars {
			op.slots[v.name] = i
		}
	}
	seen := map[string]bool{}
	op.conditionsOf(def.SelectionSet, seen)
	sort.Ints(op.conditions)
	op.conditions = slices.Compact(op.conditions)
	return op
}

// conditionsOf collects the variables that decide what is selected.
func (op *operation) conditionsOf(set ast.SelectionSet, seen map[string]bool) {
	note := func(list ast.DirectiveList) {
		for _, d := range list {
			if d.Name != "skip" && d.Name != "include" {
				continue
			}
			if a := d.Arguments.ForName("if"); a != nil && a.Value.Kind == ast.Variable {
				op.conditions = append(op.conditions, op.slot(a.Value.Raw))
			}
		}
	}
	for _, sel := range set {
		switch sel := sel.(type) {
		case *ast.Field:
			note(sel.Directives)
			op.conditionsOf(sel.SelectionSet, seen)
		case *ast.InlineFragment:
			note(sel.Directives)
			op.conditionsOf(sel.SelectionSet, seen)
		case *ast.FragmentSpread:
			note(sel.Directives)
			if !seen[sel.Name] {
				seen[sel.Name] = true
				op.conditionsOf(sel.Definition.SelectionSet, seen)
			}
		}
	}
}

// slot is the place of a variable; validation saw to it that it is declared.
func (op *operation) slot(name string) int {
	if op.slots != nil {
		if i, ok := op.slots[name]; ok {
			return i
		}
		return -1
	}
	for i, v := range op.vars {
		if v.name == name {
			return i
		}
	}
	return -1
}

// operation is the one a request asks for (specification 6.1).
func (d *document) operation(name string) (*operation, *graphqlerror.Error) {
	if name == "" {
		if len(d.operations) == 1 {
			return d.operations[0], nil
		}
		return nil, &graphqlerror.Error{
			Message: "The document has several operations; say which one in operationName.",
			Code:    graphqlerror.CodeOperation,
		}
	}
	for _, op := range d.operations {
		if op.def.Name == name {
			return op, nil
		}
	}
	return nil, &graphqlerror.Error{
		Message: "The document has no operation of the name that operationName says; send one it has.",
		Code:    graphqlerror.CodeOperation,
	}
}

// plan is the operation's plan for these variables, from earlier or compiled now.
// Variables matter to a plan only in @skip and @include: a plan is for one set of
// values of those, and nothing is left to decide when it is written.
func (op *operation) plan(e *Engine, vars *variables) *plan {
	key := make([]byte, 0, 16)
	for _, slot := range op.conditions {
		key = append(key, condition(vars.text[slot]))
	}
	op.mu.Lock()
	defer op.mu.Unlock()
	if p := op.plans[string(key)]; p != nil {
		return p
	}
	p := compile(e, op, vars)
	takes := planBytes * op.expanded
	if n := len(op.plans); n >= maxPlans {
		clear(op.plans)
		e.docs.grow(op.doc, -n*takes)
	}
	op.plans[string(key)] = p
	e.docs.grow(op.doc, takes)
	return p
}

// undecided is the fault of a condition that was sent as null: a default made the
// variable fit where only true and false do (specification 5.8.5).
func (op *operation) undecided(vars *variables) *graphqlerror.Error {
	for _, slot := range op.conditions {
		if jsontext.IsNull(vars.text[slot]) {
			v := op.vars[slot]
			return &graphqlerror.Error{
				Message: fmt.Sprintf("$%s is null where @skip or @include wants true or false; send one of them, or leave it out.", v.name),
				At:      graphqlerror.Positions(v.at),
				Code:    graphqlerror.CodeInput,
			}
		}
	}
	return nil
}

func condition(v []byte) byte {
	if string(v) == "true" {
		return 't'
	}
	return 'f'
}
