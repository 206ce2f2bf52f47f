// Package topology holds the proof that a Frond may be moved and no caller notices (spec 1.6, 2.7).
//
// A project of four Fronds has relations of every kind between them. A seed makes a list of calls of every
// form, by several callers. A topology says which of the Fronds run in processes of their own, and whether
// another gateway is in between. The same calls are made of a gateway over all four Fronds and of one
// with this topology, both from empty stores. The answers are equal byte for byte, apart from the refusals
// and differences that docs/remotes.md lists, and so are the events that callers receive afterwards.
//
//	project_test.go   the four Fronds
//	worlds_test.go    a gateway with a topology, one call of it, and its events
//	calls_test.go     the calls that a seed makes
//	topology_test.go  both worlds asked, and their answers compared
//	rules_test.go     rules by what they hide
//	cost_test.go      requests of hosts, and what a call costs that makes none
package topology
