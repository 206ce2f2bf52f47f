// Package script writes the judge of a card as data for JavaScript. The data has the decisions of a compiled card: the
// keys that it knows, the fields that may be sent, the meaning of its patterns. The runtime
// that reads it (client/src/judge.ts) takes no decision again, so it gives the same verdict.
//
//	{"fields":[["id",{"type":"string"},6],["title",{"type":"string","maxLength":80},1]]}
//
// A node is JSON Schema in a normal form:
//
//	type       a name, or a list with null last
//	fields     the members in order: [name, node]; their presence closes the object
//	open       keys outside fields are accepted; known names those that a closed object accepts
//	pattern    RE2's text; where ECMAScript writes it differently, re has that text, and for a
//	           pattern that needs the matcher a tree (matcher.go)
//	bounds     [keyword, limit] of minimum and its like; a limit that a double, or JavaScript's
//	           text of one, is not is [decimal, its text in the message]
//	enumText   the message, if it differs from the values joined; constText is the same of const
//	whole      the node of the engine for all keywords except fields and items
//	true, false, 0   any value; no value; no value of a key, which is then unknown
//
// A field of the card has three further elements: flags, the fill for an absent value, and its
// own message for read_only.
//
// The package takes every decision from [schema.Entity.Rules] and reads no card itself.
package script

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// flags of a field of a card, as the runtime tests them.
const (
	mustSend  = 1 << iota // required at creation
	readOnly              // read_only at creation and update
	immutable             // immutable at update
	replaced              // replaced by a patch, never merged: the field has a conversion
)

// Judge is the judge of a card as data.
type Judge struct {
	// Data is a JavaScript expression: literals alone, no calls.
	Data string
	// Formats are the names of the formats that it asserts, sorted.
	Formats []string
	// Engine says that it has a node that takes all of JSON Schema.
	Engine bool
	// Matcher says that it has a pattern that needs the linear matcher.
	Matcher bool
	// Relation is set for the judge of rows that a body has beside the fields of their owner
	// (docs/nested.md): its name, the key that ids are of, and the key of the owner in the rows; By is nil
	// where bodies have ids alone, without Data.
	Relation string
	Key, By  *schema.Property
	// Skipped says which fields accept every value, because only the host can judge them.
	Skipped schema.Faults
}

// Of returns the judge of a card as data for JavaScript, the same for the same card. A field
// with a rule that JavaScript cannot judge accepts every value and is named by Skipped. The
// error is schema.Faults: every $dynamicRef whose target depends on the way to it.
//
// preset names fields that the host fills in for every caller. They are not required; nor are
// those that the card itself fills.
func Of(e *schema.Entity, preset ...string) (*Judge, error) {
	w := write(e, preset, nil)
	skipped := w.skips()
	if skipped != nil {
		w = write(e, preset, skipped)
	}
	judge := &Judge{Data: w.data, Formats: sortedKeys(w.formats), Engine: w.whole, Matcher: w.matcher}
	for _, i := range slices.Sorted(maps.Keys(skipped)) {
		judge.Skipped = append(judge.Skipped, skipped[i]...)
	}
	slices.SortStableFunc(w.faults, func(a, b schema.Fault) int { return strings.Compare(a.Pointer, b.Pointer) })
	return judge, slices.Compact(w.faults).Err()
}

// write writes the card without the fields of skipped, by their places in the card; the place
// after the last field means the card's own conditions.
func write(e *schema.Entity, preset []string, skipped map[int]schema.Faults) *writer {
	w := &writer{entity: e, preset: preset, skipped: skipped, nodes: map[*jsonschema.Schema]int{}, formats: map[string]bool{}, unfit: map[int]schema.Faults{}, refers: map[int][]int{}}
	card := e.Rules()
	fields := make([]string, len(e.Fields))
	for i, p := range e.Fields {
		w.part = i
		fields[i] = w.field(i, p, &card.Fields[i].Rules)
	}
	w.part = len(e.Fields)
	o := &object{}
	if card.Fields != nil {
		o.add("fields", "["+strings.Join(fields, ",")+"]")
		o.keys(&card)
	}
	switch {
	case card.Whole == nil:
		o.limits(&card, "minProperties", "maxProperties")
	case skipped[w.part] == nil:
		o.add("whole", w.engine(card.Whole, ""))
	}
	// The nodes that references lead to are known once everything else is written.
	w.defs(o)
	w.data = o.String()
	return w
}

// writer writes one card; [write] makes it.
type writer struct {
	entity *schema.Entity
	preset []string
	data   string // the result
	// nodes are the engine's schemas that a reference leads to, by their place in queue.
	nodes   map[*jsonschema.Schema]int
	queue   []*jsonschema.Schema
	formats map[string]bool
	whole   bool // a node of the engine was written
	matcher bool // a tree of the matcher was written
	faults  schema.Faults
	skipped map[int]schema.Faults
	// part is the part being written: a field by its place, the card's own conditions after
	// the last field, then the nodes of queue. unfit gives the reasons why JavaScript cannot
	// judge a part, and refers the parts that a part refers to.
	part   int
	unfit  map[int]schema.Faults
	refers map[int][]int
}

// object is a JavaScript object being written.
type object struct{ strings.Builder }

func (o *object) add(name, value string) {
	if o.Len() > 0 {
		o.WriteByte(',')
	}
	o.WriteString(memberName(name) + ":" + value)
}

// list adds a member that is a list of values, if there are any.
func (o *object) list(name string, values []string) {
	if len(values) > 0 {
		o.add(name, "["+strings.Join(values, ",")+"]")
	}
}

// String is the object with its braces.
func (o *object) String() string { return "{" + o.Builder.String() + "}" }

// memberName is a member's name. {"__proto__": …} would set the prototype.
func memberName(name string) string {
	if name == "__proto__" {
		return `["__proto__"]`
	}
	for i := 0; i < len(name); i++ {
		if c := name[i]; !isWord(c) || i == 0 && c >= '0' && c <= '9' {
			return quote(name)
		}
	}
	if name == "" {
		return `""`
	}
	return name
}

// isWord says whether c is a letter, a digit or an underscore.
func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// quote is a string as JSON, which ECMAScript reads alike since 2019.
func quote(s string) string { return string(jsontext.Quote(s)) }

// unfits records why JavaScript cannot judge the current part.
func (w *writer) unfits(at, message, remedy string) {
	w.unfit[w.part] = append(w.unfit[w.part], schema.Fault{File: w.entity.Name, Pointer: at, Message: message, Remedy: remedy})
}

// skips returns the fields that turned out to be unfit, or refer to an unfit part, with the reasons, or
// nil.
func (w *writer) skips() map[int]schema.Faults {
	var skipped map[int]schema.Faults
	for i := range len(w.entity.Fields) + 1 {
		seen := map[int]bool{}
		var reasons schema.Faults
		for todo := []int{i}; len(todo) > 0; todo = todo[1:] {
			if part := todo[0]; !seen[part] {
				seen[part] = true
				reasons = append(reasons, w.unfit[part]...)
				todo = append(todo, w.refers[part]...)
			}
		}
		if len(reasons) == 0 {
			continue
		}
		what := "the card's own conditions"
		if i < len(w.entity.Fields) {
			what = "the field " + w.entity.Fields[i].Name
		}
		for k := range reasons {
			reasons[k].Message = "only the host judges " + what + ": " + reasons[k].Message
		}
		if skipped == nil {
			skipped = map[int]schema.Faults{}
		}
		skipped[i] = reasons
	}
	return skipped
}

// field returns a field of the card: [name, node, flags, fill, message], without empty elements
// at the end.
func (w *writer) field(i int, p *schema.Property, r *schema.Rules) string {
	flags := 0
	if slices.Contains(w.entity.Card.Required, p.Name) && !slices.Contains(w.preset, p.Name) {
		flags |= mustSend
	}
	message := ""
	if code, text := p.Forbids(schema.Create); code != "" {
		flags |= readOnly
		if !p.Axes.In.Closed { // the runtime has the message of a closed field
			message = text
		}
	}
	if code, _ := p.Forbids(schema.Update); code == schema.Immutable {
		flags |= immutable
	}
	if r.Fields != nil && !p.Merges() {
		flags |= replaced
	}
	node, fill := "true", w.fill(p)
	if w.skipped[i] == nil {
		node = w.node(r, child("/properties", p.Name))
	} else if w.unfit[i] != nil {
		fill = "0" // the value to fill in is the reason
	}
	parts := []string{quote(p.Name), node, strconv.Itoa(flags), fill, quote(message)}
	for n := len(parts); n > 2 && slices.Contains([]string{"0", `""`}, parts[n-1]); n-- {
		parts = parts[:n-1]
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// fill returns the value that a host writes into an absent field, or 0.
//
//	{value: …}   at creation       {now: "date-time"}      at creation, in that form
//	{many: 1}    an empty list     {update: "date-time"}   at update
func (w *writer) fill(p *schema.Property) string {
	if !p.Stored {
		return "0"
	}
	o := &object{}
	switch r := p.Axes.Create; {
	case r != nil && r.Value != nil:
		o.add("value", w.value(r.Value, child("/properties", p.Name)+"/x-kit/lifecycle/create/value"))
	case r != nil && r.Now:
		o.add("now", quote(nowForm(p)))
	case r == nil && p.Link != nil && p.Link.Many:
		o.add("many", "1")
	}
	if p.Axes.Update == schema.UpdateNow {
		o.add("update", quote(nowForm(p)))
	}
	if o.Len() == 0 {
		return "0"
	}
	return o.String()
}

// nowForm is how a host writes the time of a call into a field.
func nowForm(p *schema.Property) string {
	switch {
	case p.Kind == schema.KindInteger, p.Kind == schema.KindNumber:
		return "number"
	case p.Kind == schema.KindDate:
		return "date"
	case p.Shape.Format == "time":
		return "time"
	}
	return "date-time"
}

// node returns the rules of a schema.
func (w *writer) node(r *schema.Rules, at string) string {
	if r.Verdict != nil {
		return strconv.FormatBool(*r.Verdict)
	}
	o := &object{}
	if r.Whole != nil {
		// Everything is the engine's but finding unknown keys.
		o.add("whole", w.engine(r.Whole, at))
	} else {
		w.scalar(o, r, at)
	}
	if r.Items != nil {
		o.add("items", w.node(r.Items, at+"/items"))
	}
	if r.Whole == nil {
		o.limits(r, "minItems", "maxItems")
		if r.Unique {
			o.add("uniqueItems", "1")
		}
	}
	if r.Fields != nil {
		fields := make([]string, len(r.Fields))
		for i := range r.Fields {
			f := &r.Fields[i]
			fields[i] = "[" + quote(f.Name) + "," + w.node(&f.Rules, child(at+"/properties", f.Name)) + "]"
		}
		o.add("fields", "["+strings.Join(fields, ",")+"]")
		o.keys(r)
	}
	if r.Whole == nil {
		if r.Required != nil {
			o.add("required", quoteAll(r.Required))
		}
		o.limits(r, "minProperties", "maxProperties")
	}
	return o.String()
}

// scalar adds the rules about any value, about text and about numbers.
func (w *writer) scalar(o *object, r *schema.Rules, at string) {
	if r.Types != nil {
		o.add("type", typeOf(r.Types))
	}
	if r.Const != nil {
		w.constant(o, r.Const, at)
	}
	if r.Enum != nil {
		w.enum(o, r.Enum, at)
	}
	if r.Format != "" {
		w.format(o, r.Format, at)
	}
	o.limits(r, "minLength", "maxLength")
	if r.Pattern != nil {
		w.pattern(o, r.Pattern.String())
	}
	var bounds []string
	for _, b := range r.Bounds {
		bounds = append(bounds, boundOf(b))
	}
	o.list("bounds", bounds)
}

// keys writes which keys an object accepts in addition to its fields.
func (o *object) keys(r *schema.Rules) {
	switch {
	case !r.Closed:
		o.add("open", "1")
	case len(r.Known) > 0:
		o.add("known", quoteAll(r.Known))
	}
}

// limits adds the limits that the rules have of some keywords.
func (o *object) limits(r *schema.Rules, keywords ...string) {
	for _, keyword := range keywords {
		if n, ok := r.Limits[keyword]; ok {
			o.add(keyword, strconv.Itoa(n))
		}
	}
}

// boundOf returns a limit of numbers: [keyword, limit].
func boundOf(b schema.Bound) string {
	shown := schema.LimitText(b.Limit)
	decimal := b.Limit.RatString()
	if !b.Limit.IsInt() {
		places, _ := b.Limit.FloatPrec()
		decimal = b.Limit.FloatString(places)
	}
	f, _ := b.Limit.Float64()
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if math.Abs(f) > 1<<53 || f != 0 && math.Abs(f) < 1e-6 || text != decimal || text != shown {
		text = "[" + quote(decimal) + "," + quote(shown) + "]"
	}
	return "[" + quote(b.Keyword) + "," + text + "]"
}

// constant adds a const, with its message if that differs from its text.
func (w *writer) constant(o *object, value json.RawMessage, at string) {
	o.add("const", w.value(value, at+"/const"))
	if _, ok := textOf(value); !ok {
		o.add("constText", quote(schema.ConstMessage(value)))
	}
}

// enum adds an enum, with its message if that differs from its values joined.
func (w *writer) enum(o *object, values []json.RawMessage, at string) {
	list, texts, plain := make([]string, len(values)), make([]string, len(values)), true
	for i, v := range values {
		list[i] = w.value(v, fmt.Sprint(at, "/enum/", i))
		text, ok := textOf(v)
		texts[i], plain = text, plain && ok
	}
	o.add("enum", "["+strings.Join(list, ",")+"]")
	if message := schema.EnumMessage(values); !plain || !strings.HasSuffix(message, strings.Join(texts, ", ")) {
		o.add("enumText", quote(message))
	}
}

// textOf returns the text that String of JavaScript makes of a value. It is false where a
// message may have another.
func textOf(v json.RawMessage) (string, bool) {
	switch v = jsontext.Trim(v); jsontext.KindOf(v) {
	case jsontext.String:
		return jsontext.Unquote(v), true
	case jsontext.Number:
		f, err := strconv.ParseFloat(string(v), 64)
		return strconv.FormatFloat(f, 'f', -1, 64), err == nil && f == math.Trunc(f) && math.Abs(f) < 1e6 && (f != 0 || !math.Signbit(f))
	case jsontext.Array, jsontext.Object:
		return "", false
	}
	return string(v), true
}

// format adds an asserted format.
func (w *writer) format(o *object, name, at string) {
	if name == "regex" {
		w.unfits(at+"/format", "a browser does not know the regular expressions of RE2", "leave the format out to have the rest of its rules judged there")
		return
	}
	w.formats[name] = true
	o.add("format", quote(name))
}

// pattern adds a pattern.
func (w *writer) pattern(o *object, source string) {
	o.add("pattern", quote(source))
	if re := w.regexp(source); re != quote(source) {
		o.add("re", re)
	}
}

// regexp writes a pattern that Go has compiled: as ECMAScript has it, or as the tree of the
// matcher where the engine of a browser might never end.
func (w *writer) regexp(source string) string {
	re, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		panic(err) // the card was compiled with it
	}
	if re = squash(re); direct(re) {
		var b strings.Builder
		writePattern(&b, re)
		return quote(b.String())
	}
	w.matcher = true
	return matcherTree(re)
}

// typeOf is a type: one name, or a list.
func typeOf(names []string) string {
	if len(names) == 1 {
		return quote(names[0])
	}
	return quoteAll(names)
}

// quoteAll is a list of strings.
func quoteAll(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = quote(s)
	}
	return "[" + strings.Join(quoted, ",") + "]"
}

// child returns the pointer to a member of the value at a pointer.
func child(at, name string) string { return at + "/" + jsontext.Token(name) }

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// value returns a value of a card. An integer beyond a double is a bigint. A fraction beyond a
// double has no form in JavaScript and makes the part unfit.
func (w *writer) value(v json.RawMessage, at string) string {
	switch jsontext.KindOf(v) {
	case jsontext.String:
		return quote(jsontext.Unquote(v))
	case jsontext.Number:
		r, ok := schema.Rational(jsontext.Trim(v))
		if !ok {
			break
		}
		f, _ := r.Float64()
		text := strconv.FormatFloat(f, 'g', -1, 64)
		if shortest, ok := new(big.Rat).SetString(text); ok && shortest.Cmp(r) == 0 {
			return text
		}
		if r.IsInt() {
			return r.Num().String() + "n"
		}
		w.unfits(at, "this number has more digits than a double", "write fewer digits")
		return "0"
	case jsontext.Array:
		var list []string
		for _, e := range jsontext.Elements(v) {
			list = append(list, w.value(e, at))
		}
		return "[" + strings.Join(list, ",") + "]"
	case jsontext.Object:
		// In the order of their names, as a detail has them.
		members := map[string]string{}
		for name, e := range jsontext.Members(v) {
			members[name] = w.value(e, at)
		}
		o := &object{}
		for _, name := range sortedKeys(members) {
			o.add(name, members[name])
		}
		return o.String()
	}
	return string(jsontext.Trim(v))
}
