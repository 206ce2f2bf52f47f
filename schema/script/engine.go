package script

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/format"
	"github.com/frondhost/frond/schema/jsontext"
)

// engine returns a schema of the engine as a node: the keywords of rules, and those
// that only the engine knows. properties are a list sorted by name, patternProperties a list of
// [pattern, re, node]; ref is the place in defs of the node that a reference leads to.
func (w *writer) engine(s *jsonschema.Schema, at string) string {
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
		w.unfits(at, "$schema names an older draft of JSON Schema", "write it as JSON Schema 2020-12, without $schema")
		return "true"
	}
	if w.circular(s, map[*jsonschema.Schema]bool{}) {
		w.unfits(at, "a reference leads back to itself without stepping into the value", "take the reference out of the circle")
		return "true"
	}
	o := &object{}
	w.engineValue(o, s, at)
	w.engineObject(o, s, at)
	w.engineList(o, s, at)
	w.one(o, "not", s.Not, at)
	w.many(o, "allOf", s.AllOf, at)
	w.many(o, "anyOf", s.AnyOf, at)
	w.many(o, "oneOf", s.OneOf, at)
	w.one(o, "if", s.If, at)
	w.one(o, "then", s.Then, at)
	w.one(o, "else", s.Else, at)
	return o.String()
}

// engineValue adds a schema's keywords about any value, about text and about numbers.
func (w *writer) engineValue(o *object, s *jsonschema.Schema, at string) {
	if s.Types != nil && !s.Types.IsEmpty() {
		names := s.Types.ToStrings()
		if i := slices.Index(names, "null"); i >= 0 {
			names = append(slices.Delete(names, i, i+1), "null")
		}
		o.add("type", typeOf(names))
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
	if s.Format != nil && format.Check(s.Format.Name) != nil {
		w.format(o, s.Format.Name, at)
	}
	var refs []string
	if s.Ref != nil {
		refs = append(refs, w.ref(s.Ref))
	}
	if s.DynamicRef != nil {
		// One schema of a card has an anchor, unless $id divides the card.
		if name := s.DynamicRef.Anchor; name != "" && name == s.DynamicRef.Ref.DynamicAnchor && anchors(w.entity.Card.AppendJSON(nil), name) > 1 {
			w.faults = append(w.faults, schema.Fault{File: w.entity.Name, Pointer: at + "/$dynamicRef", Message: "the judge in JavaScript cannot follow this: several schemas have the anchor " + name + ", and the target depends on the way that led here", Remedy: "write $ref"})
		}
		refs = append(refs, w.ref(s.DynamicRef.Ref))
	}
	o.list("ref", refs)
	o.limit("minLength", s.MinLength)
	o.limit("maxLength", s.MaxLength)
	if s.Pattern != nil {
		if _, known := s.Pattern.(*regexp.Regexp); known {
			w.pattern(o, s.Pattern.String())
		}
	}
	var bounds []string
	for _, b := range []schema.Bound{
		{Keyword: "minimum", Limit: s.Minimum},
		{Keyword: "maximum", Limit: s.Maximum},
		{Keyword: "exclusiveMinimum", Limit: s.ExclusiveMinimum},
		{Keyword: "exclusiveMaximum", Limit: s.ExclusiveMaximum},
		{Keyword: "multipleOf", Limit: s.MultipleOf},
	} {
		if b.Limit != nil {
			bounds = append(bounds, boundOf(b))
		}
	}
	o.list("bounds", bounds)
}

// engineObject adds a schema's keywords about objects.
func (w *writer) engineObject(o *object, s *jsonschema.Schema, at string) {
	o.limit("minProperties", s.MinProperties)
	o.limit("maxProperties", s.MaxProperties)
	if s.Required != nil {
		o.add("required", quoteAll(s.Required))
	}
	w.named(o, "properties", s.Properties, at)
	var patterns []string
	byText := func(a, b jsonschema.Regexp) int { return strings.Compare(a.String(), b.String()) }
	for _, re := range slices.SortedFunc(maps.Keys(s.PatternProperties), byText) {
		sub := s.PatternProperties[re]
		here, text := child(at+"/patternProperties", re.String()), `""`
		if _, known := re.(*regexp.Regexp); known {
			text = w.regexp(re.String())
		}
		patterns = append(patterns, "["+text+","+w.engine(sub, here)+"]")
	}
	o.list("patternProperties", patterns)
	switch more := s.AdditionalProperties.(type) {
	case bool:
		if more {
			o.add("additionalProperties", "true")
		} else {
			o.add("additionalProperties", "0")
		}
	case *jsonschema.Schema:
		w.one(o, "additionalProperties", more, at)
	}
	w.one(o, "propertyNames", s.PropertyNames, at)
	w.one(o, "unevaluatedProperties", s.UnevaluatedProperties, at)
	w.named(o, "dependentSchemas", s.DependentSchemas, at)
	required := maps.Clone(s.DependentRequired)
	for name, dep := range s.Dependencies {
		if list, ok := dep.([]string); ok {
			if required == nil {
				required = map[string][]string{}
			}
			required[name] = append(slices.Clip(required[name]), list...)
			continue
		}
		w.unfits(child(at+"/dependencies", name), "dependencies is a keyword of older drafts", "write dependentSchemas")
	}
	var dependent []string
	for _, name := range sortedKeys(required) {
		dependent = append(dependent, "["+quote(name)+","+quoteAll(required[name])+"]")
	}
	o.list("dependentRequired", dependent)
}

// one adds a schema under a keyword, if it is there.
func (w *writer) one(o *object, name string, sub *jsonschema.Schema, at string) {
	if sub != nil {
		o.add(name, w.engine(sub, at+"/"+name))
	}
}

// many adds a list of schemas under a keyword, if there are any.
func (w *writer) many(o *object, name string, subs []*jsonschema.Schema, at string) {
	var list []string
	for i, sub := range subs {
		list = append(list, w.engine(sub, at+"/"+name+"/"+strconv.Itoa(i)))
	}
	o.list(name, list)
}

// named adds schemas by name under a keyword, if there are any.
func (w *writer) named(o *object, keyword string, subs map[string]*jsonschema.Schema, at string) {
	var list []string
	for _, name := range sortedKeys(subs) {
		list = append(list, "["+quote(name)+","+w.engine(subs[name], child(at+"/"+keyword, name))+"]")
	}
	o.list(keyword, list)
}

// engineList adds a schema's keywords about arrays.
func (w *writer) engineList(o *object, s *jsonschema.Schema, at string) {
	o.limit("minItems", s.MinItems)
	o.limit("maxItems", s.MaxItems)
	if s.UniqueItems {
		o.add("uniqueItems", "1")
	}
	w.many(o, "prefixItems", s.PrefixItems, at)
	w.one(o, "items", s.Items2020, at)
	if s.Contains != nil {
		w.one(o, "contains", s.Contains, at)
		o.limit("minContains", s.MinContains)
		o.limit("maxContains", s.MaxContains)
	}
	w.one(o, "unevaluatedItems", s.UnevaluatedItems, at)
}

// limit adds a whole number.
func (o *object) limit(keyword string, n *int) {
	if n != nil {
		o.add(keyword, strconv.Itoa(*n))
	}
}

// ref is the place of a schema among the card's defs. It is written later: a schema may
// refer to itself.
func (w *writer) ref(s *jsonschema.Schema) string {
	i, ok := w.nodes[s]
	if !ok {
		i = len(w.queue)
		w.nodes[s] = i
		w.queue = append(w.queue, s)
	}
	w.refers[w.part] = append(w.refers[w.part], len(w.entity.Fields)+1+i)
	return strconv.Itoa(i)
}

// defs adds the nodes that references lead to, of which some refer to further ones.
func (w *writer) defs(o *object) {
	var list []string
	for i := 0; i < len(w.queue); i++ {
		at := w.queue[i].Location
		w.part = len(w.entity.Fields) + 1 + i
		list = append(list, w.engine(w.queue[i], at[strings.IndexByte(at, '#')+1:]))
	}
	o.list("defs", list)
}

// circular says whether a schema leads to itself for one and the same value.
func (w *writer) circular(s *jsonschema.Schema, above map[*jsonschema.Schema]bool) bool {
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
	subs = slices.Concat(subs, s.AllOf, s.AnyOf, s.OneOf, slices.Collect(maps.Values(s.DependentSchemas)))
	return slices.ContainsFunc(subs, func(sub *jsonschema.Schema) bool { return w.circular(sub, above) })
}

// anchors counts the members $dynamicAnchor of a name at any depth of a card.
func anchors(v json.RawMessage, name string) int {
	n := 0
	for key, member := range jsontext.Members(v) {
		if key == "$dynamicAnchor" && jsontext.Unquote(member) == name {
			n++
		}
		n += anchors(member, name)
	}
	for _, e := range jsontext.Elements(v) {
		n += anchors(e, name)
	}
	return n
}

// rawValue is a value of the engine as text; its numbers keep their digits.
func rawValue(v any) json.RawMessage {
	text, _ := json.Marshal(v) //nolint:errchkjson // decoded from JSON
	return text
}
