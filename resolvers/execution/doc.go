// Package execution executes plans: it makes the calls, and leaves their rows in results.
//
// A [Run] is one unit of a plan. Its levels are executed one after the other; the calls of one
// level go out together, one call for each relation, independent of the number of rows:
//
//	execute.go   Execution, Run, Result: units, levels, calls (specification 6.2, 6.3)
//	batch.go     a relation of all parents: distinct keys, one call, groups
//	custom.go    fields that were registered by hand: ResolveFieldValue (6.4.2)
//	complete.go  their results: CompleteValue (6.4.3), objects gathered by type
//	items.go     objects from Go code as rows of a run
//	govalue.go   arguments as Go values, for them
//	node.go      Query.node and Query.nodes
//
// Rows stay in the result of the call, as JSON text. Package response reads the results and
// writes the response.
package execution
