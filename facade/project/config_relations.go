package project

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// nested reads nested: the relations whose rows are written in the bodies of their owners.
//
//	nested: {order: [lines]}
func (r *configReader) nested(value json.RawMessage, at string) (all []Nested) {
	r.object(value, at, "nested", nil, func(name, at string, value json.RawMessage) {
		all = append(all, Nested{name, at, r.distinct(value, at, "nested: {order: [lines]}")})
	})
	return all
}

// relationKeys are the keys of a relation.
var relationKeys = schema.KeyNames(schema.Below(frondKeys, "relations", "*"))

// relations reads relations: the fields that lead to many rows through rows in between.
//
//	relations: {product.tags: {through: productTag, inverse: products}}
func (r *configReader) relations(value json.RawMessage, at string) (all []schema.ManyToMany) {
	r.object(value, at, "relations", nil, func(name, at string, value json.RawMessage) {
		before := len(r.faults)
		m := schema.ManyToMany{File: r.file, At: at}
		m.Entity, m.Name, _ = strings.Cut(name, ".")
		r.object(value, at, "a relation", relationKeys, func(name, at string, value json.RawMessage) {
			*map[string]*string{"through": &m.Through, "to": &m.To, "inverse": &m.Inverse}[name] = r.string(value, at)
		})
		const like = "write product.tags: {through: productTag}"
		switch {
		case len(r.faults) > before:
			return
		case !isPlace(name) || m.Name == "":
			r.fault(at, fmt.Sprintf("%q does not name a field of an entity", name), like)
		case m.Through == "":
			r.fault(at, "the relation does not say through which entity it leads", like)
		default:
			all = append(all, m)
		}
	})
	return all
}

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
