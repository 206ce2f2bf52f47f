package project

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
)

// nested reads nested: the relations whose rows are written in the bodies of their owners.
//
//	nested: {order: [lines]}
func (r *configReader) nested(value json.RawMessage, at string) (all []Nested) {
	r.object(value, at, "nested", nil, func(name, at string, value json.RawMessage) {
		n := Nested{Door: name, At: at}
		for i, relation := range r.names(value, at, "nested: {order: [lines]}") {
			here := fmt.Sprint(at, "/", i)
			if slices.ContainsFunc(n.Relations, func(w FactSource) bool { return w.Name == relation }) {
				r.fault(here, relation+" is named twice", "name it once")
				continue
			}
			n.Relations = append(n.Relations, FactSource{relation, here})
		}
		all = append(all, n)
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
