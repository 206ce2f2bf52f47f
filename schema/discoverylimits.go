package schema

import (
	"encoding/json"
	"fmt"

	"github.com/frondhost/frond/schema/jsontext"
)

// DiscoveryLimits bound what is made of a discovery document: a gateway keeps types,
// judges and routes of every door. Zero is no limit.
type DiscoveryLimits struct {
	Doors  int
	Fields int // of all cards together, nested ones and operations included
}

// OverLimit says of which thing a document has too much, in words that anybody may read.
type OverLimit string

// Error is the sentence.
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

// countFields counts the members of all properties of a text.
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
