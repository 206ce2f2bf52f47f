package bulk

import (
	"bytes"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema/jsontext"
)

// Format is a kind of file. Its text is the ending of such a file's name.
type Format string

// The formats.
const (
	CSV    Format = "csv"
	NDJSON Format = "ndjson"
)

// FormatOf returns the format of a file with this name; "": it has another ending.
func FormatOf(file string) Format {
	switch strings.ToLower(path.Ext(file)) {
	case ".csv":
		return CSV
	case ".ndjson", ".jsonl":
		return NDJSON
	}
	return ""
}

// MediaType returns the type of a file in HTTP.
func (f Format) MediaType() string {
	if f == CSV {
		return "text/csv"
	}
	return "application/x-ndjson"
}

// Writer writes rows as a file, in parts of about 64 KiB.
type Writer struct {
	to       io.Writer
	format   Format
	named    []string // the columns in their order; nil: that of the rows
	formulas bool

	layout  *rows.Layout // of the rows that at was made for
	columns []string     // of the header
	at      []int        // the place of each column in layout
	text    []byte
}

// NewWriter returns a writer of the answers to a call of list. formulas says that texts which a
// spreadsheet would take for a formula begin with an apostrophe (CSV alone).
func NewWriter(to io.Writer, format Format, call *facade.Call, formulas bool) *Writer {
	return &Writer{to: to, format: format, named: named(call), formulas: formulas}
}

// named are the fields that a call names, in its order, or nil. A path is named by its relation.
func named(call *facade.Call) (names []string) {
	sent := call.Select
	switch value := jsontext.Get(call.Invocation.Query, "fields"); jsontext.KindOf(value) {
	case jsontext.String:
		sent = strings.Split(jsontext.Unquote(value), ",")
	case jsontext.Array:
		sent = nil
		for _, item := range jsontext.Elements(value) {
			sent = append(sent, jsontext.Unquote(item))
		}
	}
	for _, name := range sent {
		if name, _, _ = strings.Cut(strings.TrimSpace(name), "."); name != "" {
			name, _, _ = strings.Cut(name, "(")
			names = append(names, name)
		}
	}
	return names
}

// Rows writes the rows of a page, after the header if it is the first one.
func (w *Writer) Rows(page *rows.Rows) error {
	if w.format == CSV {
		w.arrange(page.Layout())
	}
	for i := range page.Len() {
		if w.format == CSV {
			w.row(page.Row(i))
		} else {
			w.text = append(appendLine(w.text, page.Row(i).JSON()), '\n')
		}
		if len(w.text) >= partSize {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return w.flush()
}

// partSize is the length in bytes from which text is written.
const partSize = 64 << 10

// flush writes the text.
func (w *Writer) flush() error {
	_, err := w.to.Write(w.text)
	w.text = w.text[:0]
	return err
}

// appendLine appends JSON without the line breaks between its tokens.
func appendLine(dst, value []byte) []byte {
	from := len(dst)
	dst = append(dst, value...)
	if bytes.ContainsAny(value, "\r\n") {
		for i, c := range dst[from:] {
			if c == '\r' || c == '\n' {
				dst[from+i] = ' '
			}
		}
	}
	return dst
}

// arrange finds the columns of a layout, and appends the header for the first one.
func (w *Writer) arrange(layout *rows.Layout) {
	if layout == w.layout {
		return
	}
	if w.layout == nil {
		w.columns = order(layout.Fields, w.named)
		for i, name := range w.columns {
			w.cell(i, jsontext.Quote(name))
		}
		w.text = append(w.text, "\r\n"...)
	}
	w.layout, w.at = layout, w.at[:0]
	for _, name := range w.columns {
		w.at = append(w.at, layout.Index(name))
	}
}

// row appends a row as CSV.
func (w *Writer) row(row rows.Row) {
	for j, at := range w.at {
		var value []byte
		if at >= 0 {
			value = row.At(at)
		}
		w.cell(j, value)
	}
	w.text = append(w.text, "\r\n"...)
}

// order returns fields in the order of names. AllFields is replaced by the other fields.
func order(fields, names []string) (columns []string) {
	rest := func() (rest []string) {
		for _, name := range fields {
			if !slices.Contains(names, name) {
				rest = append(rest, name)
			}
		}
		return rest
	}
	for _, name := range names {
		switch {
		case name == catalog.AllFields:
			columns = append(columns, rest()...)
		case slices.Contains(fields, name) && !slices.Contains(columns, name):
			columns = append(columns, name)
		}
	}
	if !slices.Contains(names, catalog.AllFields) {
		columns = append(columns, rest()...)
	}
	return columns
}

// cell appends the cell of column i.
func (w *Writer) cell(i int, value []byte) {
	if i > 0 {
		w.text = append(w.text, ',')
	}
	switch jsontext.KindOf(value) {
	case jsontext.Invalid, jsontext.Null:
	case jsontext.String:
		text := value[1 : len(value)-1]
		if bytes.IndexByte(text, '\\') >= 0 {
			text = []byte(jsontext.Unquote(value))
		}
		if w.formulas && len(text) > 0 && strings.IndexByte("=+-@\t\r", text[0]) >= 0 {
			text = append([]byte{'\''}, text...)
		}
		w.text = appendCell(w.text, text)
	default:
		w.text = appendCell(w.text, value)
	}
}

// appendCell appends a text, in quotes if it is empty, has a character of the format or begins or
// ends with a space.
func appendCell(dst, text []byte) []byte {
	if n := len(text); n > 0 && text[0] > ' ' && text[n-1] > ' ' && !bytes.ContainsAny(text, ",\"\r\n") {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	for {
		i := bytes.IndexByte(text, '"')
		if i < 0 {
			return append(append(dst, text...), '"')
		}
		dst = append(append(dst, text[:i+1]...), '"')
		text = text[i+1:]
	}
}
