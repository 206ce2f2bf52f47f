package resolvers

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// NodeIDOf is the global id of a row: opaque to clients, the same on every host
// that serves the entity. key is the JSON text of the row's primary key.
func NodeIDOf(e *schema.Entity, key json.RawMessage) string {
	return base64.RawURLEncoding.EncodeToString(append([]byte(e.Key+":"), key...))
}

// ParseNodeID is what NodeIDOf was given: the entity by its key, and the primary
// key's text. ok is false for anything NodeIDOf does not write.
func ParseNodeID(id string) (entity string, key json.RawMessage, ok bool) {
	text, err := base64.RawURLEncoding.DecodeString(id)
	if err != nil || base64.RawURLEncoding.EncodeToString(text) != id { // the decoder skips line breaks
		return "", nil, false
	}
	entity, rest, found := strings.Cut(string(text), ":")
	if !found || entity == "" || jsontext.Check([]byte(rest)) != nil {
		return "", nil, false
	}
	if k := jsontext.KindOf([]byte(rest)); k != jsontext.String && k != jsontext.Number {
		return "", nil, false
	}
	return entity, json.RawMessage(rest), true
}

// Window is what the paging arguments of a connection over ids ask for. Nil
// means the argument was not sent, or was null.
type Window struct {
	First, Last, Offset *int
	After, Before       *string
}

// PageIDs cuts a window out of the distinct ids a row holds; there says of each
// whether the caller sees its row. The window is the visible ones from up to but
// without to. The cursor of an id is made from the id itself, so it stands while the
// list changes around it, and holds when its row is gone and the id is not.
// page.Total counts visible ids, page.Cursors are those of the window. The error is
// BAD_REQUEST and names the argument.
func PageIDs(ids []json.RawMessage, there []bool, w Window) (from, to int, page facade.Page, err error) {
	visible := 0
	for _, yes := range there {
		if yes {
			visible++
		}
	}
	from, to = 0, visible
	page.Total = int64(visible)
	for _, n := range []struct {
		arg   string
		value *int
	}{{"first", w.First}, {"last", w.Last}, {"offset", w.Offset}} {
		if n.value != nil && *n.value < 0 {
			return 0, 0, page, facade.Errorf(facade.BadRequest, "%s is negative; send 0 or more", n.arg)
		}
	}
	switch err := w.sides(); {
	case err != nil:
		return 0, 0, page, err
	case w.Offset != nil && *w.Offset > 0 && (w.After != nil || w.Before != nil):
		return 0, 0, page, facade.Errorf(facade.BadRequest, "offset was sent with a cursor; send one of them")
	}
	if w.After != nil {
		at, err := findCursor(ids, *w.After, "after")
		if err != nil {
			return 0, 0, page, err
		}
		for _, yes := range there[:at+1] {
			if yes {
				from++
			}
		}
	}
	if w.Before != nil {
		at, err := findCursor(ids, *w.Before, "before")
		if err != nil {
			return 0, 0, page, err
		}
		for _, yes := range there[at:] {
			if yes {
				to--
			}
		}
	}
	if w.Offset != nil {
		from = from + min(*w.Offset, visible)
	}
	from = min(from, to) // a range whose ends stand the other way round holds nothing
	begin, end := 0, to  // in the direction of reading the range ends, against it the list
	if w.Last != nil || w.First == nil && w.Before != nil && w.After == nil {
		begin, end = from, visible
	}
	switch {
	case w.First != nil:
		to = min(to, from+*w.First)
	case w.Last != nil:
		from = max(from, to-*w.Last)
	}
	page.HasMore, page.HasPrevious = to < end, from > begin
	if to > from {
		page.Cursors = make([]string, 0, to-from)
	}
	at := 0
	for i, id := range ids {
		if !there[i] {
			continue
		}
		if from <= at && at < to {
			page.Cursors = append(page.Cursors, idCursor(id))
		}
		at++
	}
	return from, to, page, nil
}

// sides is what is wrong with the arguments of a window, or nil.
func (w *Window) sides() *facade.Error {
	number := func(n *int) int {
		if n == nil {
			return unsent
		}
		return *n
	}
	return sides(number(w.First), number(w.Last), number(w.Offset), w.After != nil && *w.After == "", w.Before != nil && *w.Before == "")
}

// unsent stands for a number that was not sent.
const unsent = math.MinInt

// sides refuses paging arguments that contradict each other: first and last read from
// one end each, and offset counts from the beginning. An empty cursor is none. The
// rest list says itself, on every surface alike.
func sides(first, last, offset int, emptyAfter, emptyBefore bool) *facade.Error {
	why := ""
	switch {
	case first != unsent && last != unsent:
		why = "first and last were both sent; send one of them"
	case offset > 0 && last != unsent:
		why = "offset was sent with last; send first with it, or before instead"
	case emptyAfter:
		why = "after is empty and no cursor; leave it out to read from the beginning"
	case emptyBefore:
		why = "before is empty and no cursor; leave it out to read up to the end"
	default:
		return nil
	}
	return facade.Errorf(facade.BadRequest, "%s", why)
}

// direction is the member of list's query that tells the end from which its limit
// counts, where the cursors alone do not: list reads backward from before without
// after. The empty before is the end of the list.
func direction(first, last, after, before bool) (name, value string) {
	switch {
	case last && after:
		return "backward", "true"
	case last && !before:
		return "before", `""`
	case first && before && !after:
		return "backward", "false"
	}
	return "", ""
}

func idCursor(id json.RawMessage) string {
	return base64.RawURLEncoding.EncodeToString(append([]byte("id:"), jsontext.Trim(id)...))
}

func findCursor(ids []json.RawMessage, cursor, arg string) (int, error) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if want, ok := bytes.CutPrefix(text, []byte("id:")); err == nil && ok {
		for i, id := range ids {
			if bytes.Equal(jsontext.Trim(id), want) {
				return i, nil
			}
		}
	}
	return 0, facade.Errorf(facade.BadRequest, "%s is not a cursor of this list; send one that it gave, or leave it out to begin anew", arg)
}
