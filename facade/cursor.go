package facade

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// A cursor is the place behind one row: base64url, without padding, of a version
// byte, the mark of the entity and the order it belongs to, and the JSON array of
// the row's values of that order. The mark tells a cursor from elsewhere and is no
// seal: nothing in a cursor is trusted, its values are judged like any a caller
// sends. Only fields the caller may read stand in one.
//
// A long value is cut: ["its beginning"] of a text, [] of a decimal. The row's
// key, which is always whole, leads to the rest (see [trip.locate]). What is issued
// is accepted: both sides keep to maxCursor, and a row whose key alone is longer
// has no cursor.
const (
	cursorVersion = 1
	cursorHead    = 1 + 8
	maxCursor     = 64 << 10 // of its text
	maxCarried    = 256      // bytes of a value that stands in a cursor whole
	maxBeginning  = 64       // code points of one that does not
)

// cursor is the cursor of a row with these values of the order's fields, or "".
func (o *order) cursor(values json.RawMessage) string {
	if len(values) > maxCarried {
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

// carried is values with the long ones cut, the key aside.
func (o *order) carried(values json.RawMessage) json.RawMessage {
	out := []byte{'['}
	for i, v := range jsontext.Elements(values) {
		if i > 0 {
			out = append(out, ',')
		}
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

// readCursor reads after or before, nil where it was not sent. The empty before is the
// end of the list.
func (t *trip) readCursor(name string, value json.RawMessage) []json.RawMessage {
	if value == nil {
		return nil
	}
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
		switch p := o.keys[i].Field; {
		case p == p.Owner.Primary && (jsontext.IsNull(v) || isCut(v)):
			return nil, false
		case jsontext.IsNull(v):
			values = append(values, json.RawMessage("null"))
		case isCut(v):
			if _, text := cutText(v); !(text && p.Kind == schema.KindString || string(v) == "[]" && p.Kind == schema.KindDecimal) {
				return nil, false
			}
			values = append(values, v)
		default:
			v, why := rows.Key(p, v)
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

// cutText is the beginning that stands for a long text; ok is false where there is
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

// locate is a cursor's place with the values that were too long to stand in it, as
// they are in the row of its key. Where that row is gone, is not the caller's to
// see, or has moved in the order, the place is in front of everything that begins as
// the long text did: rows may come a second time, and none is left out. backward is
// the direction that is read in from there.
func (t *trip) locate(ctx context.Context, from []json.RawMessage, backward bool) ([]json.RawMessage, error) {
	if !slices.ContainsFunc(from, isCut) {
		return from, nil
	}
	e, keys := t.door.Entity, t.list.order.keys
	id, _ := rows.Value(e.Primary.Kind, from[len(from)-1])
	is := &Filter{Op: Eq, Field: e.Primary, Values: []any{id}}
	found, err := t.store().Find(ctx, &Find{Entity: e, Select: noFields, Where: filter.Both(t.see.Rows, is), Sort: keys, Limit: 1})
	if err != nil {
		return nil, err
	}
	if found.Rows.Len() > 0 {
		whole := make([]json.RawMessage, 0, len(from))
		for _, v := range jsontext.Elements(found.Keys[0]) {
			whole = append(whole, v)
		}
		if stands(from, whole) {
			return whole, nil
		}
	}
	from = slices.Clone(from)
	for i, v := range from {
		if !isCut(v) {
			continue
		}
		text, ok := cutText(v)
		if !ok {
			name := "after"
			if backward {
				name = "before"
			}
			const message = "leads to a row that is gone or has changed, and its value was too long to stand in the cursor; begin anew, or sort by another field"
			return nil, kiterror.Invalid(name+" "+message, schema.Detail{Path: name, Pointer: "/query/" + name, Code: "cursor", Message: message})
		}
		if keys[i].Desc != backward { // read towards smaller values: from above all of them
			text += "\U0010FFFF\U0010FFFF"
		}
		from[i] = jsontext.Quote(text)
	}
	return from, nil
}

// stands says whether a row with these values still stands where a cursor says.
func stands(from, row []json.RawMessage) bool {
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
