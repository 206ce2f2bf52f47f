package schema

import "encoding/json"

// Generator makes a value for a field whose lifecycle.create names it.
type Generator func() (json.RawMessage, error)

// Conversion is a pair of functions on the text of a value; either may be nil
// where a card names it in one direction only (spec 2.2: boundary).
type Conversion struct {
	Decode func(json.RawMessage) (json.RawMessage, error) // inward, after the value was judged
	Encode func(json.RawMessage) (json.RawMessage, error) // outward
}

// Registry answers the names that cards use for generators and conversions
// (spec 2.2 rule 3). It is filled before it is used and then only read.
type Registry struct {
	Generators  map[string]Generator
	Conversions map[string]Conversion
}
