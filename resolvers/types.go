package resolvers

import (
	"sync"

	"github.com/graphql-go/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/language"
	"github.com/frondhost/frond/schema/jsontext"
)

// types are the object types of a schema, with the behaviour of their fields. Each is worked out
// when a document first needs it. They may be used from many goroutines.
type types struct {
	Schema *ast.Schema
	built  *binding.Schema
	Inputs *language.Types

	mu      sync.Mutex
	objects map[string]*objectType
}

// newTypes returns the object types of a schema: loaded is built as it was loaded from its
// SDL, inputs are its input types.
func newTypes(loaded *ast.Schema, built *binding.Schema, inputs *language.Types) *types {
	return &types{Schema: loaded, built: built, Inputs: inputs, objects: map[string]*objectType{}}
}

// objectType is an object type of the schema with the behaviour of its fields. It is immutable.
type objectType struct {
	Name     string
	def      *ast.Definition
	typename []byte // its name as JSON
	Page     bool   // a connection, by its bindings
	fields   map[string]*fieldType
}

// fieldType is a field of an object type: its definition in the SDL, and its binding. Args are
// in the order of the SDL.
type fieldType struct {
	Parent     *objectType
	Definition *ast.FieldDefinition
	Binding    *binding.Field // nil: written by hand, or introspection
	Output     *outputType
	Args       []*language.Definition
}

// object returns the object type called name, made at the first call, or nil if the schema has
// no object type of that name.
func (t *types) object(name string) *objectType {
	t.mu.Lock()
	defer t.mu.Unlock()
	if o, ok := t.objects[name]; ok {
		return o
	}
	def := t.Schema.Types[name]
	if def == nil || def.Kind != ast.Object {
		return nil
	}
	o := &objectType{Name: name, def: def, typename: jsontext.Quote(name), fields: make(map[string]*fieldType, len(def.Fields))}
	for _, f := range def.Fields {
		o.fields[f.Name] = &fieldType{
			Parent:     o,
			Definition: f,
			Binding:    t.built.Fields.Of(name, f.Name),
			Output:     t.out(f.Type),
			Args:       t.Inputs.Arguments(f.Arguments),
		}
	}
	// One binding decides: the fields of a connection are all bound as parts of one.
	for _, b := range t.built.Fields[name] {
		o.Page = b.Kind >= binding.Items && b.Kind <= binding.PageInfo
		break
	}
	t.objects[name] = o
	return o
}

// custom returns graphql-go's definition of a field without a binding, and its Resolve as it
// was registered. A field of a type that came along with a hand-written one has graphql-go's
// Resolve, or the default one, which reads a member of the parent's value. The definition is
// nil if graphql-go does not know the type.
func (t *types) custom(typeName, field string) (*graphql.FieldDefinition, graphql.FieldResolveFn) {
	o, ok := t.built.GraphQL().Type(typeName).(*graphql.Object)
	if !ok {
		return nil, nil
	}
	def := o.Fields()[field]
	var resolve graphql.FieldResolveFn
	if f := t.built.ByHand[typeName][field]; f != nil {
		resolve = f.Resolve
	} else if def != nil {
		resolve = def.Resolve
	}
	if resolve == nil {
		resolve = graphql.DefaultResolveFn
	}
	return def, resolve
}

// is reports whether an object type meets a type condition (DoesFragmentTypeApply, GraphQL
// 6.3.2): its own name, an interface it implements, a union it is in, or no condition.
func (t *types) is(o *objectType, condition string) bool {
	if condition == "" || condition == o.Name {
		return true
	}
	for _, d := range t.Schema.Implements[o.Name] {
		if d != nil && d.Name == condition {
			return true
		}
	}
	return false
}

// outputType is the type of a field, one value for each of its lists and one for the named type
// inside. Kind, Values and Definition describe the named type and are set only there.
type outputType struct {
	NonNull    bool
	Elem       *outputType   // of a list
	Kind       language.Kind // of a scalar or an enum; 0 for Composite types
	Values     language.Values
	Definition *ast.Definition
}

// named returns the type without its lists and non-null marks.
func (o *outputType) named() *outputType {
	for o.Elem != nil {
		o = o.Elem
	}
	return o
}

// out returns a type of the SDL as an OutputType.
func (t *types) out(typ *ast.Type) *outputType {
	if typ.Elem != nil {
		return &outputType{NonNull: typ.NonNull, Elem: t.out(typ.Elem)}
	}
	o := &outputType{NonNull: typ.NonNull, Definition: t.Schema.Types[typ.NamedType]}
	switch o.Definition.Kind {
	case ast.Scalar:
		o.Kind = language.OutputKind(typ.NamedType)
	case ast.Enum:
		o.Kind = language.Enum
		o.Values = language.ValuesOf(o.Definition)
	}
	return o
}
