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
// Each step is a package, and knows only packages above it in this list. This package steps
// from one to the next, keeps what can be used again, and bounds what a request may cost:
//
//	resolvers/document    the text is parsed; positions become exact          prepared.go
//	resolvers/validation  it is measured, then checked by the rules           prepared.go
//	resolvers/input       the variables of the request are coerced            engine.go
//	resolvers/plan        the operation becomes a plan: calls, columns, text  prepared.go
//	resolvers/execution   units of the plan are executed, level by level      room.go
//	resolvers/response    their rows are written as the response              room.go
//
// Values are never decoded on the way. An argument goes from the document into the
// call's params, query or body as JSON text, keys in the order they were written,
// null and absent apart; a column goes from the row into the response as the text
// it has there, once it is checked against its type.
//
// # Subscriptions
//
// [Engine.Open] admits a subscription. Its source is events of one fact, which somebody else
// reads: [Subscription.Respond] executes it for some of them, each as a query whose root field
// is the event. Its row is there already; what is selected below comes by calls.
//
// # Errors
//
// A request that cannot be executed has errors and no data; their codes are names that
// clients know from other servers (resolvers/graphqlerror). A call that fails is an error
// at each field that needed it, with the code of its [facade.Error], and null there, or at
// the nearest field that may be null (specification 6.4.4). Of a failure without a code
// only the trace id is sent, which the log has too.
//
// # Fields registered by hand
//
// A field without a binding was registered by hand and runs its own Resolve, one item at a
// time; package resolvers/loader batches what such fields fetch. [binding.Fields] says what
// they are given and may return.
//
// # The reference executor
//
// Package resolvers/reference does the same as plain graphql-go resolvers, for graphql.Do
// and for the tests of the engine. Package projection builds the schema both of them run.
package resolvers
