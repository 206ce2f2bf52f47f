package language

import (
	"cmp"

	"github.com/vektah/gqlparser/v2/ast"
)

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

// inputKind returns the kind of the scalar called name in arguments and variables: that of OutputKind,
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
