package facade

import (
	"encoding/json"

	"github.com/frondhost/frond/schema/jsontext"
)

// counting is how a list makes its total.
type counting uint8

const (
	exact     counting = iota // all rows that meet the filter, counted
	estimated                 // as exact where that costs little
	uncounted                 // -1
)

// countings are the words of query.count; true and false are exact and none, as
// hosts of another make have it.
var countings = map[string]counting{"exact": exact, "estimated": estimated, "none": uncounted}

// readCounting reads query.count.
func (t *trip) readCounting(value json.RawMessage) counting {
	switch jsontext.KindOf(value) {
	case jsontext.True:
		return exact
	case jsontext.False:
		return uncounted
	case jsontext.String:
		switch word := jsontext.Unquote(jsontext.Trim(value)); word {
		case "true": // a query string's
			return exact
		case "false":
			return uncounted
		default:
			if c, ok := countings[word]; ok {
				return c
			}
		}
	}
	t.refuseQuery("count", "enum", "must be exact, estimated, none, true or false")
	return exact
}

// countAway is query.count as a remote takes it: a host that has total beside it knows
// the words, another one yes and no. "": there is nothing to say.
func (t *trip) countAway() (name, value string) {
	switch c := t.list.count; {
	case c == uncounted && t.op.Takes("total"):
		return "total", "false"
	case !t.op.Takes("count"):
	case c == uncounted:
		return "count", "false"
	case c == estimated && t.op.Takes("total"):
		return "count", `"estimated"`
	case !t.op.Takes("total"):
		return "count", "true"
	}
	return "", ""
}
