package schema

import "encoding/json"

// judge is the engine behind Entity.Judge: the card's JSON Schema, compiled.
type judge struct{}

// Judge judges a value against the card (DESIGN 4, "The judge") and answers the
// members the card knows, in declaration order, as they were sent: nothing is
// filled in, decoded or coerced. at is the pointer details begin with, such as
// "/body". No text and null count as {}. Every refusal is named, up to MaxDetails.
func (e *Entity) Judge(mode Mode, value json.RawMessage, at string) (Object, []Detail) {
	panic("not yet")
}
