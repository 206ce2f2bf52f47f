package facade

import "context"

// builtin is an operation that every stored door has unless its author says otherwise
// (docs/calls.md). admit judges the call, answer runs it over the store of this host; a
// handler or a remote takes the place of answer, never of admit.
type builtin struct {
	name        string
	kind        Kind
	cardinality Cardinality
	description string
	admit       func(*execution, context.Context) error
	fill        filling
	answer      func(storeCall, context.Context) (*Result, error)
}

// filling says which rules of the lifecycle (spec 2.2) complete the body of an operation.
type filling uint8

const (
	fillNothing filling = iota
	fillCreate
	fillUpdate
)

// storeCall is an execution over the store of this host.
type storeCall struct{ *execution }
