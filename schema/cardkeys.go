package schema

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema/jsontext"
)

// The keys of a card, as tables. Three readers of the tables have to agree
// (docs/decisions/settings-and-commands.md):
//
//	reader        the judge of cards takes its known keywords from them (meaning.go)
//	editors       CardSchema is made of them
//	docs/cards.md a test compares its lists with them, and rewrites them with -update
//
// A new keyword is one line here. Its Form is the keyword's value as JSON Schema, without
// which an editor would mark it.

// The forms of values in a card, as JSON Schema. aSchema refers to the $defs of [CardSchema]:
// a schema is an object of keywords, or true or false.
const (
	aString  = `{"type":"string"}`
	aBool    = `{"type":"boolean"}`
	aTrue    = `{"const":true}`
	aCount   = `{"type":"integer","minimum":0}`
	aNumber  = `{"type":"number"}`
	aSchema  = `{"$ref":"#/$defs/schema"}`
	aMap     = `{"type":"object","additionalProperties":{"$ref":"#/$defs/schema"}}`
	aList    = `{"type":"array","items":{"$ref":"#/$defs/schema"}}`
	aNames   = `{"type":"array","items":{"type":"string"}}`
	anything = `{}`
)

// cardKeys are the keys that a card may have in addition to the keywords of JSON Schema;
// docs/cards.md explains them.
var cardKeys = []Key{
	{Name: "title", Form: aString, Default: "the entity's name", Example: "title: product", About: "The entity's name in lower case."},
	{Name: "description", Form: aString, Example: "description: The goods of the shop.", About: "A sentence, for schemas and documents."},
	{Name: "type", Form: `{"const":"object"}`, Default: "object", Example: "type: object", About: "A card describes an object."},
	{Name: "properties", Form: `{"type":"object","additionalProperties":{"$ref":"#/$defs/field"}}`, Example: "properties: {name: {type: string}}", About: "The fields: for each a schema and its axes."},
	{Name: "required", Form: aNames, Default: "all fields without a create rule, except many relations", Example: "required: [name, price]", About: "The names a caller must send at create (spec 2.3)."},
	{Name: "x-kit-version", Form: `{"const":1}`, Default: "1", Example: "x-kit-version: 1", About: "The version of the card format."},
	{Name: "x-kit-vendor", Form: aString, Default: "vendor of gateway.yaml", Example: "x-kit-vendor: acme", About: "The vendor of the card."},
	{Name: "of", Form: aString, Example: "of: product", About: "In views/ only: the entity this is a view of. The full card is derived from it."},
	{Name: "pick", Form: aNames, Default: "all fields", Example: "pick: [id, name, price]", About: "With of: the fields of the view."},
	{Name: "omit", Form: aNames, Default: "none", Example: "omit: [internalNote]", About: "With of: the fields that the view leaves out."},
	{Name: "x-kit-derived", Form: `{"type":"object"}`, Example: "x-kit-derived: {from: product, survived: [id, name]}", About: "The entity a view was cut from and the fields it kept. It is derived where of is given."},
	{Name: "^x-", Form: anything, Example: "x-team: catalog", About: "Your own keys; they are kept."},
}

// keywords are the keywords of a schema: of JSON Schema 2020-12, and of this project if its
// name begins with x-.
var keywords = []Key{
	{Name: "type", Form: `{"anyOf":[{"$ref":"#/$defs/type"},{"type":"array","minItems":1,"items":{"$ref":"#/$defs/type"}}]}`, Default: "any type", Example: "type: [string, 'null']", About: "string, integer, number, boolean, object, array or null, or a list of them; a field that may be null lists null."},
	{Name: "title", Form: aString, Example: "title: Price", About: "A short name, for forms."},
	{Name: "description", Form: aString, Example: "description: In cents.", About: "A sentence, for schemas and documents."},
	{Name: "enum", Form: `{"type":"array","minItems":1}`, Example: "enum: [draft, live]", About: "The allowed values; each has to be of the declared type."},
	{Name: "const", Form: anything, Example: "const: EUR", About: "The only allowed value."},
	{Name: "format", Form: `{"type":"string"}`, Example: "format: date-time", About: "The format of a string, such as date-time, email or uuid."},
	{Name: "minLength", Form: aCount, Default: "0", Example: "minLength: 1", About: "The minimum length of a string, in code points."},
	{Name: "maxLength", Form: aCount, Default: "none; 255 for primary and unique fields", Example: "maxLength: 60", About: "The maximum length of a string, in code points."},
	{Name: "pattern", Form: aString, Example: "pattern: '^[a-z]+$'", About: "A regular expression (RE2) that has to match somewhere in a string."},
	{Name: "minimum", Form: aNumber, Example: "minimum: 0", About: "The minimum, inclusive."},
	{Name: "maximum", Form: aNumber, Example: "maximum: 100", About: "The maximum, inclusive."},
	{Name: "exclusiveMinimum", Form: aNumber, Example: "exclusiveMinimum: 0", About: "The minimum, exclusive."},
	{Name: "exclusiveMaximum", Form: aNumber, Example: "exclusiveMaximum: 1", About: "The maximum, exclusive."},
	{Name: "multipleOf", Form: `{"type":"number","exclusiveMinimum":0}`, Example: "multipleOf: 0.01", About: "A number has to be a multiple of this; computed exactly, not in floating point."},
	{Name: "items", Form: aSchema, Default: "anything", Example: "items: {type: string}", About: "The schema of each item of a list."},
	{Name: "prefixItems", Form: aList, Example: "prefixItems: [{type: number}, {type: number}]", About: "The schemas of the first items of a list, by position."},
	{Name: "minItems", Form: aCount, Default: "0", Example: "minItems: 1", About: "The minimum number of items."},
	{Name: "maxItems", Form: aCount, Example: "maxItems: 10", About: "The maximum number of items."},
	{Name: "uniqueItems", Form: aBool, Default: "false", Example: "uniqueItems: true", About: "All items of a list have to differ."},
	{Name: "contains", Form: aSchema, Example: "contains: {const: admin}", About: "At least one item of a list has to match this schema."},
	{Name: "minContains", Form: aCount, Default: "1", Example: "minContains: 2", About: "With contains: the minimum number of matching items."},
	{Name: "maxContains", Form: aCount, Example: "maxContains: 3", About: "With contains: the maximum number of matching items."},
	{Name: "unevaluatedItems", Form: aSchema, Example: "unevaluatedItems: false", About: "The schema of items that no other keyword evaluates."},
	{Name: "properties", Form: aMap, Example: "properties: {street: {type: string}}", About: "The members of an embedded object: schemas without axes (spec 2.1)."},
	{Name: "required", Form: aNames, Default: "none", Example: "required: [street]", About: "The required members of an embedded object."},
	{Name: "additionalProperties", Form: aSchema, Default: "false where properties is given, else anything", Example: "additionalProperties: {type: integer}", About: "The schema of members that properties does not name."},
	{Name: "patternProperties", Form: aMap, Example: "patternProperties: {'^[a-z]{2}$': {type: string}}", About: "The schemas of members whose names match a regular expression."},
	{Name: "propertyNames", Form: aSchema, Example: "propertyNames: {maxLength: 20}", About: "The schema of the names of members."},
	{Name: "minProperties", Form: aCount, Default: "0", Example: "minProperties: 1", About: "The minimum number of members of an object."},
	{Name: "maxProperties", Form: aCount, Example: "maxProperties: 5", About: "The maximum number of members of an object."},
	{Name: "dependentRequired", Form: `{"type":"object","additionalProperties":{"type":"array","items":{"type":"string"}}}`, Example: "dependentRequired: {card: [billingAddress]}", About: "Members that are required when another one is present."},
	{Name: "dependentSchemas", Form: aMap, Example: "dependentSchemas: {card: {required: [name]}}", About: "A schema that applies when a member is present."},
	{Name: "unevaluatedProperties", Form: aSchema, Example: "unevaluatedProperties: false", About: "The schema of members that no other keyword evaluates."},
	{Name: "allOf", Form: aList, Example: "allOf: [{minLength: 1}, {pattern: x}]", About: "All of these schemas have to match."},
	{Name: "anyOf", Form: aList, Example: "anyOf: [{type: string}, {type: integer}]", About: "At least one of these schemas has to match."},
	{Name: "oneOf", Form: aList, Example: "oneOf: [{type: string}, {type: integer}]", About: "Exactly one of these schemas has to match."},
	{Name: "not", Form: aSchema, Example: "not: {const: admin}", About: "This schema must not match."},
	{Name: "if", Form: aSchema, Example: "if: {const: other}", About: "If this schema matches, then applies; otherwise else applies."},
	{Name: "then", Form: aSchema, Example: "then: {minLength: 1}", About: "With if."},
	{Name: "else", Form: aSchema, Example: "else: {maxLength: 10}", About: "With if."},
	{Name: "deprecated", Form: aBool, Default: "false", Example: "deprecated: true", About: "The field should no longer be used."},
	{Name: deprecationReason, Form: aString, Example: deprecationReason + ": use netPrice", About: "With deprecated: what to use instead."},
	{Name: "readOnly", Form: aBool, Default: "false", Example: "readOnly: true", About: "An annotation; it requires boundary.in: closed on the same field."},
	{Name: "writeOnly", Form: aBool, Default: "false", Example: "writeOnly: true", About: "An annotation; it requires boundary.out: closed on the same field."},
	{Name: "examples", Form: `{"type":"array"}`, Example: "examples: [Espresso]", About: "Example values, for documents and mock data."},
	{Name: "contentEncoding", Form: aString, Example: "contentEncoding: base64", About: "How a string encodes binary data; not checked."},
	{Name: "contentMediaType", Form: aString, Example: "contentMediaType: image/png", About: "The media type of that data; not checked."},
	{Name: "contentSchema", Form: aSchema, Example: "contentSchema: {type: object}", About: "The schema of that data; not checked."},
	{Name: "$ref", Form: aString, Example: "$ref: '#/$defs/money'", About: "A reference to a schema of this card, by its pointer."},
	{Name: "$defs", Form: aMap, Example: "$defs: {money: {type: integer}}", About: "Schemas that $ref refers to."},
	{Name: "definitions", Form: aMap, Example: "definitions: {money: {type: integer}}", About: "The older name of $defs."},
	{Name: "dependencies", Form: `{"type":"object"}`, Example: "dependencies: {card: [billingAddress]}", About: "The older form of dependentRequired and dependentSchemas."},
	{Name: "$id", Form: aString, Example: "$id: 'https://acme.example/money'", About: "The identifier of a schema, for $ref."},
	{Name: "$schema", Form: aString, Default: "2020-12", Example: "$schema: 'https://json-schema.org/draft/2020-12/schema'", About: "The version of JSON Schema."},
	{Name: "$anchor", Form: aString, Example: "$anchor: money", About: "A short name for $ref."},
	{Name: "$dynamicRef", Form: aString, Example: "$dynamicRef: '#node'", About: "A reference that is resolved dynamically."},
	{Name: "$dynamicAnchor", Form: aString, Example: "$dynamicAnchor: node", About: "A name for $dynamicRef."},
	{Name: "$vocabulary", Form: `{"type":"object"}`, Example: "$vocabulary: {}", About: "For meta-schemas; no effect in a card."},
	{Name: "$comment", Form: aString, Example: "$comment: ask the warehouse first", About: "A note to authors."},
	{Name: "^x-", Form: anything, Example: "x-widget: slider", About: "Your own keys; they are kept."},
}

// axisKeys are the keys of a field's x-kit (spec 2.2).
var axisKeys = []Key{
	{Name: "role", About: "The role of the field: identity, unique, indexed, relation.", Example: "role: {primary: true}", Keys: []Key{
		{Name: "primary", Form: aTrue, Default: "not", Example: "primary: true", About: "The identity; every entity has exactly one."},
		{Name: "unique", Form: `{"type":"array","items":{"type":"array","minItems":1,"items":{"type":"string"}}}`, Default: "not", Example: "unique: [[slug], [tenantId, number]]", About: "The unique constraints of the field, each a list of fields. A compound one is written once, at any of its fields."},
		{Name: "index", Form: aTrue, Default: "not", Example: "index: true", About: "The store indexes the field. Unique fields and relations are indexed anyway."},
		{Name: "relation", About: "The field references another entity.", Example: "relation: {to: author, kind: one}", Keys: []Key{
			{Name: "to", Form: aString, Example: "to: author", About: "The referenced entity, in lower case."},
			{Name: "kind", Form: `{"enum":["one","many"]}`, Example: "kind: one", About: "one: the field holds the id of a row. many: the other side of a one relation, or a list of ids in the row."},
			{Name: "onDelete", Form: `{"enum":["restrict","cascade","set null","set-null"]}`, Default: "restrict", Example: "onDelete: cascade", About: "What happens to this row when the referenced row is deleted: restrict refuses the deletion, cascade deletes this row too, set null sets the field to null."},
			{Name: "by", Form: aString, Default: "the only relation that points back", Example: "by: authorId", About: "With kind: many: the field of the other entity that points back, where several do."},
			{Name: "through", Form: aString, Default: "none", Example: "through: producttag", About: "With kind: many: the entity whose rows lead from this one to the other, as relations of frond.yaml writes it."},
		}},
	}},
	{Name: "lifecycle", About: "Who writes the field and when.", Example: "lifecycle: {create: now}", Keys: []Key{
		{Name: "create", Default: "the caller sends it", Example: "create: {generate: cuid2}", About: "The value of an absent field. now: the time of the call. optional: null. value: a constant. generate: a generated value.", Form: `{"enum":["now","optional"]}`, Keys: []Key{
			{Name: "value", Form: anything, Example: "value: draft", About: "The value of an absent field."},
			{Name: "generate", Form: aString, Example: "generate: cuid2", About: "The generator of an absent field: cuid2, uuid, uuidv7, nanoid or one the program registers."},
		}},
		{Name: "update", Form: `{"enum":["now","forbidden"]}`, Default: "the caller may send it", Example: "update: forbidden", About: "now: the time of the update. forbidden: the field is refused at update."},
	}},
	{Name: "boundary", About: "Which values callers may send, and which are sent to them.", Example: "boundary: {out: closed}", Keys: []Key{
		{Name: "in", Form: `{"const":"closed"}`, Default: "as it is sent", Example: "in: closed", About: "closed: callers cannot send the field. decode: the name of a conversion.", Keys: []Key{
			{Name: "decode", Form: aString, Example: "decode: trim", About: "The conversion of incoming values. The card judges the value that is sent, and the converted one as rows will show it."},
		}},
		{Name: "out", Form: `{"const":"closed"}`, Default: "as it is stored", Example: "out: closed", About: "closed: the field is never sent out. encode: the name of a conversion.", Keys: []Key{
			{Name: "encode", Form: aString, Example: "encode: masked", About: "The conversion of outgoing values."},
		}},
	}},
}

// CardKeys are the tables of a card's keys: the keys of the card, the keywords of any schema in
// it, and the axes of a field. They are shared and not to be changed.
func CardKeys() (card, schema, axes []Key) { return cardKeys, keywords, axisKeys }

// CardSchema returns the JSON Schema of a card, for editors. Its $defs are field (keywords and
// x-kit), schema (keywords alone) and type. It refuses unknown keys that do not begin with x-;
// the reader of cards only gives a notice for those.
func CardSchema() json.RawMessage {
	xkit := Key{Name: "x-kit", Keys: axisKeys, About: "The axes of the field (spec 2.2).", Example: "x-kit: {role: {primary: true}}"}
	names := KeyNames(cardKeys)
	file := append(slices.Clone(cardKeys), slices.DeleteFunc(slices.Clone(keywords), func(k Key) bool { return slices.Contains(names, k.Name) })...)
	return KeySchema("A card: one entity or view of a Frond", file,
		KeyDef{Name: "field", Keys: append([]Key{xkit}, keywords...)},
		KeyDef{Name: "schema", Keys: keywords, Form: aBool},
		KeyDef{Name: "type", Form: `{"enum":` + string(jsontext.AppendStrings(nil, schemaTypes)) + `}`})
}

// keyword reports a keyword of JSON Schema whose value has the wrong form. The engine reports
// the keywords that it judges (the inside of anyOf and its like), and meaning reports unknown
// keywords.
func (r *reader) keyword(name string, value json.RawMessage, at string) {
	switch name {
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		if n, ok := Integer(value); !ok || n < 0 {
			r.fault(at, name+" has to be a whole number of at least 0", "write "+name+": 1, say")
		}
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		switch k := jsontext.KindOf(value); {
		// Draft 4 had exclusiveMinimum: true next to minimum: 0; many cards are copied from
		// such schemas.
		case (k == jsontext.True || k == jsontext.False) && strings.HasPrefix(name, "exclusive"):
			plain := strings.ToLower(strings.TrimPrefix(name, "exclusive"))
			r.fault(at, name+" has to be a number", "write "+name+": 0, say, in place of "+plain+": 0")
		case k != jsontext.Number:
			r.fault(at, name+" has to be a number", "write "+name+": 0, say")
		case !double(value):
			r.fault(at, beyondDouble(name), boundRemedy)
		}
	case "multipleOf":
		if jsontext.KindOf(value) == jsontext.Number && !double(value) {
			r.fault(at, beyondDouble("multipleOf"), boundRemedy)
		} else if !boundedNumber(value) || compareNumbers(value, []byte("0")) <= 0 {
			r.fault(at, "multipleOf has to be a number greater than 0", "write multipleOf: 0.01, say")
		}
	case "pattern":
		if jsontext.KindOf(value) != jsontext.String {
			r.fault(at, "pattern has to be a string", "write a regular expression in quotes")
		}
	case "uniqueItems", "readOnly", "writeOnly":
		r.bool(value, at)
	case deprecationReason:
		r.string(value, at)
	case "allOf", "anyOf", "oneOf", "prefixItems", "examples":
		if jsontext.KindOf(value) != jsontext.Array {
			r.fault(at, name+" has to be a list", "write "+name+": [ … ]")
		}
	}
}

// beyondDouble is the message about a bound that a double cannot hold, and boundRemedy its
// remedy.
func beyondDouble(name string) string { return name + " is beyond every number that a field can hold" }

const boundRemedy = "write a number within ±1.79e308, or leave it out"

// applicators are the keywords that only the engine judges; a shape with one of
// them goes to the engine whole.
var applicators = map[string]bool{
	"allOf": true, "anyOf": true, "oneOf": true, "not": true, "if": true, "then": true, "else": true,
	"$ref": true, "$dynamicRef": true, "dependentSchemas": true, "dependentRequired": true, "dependencies": true,
	"additionalProperties": true, "patternProperties": true, "propertyNames": true, "unevaluatedProperties": true,
	"prefixItems": true, "contains": true, "minContains": true, "maxContains": true, "unevaluatedItems": true,
}

// hasAny says whether one of the keywords is in set.
func (k Keywords) hasAny(set map[string]bool) bool {
	for _, kw := range k {
		if set[kw.Name] {
			return true
		}
	}
	return false
}
