package rows

import (
	"bytes"
	"encoding/json"
	"sync"

	"github.com/frondhost/frond/schema/jsontext"
)

// How much a reader of rows takes in. Rows that name ever new columns would need a
// place for each of them in every row.
const (
	maxCells   = 4 << 20 // places for values, of one answer: three times what 8 MiB can fill
	maxLayouts = 256     // that are kept
	maxNames   = 4 << 10 // bytes of names of a layout that is kept
)

// Reader lays out objects of another writer as rows over their text, without a copy. Rows of
// one origin mostly have the same members, so a Reader keeps layouts. The zero value is ready,
// and may be used from many goroutines.
type Reader struct {
	mu      sync.RWMutex
	layouts map[string]*Layout // by the names of the first row, as they stand
}

// Read lays out the objects of a JSON array, or one object alone, that passed
// [schema/jsontext.Check]: a column for every member that any of them has, in the
// order they came. ok is false where something else than objects was found, or where
// the objects have so little in common that they are no rows. The rows hold on to text.
func (r *Reader) Read(text json.RawMessage) (rows *Rows, ok bool) {
	at := 0
	for at < len(text) && isBlank(text[at]) {
		at++
	}
	if at == len(text) {
		return nil, false
	}
	rows, _, ok = r.ReadAt(text, at)
	return rows, ok
}

// ReadAt is Read for the value that begins at an offset of a checked text. For rows it answers
// the offset behind the value as well.
func (r *Reader) ReadAt(text []byte, at int) (rows *Rows, end int, ok bool) {
	first := json.RawMessage(text[at:])
	switch text[at] {
	case '{':
	case '[':
		if at := blank(text, at+1); text[at] == ']' {
			return &Rows{layout: emptyLayout}, at + 1, true
		}
		for _, first = range jsontext.Elements(first) {
			break
		}
	default:
		return nil, 0, false
	}
	layout, key := r.layoutOf(first)
	rows, end, all := over(layout, text, at)
	if rows != nil && !all {
		rows, end, _ = over(r.widen(layout, text[at:], key), text, at)
	}
	return rows, end, rows != nil
}

var emptyLayout = NewLayout(nil)

// layoutOf is the layout to begin with: the last one of rows whose first row had
// the members of this one. key identifies it.
func (r *Reader) layoutOf(object json.RawMessage) (layout *Layout, key []byte) {
	var buffer [256]byte
	key = buffer[:0]
	for raw := range jsontext.RawMembers(object) {
		key = append(key, raw...)
	}
	r.mu.RLock()
	layout = r.layouts[string(key)]
	r.mu.RUnlock()
	if layout != nil {
		return layout, key
	}
	var names []string
	for raw := range jsontext.RawMembers(object) {
		names = append(names, jsontext.Unquote(raw))
	}
	layout = NewLayout(names)
	r.keep(key, layout)
	return layout, key
}

// widen is a layout with the columns of all objects of an array.
func (r *Reader) widen(layout *Layout, text json.RawMessage, key []byte) *Layout {
	names := layout.Fields[:len(layout.Fields):len(layout.Fields)]
	known := make(map[string]bool, len(names))
	for _, name := range names {
		known[name] = true
	}
	for _, object := range jsontext.Elements(text) {
		for raw := range jsontext.RawMembers(object) {
			if !known[string(raw[1:len(raw)-1])] {
				name := jsontext.Unquote(raw)
				if !known[name] {
					known[name] = true
					names = append(names, name)
				}
			}
		}
	}
	layout = NewLayout(names)
	r.keep(key, layout)
	return layout
}

// keep keeps a layout for the rows to come, unless its names are long. After maxLayouts
// different ones it begins again without the old ones.
func (r *Reader) keep(key []byte, layout *Layout) {
	size := len(key)
	for _, name := range layout.names {
		size += len(name)
	}
	if size > maxNames {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.layouts == nil || len(r.layouts) >= maxLayouts {
		r.layouts = map[string]*Layout{}
	}
	r.layouts[string(key)] = layout
}

// over lays out the objects that begin at i of a text, and answers the offset behind them. All
// is false if a member has no column in the layout, and r is nil for other values than rows.
func over(layout *Layout, text []byte, i int) (r *Rows, end int, all bool) {
	width := 1 + len(layout.Fields)
	r = &Rows{layout: layout, text: text}
	if text[i] == '{' {
		r.spans = make([]span, 0, width)
		end, all = r.cover(i)
		return r, end, all
	}
	i = blank(text, i+1)
	for first := i; text[i] != ']'; {
		if text[i] != '{' || len(r.spans)+width > maxCells {
			return nil, 0, false
		}
		if i, all = r.cover(i); !all {
			return r, 0, false
		}
		if len(r.spans) == width { // the first row says how many there may be
			r.spans = append(make([]span, 0, width*min(128, 1+(len(text)-first)/(i-first))), r.spans...)
		}
		if i = blank(text, i); text[i] == ',' {
			i = blank(text, i+1)
		}
	}
	return r, i + 1, true
}

// cover is the next row: the object at i of the text. It returns the
// offset behind it, and false where a member has no column.
func (r *Rows) cover(i int) (int, bool) {
	b, names, open := r.text, r.layout.names, len(r.spans)
	r.spans = append(r.spans, span{from: uint32(i)})
	for range names {
		r.spans = append(r.spans, span{})
	}
	i = blank(b, i+1)
	for place := 0; b[i] != '}'; place++ {
		column := place
		if place < len(names) && bytes.HasPrefix(b[i:], names[place]) { // name and colon, as most write them
			i = blank(b, i+len(names[place]))
		} else {
			end := jsontext.Skip(b, i)
			if column = r.layout.Index(jsontext.Unquote(b[i:end])); column < 0 {
				return i, false
			}
			i = blank(b, blank(b, end)+1)
		}
		end := jsontext.Skip(b, i)
		r.spans[open+1+column] = span{uint32(i), uint32(end)}
		if i = end; b[i] != ',' { // mostly
			i = blank(b, i)
		}
		if b[i] == ',' {
			i = blank(b, i+1)
		}
	}
	r.spans[open].to = uint32(i + 1)
	return i + 1, true
}

// blank is the offset of the first byte from i on that is no white space.
func blank(b []byte, i int) int {
	for isBlank(b[i]) {
		i++
	}
	return i
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
