package schema

import (
	"encoding/json"
	"fmt"

	"github.com/frondhost/frond/schema/jsontext"
)

// DiscoveryLimits bound the objects made from a discovery document: a gateway keeps types,
// judges and routes of every door, so that a document of a few megabytes could take gigabytes
// (docs/decisions/remotes.md). Zero means unlimited.
type DiscoveryLimits struct {
	// Doors is the number of doors of all Fronds together.
	Doors int
	// Fields is the number of fields of all cards together, those of nested objects included,
	// and of operations, each of which counts as one.
	Fields int
}

// OverLimit says which limit a document exceeds, in words that may be shown to anybody.
type OverLimit string

// Error returns the sentence.
func (o OverLimit) Error() string { return string(o) }

// Check returns an [OverLimit] where a document passes a limit, else nil. It reads the text
// without building anything from it, so that a hostile document costs one walk.
func (l DiscoveryLimits) Check(document json.RawMessage) error {
	doors, fields := 0, 0
	for _, frond := range jsontext.Elements(jsontext.Get(document, "fronds")) {
		for _, door := range jsontext.Elements(jsontext.Get(frond, "doors")) {
			doors++
			for range jsontext.Elements(jsontext.Get(door, "ops")) {
				fields++
			}
		}
	}
	if l.Doors > 0 && doors > l.Doors {
		return OverLimit(fmt.Sprintf("it has %d doors, and at most %d are taken", doors, l.Doors))
	}
	if fields += countFields(document); l.Fields > 0 && fields > l.Fields {
		return OverLimit(fmt.Sprintf("its cards have %d fields, and at most %d are taken", fields, l.Fields))
	}
	return nil
}

// countFields counts the members of every object called properties at any depth of a text. It
// does not look for the cards of the document, so that none is missed. It counts the members of
// a field called properties too.
func countFields(text json.RawMessage) (n int) {
	switch jsontext.KindOf(text) {
	case jsontext.Array:
		for _, v := range jsontext.Elements(text) {
			n += countFields(v)
		}
	case jsontext.Object:
		for name, v := range jsontext.RawMembers(text) {
			if string(name) == `"properties"` && jsontext.KindOf(v) == jsontext.Object {
				for range jsontext.RawMembers(v) {
					n++
				}
			}
			n += countFields(v)
		}
	}
	return n
}
