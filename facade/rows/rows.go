package rows

import (
	"encoding/json"
	"sync/atomic"

	"github.com/frondhost/frond/schema/jsontext"
)

// Layout names the fields of the rows of one Rows, in order. Build it
// once for a selection and share it: it never changes.
type Layout struct {
	Fields []string
	index  map[string]int
	names  [][]byte // of each field `"name":`
	// Plan is the plan that a store compiled for the layout, or nil. It belongs to the store.
	Plan atomic.Value
	// rowBytes and runRows are the mean length of a row's text and how many rows runs had, as
	// [Rows.Learn] saw them; 0: unknown.
	rowBytes, runRows atomic.Int32
}

// NewLayout is the layout of rows with these fields in this order.
func NewLayout(fields []string) *Layout {
	l := &Layout{Fields: fields, index: make(map[string]int, len(fields)), names: make([][]byte, len(fields))}
	for i, f := range fields {
		l.index[f] = i
		l.names[i] = jsontext.AppendName(nil, f)
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

// Rows is a run of rows as JSON text with an index: one text of objects parted by commas, and
// for every row where its object and each of its fields begin and end. Values stay encoded
// until someone asks. A writer fills it with BeginRow, Field (or NextField) and EndRow, a
// reader uses Row; it is not changed afterwards.
type Rows struct {
	layout *Layout
	text   []byte
	spans  []span // per row: the object, then each column; a zero span is an absent field
	open   int    // where the row being written began

	crossed bool // they left by the boundary: closed fields are gone, values encoded, computed fields made
}

type span struct{ from, to uint32 }

// New is an empty run with room for about n rows: for fewer where earlier runs of the layout had
// fewer.
func New(layout *Layout, n int) *Rows {
	bytes := 16 + 24*len(layout.Fields)
	if n > 0 {
		if seen := int(layout.rowBytes.Load()); seen > 0 {
			bytes = seen + seen/16 + 1
			n = min(n, layout.Likely(n, n))
		}
	}
	return &Rows{
		layout: layout,
		text:   make([]byte, 0, n*bytes),
		spans:  make([]span, 0, n*(1+len(layout.Fields))),
	}
}

// Likely returns how many rows the next run is likely to have, most at most; unknown before the first
// learnt run.
func (l *Layout) Likely(unknown, most int) int {
	if n := int(l.runRows.Load()); n > 0 {
		return min(most, n+n/16+1)
	}
	return unknown
}

// maxLearnt is the longest mean of a row's text that Learn remembers, in bytes.
const maxLearnt = 4 << 10

// Learn has later runs of the layout begin with the room that this one took. A store calls it when
// it has read all rows.
func (r *Rows) Learn() {
	if n := int32(r.Len()); n > 0 {
		r.LearnRow()
		old := r.layout.runRows.Load()
		r.layout.runRows.Store(max(n, old-old/8))
	}
}

// LearnRow is Learn for a row read by its key, which does not affect the length of lists.
func (r *Rows) LearnRow() {
	mean := min(int32(len(r.text)/r.Len())+1, maxLearnt)
	if old := r.layout.rowBytes.Load(); old > 0 {
		mean = (3*old + mean + 3) / 4
	}
	r.layout.rowBytes.Store(mean)
}

// Layout returns the layout of the rows.
func (r *Rows) Layout() *Layout { return r.layout }

// Len is the number of rows; 0 for a nil Rows.
func (r *Rows) Len() int {
	if r == nil {
		return 0
	}
	return len(r.spans) / (1 + len(r.layout.Fields))
}

// Row is the i-th row.
func (r *Rows) Row(i int) Row { return Row{rows: r, at: i * (1 + len(r.layout.Fields))} }

// AppendJSON appends the rows as a JSON array.
func (r *Rows) AppendJSON(dst []byte) []byte { return r.AppendRange(dst, 0, r.Len()) }

// AppendRange appends the rows from up to but without to as a JSON array: one copy,
// for the rows of a run follow each other.
func (r *Rows) AppendRange(dst []byte, from, to int) []byte {
	dst = append(dst, '[')
	if from < to {
		width := 1 + len(r.layout.Fields)
		dst = append(dst, r.text[r.spans[from*width].from:r.spans[(to-1)*width].to]...)
	}
	return append(dst, ']')
}

// Outside returns the rows marked as having crossed the boundary. A store may give the
// same rows to several callers, so the mark is set on a copy of the header; the text is
// shared.
func (r *Rows) Outside() *Rows {
	if r == nil || r.crossed {
		return r
	}
	c := *r
	c.crossed = true
	return &c
}

// MarkOutside marks rows as Outside does, in place: for the writer that has just filled
// them and has not handed them on.
func (r *Rows) MarkOutside() { r.crossed = true }

// Crossed reports whether the rows have crossed the boundary: closed fields are gone,
// values are encoded, computed fields are made.
func (r *Rows) Crossed() bool { return r != nil && r.crossed }

// Size is the memory the rows hold, in bytes.
func (r *Rows) Size() int {
	if r == nil {
		return 0
	}
	const spanSize = 8
	return cap(r.text) + spanSize*cap(r.spans)
}

// TextSize is the length of the rows' text in bytes; 0 for a nil Rows.
func (r *Rows) TextSize() int {
	if r == nil {
		return 0
	}
	return len(r.text)
}

// Read lays out the objects of a JSON array, or one object alone, that passed
// [schema/jsontext.Check]: of each the members that layout names, unchanged;
// others are left out. ok is false where something else than objects was found.
func Read(layout *Layout, text json.RawMessage) (rows *Rows, ok bool) {
	rows = &Rows{layout: layout, text: make([]byte, 0, len(text))}
	switch jsontext.KindOf(text) {
	case jsontext.Object:
		rows.read(text)
		return rows, true
	case jsontext.Array:
		for _, item := range jsontext.Elements(text) {
			if jsontext.KindOf(item) != jsontext.Object {
				return nil, false
			}
			rows.read(item)
		}
		return rows, true
	}
	return nil, false
}

func (r *Rows) read(object json.RawMessage) {
	r.BeginRow()
	for name, value := range jsontext.Members(object) {
		if i := r.layout.Index(name); i >= 0 {
			r.Put(i, value)
		}
	}
	r.EndRow()
}

// Write writes the next row with all columns. value appends the value of a column. It is BeginRow,
// Begin and End of each column and EndRow, in half the time.
func (r *Rows) Write(value func(dst []byte, column int) []byte) {
	text, spans := r.text, r.spans
	if len(text) > 0 {
		text = append(text, ',')
	}
	open := len(spans)
	spans = append(spans, span{from: uint32(len(text))})
	text = append(text, '{')
	for i, name := range r.layout.names {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, name...)
		from := uint32(len(text))
		text = value(text, i)
		spans = append(spans, span{from, uint32(len(text))})
	}
	text = append(text, '}')
	spans[open].to = uint32(len(text))
	r.text, r.spans = text, spans
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

// Begin opens column i of the open row: it writes the name and returns the text for the caller
// to append the value to, which it hands back to End. Columns are written in any order, each at
// most once; an omitted one is absent.
func (r *Rows) Begin(i int) []byte {
	if len(r.text) != int(r.spans[r.open].from)+1 {
		r.text = append(r.text, ',')
	}
	r.text = append(r.text, r.layout.names[i]...)
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

// CopyRow writes row as the next one; its layout has the fields of r's.
func (r *Rows) CopyRow(row Row) {
	r.BeginRow()
	for i, name := range r.layout.Fields {
		if value := row.Get(name); value != nil {
			r.Put(i, value)
		}
	}
	r.EndRow()
}

// Join copies the rows of several runs into one, in their order.
func Join(layout *Layout, runs []*Rows) *Rows {
	n := 0
	for _, run := range runs {
		n += run.Len()
	}
	out := New(layout, n)
	for _, run := range runs {
		for i := range run.Len() {
			out.CopyRow(run.Row(i))
		}
	}
	return out
}

// Row is one row of a Rows: a window, not a copy.
type Row struct {
	rows *Rows
	at   int
}

// JSON is the row as its object's text; the caller does not change it.
func (r Row) JSON() json.RawMessage { return r.slice(r.at) }

// Alone returns a run of this row alone, over the same text; nil for the zero Row.
func (r Row) Alone() *Rows {
	if r.rows == nil {
		return nil
	}
	alone := *r.rows
	alone.spans = r.rows.spans[r.at : r.at+1+len(r.rows.layout.Fields)]
	return &alone
}

// Get is the text of the field called name, or nil if the row lacks it.
func (r Row) Get(name string) json.RawMessage {
	if i := r.rows.layout.Index(name); i >= 0 {
		return r.At(i)
	}
	return nil
}

// At is the text of column i of the layout, or nil if the row lacks it.
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
