package facade

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// text is the order as a list of sort keys, without a primary key that newOrder added to the
// most that there may be.
func (o *order) text() json.RawMessage {
	keys := o.keys[:min(len(o.keys), maxSortKeys)]
	names := make([]string, len(keys))
	for i, k := range keys {
		if names[i] = k.Field.Name; k.Desc {
			names[i] = "-" + names[i]
		}
	}
	return jsontext.AppendStrings(nil, names)
}

// A cursor is the place behind one row: base64url, without padding, of a version
// byte, the mark of the entity and the order it belongs to, and the JSON array of
// the row's values of that order. The mark recognises a cursor from elsewhere and is no
// seal: nothing in a cursor is trusted, its values are judged like any a caller
// sends. It has only fields that the caller may read.
//
// A long value is cut: ["its beginning"] of a text, [] of a decimal. The row's
// key, which is always whole, leads to the rest (see locate). A cursor that is issued
// is accepted: both sides keep to maxCursor, and a row whose key alone is longer
// has no cursor.
const (
	cursorVersion = 1
	cursorHead    = 1 + 8
	maxCursor     = 64 << 10 // of its text
	maxCarried    = 256      // bytes of a value that a cursor has whole
	maxBeginning  = 64       // code points of one that does not
)

// cursor is the cursor of a row with these values of the order's fields, or "".
func (o *order) cursor(values json.RawMessage) string {
	if len(values) > maxCarried && o.endsInKey() {
		values = o.carried(values)
	}
	if base64.RawURLEncoding.EncodedLen(cursorHead+len(values)) > maxCursor {
		return ""
	}
	var room [256]byte
	raw := append(room[:0], cursorVersion)
	raw = binary.BigEndian.AppendUint64(raw, o.mark)
	raw = append(raw, values...)
	return base64.RawURLEncoding.EncodeToString(raw)
}

// endsInKey reports whether the last field is the primary key, which leads to the rest of a row. An
// order of groups has none.
func (o *order) endsInKey() bool {
	p := o.keys[len(o.keys)-1].Field
	return p == p.Owner.Primary
}

// carried is values with the long ones cut, the key aside.
func (o *order) carried(values json.RawMessage) json.RawMessage {
	out := []byte{'['}
	for i, v := range jsontext.Elements(values) {
		out = jsontext.Comma(out)
		switch {
		case len(v) <= maxCarried || i == len(o.keys)-1:
			out = append(out, v...)
		case o.keys[i].Field.Kind == schema.KindString:
			out = append(jsontext.AppendString(append(out, '['), beginning(jsontext.Unquote(v))), ']')
		default:
			out = append(out, "[]"...)
		}
	}
	return append(out, ']')
}

// beginning is the first maxBeginning code points of a text.
func beginning(text string) string {
	n := 0
	for at := range text {
		if n++; n > maxBeginning {
			return text[:at]
		}
	}
	return text
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

// values are those of a cursor; ok is false for a text that cursor did not write.
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
		switch p := o.keys[i].Field; {
		case p == p.Owner.Primary && (jsontext.IsNull(v) || isCut(v)):
			return nil, false
		case jsontext.IsNull(v):
			values = append(values, json.RawMessage("null"))
		case isCut(v):
			if !o.endsInKey() {
				return nil, false
			}
			if _, text := cutText(v); !(text && p.Kind == schema.KindString || string(v) == "[]" && p.Kind == schema.KindDecimal) {
				return nil, false
			}
			values = append(values, v)
		default:
			v, why := p.KeyText(v)
			if why != "" {
				return nil, false
			}
			values = append(values, v)
		}
	}
	return values, len(values) == len(o.keys)
}

// isCut says whether a cursor's value is one that was cut.
func isCut(v json.RawMessage) bool { return jsontext.KindOf(v) == jsontext.Array }

// cutText is the beginning in place of a long text; ok is false where there is
// anything else.
func cutText(v json.RawMessage) (text string, ok bool) {
	n := 0
	for _, item := range jsontext.Elements(v) {
		if n++; n > 1 || jsontext.KindOf(item) != jsontext.String {
			return "", false
		}
		text, ok = jsontext.Unquote(item), true
	}
	return text, ok
}

// isAtCursor reports whether a row with these values is still at the place of a cursor.
func isAtCursor(from, row []json.RawMessage) bool {
	for i, v := range from {
		switch text, cut := cutText(v); {
		case !isCut(v) && string(v) != string(row[i]):
			return false
		case cut && (jsontext.KindOf(row[i]) != jsontext.String || !strings.HasPrefix(jsontext.Unquote(row[i]), text)):
			return false
		}
	}
	return true
}

// order is how a list is sorted, and the mark that its cursors carry.
type order struct {
	keys []SortKey
	mark uint64
	// foreign: the cursors are made where the list runs, and nobody reads them here.
	foreign bool
}

// newOrder ends keys with the primary key, so that they define one order of the rows.
func newOrder(e *schema.Entity, keys []SortKey) order {
	if len(keys) == 0 || keys[len(keys)-1].Field != e.Primary {
		// In the direction of the last key: an index on that field ends in the primary key, and
		// has this order in one of its two directions (docs/decisions/filters-and-paging.md).
		keys = append(keys, SortKey{Field: e.Primary, Desc: len(keys) > 0 && keys[len(keys)-1].Desc})
	}
	return order{keys: keys, mark: markOf(e, keys)}
}

// maxSortKeys is how many keys an order has at most, the primary key aside.
const maxSortKeys = 8
