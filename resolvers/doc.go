// Package resolvers runs GraphQL documents over the façade.
//
// An [Engine] is made once for a built [Schema] and answers requests:
//
//	engine, err := resolvers.NewEngine(schema, caller, nil)
//	…
//	res := engine.Execute(ctx, &resolvers.Request{Query: "{ posts { items { title author { name } } } }"})
//	defer res.Release()
//	w.Write(res.Body)
//
// # The trip of a document
//
//	document.go   parsed by gqlparser, measured against the limits, validated; kept by its text
//	variables.go  the request's variables coerced, as JSON text
//	compile.go    the operation becomes a plan: which calls, which columns, what is written
//	execute.go    level by level, one call for each relation, whatever the number of rows
//	write.go      the rows' text copied in the order of the selection
//
// Values are never decoded on the way. An argument goes from the document into the
// call's params, query or body as JSON text, keys in the order they were written,
// null and absent apart; a column goes from the row into the response as the text
// it has there, once it is seen to fit its type.
//
// # What fails
//
// A request that cannot be executed has errors and no data; their codes are those
// clients know from other servers. A call that fails is an error at each place that
// wanted it, with the code of its [facade.Error], and null there, or at the nearest
// place that may be null. Failures nobody coded say nothing of themselves but the
// trace id that the log has too.
//
// # By hand
//
// A field without a [Binding] was added by hand and runs its own Resolve, one item
// at a time; package resolvers/loader batches what such fields fetch. See [binding.Fields] for what they
// are given and may give.
//
// # The reference executor
//
// Package resolvers/reference does the same as plain graphql-go resolvers, for graphql.Do
// and for the tests of the engine. Package projection builds the schema both of them run.
package resolvers
