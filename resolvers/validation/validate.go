package validation

import (
	"fmt"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"

	"github.com/frondhost/frond/resolvers/document"
	"github.com/frondhost/frond/resolvers/graphqlerror"
	"github.com/frondhost/frond/resolvers/input"
)

// Options say what a validator does beyond the rules; the zero value does nothing.
type Options struct {
	Limits Limits
	// Suggest adds "Did you mean …" to messages about names that do not exist. Without it
	// a caller learns only about names that it knows already.
	Suggest bool
	// NoIntrospection refuses __schema and __type.
	NoIntrospection bool
}

// Validator validates documents against one schema. It may be used from many goroutines.
type Validator struct {
	schema    *ast.Schema
	inputs    *input.Types
	relations *relations
	options   Options
}

// New makes a validator for a loaded schema and its input types.
func New(s *ast.Schema, inputs *input.Types, options Options) *Validator {
	return &Validator{schema: s, inputs: inputs, relations: newRelations(s), options: options}
}

// Result is what a validation found out about a document.
type Result struct {
	Errors   []*graphqlerror.Error // at most [graphqlerror.MaxErrors]; nil: the document is valid
	Expanded []int                 // by operation, see [Limits.Expanded]
	// Measured and Validated count the selections, arguments, values, directives, spreads
	// and uses of variables that were looked at: the measure of the work.
	Measured, Validated int
}

// Validate measures a document against the limits, then applies the rules of specification
// 5. It fills in the definitions of the document's elements, which execution reads.
func (r *Validator) Validate(doc *ast.QueryDocument) *Result {
	m := newMeter(&r.options.Limits, doc)
	f := m.run(doc)
	out := &Result{Expanded: m.operations, Measured: m.steps}
	if f != nil {
		out.Errors = []*graphqlerror.Error{f}
		return out
	}
	v := r.over(doc)
	v.run()
	out.Errors, out.Validated = v.faults, v.steps
	return out
}

func (r *Validator) over(doc *ast.QueryDocument) *validation {
	return &validation{Validator: r, doc: doc, fragments: make(map[string]*definition, len(doc.Fragments))}
}

// validation applies the rules of specification 5 to one document. It walks every operation
// and every fragment once, wherever it is spread. What only shows across them (cycles,
// variables, fields that merge) is worked out afterwards, from what the walk has noted. So
// the cost follows the length of the document.
type validation struct {
	*Validator
	doc       *ast.QueryDocument
	fragments map[string]*definition
	operated  []*definition // by operation
	list      []*definition // of fragments, in the order they are defined
	in        *definition   // what is being walked
	faults    []*graphqlerror.Error
	steps     int // what was looked at
}

// definition is what the walk notes of an operation or a fragment.
type definition struct {
	op       *ast.OperationDefinition
	fragment *ast.FragmentDefinition
	number   int // of a fragment, in list
	spreads  []*ast.FragmentSpread
	uses     []use
	reach    set // the fragments it spreads, and those that these do
}

// enough ends a validation that has found as many errors as are reported.
type enough struct{}

func (v *validation) run() {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(enough); !ok {
				panic(p)
			}
		}
	}()
	for _, f := range v.doc.Fragments {
		if v.fragments[f.Name] != nil {
			v.add(f.Position, "There can be only one fragment named %q.", f.Name)
			continue
		}
		d := &definition{fragment: f, number: len(v.list)}
		v.fragments[f.Name] = d
		v.list = append(v.list, d)
	}
	v.operations()
	for _, d := range v.list {
		v.in = d
		v.fragment(d.fragment)
	}
	if !v.circles() {
		v.across()
	}
	if v.faults == nil { // it expects fragments without circles and fields that exist
		v.overlaps()
	}
}

// add notes a fault; the positions are where it stands.
func (v *validation) add(at *ast.Position, format string, args ...any) {
	v.addAt(graphqlerror.Positions(at), format, args...)
}

func (v *validation) addAt(at []graphqlerror.Location, format string, args ...any) {
	v.refuse(&graphqlerror.Error{Message: graphqlerror.Shorten(fmt.Sprintf(format, args...)), At: at, Code: graphqlerror.CodeValidation})
}

func (v *validation) refuse(f *graphqlerror.Error) {
	v.faults = append(v.faults, f)
	if len(v.faults) == graphqlerror.MaxErrors {
		panic(enough{})
	}
}

// maxSuggested is how many faults come with a guess, and maxGuessed how long a name
// is guessed for: to compare names takes the product of their lengths.
const maxSuggested, maxGuessed = 10, 60

// suggest is " Did you mean …?" where the house says such things.
func (v *validation) suggest(name string, options func() []string) string {
	if !v.options.Suggest || len(v.faults) >= maxSuggested || len(name) > maxGuessed {
		return ""
	}
	list := core.SuggestionList(name, options())
	if len(list) == 0 {
		return ""
	}
	return " Did you mean " + core.QuotedOrList(list...) + "?"
}

func (v *validation) operations() {
	s := v.schema
	names := map[string]bool{}
	for _, op := range v.doc.Operations {
		v.in = &definition{op: op}
		v.operated = append(v.operated, v.in)
		if op.Name == "" && len(v.doc.Operations) > 1 {
			v.add(op.Position, "This anonymous operation must be the only defined operation.")
		} else if names[op.Name] {
			v.add(op.Position, "There can be only one operation named %q.", op.Name)
		}
		names[op.Name] = true
		root, at := s.Query, ast.LocationQuery
		switch op.Operation {
		case ast.Mutation:
			root, at = s.Mutation, ast.LocationMutation
		case ast.Subscription:
			root, at = s.Subscription, ast.LocationSubscription
		}
		if root == nil {
			v.add(op.Position, "Schema does not support operation type %q", op.Operation)
		}
		v.variables(op)
		v.directives(op.Directives, at)
		v.selections(root, op.SelectionSet)
	}
}

// variables checks what an operation declares.
func (v *validation) variables(op *ast.OperationDefinition) {
	names := make(map[string]int, len(op.VariableDefinitions))
	for _, d := range op.VariableDefinitions {
		v.steps++
		if names[d.Variable]++; names[d.Variable] == 2 {
			v.add(d.Position, "There can be only one variable named \"$%s\".", d.Variable)
		}
		switch d.Definition = v.schema.Types[d.Type.Name()]; {
		case d.Definition == nil:
			v.add(named(d.Type).Position, "Unknown type %q.%s", d.Type.Name(), v.suggest(d.Type.Name(), v.typeNames))
		case !d.Definition.IsInputType():
			v.add(d.Type.Position, "Variable \"$%s\" cannot be non-input type %q.", d.Variable, d.Type.String())
		case d.DefaultValue != nil:
			v.value(v.inputs.Type(d.Type), d.DefaultValue)
		}
		v.directives(d.Directives, ast.LocationVariableDefinition)
	}
}

// named is the type that stands in lists.
func named(t *ast.Type) *ast.Type {
	for t.Elem != nil {
		t = t.Elem
	}
	return t
}

func (v *validation) fragment(f *ast.FragmentDefinition) {
	f.Definition = v.schema.Types[f.TypeCondition]
	if len(f.VariableDefinition) > 0 { // gqlparser reads what never became part of the language
		v.add(f.VariableDefinition[0].Position, "Fragment %q declares variables; only operations do.", f.Name)
	}
	switch {
	case f.Definition == nil:
		v.add(document.TypeCondition(f.Position), "Unknown type %q.%s", f.TypeCondition, v.suggest(f.TypeCondition, v.typeNames))
	case !f.Definition.IsCompositeType():
		v.add(document.TypeCondition(f.Position), "Fragment %q cannot condition on non composite type %q.", f.Name, f.TypeCondition)
	}
	v.directives(f.Directives, ast.LocationFragmentDefinition)
	v.selections(composed(f.Definition), f.SelectionSet)
}

// selections walks a selection set on a type; nil is one that nobody knows.
func (v *validation) selections(on *ast.Definition, set ast.SelectionSet) {
	for _, sel := range set {
		v.steps++
		switch sel := sel.(type) {
		case *ast.Field:
			v.field(on, sel)
		case *ast.InlineFragment:
			sel.ObjectDefinition = on
			v.inline(on, sel)
		case *ast.FragmentSpread:
			sel.ObjectDefinition = on
			v.spread(on, sel)
		}
	}
}

func (v *validation) inline(on *ast.Definition, f *ast.InlineFragment) {
	v.directives(f.Directives, ast.LocationInlineFragment)
	if f.TypeCondition != "" {
		def := v.schema.Types[f.TypeCondition]
		switch {
		case def == nil:
			v.add(document.TypeCondition(f.Position), "Unknown type %q.%s", f.TypeCondition, v.suggest(f.TypeCondition, v.typeNames))
		case !def.IsCompositeType():
			v.add(document.TypeCondition(f.Position), "Fragment cannot condition on non composite type %q.", f.TypeCondition)
		case on != nil && !v.meet(on, def):
			v.add(f.Position, "Fragment cannot be spread here as objects of type %q can never be of type %q.", on.Name, def.Name)
		}
		on = composed(def)
	}
	v.selections(on, f.SelectionSet)
}

func (v *validation) spread(on *ast.Definition, f *ast.FragmentSpread) {
	v.directives(f.Directives, ast.LocationFragmentSpread)
	d := v.fragments[f.Name]
	if d == nil {
		v.add(f.Position, "Unknown fragment %q.", f.Name)
		return
	}
	f.Definition = d.fragment
	v.in.spreads = append(v.in.spreads, f)
	def := v.schema.Types[d.fragment.TypeCondition]
	if on != nil && def != nil && def.IsCompositeType() && !v.meet(on, def) {
		v.add(f.Position, "Fragment %q cannot be spread here as objects of type %q can never be of type %q.", f.Name, on.Name, def.Name)
	}
}

// meet is the rule "Fragment Spread Is Possible"; what is no composite type has a
// fault already.
func (v *validation) meet(a, b *ast.Definition) bool {
	return !a.IsCompositeType() || !b.IsCompositeType() || v.relations.meet(a, b)
}

// typenameField is the field that every composite type has (specification 4.3.3).
var typenameField = &ast.FieldDefinition{Name: "__typename", Type: ast.NonNullNamedType("String", nil)}

func (v *validation) field(on *ast.Definition, f *ast.Field) {
	f.ObjectDefinition, f.Definition = on, nil
	switch {
	case f.Name == "__typename":
		f.Definition = typenameField
	case on != nil:
		if f.Definition = v.relations.field(on, f.Name); f.Definition == nil {
			v.add(f.Position, "Cannot query field %q on type %q.%s", f.Name, on.Name, v.suggest(f.Name, func() []string { return fieldNames(on) }))
		}
	}
	v.directives(f.Directives, ast.LocationField)
	if f.Definition == nil {
		v.unknownArguments(f.Arguments)
		v.selections(nil, f.SelectionSet)
		return
	}
	if v.options.NoIntrospection && (f.Name == "__schema" || f.Name == "__type") {
		v.refuse(&graphqlerror.Error{
			Message: "Introspection is off here; take the schema from those who run this service: `frond schema` prints it.",
			At:      graphqlerror.Positions(f.Position), Code: graphqlerror.CodeIntrospection,
		})
	}
	v.arguments(f.Definition.Arguments, f.Arguments, owner{on: on, name: f.Name, at: f.Position})
	under := v.schema.Types[f.Definition.Type.Name()]
	switch {
	case under == nil:
	case under.IsLeafType() && len(f.SelectionSet) > 0:
		v.add(f.Position, "Field %q must not have a selection since type %q has no subfields.", f.Name, under.Name)
	case !under.IsLeafType() && len(f.SelectionSet) == 0:
		more := ""
		if v.options.Suggest {
			more = fmt.Sprintf(" Did you mean \"%s { ... }\"?", f.Name)
		}
		v.add(f.Position, "Field %q of type %q must have a selection of subfields.%s", f.Name, f.Definition.Type.String(), more)
	}
	v.selections(composed(under), f.SelectionSet)
}

// composed is a type that has fields, or nil: what stands below another has a
// fault already.
func composed(def *ast.Definition) *ast.Definition {
	if def == nil || !def.IsCompositeType() {
		return nil
	}
	return def
}

// owner is the field or the directive that has arguments.
type owner struct {
	on   *ast.Definition // of a field
	name string
	at   *ast.Position
}

func (o owner) String() string {
	if o.on == nil {
		return fmt.Sprintf("directive \"@%s\"", o.name)
	}
	return fmt.Sprintf("field \"%s.%s\"", o.on.Name, o.name)
}

// arguments checks the arguments of a field or a directive.
func (v *validation) arguments(defs ast.ArgumentDefinitionList, args ast.ArgumentList, of owner) {
	var names names
	for _, a := range args {
		v.steps++
		if names.twice(a.Name, len(args)) {
			v.add(a.Position, "There can be only one argument named %q.", a.Name)
		}
		def := defs.ForName(a.Name)
		if def == nil {
			v.add(a.Position, "Unknown argument %q on %s.%s", a.Name, of, v.suggest(a.Name, func() []string { return argumentNames(defs) }))
			v.value(nil, a.Value)
			continue
		}
		v.argument(def, a.Value)
	}
	for _, def := range defs {
		if def.Type.NonNull && def.DefaultValue == nil && args.ForName(def.Name) == nil {
			who := fmt.Sprintf("Field %q", of.name)
			if of.on == nil {
				who = fmt.Sprintf("Directive \"@%s\"", of.name)
			}
			v.add(of.at, "%s argument %q of type %q is required, but it was not provided.", who, def.Name, def.Type.String())
		}
	}
}

// unknownArguments are those of a field nobody knows: their variables are used.
func (v *validation) unknownArguments(args ast.ArgumentList) {
	for _, a := range args {
		v.value(nil, a.Value)
	}
}

func (v *validation) directives(list ast.DirectiveList, at ast.DirectiveLocation) {
	var names names
	for _, d := range list {
		v.steps++
		d.Location = at
		d.Definition = v.schema.Directives[d.Name]
		again := names.twice(d.Name, len(list))
		if d.Definition == nil {
			if !again { // whether it may be repeated nobody knows
				v.add(d.Position, "Unknown directive \"@%s\".", d.Name)
			}
			v.unknownArguments(d.Arguments)
			continue
		}
		if again && !d.Definition.IsRepeatable {
			v.add(d.Position, "The directive \"@%s\" can only be used once at this location.", d.Name)
		}
		if !slices.Contains(d.Definition.Locations, at) {
			v.add(d.Position, "Directive \"@%s\" may not be used on %s.", d.Name, at)
		}
		v.arguments(d.Definition.Arguments, d.Arguments, owner{name: d.Name, at: d.Position})
	}
}

// names finds names that occur twice. A few are compared, many are looked up.
type names struct {
	few  []string
	many map[string]bool
}

func (n *names) twice(name string, of int) bool {
	switch {
	case of == 1:
		return false
	case of > 8:
		if n.many == nil {
			n.many = make(map[string]bool, of)
		}
		seen := n.many[name]
		n.many[name] = true
		return seen
	}
	seen := slices.Contains(n.few, name)
	n.few = append(n.few, name)
	return seen
}

func (v *validation) typeNames() []string {
	var list []string
	for name := range v.schema.Types {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

func fieldNames(def *ast.Definition) []string {
	list := make([]string, 0, len(def.Fields))
	for _, f := range def.Fields {
		list = append(list, f.Name)
	}
	return list
}

func argumentNames(defs ast.ArgumentDefinitionList) []string {
	list := make([]string, 0, len(defs))
	for _, a := range defs {
		list = append(list, a.Name)
	}
	return list
}
