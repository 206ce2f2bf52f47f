package validation_test

import (
	"strings"
	"testing"

	"github.com/frondhost/frond/resolvers/validation"
)

// TestLoadSchemaRefuses: a schema that would fail its requests fails the start: the rules of
// section 3 on defaults, one-of inputs and deprecation.
func TestLoadSchemaRefuses(t *testing.T) {
	for _, c := range []struct{ sdl, want string }{
		{`type Query { a(n: Int = 1, s: [String!] = ["a"], one: [Int] = 1, b: B = {n: null}, e: E = A, f: Float = 1): Int } input B { n: Int = 2 } enum E { A }`, ``},
		{`type Query { a(n: Int = "x"): Int }`, `the default of Query.a(n:) does not fit its type Int: Int cannot represent a value that is not an integer.`},
		{`type Query { a(n: Int! = null): Int }`, `Query.a(n:)`},
		{`type Query { a(n: [Int!] = [1, null]): Int }`, `Query.a(n:)`},
		{`type Query { a(n: Int = 99999999999): Int }`, `more than 32 bits`},
		{`type Query { a(b: B): Int } input B { n: Int = "x" }`, `the default of B.n does not fit`},
		{`type Query { a(b: B = {nope: 1}): Int } input B { n: Int }`, `Field "nope" is not defined by type "B"`},
		{`type Query { a(b: B = {}): Int } input B { n: Int! }`, `Field "B.n" of required type "Int!" was not provided`},
		{`type Query { a(e: E = "A"): Int } enum E { A }`, `written without quotes`},
		{`type Query { a(e: E = C): Int } enum E { A }`, `Value "C" does not exist in "E" enum`},
		{`type Query { a: Int } directive @d(n: Int = true) on FIELD`, `the default of @d(n:)`},
		{`type Query { a(b: A): Int } input A @oneOf { b: Int c: Int }`, ``},
		{`type Query { a(b: A): Int } input A @oneOf { b: Int! }`, `A.b is a field of a one-of input`},
		{`type Query { a(b: A): Int } input A @oneOf { b: Int = 1 }`, `A.b is a field of a one-of input`},
		{`type Query { a(b: A = {b: 1, c: 2}): Int } input A @oneOf { b: Int c: Int }`, `must specify exactly one key`},
		{`type Query { a(n: Int @deprecated, m: Int! = 1 @deprecated): Int }`, ``},
		{`type Query { a(n: Int! @deprecated): Int }`, `Query.a(n:) is required, so it cannot be deprecated`},
		{`type Query { a(b: B): Int } input B { n: Int! @deprecated }`, `B.n is required`},
		// The examples of 3.10, circular defaults.
		{`type Query { a(b: A): Int } input A { x: A = {} }`, `the default of A.x holds itself`},
		{`type Query { a(b: A): Int } input A { x: A = {x: null} }`, ``},
		{`type Query { a(b: A): Int } input A { x: B = {} } input B { y: A = {} }`, `the default of A.x holds itself`},
		{`type Query { a(b: A): Int } input A { x: B = {y: {x: null}} } input B { y: A = {x: {y: null}} }`, ``},
		{`type Query { a(b: A): Int } input A { x: [A] = [{}] }`, `the default of A.x holds itself`},
		{`type Query { a(b: A): Int } input A { x: A = null y: A = {} }`, `the default of A.y holds itself`},
		// What gqlparser sees.
		{`type Query { a(b: A): Int } input A { b: B! } input B { a: A! }`, `within itself`},
		{`type Query { a: I } interface I { b: Int! } type X implements I { b: Int }`, `must have type Int!`},
		{`type Query { a: Int } subscription`, `does not load`},
	} {
		_, err := validation.LoadSchema(c.sdl)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.sdl, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %s", c.sdl, err, c.want)
		}
	}
}
