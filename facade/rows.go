package facade

import (
	"encoding/json"

	"github.com/frondhost/frond/schema/jsontext"
)

// Layout names the fields that stand in the rows of one Rows, in order. Build it
// once for a selection and share it: it never changes.
type Layout struct {
	Fields []string
	index  map[string]int
}

// NewLayout is the layout of rows with these fields in this order.
func NewLayout(fields []string) *Layout {
	l := &Layout{Fields: fields, index: make(map[string]int, len(fields))}
	for i, f := range fields {
		l.index[f] = i
	}
	return l
}

// Index is the column of the field called name, or -1.
func (l *Layout) Index(name string) int {
	if i, ok := l.index[name]; ok {
		return i
	}
	return -1
}

// Rows is a run of rows as JSON text with an index: one text of objects parted
// by commas, and for every row where its object and each of its fields begin and
// end. Nothing is decoded until someone asks. A writer fills it with BeginRow,
// Field (or NextField) and EndRow, a reader uses Row; it is not changed afterwards.
type Rows struct {
	layout *Layout
	text   []byte
	spans  []span // per row: the object, then each column; a zero span is an absent field
	open   int    // where the row being written began
}

type span struct{ from, to uint32 }

// NewRows is an empty run with room for about n rows.
func NewRows(layout *Layout, n int) *Rows {
	return &Rows{
		layout: layout,
		text:   make([]byte, 0, n*(16+24*len(layout.Fields))),
		spans:  make([]span, 0, n*(1+len(layout.Fields))),
	}
}

// Layout is what the rows are laid out by.
func (r *Rows) Layout() *Layout { return r.layout }

// Len is the number of rows; a nil Rows has none.
func (r *Rows) Len() int {
	if r == nil {
		return 0
	}
	return len(r.spans) / (1 + len(r.layout.Fields))
}

// Row is the i-th row.
func (r *Rows) Row(i int) Row { return Row{rows: r, at: i * (1 + len(r.layout.Fields))} }

// AppendJSON appends the rows as a JSON array.
func (r *Rows) AppendJSON(dst []byte) []byte {
	dst = append(dst, '[')
	if r != nil {
		dst = append(dst, r.text...)
	}
	return append(dst, ']')
}

// BeginRow opens the next row.
func (r *Rows) BeginRow() {
	if len(r.text) > 0 {
		r.text = append(r.text, ',')
	}
	r.open = len(r.spans)
	r.spans = append(r.spans, span{from: uint32(len(r.text))})
	for range r.layout.Fields {
		r.spans = append(r.spans, span{})
	}
	r.text = append(r.text, '{')
}

// Begin opens column i of the open row: it writes the name and returns the text
// for the caller to append the value to, which it hands back to End. Columns are
// written in any order, each at most once; one that is left out is absent.
func (r *Rows) Begin(i int) []byte {
	if r.text[len(r.text)-1] != '{' || len(r.text) != int(r.spans[r.open].from)+1 {
		r.text = append(r.text, ',')
	}
	r.text = append(jsontext.AppendString(r.text, r.layout.Fields[i]), ':')
	r.spans[r.open+1+i].from = uint32(len(r.text))
	return r.text
}

// End closes column i with the text that Begin gave and the caller has appended to.
func (r *Rows) End(i int, text []byte) {
	r.text = text
	r.spans[r.open+1+i].to = uint32(len(text))
}

// Put writes column i of the open row as value.
func (r *Rows) Put(i int, value []byte) { r.End(i, append(r.Begin(i), value...)) }

// EndRow closes the open row.
func (r *Rows) EndRow() {
	r.text = append(r.text, '}')
	r.spans[r.open].to = uint32(len(r.text))
}

// Row is one row of a Rows: a window, not a copy.
type Row struct {
	rows *Rows
	at   int
}

// JSON is the row as its object's text; the caller does not change it.
func (r Row) JSON() json.RawMessage { return r.slice(r.at) }

// Get is the text of the field called name, or nil where the row has none.
func (r Row) Get(name string) json.RawMessage {
	if i := r.rows.layout.Index(name); i >= 0 {
		return r.At(i)
	}
	return nil
}

// At is the text of column i of the layout, or nil where the row has none.
func (r Row) At(i int) json.RawMessage { return r.slice(r.at + 1 + i) }

// Decode decodes the whole row into a Go value, by encoding/json.
func (r Row) Decode(into any) error { return json.Unmarshal(r.JSON(), into) }

func (r Row) slice(i int) json.RawMessage {
	s := r.rows.spans[i]
	if s.to == 0 {
		return nil
	}
	return json.RawMessage(r.rows.text[s.from:s.to:s.to])
}
