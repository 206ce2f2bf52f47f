package sample

import (
	"encoding/json"
	"math/rand/v2"
)

// Maker makes the values of one row, or of one answer. It must not be shared between
// goroutines. Rand and About have to be set; the zero value of the other fields is that of a
// first row whose values may repeat.
type Maker struct {
	*rand.Rand
	Root   json.RawMessage // the card, which references point into
	About  *Subject        // what the row is about
	Row    int             // the row's number
	Unique bool            // no other row has this value
	Try    int             // how often the value was refused; later ones are more daring
	depth  int
}

// boolean returns 0 for false or 1 for true; of a unique field the two in turn.
func (m *Maker) boolean() int {
	if m.Unique {
		return (m.Row + m.Try) % 2
	}
	return m.IntN(2)
}

// one returns one of several values: of a unique field the next, so that all of them are used
// before one repeats. values must not be empty.
func (m *Maker) one(values []json.RawMessage) json.RawMessage {
	if m.Unique {
		return values[(m.Row+m.Try)%len(values)]
	}
	return Pick(m.Rand, values)
}
