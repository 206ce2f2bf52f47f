package facade

import (
	"encoding/json"

	"github.com/frondhost/frond/schema/jsontext"
)

// readCounting reads query.count.
func (r *refusals) readCounting(value json.RawMessage) counting {
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
	r.refuseQuery("count", "enum", "must be exact, estimated, none, true or false")
	return exact
}

// countAway is query.count as a remote takes it: a host that has total beside it knows
// the words, another one yes and no. "": there is nothing to say.
func (x remoteCall) remoteCount() (name, value string) {
	switch c := x.list.count; {
	case c == uncounted && x.op.Takes("total"):
		return "total", "false"
	case !x.op.Takes("count"):
	case c == uncounted:
		return "count", "false"
	case c == estimated && x.op.Takes("total"):
		return "count", `"estimated"`
	case !x.op.Takes("total"):
		return "count", "true"
	}
	return "", ""
}
