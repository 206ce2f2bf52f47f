package binding

import (
	"encoding/json"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// MergeParams joins the two ways to send params to an operation with open params: own are the
// params with arguments of their own, all is the argument params. The error names a member that
// occurs in both. An all that is not an object is returned unchanged, for the façade to refuse.
func MergeParams(own, all json.RawMessage) (json.RawMessage, *kiterror.Error) {
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
			return nil, kiterror.Errorf(kiterror.BadRequest, "%s is given both in params and as an argument; send one of the two", name)
		}
		add(name, value)
	}
	for name, value := range jsontext.Members(all) {
		add(name, value)
	}
	return append(dst, '}'), nil
}
