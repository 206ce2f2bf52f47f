package resolvers

import (
	"fmt"
	"sync"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/resolvers/language"
	"github.com/frondhost/frond/resolvers/validation"
	"github.com/frondhost/frond/schema/jsontext"
)

// prepared is a parsed and validated document. It keeps the plans of its operations.
type prepared struct {
	text       string
	operations []*operation
	bytes      int // of text it takes as much as, its plans included; the cache's
}

// operation is one operation of a document.
type operation struct {
	doc         *prepared
	expanded    int // its expanded size, see [Limits.Expanded]
	def         *ast.OperationDefinition
	vars        *language.Declared
	conditions  []int          // variables that @skip and @include read, by slot
	resume      int            // of a subscription, the variable that only says where to begin, by slot; -1: there is none
	live        bool           // a subscription that is a live query
	atomic      bool           // a mutation whose root fields are one transaction
	rehearsed   bool           // a mutation that is rolled back
	approved    *ast.Directive // of a mutation that was rehearsed, with its token; nil: it was not
	shared      bool           // equal requests may share an answer
	cancellable bool           // all that it runs ends with its context

	mu    sync.Mutex
	plans map[string]*plan // by the values of conditions
}

// maxPlans is how many plans an operation keeps; each is for one set of values of
// the variables in its @skip and @include.
const maxPlans = 32

// planBytes is the size of a plan for each selected field, counted as text: the cached form of
// a document is some fifty times that.
const planBytes = 8

// prepare is the document of a text, from the cache or read now.
func (e *Engine) prepare(text string) (*prepared, []*language.Error) {
	if l := e.limits.Document; language.Exceeds(len(text), l) { // before anything reads it
		return nil, []*language.Error{language.ForLimit(language.CodeDocument, l, "The document is longer than %d bytes; send a shorter one.")}
	}
	if d := e.docs.get(text); d != nil {
		return d, nil
	}
	parsed, f := language.Parse(text, e.limits.Tokens)
	if f != nil {
		return nil, []*language.Error{f}
	}
	found := e.rules.Validate(parsed)
	if found.Errors != nil {
		return nil, found.Errors
	}
	d := &prepared{text: text, bytes: len(text)}
	for i, def := range parsed.Operations {
		op := e.operation(def)
		op.doc, op.expanded = d, found.Expanded[i]
		d.operations = append(d.operations, op)
	}
	e.docs.put(d)
	return d, nil
}

func (e *Engine) operation(def *ast.OperationDefinition) *operation {
	op := &operation{def: def, vars: e.types.Inputs.Declare(def.VariableDefinitions), plans: map[string]*plan{}, shared: e.shareable(def), cancellable: e.cancellable(def)}
	op.atomic = def.Directives.ForName(validation.Atomic) != nil
	op.rehearsed, op.approved = def.Directives.ForName(validation.Rehearse) != nil, def.Directives.ForName(validation.Approve)
	op.conditions = conditions(def, op.vars)
	op.resume = -1
	if def.Operation == ast.Subscription {
		op.live = !every(def.SelectionSet, map[string]bool{}, func(f *ast.Field) bool { return f.Directives.ForName(validation.Live) == nil })
		op.resume = resumeVariable(def, op.vars)
		op.shared = every(def.SelectionSet, map[string]bool{}, e.bound)
	}
	return op
}

// together says how the root fields of a mutation are one transaction; nil: they are not.
func (op *operation) together(vars *language.Variables) *catalog.Words {
	if !op.atomic && !op.rehearsed && op.approved == nil {
		return nil
	}
	w := &catalog.Words{Rehearse: op.rehearsed}
	if op.approved != nil {
		switch token := op.approved.Arguments.ForName("token").Value; token.Kind {
		case ast.Variable:
			w.Approve = jsontext.Unquote(vars.At(op.vars.Slot(token.Raw)))
		default:
			w.Approve = token.Raw
		}
	}
	return w
}

// operation is the one a request asks for (specification 6.1).
func (d *prepared) operation(name string) (*operation, *language.Error) {
	if name == "" {
		if len(d.operations) == 1 {
			return d.operations[0], nil
		}
		return nil, &language.Error{
			Message: "The document has several operations; say which one in operationName.",
			Code:    language.CodeOperation,
		}
	}
	for _, op := range d.operations {
		if op.def.Name == name {
			return op, nil
		}
	}
	return nil, &language.Error{
		Message: "The document has no operation of the name that operationName says; send one it has.",
		Code:    language.CodeOperation,
	}
}

// plan is the operation's plan for these variables, cached or compiled now. Only the variables
// in @skip and @include matter to a plan: it serves one set of their values, and writing takes
// no decisions.
func (op *operation) plan(e *Engine, vars *language.Variables) *plan {
	key := make([]byte, 0, 16)
	for _, slot := range op.conditions {
		key = append(key, condition(vars.At(slot)))
	}
	op.mu.Lock()
	defer op.mu.Unlock()
	if p := op.plans[string(key)]; p != nil {
		return p
	}
	include := make(map[string]bool, len(op.conditions))
	for _, slot := range op.conditions {
		include[op.vars.List[slot].Name] = condition(vars.At(slot)) == 't'
	}
	p := compile(e.types, op.def, include)
	takes := planBytes * op.expanded
	if n := len(op.plans); n >= maxPlans {
		clear(op.plans)
		e.docs.grow(op.doc, -n*takes)
	}
	op.plans[string(key)] = p
	e.docs.grow(op.doc, takes)
	return p
}

// undecided is the error of a condition whose value is null: a default made the variable fit
// where only true and false do (specification 5.8.5).
func (op *operation) undecided(vars *language.Variables) *language.Error {
	for _, slot := range op.conditions {
		if jsontext.IsNull(vars.At(slot)) {
			v := op.vars.List[slot]
			return &language.Error{
				Message: fmt.Sprintf("$%s is null where @skip or @include wants true or false; send one of them, or leave it out.", v.Name),
				At:      language.Positions(v.At),
				Code:    language.CodeInput,
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

// Problem is one reason why a document cannot be executed.
type Problem struct {
	Line, Column int // in the document, counted from 1; 0 where it is the whole document
	Code         string
	Message      string
}

// Check validates a document before any request sends it. It returns the problems for which a
// request with this document would be refused, except the problems of its variables. Nil: every
// operation of the document can be executed, and the document is in the cache.
func (e *Engine) Check(text string) []Problem {
	_, errs := e.prepare(text)
	var problems []Problem
	for _, f := range errs {
		p := Problem{Code: f.Code, Message: f.Message}
		if len(f.At) > 0 {
			p.Line, p.Column = f.At[0].Line, f.At[0].Column
		}
		problems = append(problems, p)
	}
	return problems
}
