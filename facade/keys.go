package facade

import (
	"encoding/json"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// eachOf is the keys of a batch, each of them once.
type eachOf struct {
	field  *schema.Property
	values []json.RawMessage // distinct, in their one spelling
	order  []int             // of every key that was sent, its place in values; -1: it fits no row
	known  jsontext.Distinct
}

// add adds a key, and remembers where the answer to it will be: equal keys share one.
func (e *eachOf) add(text json.RawMessage) {
	e.order = append(e.order, e.known.Add(text))
	e.values = e.known.Texts()
}

// miss adds a key that no row can have, such as null or one of another kind.
func (e *eachOf) miss() { e.order = append(e.order, -1) }
