package language

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"

	"github.com/frondhost/frond/schema"
)

// Types are the input types of a schema. Each is worked out when a document first needs
// it: a schema of a thousand cards has far more types than any one document names. They may
// be used from many goroutines.
type Types struct {
	// Suggest adds "Did you mean …" to refusals of unknown fields. It is set before the first use.
	Suggest bool
	schema  *ast.Schema

	mu    sync.Mutex
	named map[string]*Named
}

// NewTypes returns the input types of a loaded schema. The schema must not change afterwards.
func NewTypes(s *ast.Schema) *Types {
	return &Types{schema: s, named: map[string]*Named{}}
}

// Type is the type of an argument, an input field or a variable. Either Elem or Named is set:
// Elem of a list, Named of anything else.
type Type struct {
	Text    string // as written: [Int!]!
	NonNull bool
	Elem    *Type
	Named   *Named // where elem is nil
}

// Named is a named input type: a scalar, an enum or an input object. The fields of an object
// are worked out at first use, for input types may hold themselves; ByName has to be called
// before Fields is read. A name that the schema does not define is a custom scalar here.
type Named struct {
	Name string
	Kind Kind
	// Values are the values of an enum, nil for other kinds.
	Values Values

	// OneOf is an input object with @oneOf: exactly one field is set (GraphQL 3.10.1).
	OneOf bool
	of    *Types
	once  sync.Once
	load  func()
	// Fields are in the order of the SDL; nil before the first ByName, and for other types
	// than objects.
	Fields []*Definition
	byName map[string]*Definition
}

// Definition is an argument or a field of an input object.
type Definition struct {
	Name string
	Type *Type
	// Default is a checked literal of the SDL or the document, or nil.
	Default *ast.Value // the default; nil: none
}

// Type returns an input type of the document or the schema as a Type. It may be called from
// many goroutines.
func (t *Types) Type(typ *ast.Type) *Type {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.input(typ)
}

// input is Type for a caller who holds the lock.
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

// inputNamed returns the type called name, made at the first call. The caller holds the lock.
func (t *Types) inputNamed(name string) *Named {
	if n, ok := t.named[name]; ok {
		return n
	}
	def := t.schema.Types[name]
	n := &Named{Name: name, Kind: inputKind(name), of: t}
	switch {
	case def == nil:
	case def.Kind == ast.Enum:
		n.Kind, n.Values = Enum, ValuesOf(def)
	case def.Kind == ast.InputObject:
		n.Kind, n.OneOf = Composite, def.Directives.ForName("oneOf") != nil
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
	// Entered before its fields are worked out, which may refer to it.
	t.named[name] = n
	return n
}

// ByName returns the fields of an input object by name. It must be called of no other type.
func (n *Named) ByName() map[string]*Definition {
	n.once.Do(n.load)
	return n.byName
}

// maxGuessed is how many bytes a name may have to get a suggestion: comparing two names takes the
// product of their lengths.
const maxGuessed = 60

// Unknown is the refusal of a field that the input object does not have.
func (n *Named) Unknown(field string) string {
	text := fmt.Sprintf("Field %q is not defined by type %q.", field, n.Name)
	if !n.of.Suggest {
		return text
	}
	names := Names(n.Fields, func(f *Definition) string { return f.Name })
	if !slices.Contains(names, "isNull") { // every field takes this operator
		near := Suggest(field, names)
		if near == "" && strings.HasSuffix(n.Name, "Filter") && len(names) <= maxListed {
			near = " It has " + strings.Join(names, ", ") + "."
		}
		return text + near
	}
	if len(field) > maxGuessed {
		return text
	}
	if meant := schema.OperatorsMeant(field, names); meant != nil {
		text += " Did you mean " + core.QuotedOrList(meant...) + "?"
	}
	return text + " It has " + strings.Join(names, ", ") + "."
}

// maxListed is how many fields of a filter a refusal lists if no name is similar.
const maxListed = 20

// Suggest returns " Did you mean …?" if one of names is similar to a name, and "" otherwise.
func Suggest(name string, names []string) string {
	if len(name) > maxGuessed {
		return ""
	}
	if near := core.SuggestionList(name, names); len(near) > 0 {
		return " Did you mean " + core.QuotedOrList(near...) + "?"
	}
	return ""
}

// Names returns the names of definitions, for suggestions.
func Names[T any](list []T, name func(T) string) []string {
	names := make([]string, len(list))
	for i, d := range list {
		names[i] = name(d)
	}
	return names
}

// Arguments returns the arguments of a field or a directive in the order of the SDL, or nil.
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

// Kind says how values of a type are coerced. The kind of a scalar depends on the direction:
// BigInt is checked as an input, and copied as a Custom value in a response.
type Kind uint8

// The kinds, with what coercion accepts. Enum is never the result of Output or Input: a name
// alone does not say that a type is an enum.
const (
	Composite Kind = iota // no leaf: an object, an input object, an interface, a union
	Custom                // a custom scalar: any JSON, judged by the façade
	Int                   // a number without fraction, of 32 bits (specification 3.5.1)
	Float                 // a number (3.5.2)
	String                // a string (3.5.3)
	Boolean               // true or false (3.5.4)
	ID                    // a string; a whole number becomes one (3.5.5)
	bigInt                // input only: a whole number of 64 bits, as a number or its digits
	Enum                  // a string that is one of the values (3.9)
)

// scalars are the kinds of GraphQL's own scalars, by their names.
var scalars = map[string]Kind{"Int": Int, "Float": Float, "String": String, "Boolean": Boolean, "ID": ID}

// OutputKind returns the kind of the scalar called name in a response: one of GraphQL's five, or
// Custom.
func OutputKind(name string) Kind { return cmp.Or(scalars[name], Custom) }

// inputKind returns the kind of the scalar called name in arguments and variables: OutputKind's kind,
// or BigInt.
func inputKind(name string) Kind {
	if name == "BigInt" {
		return bigInt
	}
	return OutputKind(name)
}

// Values are the values of an enum as they are written in JSON, quotes included, so that the
// text of a column is looked up as it is.
type Values map[string]struct{}

// ValuesOf returns the values that an enum defines, deprecated ones included.
func ValuesOf(def *ast.Definition) Values {
	values := make(Values, len(def.EnumValues))
	for _, v := range def.EnumValues {
		values[`"`+v.Name+`"`] = struct{}{}
	}
	return values
}
