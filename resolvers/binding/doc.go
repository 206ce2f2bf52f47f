// Package binding describes the behaviour of the fields of a generated GraphQL schema.
//
// Package projection writes the bindings while it builds a schema; the executor (package
// resolvers) and the reference executor (resolvers/reference) read them. Neither executor knows
// the other, so their common rules are here as well:
//
//	binding.go   Schema, and for each generated field its call or its column
//	nodeid.go    global ids: how an entity and a key become one opaque text
//	window.go    paging over the ids in a row, and the checks of paging arguments
//	params.go    params that are sent in two ways at once
//
// The package executes no operations.
package binding
