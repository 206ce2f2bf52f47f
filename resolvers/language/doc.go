// Package language reads the GraphQL language: documents and the values in them.
//
// gqlparser parses a document. This package corrects gqlparser's differences from the
// specification:
//
//	parse.go       Parse: from a text to a document, or to one error and its place
//	strings.go     block strings and control characters that its lexer misreads (2.1.1), and
//	               escapes that are half a surrogate pair (2.9.4)
//	locate.go      positions at the beginning of each element (7.1.2)
//	canonical.go   arguments as one text, however they are written
//
// It coerces the values of a request, which stay JSON text in the façade's form: keys in the
// order they were written, null and absent apart, defaults filled in.
//
//	types.go       the input types: scalars, enums, input objects, lists (3.5 to 3.12), and Kind:
//	               how the values of a leaf type are coerced, a scalar or an enum
//	variables.go   CoerceVariableValues (6.1.2)
//	literals.go    literals of a document, with the values of variables in them (6.4.1)
//	input.go       input coercion of leaves, of JSON values and of literals
//	result.go      result coercion of leaves, of the JSON text of a column
//	govalues.go    result coercion of leaves, of the values of Go functions
//
// An error points into the document and has a path into the response (7.1.2):
//
//	error.go       Error, one entry of errors: message, locations, path, extensions; its codes
//	reporter.go    Go errors become entries; text that must not be sent is logged
//
// An Error is safe to send as it is. A [Reporter] is the only place where the text of an
// internal failure and the text for the client part.
package language
