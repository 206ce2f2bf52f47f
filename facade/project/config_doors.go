package project

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// cardinalities are the words for how many outputs an operation gives.
var cardinalities = []string{"one", "maybe", "many", "page", "none"}

// The keys of each object, from the table in keys.go.
var (
	doorKeys      = schema.KeyNames(schema.Below(frondKeys, "doors", "*"))
	listLimitKeys = schema.KeyNames(schema.Below(frondKeys, "doors", "*", "list"))
	operationKeys = schema.KeyNames(schema.Below(frondKeys, "doors", "*", "operations", "*"))
	factKeys      = schema.KeyNames(factTable)
)

// doors reads the doors, by their names.
func (r *configReader) doors(value json.RawMessage, at string) (all []*Door) {
	r.object(value, at, "doors", nil, func(name, at string, value json.RawMessage) {
		all = append(all, r.door(name, at, value))
	})
	return all
}

// door reads one entry of doors: false, true, or its changes to the entity's façade. null is
// true: in YAML a name without a value.
//
//	product: {plural: goods, list: {max: 100}, operations: {publish: {kind: command}}}
func (r *configReader) door(name, at string, value json.RawMessage) *Door {
	d := &Door{Name: name, At: at}
	switch {
	case !schema.IsName(name):
		d.Off = true // nothing more is reported about it
		r.fault(at, fmt.Sprintf("%q cannot be the name of a door", name), "write a letter, then letters, digits, - or _: orderLine")
	case strings.EqualFold(name, "rpc"):
		r.fault(at, "rpc is a name of the protocol's own", "give the door another name") // spec 4.1: rpc.discover
	}
	switch jsontext.KindOf(value) {
	case jsontext.False:
		d.Off = true
		return d
	case jsontext.True, jsontext.Null:
		return d
	}
	r.object(value, at, "a door", doorKeys, func(name, at string, value json.RawMessage) {
		switch name {
		case "door":
			if k := jsontext.KindOf(value); k != jsontext.True && k != jsontext.False {
				r.fault(at, "door has to be true or false", "write door: false for an entity that is not callable")
			}
			d.Off = jsontext.KindOf(value) == jsontext.False
		case "plural":
			if d.Plural = r.string(value, at); d.Plural != "" && !isPathWord(d.Plural) {
				r.fault(at, fmt.Sprintf("the plural %q cannot be part of a path", d.Plural), "write lower-case letters, digits and hyphens: goods")
			}
		case "graphql":
			d.GraphQL = r.graphql(value, at)
		case "list":
			r.object(value, at, "list", listLimitKeys, func(name, at string, value json.RawMessage) {
				// The values of a fault are kept too. A file with faults is not compiled.
				n, ok := schema.Integer(value)
				if !ok || n < 1 || n > 100_000 {
					r.fault(at, name+" has to be a whole number from 1 to 100000", "write "+name+": 50, say")
				}
				if name == "max" {
					d.Limits.Max = int(n)
				} else {
					d.Limits.Default = int(n)
				}
			})
		case "operations":
			r.object(value, at, "operations", nil, func(name, at string, value json.RawMessage) {
				if name == "only" {
					d.Only = r.names(value, at, "only: [list, findById]")
					return
				}
				d.Ops = append(d.Ops, r.operation(name, at, value))
			})
		}
	})
	return d
}

// operation reads one entry of operations: false, or a declaration.
//
//	delete: false
//	bySlug: {kind: query, params: {…}, output: product, cardinality: maybe}
func (r *configReader) operation(name, at string, value json.RawMessage) Operation {
	o := Operation{Name: name, At: at}
	if !schema.IsGraphQLName(name) {
		r.fault(at, fmt.Sprintf("%q cannot be the name of an operation", name), "write a letter, then letters and digits: bySlug")
	}
	if jsontext.KindOf(value) == jsontext.False {
		o.Off = true
		return o
	}
	r.object(value, at, "an operation", operationKeys, func(name, at string, value json.RawMessage) {
		switch name {
		case "kind":
			if o.Kind = r.string(value, at); o.Kind != "" && o.Kind != "query" && o.Kind != "command" {
				r.fault(at, "the kind of an operation has to be query or command", "write kind: query for one that reads, kind: command for one that writes")
			}
		case "cardinality":
			o.Cardinality = r.string(value, at)
			if !slices.Contains(cardinalities, o.Cardinality) {
				r.fault(at, "the cardinality has to be one, maybe, many, page or none", "write cardinality: maybe for an output that may be null")
				o.Cardinality = ""
			}
		case "description":
			o.Description = r.string(value, at)
		case "deprecated":
			o.Deprecated = r.deprecated(value, at)
		case "graphql":
			o.GraphQL = r.graphql(value, at)
		default:
			// The remaining keys of the table are exactly the parts.
			o.Parts[slices.Index(PartNames[:], name)] = r.part(value, at)
		}
	})
	return o
}

// deprecated reads true, false, or why. true becomes [schema.Deprecated], the reason that
// GraphQL gives by default; false is "".
func (r *configReader) deprecated(value json.RawMessage, at string) string {
	switch jsontext.KindOf(value) {
	case jsontext.True:
		return schema.Deprecated
	case jsontext.False:
		return ""
	case jsontext.String:
		if why := strings.TrimSpace(jsontext.Unquote(value)); why != "" {
			return why
		}
	}
	r.fault(at, "deprecated has to be true, or say why", "write deprecated: use bySlug, say")
	return ""
}

// part reads a card, or the name of one. The card itself is read when it is compiled, together
// with the files of entities and views.
func (r *configReader) part(value json.RawMessage, at string) Part {
	switch jsontext.KindOf(value) {
	case jsontext.String:
		return Part{At: at, Name: jsontext.Unquote(value)}
	case jsontext.Object:
		return Part{At: at, Card: value}
	}
	r.fault(at, "a card has to be written out, or named", "write {type: object, properties: …}, or the name of an entity or a view")
	return Part{}
}

// graphql reads a name for the GraphQL schema. An illegal name is reported and returned; "" is
// reported by string.
func (r *configReader) graphql(value json.RawMessage, at string) string {
	name := r.string(value, at)
	if name != "" && !schema.IsGraphQLName(name) {
		r.fault(at, fmt.Sprintf("%q is no name in GraphQL", name), "write letters, digits and underscores, no digit first")
	}
	return name
}

// manyWords are the writes of many rows that a door may open.
var manyWords = []string{"create", "update", "delete", "upsert", "import"}

// ManyWords are the operations that the words open.
var ManyWords = map[string]string{"create": "createMany", "update": "updateMany", "delete": "deleteMany", "upsert": "upsert", "import": "import"}

// GroupsMode is the mode of the built-in operation aggregate in discovery.
const GroupsMode = "groups"

// ManyModes are the modes of these operations in a discovery document: a host of another make may
// have an operation of the same name, without the mode.
var ManyModes = map[string]string{"createMany": "list", "updateMany": "where", "deleteMany": "where", "upsert": "upsert", "import": "import"}

// many reads many: the writes of many rows that doors open.
//
//	many: {product: [create, upsert], order: '*'}
func (r *configReader) many(value json.RawMessage, at string) (all []Many) {
	const like = "many: {product: [create, update, delete, upsert, import]}, or many: {product: '*'}"
	r.object(value, at, "many", nil, func(name, at string, value json.RawMessage) {
		m := Many{Door: name, At: at}
		if isWord(value, "*") {
			m.All = true
			for _, word := range manyWords {
				m.Words = append(m.Words, Named{word, at})
			}
			all = append(all, m)
			return
		}
		m.Words = r.distinct(value, at, like)
		for _, word := range m.Words {
			if !slices.Contains(manyWords, word.Name) {
				r.fault(word.At, fmt.Sprintf("%q is no write of many rows", word.Name), schema.DidYouMean(word.Name, []string{"create", "update", "delete", "upsert", "import"})+"write create, update, delete, upsert or import")
			}
		}
		all = append(all, m)
	})
	return all
}
