package bulk

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// maxRow is the length of the longest row of a file in bytes.
const maxRow = 1 << 20

// Reader reads rows of a file as JSON objects.
type Reader struct {
	// Delimiter is the byte between cells of CSV. 0: the first line shows it.
	Delimiter byte

	from   *bufio.Reader
	format Format
	card   *schema.Entity
	line   int // of the last row that was read
	ended  int // line ends that were read

	begun   bool
	header  []string
	columns []*schema.Property // of the header; nil: the card does not have the column
	text    []byte             // of the row
	cells   []cell
	raw     []byte // of the cells
}

// cell is one cell of a row: a part of raw.
type cell struct {
	from, to int
	quoted   bool
}

// NewReader returns a reader of rows of a card.
func NewReader(from io.Reader, format Format, card *schema.Entity) *Reader {
	return &Reader{from: bufio.NewReaderSize(from, partSize), format: format, card: card}
}

// Fault is why a row of a file is left out.
type Fault struct {
	Line    int    // the first line of the row
	Column  string // "": the row as a whole
	Code    string
	Message string

	ends bool // the rows after it cannot be found
}

// fault is a fault of the row that is being read.
func (r *Reader) fault(code, format string, args ...any) *Fault {
	return &Fault{Line: r.line, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Next returns the next row, which is valid until the call after it, and its line. A fault concerns the
// row alone unless it ends the file. The error is io.EOF at the end, or the file's error.
func (r *Reader) Next() (row []byte, line int, fault *Fault, err error) {
	if !r.begun {
		r.begun = true
		if fault := r.begin(); fault != nil {
			return nil, r.line, fault, nil
		}
	}
	if r.format == CSV {
		row, fault, err = r.nextRecord()
	} else {
		row, fault, err = r.nextObject()
	}
	return row, r.line, fault, err
}

// nextObject reads the next line that has text.
func (r *Reader) nextObject() ([]byte, *Fault, error) {
	for {
		r.text = r.text[:0]
		r.line = r.ended + 1
		for {
			part, err := r.from.ReadSlice('\n')
			r.text = append(r.text, part...)
			switch {
			case len(r.text) > maxRow:
				return nil, r.tooLong(), nil
			case errors.Is(err, bufio.ErrBufferFull):
				continue
			case errors.Is(err, io.EOF) && len(bytes.TrimSpace(r.text)) == 0:
				return nil, nil, io.EOF
			case err != nil && !errors.Is(err, io.EOF):
				return nil, nil, err
			}
			break
		}
		r.ended++
		text := bytes.TrimSpace(r.text)
		if len(text) == 0 {
			continue
		}
		if err := jsontext.Check(text); err != nil {
			return nil, r.fault("syntax", "is not JSON as it should be: %s; write one object in each line", err), nil
		}
		if jsontext.KindOf(text) != jsontext.Object {
			return nil, r.fault("type", "must be an object, such as {\"id\": 1}"), nil
		}
		return text, nil, nil
	}
}

// tooLong ends a file with a row that is too long.
func (r *Reader) tooLong() *Fault {
	f := r.fault("maxLength", "is over %d bytes; a row of a file has at most so many", maxRow)
	f.ends = true
	return f
}

// nextRecord reads the next row of CSV, and before the first one the header.
func (r *Reader) nextRecord() ([]byte, *Fault, error) {
	if r.header == nil {
		if fault, err := r.readHeader(); fault != nil || err != nil {
			return nil, fault, err
		}
	}
	for {
		fault, err := r.record()
		if fault != nil || err != nil {
			return nil, fault, err
		}
		if len(r.header) == 1 || slices.ContainsFunc(r.cells, func(c cell) bool { return !c.empty() }) {
			break
		}
	}
	r.dropEmpty(len(r.header))
	if len(r.cells) != len(r.header) {
		return nil, r.fault("columns", "has %d cells, and the header has %d; write a cell for each column", len(r.cells), len(r.header)), nil
	}
	r.text = append(r.text[:0], '{')
	for i, c := range r.cells {
		text := r.raw[c.from:c.to]
		if !utf8.Valid(text) {
			fault := r.fault("syntax", "is not UTF-8; save the file as UTF-8")
			fault.Column = r.header[i]
			return nil, fault, nil
		}
		if message := decimalComma(r.columns[i], text); message != "" {
			fault := r.fault("type", "%s", message)
			fault.Column = r.header[i]
			return nil, fault, nil
		}
		r.text = appendMember(r.text, r.header[i], r.columns[i], text, c.quoted)
	}
	r.text = append(r.text, '}')
	return r.text, nil, nil
}

// readHeader reads the names of the columns.
func (r *Reader) readHeader() (*Fault, error) {
	r.findDelimiter()
	fault, err := r.record()
	switch {
	case errors.Is(err, io.EOF):
		r.line = 1
		fault = r.fault("header", "is missing; the first line names the fields of the columns")
	case err != nil:
		return nil, err
	}
	r.dropEmpty(1)
	for _, c := range r.cells {
		name := string(r.raw[c.from:c.to])
		switch {
		case fault != nil:
		case !utf8.ValidString(name):
			fault = r.fault("header", "is not UTF-8; save the file as UTF-8")
		case strings.ContainsRune(name, '\r') && !c.quoted:
			fault = r.fault("header", "has line ends of CR alone; save the file with lines that end with CRLF or LF")
		case name == "":
			fault = r.fault("header", "has a column without a name; name a field in each cell of the first line")
		case slices.Contains(r.header, name):
			fault = r.fault("header", "names %s twice; leave one of the columns out", schema.Quoted(name))
		}
		r.header = append(r.header, name)
		r.columns = append(r.columns, column(r.card, name))
	}
	if fault != nil {
		fault.ends = true
	}
	return fault, nil
}

// column returns the field of a column: by its name, an old name, or the key of a relation.
func column(card *schema.Entity, name string) *schema.Property {
	if card == nil {
		return nil
	}
	if p := card.Property(name); p != nil {
		return p
	}
	if a := card.Alias(name); a != nil {
		return a.Field
	}
	for _, p := range card.Fields {
		if p.Link != nil && p.Link.Key == name {
			return p
		}
	}
	return nil
}

// appendMember appends a cell as a member of the row. An empty cell is null if the field takes null,
// and is else left out. A text of another type than the field's is a string, which is refused.
func appendMember(dst []byte, name string, p *schema.Property, text []byte, quoted bool) []byte {
	null := len(text) == 0 && !quoted
	if null && (p == nil || !p.Shape.Nullable && !p.MayBeNull() || p.Axes.Create != nil && !p.Shape.Nullable) {
		return dst
	}
	dst = jsontext.AppendName(jsontext.Comma(dst), name)
	switch {
	case null:
		return append(dst, "null"...)
	case p == nil:
		return jsontext.AppendText(dst, text)
	}
	switch p.Kind {
	case schema.KindBoolean:
		return appendBoolean(dst, p, text)
	case schema.KindInteger, schema.KindNumber:
		dst, _ = schema.AppendCoerced(dst, &p.Shape, text)
		return dst
	case schema.KindJSON:
		if p.Shape.Type != "string" && jsontext.Check(text) == nil {
			return append(dst, text...)
		}
	}
	if p.Shape.Type == "array" && jsontext.Check(text) == nil {
		return append(dst, text...)
	}
	return jsontext.AppendText(dst, text)
}

// record reads the cells of one row (RFC 4180; a line may end with LF alone).
func (r *Reader) record() (*Fault, error) {
	r.cells, r.raw, r.line = r.cells[:0], r.raw[:0], r.ended+1
	c, begun := cell{}, false
	for {
		b, err := r.from.ReadByte()
		switch {
		case errors.Is(err, io.EOF) && begun:
			r.ended++
			return nil, r.close(&c)
		case err != nil:
			return nil, err
		case len(r.raw) > maxRow:
			return r.tooLong(), nil
		}
		begun = true
		switch {
		case b == '"' && len(r.raw) == c.from && !c.quoted:
			c.quoted = true
			if fault, err := r.quotedText(); fault != nil || err != nil {
				return fault, err
			}
		case b == r.Delimiter:
			_ = r.close(&c)
		case b == '\n':
			r.ended++
			if n := len(r.raw); n > c.from && r.raw[n-1] == '\r' {
				r.raw = r.raw[:n-1]
			}
			return nil, r.close(&c)
		case c.quoted && b != '\r':
			f := r.fault("syntax", "has a text after the closing quote of a cell; write a quote within a cell twice")
			f.ends = true
			return f, nil
		default:
			r.raw = append(r.raw, b)
		}
	}
}

// close ends a cell and begins the next one.
func (r *Reader) close(c *cell) error {
	c.to = len(r.raw)
	r.cells = append(r.cells, *c)
	*c = cell{from: c.to}
	return nil
}

// quotedText reads a cell after its first quote, up to its last one.
func (r *Reader) quotedText() (*Fault, error) {
	for {
		part, err := r.from.ReadSlice('"')
		r.ended += bytes.Count(part, []byte{'\n'})
		r.raw = append(r.raw, part...)
		switch {
		case len(r.raw) > maxRow:
			return r.tooLong(), nil
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			f := r.fault("syntax", "has a cell whose quote is not closed; write a quote at its end")
			f.ends = true
			return f, nil
		case err != nil:
			return nil, err
		}
		next, err := r.from.Peek(1)
		if err != nil || next[0] != '"' {
			r.raw = r.raw[:len(r.raw)-1]
			return nil, nil
		}
		_, _ = r.from.Discard(1)
	}
}
