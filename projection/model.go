package projection

import (
	"unsafe"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/resolvers/binding"
)

// definition is a type of the schema: an object, an input or an enum, with its fields and values
// in the order of the card. Fields are added after it is made, since a filter may refer to itself
// (and, or, not) and to the filters of other doors.
type definition struct {
	ast.Definition
	named ast.Type
	rank  int // its place in the SDL, see doors.sorted
}

// typ returns the type that names the definition.
func (d *definition) typ() *ast.Type { return &d.named }

// field is one generated field of an object, as typeSet.addFields enters it.
type field struct {
	name, description, deprecated string
	typ                           *ast.Type
	args                          ast.ArgumentDefinitionList
	binding                       *binding.Field
}

// take adds an argument, and the part of the call that its value goes to.
func (f *field) take(a *ast.ArgumentDefinition, into binding.Arg) {
	into.Name = a.Name
	f.args, f.binding.Args = append(f.args, a), append(f.binding.Args, into)
}

// arg is a field of an input, as typeSet.addInput enters it. It has no default: the façade fills
// defaults in, in the same way for every surface (docs/decisions/judge.md).
type arg struct {
	name, description, deprecated string
	typ                           *ast.Type
}

// pool hands out values from shared slices: a large schema has many.
type pool[T any] []T

// next returns the next value, which is zero.
func (p *pool[T]) next() *T {
	if len(*p) == 0 {
		*p = make([]T, (8<<10)/unsafe.Sizeof(*new(T))) // a size of Go's allocator
	}
	v := &(*p)[0]
	*p = (*p)[1:]
	return v
}
