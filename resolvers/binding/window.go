package binding

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// Window holds the paging arguments of a connection over ids. Nil: the argument was not
// sent, or was null.
type Window struct {
	First, Last, Offset *int
	After, Before       *string
}

// PageIDs cuts a window out of the distinct ids that a row holds. there says of each id whether
// the caller may see its row; only those count. The window is [from, to) of the visible ids.
// page.Total counts the visible ids, and page.Cursors belong to the window. The error is
// BAD_REQUEST and names the argument.
//
// The cursor of an id is made from the id itself. So it stays valid while the list changes
// around it, and also after its row is deleted, while the id is still in the list.
func PageIDs(ids []json.RawMessage, there []bool, w Window) (from, to int, page facade.Page, err error) {
	visible := count(there)
	from, to = 0, visible
	page.Total = int64(visible)
	for _, n := range []struct {
		arg   string
		value *int
	}{{"first", w.First}, {"last", w.Last}, {"offset", w.Offset}} {
		if n.value != nil && *n.value < 0 {
			return 0, 0, page, kiterror.Errorf(kiterror.BadRequest, "%s is negative; send 0 or more", n.arg)
		}
	}
	switch err := w.Check(); {
	case err != nil:
		return 0, 0, page, err
	case w.Offset != nil && *w.Offset > 0 && (w.After != nil || w.Before != nil):
		return 0, 0, page, kiterror.Errorf(kiterror.BadRequest, "offset was sent with a cursor; send one of them")
	}
	if w.After != nil {
		at, err := findCursor(ids, *w.After, "after")
		if err != nil {
			return 0, 0, page, err
		}
		from = count(there[:at+1])
	}
	if w.Before != nil {
		at, err := findCursor(ids, *w.Before, "before")
		if err != nil {
			return 0, 0, page, err
		}
		to -= count(there[at:])
	}
	if w.Offset != nil {
		from = from + min(*w.Offset, visible)
	}
	from = min(from, to) // a range whose ends are swapped is empty
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

// count returns how many of the rows are there.
func count(there []bool) (n int) {
	for _, yes := range there {
		if yes {
			n++
		}
	}
	return n
}

// Check returns the fault of a window's arguments, or nil.
func (w *Window) Check() *kiterror.Error {
	number := func(n *int) int {
		if n == nil {
			return Unsent
		}
		return *n
	}
	return CheckPaging(number(w.First), number(w.Last), number(w.Offset), w.After != nil && *w.After == "", w.Before != nil && *w.Before == "")
}

// Unsent is the value of an absent number.
const Unsent = math.MinInt

// CheckPaging refuses paging arguments that contradict each other: first and last read from one
// end each, and offset counts from the beginning. An empty cursor counts as absent. The rest is
// refused by list, on every surface.
func CheckPaging(first, last, offset int, emptyAfter, emptyBefore bool) *kiterror.Error {
	why := ""
	switch {
	case first != Unsent && last != Unsent:
		why = "first and last were both sent; send one of them"
	case offset > 0 && last != Unsent:
		why = "offset was sent with last; send first with it, or before instead"
	case emptyAfter:
		why = "after is empty and no cursor; leave it out to read from the beginning"
	case emptyBefore:
		why = "before is empty and no cursor; leave it out to read up to the end"
	default:
		return nil
	}
	return kiterror.Errorf(kiterror.BadRequest, "%s", why)
}

// DirectionMember returns the member of list's query that sets the direction of reading, or
// "" where the cursors decide it: list reads backward where before is sent without after. An
// empty before means the end of the list. The arguments say which of first, last, after and
// before were sent.
func DirectionMember(first, last, after, before bool) (name, value string) {
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
	return 0, kiterror.Errorf(kiterror.BadRequest, "%s is no cursor of this list; send one from its pages, or leave it out", arg)
}
