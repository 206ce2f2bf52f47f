// Package resolvers executes GraphQL documents over the façade.
//
// An [Engine] is made once for a built schema and executes requests:
//
//	engine, err := resolvers.NewEngine(schema, caller, nil)
//	…
//	res := engine.Execute(ctx, &resolvers.Request{Query: "{ posts { items { title author { name } } } }"})
//	defer res.Release()
//	w.Write(res.Body)
//
// # The way of a document
//
// Each step is a package, and knows only packages above it in this list. This package calls one
// after the other, keeps the results that can be used again, and bounds the cost of a request:
//
//	resolvers/language    the text is parsed, the variables are coerced       prepared.go, engine.go
//	resolvers/validation  the document is measured, then checked by the rules  prepared.go
//	resolvers/execution   the operation becomes a plan: calls, columns, text  prepared.go
//	                      units of the plan are executed, level by level, and
//	                      their rows are written as the response              buffers.go
//
// Values are never decoded on the way. An argument goes from the document into the
// call's params, query or body as JSON text, keys in the order they were written,
// null and absent apart; a column goes from the row into the response as the text
// it has there, once it is checked against its type.
//
// # Subscriptions
//
// [Engine.Open] admits a subscription. Its source is the events of one fact, which the caller
// of the engine reads: [Subscription.Respond] executes it for some of them, each as a query
// whose root field is the event. The event holds its row; calls fetch the selections below it.
//
// # Errors
//
// A request that cannot be executed has errors and no data; their codes are names that
// clients know from other servers (resolvers/language). A call that fails is an error
// at each field that needed it, with the code of its [kiterror.Error], and null there, or at
// the nearest field that may be null (specification 6.4.4). Of a failure without a code
// only the trace id is sent, which the log has too.
//
// # Fields registered by hand
//
// A field without a binding was registered by hand and runs its own Resolve, one item at a
// time; package resolvers/binding batches the reads of such fields. [binding.Fields] documents
// their source and result.
//
// # The reference executor
//
// Package resolvers/reference does the same as plain graphql-go resolvers, for the tests of
// the engine. Package projection builds the schema both of them run.
package resolvers
