package project

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// searchKeys are the keys of an entry under search.
var searchKeys = schema.KeyNames(schema.Below(frondKeys, "search", "*"))

// maxSearchFields is how many fields of a door are searched.
const maxSearchFields = 8

// search reads search: the doors whose rows are searched by words.
//
//	search: {product: {fields: {name: A, description: B}, language: english}}
func (r *configReader) search(value json.RawMessage, at string) (all []Search) {
	r.object(value, at, "search", nil, func(name, at string, value json.RawMessage) {
		s := Search{Door: name, At: at}
		r.object(value, at, "a search", searchKeys, func(name, at string, value json.RawMessage) {
			switch name {
			case "headline":
				s.Headline = r.string(value, at)
				return
			case "language":
				if s.Language = r.string(value, at); s.Language != "" && !slices.Contains(schema.Languages, s.Language) {
					r.fault(at, fmt.Sprintf("the language %q is not known", s.Language), "write "+strings.Join(schema.Languages, " or "))
				}
				return
			}
			r.object(value, at, "fields", nil, func(name, at string, value json.RawMessage) {
				weight := jsontext.Unquote(value)
				if jsontext.KindOf(value) != jsontext.String || len(weight) != 1 || weight[0] < 'A' || weight[0] > 'D' {
					r.fault(at, "the weight of a searched field has to be A, B, C or D", "write "+name+": A for the most important field")
					weight = "A"
				}
				s.Fields = append(s.Fields, SearchField{name, at, weight[0]})
			})
		})
		switch {
		case len(s.Fields) == 0:
			r.fault(at, "a search has to name fields", "write fields: {name: A}")
		case len(s.Fields) > maxSearchFields:
			r.fault(at+"/fields", fmt.Sprintf("%d fields are searched, and %d can be", len(s.Fields), maxSearchFields), "leave the less important ones out")
		}
		all = append(all, s)
	})
	return all
}
