package bulk

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/frondhost/frond/schema"
)

// Spreadsheets write CSV with the delimiter of the user's language, empty columns and empty lines at the
// end, a line sep=; before the header, and on request UTF-16.

// delimiters are the bytes that may be between cells.
const delimiters = ",;\t|"

// delimiterWords are names of delimiters for places where the byte itself is hard to write.
var delimiterWords = map[string]byte{"comma": ',', "semicolon": ';', "tab": '\t', "pipe": '|'}

// DelimiterRule says which delimiters [ReadDelimiter] accepts.
const DelimiterRule = "must be comma, semicolon, tab or pipe, or the character itself"

// ReadDelimiter returns the delimiter that a text names: by its word or by the character itself.
func ReadDelimiter(text string) (delimiter byte, ok bool) {
	if len(text) == 1 && bytes.Contains([]byte(delimiters), []byte(text)) {
		return text[0], true
	}
	delimiter, ok = delimiterWords[text]
	return delimiter, ok
}

// begin skips the mark of UTF-8, and refuses a file in any other encoding.
func (r *Reader) begin() *Fault {
	start, _ := r.from.Peek(4)
	has := func(prefix string) bool { return bytes.HasPrefix(start, []byte(prefix)) }
	text := ""
	switch {
	case has("\uFEFF"):
		_, _ = r.from.Discard(len("\uFEFF"))
	case has("\xFF\xFE"), has("\xFE\xFF"), bytes.IndexByte(start, 0) >= 0:
		text = "is in UTF-16; save the file as UTF-8 (in Excel: CSV UTF-8)"
	case has("PK\x03\x04"), has("\xD0\xCF\x11\xE0"):
		text = "is a workbook of a spreadsheet; save it as CSV in UTF-8"
	}
	if text == "" {
		return nil
	}
	r.line = 1
	fault := r.fault("syntax", "%s", text)
	fault.ends = true
	return fault
}

// findDelimiter reads a line sep=; that may be before the header. Without it, and without a delimiter
// from the caller, the header decides: its most frequent delimiter outside quotes, and else a comma.
func (r *Reader) findDelimiter() {
	line := r.firstLine()
	written := bytes.TrimSuffix(line, []byte("\r"))
	if len(written) == len("sep=;") && bytes.EqualFold(written[:4], []byte("sep=")) {
		if d, ok := ReadDelimiter(string(written[4:])); ok {
			_, _ = r.from.Discard(min(len(line)+1, r.from.Buffered()))
			r.ended++
			if r.Delimiter == 0 {
				r.Delimiter = d
			}
		}
	}
	if r.Delimiter != 0 {
		return
	}
	quoted, most := false, 0
	var times [256]int
	for _, b := range line {
		if b == '"' {
			quoted = !quoted
		} else if !quoted {
			times[b]++
		}
	}
	for _, d := range []byte(delimiters) {
		if times[d] > most {
			r.Delimiter, most = d, times[d]
		}
	}
	if most == 0 {
		r.Delimiter = ','
	}
}

// firstLine returns the first line without its LF, or as much of it as the buffer takes. It reads no further.
func (r *Reader) firstLine() []byte {
	for {
		line, err := r.from.Peek(r.from.Buffered())
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			return line[:i]
		}
		if err == nil {
			_, err = r.from.Peek(len(line) + 1)
		}
		if err != nil {
			return line
		}
	}
}

// appendBoolean appends a cell of a boolean field. Spreadsheets write TRUE and FALSE.
func appendBoolean(dst []byte, p *schema.Property, text []byte) []byte {
	for _, word := range []string{"true", "false"} {
		if strings.EqualFold(string(text), word) {
			return append(dst, word...)
		}
	}
	dst, _ = schema.AppendCoerced(dst, &p.Shape, text)
	return dst
}

// empty says whether a cell has no text and no quotes.
func (c cell) empty() bool { return c.from == c.to && !c.quoted }

// dropEmpty removes empty cells from the end of the row, down to so many cells.
func (r *Reader) dropEmpty(down int) {
	for len(r.cells) > down && r.cells[len(r.cells)-1].empty() {
		r.cells = r.cells[:len(r.cells)-1]
	}
}

// commaNumber is a number as languages with a decimal comma write it.
var commaNumber = regexp.MustCompile(`^[+-]?[0-9]+,[0-9]+$`)

// decimalComma returns the message for a number with a decimal comma; "" for any other cell.
func decimalComma(p *schema.Property, text []byte) string {
	if p == nil || p.Kind != schema.KindNumber && p.Kind != schema.KindInteger || !commaNumber.Match(text) {
		return ""
	}
	return "must be a number with a decimal point; write " + string(bytes.Replace(text, []byte(","), []byte("."), 1))
}
