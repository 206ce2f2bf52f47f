package facade

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// A cursor is the place behind one row: base64url, without padding, of a version
// byte, the mark of the entity and the order it belongs to, and the JSON array of
// the row's values of that order. The mark tells a cursor from elsewhere and is no
// seal: nothing in a cursor is trusted, its values are judged like any a caller
// sends. Only fields the caller may read stand in one.
const (
	cursorVersion = 1
	cursorHead    = 1 + 8
	maxCursor     = 8 << 10
)

// cursor is the cursor of a row with these values of the order's fields.
func (o *order) cursor(values json.RawMessage) string {
	var room [256]byte
	raw := append(room[:0], cursorVersion)
	raw = binary.BigEndian.AppendUint64(raw, o.mark)
	raw = append(raw, values...)
	return base64.RawURLEncoding.EncodeToString(raw)
}

// markOf is the mark of an entity's order: FNV-1a, which is the same everywhere
// and for ever.
func markOf(e *schema.Entity, keys []SortKey) uint64 {
	h := uint64(14695981039346656037)
	add := func(s string) {
		for i := 0; i < len(s); i++ {
			h = (h ^ uint64(s[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	add(e.Key)
	for _, k := range keys {
		add(k.Field.Name)
		if k.Desc {
			add("-")
		}
	}
	return h
}

// readCursor reads after or before. The empty cursor is the edge of the list: its
// beginning for after, its end for before.
func (t *trip) readCursor(name string, value json.RawMessage) []json.RawMessage {
	if jsontext.KindOf(value) != jsontext.String {
		t.refuseQuery(name, "type", "must be a cursor: the endCursor of a page of this list")
		return nil
	}
	text := jsontext.Unquote(jsontext.Trim(value))
	if text == "" {
		return nil
	}
	if !t.cursors() {
		t.refuseQuery(name, "cursor", "cannot be used: this list gives no cursors; page with offset")
		return nil
	}
	values, ok := t.list.order.values(text)
	if !ok {
		t.refuseQuery(name, "cursor", "is no cursor of "+t.where()+" in this order; send the endCursor of a page with the same sort, or leave it out to begin anew")
		return nil
	}
	return values
}

// values are what a cursor holds; ok is false for whatever cursor did not write.
func (o *order) values(text string) (values []json.RawMessage, ok bool) {
	if len(text) > maxCursor {
		return nil, false
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) < cursorHead || raw[0] != cursorVersion || binary.BigEndian.Uint64(raw[1:]) != o.mark {
		return nil, false
	}
	array := json.RawMessage(raw[cursorHead:])
	if jsontext.KindOf(array) != jsontext.Array || jsontext.Check(array) != nil {
		return nil, false
	}
	values = make([]json.RawMessage, 0, len(o.keys))
	for i, v := range jsontext.Elements(array) {
		if i == len(o.keys) {
			return nil, false
		}
		if p := o.keys[i].Field; jsontext.IsNull(v) {
			if p == p.Owner.Primary {
				return nil, false
			}
			values = append(values, json.RawMessage("null"))
		} else {
			v, why := keyText(p, v)
			if why != "" {
				return nil, false
			}
			values = append(values, v)
		}
	}
	return values, len(values) == len(o.keys)
}
