package project

import (
	"encoding/json"
	"fmt"
	"slices"
)

// manyWords are the writes of many rows that a door may open.
var manyWords = []string{"create", "update", "delete", "upsert"}

// ManyWords are the operations that the words open.
var ManyWords = map[string]string{"create": "createMany", "update": "updateMany", "delete": "deleteMany", "upsert": "upsert"}

// GroupsMode is the mode of the built-in operation aggregate in discovery.
const GroupsMode = "groups"

// ManyModes are the modes of these operations in a discovery document: a host of another make may
// have an operation of the same name, without the mode.
var ManyModes = map[string]string{"createMany": "list", "updateMany": "where", "deleteMany": "where", "upsert": "upsert"}

// many reads many: the writes of many rows that doors open.
//
//	many: {product: [create, upsert], order: '*'}
func (r *configReader) many(value json.RawMessage, at string) (all []Many) {
	const like = "many: {product: [create, update, delete, upsert]}, or many: {product: '*'}"
	r.object(value, at, "many", nil, func(name, at string, value json.RawMessage) {
		m := Many{Door: name, At: at}
		if isWord(value, "*") {
			m.All = true
			for _, word := range manyWords {
				m.Words = append(m.Words, FactSource{word, at})
			}
			all = append(all, m)
			return
		}
		for i, word := range r.names(value, at, like) {
			here := fmt.Sprint(at, "/", i)
			switch {
			case !slices.Contains(manyWords, word):
				r.fault(here, fmt.Sprintf("%q is no write of many rows", word), "write create, update, delete or upsert")
			case slices.ContainsFunc(m.Words, func(w FactSource) bool { return w.Name == word }):
				r.fault(here, word+" is named twice", "name it once")
			default:
				m.Words = append(m.Words, FactSource{word, here})
			}
		}
		all = append(all, m)
	})
	return all
}
