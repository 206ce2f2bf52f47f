package resolvers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/graphql-go/graphql"
	gast "github.com/graphql-go/graphql/language/ast"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/validation"
)

// The tables of spec_*_test.go follow the sections of the GraphQL specification,
// September 2025; where October 2021 says otherwise, the row says so. Their schemas
// are written as SDL, each field by hand: what it gives stands in a world.

// world is an object of a test schema, by field: a value, an error, a
// func(map[string]any) any of the arguments. __typename distinguishes members of unions
// and interfaces apart.
type world map[string]any

// spoken is an engine over sdl whose root fields stand in root.
func spoken(t testing.TB, sdl string, root world) *resolvers.Engine {
	t.Helper()
	e, err := spokenEngine(sdl, root)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func spokenEngine(sdl string, root world) (*resolvers.Engine, error) {
	loaded, err := validation.LoadSchema(sdl)
	if err != nil {
		return nil, err
	}
	m := maker{ast: loaded, root: root, types: map[string]graphql.Type{
		"Int": graphql.Int, "Float": graphql.Float, "String": graphql.String, "Boolean": graphql.Boolean, "ID": graphql.ID,
	}}
	config := graphql.SchemaConfig{Query: m.named("Query").(*graphql.Object)}
	if loaded.Mutation != nil {
		config.Mutation = m.named(loaded.Mutation.Name).(*graphql.Object)
	}
	for name := range loaded.Types {
		if !strings.HasPrefix(name, "__") {
			config.Types = append(config.Types, m.named(name))
		}
	}
	built, err := graphql.NewSchema(config)
	if err != nil {
		return nil, err
	}
	never := facade.CallerFunc(func(context.Context, *facade.Call) (*facade.Result, error) { panic("called") })
	return resolvers.NewEngine(&binding.Schema{AST: loaded, GraphQL: func() *graphql.Schema { return &built }}, never, &resolvers.Options{Logger: quiet})
}

// maker makes graphql-go's types of parsed ones.
type maker struct {
	ast   *ast.Schema
	root  world
	types map[string]graphql.Type
}

func (m *maker) of(t *ast.Type) graphql.Type {
	var of graphql.Type
	if t.Elem != nil {
		of = graphql.NewList(m.of(t.Elem))
	} else {
		of = m.named(t.NamedType)
	}
	if t.NonNull {
		of = graphql.NewNonNull(of)
	}
	return of
}

func (m *maker) named(name string) graphql.Type {
	if t := m.types[name]; t != nil {
		return t
	}
	def := m.ast.Types[name]
	fields := graphql.FieldsThunk(func() graphql.Fields { return m.fields(def) })
	switch def.Kind {
	case ast.Scalar: // any value, as it is
		m.types[name] = graphql.NewScalar(graphql.ScalarConfig{
			Name: name, Serialize: func(v any) any { return v }, ParseValue: func(v any) any { return v },
			ParseLiteral: func(gast.Value) any { return nil },
		})
	case ast.Enum: // inside, a value is a number from 1 on
		values := graphql.EnumValueConfigMap{}
		for i, v := range def.EnumValues {
			values[v.Name] = &graphql.EnumValueConfig{Value: i + 1}
		}
		m.types[name] = graphql.NewEnum(graphql.EnumConfig{Name: name, Values: values})
	case ast.InputObject:
		m.types[name] = graphql.NewInputObject(graphql.InputObjectConfig{Name: name, Fields: graphql.InputObjectConfigFieldMapThunk(func() graphql.InputObjectConfigFieldMap {
			fields := graphql.InputObjectConfigFieldMap{}
			for _, f := range def.Fields {
				fields[f.Name] = &graphql.InputObjectFieldConfig{Type: m.of(f.Type)}
			}
			return fields
		})})
	case ast.Interface:
		m.types[name] = graphql.NewInterface(graphql.InterfaceConfig{Name: name, Fields: fields, ResolveType: m.resolveType})
	case ast.Union:
		var members []*graphql.Object
		for _, t := range def.Types {
			members = append(members, m.named(t).(*graphql.Object))
		}
		m.types[name] = graphql.NewUnion(graphql.UnionConfig{Name: name, Types: members, ResolveType: m.resolveType})
	case ast.Object:
		m.types[name] = graphql.NewObject(graphql.ObjectConfig{Name: name, Fields: fields, Interfaces: graphql.InterfacesThunk(func() []*graphql.Interface {
			var list []*graphql.Interface
			for _, i := range def.Interfaces {
				list = append(list, m.named(i).(*graphql.Interface))
			}
			return list
		})})
	}
	return m.types[name]
}

func (m *maker) resolveType(p graphql.ResolveTypeParams) *graphql.Object {
	name, _ := p.Value.(world)["__typename"].(string)
	o, _ := m.types[name].(*graphql.Object)
	return o
}

func (m *maker) fields(def *ast.Definition) graphql.Fields {
	fields := graphql.Fields{}
	for _, f := range def.Fields {
		if strings.HasPrefix(f.Name, "__") {
			continue
		}
		args := graphql.FieldConfigArgument{}
		for _, a := range f.Arguments {
			args[a.Name] = &graphql.ArgumentConfig{Type: m.of(a.Type)}
		}
		fields[f.Name] = &graphql.Field{Type: m.of(f.Type), Args: args, Resolve: func(p graphql.ResolveParams) (any, error) {
			of, ok := p.Source.(world)
			if !ok {
				of = m.root
			}
			v := of[p.Info.FieldName]
			if call, ok := v.(func(map[string]any) any); ok {
				v = call(p.Args)
			}
			if err, ok := v.(error); ok {
				return nil, err
			}
			return v, nil
		}}
	}
	return fields
}

// echoed answers with the arguments it is given, as JSON with sorted keys.
func echoed(args map[string]any) any {
	text, err := json.Marshal(args)
	if err != nil {
		return fmt.Errorf("%v: %w", args, err)
	}
	return string(text)
}

// say runs a request and gives the answer without trace ids.
func say(e *resolvers.Engine, query, variables string) string {
	r := e.Execute(context.Background(), &resolvers.Request{Query: query, Variables: json.RawMessage(variables)})
	defer r.Release()
	return untraced(string(r.Body))
}

// answer is a response, taken apart.
type answer struct {
	Data   json.RawMessage
	Errors []struct {
		Message    string
		Locations  []struct{ Line, Column int }
		Path       []any
		Extensions struct{ Code string }
	}
}

func asked(t testing.TB, e *resolvers.Engine, query, variables string) (a answer) {
	t.Helper()
	text := say(e, query, variables)
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return a
}

// places are where the errors are, in the document and in the data: 1:9/pet.name
func (a *answer) places() string {
	var list []string
	for _, e := range a.Errors {
		var at, path []string
		for _, l := range e.Locations {
			at = append(at, fmt.Sprintf("%d:%d", l.Line, l.Column))
		}
		for _, p := range e.Path {
			path = append(path, fmt.Sprint(p))
		}
		s := strings.Join(at, "+")
		if path != nil {
			s += "/" + strings.Join(path, ".")
		}
		list = append(list, s)
	}
	return strings.Join(list, " ")
}
