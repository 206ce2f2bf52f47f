// Package e2e holds the house to its promise from outside: the program is started
// as a user starts it, and what it says on one surface is compared, field by
// field, with what it says on every other.
//
// There is no code here to import, only tests. Read them in this order:
//
//	harness_test.go      builds the program, starts it, waits for its first line
//	wire_*_test.go       one call, carried by each of five wires
//	matrix_test.go       every case over every wire: same value, same error
//	matrix_*_test.go     the cases, as data
//	scenario_*_test.go   what is not one call: restarts, bad starts, bad requests, statements
//	spec_test.go         reads docs/spec.md and looks for the tests it names
package e2e
