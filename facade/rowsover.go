package facade

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

// RowReader lays out objects that somebody else has written as rows over the text as
// it stands: nothing is copied. Rows of one origin mostly have the same members, so
// it keeps layouts. The zero value is ready, and may be used from many goroutines.
type RowReader struct {
	mu      sync.RWMutex
	layouts map[string]*Layout // by the names of the first row, as they stand
}

// Read lays out the objects of a JSON array, or one object alone, that passed
// [schema/jsontext.Check]: a column for every member that any of them has, in the
// order they came. ok is false where something else than objects was found, or where
// the objects have so little in common that they are no rows. The rows hold on to text.
func (r *RowReader) Read(text json.RawMessage) (rows *Rows, ok bool) {
	first := text
	switch jsontext.KindOf(text) {
	case jsontext.Object:
	case jsontext.Array:
		first = nil
		for _, first = range jsontext.Elements(text) {
			break
		}
		if first == nil {
			return &Rows{layout: emptyLayout}, true
		}
	default:
		return nil, false
	}
	layout, key := r.layoutOf(first)
	rows, all, ok := over(layout, text, len(first))
	if ok && !all {
		rows, _, ok = over(r.widen(layout, text, key), text, len(first))
	}
	return rows, ok
}

var emptyLayout = NewLayout(nil)

// layoutOf is the layout to begin with: the last one that rows had whose first had
// the members of this one. The key is what it is kept by.
func (r *RowReader) layoutOf(object json.RawMessage) (layout *Layout, key []byte) {
	var room [256]byte
	key = room[:0]
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
func (r *RowReader) widen(layout *Layout, text json.RawMessage, key []byte) *Layout {
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

// keep keeps a layout for the rows to come. Many of them are those of somebody whose
// rows have nothing in common: then nothing is worth keeping.
func (r *RowReader) keep(key []byte, layout *Layout) {
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

// over lays out the objects of a text, of which the first has so many bytes. All is
// false where a member has no column in the layout; ok is false where they are no rows.
func over(layout *Layout, text json.RawMessage, first int) (r *Rows, all, ok bool) {
	width := 1 + len(layout.Fields)
	r = &Rows{layout: layout, text: text, spans: make([]span, 0, width*min(128, 1+len(text)/first))}
	i := blank(text, 0)
	if text[i] == '{' {
		_, all = r.cover(i)
		return r, all, true
	}
	for i = blank(text, i+1); text[i] != ']'; {
		if text[i] != '{' || len(r.spans)+width > maxCells {
			return nil, false, false
		}
		if i, all = r.cover(i); !all {
			return r, false, true
		}
		if i = blank(text, i); text[i] == ',' {
			i = blank(text, i+1)
		}
	}
	return r, true, true
}

// cover is the next row: the object that stands at i of the text. It answers the
// offset behind it, and false where a member has no column.
func (r *Rows) cover(i int) (int, bool) {
	b, names, open := r.text, r.layout.names, len(r.spans)
	r.spans = append(r.spans, span{from: uint32(i)})
	for range names {
		r.spans = append(r.spans, span{})
	}
	i = blank(b, i+1)
	for place := 0; b[i] != '}'; place++ {
		end := jsontext.Skip(b, i)
		raw, column := b[i:end], place
		if place >= len(names) || len(names[place]) != len(raw)+1 || !bytes.HasPrefix(names[place], raw) {
			if column = r.layout.Index(jsontext.Unquote(raw)); column < 0 {
				return i, false
			}
		}
		i = blank(b, blank(b, end)+1) // behind the colon
		end = jsontext.Skip(b, i)
		r.spans[open+1+column] = span{uint32(i), uint32(end)}
		if i = blank(b, end); b[i] == ',' {
			i = blank(b, i+1)
		}
	}
	r.spans[open].to = uint32(i + 1)
	return i + 1, true
}

// blank is the offset of the first byte from i on that is no white space.
func blank(b []byte, i int) int {
	for b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r' {
		i++
	}
	return i
}
