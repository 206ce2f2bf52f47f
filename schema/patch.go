package schema

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/frondhost/frond/schema/jsontext"
)

// PatchOf returns the merge patch that makes the row after of the row before, as an update takes it
// (docs/writes.md). It has the fields that differ and that callers may write; computed fields,
// versions and read-only fields are left out. An object whose members the card declares has the
// members that differ. A member that after lacks is null, which the judge refuses where the card
// does. Rows are JSON objects.
func (e *Entity) PatchOf(before, after json.RawMessage) json.RawMessage {
	var patch Object
	for _, p := range e.Fields {
		if code, _ := p.Forbids(Patch); code != "" || !p.Stored {
			continue
		}
		var within []Field
		if p.Merges() {
			within = p.Shape.Properties
		}
		if value := difference(within, jsontext.Get(before, p.Name), jsontext.Get(after, p.Name)); value != nil {
			patch = append(patch, Member{Name: p.Name, Value: value})
		}
	}
	return patch.AppendJSON(nil)
}

// difference returns the value that a patch has for a member; nil where before and after are equal.
// within are the declared members of an object that a patch merges.
func difference(within []Field, before, after json.RawMessage) json.RawMessage {
	switch {
	case sameValue(before, after):
		return nil
	case after == nil:
		return json.RawMessage("null")
	case within == nil || jsontext.KindOf(before) != jsontext.Object || jsontext.KindOf(after) != jsontext.Object:
		return after
	}
	declared := map[string][]Field{}
	for i := range within {
		declared[within[i].Name] = within[i].Shape.Properties
	}
	var patch Object
	for name, value := range jsontext.Members(after) {
		if value = difference(declared[name], jsontext.Get(before, name), value); value != nil {
			patch = append(patch, Member{Name: name, Value: value})
		}
	}
	for name := range jsontext.Members(before) {
		if jsontext.Get(after, name) == nil {
			patch = append(patch, Member{Name: name, Value: json.RawMessage("null")})
		}
	}
	return patch.AppendJSON(nil)
}

// sameValue reports whether two texts have the same value, in any order of members. Absent
// values are nil; numbers are compared by their text.
func sameValue(a, b json.RawMessage) bool {
	if a == nil || b == nil || bytes.Equal(a, b) {
		return (a == nil) == (b == nil)
	}
	var values [2]any
	for i, text := range [][]byte{a, b} {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if d.Decode(&values[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}
