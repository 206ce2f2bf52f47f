package binding

import (
	"encoding/json"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema/jsontext"
)

// MergeParams joins the two ways to send params to an operation that takes any: own has those
// with an argument of their own, all is the argument params. The error names a member that
// stands in both. An all that is no object is returned as it is, for the façade to refuse.
func MergeParams(own, all json.RawMessage) (json.RawMessage, *facade.Error) {
	if own == nil || jsontext.KindOf(all) != jsontext.Object {
		return all, nil
	}
	dst := make([]byte, 0, len(own)+len(all))
	add := func(name string, value json.RawMessage) {
		if len(dst) == 0 {
			dst = append(dst, '{')
		} else {
			dst = append(dst, ',')
		}
		dst = append(jsontext.AppendName(dst, name), value...)
	}
	for name, value := range jsontext.Members(own) {
		if jsontext.Get(all, name) != nil {
			return nil, facade.Errorf(facade.BadRequest, "%s stands in params and as an argument beside it; send one of the two", name)
		}
		add(name, value)
	}
	for name, value := range jsontext.Members(all) {
		add(name, value)
	}
	return append(dst, '}'), nil
}
