package facade

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// frondConfig is a frond.yaml, read. Everything in it is optional.
type frondConfig struct {
	doors []*doorConfig // in the order they were written
	facts []factConfig

	collectors []collectorConfig
	computed   []computedConfig
	surfaces   surfacesConfig
}

type doorConfig struct {
	name    string
	at      string // pointer to it
	off     bool   // no façade: false, or {door: false}
	plural  string
	graphql string
	limits  ListLimits
	only    []string // built-in operations; nil: all
	ops     []opConfig
}

type opConfig struct {
	name, at    string
	off         bool
	kind        Kind
	parts       [4]part // params, query, input, output
	cardinality Cardinality
	description string
	deprecated  string
	graphql     string
}

// The parts of an operation that are described by a card.
const (
	partParams = iota
	partQuery
	partInput
	partOutput
)

var partNames = [4]string{"params", "query", "input", "output"}

// part is a card written inline, or the name of an entity or a view.
type part struct {
	at   string
	name string
	card json.RawMessage
}

func (p part) given() bool { return p.name != "" || p.card != nil }

type factConfig struct {
	name, at string
	schema   part
}

// configName is the Frond's name as its frond.yaml says, or what else it is
// called. A broken file is told later, when all of it is read.
func configName(text Text, otherwise string) string {
	data, err := schema.ToJSON(text.File, text.Data)
	if name := jsontext.Get(data, "name"); err == nil && jsontext.KindOf(name) == jsontext.String {
		return jsontext.Unquote(name)
	}
	return otherwise
}

// configReader reads one frond.yaml and collects what is wrong with it.
type configReader struct {
	file   string
	faults schema.Faults
}

func (r *configReader) fault(at, message, remedy string) {
	r.faults = append(r.faults, schema.Fault{File: r.file, Pointer: at, Message: message, Remedy: remedy})
}

func readConfig(text Text) (frondConfig, schema.Faults) {
	var c frondConfig
	r := &configReader{file: text.File}
	if text.File == "" {
		return c, nil
	}
	data, err := schema.ToJSON(text.File, text.Data)
	if err != nil {
		var faults schema.Faults
		errors.As(err, &faults)
		return c, faults
	}
	if jsontext.IsNull(data) {
		return c, nil // an empty file
	}
	r.object(data, "", "a frond.yaml", schema.KeyNames(frondKeys), func(name, at string, value json.RawMessage) {
		switch name {
		case "name":
			r.string(value, at) // read already, by configName
		case "doors":
			r.object(value, at, "doors", nil, func(name, at string, value json.RawMessage) {
				c.doors = append(c.doors, r.door(name, at, value))
			})
		case "collectors":
			c.collectors = r.collectors(value, at)
		case "computed":
			c.computed = r.computed(value, at)
		case "facts":
			c.facts = r.facts(value, at)
		case "surfaces":
			c.surfaces = r.surfaces(value, at)
		}
	})
	return c, r.faults
}

// object walks an object; keys that are not known are faults that list those that
// are. known nil means the keys are the author's names.
func (r *configReader) object(value json.RawMessage, at, what string, known []string, member func(name, at string, value json.RawMessage)) {
	if jsontext.KindOf(value) != jsontext.Object {
		remedy := "write one key per name"
		if known != nil {
			remedy = "write keys: " + strings.Join(known, ", ")
		}
		r.fault(at, what+" has to be an object", remedy)
		return
	}
	for name, value := range jsontext.Members(value) {
		here := at + "/" + jsontext.Token(name)
		if known != nil && !slices.Contains(known, name) {
			r.fault(here, fmt.Sprintf("%s has no key %s", what, name), "its keys are "+strings.Join(known, ", "))
			continue
		}
		member(name, here, value)
	}
}

var (
	doorKeys      = schema.KeyNames(schema.Below(frondKeys, "doors", "*"))
	listLimitKeys = schema.KeyNames(schema.Below(frondKeys, "doors", "*", "list"))
	operationKeys = schema.KeyNames(schema.Below(frondKeys, "doors", "*", "operations", "*"))
	factKeys      = schema.KeyNames(factTable)
)

func (r *configReader) door(name, at string, value json.RawMessage) *doorConfig {
	d := &doorConfig{name: name, at: at}
	switch {
	case !isName(name):
		d.off = true // nothing more is told of it
		r.fault(at, fmt.Sprintf("%q cannot be the name of a door", name), "write a letter, then letters, digits, - or _: orderLine")
	case strings.EqualFold(name, "rpc"):
		r.fault(at, "rpc is a name of the protocol's own", "give the door another name") // spec 4.1: rpc.discover
	}
	switch jsontext.KindOf(value) {
	case jsontext.False:
		d.off = true
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
			d.off = jsontext.KindOf(value) == jsontext.False
		case "plural":
			if d.plural = r.string(value, at); d.plural != "" && !isPathWord(d.plural) {
				r.fault(at, fmt.Sprintf("the plural %q cannot stand in a path", d.plural), "write lower-case letters, digits and hyphens: goods")
			}
		case "graphql":
			d.graphql = r.graphql(value, at)
		case "list":
			r.object(value, at, "list", listLimitKeys, func(name, at string, value json.RawMessage) {
				n, ok := schema.Integer(value)
				if !ok || n < 1 || n > 100_000 {
					r.fault(at, name+" has to be a whole number from 1 to 100000", "write "+name+": 50, say")
				}
				if name == "max" {
					d.limits.Max = int(n)
				} else {
					d.limits.Default = int(n)
				}
			})
		case "operations":
			r.object(value, at, "operations", nil, func(name, at string, value json.RawMessage) {
				if name == "only" {
					d.only = r.strings(value, at)
					return
				}
				d.ops = append(d.ops, r.operation(name, at, value))
			})
		}
	})
	return d
}

func (r *configReader) operation(name, at string, value json.RawMessage) opConfig {
	o := opConfig{name: name, at: at}
	if !schema.IsGraphQLName(name) {
		r.fault(at, fmt.Sprintf("%q cannot be the name of an operation", name), "write a letter, then letters and digits: bySlug")
	}
	if jsontext.KindOf(value) == jsontext.False {
		o.off = true
		return o
	}
	r.object(value, at, "an operation", operationKeys, func(name, at string, value json.RawMessage) {
		switch name {
		case "kind":
			if o.kind = Kind(r.string(value, at)); o.kind != "" && o.kind != Query && o.kind != Command {
				r.fault(at, "the kind of an operation has to be query or command", "write kind: query for one that reads, kind: command for one that writes")
			}
		case "cardinality":
			o.cardinality = Cardinality(r.string(value, at))
			if !slices.Contains([]Cardinality{One, Maybe, Many, PageOf, NoOutput}, o.cardinality) {
				r.fault(at, "the cardinality has to be one, maybe, many, page or none", "write cardinality: maybe for an output that may be null")
				o.cardinality = ""
			}
		case "description":
			o.description = r.string(value, at)
		case "deprecated":
			o.deprecated = r.deprecated(value, at)
		case "graphql":
			o.graphql = r.graphql(value, at)
		default:
			o.parts[slices.Index(partNames[:], name)] = r.part(value, at)
		}
	})
	return o
}

// deprecated reads true, false, or why.
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

func (r *configReader) part(value json.RawMessage, at string) part {
	switch jsontext.KindOf(value) {
	case jsontext.String:
		return part{at: at, name: jsontext.Unquote(value)}
	case jsontext.Object:
		return part{at: at, card: value}
	}
	r.fault(at, "a card has to be written out, or named", "write {type: object, properties: …}, or the name of an entity or a view")
	return part{}
}

func (r *configReader) facts(value json.RawMessage, at string) (facts []factConfig) {
	if jsontext.KindOf(value) != jsontext.Array {
		r.fault(at, "facts has to be a list", "write facts: [{name: orderPlaced, schema: order}]")
		return nil
	}
	for i, item := range jsontext.Elements(value) {
		f := factConfig{at: fmt.Sprint(at, "/", i)}
		r.object(item, f.at, "a fact", factKeys, func(name, at string, value json.RawMessage) {
			if name == "name" {
				f.name = r.string(value, at)
			} else {
				f.schema = r.part(value, at)
			}
		})
		switch {
		case f.name == "":
			r.fault(f.at, "a fact has to have a name", "write name: orderPlaced")
		case slices.ContainsFunc(facts, func(o factConfig) bool { return o.name == f.name }):
			r.fault(f.at, fmt.Sprintf("the fact %s is declared twice", f.name), "leave the second one out")
		}
		facts = append(facts, f)
	}
	return facts
}

func (r *configReader) string(value json.RawMessage, at string) string {
	if jsontext.KindOf(value) != jsontext.String {
		r.fault(at, at[strings.LastIndexByte(at, '/')+1:]+" has to be a string", "put the text in quotes")
		return ""
	}
	return jsontext.Unquote(value)
}

func (r *configReader) strings(value json.RawMessage, at string) []string {
	names := []string{}
	if jsontext.KindOf(value) != jsontext.Array {
		r.fault(at, "only has to be a list of operations", "write only: [list, findById]")
		return names
	}
	for i, item := range jsontext.Elements(value) {
		names = append(names, r.string(item, fmt.Sprint(at, "/", i)))
	}
	return names
}

func (r *configReader) graphql(value json.RawMessage, at string) string {
	name := r.string(value, at)
	if name != "" && !schema.IsGraphQLName(name) {
		r.fault(at, fmt.Sprintf("%q is no name in GraphQL", name), "write letters, digits and underscores, no digit first")
	}
	return name
}

// isName holds for a letter followed by letters, digits, hyphens and underscores.
func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		case i > 0 && (c >= '0' && c <= '9' || c == '-' || c == '_'):
		default:
			return false
		}
	}
	return s != ""
}

// isPathWord holds for lower-case letters, digits and hyphens.
func isPathWord(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		case i > 0 && (c == '-' || c == '_'):
		default:
			return false
		}
	}
	return s != ""
}
