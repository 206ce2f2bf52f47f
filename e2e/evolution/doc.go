// Package evolution holds what frond diff says against what happens. It is tests only.
//
// A seed makes two versions of a project: cards and rules made up, and the same with a few
// changes. Then
//
//   - requests are recorded on a gateway of the old version (GraphQL, REST, JSON-RPC; reads and
//     writes; staff, a customer, nobody), and those that passed are replayed on a gateway of the
//     new version over a copy of the same rows, on SQLite and on PostgreSQL. Where diff finds only what is safe, every one of
//     them passes again, with an answer that has at least the old keys and fits;
//   - the SDLs of both are given to graphql-inspector: whatever it calls breaking, diff calls
//     breaking, but for the exceptions that are listed with their reasons;
//   - the checks that oasdiff publishes are listed with the rule that finds each, or why none
//     does.
//
// Files:
//
//	model_test.go       a project made up, and its files
//	changes_test.go     the changes, each with what it does to the model
//	requests_test.go    requests out of the old model
//	replay_test.go      gateways over copies of one store, answers compared
//	evolution_test.go   the property
//	inspector_test.go   graphql-inspector, in a process of its own
//	oasdiff_test.go     the checks of oasdiff
package evolution
