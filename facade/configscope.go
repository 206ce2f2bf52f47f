package facade

import (
	"encoding/json"
	"fmt"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// collectorConfig is what a frond.yaml says of one door, or of all that have no entry
// of their own.
type collectorConfig struct {
	name, at string
	open     bool // the word open in place of rules
	rules    []ruleConfig
}

// others is the name that stands for every door of a Frond without an entry of its own.
const others = "*"

type ruleConfig struct {
	at       string
	when     string   // "": always
	ops      []string // for: of these operations alone; nil: of all
	rows     json.RawMessage
	hide     []string
	readOnly []string
	set      []presetConfig
	allow    []string // operations; nil: not written
	allowAll bool     // allow: all
	deny     []string // operations
	all      bool     // deny: all
}

type presetConfig struct {
	name, at string
	value    json.RawMessage
}

// computedConfig is one computed field as its frond.yaml has it: a shape, and the
// expression that gives its value.
type computedConfig struct {
	door, doorAt string
	name, at     string
	shape        json.RawMessage // what stands beside value
	value        string
}

var ruleKeys = schema.KeyNames(ruleTable)

// collectors reads collectors: {order: [{when: …, rows: …}, …], product: open}.
func (r *configReader) collectors(value json.RawMessage, at string) (all []collectorConfig) {
	r.object(value, at, "collectors", nil, func(name, at string, value json.RawMessage) {
		c := collectorConfig{name: name, at: at, open: isWord(value, "open")}
		switch {
		case c.open:
			all = append(all, c)
			return
		case jsontext.KindOf(value) != jsontext.Array:
			r.fault(at, "a collector has to be a list of rules, or the word open", "write one rule per line: - when: user != nil; or write open where everybody may do everything")
			return
		}
		for i, item := range jsontext.Elements(value) {
			c.rules = append(c.rules, r.rule(item, fmt.Sprint(at, "/", i)))
		}
		if len(c.rules) == 0 {
			r.fault(at, "this collector has no rule, which would shut the door for everybody", "write a rule, or say it: - deny: all")
			return
		}
		for i, rule := range c.rules[:len(c.rules)-1] {
			if rule.when == "" && rule.ops == nil {
				r.fault(c.rules[i+1].at, fmt.Sprintf("this rule is never reached: rule %d has no when and matches everybody", i), "give that rule a when, or move it to the end")
				break
			}
		}
		all = append(all, c)
	})
	return all
}

func (r *configReader) rule(value json.RawMessage, at string) ruleConfig {
	c := ruleConfig{at: at}
	r.object(value, at, "a rule", ruleKeys, func(name, at string, value json.RawMessage) {
		switch name {
		case "when":
			switch jsontext.KindOf(value) {
			case jsontext.True: // when: true
			case jsontext.False:
				c.when = "false"
			default:
				if c.when = jsontext.Unquote(value); jsontext.KindOf(value) != jsontext.String || c.when == "" {
					c.when = "false"
					r.fault(at, "when has to be an expression", `write such as when: user.role == "admin", or leave it out for a rule that matches everybody`)
				}
			}
		case "for":
			if c.ops = r.names(value, at, "for: [update, delete]"); len(c.ops) == 0 {
				r.fault(at, "the rule is for no operation, so that it is never used", "name some, such as for: [update, delete], or leave it out for a rule of all operations")
			}
		case "rows":
			c.rows = value
		case "hide":
			c.hide = r.names(value, at, "hide: [internalNote]")
		case "readOnly":
			c.readOnly = r.names(value, at, "readOnly: [status]")
		case "set":
			r.object(value, at, "set", nil, func(name, at string, value json.RawMessage) {
				c.set = append(c.set, presetConfig{name, at, value})
			})
		case "allow":
			if c.allowAll = isWord(value, "all"); c.allowAll {
				return
			}
			if c.allow = r.names(value, at, "allow: [list, findById], or allow: all"); len(c.allow) == 0 && jsontext.KindOf(value) == jsontext.Array {
				r.fault(at, "the rule allows no operation, so that it denies all of them", "name some, or write deny: all")
			}
		case "deny":
			if c.all = isWord(value, "all"); !c.all {
				c.deny = r.names(value, at, "deny: [create, delete], or deny: all")
			}
		}
	})
	return c
}

// isWord says whether a value is one word that stands in place of a list.
func isWord(value json.RawMessage, word string) bool {
	return jsontext.KindOf(value) == jsontext.String && jsontext.Unquote(value) == word
}

// names reads a list of names; like says what to write.
func (r *configReader) names(value json.RawMessage, at, like string) []string {
	names := []string{}
	if jsontext.KindOf(value) != jsontext.Array {
		r.fault(at, at[lastSlash(at):]+" has to be a list of names", "write "+like)
		return names
	}
	for i, item := range jsontext.Elements(value) {
		if jsontext.KindOf(item) != jsontext.String {
			r.fault(fmt.Sprint(at, "/", i), "this is no name", "write "+like)
			item = json.RawMessage(`""`)
		}
		names = append(names, jsontext.Unquote(item))
	}
	return names
}

func lastSlash(at string) int {
	for i := len(at) - 1; i >= 0; i-- {
		if at[i] == '/' {
			return i + 1
		}
	}
	return 0
}

// computed reads computed: {product: {inStock: {type: boolean, value: stock > 0}}}.
func (r *configReader) computed(value json.RawMessage, at string) (all []computedConfig) {
	r.object(value, at, "computed", nil, func(door, doorAt string, value json.RawMessage) {
		r.object(value, doorAt, "the computed fields of "+door, nil, func(name, at string, value json.RawMessage) {
			c := computedConfig{door: door, doorAt: doorAt, name: name, at: at}
			const remedy = "write a type and a value: {type: boolean, value: 'stock > 0'}"
			if jsontext.KindOf(value) != jsontext.Object {
				r.fault(at, "a computed field has to be an object", remedy)
				return
			}
			shape := []byte{'{'}
			for name, value := range jsontext.Members(value) {
				if name == "value" {
					if c.value = r.string(value, at+"/value"); c.value == "" {
						return
					}
					continue
				}
				if len(shape) > 1 {
					shape = append(shape, ',')
				}
				shape = append(append(jsontext.AppendString(shape, name), ':'), value...)
			}
			c.shape = append(shape, '}')
			all = append(all, c)
		})
	})
	return all
}
