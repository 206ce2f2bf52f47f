package facade

import "encoding/json"

// Form says which of a Result's members hold the answer.
type Form uint8

// The forms of a result.
const (
	FormValue Form = iota // Value: any JSON
	FormRow               // Rows holds one row, or none: null
	FormRows              // Rows: an array
	FormPage              // Rows, Total, HasMore, EndCursor: a list result (spec 2.7)
)

// Result is the answer of a call. Its rows stay the JSON text a store or a remote
// wrote; ask [Result.AppendJSON] for the whole as text.
type Result struct {
	Form  Form
	Value json.RawMessage
	Rows  *Rows // never nil for the forms with rows
	Page        // of FormPage
	// Groups is set when the call had Each: Groups[i] answers Keys[i], and the
	// members above describe all of them together.
	Groups []Group
}

// Page is what a list says beside its items.
type Page struct {
	Total       int64 // -1: not counted
	HasMore     bool
	HasPrevious bool     // there are rows before the first
	Cursors     []string // of every row where Call.Cursors asked, else of the last alone; nil: no rows
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
