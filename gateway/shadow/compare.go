package shadow

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// Difference is a field of an answer that the host answers otherwise.
type Difference struct {
	// Field is its path: items.0.price, total, error. A row of a list without a sort is named by its key.
	Field string `json:"field"`
	// Here and There are the values as JSON, long ones cut; "": the field is absent.
	Here  string `json:"here,omitempty"`
	There string `json:"there,omitempty"`

	name string // of the field without places: items.price
}

// The bounds of a kept call.
const (
	maxFields = 20  // of one call
	maxValue  = 200 // bytes of a value
)

// compare returns how the host's answer differs from the one here. Of a list without a sort the order does not matter. Cursors are each
// host's own: only whether there is one is compared.
func compare(one *call, res *facade.Result, err error) []Difference {
	if here, there := codeOf(one.err), codeOf(err); here != there {
		return []Difference{{Field: "error", name: "error", Here: here, There: there}}
	}
	if err != nil {
		return nil
	}
	d := &differ{key: "id", sorted: len(jsontext.Get(one.call.Invocation.Query, "sort")) > 0}
	if e := one.op.Output; e != nil && e.Primary != nil {
		d.key = e.Primary.Name
	}
	if one.op.Name == catalog.Aggregate {
		d.key = "key"
	}
	d.value(place{}, one.result.AppendJSON(nil), res.AppendJSON(nil))
	if one.op.Output == nil && !one.op.Builtin { // the members of any JSON are no names of the catalog
		for i := range d.all {
			d.all[i].name = "result"
		}
	}
	return d.all
}

// codeOf is the code of a failure, "" without one.
func codeOf(err error) string {
	if err == nil {
		return ""
	}
	return string(kiterror.CodeOf(err))
}

// differ collects differences.
type differ struct {
	key    string // of rows
	sorted bool
	all    []Difference
}

// place is where a value is in an answer.
type place struct{ path, name string }

// member is the place of a member of an object.
func (p place) member(name string) place {
	return place{joined(p.path, name), joined(p.name, name)}
}

// item is the place of an item of a list.
func (p place) item(name string) place { return place{joined(p.path, name), p.name} }

func joined(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// differs adds a difference. Absent values are nil.
func (d *differ) differs(at place, here, there json.RawMessage) {
	if len(d.all) < maxFields {
		d.all = append(d.all, Difference{Field: at.path, name: at.name, Here: shortened(here), There: shortened(there)})
	}
}

// shortened is a value as it is kept.
func shortened(v json.RawMessage) string { return cut(string(v), maxValue) }

// cut is a text of at most so many bytes, and a mark for the rest.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// value compares two values. An absent member and null are different.
func (d *differ) value(at place, here, there json.RawMessage) {
	kind := jsontext.KindOf(here)
	switch {
	case here == nil && there == nil:
	case here == nil, there == nil, kind != jsontext.KindOf(there):
		d.differs(at, here, there)
	case at.isCursor() && kind == jsontext.String:
	case kind == jsontext.Object:
		d.object(at, here, there)
	case kind == jsontext.Array:
		d.list(at, here, there)
	case kind == jsontext.String && jsontext.Unquote(here) == jsontext.Unquote(there), bytes.Equal(jsontext.Trim(here), jsontext.Trim(there)):
	default:
		d.differs(at, here, there)
	}
}

// isCursor reports whether the value at a place is a cursor.
func (p place) isCursor() bool { return p.name == "endCursor" || p.name == "items.cursor" }

// object compares the members of two objects.
func (d *differ) object(at place, here, there json.RawMessage) {
	for name, value := range jsontext.Members(here) {
		d.value(at.member(name), value, jsontext.Get(there, name))
	}
	for name, value := range jsontext.Members(there) {
		if jsontext.Get(here, name) == nil {
			d.differs(at.member(name), nil, value)
		}
	}
}

// list compares the items of two lists: in their order, or, of rows without a sort, by their keys.
func (d *differ) list(at place, here, there json.RawMessage) {
	a, b := jsontext.List(here), jsontext.List(there)
	if mine, theirs := d.byKey(a), d.byKey(b); !d.sorted && mine != nil && theirs != nil {
		for _, row := range a {
			key := keyText(jsontext.Get(row, d.key))
			d.value(at.item(key), row, theirs[key])
		}
		for _, row := range b {
			if key := keyText(jsontext.Get(row, d.key)); mine[key] == nil {
				d.differs(at.item(key), nil, row)
			}
		}
		return
	}
	for i := range max(len(a), len(b)) {
		var x, y json.RawMessage
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		d.value(at.item(strconv.Itoa(i)), x, y)
	}
}

// byKey returns rows by their keys; nil if a row has no key, or two have the same.
func (d *differ) byKey(rows []json.RawMessage) map[string]json.RawMessage {
	all := make(map[string]json.RawMessage, len(rows))
	for _, row := range rows {
		if jsontext.KindOf(row) != jsontext.Object {
			return nil
		}
		key := jsontext.Get(row, d.key)
		if key == nil || all[keyText(key)] != nil {
			return nil
		}
		all[keyText(key)] = row
	}
	return all
}

// keyText is the text of a key in a path.
func keyText(key json.RawMessage) string {
	if jsontext.KindOf(key) == jsontext.String {
		return cut(jsontext.Unquote(key), maxValue)
	}
	return shortened(key)
}
