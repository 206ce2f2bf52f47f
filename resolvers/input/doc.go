// Package input coerces the values of a request to the input types of a schema, as JSON text.
//
//	types.go      the input types: scalars, enums, input objects, lists (specification 3.5 to 3.12)
//	variables.go  CoerceVariableValues (6.1.2)
//	literals.go   literals of a document, with the values of variables in them (6.4.1)
//
// The text is in the façade's form: keys in the order they were written, null and absent apart,
// defaults filled in.
package input
