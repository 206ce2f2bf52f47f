package client

import (
	"encoding/json"
	"strconv"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema/jsontext"
)

// pageAt reads the list result (spec 2.7) that begins at an offset of a text; end is the offset
// after it. Members beyond the specification are ignored, and absent ones are unknown. It is
// for operations that return a page in the catalog.
//
//	{"items":[{…},{…}],"total":12,"hasMore":true,"endCursor":"…"}
//
// hasPrevious and cursors are ours, and come from hosts that have them.
func (r *reader) pageAt(text []byte, at int) (page *facade.Result, end int, ok bool) {
	page = &facade.Result{Form: facade.FormPage, Page: facade.Page{Total: -1}}
	var cursors []string // one for every row: additive to the spec, where query.cursors asked for them
	end = jsontext.Walk(text, at, func(name []byte, at int) (end int) {
		if string(name) == `"items"` {
			if page.Rows, end, ok = r.rows.ReadAt(text, at); ok && text[at] == '[' {
				return end
			}
			ok = false
		}
		end = jsontext.Skip(text, at)
		value := text[at:end:end]
		kind := jsontext.KindOf(value)
		switch string(name) {
		case `"total"`:
			if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
				page.Total = n
			}
		case `"hasMore"`:
			page.HasMore = kind == jsontext.True
		case `"endCursor"`:
			if kind == jsontext.String {
				page.Cursors = []string{jsontext.Unquote(value)}
			}
		case `"hasPrevious"`:
			page.HasPrevious, page.Edges = kind == jsontext.True, true
		case `"cursors"`:
			for _, cursor := range jsontext.Elements(value) {
				cursors = append(cursors, jsontext.Unquote(cursor))
			}
		}
		return end
	})
	if !ok {
		return nil, end, false
	}
	if n := page.Rows.Len(); n == 0 {
		page.Cursors = nil
	} else if len(cursors) == n {
		page.Cursors = cursors
	}
	return page, end, true
}

// isPage says whether a value is a list result (spec 2.7) with these members and no
// others: without a catalog, anything else is a row.
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

// onlyObjects says whether a value is an array of objects.
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
