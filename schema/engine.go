package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/frondhost/frond/schema/format"
	"github.com/frondhost/frond/schema/jsontext"
)

// The engine judges the keywords beyond a checker: schemas inside schemas, references,
// conditions. It is compiled once, for the places of a card that need it.
//
// The library (docs/decisions/judge.md) works on decoded values and answers with a tree of
// causes. This file passes it the card as a document. It turns the library's answers into
// faults with a remedy for authors, and into details in the order of the value for callers.

// engineURL is the base address of a card's own references: "#/$defs/money" becomes
// card:///card.json#/$defs/money. The engine never loads from it.
const engineURL = "card:///card.json"

// noLoader refuses every reference that leads out of the card: a card is data from outside,
// and must not make the host read files or call other hosts.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, errors.New("a card is self-contained: references stay within it")
}

// newEngineCompiler returns a compiler for draft 2020-12 that asserts our formats and loads no
// documents. With lenient, a pattern that RE2 cannot run holds for every text: the host that
// owns the card judges it (docs/decisions/card-language.md).
func newEngineCompiler(lenient bool) *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(func(s string) (jsonschema.Regexp, error) {
		re, err := regexp.Compile(s)
		if err != nil && lenient {
			return anyText(s), nil
		}
		return re, err
	})
	format.Assert(c)
	c.RegisterVocabulary(&jsonschema.Vocabulary{URL: "card:///names", Compile: compileNames})
	c.AssertVocabs()
	return c
}

// keyNames judges propertyNames a second time. The library judges it too, but keeps no copy of
// the object's path, so that its refusal may name another place.
type keyNames struct{ of *jsonschema.Schema }

// compileNames is the vocabulary of keyNames; nil for a schema without the keyword.
func compileNames(ctx *jsonschema.CompilerContext, schema map[string]any) (jsonschema.SchemaExt, error) {
	if _, ok := schema["propertyNames"]; !ok {
		return nil, nil
	}
	return keyNames{ctx.Enqueue([]string{"propertyNames"})}, nil
}

// Validate implements jsonschema.SchemaExt.
func (n keyNames) Validate(ctx *jsonschema.ValidatorContext, v any) {
	object, _ := v.(map[string]any)
	for name := range object {
		if ctx.Validate(n.of, name, []string{name}) != nil {
			ctx.AddError(&kind.PropertyNames{Property: name})
		}
	}
}

// anyText is a pattern that this host cannot run. It matches every text and prints as it was
// written.
type anyText string

func (anyText) MatchString(string) bool { return true }
func (t anyText) String() string        { return string(t) }

// engine compiles the places of one card. It is set up on first use, since most cards do
// without, and is for one goroutine; the schemas that it returns may be used from many.
type engine struct {
	// doc returns the card as text. It is called once, when all of the card is filled in.
	doc func() []byte
	// lenient says that the card is a remote's; see newEngineCompiler.
	lenient  bool
	compiler *jsonschema.Compiler
	// broken says that a fault was reported. One is enough: a broken $ref fails every place
	// that uses it.
	broken bool
	fault  func(at, message, remedy string)
}

// at returns the engine for the schema at a pointer into the card, such as /properties/price.
// It returns nil for a card with a fault, and reports the fault once.
func (g *engine) at(pointer string) *jsonschema.Schema {
	if g.broken {
		return nil
	}
	if g.compiler == nil {
		g.compiler = newEngineCompiler(g.lenient)
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(g.doc()))
		if err == nil {
			err = g.compiler.AddResource(engineURL, doc)
		}
		if err != nil {
			g.broken = true
			g.fault("", "the card cannot be read as JSON Schema", "write JSON Schema draft 2020-12")
			return nil
		}
	}
	s, err := g.compiler.Compile(engineURL + "#" + fragment(pointer))
	if err != nil {
		g.broken = true
		g.explain(pointer, err)
		return nil
	}
	return s
}

// engineOfWhole returns the engine for the keywords of a card about its object as a whole. It
// accepts every declared field, since the fields' checkers judge those:
//
//	{"type": "object", "properties": {"email": true, "phone": true},
//	 "anyOf": [{"required": ["email"]}, {"required": ["phone"]}]}
//
// The card's list of required names is left out too, because judge.must has it.
func (b *builder) engineOfWhole(card *Card) *jsonschema.Schema {
	yes := true
	whole := Card{Extra: card.Extra, Fields: make([]Field, len(card.Fields))}
	for i := range card.Fields {
		whole.Fields[i] = Field{Name: card.Fields[i].Name, Shape: Shape{Bool: &yes}}
	}
	g := engine{doc: func() []byte { return whole.AppendJSON(nil) }, lenient: b.lenient, fault: b.fault}
	return g.at("")
}

// explain turns the engine's refusal of a schema into faults, each with a remedy: a keyword of
// the wrong form, a pattern, a reference that leads nowhere or out of the card.
func (g *engine) explain(pointer string, err error) {
	const remedy = "write it as JSON Schema draft 2020-12 has it"
	var invalid *jsonschema.SchemaValidationError
	if errors.As(err, &invalid) {
		var ve *jsonschema.ValidationError
		if errors.As(invalid.Err, &ve) {
			for _, leaf := range leaves(ve) {
				_, message, _ := verdict(leaf.ErrorKind)
				g.fault(pointerOf("", leaf.InstanceLocation), "this is not valid JSON Schema: the value "+message, remedy)
			}
			return
		}
	}
	var pattern *jsonschema.InvalidRegexError
	if errors.As(err, &pattern) {
		g.fault(pointer, fmt.Sprintf("%q is not a regular expression this host can run", pattern.Regex), "write it in the syntax of RE2: no look-around, no back-references")
		return
	}
	var missing *jsonschema.JSONPointerNotFoundError
	var anchor *jsonschema.AnchorNotFoundError
	var load *jsonschema.LoadURLError
	var twice *jsonschema.DuplicateAnchorError
	switch {
	case errors.As(err, &missing), errors.As(err, &anchor):
		g.fault(pointer, "a reference ($ref) in it leads nowhere", "point into this card, such as #/$defs/money")
	case errors.As(err, &load):
		g.fault(pointer, "a reference ($ref) in it leads out of the card", "a card is self-contained: copy the schema under $defs and point at it")
	case errors.As(err, &twice):
		g.fault(pointer, "two schemas in it have one $anchor", "rename one of the two, or point at it by its path, such as #/$defs/money")
	default:
		g.fault(pointer, "the engine does not take this schema", remedy)
	}
}

// fragment writes a JSON pointer as a URL fragment (RFC 6901 section 6): /properties/a b
// becomes /properties/a%20b.
func fragment(pointer string) string {
	var b strings.Builder
	for i := 0; i < len(pointer); i++ {
		switch c := pointer[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~/", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// pointerOf returns the JSON pointer of tokens below at.
func pointerOf(at string, tokens []string) string {
	for _, t := range tokens {
		at += "/" + jsontext.Token(t)
	}
	return at
}

// leaves returns the refusals of an engine's answer that name something to do. A choice among
// schemas (anyOf, oneOf, not, contains) is one refusal, not one for each alternative that did
// not fit: the caller meant one of them, and the reasons of the others would only mislead.
func leaves(ve *jsonschema.ValidationError) []*jsonschema.ValidationError {
	switch ve.ErrorKind.(type) {
	case *kind.PropertyNames:
		// The library reports propertyNames with causes; keyNames reports it too.
		if len(ve.Causes) > 0 {
			return nil
		}
		return []*jsonschema.ValidationError{ve}
	case *kind.AnyOf, *kind.OneOf, *kind.Not, *kind.Contains, *kind.MinContains:
		return []*jsonschema.ValidationError{ve}
	}
	if len(ve.Causes) == 0 {
		return []*jsonschema.ValidationError{ve}
	}
	var all []*jsonschema.ValidationError
	for _, c := range ve.Causes {
		all = append(all, leaves(c)...)
	}
	return all
}

// engine judges a value by the engine, and adds its refusals to the run as the checkers would
// have: the same codes, sentences and order.
func (j *judging) engine(s *jsonschema.Schema, value json.RawMessage) {
	// The engine works on big numbers without end: 1e999999999 would cost it minutes
	// (docs/decisions/judge.md).
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil || !workable(doc) {
		j.refuse("type", "holds a number no double can", nil)
		return
	}
	var ve *jsonschema.ValidationError
	if !errors.As(s.Validate(doc), &ve) {
		return
	}
	var all refusals
	causes := leaves(ve)
	for _, leaf := range causes {
		if !tooLong(leaf, causes) {
			all.add(value, leaf)
		}
	}
	// The engine walks maps; callers expect the order of the input.
	slices.SortStableFunc(all, func(a, b refusal) int {
		// Two branches that refuse alike come in the order of a map; one of them is kept.
		return cmp.Or(slices.Compare(a.at, b.at), slices.Compare(a.tokens, b.tokens), cmp.Compare(a.code, b.code), cmp.Compare(a.text, b.text))
	})
	for i, f := range all {
		if i > 0 && f.code == all[i-1].code && slices.Equal(f.tokens, all[i-1].tokens) {
			continue // the same word from two branches of one allOf
		}
		depth := len(j.stack)
		for _, t := range f.tokens {
			j.stack = append(j.stack, step{name: t, index: -1})
		}
		j.refuse(f.code, f.text, f.params)
		j.stack = j.stack[:depth]
	}
}

// refusal is a refusal of the engine before it has its place: tokens lead from the value to the
// refused part, and at is the same path by positions, for the order.
type refusal struct {
	at     []int
	tokens []string
	code   string
	text   string
	params map[string]any
}

type refusals []refusal

// add notes a cause that the engine gives for the refusal of a value. The engine refuses an
// object for its members; a refusal is about one member.
func (all *refusals) add(value json.RawMessage, leaf *jsonschema.ValidationError) {
	note := func(code, text string, params map[string]any, tokens []string) {
		*all = append(*all, refusal{ordinals(value, tokens), tokens, code, text, params})
	}
	here := leaf.InstanceLocation
	each := func(names []string, code, text string, params map[string]any) {
		for _, name := range names {
			note(code, text, params, append(slices.Clone(here), name))
		}
	}
	switch k := leaf.ErrorKind.(type) {
	case *kind.Required:
		each(k.Missing, "required", msgRequired, nil)
	case *kind.DependentRequired:
		each(k.Missing, "dependentRequired", "is required where "+k.Prop+" is given", map[string]any{"property": k.Prop})
	case *kind.Dependency:
		each(k.Missing, "dependentRequired", "is required where "+k.Prop+" is given", map[string]any{"property": k.Prop})
	case *kind.AdditionalProperties:
		each(k.Properties, UnknownKey, msgUnknown, nil)
	case *kind.FalseSchema:
		// A key that unevaluatedProperties: false refuses is an unknown key to a caller.
		// Any other schema false says that the field is not allowed under some condition.
		if strings.HasSuffix(leaf.SchemaURL, "/unevaluatedProperties") || strings.HasSuffix(leaf.SchemaURL, "/additionalProperties") {
			note(UnknownKey, msgUnknown, nil, here)
			return
		}
		note("not", "must be left out: no value is allowed here", nil, here)
	default:
		code, text, params := verdict(leaf.ErrorKind)
		note(code, text, params, here)
	}
}

// tooLong says whether a leaf refuses by its pattern a text that the same schema finds too long:
// the checkers do not ask the pattern then.
func tooLong(leaf *jsonschema.ValidationError, all []*jsonschema.ValidationError) bool {
	if _, is := leaf.ErrorKind.(*kind.Pattern); !is {
		return false
	}
	return slices.ContainsFunc(all, func(other *jsonschema.ValidationError) bool {
		_, is := other.ErrorKind.(*kind.MaxLength)
		return is && other.SchemaURL == leaf.SchemaURL && slices.Equal(other.InstanceLocation, leaf.InstanceLocation)
	})
}

// workable says whether all numbers of a decoded value, at any depth, are within the bounds of
// number.go.
func workable(v any) bool {
	switch v := v.(type) {
	case json.Number:
		return bounded([]byte(v))
	case []any:
		return !slices.ContainsFunc(v, func(x any) bool { return !workable(x) })
	case map[string]any:
		return workable(slices.Collect(maps.Values(v)))
	}
	return true
}

// ordinals returns the path of the tokens in value as positions among siblings. An absent part,
// such as a missing member, sorts after every present one.
//
//	{"a": 1, "b": [5, 6]}   /b/1 is [1 1],  /c is [MaxInt]
func ordinals(value json.RawMessage, tokens []string) []int {
	at := make([]int, 0, len(tokens))
	v := value
	for _, t := range tokens {
		var next json.RawMessage
		n := 0
		if jsontext.KindOf(v) == jsontext.Array {
			for i, e := range jsontext.Elements(v) {
				if n = i; strconv.Itoa(i) == t {
					next = e
					break
				}
			}
		} else {
			for name, e := range jsontext.Members(v) {
				if name == t {
					next = e
					break
				}
				n++
			}
		}
		if next == nil {
			return append(at, math.MaxInt)
		}
		at = append(at, n)
		v = next
	}
	return at
}
