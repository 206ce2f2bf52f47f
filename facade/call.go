package facade

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
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

	// Field is the GraphQL field that the call answers, such as Album.tracks, for the log, or
	// "".
	Field string

	// Each asks for the call once for each of many keys, answered in one execution: a relation for many parents, one row for many ids. Nil: once.
	Each *Each
	// Select names the fields the caller is going to read, computed ones included;
	// nil means all it may. It narrows, it never opens. list's query.fields sets it.
	Select []string
	// Cursors asks for a cursor for every row of a page, not just its last.
	Cursors bool
	// NoCursors says that the caller does not read the cursors of the answer: Page.Cursors may
	// be nil. With Cursors it has no effect.
	NoCursors bool
	// Behind asks whether there are rows before a page that is read on from a cursor
	// or by offset; without it Page.HasPrevious takes it for granted there. Of a page
	// that is read backward it is known.
	Behind bool
	// Position asks for Page.Position, where events about the rows of the door are announced.
	Position bool
	// Version asks for the version of every answered row, in Result.Versions.
	Version bool
	// If is a condition on the version of the row that update or delete is about; it is judged in
	// the transaction that writes. It may be nil.
	If *Precondition
	// Merge says that the body of an update is a merge patch to the letter (RFC 7396):
	// objects that the card leaves open are merged too, and a null removes a member of
	// one. Without it such an object is one value, and replaced.
	Merge bool
	// SentQuery is the query of a list in a consumer's own words (where, orderBy, order, page),
	// which Invocation.Query has in ours. A host that publishes no input card for its list is
	// sent these words. nil: the query was sent in ours.
	SentQuery json.RawMessage
	// Partial accepts an answer whose computed fields could not all be made: the
	// ones that failed are absent from the rows and named in Result.Failed. Without
	// it such a call fails whole.
	Partial bool
}

// Invocation is the input of a call (spec 2.6). Params, Query and Body are JSON
// text: an explicit null and an absent key stay distinct. Surfaces have
// run [schema/jsontext.Check] over it. No text at all means {} (for Body: absent).
type Invocation struct {
	// ID is the id of the row that a built-in operation is about, as the text of a JSON scalar.
	// It replaces the member id of Params, and a call has one of the two; nil: Params has it,
	// or the operation takes no id. An author's handler or hook finds it in Params.
	ID     json.RawMessage
	Params json.RawMessage
	Query  json.RawMessage
	Body   json.RawMessage
	State  access.State
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
// list and aggregate, the field of the door's rows that has to equal the key. Keys are the
// text of JSON scalars and need not be distinct. Groups of the result follow Keys.
type Each struct {
	Field string
	Keys  []json.RawMessage
	// Ends make lists of the keys, of aggregate alone: list i ends before Keys[Ends[i]], and its rows are
	// the rows of any of its keys. Groups of the result then follow the lists. nil: each key is by
	// itself.
	Ends []int
	// Through says which field of other rows leads to these, or is nil. A field the caller may
	// not read leads nowhere.
	Through *catalog.Through
	// distinct says that no text is there twice.
	distinct bool
}

// Handler answers an author's operation. The call it is given is admitted: params,
// query and body are judged, decoded and filled. Its answer is marshalled to
// JSON, and its members are the fields of the output in any case of letters: one that the
// card does not have, and one that it requires and does not get, is INTERNAL_ERROR,
// with the field in the log. *Rows and *Result are taken as they are. Whatever it is,
// it leaves by the rules of the operation's output: closed and hidden fields gone,
// values encoded, the fields of a named view and no others.
type Handler func(ctx context.Context, c *Call) (any, error)

// Hook is the author's code around a command, for every runner of it, wherever the call
// comes from. Either function may be nil. Both are called from many goroutines.
type Hook struct {
	// Before runs when the call is allowed and judged, and before the write. c is the call that a
	// [Handler] is given. Its error is the call's, and cancels the write. The members it answers
	// are written beside the body's or in their place, as they are kept; only create and update
	// take any, and a value that does not fit its field is INTERNAL_ERROR.
	Before func(ctx context.Context, c *Call) (schema.Object, error)
	// After runs when the write is committed: never for a call that failed, a delete that found
	// no row, or an update without a change. res is the answer before it is projected: its rows
	// have every stored field, as they are kept. The context is not cancelled when the caller
	// leaves.
	After func(ctx context.Context, c *Call, res *Result)
}

// Do calls entity.op and decodes the answer into a T by encoding/json: for Go code that
// calls, [From] and [Inside] a handler or from outside. A null answer is T's zero value,
// so that a pointer distinguishes it. An answer that does not fit T is INTERNAL_ERROR.
func Do[T any](ctx context.Context, caller Caller, method string, in Invocation) (T, error) {
	var out T
	entity, op, ok := strings.Cut(method, ".")
	if !ok {
		return out, kiterror.Errorf(kiterror.BadRequest, "%s is no method; write entity.operation", schema.Quoted(method))
	}
	res, err := caller.Call(ctx, &Call{Entity: entity, Operation: op, Invocation: in})
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(res.AppendJSON(nil), &out); err != nil {
		return out, kiterror.Internal(fmt.Errorf("the answer of %s does not fit %T: %w", method, out, err)).At(entity, op)
	}
	return out, nil
}

// List is a list result (spec 2.7) as a Go value.
type List[T any] struct {
	Items     []T    `json:"items"`
	Total     int64  `json:"total"` // -1: not counted
	HasMore   bool   `json:"hasMore"`
	EndCursor string `json:"endCursor"` // "": the list is empty
}

// Precondition is a condition on the version of the row that an update or a delete is about. A
// version is the text of [catalog.ETag], or of a REST ETag, in its quotes or without them; "*" is
// any.
type Precondition struct {
	Match     []string // the row's version is among them; nil: any version
	NoneMatch []string // the row's version is not among them
}

// IfMatch is the precondition that the row is still one of these versions.
func IfMatch(versions ...string) *Precondition {
	return &Precondition{Match: append([]string{}, versions...)}
}

// maxOmitted is how many choices of fields the versions of one precondition may be about.
const maxOmitted = 8

// holds reports whether the precondition holds for a row. version returns the row's version with an end
// ([omittedMark]).
func (p *Precondition) holds(version func(omitted string) (string, error)) (bool, error) {
	versions := make(map[string]string, 1)
	among := func(list []string) (bool, error) {
		for _, v := range list {
			v, _, _ = strings.Cut(unquoted(v), ".") // behind a dot an ETag goes on with what is computed
			if v == "*" {
				return true, nil
			}
			hash, _, _ := strings.Cut(v, omittedMark)
			omitted := v[len(hash):]
			is, known := versions[omitted]
			if !known && len(versions) < maxOmitted {
				var err error
				if is, err = version(omitted); err != nil {
					return false, err
				}
				versions[omitted] = is
			}
			if v == is && v != "" {
				return true, nil
			}
		}
		return false, nil
	}
	if p.Match != nil {
		if is, err := among(p.Match); !is || err != nil {
			return false, err
		}
	}
	not, err := among(p.NoneMatch)
	return !not, err
}

// any reports whether the precondition holds for every version of a row.
func (p *Precondition) any() bool {
	return len(p.NoneMatch) == 0 && (p.Match == nil || slices.Contains(p.Match, "*"))
}

// matchJSON is Match as query.ifMatch has it.
func (p *Precondition) matchJSON() json.RawMessage {
	var versions []string
	for _, v := range p.Match {
		versions = append(versions, unquoted(v))
	}
	if len(versions) == 1 {
		return jsontext.Quote(versions[0])
	}
	return jsontext.AppendStrings(nil, versions)
}

// unquoted is a version without the quotes of a REST ETag. No version has quotes of its own.
func unquoted(version string) string {
	if text, ok := strings.CutPrefix(version, `"`); ok {
		if text, ok = strings.CutSuffix(text, `"`); ok {
			return text
		}
	}
	return version
}

// Form says which of a Result's members hold the answer.
type Form uint8

// The forms of a result.
const (
	FormValue   Form = iota // Value: any JSON
	FormRow                 // Rows holds one row, or none: null
	FormRows                // Rows: an array
	FormPage                // Rows, Total, HasMore, EndCursor: a list result (spec 2.7)
	FormItems               // Rows: {"items": […]}, the answer of createMany
	FormCount               // Total: {"count": 2}, of updateMany and deleteMany
	FormCounted             // Total and Rows: {"count": 2, "items": […]}, where fields are selected
	FormUpsert              // Created and the one row: {"created": true, "item": {…}}
	FormGroups              // Rows, HasMore, EndCursor: {"items": […], …}, the answer of aggregate
)

// Result is the answer of a call. Its rows stay the JSON text a store or a remote
// wrote; ask [Result.AppendJSON] for the whole as text.
type Result struct {
	Form Form
	// Value is the answer of FormValue, as JSON; no text at all is null.
	Value json.RawMessage
	// Rows are the rows of the other forms, never nil for them.
	Rows *rows.Rows
	// Page is what FormPage says beside its rows.
	Page
	// Edges says that the page is written with a cursor for every row, and with whether
	// there are rows before it: query.cursors asked for them.
	Edges bool
	// Groups is set when the call had Each: Groups[i] answers Keys[i], and the
	// members above describe all of them together.
	Groups []Group
	// Versions are the versions of the rows, if Call.Version asked for them; "" for a row
	// without one.
	Versions []string
	// Failed are the computed fields that could not be made, where Call.Partial let
	// the rest of the answer through; their columns are absent in every row.
	Failed []FieldError
	// Rehearsed says that nothing was written, and that Value is the answer of a rehearsal (package facade/rehearse).
	Rehearsed bool
}

// FieldError is a computed field that failed, and why.
type FieldError struct {
	Field string
	Err   *kiterror.Error
}

// AppendJSON appends the result as every surface's JSON has it: a row or null, an
// array, a list result (spec 2.7) or a value. A call with Each is an array with
// the answer for every key.
func (r *Result) AppendJSON(dst []byte) []byte {
	if r.Groups != nil {
		dst = append(dst, '[')
		for _, g := range r.Groups {
			dst = r.appendRows(jsontext.Comma(dst), g.From, g.To, &g.Page)
		}
		return append(dst, ']')
	}
	if r.Form == FormValue {
		if len(r.Value) == 0 {
			return append(dst, "null"...)
		}
		return append(dst, r.Value...)
	}
	return r.appendRows(dst, 0, r.Rows.Len(), &r.Page)
}

// errNotGroups is an answer that would put rows below the wrong parents.
var errNotGroups = errors.New("a call for many keys was not answered with a group for each")

// Grouped returns an error where r does not answer a call with Each for so many keys.
func (r *Result) Grouped(keys int) error {
	if len(r.Groups) != keys || r.Form == FormValue {
		return errNotGroups
	}
	return nil
}

// appendRows appends the rows from up to but without to in the form of the result.
func (r *Result) appendRows(dst []byte, from, to int, page *Page) []byte {
	switch {
	case r.Form == FormRow && from == to:
		return append(dst, "null"...)
	case r.Form == FormRow:
		return append(dst, r.Rows.Row(from).JSON()...)
	case r.Form == FormRows:
		return r.Rows.AppendRange(dst, from, to)
	case r.Form == FormCount:
		return append(strconv.AppendInt(append(dst, `{"count":`...), page.Total, 10), '}')
	case r.Form == FormUpsert:
		dst = append(strconv.AppendBool(append(dst, `{"created":`...), page.Created), `,"item":`...)
		return append(append(dst, r.Rows.Row(from).JSON()...), '}')
	case r.Form == FormItems:
		return append(r.Rows.AppendRange(append(dst, `{"items":`...), from, to), '}')
	case r.Form == FormCounted:
		dst = append(strconv.AppendInt(append(dst, `{"count":`...), page.Total, 10), `,"items":`...)
		return append(r.Rows.AppendRange(dst, from, to), '}')
	}
	dst = append(dst, `{"items":`...)
	dst = r.Rows.AppendRange(dst, from, to)
	if r.Form != FormGroups {
		dst = strconv.AppendInt(append(dst, `,"total":`...), page.Total, 10)
	}
	dst = append(dst, `,"hasMore":`...)
	dst = strconv.AppendBool(dst, page.HasMore)
	dst = append(dst, `,"endCursor":`...)
	if end := page.EndCursor(); end != "" {
		dst = jsontext.AppendString(dst, end)
	} else {
		dst = append(dst, "null"...)
	}
	if r.Edges {
		dst = append(dst, `,"hasPrevious":`...)
		dst = strconv.AppendBool(dst, page.HasPrevious)
		dst = jsontext.AppendStrings(append(dst, `,"cursors":`...), page.Cursors)
	}
	return append(dst, '}')
}

// Page is the part of a list beside its items.
type Page struct {
	// Total is the number of all rows that meet the filter, or of all written rows; -1: not
	// counted.
	Total int64
	// Created says that an upsert has created its row.
	Created bool
	// HasMore says that there are rows behind the last one.
	HasMore bool
	// HasPrevious says that there are rows before the first one; see Call.Behind.
	HasPrevious bool
	// Cursors has a cursor for every row if Call.Cursors is set, else for the last row alone.
	// It is nil without rows, and if the caller may not read the primary key.
	Cursors []string
	// Position is one that the log of events was at before the rows were read, where
	// Call.Position asked for it: a reader that begins behind it misses no change of these
	// rows. 0: no event about them is announced, or the log cannot be asked now.
	Position Position
}

// EndCursor is the cursor of the last row, or "".
func (p *Page) EndCursor() string {
	if len(p.Cursors) == 0 {
		return ""
	}
	return p.Cursors[len(p.Cursors)-1]
}

// Group is the answer for one key of a call with Each: the rows From up to but
// without To. Two equal keys may share rows.
type Group struct {
	From, To int
	Page     Page // of a list; Cursors as for a page of its own
}

// Size is about how much memory the result takes, in bytes.
func (r *Result) Size() int {
	return len(r.Value) + r.Rows.Size() + len(r.Groups)*budget.GroupSize
}

// TextSize is how many bytes of that are the text of rows.
func (r *Result) TextSize() int { return r.Rows.TextSize() }

// at notes the position of every page.
func (r *Result) at(p Position) {
	if p == 0 {
		return
	}
	r.Page.Position = p
	for i := range r.Groups {
		r.Groups[i].Page.Position = p
	}
}
