// Package scalar coerces the values of leaf types: scalars (specification 3.5) and enums (3.9).
//
//	kind.go      Kind: how the values of a type are coerced
//	input.go     input coercion, of JSON values and of literals
//	result.go    result coercion, of the JSON text of a column
//	govalues.go  result coercion of the values of Go functions
//
// Values stay JSON text: a text that fits its type is copied as it is. The package knows no
// schema; a caller passes the kind, and the values of an enum.
package scalar
