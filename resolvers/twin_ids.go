package resolvers

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
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

// PageIDs cuts a window out of the ids a row holds, after those the caller may
// not see were left out: the ids from up to but without to. The cursor of an id
// is made from the id itself, so it stands while the list around it changes.
// page.Total counts ids, page.Cursors are those of the window. The error is
// BAD_REQUEST and names the argument.
func PageIDs(ids []json.RawMessage, w Window) (from, to int, page facade.Page, err error) {
	from, to = 0, len(ids)
	page.Total = int64(len(ids))
	for _, n := range []struct {
		arg   string
		value *int
	}{{"first", w.First}, {"last", w.Last}, {"offset", w.Offset}} {
		if n.value != nil && *n.value < 0 {
			return 0, 0, page, facade.Errorf(facade.BadRequest, "%s is negative; send 0 or more", n.arg)
		}
	}
	if w.First != nil && w.Last != nil {
		return 0, 0, page, facade.Errorf(facade.BadRequest, "first and last were both sent; send one of them")
	}
	if w.After != nil {
		at, err := findCursor(ids, *w.After, "after")
		if err != nil {
			return 0, 0, page, err
		}
		from = at + 1
	}
	if w.Before != nil {
		at, err := findCursor(ids, *w.Before, "before")
		if err != nil {
			return 0, 0, page, err
		}
		to = at
	}
	if w.Offset != nil {
		from += *w.Offset
	}
	from = min(from, len(ids))
	to = max(from, to)
	switch {
	case w.First != nil:
		to = min(to, from+*w.First)
	case w.Last != nil:
		from = max(from, to-*w.Last)
	}
	page.HasMore, page.HasPrevious = to < len(ids), from > 0
	if to > from {
		page.Cursors = make([]string, 0, to-from)
	}
	for _, id := range ids[from:to] {
		page.Cursors = append(page.Cursors, idCursor(id))
	}
	return from, to, page, nil
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
	return 0, facade.Errorf(facade.BadRequest, "%s is not a cursor of this list; send one that it gave", arg)
}
