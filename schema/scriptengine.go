package schema

import (
	"encoding/json"
	"maps"
	"math/big"
	"sort"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// engine is a schema of the engine as a node: the keywords of a checker's, and those that
// only the engine knows. properties are a list sorted by name, patternProperties a list of
// [pattern, re, node]; ref is the place in defs of the node that a reference leads to.
func (w *scriptWriter) engine(s *jsonschema.Schema, at string) string {
	w.whole = true
	if s.Bool != nil {
		switch {
		case *s.Bool:
			return "true"
		case strings.HasSuffix(s.Location, "/unevaluatedProperties"), strings.HasSuffix(s.Location, "/additionalProperties"):
			return "0"
		}
		return "false"
	}
	if s.DraftVersion != 2020 {
		w.fault(at, "$schema names an older draft of JSON Schema", "write it as JSON Schema 2020-12, without $schema")
		return "true"
	}
	if w.circular(s, map[*jsonschema.Schema]bool{}) {
		w.fault(at, "a reference leads back to itself without stepping into the value", "take the reference out of the circle")
		return "true"
	}
	o := &scriptObject{}
	w.engineValue(o, s, at)
	w.engineObject(o, s, at)
	w.engineList(o, s, at)
	one := func(name string, sub *jsonschema.Schema) {
		if sub != nil {
			o.add(name, w.engine(sub, at+"/"+name))
		}
	}
	many := func(name string, subs []*jsonschema.Schema) {
		if len(subs) > 0 {
			o.add(name, w.engines(subs, at+"/"+name))
		}
	}
	one("not", s.Not)
	many("allOf", s.AllOf)
	many("anyOf", s.AnyOf)
	many("oneOf", s.OneOf)
	one("if", s.If)
	one("then", s.Then)
	one("else", s.Else)
	return o.String()
}

// engineValue adds what a schema says of any value, of text and of numbers.
func (w *scriptWriter) engineValue(o *scriptObject, s *jsonschema.Schema, at string) {
	if s.Types != nil && !s.Types.IsEmpty() {
		var t typeSet
		for _, name := range s.Types.ToStrings() {
			t |= typeBits[name]
		}
		o.add("type", scriptTypes(t.names()))
	}
	if s.Const != nil {
		w.constant(o, rawValue(*s.Const), at)
	}
	if s.Enum != nil {
		values := make([]json.RawMessage, len(s.Enum.Values))
		for i, v := range s.Enum.Values {
			values[i] = rawValue(v)
		}
		w.enum(o, values, at)
	}
	if s.Format != nil && formatCheck(s.Format.Name) != nil {
		w.format(o, s.Format.Name, at)
	}
	var refs []string
	if s.Ref != nil {
		refs = append(refs, w.ref(s.Ref))
	}
	if s.DynamicRef != nil {
		// Within one card all anchors of a name are one schema, unless $id divides it.
		if s.DynamicRef.Anchor != "" && s.DynamicRef.Ref.ID != "" {
			w.fault(at+"/$dynamicRef", "$dynamicRef beside $id depends on the way that led here", "write $ref")
		}
		refs = append(refs, w.ref(s.DynamicRef.Ref))
	}
	if refs != nil {
		o.add("ref", "["+strings.Join(refs, ",")+"]")
	}
	w.limit(o, "minLength", s.MinLength)
	w.limit(o, "maxLength", s.MaxLength)
	if s.Pattern != nil {
		if _, foreign := s.Pattern.(anyText); !foreign {
			w.pattern(o, s.Pattern.String(), at)
		}
	}
	var bounds []string
	for _, b := range []struct {
		keyword string
		limit   *big.Rat
	}{{"minimum", s.Minimum}, {"maximum", s.Maximum}, {"exclusiveMinimum", s.ExclusiveMinimum}, {"exclusiveMaximum", s.ExclusiveMaximum}, {"multipleOf", s.MultipleOf}} {
		if b.limit != nil {
			bounds = append(bounds, w.bound(b.keyword, b.limit))
		}
	}
	if bounds != nil {
		o.add("bounds", "["+strings.Join(bounds, ",")+"]")
	}
}

// engineObject adds what a schema says of objects.
func (w *scriptWriter) engineObject(o *scriptObject, s *jsonschema.Schema, at string) {
	w.limit(o, "minProperties", s.MinProperties)
	w.limit(o, "maxProperties", s.MaxProperties)
	if s.Required != nil {
		o.add("required", scriptStrings(s.Required))
	}
	if len(s.Properties) > 0 {
		var list []string
		for _, name := range sortedKeys(s.Properties) {
			list = append(list, "["+scriptString(name)+","+w.engine(s.Properties[name], child(at+"/properties", name))+"]")
		}
		o.add("properties", "["+strings.Join(list, ",")+"]")
	}
	if len(s.PatternProperties) > 0 {
		var list []string
		for re, sub := range s.PatternProperties {
			if _, foreign := re.(anyText); foreign {
				list = append(list, `["",`+w.engine(sub, child(at+"/patternProperties", re.String()))+"]")
				continue
			}
			text, err := ecmaScript(re.String())
			if err != nil {
				w.fault(child(at+"/patternProperties", re.String()), "the pattern "+re.String()+": "+err.Error(), "write it more simply")
				continue
			}
			list = append(list, "["+scriptString(text)+","+w.engine(sub, child(at+"/patternProperties", re.String()))+"]")
		}
		sort.Strings(list)
		o.add("patternProperties", "["+strings.Join(list, ",")+"]")
	}
	switch more := s.AdditionalProperties.(type) {
	case bool:
		if more {
			o.add("additionalProperties", "true")
		} else {
			o.add("additionalProperties", "0")
		}
	case *jsonschema.Schema:
		o.add("additionalProperties", w.engine(more, at+"/additionalProperties"))
	}
	if s.PropertyNames != nil {
		o.add("propertyNames", w.engine(s.PropertyNames, at+"/propertyNames"))
	}
	if s.UnevaluatedProperties != nil {
		o.add("unevaluatedProperties", w.engine(s.UnevaluatedProperties, at+"/unevaluatedProperties"))
	}
	if len(s.DependentSchemas) > 0 {
		var list []string
		for _, name := range sortedKeys(s.DependentSchemas) {
			list = append(list, "["+scriptString(name)+","+w.engine(s.DependentSchemas[name], child(at+"/dependentSchemas", name))+"]")
		}
		o.add("dependentSchemas", "["+strings.Join(list, ",")+"]")
	}
	// dependencies is the older word for both.
	required := map[string][]string{}
	maps.Copy(required, s.DependentRequired)
	for name, dep := range s.Dependencies {
		if list, ok := dep.([]string); ok {
			required[name] = append(required[name], list...)
			continue
		}
		w.fault(child(at+"/dependencies", name), "dependencies is a keyword of older drafts", "write dependentSchemas")
	}
	if len(required) > 0 {
		var list []string
		for _, name := range sortedKeys(required) {
			list = append(list, "["+scriptString(name)+","+scriptStrings(required[name])+"]")
		}
		o.add("dependentRequired", "["+strings.Join(list, ",")+"]")
	}
}

// engineList adds what a schema says of arrays.
func (w *scriptWriter) engineList(o *scriptObject, s *jsonschema.Schema, at string) {
	w.limit(o, "minItems", s.MinItems)
	w.limit(o, "maxItems", s.MaxItems)
	if s.UniqueItems {
		o.add("uniqueItems", "1")
	}
	if len(s.PrefixItems) > 0 {
		o.add("prefixItems", w.engines(s.PrefixItems, at+"/prefixItems"))
	}
	if s.Items2020 != nil {
		o.add("items", w.engine(s.Items2020, at+"/items"))
	}
	if s.Contains != nil {
		o.add("contains", w.engine(s.Contains, at+"/contains"))
		w.limit(o, "minContains", s.MinContains)
		w.limit(o, "maxContains", s.MaxContains)
	}
	if s.UnevaluatedItems != nil {
		o.add("unevaluatedItems", w.engine(s.UnevaluatedItems, at+"/unevaluatedItems"))
	}
}

// engines is a list of schemas.
func (w *scriptWriter) engines(subs []*jsonschema.Schema, at string) string {
	list := make([]string, len(subs))
	for i, sub := range subs {
		list[i] = w.engine(sub, at+"/"+strconv.Itoa(i))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// limit adds a whole number.
func (w *scriptWriter) limit(o *scriptObject, keyword string, n *int) {
	if n != nil {
		w.count(o, keyword, *n)
	}
}

// ref is the place of a schema among the card's defs. It is written later: a schema may
// refer to itself.
func (w *scriptWriter) ref(s *jsonschema.Schema) string {
	i, ok := w.nodes[s]
	if !ok {
		i = len(w.queue)
		w.nodes[s] = i
		w.queue = append(w.queue, s)
	}
	return strconv.Itoa(i)
}

// defs adds the nodes that references lead to, of which some refer to further ones.
func (w *scriptWriter) defs(o *scriptObject) {
	var list []string
	for i := 0; i < len(w.queue); i++ {
		at := w.queue[i].Location
		list = append(list, w.engine(w.queue[i], at[strings.IndexByte(at, '#')+1:]))
	}
	if list != nil {
		o.add("defs", "["+strings.Join(list, ",")+"]")
	}
}

// circular says whether a schema leads to itself for one and the same value.
func (w *scriptWriter) circular(s *jsonschema.Schema, above map[*jsonschema.Schema]bool) bool {
	if s == nil {
		return false
	}
	if above[s] {
		return true
	}
	above[s] = true
	defer delete(above, s)
	subs := []*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else}
	if s.DynamicRef != nil {
		subs = append(subs, s.DynamicRef.Ref)
	}
	subs = append(append(append(subs, s.AllOf...), s.AnyOf...), s.OneOf...)
	for _, sub := range s.DependentSchemas {
		subs = append(subs, sub)
	}
	for _, sub := range subs {
		if w.circular(sub, above) {
			return true
		}
	}
	return false
}

// rawValue is a value of the engine as text; its numbers keep their digits.
func rawValue(v any) json.RawMessage {
	text, _ := json.Marshal(v) //nolint:errchkjson // decoded from JSON
	return text
}
