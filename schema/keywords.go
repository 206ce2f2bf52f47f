package schema

import (
	"encoding/json"
	"strings"

	"github.com/frondhost/frond/schema/jsontext"
)

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
