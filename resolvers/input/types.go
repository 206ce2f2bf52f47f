package input

import (
	"sync"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/resolvers/scalar"
)

// Types are the input types of a schema. Each is worked out when a document first needs
// it: a schema of a thousand cards has far more types than any one document names. They may
// be used from many goroutines.
type Types struct {
	schema *ast.Schema

	mu    sync.Mutex
	named map[string]*Named
}

// NewTypes returns the input types of a loaded schema.
func NewTypes(s *ast.Schema) *Types {
	return &Types{schema: s, named: map[string]*Named{}}
}

// Type is the type of an argument, an input field or a variable.
type Type struct {
	Text    string // as written: [Int!]!
	NonNull bool
	Elem    *Type
	Named   *Named // where elem is nil
}

// Named is a named input type. Its fields are worked out at first use, for
// input types may hold themselves.
type Named struct {
	Name   string
	Kind   scalar.Kind
	Values scalar.Values

	OneOf  bool
	once   sync.Once
	load   func()
	Fields []*Definition
	byName map[string]*Definition
}

// Definition is an argument or a field of an input object.
type Definition struct {
	Name    string
	Type    *Type
	Default *ast.Value // the default; nil: none
}

// Type is an input type. The caller holds no lock.
func (t *Types) Type(typ *ast.Type) *Type {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.input(typ)
}

func (t *Types) input(typ *ast.Type) *Type {
	if typ.Elem != nil {
		elem := t.input(typ.Elem)
		text := "[" + elem.Text + "]"
		if typ.NonNull {
			text += "!"
		}
		return &Type{Text: text, NonNull: typ.NonNull, Elem: elem}
	}
	return &Type{Text: typ.String(), NonNull: typ.NonNull, Named: t.inputNamed(typ.NamedType)}
}

func (t *Types) inputNamed(name string) *Named {
	if n, ok := t.named[name]; ok {
		return n
	}
	def := t.schema.Types[name]
	n := &Named{Name: name, Kind: scalar.Input(name)}
	switch {
	case def == nil:
	case def.Kind == ast.Enum:
		n.Kind, n.Values = scalar.Enum, scalar.ValuesOf(def)
	case def.Kind == ast.InputObject:
		n.Kind, n.OneOf = scalar.Composite, def.Directives.ForName("oneOf") != nil
		n.load = func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			n.Fields = make([]*Definition, len(def.Fields))
			n.byName = make(map[string]*Definition, len(def.Fields))
			for i, f := range def.Fields {
				n.Fields[i] = &Definition{Name: f.Name, Type: t.input(f.Type), Default: f.DefaultValue}
				n.byName[f.Name] = n.Fields[i]
			}
		}
	}
	t.named[name] = n
	return n
}

// ByName is the fields of an input object by name.
func (n *Named) ByName() map[string]*Definition {
	n.once.Do(n.load)
	return n.byName
}

// Arguments are the arguments of a field.
func (t *Types) Arguments(defs ast.ArgumentDefinitionList) []*Definition {
	if len(defs) == 0 {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	args := make([]*Definition, len(defs))
	for i, a := range defs {
		args[i] = &Definition{Name: a.Name, Type: t.input(a.Type), Default: a.DefaultValue}
	}
	return args
}
