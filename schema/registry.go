package schema

import "encoding/json"

// Generator makes a value, as JSON, for a field whose lifecycle.create names it. It is called
// once for each row without the field, from many goroutines. An error fails the call that
// creates the row.
type Generator func() (json.RawMessage, error)

// Conversion is a pair of functions on the JSON text of a value; either may be nil where cards
// name it in one direction only (spec 2.2: boundary). They are called from many goroutines and
// return a text of their own or the one they were given.
type Conversion struct {
	Decode func(json.RawMessage) (json.RawMessage, error) // inward, after the value was judged
	Encode func(json.RawMessage) (json.RawMessage, error) // outward
}

// Registry holds the names that cards use for generators and conversions (spec 2.2 rule 3);
// see [Builtins]. It is filled before it is used and then only read. A closure cannot stand in
// a card, so a consumer that rebuilds one has a registry of its own (spec 2.2 rule 4).
type Registry struct {
	Generators  map[string]Generator
	Conversions map[string]Conversion
}
