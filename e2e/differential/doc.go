// Package differential holds the executor against the reference implementation,
// graphql-js, of the two majors that are in use. It is tests only.
//
// A seed makes a world: cards with rows, some of which break their types, and
// fields added by hand whose types are made up, over interfaces, unions, one-of
// inputs and lists in lists. The engine answers from a façade over these rows; the
// reference gets the printed schema, the same rows, and two hundred lines of
// resolvers of its own (e2e/js/differential.mjs). Then both are asked the same:
//
//	cards_test.go      cards and rows
//	shapes_test.go     the types of fields added by hand
//	dice_test.go       what those fields give: a value that both sides work out from
//	                   the parent, the field and the coerced arguments
//	world_test.go      a world behind an engine, and what the reference gets of it
//	documents_test.go  operations, fragments, directives
//	arguments_test.go  arguments: pages, filters, keys of rows
//	values_test.go     values: literals, and variables with their JSON
//	mutants_test.go    documents with one mistake, or one that is none
//	reference_test.go  graphql-js in a process of its own
//	compare_test.go    what has to be equal
//	meant_test.go      the differences that are meant, each with its reason
//	holes_test.go      seeded holes, each of which the comparison has to find
//
// # What is compared
//
// Of an answer: data as text in the order of the response, numbers by their value;
// and errors one by one in their order, each by path and by locations, messages not.
// Of a refusal: that both refuse before anything runs, and, where the document can
// be parsed, that both point at one line. Which element of it is blamed differs (a fragment's name, or its three
// dots); how often it is the same is counted.
package differential
