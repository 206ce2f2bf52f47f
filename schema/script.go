package schema

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

	"github.com/frondhost/frond/schema/jsontext"
)

// A Script is the judge as data for JavaScript. It holds the decisions of a compiled card: the
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
//	           pattern that needs the matcher a tree (scriptmatcher.go)
//	bounds     [keyword, limit] of minimum and its like; a limit that a double, or JavaScript's
//	           text of one, is not is [decimal, its text in the message]
//	enumText   the message, if it differs from the values joined; constText is the same of const
//	whole      the node of the engine for all keywords except fields and items
//	true, false, 0   any value; none; none, where the key is then unknown
//
// A field of the card has three further elements: flags, the fill for an absent value, and its
// own message for read_only.

// flags of a field of a card, as the runtime tests them.
const (
	scriptMust      = 1 << iota // required at creation
	scriptReadOnly              // read_only at creation and update
	scriptImmutable             // immutable at update
	scriptWhole                 // replaced by a patch, never merged: the field has a conversion
)

// Script is the judge of a card as data.
type Script struct {
	// Data is a JavaScript expression: literals alone, no calls.
	Data string
	// Formats are the names of the formats that it asserts, sorted.
	Formats []string
	// Engine says that it has a node that takes all of JSON Schema.
	Engine bool
	// Matcher says that it has a pattern that needs the linear matcher.
	Matcher bool
	// Skipped says which fields accept every value, because only the host can judge them.
	Skipped Faults

	faults Faults // reasons why the card has no script
}

// Script returns the judge of the card as data for JavaScript, the same for the same card. A
// field with a rule that JavaScript cannot judge accepts every value and is named by Skipped. The
// error is Faults: every $dynamicRef whose target depends on the way to it.
//
// preset names fields that the host fills in for every caller. They are not required; nor are
// those that the card itself fills.
func (e *Entity) Script(preset ...string) (*Script, error) {
	script, skipped := e.script(preset, nil)
	if skipped != nil {
		script, _ = e.script(preset, skipped)
		for _, i := range slices.Sorted(maps.Keys(skipped)) {
			script.Skipped = append(script.Skipped, skipped[i]...)
		}
	}
	return script, script.faults.sorted().Err()
}

// script writes the card without the fields of skipped, by their places in the card; the place
// after the last field means the card's own conditions. It returns the fields that turned out
// to be unfit, with the reasons; nil for none.
func (e *Entity) script(preset []string, skipped map[int]Faults) (*Script, map[int]Faults) {
	w := &scriptWriter{entity: e, preset: preset, skipped: skipped, nodes: map[*jsonschema.Schema]int{}, formats: map[string]bool{}, unfit: map[int]Faults{}, refers: map[int][]int{}}
	fields := make([]string, len(e.Fields))
	for i, p := range e.Fields {
		w.part = i
		fields[i] = w.field(i, p)
	}
	w.part = len(e.Fields)
	c := e.judge.card
	o := &scriptObject{}
	if !e.judge.bare {
		o.add("fields", "["+strings.Join(fields, ",")+"]")
		w.keys(o, c)
	}
	if e.judge.whole != nil {
		if skipped[w.part] == nil {
			o.add("whole", w.engine(e.judge.whole, ""))
		}
	} else {
		w.count(o, "minProperties", c.minProperties)
		w.count(o, "maxProperties", c.maxProperties)
	}
	// The nodes that references lead to are known once everything else is written.
	w.defs(o)
	return &Script{Data: o.String(), Formats: sortedKeys(w.formats), Engine: w.whole, Matcher: w.matcher, faults: w.faults}, w.skips()
}

// scriptWriter writes one card. Its zero values are not ready; see Entity.Script.
type scriptWriter struct {
	entity *Entity
	preset []string
	// nodes are the engine's schemas that a reference leads to, by their place in queue.
	nodes   map[*jsonschema.Schema]int
	queue   []*jsonschema.Schema
	formats map[string]bool
	whole   bool // a node of the engine was written
	matcher bool // a tree of the matcher was written
	faults  Faults
	skipped map[int]Faults
	// part is the part being written: a field by its place, the card's own conditions after
	// the last field, then the nodes of queue. unfit gives the reasons why JavaScript cannot
	// judge a part, and refers the parts that a part refers to.
	part   int
	unfit  map[int]Faults
	refers map[int][]int
}

// scriptObject is a JavaScript object being written.
type scriptObject struct{ strings.Builder }

func (o *scriptObject) add(name, value string) {
	if o.Len() > 0 {
		o.WriteByte(',')
	}
	o.WriteString(scriptKey(name) + ":" + value)
}

// list adds a member that is a list of values, if there are any.
func (o *scriptObject) list(name string, values []string) {
	if len(values) > 0 {
		o.add(name, "["+strings.Join(values, ",")+"]")
	}
}

// String is the object with its braces.
func (o *scriptObject) String() string { return "{" + o.Builder.String() + "}" }

// scriptKey is a member's name. {"__proto__": …} would set the prototype.
func scriptKey(name string) string {
	if name == "__proto__" {
		return `["__proto__"]`
	}
	for i := 0; i < len(name); i++ {
		if c := name[i]; !isWord(c) || i == 0 && c >= '0' && c <= '9' {
			return scriptString(name)
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

// scriptString is a string as JSON, which ECMAScript reads alike since 2019.
func scriptString(s string) string { return string(jsontext.Quote(s)) }

// unfits records why JavaScript cannot judge the current part.
func (w *scriptWriter) unfits(at, message, remedy string) {
	w.unfit[w.part] = append(w.unfit[w.part], Fault{File: w.entity.Name, Pointer: at, Message: message, Remedy: remedy})
}

// skips returns the fields that are unfit, or refer to a part that is, with the reasons; nil
// for none.
func (w *scriptWriter) skips() map[int]Faults {
	var skipped map[int]Faults
	for i := range len(w.entity.Fields) + 1 {
		seen := map[int]bool{}
		var reasons Faults
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
			skipped = map[int]Faults{}
		}
		skipped[i] = reasons
	}
	return skipped
}

// field returns a field of the card: [name, node, flags, fill, message], without empty elements
// at the end.
func (w *scriptWriter) field(i int, p *Property) string {
	flags := 0
	if w.entity.judge.must[i] && !slices.Contains(w.preset, p.Name) {
		flags |= scriptMust
	}
	message := ""
	if code, text := p.forbids(Create); code != "" {
		flags |= scriptReadOnly
		if text != msgReadOnly {
			message = text
		}
	}
	if code, _ := p.forbids(Update); code == Immutable {
		flags |= scriptImmutable
	}
	c := w.entity.judge.card.props[i].checker
	if c.object != nil && c.object.props != nil && !p.merges() {
		flags |= scriptWhole
	}
	node, fill := "true", w.fill(p)
	if w.skipped[i] == nil {
		node = w.node(c, child("/properties", p.Name))
	} else if w.unfit[i] != nil {
		fill = "0" // the value to fill in is the reason
	}
	parts := []string{scriptString(p.Name), node, strconv.Itoa(flags), fill, scriptString(message)}
	for n := len(parts); n > 2 && slices.Contains([]string{"0", `""`}, parts[n-1]); n-- {
		parts = parts[:n-1]
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// fill returns the value that a host writes into an absent field; 0 for none.
//
//	{value: …}   at creation       {now: "date-time"}      at creation, in that form
//	{many: 1}    an empty list     {update: "date-time"}   at update
func (w *scriptWriter) fill(p *Property) string {
	if !p.Stored {
		return "0"
	}
	o := &scriptObject{}
	switch r := p.Axes.Create; {
	case r != nil && r.Value != nil:
		o.add("value", w.value(r.Value, child("/properties", p.Name)+"/x-kit/lifecycle/create/value"))
	case r != nil && r.Now:
		o.add("now", scriptString(nowForm(p)))
	case r == nil && p.Link != nil && p.Link.Many:
		o.add("many", "1")
	}
	if p.Axes.Update == UpdateNow {
		o.add("update", scriptString(nowForm(p)))
	}
	if o.Len() == 0 {
		return "0"
	}
	return o.String()
}

// nowForm is how a host writes the time of a call into a field.
func nowForm(p *Property) string {
	switch {
	case p.Kind == KindInteger, p.Kind == KindNumber:
		return "number"
	case p.Kind == KindDate:
		return "date"
	case p.Shape.Format == "time":
		return "time"
	}
	return "date-time"
}

// node is a checker.
func (w *scriptWriter) node(c *checker, at string) string {
	if c.verdict != nil {
		return strconv.FormatBool(*c.verdict)
	}
	o := &scriptObject{}
	if c.whole != nil {
		// Everything is the engine's but finding unknown keys.
		o.add("whole", w.engine(c.whole, at))
	} else {
		if c.types != 0 {
			o.add("type", scriptTypes(c.types.names()))
		}
		if c.constant != nil {
			w.constant(o, c.constant.raw[0], at)
		}
		if c.enum != nil {
			w.enum(o, c.enum.raw, at)
		}
		if t := c.text; t != nil {
			if t.isFormat != nil {
				w.format(o, t.format, at)
			}
			w.count(o, "minLength", t.minLength)
			w.count(o, "maxLength", t.maxLength)
			if t.pattern != nil {
				w.pattern(o, t.pattern.String())
			}
		}
		var bounds []string
		for _, b := range c.bounds {
			r, _ := rational(b.limit)
			bounds = append(bounds, w.bound(b.keyword, r))
		}
		o.list("bounds", bounds)
	}
	if l := c.list; l != nil {
		if l.items != nil {
			o.add("items", w.node(l.items, child(at, "items")))
		}
		if c.whole == nil {
			w.count(o, "minItems", l.minItems)
			w.count(o, "maxItems", l.maxItems)
			if l.unique {
				o.add("uniqueItems", "1")
			}
		}
	}
	if k := c.object; k != nil {
		if k.props != nil || k.closed {
			list := make([]string, len(k.props))
			for i, p := range k.props {
				list[i] = "[" + scriptString(p.name) + "," + w.node(p.checker, child(child(at, "properties"), p.name)) + "]"
			}
			o.add("fields", "["+strings.Join(list, ",")+"]")
			w.keys(o, k)
		}
		if c.whole == nil {
			if k.required != nil {
				o.add("required", scriptStrings(k.required))
			}
			w.count(o, "minProperties", k.minProperties)
			w.count(o, "maxProperties", k.maxProperties)
		}
	}
	return o.String()
}

// keys writes which keys an object accepts in addition to its fields.
func (w *scriptWriter) keys(o *scriptObject, k *objectRules) {
	switch {
	case !k.closed:
		o.add("open", "1")
	case len(k.known) > 0:
		o.add("known", scriptStrings(sortedKeys(k.known)))
	}
}

// count adds a limit that is a whole number; -1 is none.
func (w *scriptWriter) count(o *scriptObject, keyword string, n int) {
	if n >= 0 {
		o.add(keyword, strconv.Itoa(n))
	}
}

// bound is a limit of numbers: [keyword, limit].
func (w *scriptWriter) bound(keyword string, limit *big.Rat) string {
	_, message, _ := limitOf(keyword, limit)
	shown := message[strings.LastIndexByte(message, ' ')+1:]
	decimal := limit.RatString()
	if !limit.IsInt() {
		places, _ := limit.FloatPrec()
		decimal = limit.FloatString(places)
	}
	f, _ := limit.Float64()
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if math.Abs(f) > 1<<53 || f != 0 && math.Abs(f) < 1e-6 || text != decimal || text != shown {
		text = "[" + scriptString(decimal) + "," + scriptString(shown) + "]"
	}
	return "[" + scriptString(keyword) + "," + text + "]"
}

// constant adds a const with its message, where that is not its text.
func (w *scriptWriter) constant(o *scriptObject, value json.RawMessage, at string) {
	o.add("const", w.value(value, at+"/const"))
	plain := plainValue(value)
	if message := constMessage(plain); !scriptPlain(plain) {
		o.add("constText", scriptString(message))
	}
}

// enum adds an enum with its message, where that is not its values joined.
func (w *scriptWriter) enum(o *scriptObject, values []json.RawMessage, at string) {
	list, plain, simple, length := make([]string, len(values)), make([]any, len(values)), true, 0
	for i, v := range values {
		list[i], plain[i] = w.value(v, fmt.Sprint(at, "/enum/", i)), plainValue(v)
		simple = simple && scriptPlain(plain[i])
		length += len(display(plain[i])) + 2
	}
	o.add("enum", "["+strings.Join(list, ",")+"]")
	if !simple || length > 200 {
		o.add("enumText", scriptString(enumMessage(plain)))
	}
}

// scriptPlain says whether String of JavaScript writes a value as display does.
func scriptPlain(v any) bool {
	switch v := v.(type) {
	case nil, string, bool:
		return true
	case float64:
		return v == math.Trunc(v) && math.Abs(v) < 1e6 && (v != 0 || !math.Signbit(v))
	}
	return false
}

// format adds a format that is asserted.
func (w *scriptWriter) format(o *scriptObject, name, at string) {
	if name == "regex" {
		w.unfits(at+"/format", "a browser does not know the regular expressions of RE2", "leave the format out to have the rest of its rules judged there")
		return
	}
	w.formats[name] = true
	o.add("format", scriptString(name))
}

// pattern adds a pattern.
func (w *scriptWriter) pattern(o *scriptObject, source string) {
	o.add("pattern", scriptString(source))
	if re := w.regexp(source); re != scriptString(source) {
		o.add("re", re)
	}
}

// regexp writes a pattern that Go has compiled: as ECMAScript has it, or as the tree of the
// matcher where the engine of a browser might never end.
func (w *scriptWriter) regexp(source string) string {
	re, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		panic(err) // the card was compiled with it
	}
	if re = squash(re); direct(re) {
		var b strings.Builder
		writePattern(&b, re)
		return scriptString(b.String())
	}
	w.matcher = true
	return matcherTree(re)
}

// scriptTypes is a type: one name, or a list.
func scriptTypes(names []string) string {
	if len(names) == 1 {
		return scriptString(names[0])
	}
	return scriptStrings(names)
}

// scriptStrings is a list of strings.
func scriptStrings(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = scriptString(s)
	}
	return "[" + strings.Join(quoted, ",") + "]"
}

// value returns a value of a card. An integer beyond a double is a bigint. A fraction beyond a
// double has no form in JavaScript and makes the part unfit.
func (w *scriptWriter) value(v json.RawMessage, at string) string {
	switch jsontext.KindOf(v) {
	case jsontext.String:
		return scriptString(jsontext.Unquote(v))
	case jsontext.Number:
		r, ok := rational(jsontext.Trim(v))
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
		o := &scriptObject{}
		for _, name := range sortedKeys(members) {
			o.add(name, members[name])
		}
		return o.String()
	}
	return string(jsontext.Trim(v))
}
