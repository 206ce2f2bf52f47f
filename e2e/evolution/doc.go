// Package evolution holds what frond diff says against what happens. It is tests only.
//
// A seed makes two versions of a project: cards and rules made up, and the same with a few
// changes. Then
//
//   - requests are recorded on a gateway of the old version (GraphQL, REST, JSON-RPC; reads and
//     writes; staff, a customer, nobody), and those that passed are replayed on a gateway of the
//     new version over a copy of the same rows, on SQLite and on PostgreSQL. Where diff finds
//     only what is safe, every one of them passes again, with an answer that has at least the
//     old keys and the same values;
//   - frond migrate plan looks at the rows: each of its steps is a finding on the store, and one
//     that loses values or is refused is a finding that is not safe;
//   - the SDLs of both are given to graphql-inspector: whatever it calls breaking, diff calls
//     breaking, but for the exceptions that are listed with their reasons.
//
// What oasdiff calls breaking is compared in cmd/frond/diff.
//
// Files:
//
//	model_test.go       a project made up, and its files
//	changes_test.go     the changes, each with what it does to the model
//	requests_test.go    requests out of the old model
//	replay_test.go      gateways over copies of one store, answers compared
//	evolution_test.go   the property
//	plan_test.go        what frond migrate plan finds
//	inspector_test.go   graphql-inspector, in a process of its own
package evolution
