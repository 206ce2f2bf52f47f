// Package execution compiles an operation into a plan, executes the plan and writes the response
// (specification 6, 7).
//
// A [Plan] is the calls to make and the fields to write. It is immutable, except for the units of
// types that are only known at execution, and may be executed many times at once. It makes no calls
// and holds no part of a request:
//
//	plan.go        Plan, and its parts: units, levels, fetches, selection sets
//	compile.go     CollectFields (6.3.2), once for a document and not for a row
//	conditions.go  the variables of @skip and @include, which a plan is made for
//	groups.go      aggregate and groups of a connection, as calls beside its list
//	arguments.go   the arguments of a field become params, query and body of a call
//	types.go       the object types of the schema, with the binding of each field
//
// A [Run] is one unit of a plan. Its levels are executed one after the other; the calls of one
// level go out together, one call for each relation, independent of the number of rows:
//
//	execute.go   Execution, Run, result: units, levels, calls (specification 6.2, 6.3)
//	batch.go     a relation of all parents: distinct keys, one call, groups
//	custom.go    fields that were registered by hand: ResolveFieldValue (6.4.2)
//	complete.go  their results: CompleteValue (6.4.3), objects gathered by type
//	items.go     objects from Go code as rows of a run
//	govalue.go   arguments as Go values, for them
//	node.go      Query.node and Query.nodes
//
// Rows stay in the result of the call, as JSON text. A [Writer] makes no call: it goes through a
// selection set depth first and copies the text of columns. A value that does not fit its type
// becomes null where the type allows it, and takes its parent along where not (6.4.4):
//
//	write.go        Writer: root fields, rows, errors, the limit and the budget
//	write_page.go   connections and edges
//	write_tree.go   values of fields that were registered by hand
//	write_again.go  rows that many refer to, whose text is copied
//	leaf.go         JSON values by their type: leaves, lists, nested objects
//	introspect.go   __schema and __type (4)
package execution
