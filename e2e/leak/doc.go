// Package leak holds the proof that what a collector hides stays hidden, on every
// surface and by every path. It is tests only; what is
// proven, how, and what is not stands in docs/leaks.md.
//
// A seed makes a garden: cards with fields of every kind and relations of every
// kind, rows in which every value is a token of its own, callers, and a collector
// for each of them. The garden is planted twice. The two worlds differ only in what one
// caller may not see: hidden fields have other values, hidden rows other fields,
// some of them are missing, some are new. Then that caller sends both the same
// requests, through REST, the envelope, GraphQL and a direct call:
//
//	cards_test.go    the cards of a garden
//	values_test.go   values of every kind, and the tokens to find them by
//	cond_test.go     conditions, and whether a row meets one: the oracle's own filter
//	scopes_test.go   callers, and what each of them sees
//	counterpart_test.go  rows, and the counterpart that differs in what is hidden
//	places_test.go   gardens of several Fronds, some of them on other hosts
//	host_test.go     a façade over SQLite with its surfaces, and one request to it
//	proof_test.go    one probe: both worlds asked, and what the answers are held to
//	reads_test.go    lists, rows, batches, cursors
//	graphql_test.go  relations to a depth of three
//	writes_test.go   what cannot be written, and what must not change
//	events_test.go   what is announced of rows, on every way out
//	attacks_test.go  every place that sends a request, and that it was reached
//	holes_test.go    seeded holes, each of which the proof has to find
package leak
