package scalar

import "github.com/vektah/gqlparser/v2/ast"

// Kind says how values of a type are coerced.
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
	BigInt                // input only: a whole number of 64 bits, as a number or its digits
	Enum                  // a string that is one of the values (3.9)
)

// Output is the kind of the scalar called name in a response.
func Output(name string) Kind {
	switch name {
	case "Int":
		return Int
	case "Float":
		return Float
	case "String":
		return String
	case "Boolean":
		return Boolean
	case "ID":
		return ID
	}
	return Custom
}

// Input is the kind of the scalar called name in arguments and variables.
func Input(name string) Kind {
	if name == "BigInt" {
		return BigInt
	}
	return Output(name)
}

// Values are the values of an enum as they are written in JSON, quotes included.
type Values map[string]struct{}

// ValuesOf are the values that an enum defines.
func ValuesOf(def *ast.Definition) Values {
	values := make(Values, len(def.EnumValues))
	for _, v := range def.EnumValues {
		values[`"`+v.Name+`"`] = struct{}{}
	}
	return values
}
