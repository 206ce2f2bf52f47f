package projection

import (
	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/reference"
)

// typeSet makes the types of one schema and keeps them. It knows names, fields and wrappers,
// and nothing of cards: the packages' other makers decide which types there are.
type typeSet struct {
	claims   *claims
	bindings binding.Fields
	executor *reference.Executor // nil until the schema is built
	node     *graphql.Interface

	objects map[string]*object
	made    []any // *object, *input, *enum, *graphql.Interface, as they were made

	resolves map[*binding.Field]graphql.FieldResolveFn
	lists    map[graphql.Type]*graphql.List
	nonNulls map[graphql.Type]*graphql.NonNull
}

func newTypeSet() *typeSet {
	return &typeSet{
		claims:   newClaims(),
		bindings: binding.Fields{},
		objects:  map[string]*object{},
		resolves: map[*binding.Field]graphql.FieldResolveFn{},
		lists:    map[graphql.Type]*graphql.List{},
		nonNulls: map[graphql.Type]*graphql.NonNull{},
	}
}

// free claims a type name for by and returns it. Where it is not free or not legal, it returns
// a spare name to go on with: the build fails in the end, with everything that is wrong.
func (ts *typeSet) free(name string, by *origin) string {
	if !ts.claims.claim(typeNames, name, by) {
		return ts.claims.spare()
	}
	return name
}

// byName returns the generated or registered type called name, or a scalar; nil where there
// is none.
func (ts *typeSet) byName(name string) graphql.Type {
	for _, t := range ts.made {
		if own := typeOf(t); own.Name() == name && own != ts.node {
			return own
		}
	}
	if s := scalars[name]; s != nil {
		return s
	}
	return nil
}

// forget drops the types. graphql-go's hold the functions that gave them their fields for as
// long as the schema lives, and those functions hold the set. Only the notes remain.
func (ts *typeSet) forget() {
	for _, t := range ts.made {
		switch t := t.(type) {
		case *object:
			t.fields = nil
		case *input:
			t.fields = nil
		}
	}
	*ts = typeSet{claims: &claims{notes: ts.claims.notes}}
}

// newObject starts an object type; its fields are read when the schema is built.
//
// The functions that graphql-go is given run in NewSchema. Until then fields may be added to
// o, also by a door that is registered later, and o may become a Node.
func (ts *typeSet) newObject(name, description string) *object {
	o := &object{name: name, description: description}
	o.gql = graphql.NewObject(graphql.ObjectConfig{
		Name:        name,
		Description: description,
		Interfaces: graphql.InterfacesThunk(func() []*graphql.Interface {
			if o.node {
				return []*graphql.Interface{ts.node}
			}
			return nil
		}),
		Fields: graphql.FieldsThunk(func() graphql.Fields { return ts.fieldsOf(o) }),
	})
	ts.objects[name] = o
	ts.made = append(ts.made, o)
	return o
}

// fieldsOf returns o's fields for graphql-go. Each has a resolver of the reference executor,
// so that graphql.Do on the schema works without the executor of package resolvers:
//
//	generated       Resolver of its binding
//	by hand         Wrap of the author's Resolve, which turns rows into sources
func (ts *typeSet) fieldsOf(o *object) graphql.Fields {
	fields := make(graphql.Fields, len(o.fields))
	room := make([]graphql.Field, len(o.fields)) // in one piece, as those of inputs: a large schema has many
	for i, f := range o.fields {
		g := &room[i]
		*g = graphql.Field{Type: f.typ, Description: f.description, DeprecationReason: f.deprecated, Subscribe: f.subscribe}
		switch {
		case f.binding != nil:
			g.Resolve = ts.resolver(f.binding)
		default:
			g.Resolve = ts.executor.Wrap(f.resolve)
		}
		if len(f.args) > 0 {
			g.Args = make(graphql.FieldConfigArgument, len(f.args))
			room := make([]graphql.ArgumentConfig, len(f.args))
			for i, a := range f.args {
				room[i] = graphql.ArgumentConfig{Type: a.typ, Description: a.description, DefaultValue: a.value}
				g.Args[a.name] = &room[i]
			}
		}
		fields[f.name] = g
	}
	return fields
}

// resolver returns the reference executor's resolver of a binding, which fields of many types share.
func (ts *typeSet) resolver(b *binding.Field) graphql.FieldResolveFn {
	if ts.resolves[b] == nil {
		ts.resolves[b] = ts.executor.Resolver(b)
	}
	return ts.resolves[b]
}

// newInput starts an input type. Its fields are read when the schema is built, as those of
// newObject are.
func (ts *typeSet) newInput(name, description string) *input {
	in := &input{name: name, description: description}
	in.gql = graphql.NewInputObject(graphql.InputObjectConfig{
		Name:        name,
		Description: description,
		Fields: graphql.InputObjectConfigFieldMapThunk(func() graphql.InputObjectConfigFieldMap {
			fields := make(graphql.InputObjectConfigFieldMap, len(in.fields))
			room := make([]graphql.InputObjectFieldConfig, len(in.fields))
			for i, f := range in.fields {
				room[i] = graphql.InputObjectFieldConfig{Type: f.typ, Description: f.description, DefaultValue: f.value}
				fields[f.name] = &room[i]
			}
			return fields
		}),
	})
	ts.made = append(ts.made, in)
	return in
}

// newEnum makes an enum type. The values are the names themselves, as Go strings, so that a
// value leaves and arrives as the text that the card has.
func (ts *typeSet) newEnum(name, description string, values []string) *enum {
	e := &enum{name: name, description: description}
	config := make(graphql.EnumValueConfigMap, len(values))
	for _, v := range values {
		config[v] = &graphql.EnumValueConfig{Value: v}
		e.values = append(e.values, &graphql.EnumValueDefinition{Name: v, Value: v})
	}
	e.gql = graphql.NewEnum(graphql.EnumConfig{Name: name, Description: description, Values: config})
	ts.made = append(ts.made, e)
	return e
}

// list returns the list type of t. There is one wrapper for each type and schema: a large
// catalog would otherwise hold thousands of equal ones.
func (ts *typeSet) list(t graphql.Type) *graphql.List {
	if ts.lists[t] == nil {
		ts.lists[t] = graphql.NewList(t)
	}
	return ts.lists[t]
}

// required returns the non-null type of t, one wrapper for each type as with list. t must not
// be non-null already: graphql-go reports that as an error of the schema.
func (ts *typeSet) required(t graphql.Type) *graphql.NonNull {
	if ts.nonNulls[t] == nil {
		ts.nonNulls[t] = graphql.NewNonNull(t)
	}
	return ts.nonNulls[t]
}

// unless returns t where nullable is true, and the non-null type of t otherwise.
func (ts *typeSet) unless(nullable bool, t graphql.Type) graphql.Type {
	if nullable {
		return t
	}
	return ts.required(t)
}

// addFields gives o fields on behalf of by, and enters their bindings. It leaves out a field
// whose name is taken on o or illegal in GraphQL, and records the error.
func (ts *typeSet) addFields(o *object, by *origin, fields ...*field) {
	for _, f := range fields {
		if ts.claims.claim(space{"field", o.name}, f.name, by) {
			ts.put(o, f)
		}
	}
}

// put gives o a field whose name is known to be free and legal.
func (ts *typeSet) put(o *object, f *field) {
	of := ts.bindings[o.name]
	if of == nil {
		of = make(map[string]*binding.Field, cap(o.fields))
		ts.bindings[o.name] = of
	}
	of[f.name] = f.binding
	o.fields = append(o.fields, f)
}

// addInput gives in a field whose name is free there. GraphQL 3.13.3 allows deprecation only on
// optional fields, so a non-null field loses its deprecation.
func (ts *typeSet) addInput(in *input, by *origin, a *arg) {
	if !ts.claims.claim(space{"input field", in.name}, a.name, by) {
		return
	}
	if _, must := a.typ.(*graphql.NonNull); must {
		a.deprecated = ""
	}
	in.fields = append(in.fields, a)
}

// resolvers returns the Resolve of the fields that were registered by hand, by type and field
// name. The executor of package resolvers calls them itself; it does not use the wrapped ones
// that graphql-go has.
func (ts *typeSet) resolvers() map[string]map[string]graphql.FieldResolveFn {
	all := map[string]map[string]graphql.FieldResolveFn{}
	for _, o := range ts.objects {
		for _, f := range o.fields {
			if f.binding != nil {
				continue
			}
			if all[o.name] == nil {
				all[o.name] = map[string]graphql.FieldResolveFn{}
			}
			all[o.name][f.name] = f.resolve
		}
	}
	return all
}
