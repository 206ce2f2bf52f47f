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
// A document goes through these steps. The results that can be used again are kept, and the cost
// of a request is bounded:
//
//	resolvers/language    the text is parsed, the variables are coerced       prepared.go, engine.go
//	resolvers/validation  the document is measured, then checked by the rules  prepared.go
//	[plan]                the operation becomes a plan: calls, columns, text   prepared.go
//	[execution], [writer] units of the plan are executed, level by level, and
//	                      their rows are written as the response              buffers.go
//
// Values are never decoded on the way. An argument goes from the document into the
// call's params, query or body as JSON text, keys in the order they were written,
// null and absent apart; a column goes from the row into the response as the text
// it has there, once it is checked against its type.
//
// # Execution
//
// A [plan] is the calls to make and the fields to write. It is immutable, except for the units of
// types that are only known at execution, and may be executed many times at once. It makes no calls
// and holds no part of a request:
//
//	plan.go        plan, and its parts: units, levels, fetches, selection sets
//	compile.go     CollectFields (6.3.2), once for a document and not for a row
//	groups.go      aggregate and groups of a connection, as calls beside its list
//	arguments.go   the arguments of a field become params, query and body of a call
//	types.go       the object types of the schema, with the binding of each field
//
// A [run] is one unit of a plan. Its levels are executed one after the other; the calls of one
// level go out together, one call for each relation, independent of the number of rows:
//
//	execute.go   execution, run, result: units, levels, calls (specification 6.2, 6.3)
//	batch.go     a relation of all parents: distinct keys, one call, groups
//	custom.go    hand-registered fields: ResolveFieldValue (6.4.2)
//	complete.go  their results: CompleteValue (6.4.3), objects gathered by type
//	items.go     objects from Go code as rows of a run
//	govalue.go   arguments as Go values, for them
//	node.go      Query.node and Query.nodes
//
// Rows stay in the result of the call, as JSON text. A [writer] makes no call: it goes through a
// selection set depth first and copies the text of columns. A value that does not fit its type
// becomes null where the type allows it, and takes its parent along where not (6.4.4):
//
//	write.go        writer: root fields, rows, errors, the limit and the budget
//	write_page.go   connections and edges
//	write_tree.go   values of hand-registered fields
//	write_again.go  rows that many refer to, whose text is copied
//	leaf.go         JSON values by their type: leaves, lists, nested objects
//	introspect.go   __schema and __type (4)
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
// Package e2e/reference does the same as plain graphql-go resolvers, for the tests of
// the engine. Package projection builds the schema both of them run.
package resolvers
