package projection

import (
	"slices"
	"strings"

	"github.com/graphql-go/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// library makes graphql-go's types of the definitions of a schema, each when something first asks
// for it. Fields registered by hand bring types of their own along, which are among them.
type library struct {
	definition func(name string) *ast.Definition    // nil: there is none
	byHand     map[string]map[string]*graphql.Field // by their types and names
	types      map[string]graphql.Type              // those made so far, and those that came by hand
}

// named returns the type called name, or nil.
func (l *library) named(name string) graphql.Type {
	if t := l.types[name]; t != nil {
		return t
	}
	if s := scalars[name]; s != nil {
		return s
	}
	d := l.definition(name)
	if d == nil {
		return nil
	}
	l.types[name] = l.make(d)
	return l.types[name]
}

// make makes the type of a definition. Its fields are read when the schema is made.
func (l *library) make(d *ast.Definition) graphql.Type {
	switch d.Kind {
	case ast.InputObject:
		return graphql.NewInputObject(graphql.InputObjectConfig{Name: d.Name, Description: d.Description, Fields: graphql.InputObjectConfigFieldMapThunk(func() graphql.InputObjectConfigFieldMap {
			fields := make(graphql.InputObjectConfigFieldMap, len(d.Fields))
			for _, f := range d.Fields {
				fields[f.Name] = &graphql.InputObjectFieldConfig{Type: l.of(f.Type), Description: f.Description}
			}
			return fields
		})})
	case ast.Enum:
		values := make(graphql.EnumValueConfigMap, len(d.EnumValues))
		for _, v := range d.EnumValues {
			values[v.Name] = &graphql.EnumValueConfig{Value: v.Name}
		}
		return graphql.NewEnum(graphql.EnumConfig{Name: d.Name, Description: d.Description, Values: values})
	case ast.Interface: // Node
		id := d.Fields[0]
		return graphql.NewInterface(graphql.InterfaceConfig{
			Name: d.Name, Description: d.Description,
			Fields: graphql.Fields{id.Name: {Type: l.of(id.Type), Description: id.Description}},
		})
	}
	return graphql.NewObject(graphql.ObjectConfig{
		Name:        d.Name,
		Description: d.Description,
		Interfaces: graphql.InterfacesThunk(func() (all []*graphql.Interface) {
			for _, name := range d.Interfaces {
				all = append(all, l.named(name).(*graphql.Interface))
			}
			return all
		}),
		Fields: graphql.FieldsThunk(func() graphql.Fields { return l.fields(d) }),
	})
}

// of returns a type with its lists and non-null marks.
func (l *library) of(t *ast.Type) graphql.Type {
	var inner graphql.Type
	if t.Elem != nil {
		inner = graphql.NewList(l.of(t.Elem))
	} else {
		inner = l.named(t.NamedType)
	}
	if t.NonNull {
		return graphql.NewNonNull(inner)
	}
	return inner
}

// fields returns the fields of an object. Hand-written fields have the Resolve of their author,
// and generated ones do without: package resolvers runs their bindings.
func (l *library) fields(d *ast.Definition) graphql.Fields {
	fields := make(graphql.Fields, len(d.Fields))
	for _, f := range d.Fields {
		if strings.HasPrefix(f.Name, "__") {
			continue // graphql-go has its own introspection
		}
		if given := l.byHand[d.Name][f.Name]; given != nil {
			fields[f.Name] = given
			continue
		}
		g := &graphql.Field{Type: l.of(f.Type), Description: f.Description}
		if len(f.Arguments) > 0 {
			g.Args = make(graphql.FieldConfigArgument, len(f.Arguments))
			for _, a := range f.Arguments {
				g.Args[a.Name] = &graphql.ArgumentConfig{Type: l.of(a.Type), Description: a.Description}
			}
		}
		fields[f.Name] = g
	}
	return fields
}

// refused is the fault of a schema that graphql-go does not accept. Its file is the card of the longest
// type that graphql-go names, or the code that registered one by hand.
func refused(err error, served *catalog.Catalog) error {
	fault := schema.Fault{
		File: "Go code", Message: "graphql-go refuses the schema: " + err.Error(),
		Remedy: "correct the type that is registered by hand",
	}
	if served == nil {
		return fault
	}
	longest := ""
	for d := range served.Doors() {
		if name := schema.GraphQLType(d.Name); len(name) > len(longest) && strings.Contains(err.Error(), name) {
			longest = name
			fault.File, fault.Remedy = d.Origin, "rename what it names, here or with renamed in frond.yaml"
		}
	}
	return fault
}

// schema makes graphql-go's schema. The tables that graphql-go makes at first use are filled,
// since they are written without a lock: an enum's, and the possible types of Node, which are made
// again for every request.
func (l *library) schema(directives ast.DirectiveDefinitionList) (*graphql.Schema, error) {
	var config graphql.SchemaConfig
	config.Query, _ = l.named("Query").(*graphql.Object)
	config.Mutation, _ = l.named("Mutation").(*graphql.Object)
	config.Subscription, _ = l.named("Subscription").(*graphql.Object)
	config.Directives = slices.Clone(graphql.SpecifiedDirectives)
	for _, d := range directives {
		own := graphql.DirectiveConfig{Name: d.Name, Description: d.Description}
		for _, at := range d.Locations {
			own.Locations = append(own.Locations, string(at))
		}
		config.Directives = append(config.Directives, graphql.NewDirective(own))
	}
	g, err := graphql.NewSchema(config)
	if err != nil {
		return nil, err
	}
	node := g.Type("Node").(*graphql.Interface)
	for _, o := range g.PossibleTypes(node) {
		g.IsPossibleType(node, o)
	}
	for name, t := range g.TypeMap() {
		if e, ok := t.(*graphql.Enum); ok && !strings.HasPrefix(name, "__") {
			e.ParseValue("")
			e.Serialize("")
		}
	}
	return &g, nil
}
