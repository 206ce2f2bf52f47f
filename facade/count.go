package facade

import (
	"encoding/json"

	"github.com/frondhost/frond/schema/jsontext"
)

// readCounting reads query.count: exact, estimated, none, or true and false for exact and
// none.
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

// remoteCount is query.count as the remote takes it: a host that takes total beside it
// knows the words, another one true and false. "" means that there is nothing to send.
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
