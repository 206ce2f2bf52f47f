// Package binding says what the fields of a generated GraphQL schema do.
//
// Package projection writes it while it builds a schema; the executor (package resolvers)
// and the reference executor (resolvers/reference) read it. Neither knows the other, so
// what both have to do alike stands here as well:
//
//	binding.go   Schema, and for each generated field the call or the column behind it
//	nodeid.go    global ids: how an entity and a key become one opaque text
//	window.go    paging over the ids that stand in a row, and the checks of paging arguments
//	params.go    params that are sent in two ways at once
//
// It runs nothing.
package binding
