package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema/format"
	"github.com/frondhost/frond/schema/jsontext"
)

// Every part of a card has to have an effect (docs/cards.md): a part that would be ignored, or
// that contradicts another part, is a fault in the project's own cards. In other hosts' cards
// it is ignored, and reported to CompileOptions.Ignored.

// meaning searches a card as JSON Schema, at every depth, for texts that its author cannot have
// meant (docs/decisions/judge.md):
//
//	maxLenght: 60                    a keyword nearly like one there is     fault
//	nullable: true                   a keyword of another format            fault
//	type: integer, maxLength: 5      a keyword about another type           fault
//	minimum: 5, maximum: 3           a contradiction                        fault
//	widget: slider                   an unknown keyword                     notice
//	x-widget: slider                 the author's own                       ignored
type meaning struct {
	fault  func(at, message, remedy string)
	notice func(at, message, remedy string)
	view   bool
}

// meaning reports the parts of the unit's card that have no effect or contradict each other.
// The text may have faults that make it unreadable as a card.
func (c *compiler) meaning(u *unit, text json.RawMessage) {
	if u.src.Builtin || c.remote(u) && c.set.opts.Ignored == nil {
		return
	}
	m := meaning{
		view:  u.src.View,
		fault: func(at, message, remedy string) { c.beyond(u, at, message, remedy) },
		notice: func(at, message, remedy string) {
			if report := c.set.opts.Ignored; report != nil {
				report(Fault{File: u.src.File, Pointer: u.src.At + at, Message: message, Remedy: remedy})
			}
		},
	}
	m.schema(text, "")
}

// known are the keys of cards and schemas that docs/cards.md explains.
var known = func() map[string]bool {
	all := map[string]bool{"x-kit": true}
	for _, list := range [][]Key{cardKeys, keywords} {
		for _, k := range list {
			if !strings.HasPrefix(k.Name, "^") {
				all[k.Name] = true
			}
		}
	}
	return all
}()

// knownNames are the names of known, sorted, for suggestions.
var knownNames = sortedKeys(known)

// habits are keywords of other formats that have no effect here, each with the keyword to use
// as its remedy.
var habits = map[string]string{
	"nullable":        "write null into the type: type: [string, 'null']",
	"default":         "write the value of an absent field under x-kit: {lifecycle: {create: {value: …}}}",
	"additionalItems": "write items next to prefixItems",
	"optional":        "leave the name out of required, or write x-kit: {lifecycle: {create: optional}}",
	"unique":          "write x-kit: {role: {unique: [[name of the field]]}}",
	"index":           "write x-kit: {role: {index: true}}",
	"indexed":         "write x-kit: {role: {index: true}}",
	"primaryKey":      "write x-kit: {role: {primary: true}}",
	"primary":         "write x-kit: {role: {primary: true}}",
	"autoIncrement":   "write x-kit: {lifecycle: {create: {generate: cuid2}}}, or another generator",
	"generate":        "write x-kit: {lifecycle: {create: {generate: cuid2}}}, or another generator",
	"ref":             "write x-kit: {role: {relation: {to: author, kind: one}}} for another entity, $ref: '#/$defs/money' for a schema of this card",
	"references":      "write x-kit: {role: {relation: {to: author, kind: one}}}",
	"foreignKey":      "write x-kit: {role: {relation: {to: author, kind: one}}}",
	"relation":        "write it under x-kit: {role: {relation: {to: author, kind: one}}}",
	"role":            "write it under x-kit: {role: …}",
	"lifecycle":       "write it under x-kit: {lifecycle: …}",
	"boundary":        "write it under x-kit: {boundary: …}",
	"id":              "leave it out: the file's name is the entity's, and $id names a schema for $ref",
	"min":             "write minimum, minLength or minItems",
	"max":             "write maximum, maxLength or maxItems",
	"minValue":        "write minimum",
	"maxValue":        "write maximum",
	"length":          "write minLength and maxLength",
	"regex":           "write pattern",
	"regexp":          "write pattern",
	"values":          "write enum",
	"choices":         "write enum",
	"fields":          "write properties",
	"columns":         "write properties",
	"example":         "write examples, a list",
}

// closing are the annotations of JSON Schema that an author mistakes for a rule, each with the
// compact x-kit that makes it one.
var closing = map[string]string{
	"readOnly":  `"in":"closed"`,
	"writeOnly": `"out":"closed"`,
}

// schema checks one schema and the schemas inside it. The reader reports any text other than an
// object.
func (m *meaning) schema(text json.RawMessage, at string) {
	if jsontext.KindOf(text) != jsontext.Object {
		return
	}
	s := map[string]json.RawMessage{}
	for name, value := range jsontext.Members(text) {
		s[name] = value
		m.keyword(name, value, text, child(at, name))
	}
	m.values(s, at)
	m.bounds(s, at)
	m.foreignTo(s, at)
	for name, value := range jsontext.Members(text) {
		here := child(at, name)
		switch name {
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			for inner, v := range jsontext.Members(value) {
				m.schema(v, child(here, inner))
			}
		case "allOf", "anyOf", "oneOf", "prefixItems":
			for i, v := range jsontext.Elements(value) {
				m.schema(v, fmt.Sprint(here, "/", i))
			}
		case "items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else", "unevaluatedItems", "unevaluatedProperties":
			m.schema(value, here)
		}
	}
}

// keyword looks at one keyword by its name; in is the schema around it, at the pointer of the
// keyword. The cases are ordered by certainty: a known word is never taken for a typing error.
func (m *meaning) keyword(name string, value, in json.RawMessage, at string) {
	remedy, habit := habits[name]
	switch {
	case name == "format" && jsontext.KindOf(value) == jsontext.String:
		m.format(jsontext.Unquote(value), at)
	case closing[name] != "" && jsontext.KindOf(value) == jsontext.True:
		if x := string(compact(jsontext.Get(in, "x-kit"))); !strings.Contains(x, closing[name]) {
			direction, _, _ := strings.Cut(strings.Trim(closing[name], `"`), `"`)
			m.fault(at, name+" is an annotation of JSON Schema, and nothing here holds to it", "write x-kit: {boundary: {"+direction+": closed}}")
		}
	case known[name]:
	// At a field of an entity, /properties/NAME/default, the remedy of habits names the create
	// rule. Elsewhere no rule could fill it in.
	case name == "default" && (m.view || strings.Count(at, "/") != 3):
		m.fault(at, "default has no effect here", "leave it out, and describe the meaning of an absent value in description")
	case habit:
		// The remedy can be pasted where the value is short: default: draft becomes {value:
		// "draft"}.
		if len(value) <= 40 {
			remedy = strings.Replace(remedy, "{value: …}", "{value: "+string(value)+"}", 1)
		}
		m.fault(at, name+" has no effect here", strings.Replace(remedy, "name of the field", lastToken(strings.TrimSuffix(at, "/"+name)), 1))
	case near(name, knownNames) != "":
		m.fault(at, fmt.Sprintf("JSON Schema has no keyword %s", name), "write "+near(name, knownNames))
	case !strings.HasPrefix(name, "x-"):
		m.notice(at, fmt.Sprintf("JSON Schema has no keyword %s, so it has no effect", name), "leave it out, or begin its name with x-")
	}
}

// annotated are the formats that inform people and programs and refuse no value here: JSON
// Schema's formats without assertion, and the formats of OpenAPI's registry.
var annotated = append(strings.Fields("idn-email idn-hostname iri iri-reference uri-template relative-json-pointer"),
	strings.Fields("int64 int32 float double byte binary password")...)

// formatHabits are names of formats in other languages and tools.
var formatHabits = map[string]string{
	"url": "uri", "link": "uri", "datetime": "date-time", "timestamp": "date-time", "mail": "email", "e-mail": "email", "guid": "uuid", "ip": "ipv4 or ipv6", "ip-address": "ipv4 or ipv6",
	"host": "hostname", "host-name": "hostname", "regexp": "regex", "money": "decimal", "numeric": "decimal", "long": "int64", "bigint": "int64",
}

// format reports an unknown format. A known format without a check here is a notice, since its
// author may rely on it.
func (m *meaning) format(name, at string) {
	switch {
	case format.Check(name) != nil || name == "int64":
	case slices.Contains(annotated, name):
		m.notice(at, fmt.Sprintf("values of the format %s are not checked here", name), "add a pattern where they have to be")
	default:
		all := append(format.Names(), annotated...)
		remedy := formatHabits[name]
		if remedy == "" {
			remedy = near(name, all)
		}
		if remedy == "" {
			remedy = "pattern where the text has a form of its own, or one of " + orList(all)
		}
		m.fault(at, fmt.Sprintf("format %s is unknown", name), "write "+remedy)
	}
}

// values reports values of enum and const that the type next to them refuses.
func (m *meaning) values(s map[string]json.RawMessage, at string) {
	names := typeNames(s["type"])
	check := func(v json.RawMessage, at string) {
		if len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool { return isOfType(v, name) }) {
			m.fault(at, "this value is not of the type "+orList(names), "write one that is, or change the type")
		}
	}
	if v := s["enum"]; jsontext.KindOf(v) == jsontext.Array {
		n := 0
		for i, one := range jsontext.Elements(v) {
			n++
			check(one, fmt.Sprint(at, "/enum/", i))
		}
		if n == 0 {
			m.fault(at+"/enum", "an empty enum lets nothing through", "name the values, or leave enum out")
		}
	}
	if v := s["const"]; v != nil {
		check(v, at+"/const")
	}
}

// typeNames returns the names in a keyword type: one, or a list; nil without a type.
func typeNames(v json.RawMessage) (names []string) {
	if jsontext.KindOf(v) == jsontext.String {
		return []string{jsontext.Unquote(v)}
	}
	if jsontext.KindOf(v) == jsontext.Array {
		for _, one := range jsontext.Elements(v) {
			names = append(names, jsontext.Unquote(one))
		}
	}
	return names
}

// isOfType says whether a value is of a type of JSON Schema; 3.0 is an integer. An unknown
// type has every value.
func isOfType(v json.RawMessage, name string) bool {
	switch kind := jsontext.KindOf(v); name {
	case "string":
		return kind == jsontext.String
	case "integer":
		return boundedNumber(v) && whole(jsontext.Trim(v))
	case "number":
		return kind == jsontext.Number
	case "boolean":
		return kind == jsontext.True || kind == jsontext.False
	case "object":
		return kind == jsontext.Object
	case "array":
		return kind == jsontext.Array
	case "null":
		return kind == jsontext.Null
	}
	return true // no type: the reader's fault
}

// pairs are keywords of which the first must not be over the second.
var pairs = []struct {
	low, high string
	strict    bool // nor equal to it
}{
	{"minimum", "maximum", false},
	{"exclusiveMinimum", "maximum", true},
	{"minimum", "exclusiveMaximum", true},
	{"exclusiveMinimum", "exclusiveMaximum", true},
	{"minLength", "maxLength", false},
	{"minItems", "maxItems", false},
	{"minProperties", "maxProperties", false},
	{"minContains", "maxContains", false},
}

// bounds reports a lower bound above its upper bound: no value meets both.
func (m *meaning) bounds(s map[string]json.RawMessage, at string) {
	for _, p := range pairs {
		low, high := s[p.low], s[p.high]
		if low == nil || high == nil || !boundedNumber(low) || !boundedNumber(high) {
			continue
		}
		if n := compareNumbers(low, high); n > 0 || n == 0 && p.strict {
			over := "is over"
			if n == 0 {
				over = "leaves no value under"
			}
			m.fault(child(at, p.low), fmt.Sprintf("%s %s %s: no value is both", p.low, over, p.high), "swap the two, or change one")
		}
	}
}

// about is the type that each keyword is about: number includes integer. A value of another
// type passes the keyword (JSON Schema core, section 7.6.1).
var about = func() map[string]string {
	all := map[string]string{}
	for kind, names := range map[string]string{
		"string": "minLength maxLength pattern", "number": "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf",
		"array":  "items prefixItems minItems maxItems uniqueItems contains minContains maxContains unevaluatedItems",
		"object": "properties patternProperties additionalProperties required minProperties maxProperties propertyNames dependentRequired dependentSchemas unevaluatedProperties",
	} {
		for name := range strings.FieldsSeq(names) {
			all[name] = kind
		}
	}
	return all
}()

// foreignTo reports keywords about another type than the schema's own: they never refuse any
// value. In a schema without a type a keyword is about some of the values, and is not reported.
func (m *meaning) foreignTo(s map[string]json.RawMessage, at string) {
	names := typeNames(s["type"])
	if len(names) == 0 || at == "" { // that a card is an object the reader says
		return
	}
	for _, name := range sortedKeys(s) {
		kind := about[name]
		if kind == "" || name == "required" && jsontext.KindOf(s[name]) != jsontext.Array || slices.Contains(names, kind) || kind == "number" && slices.Contains(names, "integer") {
			continue
		}
		m.fault(child(at, name), fmt.Sprintf("%s is about values of type %s, and has no effect on type %s", name, kind, orList(names)), "leave it out, or change the type")
	}
}
