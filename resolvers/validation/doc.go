// Package validation decides whether a document may be executed.
//
// A [Validator] is made once for a schema. It measures a document against the limits first, so
// that every later walk through the spreads of fragments ends, and then applies the rules of
// specification 5. The cost follows the length of the document:
//
//	measure.go    how many fields, aliases and levels a document comes to
//	validate.go   operations, fields, fragments, arguments, directives (5.1 to 5.5, 5.7)
//	values.go     literals against their types (5.6)
//	usage.go      cycles of fragments, and variables (5.5.2.2, 5.8)
//	subscription.go  the one root field of a subscription (5.2.4.1)
//	overlap.go    fields that merge (5.3.2)
//	relations.go  the types of a schema in the form that the rules need
//	load.go       a schema from its types or its SDL; sound.go has the rules for schemas that gqlparser lacks
//
// Package language parses documents and coerces variables; package execution executes.
package validation
