package validation

import (
	"fmt"
	"maps"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/resolvers/language"
)

// Options are the checks of a validator beyond the rules; the zero value adds no checks.
type Options struct {
	Limits Limits
	// Suggest adds "Did you mean …" to messages about names that do not exist. Without it
	// a caller learns only about names that it knows already.
	Suggest bool
	// NoIntrospection refuses __schema and __type.
	NoIntrospection bool
}

// Validator validates documents against one schema. It may be used from many goroutines; all
// documents share its knowledge of the schema's types.
type Validator struct {
	schema    *ast.Schema
	inputs    *language.Types
	relations *relations
	options   Options
}

// New makes a validator for a loaded schema and its input types. The schema must not change
// afterwards. A zero limit in options.Limits is a limit of 0; a negative one means no limit.
func New(s *ast.Schema, inputs *language.Types, options Options) *Validator {
	return &Validator{schema: s, inputs: inputs, relations: newRelations(s), options: options}
}

// Result is the result of validating a document.
type Result struct {
	Errors   []*language.Error // at most [language.MaxErrors]; nil: the document is valid
	Expanded []int             // by operation, see [Limits.Expanded]
	// Measured and Validated count the visited selections, arguments, values, directives,
	// spreads and uses of variables: the measure of the work.
	Measured, Validated int
}

// Validate measures a document against the limits, then applies the rules of GraphQL 5. It
// fills in the definitions of the document's elements, which execution reads. A document that
// breaks a limit has that one error and is not validated, since following its spreads may take
// too long.
//
// doc is changed and must not be shared before Validate returns; afterwards it is only read.
func (r *Validator) Validate(doc *ast.QueryDocument) *Result {
	m := newMeter(&r.options.Limits, doc)
	f := m.run(doc)
	out := &Result{Expanded: m.operations, Measured: m.steps}
	if f != nil {
		out.Errors = []*language.Error{f}
		return out
	}
	v := r.over(doc)
	v.run()
	out.Errors, out.Validated = v.errs, v.steps
	return out
}

// over returns a validation of doc before its walk.
func (r *Validator) over(doc *ast.QueryDocument) *validation {
	return &validation{Validator: r, doc: doc, fragments: make(map[string]*definition, len(doc.Fragments))}
}

// validation applies the rules of specification 5 to one document. It walks every operation
// once, and every fragment once, even if it is spread often. Rules across them (cycles,
// variables, fields that merge) are applied afterwards, to the records of the walk. So the cost
// follows the length of the document.
type validation struct {
	*Validator
	doc       *ast.QueryDocument
	fragments map[string]*definition
	operated  []*definition // by operation
	list      []*definition // of fragments, in the order they are defined
	in        *definition   // the definition being walked
	errs      []*language.Error
	steps     int // the elements walked
}

// definition is the walk's record of an operation or a fragment. One of op and fragment is set.
// uses are its own variables, without the variables of the fragments it spreads.
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

// run applies all rules. It ends early, by a panic of enough, when as many errors are found as
// are reported. The order matters:
//
//	fragments      by name, so that spreads find them
//	operations     their selections; then each fragment, on its own type
//	circles        sets reach, which across needs
//	across         unused fragments, variables
//	overlaps       only without an error so far
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
	if v.errs == nil { // it expects fragments without circles and fields that exist
		v.overlaps()
	}
}

// add records an error at one position. The message is shortened if it quotes a long name.
func (v *validation) add(at *ast.Position, format string, args ...any) {
	v.addAt(language.Positions(at), format, args...)
}

// addAt is add for an error with several locations, such as two fields that conflict.
func (v *validation) addAt(at []language.Location, format string, args ...any) {
	v.refuse(&language.Error{Message: language.Shorten(fmt.Sprintf(format, args...)), At: at, Code: language.CodeValidation})
}

// refuse notes an error, and ends the validation after language.MaxErrors of them.
func (v *validation) refuse(f *language.Error) {
	v.errs = append(v.errs, f)
	if len(v.errs) == language.MaxErrors {
		panic(enough{})
	}
}

// maxSuggested is how many errors come with a suggestion.
const maxSuggested = 10

// suggest returns " Did you mean …?" where Options.Suggest is set and a similar name exists,
// and "" otherwise. options is called only then.
func (v *validation) suggest(name string, options func() []string) string {
	if !v.options.Suggest || len(v.errs) >= maxSuggested {
		return ""
	}
	return language.Suggest(name, options())
}

// insteadOf is suggest for a field of a type. It suggests a field of a connection's rows with
// its path, below items.
func (v *validation) insteadOf(f *ast.Field, on *ast.Definition) string {
	if items := v.relations.field(on, "items"); v.options.Suggest && items != nil {
		if row := v.schema.Types[items.Type.Name()]; row != nil && row.Fields.ForName(f.Name) != nil {
			return fmt.Sprintf(" Did you mean \"items { %s }\"?", f.Name)
		}
	}
	return v.suggest(f.Name, func() []string {
		return language.Names(on.Fields, func(d *ast.FieldDefinition) string { return d.Name })
	})
}

// operations applies the rules on operations (GraphQL 5.2) and walks their selections: names
// are unique, an anonymous operation is alone, and the schema has the root type.
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
		if op.Operation == ast.Subscription {
			v.subscription(op)
		}
	}
}

// variables checks the declarations of an operation (GraphQL 5.8.1, 5.8.2): unique names, input
// types, defaults that fit. uses checks whether a variable is used correctly.
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

// named returns the type inside all lists: Int of [[Int!]]. It is a part of t, with its
// position.
func named(t *ast.Type) *ast.Type {
	for t.Elem != nil {
		t = t.Elem
	}
	return t
}

// fragment checks a fragment's type condition (GraphQL 5.5.1.2, 5.5.1.3) and walks its
// selections once, on the type of the condition. Whether it may be spread in a place is
// checked at each spread.
func (v *validation) fragment(f *ast.FragmentDefinition) {
	f.Definition = v.schema.Types[f.TypeCondition]
	// gqlparser reads variables of fragments, an experiment that never became part of the
	// language.
	if len(f.VariableDefinition) > 0 { // gqlparser reads what never became part of the language
		v.add(f.VariableDefinition[0].Position, "Fragment %q declares variables; only operations do.", f.Name)
	}
	switch {
	case f.Definition == nil:
		v.add(language.TypeCondition(f.Position), "Unknown type %q.%s", f.TypeCondition, v.suggest(f.TypeCondition, v.typeNames))
	case !f.Definition.IsCompositeType():
		v.add(language.TypeCondition(f.Position), "Fragment %q cannot condition on non composite type %q.", f.Name, f.TypeCondition)
	}
	v.directives(f.Directives, ast.LocationFragmentDefinition)
	v.selections(composed(f.Definition), f.SelectionSet)
}

// selections walks a selection set on a type. on is nil for an unknown type: the error was
// noted above, and the walk goes on for the variables and fragments further down.
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

// inline checks an inline fragment and walks it. Without a type condition it is on the type
// around it.
func (v *validation) inline(on *ast.Definition, f *ast.InlineFragment) {
	v.directives(f.Directives, ast.LocationInlineFragment)
	if f.TypeCondition != "" {
		def := v.schema.Types[f.TypeCondition]
		switch {
		case def == nil:
			v.add(language.TypeCondition(f.Position), "Unknown type %q.%s", f.TypeCondition, v.suggest(f.TypeCondition, v.typeNames))
		case !def.IsCompositeType():
			v.add(language.TypeCondition(f.Position), "Fragment cannot condition on non composite type %q.", f.TypeCondition)
		case on != nil && !v.meet(on, def):
			v.add(f.Position, "Fragment cannot be spread here as objects of type %q can never be of type %q.", on.Name, def.Name)
		}
		on = composed(def)
	}
	v.selections(on, f.SelectionSet)
}

// spread checks the spread of a named fragment and records it for circles and across. The
// fragment itself is walked separately, once.
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

// meet is the rule "Fragment Spread Is Possible" (GraphQL 5.5.2.3). A type other than a
// composite one counts as possible: it has an error already.
func (v *validation) meet(a, b *ast.Definition) bool {
	return !a.IsCompositeType() || !b.IsCompositeType() || v.relations.meet(a, b)
}

// typenameField is the field that every composite type has (specification 4.3.3).
var typenameField = &ast.FieldDefinition{Name: "__typename", Type: ast.NonNullNamedType("String", nil)}

// field checks a field on a type (GraphQL 5.3) and walks its arguments, directives and
// selections. A field that does not exist is still walked below, on no type: a variable used
// there must not be reported as unused.
func (v *validation) field(on *ast.Definition, f *ast.Field) {
	f.ObjectDefinition, f.Definition = on, nil
	switch {
	case f.Name == "__typename":
		f.Definition = typenameField
	case on != nil:
		if f.Definition = v.relations.field(on, f.Name); f.Definition == nil {
			v.add(f.Position, "Cannot query field %q on type %q.%s", f.Name, on.Name, v.insteadOf(f, on))
		}
	}
	v.directives(f.Directives, ast.LocationField)
	v.live(on, f)
	if f.Definition == nil {
		v.unknownArguments(f.Arguments)
		v.selections(nil, f.SelectionSet)
		return
	}
	// Not a rule of GraphQL: the operator of the host refuses these fields. __typename stays.
	if v.options.NoIntrospection && (f.Name == "__schema" || f.Name == "__type") {
		v.refuse(&language.Error{
			Message: "Introspection is off here; take the schema from those who run this service: `frond schema` prints it.",
			At:      language.Positions(f.Position), Code: language.CodeIntrospection,
		})
	}
	v.arguments(f.Definition.Arguments, f.Arguments, owner{on: on, name: f.Name, at: f.Position})
	under := v.schema.Types[f.Definition.Type.Name()]
	switch {
	case under == nil:
	// GraphQL 5.3.3: leaves have no selections, composite types must have some.
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

// composed returns def if it has fields, and nil otherwise. A selection below another type has
// an error already.
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

// String returns the owner as messages show it: field "Post.comments", directive "@skip".
func (o owner) String() string {
	if o.on == nil {
		return fmt.Sprintf("directive \"@%s\"", o.name)
	}
	return fmt.Sprintf("field \"%s.%s\"", o.on.Name, o.name)
}

// arguments checks the arguments of a field or a directive (GraphQL 5.4): known and unique
// names, values of their types, and no required one missing.
func (v *validation) arguments(defs ast.ArgumentDefinitionList, args ast.ArgumentList, of owner) {
	var names names
	for _, a := range args {
		v.steps++
		if names.twice(a.Name, len(args)) {
			v.add(a.Position, "There can be only one argument named %q.", a.Name)
		}
		def := defs.ForName(a.Name)
		if def == nil {
			v.add(a.Position, "Unknown argument %q on %s.%s", a.Name, of, v.suggest(a.Name, func() []string {
				return language.Names(defs, func(d *ast.ArgumentDefinition) string { return d.Name })
			}))
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

// unknownArguments walks the arguments of a field or a directive that does not exist. Their
// types are not known, but the variables in them count as used.
func (v *validation) unknownArguments(args ast.ArgumentList) {
	for _, a := range args {
		v.value(nil, a.Value)
	}
}

// directives checks the directives at a location (GraphQL 5.7): they exist, are allowed there,
// and are not repeated unless they are repeatable. Execution reads the definitions that this
// fills in.
func (v *validation) directives(list ast.DirectiveList, at ast.DirectiveLocation) {
	var names names
	for _, d := range list {
		v.steps++
		d.Location = at
		d.Definition = v.schema.Directives[d.Name]
		// Called before the definition is looked at: an unknown directive is reported once,
		// even if it is repeated.
		again := names.twice(d.Name, len(list))
		if d.Definition == nil {
			if !again { // an unknown directive may be repeatable
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

// names finds names that occur twice. A few are compared with each other; more than eight are
// looked up in a map.
type names struct {
	few  []string
	many map[string]bool
}

// twice reports whether name was asked for before. of is how many names there are in all: it
// decides between comparing and looking up.
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

// typeNames returns the names of all types, sorted so that suggestions do not depend on the
// order of a map.
func (v *validation) typeNames() []string { return slices.Sorted(maps.Keys(v.schema.Types)) }
