package projection

import (
	"maps"
	"slices"

	"github.com/graphql-go/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema"
)

// typeSet makes the types of one schema and keeps them, as the definitions that documents are
// validated against and that the SDL is printed from. It knows names, fields and wrappers, but
// not cards: the package's other makers decide which types there are.
type typeSet struct {
	claims   *claims
	bindings binding.Fields
	byHand   []handField
	library  *library
	semantic bool // fields have @semanticNonNull

	objects map[string]*definition
	made    []*definition // as they were made

	columns map[*schema.Entity][]namedField

	lists, nonNulls map[*ast.Type]*ast.Type
	reasons         map[string]ast.DirectiveList // @deprecated, by its reason
	oneOf           ast.DirectiveList            // marks an input of which exactly one field is sent
	types           pool[definition]
	fields          pool[ast.FieldDefinition]
	equal           map[likeness]*ast.FieldDefinition
	memberBindings  map[string]*binding.Field // see column
}

// likeness is everything about a field without arguments. Types share the definitions of equal fields whose
// own types belong to no door: most fields of a large schema.
type likeness struct {
	name, description string
	typ               *ast.Type
	directive         *ast.Directive // the first one
}

func newTypeSet() *typeSet {
	ts := &typeSet{
		claims:   newClaims(),
		bindings: binding.Fields{},
		objects:  map[string]*definition{},
		columns:  map[*schema.Entity][]namedField{},
		lists:    map[*ast.Type]*ast.Type{},
		nonNulls: map[*ast.Type]*ast.Type{},
		reasons:  map[string]ast.DirectiveList{},
		equal:    map[likeness]*ast.FieldDefinition{},

		memberBindings: map[string]*binding.Field{},
		oneOf:          ast.DirectiveList{{Name: "oneOf", Location: ast.LocationInputObject}}, // gqlparser writes into directives
	}
	ts.library = &library{definition: ts.definition, types: map[string]graphql.Type{}, byHand: map[string]map[string]*graphql.Field{}}
	return ts
}

// free claims a type name for by and returns it. If the name is taken or illegal, it returns a
// spare name to go on with: the build fails in the end, with all faults.
func (ts *typeSet) free(name string, by *origin) string {
	if !ts.claims.claim(typeNames, name, by) {
		return ts.claims.spare()
	}
	return name
}

// definition returns the type called name, or nil before it is made.
func (ts *typeSet) definition(name string) *ast.Definition {
	for _, d := range ts.made {
		if d.Name == name {
			return &d.Definition
		}
	}
	return nil
}

// newType starts a type. Until the schema is built, fields may be added to it, also by a door
// that comes later.
func (ts *typeSet) newType(kind ast.DefinitionKind, name, description string) *definition {
	d := ts.types.next()
	d.Kind, d.Name, d.Description, d.named.NamedType = kind, name, description, name
	ts.made = append(ts.made, d)
	return d
}

// newObject starts an object type.
func (ts *typeSet) newObject(name, description string) *definition {
	o := ts.newType(ast.Object, name, description)
	ts.objects[name] = o
	return o
}

// newInput starts an input type.
func (ts *typeSet) newInput(name, description string) *definition {
	return ts.newType(ast.InputObject, name, description)
}

// newOneOf starts an input type of which exactly one field is sent.
func (ts *typeSet) newOneOf(name, description string) *definition {
	in := ts.newInput(name, description)
	in.Directives = ts.oneOf
	return in
}

// newEnum makes an enum type. The values are the names themselves, so that a value leaves and
// arrives as the text that the card has.
func (ts *typeSet) newEnum(name, description string, values []string) *definition {
	e := ts.newType(ast.Enum, name, description)
	for _, v := range values {
		e.EnumValues = append(e.EnumValues, &ast.EnumValueDefinition{Name: v})
	}
	return e
}

// list returns the list type of t. There is one wrapper for each type and schema: a large
// catalog would otherwise hold thousands of equal ones.
func (ts *typeSet) list(t *ast.Type) *ast.Type {
	if ts.lists[t] == nil {
		ts.lists[t] = ast.ListType(t, nil)
	}
	return ts.lists[t]
}

// required returns the non-null type of t, one for each type as with list.
func (ts *typeSet) required(t *ast.Type) *ast.Type {
	if ts.nonNulls[t] == nil {
		ts.nonNulls[t] = &ast.Type{NamedType: t.NamedType, Elem: t.Elem, NonNull: true}
	}
	return ts.nonNulls[t]
}

// unless returns t where nullable is true, and the non-null type of t otherwise.
func (ts *typeSet) unless(nullable bool, t *ast.Type) *ast.Type {
	if nullable {
		return t
	}
	return ts.required(t)
}

// addFields gives o fields on behalf of by, and enters their bindings. It leaves out a field
// whose name is taken on o or illegal in GraphQL, and records the error.
func (ts *typeSet) addFields(o *definition, by *origin, fields ...*field) {
	for _, f := range fields {
		if ts.claims.claim(space{"field", o.Name}, f.name, by) {
			ts.put(o, f)
		}
	}
}

// put gives o a field whose name is known to be free and legal.
func (ts *typeSet) put(o *definition, f *field) {
	of := ts.bindings[o.Name]
	if of == nil {
		of = make(map[string]*binding.Field, cap(o.Fields))
		ts.bindings[o.Name] = of
	}
	of[f.name] = f.binding
	directives := ts.deprecated(f.deprecated)
	if ts.semantic && f.failsNull() {
		directives = append(ast.DirectiveList{{Name: semanticNonNull, Location: ast.LocationFieldDefinition}}, directives...)
	}
	o.Fields = append(o.Fields, ts.define(f.name, f.description, f.typ, f.args, directives))
}

// define returns the definition of a field, which does not change any more.
func (ts *typeSet) define(name, description string, typ *ast.Type, args ast.ArgumentDefinitionList, directives ast.DirectiveList) *ast.FieldDefinition {
	owner := ts.claims.owners[typeNames].of(typ.Name())
	common := args == nil && (owner == nil || owner == ownOrigin)
	like := likeness{name: name, description: description, typ: typ}
	if len(directives) > 0 {
		like.directive = directives[0]
	}
	if common && ts.equal[like] != nil {
		return ts.equal[like]
	}
	def := ts.fields.next()
	*def = ast.FieldDefinition{Name: name, Description: description, Type: typ, Arguments: args, Directives: directives}
	if common {
		ts.equal[like] = def
	}
	return def
}

// column returns the binding of a field that gives the member called name of a row or a nested object. There
// is one for each name.
func (ts *typeSet) column(name string) *binding.Field {
	if ts.memberBindings[name] == nil {
		ts.memberBindings[name] = column(name)
	}
	return ts.memberBindings[name]
}

// addInput gives in a field whose name is free there.
func (ts *typeSet) addInput(in *definition, by *origin, a *arg) {
	if ts.claims.claim(space{"input field", in.Name}, a.name, by) {
		ts.putInput(in, a)
	}
}

// putInput gives in a field whose name is known to be free. GraphQL 3.13.3 allows deprecation only
// on optional fields, so a non-null field loses its deprecation.
func (ts *typeSet) putInput(in *definition, a *arg) {
	var directives ast.DirectiveList
	if !a.typ.NonNull {
		directives = ts.deprecated(a.deprecated)
	}
	in.Fields = append(in.Fields, ts.define(a.name, a.description, a.typ, nil, directives))
}

// deprecated returns the directives of a deprecated thing with the reason, or nil for "".
// GraphQL's default reason (3.13.3) is the default of the argument.
func (ts *typeSet) deprecated(reason string) ast.DirectiveList {
	if reason == "" {
		return nil
	}
	if ts.reasons[reason] == nil {
		d := &ast.Directive{Name: "deprecated", Location: ast.LocationFieldDefinition}
		if reason != graphql.DefaultDeprecationReason {
			d.Arguments = textArgument("reason", reason)
		}
		ts.reasons[reason] = ast.DirectiveList{d}
	}
	return ts.reasons[reason]
}

// textArgument is an argument of a directive.
func textArgument(name, value string) ast.ArgumentList {
	return ast.ArgumentList{{Name: name, Value: &ast.Value{Kind: ast.StringValue, Raw: value}}}
}

// failsNull reports whether a nullable field is null only together with an error:
//
//	a connection behind a relation           its door is closed or unreachable
//	an operation that always answers rows    it failed: list, findByIds, create, update, and named ones
//	delete                                   the same
//	aggregate and groups of a connection     the same
func (f *field) failsNull() bool {
	b := f.binding
	if f.typ.NonNull || b == nil {
		return false
	}
	switch b.Kind {
	case binding.ToMany, binding.ToManyIDs, binding.Aggregate, binding.Groups:
		return true
	case binding.Operation:
		op := b.Operation
		return op.Builtin && op.Name == "delete" || b.Output != nil && (op.Cardinality == catalog.One || op.Cardinality == catalog.Many || op.Cardinality == catalog.PageOf)
	}
	return false
}

// reached returns the definitions that the root types lead to, in the order of the SDL: types in
// their order, then scalars and those that hand-written fields brought along, by name. all has the
// latter.
func reached(types []*definition, all map[string]*ast.Definition) ast.DefinitionList {
	for name, url := range specifiedBy {
		all[name] = &ast.Definition{
			Kind: ast.Scalar, Name: name, Description: scalars[name].Description(),
			Directives: ast.DirectiveList{{Name: "specifiedBy", Arguments: textArgument("url", url), Location: ast.LocationScalar}},
		}
	}
	brought := slices.Sorted(maps.Keys(all))
	for _, d := range types {
		all[d.Name] = &d.Definition
	}
	seen := make(map[string]bool, len(all))
	var visit func(name string)
	visit = func(name string) {
		d := all[name]
		if d == nil || seen[name] {
			return
		}
		seen[name] = true
		for _, f := range d.Fields {
			visit(f.Type.Name())
			for _, a := range f.Arguments {
				visit(a.Type.Name())
			}
		}
		for _, name := range d.Interfaces {
			visit(name)
		}
		for _, name := range d.Types {
			visit(name)
		}
	}
	for _, root := range []string{"Query", "Mutation", "Subscription"} {
		visit(root)
	}
	list := make(ast.DefinitionList, 0, len(seen))
	for _, d := range types {
		if seen[d.Name] {
			list = append(list, &d.Definition)
		}
	}
	for _, name := range brought {
		if seen[name] {
			list = append(list, all[name])
		}
	}
	return list
}
