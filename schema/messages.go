package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/frondhost/frond/schema/format"
	"github.com/frondhost/frond/schema/jsontext"
)

// The messages of the judge. Each continues a sentence that begins with the field's name, names
// the remedy, and repeats no part of the value: messages reach logs and callers who
// may not see the value (docs/calls.md).

const (
	msgRequired  = "is required"
	msgUnknown   = "is not part of the card; leave it out"
	msgReadOnly  = "is written by the host alone; leave it out"
	msgReadPatch = "is written by the host alone; send only what changes"
	msgImmutable = "cannot be changed once it is set; send only what changes"
	msgUnique    = "must not hold the same value twice"
	msgNumber    = "must be a number a double can hold"
)

// typeMessage names the wanted types: must be a string or null. null adds that the value is a
// null, the usual mistake: must be a string, not null.
func typeMessage(want []string, null bool) string {
	names := make([]string, len(want))
	for i, t := range want {
		if names[i] = article(t); t == "null" {
			names[i] = t
		}
	}
	// The engine lists null first, an author last: [<T>, 'null'] (spec 2.1).
	if i := slices.Index(names, "null"); i >= 0 {
		names = append(slices.Delete(names, i, i+1), "null")
	}
	msg := "must be " + orList(names)
	if null {
		msg += ", not null"
	}
	return msg
}

// typeParam returns a type as a card writes it, for Detail.Params: one name, or a list of them
// with null last. The list is []any, as encoding/json would decode it.
func typeParam(want []string) any {
	if len(want) == 1 {
		return want[0]
	}
	var list []any
	for _, t := range want {
		if t != "null" {
			list = append(list, t)
		}
	}
	if slices.Contains(want, "null") {
		list = append(list, "null")
	}
	return list
}

// formatMessage names the format with an example: must be an email such as ada@example.org.
func formatMessage(name string) string {
	return "must be " + article(name) + " such as " + format.Example(name)
}

// article returns a word with its indefinite article: "an integer", "a uuid". The names of
// types and formats need no more than the first letter; u takes "a", for uri and uuid.
func article(word string) string {
	r, _ := utf8.DecodeRuneInString(word)
	if strings.ContainsRune("aeio", r) {
		return "an " + word
	}
	return "a " + word
}

// patternMessage shows the pattern; the value is never shown.
func patternMessage(p string) string { return "must match the pattern " + p }

// ConstMessage returns the judge's message about a value that differs from the const.
func ConstMessage(constant json.RawMessage) string { return constMessage(plainValue(constant)) }

// EnumMessage returns the judge's message about a value outside of the enum.
func EnumMessage(values []json.RawMessage) string { return enumMessage(newLiterals(values).plain) }

// constMessage says which value is the only one.
func constMessage(v any) string { return "must be " + display(v) }

// enumMessage names the values while they fit a sentence, about 200 bytes; the rest is "…".
func enumMessage(values []any) string {
	var list []string
	length := 0
	for _, v := range values {
		d := display(v)
		if length += len(d) + 2; length > 200 {
			list = append(list, "…")
			break
		}
		list = append(list, d)
	}
	if len(list) == 1 {
		return "must be " + list[0]
	}
	return "must be one of " + strings.Join(list, ", ")
}

// display returns a value of a card for a sentence: strings without quotes, lists and objects
// as JSON.
func display(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case json.Number:
		return v.String()
	}
	text, _ := json.Marshal(v)
	return string(text)
}

// limit returns the code, the sentence and the params of a keyword with one number: maxLength,
// "must have at most 80 characters", {"limit": 80}.
func limit(keyword string, n float64) (code, message string, params map[string]any) {
	return limitAs(keyword, n, strconv.FormatFloat(n, 'f', -1, 64))
}

// limitAs is limit for a number that a double may not hold: the sentence has every digit of
// num, while the params have the nearest double, as a failure from a remote would (spec 7.3).
func limitAs(keyword string, n float64, num string) (code, message string, params map[string]any) {
	words := limitWords[keyword]
	message = words[0] + num
	if n == 1 {
		message += words[1]
	} else {
		message += words[2]
	}
	return keyword, message, map[string]any{"limit": n}
}

// limitWords are the words around the number of a keyword: before it, after 1, and after other
// numbers.
var limitWords = map[string][3]string{
	"minLength":        {"must have at least ", " character", " characters"},
	"maxLength":        {"must have at most ", " character", " characters"},
	"minItems":         {"must have at least ", " item", " items"},
	"maxItems":         {"must have at most ", " item", " items"},
	"minProperties":    {"must have at least ", " key", " keys"},
	"maxProperties":    {"must have at most ", " key", " keys"},
	"minimum":          {"must be at least "},
	"maximum":          {"must be at most "},
	"exclusiveMinimum": {"must be greater than "},
	"exclusiveMaximum": {"must be less than "},
	"multipleOf":       {"must be a multiple of "},
}

// plainValue returns a value of a card as encoding/json would decode it, so that a detail that
// was decoded from a remote's answer equals one made here. The engine's values hold
// json.Number.
func plainValue(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, _ := v.Float64()
		return f
	case json.RawMessage:
		var x any
		_ = json.Unmarshal(v, &x)
		return x
	case []any:
		return plainValues(v)
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[k] = plainValue(x)
		}
		return out
	}
	return v
}

// plainValues is plainValue for each of values.
func plainValues(values []any) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = plainValue(v)
	}
	return out
}

// number returns a checked JSON number as the nearest float64.
func number(v json.RawMessage) float64 {
	f, _ := strconv.ParseFloat(string(jsontext.Trim(v)), 64)
	return f
}

// verdict returns the code, the sentence and the params for a refusal of the engine, the same
// as a checker gives for that keyword. A keyword without a sentence here has its own name as
// the code.
func verdict(k jsonschema.ErrorKind) (code, message string, params map[string]any) {
	if code, message, params, ok := limitVerdict(k); ok {
		return code, message, params
	}
	switch k := k.(type) {
	case *kind.Type:
		return "type", typeMessage(k.Want, k.Got == "null"), map[string]any{"type": typeParam(k.Want)}
	case *kind.Enum:
		return "enum", enumMessage(plainValues(k.Want)), map[string]any{"values": plainValues(k.Want)}
	case *kind.Const:
		return "const", constMessage(plainValue(k.Want)), map[string]any{"value": plainValue(k.Want)}
	case *kind.Format:
		return "format", formatMessage(k.Want), map[string]any{"format": k.Want}
	case *kind.Pattern:
		return "pattern", patternMessage(k.Want), map[string]any{"pattern": k.Want}
	case *kind.UniqueItems:
		return "uniqueItems", msgUnique, nil
	case *kind.Contains:
		return "contains", "must hold at least one item of the kind the card asks for", nil
	case *kind.MinContains:
		return "minContains", fmt.Sprintf("must hold at least %d items of the kind the card asks for", k.Want), map[string]any{"limit": float64(k.Want)}
	case *kind.MaxContains:
		return "maxContains", fmt.Sprintf("must hold at most %d items of the kind the card asks for", k.Want), map[string]any{"limit": float64(k.Want)}
	case *kind.PropertyNames:
		return "propertyNames", "has a key the card does not allow", nil
	case *kind.AnyOf:
		return "anyOf", "must fit at least one of the shapes the card allows", nil
	case *kind.OneOf:
		if len(k.Subschemas) > 0 {
			return "oneOf", "must fit exactly one of the shapes the card allows; it fits several", nil
		}
		return "oneOf", "must fit exactly one of the shapes the card allows", nil
	case *kind.Not:
		return "not", "must not be of the shape the card forbids", nil
	case *kind.Required:
		return "required", "lacks " + strings.Join(k.Missing, ", "), nil
	case *kind.AdditionalProperties:
		return UnknownKey, "has keys that do not belong here: " + strings.Join(k.Properties, ", "), nil
	case *kind.FalseSchema:
		return "not", "must be left out: no value is allowed here", nil
	}
	if path := k.KeywordPath(); len(path) > 0 {
		return path[0], "does not hold to " + path[0], nil
	}
	return "schema", "does not hold to the card", nil
}

// limitVerdict is verdict for a keyword with one number; false for every other one.
func limitVerdict(k jsonschema.ErrorKind) (code, message string, params map[string]any, ok bool) {
	switch k := k.(type) {
	case *kind.MinLength:
		code, message, params = limit("minLength", float64(k.Want))
	case *kind.MaxLength:
		code, message, params = limit("maxLength", float64(k.Want))
	case *kind.MinItems:
		code, message, params = limit("minItems", float64(k.Want))
	case *kind.MaxItems:
		code, message, params = limit("maxItems", float64(k.Want))
	case *kind.MinProperties:
		code, message, params = limit("minProperties", float64(k.Want))
	case *kind.MaxProperties:
		code, message, params = limit("maxProperties", float64(k.Want))
	case *kind.Minimum:
		code, message, params = limitOf("minimum", k.Want)
	case *kind.Maximum:
		code, message, params = limitOf("maximum", k.Want)
	case *kind.ExclusiveMinimum:
		code, message, params = limitOf("exclusiveMinimum", k.Want)
	case *kind.ExclusiveMaximum:
		code, message, params = limitOf("exclusiveMaximum", k.Want)
	case *kind.MultipleOf:
		code, message, params = limitOf("multipleOf", k.Want)
	default:
		return "", "", nil, false
	}
	return code, message, params, true
}

// verdict returns the code, the sentence and the params for a number past the bound.
func (b bound) verdict() (code, message string, params map[string]any) {
	if r, ok := Rational(b.limit); ok {
		return limitOf(b.keyword, r)
	}
	return limit(b.keyword, number(b.limit))
}

// limitOf is limit for a number of a card.
func limitOf(keyword string, r *big.Rat) (code, message string, params map[string]any) {
	n, _ := r.Float64()
	return limitAs(keyword, n, LimitText(r))
}

// LimitText returns the limit of a bound as the judge's message has it. Whole numbers within
// int64 have every digit: a double cannot hold a bound of 64 bits, and its last digits matter
// to the caller.
func LimitText(limit *big.Rat) string {
	if limit.IsInt() && limit.Num().IsInt64() {
		return limit.Num().String()
	}
	n, _ := limit.Float64()
	return strconv.FormatFloat(n, 'f', -1, 64)
}
