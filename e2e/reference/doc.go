// Package reference runs a generated GraphQL schema as plain graphql-go resolvers.
//
// It is the reference executor, for tests alone: what package resolvers answers is tested
// against what graphql.Do answers with these resolvers. So it is written to be easy to follow and not to
// be fast. It decodes every value, and one field is resolved at a time:
//
//	executor.go   one resolver for each kind of field
//	level.go      the rows of a call, which share the calls of their relations
//	node.go       Query.node and Query.nodes
//	selection.go  which columns a selection set reads
//	arguments.go  arguments become params, query and body of a call
//	value.go      JSON text becomes a Go value
//	errors.go     failures become errors with extensions
//
// It has the limits of graphql-go: there is no null literal, variables that are null are
// dropped, fields lose their order, and an error below a required field of a relation makes
// data null. The state of the caller is read from the context (facade.WithState).
package reference
