package facade

import (
	"context"
	"encoding/json"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// runner answers an operation. Which one answers is decided once, when the project is
// compiled: the built-in of a stored door, the author's handler, the host of a remote
// Frond, or nobody.
type runner interface {
	by() answerer
	// run answers the admitted call.
	run(ctx context.Context, x *execution) (*Result, error)
}

// answerer names a runner.
type answerer string

// The answerers.
const (
	byStore   answerer = "store"
	byHandler answerer = "handler"
	byRemote  answerer = "remote"
	byNobody  answerer = "nobody"
)

// keeper keeps the rows of a door: the store of this host, or the host that a remote Frond
// runs at. It is chosen when the project is compiled.
type keeper interface {
	// missing are those of the ids that no row of e has which meets where.
	missing(ctx context.Context, x *execution, e *schema.Entity, where *filter.Filter, ids []json.RawMessage) ([]json.RawMessage, error)
	// visibleRow is the row that is updated, as the caller sees it; no rows where
	// there is none.
	visibleRow(ctx context.Context, x *execution, fields []string) (*rows.Rows, error)
	// merge lays a patch that reaches into nested objects over the row as it stands.
	merge(ctx context.Context, x *execution) error
	// complete fills in and decodes what was judged, as far as that is done here, and
	// follows its relations.
	complete(ctx context.Context, x *execution) error
	// holds is why the row cannot be held to the version that the call names, or nil.
	holds(x *execution) error
}

// boundary is where the values of a door cross the boundary (spec 2.2): in this process, or
// where a remote Frond runs. It is chosen with the keeper.
type boundary interface {
	// decode brings the operand of a filter in; false where its conversion refuses it.
	decode(x *viewer, p *schema.Property, text json.RawMessage) (json.RawMessage, bool)
	// gives reports whether a required field that was not sent is given by the keeper:
	// top is the field, path the member that is missing.
	gives(x *viewer, mode schema.Mode, top, path string) bool
	// version is the version of a row that was read; "" where it has none.
	version(x *execution, row rows.Row) (string, error)
	// follows reports whether relations of a row are looked at in the transaction that
	// writes it.
	follows() bool
}

// builtin is an operation that every stored door has unless its author says otherwise
// (docs/calls.md). admit judges the call, answer runs it over the store of this host; a
// handler or a remote takes the place of answer, never of admit.
type builtin struct {
	admit  func(context.Context, *execution) error
	fill   filling
	answer func(context.Context, *execution) (*Result, error)
}

// filling says which rules of the lifecycle (spec 2.2) complete the body of an operation.
type filling uint8

const (
	fillNothing filling = iota
	fillCreate
	fillUpdate
)
