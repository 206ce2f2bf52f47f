package facade

import (
	"context"
	"encoding/json"

	"github.com/frondhost/frond/schema/jsontext"
)

// Caller answers calls. The façade is one, a remote's client is one, and every
// middleware wraps one in another.
type Caller interface {
	// Call answers c or fails with an *Error that names entity and operation.
	// It may be called from many goroutines and does not change c.
	Call(ctx context.Context, c *Call) (*Result, error)
}

// CallerFunc is a function that is a Caller.
type CallerFunc func(ctx context.Context, c *Call) (*Result, error)

// Call calls f.
func (f CallerFunc) Call(ctx context.Context, c *Call) (*Result, error) { return f(ctx, c) }

// Middleware wraps a Caller in another; the first one given is the outermost. It reads the id
// of a row with [Invocation.ParamsJSON], whichever way a surface has it.
type Middleware func(Caller) Caller

// Call is one call of an operation (spec 1.1): the value that is the same on
// every surface and on the wire.
type Call struct {
	Entity     string // any spelling: names match case-insensitively
	Operation  string
	Invocation Invocation

	// Field is the GraphQL field that the call answers, such as Album.tracks, for the log; "" is
	// none.
	Field string

	// Each asks for the call once for each of many keys, answered in one execution: a relation for many parents, one row for many ids. Nil: once.
	Each *Each
	// Select names the fields the caller is going to read, computed ones included;
	// nil means all it may. It narrows, it never opens. list's query.fields sets it.
	Select []string
	// Cursors asks for a cursor for every row of a page, not just its last.
	Cursors bool
	// NoCursors says that nobody reads a cursor of the answer: Page.Cursors may be nil. With
	// Cursors it says nothing.
	NoCursors bool
	// Behind asks whether there are rows before a page that is read on from a cursor
	// or by offset; without it Page.HasPrevious takes it for granted there. Of a page
	// that is read backward it is known.
	Behind bool
	// Position asks for Page.Position, where events about the rows of the door are announced.
	Position bool
	// Version asks for the version of every row that is answered, in Result.Versions.
	Version bool
	// If is what has to hold of the row that update or delete is about; it is judged in
	// the transaction that writes. nil: nothing.
	If *Precondition
	// Merge says that the body of an update is a merge patch to the letter (RFC 7396):
	// objects that the card leaves open are merged too, and a null removes a member of
	// one. Without it such an object is one value, and replaced.
	Merge bool
	// Partial lets an answer stand whose computed fields could not all be made: the
	// ones that failed are absent from the rows and named in Result.Failed. Without
	// it such a call fails whole.
	Partial bool
}

// Invocation is what a call carries (spec 2.6). Params, Query and Body are JSON
// text: an explicit null and an absent key arrive as what they are. Surfaces have
// run [schema/jsontext.Check] over it. No text at all means {} (for Body: absent).
type Invocation struct {
	// ID is the id of the row that a built-in operation is about, as the text of a JSON
	// scalar. It stands for the member id of Params, and a call has one of the two; nil:
	// Params has it, or there is none. An author's handler or hook finds it in Params.
	ID     json.RawMessage
	Params json.RawMessage
	Query  json.RawMessage
	Body   json.RawMessage
	State  State
	Trace  string // traceparent, where one came along
}

// ParamsJSON returns params as the wire has them: Params, with ID as the member id. It is
// Params itself where ID is nil, and where Params is no object, for the callee to refuse.
func (in *Invocation) ParamsJSON() json.RawMessage {
	if in.ID == nil || len(in.Params) > 0 && jsontext.KindOf(in.Params) != jsontext.Object {
		return in.Params
	}
	out := make([]byte, 0, len(`{"id":}`)+len(in.ID)+len(in.Params))
	out = append(append(out, `{"id":`...), in.ID...)
	for name, value := range jsontext.Members(in.Params) {
		if name != "id" {
			out = append(jsontext.AppendName(append(out, ','), name), value...)
		}
	}
	return append(out, '}')
}

// Each is one call for many keys. With findById, Field is the primary key; with
// list, the field of the listed entity that has to equal the key. Keys are the
// text of JSON scalars and need not be distinct. Groups of the result follow Keys.
type Each struct {
	Field string
	Keys  []json.RawMessage
	// Through says which field of other rows leads to these; nil: none does. A field
	// the caller may not read leads nowhere.
	Through *Through
}

// Through is a many relation that is followed: the field, and the call that gave
// the rows it stands on. It is asked about because nothing of it stands in those rows.
type Through struct {
	Entity, Operation, Field string
}

// State is the caller's state (spec 2.6): who is calling, as the surface found it.
type State map[string]any

// User is state.user, or nil for an anonymous caller.
func (s State) User() map[string]any {
	u, _ := s["user"].(map[string]any)
	return u
}
