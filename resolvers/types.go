package resolvers

import (
	"slices"
	"sync"

	"github.com/graphql-go/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema/jsontext"
)

// types are the schema's types as plans and coercion want them. Each is worked
// out when a document first needs it: a schema of a thousand cards has far more
// types than any one document names.
type types struct {
	schema *ast.Schema
	built  *binding.Schema

	mu      sync.Mutex
	objects map[string]*objectType
	inputs  map[string]*inNamed
	wide    map[*ast.Definition]map[string]*ast.FieldDefinition
	of      map[*ast.Definition]map[*ast.Definition]bool
	meets   map[[2]*ast.Definition]bool
}

func newTypes(loaded *ast.Schema, built *binding.Schema) *types {
	return &types{
		schema:  loaded,
		built:   built,
		objects: map[string]*objectType{},
		inputs:  map[string]*inNamed{},
		wide:    map[*ast.Definition]map[string]*ast.FieldDefinition{},
		of:      map[*ast.Definition]map[*ast.Definition]bool{},
		meets:   map[[2]*ast.Definition]bool{},
	}
}

// field is a field of a type, or nil. A root type has one for each operation of a
// thousand cards; it is not searched for every field of a document.
func (t *types) field(on *ast.Definition, name string) *ast.FieldDefinition {
	if len(on.Fields) <= 16 {
		return on.Fields.ForName(name)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	fields := t.wide[on]
	if fields == nil {
		fields = make(map[string]*ast.FieldDefinition, len(on.Fields))
		for _, f := range on.Fields {
			fields[f.Name] = f
		}
		t.wide[on] = fields
	}
	return fields[name]
}

// meet says whether some object may be of both types (specification 5.5.2.3).
func (t *types) meet(a, b *ast.Definition) bool {
	switch {
	case a == b:
		return true
	case a.Kind == ast.Object && b.Kind == ast.Object:
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if a.Kind == ast.Object {
		return t.possible(b)[a]
	}
	if b.Kind == ast.Object {
		return t.possible(a)[b]
	}
	pair := [2]*ast.Definition{a, b} // of abstract types, of which there are few
	yes, known := t.meets[pair]
	if !known {
		of := t.possible(a)
		yes = slices.ContainsFunc(t.schema.GetPossibleTypes(b), func(d *ast.Definition) bool { return of[d] })
		t.meets[pair] = yes
	}
	return yes
}

// possible are the object types of an abstract type. The caller holds the lock.
func (t *types) possible(abstract *ast.Definition) map[*ast.Definition]bool {
	of := t.of[abstract]
	if of == nil {
		of = map[*ast.Definition]bool{}
		for _, d := range t.schema.GetPossibleTypes(abstract) {
			of[d] = true
		}
		t.of[abstract] = of
	}
	return of
}

// objectType is an object type.
type objectType struct {
	name     string
	def      *ast.Definition
	typename []byte // its name as JSON
	page     bool   // a connection, told by its bindings
	fields   map[string]*fieldType
}

// fieldType is a field of an object type.
type fieldType struct {
	parent  *objectType
	def     *ast.FieldDefinition
	binding *binding.Field // nil: written by hand, or introspection
	out     *outType
	args    []*inField
}

// object is the object type called name, or nil.
func (t *types) object(name string) *objectType {
	t.mu.Lock()
	defer t.mu.Unlock()
	if o, ok := t.objects[name]; ok {
		return o
	}
	def := t.schema.Types[name]
	if def == nil || def.Kind != ast.Object {
		return nil
	}
	o := &objectType{name: name, def: def, typename: jsontext.Quote(name), fields: make(map[string]*fieldType, len(def.Fields))}
	for _, f := range def.Fields {
		o.fields[f.Name] = &fieldType{
			parent:  o,
			def:     f,
			binding: t.built.Fields.Of(name, f.Name),
			out:     t.out(f.Type),
			args:    t.arguments(f.Arguments),
		}
	}
	for _, b := range t.built.Fields[name] {
		o.page = b.Kind >= binding.Items && b.Kind <= binding.PageInfo
		break
	}
	t.objects[name] = o
	return o
}

// written is graphql-go's definition of a field that has no binding, and its Resolve as
// it was registered.
func (t *types) written(typeName, field string) (*graphql.FieldDefinition, graphql.FieldResolveFn) {
	o, ok := t.built.GraphQL.Type(typeName).(*graphql.Object)
	if !ok {
		return nil, nil
	}
	def := o.Fields()[field]
	resolve := t.built.Resolvers[typeName][field]
	if resolve == nil && def != nil {
		resolve = def.Resolve
	}
	if resolve == nil {
		resolve = graphql.DefaultResolveFn
	}
	return def, resolve
}

// is says whether an object type meets a type condition.
func (t *types) is(o *objectType, condition string) bool {
	if condition == "" || condition == o.name {
		return true
	}
	for _, d := range t.schema.Implements[o.name] {
		if d != nil && d.Name == condition {
			return true
		}
	}
	return false
}

// outType is the type of a field, unrolled.
type outType struct {
	nonNull bool
	elem    *outType // of a list
	leaf    leafKind // of a scalar or an enum; 0 for composite types
	enum    map[string]struct{}
	def     *ast.Definition
}

// named is the type without its lists and bangs.
func (o *outType) named() *outType {
	for o.elem != nil {
		o = o.elem
	}
	return o
}

// leafKind says how a leaf is checked on its way out.
type leafKind uint8

const (
	composite   leafKind = iota
	leafAny              // a custom scalar: any JSON
	leafInt              // a number without fraction, of 32 bits
	leafFloat            // a number
	leafString           // a string
	leafBoolean          // true or false
	leafID               // a string; a whole number becomes one
	leafEnum             // a string that is one of the values
)

var leafs = map[string]leafKind{
	"Int": leafInt, "Float": leafFloat, "String": leafString, "Boolean": leafBoolean, "ID": leafID,
}

func (t *types) out(typ *ast.Type) *outType {
	if typ.Elem != nil {
		return &outType{nonNull: typ.NonNull, elem: t.out(typ.Elem)}
	}
	o := &outType{nonNull: typ.NonNull, def: t.schema.Types[typ.NamedType]}
	switch o.def.Kind {
	case ast.Scalar:
		if o.leaf = leafs[typ.NamedType]; o.leaf == composite {
			o.leaf = leafAny
		}
	case ast.Enum:
		o.leaf = leafEnum
		o.enum = enumNames(o.def)
	}
	return o
}

// enumNames are the values of an enum as they stand in JSON, quotes included.
func enumNames(def *ast.Definition) map[string]struct{} {
	names := make(map[string]struct{}, len(def.EnumValues))
	for _, v := range def.EnumValues {
		names[`"`+v.Name+`"`] = struct{}{}
	}
	return names
}

// inType is the type of an argument, an input field or a variable.
type inType struct {
	text    string // as written: [Int!]!
	nonNull bool
	elem    *inType
	named   *inNamed // where elem is nil
}

// inNamed is a named input type. Its fields are worked out at first use, for
// input types may hold themselves.
type inNamed struct {
	name string
	kind inKind
	enum map[string]struct{}

	oneOf  bool
	once   sync.Once
	load   func()
	fields []*inField
	byName map[string]*inField
}

// inField is an argument or a field of an input object.
type inField struct {
	name     string
	typ      *inType
	fallback *ast.Value // the default; nil: none
}

type inKind uint8

const (
	inCustom inKind = iota // a custom scalar: any JSON, judged by the façade
	inInt
	inFloat
	inString
	inBoolean
	inID
	inBigInt // the house's own: a whole number of 64 bits, as a number or its digits
	inEnum
	inObject
)

var inKinds = map[string]inKind{
	"Int": inInt, "Float": inFloat, "String": inString, "Boolean": inBoolean, "ID": inID, "BigInt": inBigInt,
}

// in is an input type. The caller holds no lock.
func (t *types) in(typ *ast.Type) *inType {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.input(typ)
}

func (t *types) input(typ *ast.Type) *inType {
	if typ.Elem != nil {
		elem := t.input(typ.Elem)
		text := "[" + elem.text + "]"
		if typ.NonNull {
			text += "!"
		}
		return &inType{text: text, nonNull: typ.NonNull, elem: elem}
	}
	return &inType{text: typ.String(), nonNull: typ.NonNull, named: t.inputNamed(typ.NamedType)}
}

func (t *types) inputNamed(name string) *inNamed {
	if n, ok := t.inputs[name]; ok {
		return n
	}
	def := t.schema.Types[name]
	n := &inNamed{name: name, kind: inKinds[name]}
	switch {
	case def == nil:
	case def.Kind == ast.Enum:
		n.kind, n.enum = inEnum, enumNames(def)
	case def.Kind == ast.InputObject:
		n.kind, n.oneOf = inObject, def.Directives.ForName("oneOf") != nil
		n.load = func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			n.fields = make([]*inField, len(def.Fields))
			n.byName = make(map[string]*inField, len(def.Fields))
			for i, f := range def.Fields {
				n.fields[i] = &inField{name: f.Name, typ: t.input(f.Type), fallback: f.DefaultValue}
				n.byName[f.Name] = n.fields[i]
			}
		}
	}
	t.inputs[name] = n
	return n
}

// object is the fields of an input object by name.
func (n *inNamed) object() map[string]*inField {
	n.once.Do(n.load)
	return n.byName
}

func (t *types) arguments(defs ast.ArgumentDefinitionList) []*inField {
	args := make([]*inField, len(defs))
	for i, a := range defs {
		args[i] = &inField{name: a.Name, typ: t.input(a.Type), fallback: a.DefaultValue}
	}
	return args
}
