package sample

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/frondhost/frond/schema"
)

// Maker makes the values of one row, or of one answer. It must not be shared between
// goroutines. Rand and About have to be set; with zero other fields it makes a first row whose
// values may repeat.
type Maker struct {
	*rand.Rand
	Root   json.RawMessage // the card, which references point into
	About  *Subject        // the subject of the row
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

// tries is how often a value is drawn until its field takes it.
const tries = 60

// Fitting returns the first drawn value that refuse accepts: refuse returns "" for that, else
// the reason. Without such a value why is the last reason, or "" if draw failed each time.
func (m *Maker) Fitting(draw func() (json.RawMessage, bool), refuse func(json.RawMessage) string) (v json.RawMessage, why string) {
	for m.Try = range tries {
		v, ok := draw()
		if !ok {
			continue
		}
		if why = refuse(v); why == "" {
			return v, ""
		}
	}
	return nil, why
}

// Refusal is why a field does not take a value, or "". The value is judged as a whole body, in
// which other fields are missing: details about those are not the field's.
func Refusal(e *schema.Entity, p *schema.Property, v json.RawMessage) string {
	_, details := e.Judge(schema.Plain, schema.Object{{Name: p.Name, Value: v}}.AppendJSON(nil), "")
	for _, d := range details {
		if top, _, _ := strings.Cut(d.Path, "."); top == p.Name {
			return d.Message
		}
	}
	return ""
}

// Chance is a seed: the same place always draws the same numbers. Places are independent, so
// that a new field of a card changes no value of the others. A Chance may be used concurrently.
type Chance uint64

// At returns the random numbers of a place, which words and numbers name: c.At("product", 7,
// "price"). Each call restarts the stream. The result must not be shared between goroutines.
func (c Chance) At(place ...any) *rand.Rand {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %q", uint64(c), place))
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16]))) //nolint:gosec // chance that can be had again is the point
}

// Pick returns one of several values, each with the same chance. It panics without values.
func Pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// Percent reports true in n of 100 cases. It always draws one number.
func Percent(r *rand.Rand, n int) bool { return r.IntN(100) < n }
