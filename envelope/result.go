package envelope

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema/jsontext"
)

// readResult is the text of a result as the Result it was: in the form its
// operation has in the catalog, or, where that is not known, the form the text has.
func readResult(text json.RawMessage, op *facade.Operation) (*facade.Result, *facade.Error) {
	kind := jsontext.KindOf(text)
	value := &facade.Result{Form: facade.FormValue, Value: text}
	if op == nil {
		switch {
		case isPage(text):
			return pageOf(text), nil
		case kind == jsontext.Object:
			return &facade.Result{Form: facade.FormRow, Rows: indexRows(text)}, nil
		case kind == jsontext.Array && onlyObjects(text):
			return &facade.Result{Form: facade.FormRows, Rows: indexRows(elements(text)...)}, nil
		}
		return value, nil
	}
	ok := true
	switch op.Cardinality {
	case facade.One, facade.Maybe:
		switch {
		case kind == jsontext.Object:
			return &facade.Result{Form: facade.FormRow, Rows: indexRows(text)}, nil
		case kind == jsontext.Null && op.Cardinality == facade.Maybe:
			return &facade.Result{Form: facade.FormRow, Rows: indexRows()}, nil
		}
		ok = false
	case facade.Many:
		if ok = onlyObjects(text); ok {
			return &facade.Result{Form: facade.FormRows, Rows: indexRows(elements(text)...)}, nil
		}
	case facade.PageOf:
		if page, is := readPage(text); is {
			return page, nil
		}
		switch {
		case onlyObjects(text): // a foreign host's bare array is a page (DESIGN 5)
			rows := indexRows(elements(text)...)
			return &facade.Result{Form: facade.FormPage, Rows: rows, Page: facade.Page{Total: int64(rows.Len())}}, nil
		}
		ok = false
	}
	if !ok {
		return nil, facade.Errorf(facade.BadGateway, "the host's answer is not what the operation gives: %s", op.Cardinality)
	}
	return value, nil
}

// isPage says whether a value is a list result (spec 2.7), with these members and no others.
func isPage(text json.RawMessage) bool {
	seen := 0
	for name, value := range jsontext.Members(text) {
		kind := jsontext.KindOf(value)
		var fits bool
		switch name {
		case "items":
			fits = onlyObjects(value)
		case "total":
			_, err := strconv.ParseInt(string(value), 10, 64)
			fits = err == nil
		case "hasMore":
			fits = kind == jsontext.True || kind == jsontext.False
		case "endCursor":
			fits = kind == jsontext.String || kind == jsontext.Null
		}
		if !fits {
			return false
		}
		seen++
	}
	return seen == 4
}

func pageOf(text json.RawMessage) *facade.Result {
	r := &facade.Result{Form: facade.FormPage}
	r.Rows = indexRows(elements(jsontext.Get(text, "items"))...)
	r.Total, _ = strconv.ParseInt(string(jsontext.Get(text, "total")), 10, 64)
	r.HasMore = jsontext.KindOf(jsontext.Get(text, "hasMore")) == jsontext.True
	if cursor := jsontext.Get(text, "endCursor"); jsontext.KindOf(cursor) == jsontext.String {
		r.Cursors = []string{jsontext.Unquote(cursor)}
	}
	return r
}

func onlyObjects(text json.RawMessage) bool {
	if jsontext.KindOf(text) != jsontext.Array {
		return false
	}
	for _, v := range jsontext.Elements(text) {
		if jsontext.KindOf(v) != jsontext.Object {
			return false
		}
	}
	return true
}

func elements(text json.RawMessage) []json.RawMessage {
	var all []json.RawMessage
	for _, v := range jsontext.Elements(text) {
		all = append(all, v)
	}
	return all
}

// indexRows lays objects out as rows: a column for every member that any of them
// has, the members of each row in the order they came.
func indexRows(objects ...json.RawMessage) *facade.Rows {
	var c columns
	for i, o := range objects {
		place := 0
		for raw := range jsontext.RawMembers(o) {
			if i == 0 {
				c.add(raw) // an object names no member twice
			} else {
				c.of(place, raw)
			}
			place++
		}
	}
	rows := facade.NewRows(facade.NewLayout(c.fields), len(objects))
	for _, o := range objects {
		rows.BeginRow()
		place := 0
		for raw, value := range jsontext.RawMembers(o) {
			rows.Put(c.of(place, raw), value)
			place++
		}
		rows.EndRow()
	}
	return rows
}

// columns numbers the names of members. The rows of one answer mostly have theirs
// in one order, so the place of a name is looked at first.
type columns struct {
	fields []string
	quoted [][]byte       // as JSON writes them
	at     map[string]int // by any spelling; nil: not needed yet
}

func (c *columns) add(raw []byte) {
	name := jsontext.Unquote(raw)
	if bytes.IndexByte(raw, '\\') >= 0 {
		raw = jsontext.Quote(name)
	}
	c.fields, c.quoted = append(c.fields, name), append(c.quoted, raw)
}

// of is the column of a name that stands at a place of its object, a new one perhaps.
func (c *columns) of(place int, raw []byte) int {
	if place < len(c.quoted) && bytes.Equal(c.quoted[place], raw) {
		return place
	}
	if c.at == nil {
		c.at = make(map[string]int, len(c.fields))
		for i, name := range c.fields {
			c.at[string(jsontext.Quote(name))] = i
		}
	}
	i, known := c.at[string(raw)]
	if !known {
		one := string(jsontext.Quote(jsontext.Unquote(raw))) // every name has one spelling of ours
		if i, known = c.at[one]; !known {
			i = len(c.fields)
			c.add(raw)
			c.at[one] = i
		}
		c.at[string(raw)] = i
	}
	return i
}
