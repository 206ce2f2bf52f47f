package schema

import (
	"encoding/json"
	"maps"
	"math/big"
	"regexp"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Rules are the decisions of a compiled schema as plain data, for programs that judge as
// [Entity.Judge] does. The zero value accepts every value. A rule about values of one type
// accepts the values of every other type.
type Rules struct {
	// Verdict is set for the schemas true and false; the other members are then empty.
	Verdict *bool
	// Whole has every rule of a schema with keywords such as anyOf. Items and Fields then
	// serve to find unknown keys alone. nil: the other members are all the rules.
	Whole *jsonschema.Schema
	// Types are the accepted types, null last; nil accepts every type.
	Types []string
	Const json.RawMessage   // nil: none
	Enum  []json.RawMessage // nil: none
	// Format is the name of an asserted format, or "".
	Format  string
	Pattern *regexp.Regexp // nil: none
	// Limits are the numbers of minLength, maxItems, minProperties and their like.
	Limits map[string]int
	// Bounds are the limits of numbers, in the order of the card.
	Bounds []Bound
	Unique bool   // uniqueItems
	Items  *Rules // nil accepts any element
	// Fields are the declared members in order. nil: the object is bare.
	Fields []FieldRules
	// Closed refuses keys that neither Fields nor Known name. Known is sorted.
	Closed bool
	Known  []string
	// Required are the names that a nested object must have.
	Required []string
}

// FieldRules are the rules of a member of an object.
type FieldRules struct {
	Name string
	Rules
}

// Bound is a limit of numbers, with the name of its keyword.
type Bound struct {
	Keyword string
	Limit   *big.Rat
}

// Rules returns the rules of the card. Its Fields have the places of Entity.Fields, and its
// Required is empty: [Card] lists the required fields. The parts of the result are not to be
// changed.
func (e *Entity) Rules() Rules {
	r := Rules{Whole: e.judge.whole}
	r.setObject(e.judge.card)
	if e.judge.bare {
		r.Fields = nil
	}
	return r
}

// rules returns the rules of a checker.
func (c *checker) rules() Rules {
	r := Rules{Verdict: c.verdict, Whole: c.whole, Types: c.types.names()}
	if c.constant != nil {
		r.Const = c.constant.raw[0]
	}
	if c.enum != nil {
		r.Enum = c.enum.raw
	}
	if t := c.text; t != nil {
		if t.isFormat != nil {
			r.Format = t.format
		}
		r.Pattern = t.pattern
		r.limit("minLength", t.minLength)
		r.limit("maxLength", t.maxLength)
	}
	for _, b := range c.bounds {
		limit, _ := Rational(b.limit)
		r.Bounds = append(r.Bounds, Bound{b.keyword, limit})
	}
	if l := c.list; l != nil {
		r.limit("minItems", l.minItems)
		r.limit("maxItems", l.maxItems)
		r.Unique = l.unique
		if l.items != nil {
			items := l.items.rules()
			r.Items = &items
		}
	}
	if c.object != nil {
		r.setObject(c.object)
	}
	return r
}

// limit notes the number of a keyword, unless it is negative.
func (r *Rules) limit(keyword string, n int) {
	if n < 0 {
		return
	}
	if r.Limits == nil {
		r.Limits = map[string]int{}
	}
	r.Limits[keyword] = n
}

// setObject notes the rules about the keys of an object.
func (r *Rules) setObject(o *objectRules) {
	r.limit("minProperties", o.minProperties)
	r.limit("maxProperties", o.maxProperties)
	r.Closed, r.Required = o.closed, o.required
	r.Known = slices.Sorted(maps.Keys(o.known))
	if o.props != nil || o.closed {
		r.Fields = make([]FieldRules, len(o.props))
		for i, p := range o.props {
			r.Fields[i] = FieldRules{p.name, p.rules()}
		}
	}
}
