package client

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"slices"
	"strconv"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// place rewrites the query of a list so that it gets the page from this host, and keeps the
// request in p.list. A cursor made from a position becomes an offset, or rows to drop. With
// probe it requests one row more than the limit: of a bare array that row shows that there are
// more. If only the total is wanted, the rows of at most one page are counted.
//
//	limit 10                              limit 10; with probe 11
//	after: position 20, host has offset   offset 20
//	after: position 20, host has no offset  limit 30, and 20 rows are dropped
//	after: a cursor of the host's         after, unchanged
func (p *pending) place(query json.RawMessage, probe bool) (json.RawMessage, *kiterror.Error) {
	l := &p.list
	limit := p.limit()
	l.from, l.known, l.drop, l.asked = position{}, true, 0, limit
	accepts, said := p.queryKeys()
	after, before := jsontext.Get(query, "after"), jsontext.Get(query, "before")
	l.from.rows = count(jsontext.Get(query, "offset"), 0, 0)
	if n := p.pageNumber(); n > 1 && limit > 0 {
		l.from.rows = (n - 1) * limit
	}
	l.known = jsontext.KindOf(before) != jsontext.String || jsontext.KindOf(after) == jsontext.String // both are a range
	if said := jsontext.KindOf(jsontext.Get(query, "backward")); said == jsontext.True || said == jsontext.False {
		l.known = said == jsontext.False
	}
	own := false
	if text := jsontext.Unquote(after); jsontext.KindOf(after) == jsontext.String && text != "" {
		if l.from, own = readPosition(text, p.mark()); !own {
			l.from = position{after: text}
			if said && !slices.Contains(accepts, "after") && !p.passes("after") {
				const message = "is not a cursor of this list in this order; send the endCursor of a page with the same sort, or leave it out to start at the beginning"
				return nil, kiterror.Invalid("after "+message, schema.Detail{Path: "after", Pointer: "/query/after", Code: "cursor", Message: message})
			}
		}
	}
	byOffset := l.from.after == "" && slices.Contains(accepts, "offset")
	if own && !byOffset {
		l.drop = l.from.rows
	}
	if l.asked >= 0 && l.known {
		if l.asked += l.drop; probe && limit == 0 && p.counts() {
			l.asked = p.maxLimit() + 1
		} else if probe {
			l.asked++
		}
		if most := p.hostMaxLimit(); most > 0 {
			l.asked = min(l.asked, max(most, limit))
		}
	}
	if !own && l.asked == limit && (after == nil || !said || slices.Contains(accepts, "after") || p.passes("after")) {
		return query, nil
	}
	out := json.RawMessage{'{'}
	set := func(name string, value []byte) {
		out = append(jsontext.AppendName(jsontext.Comma(out), name), value...)
	}
	for name, value := range jsontext.Members(query) {
		if name != "limit" && name != "after" && name != "offset" {
			set(name, value)
		}
	}
	if l.from.after != "" {
		set("after", jsontext.Quote(l.from.after))
	} else if (byOffset || p.passes("offset")) && l.from.rows > 0 {
		set("offset", strconv.AppendInt(nil, int64(l.from.rows), 10))
	}
	if l.asked >= 0 {
		set("limit", strconv.AppendInt(nil, int64(l.asked), 10))
	}
	return append(out, '}'), nil
}

// mark identifies the list and the order that a position belongs to. A cursor of another sort
// is then no position of this list, and is sent to the host.
func (p *pending) mark() uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(envelope.MethodKey(p.call.Entity, p.call.Operation) + " "))
	_, _ = h.Write(jsontext.Get(p.call.Invocation.Query, "sort"))
	return h.Sum64()
}

// limit is how many rows the query of a list requests, or -1.
func (p *pending) limit() int {
	if n, ok := schema.Integer(jsontext.Get(p.call.Invocation.Query, "limit")); ok && n >= 0 && n < 1<<31 {
		return int(n)
	}
	return -1
}

// pageNumber is the page that the query of a list requests in a consumer's own words, from 1,
// or 0.
func (p *pending) pageNumber() int {
	return count(jsontext.Get(p.call.Invocation.Query, "page"), 1, 0)
}

// counts says whether the total is wanted.
func (p *pending) counts() bool {
	return jsontext.KindOf(jsontext.Get(p.call.Invocation.Query, "total")) != jsontext.False
}

// maxLimit is how many rows a page of this list has at most.
func (p *pending) maxLimit() int {
	if p.door != nil {
		return p.door.Limits.Max
	}
	return 500
}

// hostMaxLimit is the maximum that the host's card gives of limit, or 0.
func (p *pending) hostMaxLimit() int {
	if p.method == nil {
		return 0
	}
	return p.method.limit
}

// position is a place in the list of a host that returns no cursor for it: some rows after one
// of the host's own cursors, or after the beginning. Cursors made from positions work if the
// host accepts offset, or after.
//
// A cursor is base64url of
//
//	1 byte     positionVersion
//	8 bytes    mark
//	varint     rows
//	the rest   after
type position struct {
	after string // a cursor of the host's; "": the beginning
	rows  int    // after it
}

const positionVersion = 0x70 // no cursor of a store begins with this byte

// cursor is the cursor n rows further. mark binds it to one list in one order.
func (p position) cursor(n int, mark uint64) string {
	raw := binary.BigEndian.AppendUint64([]byte{positionVersion}, mark)
	raw = binary.AppendUvarint(raw, uint64(p.rows+n)) //nolint:gosec // both count rows
	return base64.RawURLEncoding.EncodeToString(append(raw, p.after...))
}

// readPosition reads cursors of this package; ok is false for the cursors of hosts and of
// another mark.
func readPosition(cursor string, mark uint64) (p position, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(raw) < 10 || raw[0] != positionVersion || binary.BigEndian.Uint64(raw[1:9]) != mark {
		return p, false
	}
	rows, n := binary.Uvarint(raw[9:])
	if n <= 0 || rows > envelope.MaxOffset {
		return p, false
	}
	return position{string(raw[9+n:]), int(rows)}, true
}
