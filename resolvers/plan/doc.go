// Package plan compiles an operation into a plan: which calls to make and what to write.
//
//	plan.go        Plan, and its parts: units, levels, fetches, selection sets
//	compile.go     CollectFields (specification 6.3.2), once for a document and not for a row
//	conditions.go  the variables of @skip and @include, which a plan is made for
//	arguments.go   the arguments of a field become params, query and body of a call
//	types.go       the object types of the schema, with the binding of each field
//
// A plan is immutable, except for the units of types that are only known at execution, and may
// be executed many times at once. It makes no calls and holds no part of a request.
package plan
