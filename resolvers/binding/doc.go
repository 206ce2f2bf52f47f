// Package binding describes the behaviour of the fields of a generated GraphQL schema.
//
// Package projection writes the bindings while it builds a schema; the executor (package
// resolvers) and the reference executor (e2e/reference) read them. Neither executor knows
// the other, so their common rules are here as well:
//
//	binding.go   Schema, and for each generated field its call or its column; global ids
//	window.go    paging over the ids in a row, and the checks of paging arguments
//
// Fields that an author registers have a Resolve of their own. Its reads go out in batches: the
// rows of an entity by a key ([Load], [LoadMany]) and values that no entity holds ([Lookup]).
//
//	loader.go    Load and LoadMany, and the loaders of a request
//	lookup.go    Lookup, and the batches under both
//
// A load returns a function instead of a value. The executor resolves every field of a level
// before it runs the first of these functions, so that all keys of the level are known by
// then and go out in one call:
//
//	Resolve of 50 rows  ->  50 keys wanted, 12 of them distinct
//	first function      ->  one call with 12 keys
//	the other 49        ->  no call; each reads the result for its key
//
// Loaders belong to one request ([WithLoaders]): there is no cache between requests, and every
// call has the rights of the request's caller.
//
// The package executes no operations.
package binding
