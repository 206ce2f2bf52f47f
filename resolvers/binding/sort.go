package binding

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// Sort returns the argument orderBy of a list as query.sort. An object with no key, several keys or a
// null is refused, since the members of an object have no order. A function, which the input has before
// its field, is behind it:
//
//	[{createdAt: DESC}, {author: {name: ASC}}, {reviews: {avg: {rating: DESC}}}]
//	["-createdAt", "author.name", "-reviews.rating.avg"]
func Sort(orderBy json.RawMessage) (json.RawMessage, *kiterror.Error) {
	keys := []string{}
	for _, at := range jsontext.Elements(orderBy) {
		var path []string
		for first := true; first || jsontext.KindOf(at) == jsontext.Object; first = false {
			name, value, ok := only(at)
			if !ok {
				return nil, kiterror.Errorf(kiterror.BadRequest, "orderBy takes one key an object, such as [{createdAt: DESC}, {title: ASC}]")
			}
			path, at = append(path, name), value
		}
		if last := len(path) - 1; last > 1 && filter.Function(path[last-1]) != filter.Key {
			slices.Reverse(path[last-1:])
		}
		key := strings.Join(path, ".")
		if strings.EqualFold(jsontext.Unquote(at), "DESC") {
			key = "-" + key
		}
		keys = append(keys, key)
	}
	return jsontext.AppendStrings(nil, keys), nil
}
