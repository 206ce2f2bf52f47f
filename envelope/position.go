package envelope

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"slices"
	"strconv"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// position is a place in the list of a host that gives no cursor for it: some rows
// behind one of the host's own cursors, or behind the beginning. The cursors that are
// made of positions page where the host takes offset, or after.
type position struct {
	after string // a cursor of the host's; "": the beginning
	rows  int    // behind it
}

const positionVersion = 0x70 // no cursor of a store begins like this

// cursor is the cursor behind n more rows. It belongs to one list in one order.
func (p position) cursor(n int, mark uint64) string {
	raw := binary.BigEndian.AppendUint64([]byte{positionVersion}, mark)
	raw = binary.AppendUvarint(raw, uint64(p.rows+n)) //nolint:gosec // both count rows
	return base64.RawURLEncoding.EncodeToString(append(raw, p.after...))
}

// readPosition is what cursor wrote; ok is false for the cursors of hosts.
func readPosition(cursor string, mark uint64) (p position, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(raw) < 10 || raw[0] != positionVersion || binary.BigEndian.Uint64(raw[1:9]) != mark {
		return p, false
	}
	rows, n := binary.Uvarint(raw[9:])
	if n <= 0 || rows > maxSkipped {
		return p, false
	}
	return position{string(raw[9+n:]), int(rows)}, true
}

// maxSkipped keeps positions within what hosts count with.
const maxSkipped = 1 << 31

// mark tells the list and the order that a position belongs to.
func (q *question) mark() uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(methodKey(q.call.Entity, q.call.Operation) + " "))
	_, _ = h.Write(jsontext.Get(q.call.Invocation.Query, "sort"))
	return h.Sum64()
}

// window is which rows of a list a host is asked for, and what is done with them.
type window struct {
	from  position
	known bool // from is where the page begins; else it is read backward
	drop  int  // rows before it that come along
	asked int  // rows that are asked for; -1: it is not said
}

// lists says whether the question is a built-in list, whose query is known.
func (q *question) lists() bool {
	return q.call.Operation == "list" && q.kind == facade.Query && (q.op == nil || q.op.Builtin)
}

// place makes of a query the one that gets the page from this host: a position as
// offset or as rows that are dropped, and with probe one row more than the limit,
// which tells of a bare array whether there are more. Where only the total is wanted
// the rows are counted, as far as one page goes.
func (q *question) place(query json.RawMessage, probe bool) (json.RawMessage, *facade.Error) {
	w := &q.window
	*w = window{known: true, asked: q.limit()}
	takes, said := q.takesQuery()
	after, before := jsontext.Get(query, "after"), jsontext.Get(query, "before")
	if n, ok := schema.Integer(jsontext.Get(query, "offset")); ok && n > 0 && n <= maxSkipped {
		w.from.rows = int(n)
	}
	w.known = jsontext.KindOf(before) != jsontext.String || jsontext.KindOf(after) == jsontext.String // both are a range
	switch jsontext.KindOf(jsontext.Get(query, "backward")) {
	case jsontext.True:
		w.known = false
	case jsontext.False:
		w.known = true
	}
	own := false
	if text := jsontext.Unquote(after); jsontext.KindOf(after) == jsontext.String && text != "" {
		if w.from, own = readPosition(text, q.mark()); !own {
			w.from = position{after: text}
			if said && !slices.Contains(takes, "after") {
				const message = "is no cursor of this list in this order; send the endCursor of a page with the same sort, or leave it out to begin anew"
				return nil, facade.Invalid("after "+message, schema.Detail{Path: "after", Pointer: "/query/after", Code: "cursor", Message: message})
			}
		}
	}
	byOffset := w.from.after == "" && slices.Contains(takes, "offset")
	if own && !byOffset {
		w.drop = w.from.rows
	}
	if w.asked >= 0 && w.known {
		if w.asked += w.drop; probe && q.limit() == 0 && q.counts() {
			w.asked = q.most() + 1
		} else if probe {
			w.asked++
		}
		if most := q.mostAsked(); most > 0 {
			w.asked = min(w.asked, max(most, q.limit()))
		}
	}
	if !own && w.asked == q.limit() && (after == nil || !said || slices.Contains(takes, "after")) {
		return query, nil
	}
	out := json.RawMessage{'{'}
	set := func(name string, value []byte) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(jsontext.AppendString(out, name), ':'), value...)
	}
	for name, value := range jsontext.Members(query) {
		if name != "limit" && name != "after" && name != "offset" {
			set(name, value)
		}
	}
	if w.from.after != "" {
		set("after", jsontext.Quote(w.from.after))
	} else if byOffset && w.from.rows > 0 {
		set("offset", strconv.AppendInt(nil, int64(w.from.rows), 10))
	}
	if w.asked >= 0 {
		set("limit", strconv.AppendInt(nil, int64(w.asked), 10))
	}
	return append(out, '}'), nil
}

// counts says whether the total is wanted.
func (q *question) counts() bool {
	return jsontext.KindOf(jsontext.Get(q.call.Invocation.Query, "total")) != jsontext.False
}

// most is how many rows a page of this list has at most.
func (q *question) most() int {
	if q.door != nil {
		return q.door.ListLimits().Max
	}
	return 500
}

// mostAsked is the maximum that the host's card gives of limit; 0: none.
func (q *question) mostAsked() int {
	if q.method == nil {
		return 0
	}
	return q.method.limit
}
