package facade

import (
	"encoding/json"
	"errors"
	"strconv"

	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema/jsontext"
)

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
	// Versions are those of the rows, where Call.Version asked for them; "" where a row
	// has none.
	Versions []string
	// Failed are the computed fields that could not be made, where Call.Partial let
	// the rest of the answer through; their columns are absent in every row.
	Failed []FieldError
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
	dst = append(dst, `,"total":`...)
	dst = strconv.AppendInt(dst, page.Total, 10)
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
	// Total is the number of all rows that meet the filter, or that were written; -1: not counted.
	Total int64
	// Created says that an upsert has created its row.
	Created bool
	// HasMore says that there are rows behind the last one.
	HasMore bool
	// HasPrevious says that there are rows before the first one; see Call.Behind.
	HasPrevious bool
	// Cursors are those of every row where Call.Cursors is set, else of the last row alone;
	// nil without rows, and where the caller may not read the primary key.
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
