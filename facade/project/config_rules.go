package project

import (
	"encoding/json"
	"fmt"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// ruleKeys are the keys of a rule, from the table in keys.go.
var ruleKeys = schema.KeyNames(ruleTable)

// collectors reads collectors: {order: [{when: …, rows: …}, …], product: open}.
func (r *configReader) collectors(value json.RawMessage, at string) (all []Collector) {
	r.object(value, at, "collectors", nil, func(name, at string, value json.RawMessage) {
		c := Collector{Name: name, At: at, Open: isWord(value, "open")}
		switch {
		case c.Open:
			all = append(all, c)
			return
		case jsontext.KindOf(value) != jsontext.Array:
			r.fault(at, "a collector has to be a list of rules, or the word open", "write one rule per line: - when: user != nil; or write open where everybody may do everything")
			return
		}
		for i, item := range jsontext.Elements(value) {
			c.Rules = append(c.Rules, r.rule(item, fmt.Sprint(at, "/", i)))
		}
		// An empty list would close the door for everybody, which an author writes as deny:
		// all (docs/decisions/access-rules.md).
		if len(c.Rules) == 0 {
			r.fault(at, "this collector has no rule, which would shut the door for everybody", "write a rule, or say it: - deny: all")
			return
		}
		// The first rule that matches counts, so that a rule after one without a condition is a
		// mistake. One report is enough for all rules after it.
		for i, rule := range c.Rules[:len(c.Rules)-1] {
			if rule.When == "" && rule.Ops == nil {
				r.fault(c.Rules[i+1].At, fmt.Sprintf("this rule is never reached: rule %d has no when and matches everybody", i), "give that rule a when, or move it to the end")
				break
			}
		}
		all = append(all, c)
	})
	return all
}

// rule reads one rule of a collector. That its expressions and fields exist is checked
// when it is compiled.
func (r *configReader) rule(value json.RawMessage, at string) Rule {
	c := Rule{At: at}
	r.object(value, at, "a rule", ruleKeys, func(name, at string, value json.RawMessage) {
		switch name {
		case "when":
			// true and false are booleans in YAML, not expressions. An unreadable value
			// becomes false: a rule with a fault must not match everybody.
			switch jsontext.KindOf(value) {
			case jsontext.True: // when: true
			case jsontext.False:
				c.When = "false"
			default:
				if c.When = jsontext.Unquote(value); jsontext.KindOf(value) != jsontext.String || c.When == "" {
					c.When = "false"
					r.fault(at, "when has to be an expression", `write such as when: user.id != nil, or leave it out for a rule that matches everybody`)
				}
			}
		case "for":
			if c.Ops = r.names(value, at, "for: [update, delete]"); len(c.Ops) == 0 {
				r.fault(at, "the rule is for no operation, so that it is never used", "name some, such as for: [update, delete], or leave it out for a rule of all operations")
			}
		// Rows is parsed when the rule is compiled, when the fields of the door are known.
		case "rows":
			c.Rows = value
		case "hide":
			c.Hide = r.names(value, at, "hide: [internalNote]")
		case "readOnly":
			c.ReadOnly = r.names(value, at, "readOnly: [status]")
		case "actor":
			if c.Actor = jsontext.KindOf(value) == jsontext.True; !c.Actor && jsontext.KindOf(value) != jsontext.False {
				r.fault(at, "actor is neither true nor false", "write actor: true to show the subscriber who caused an event")
			}
		case "set":
			r.object(value, at, "set", nil, func(name, at string, value json.RawMessage) {
				c.Set = append(c.Set, Preset{name, at, value})
			})
		case "allow":
			if c.AllowAll = isWord(value, "all"); c.AllowAll {
				return
			}
			if c.Allow = r.names(value, at, "allow: [list, findById], or allow: all"); len(c.Allow) == 0 && jsontext.KindOf(value) == jsontext.Array {
				r.fault(at, "the rule allows no operation, so that it denies all of them", "name some, or write deny: all")
			}
		case "deny":
			if c.DenyAll = isWord(value, "all"); !c.DenyAll {
				c.Deny = r.names(value, at, "deny: [create, delete], or deny: all")
			}
		}
	})
	return c
}

// computed reads computed: {product: {inStock: {type: boolean, value: stock > 0}}}.
func (r *configReader) computed(value json.RawMessage, at string) (all []Computed) {
	r.object(value, at, "computed", nil, func(door, doorAt string, value json.RawMessage) {
		r.object(value, doorAt, "the computed fields of "+door, nil, func(name, at string, value json.RawMessage) {
			c := Computed{Door: door, DoorAt: doorAt, Name: name, At: at}
			const remedy = "write a type and a value: {type: boolean, value: 'stock > 0'}"
			if jsontext.KindOf(value) != jsontext.Object {
				r.fault(at, "a computed field has to be an object", remedy)
				return
			}
			// value is an expression and no keyword of JSON Schema; the other members are the
			// shape.
			shape := []byte{'{'}
			for name, value := range jsontext.Members(value) {
				if name == "value" {
					if c.Value = r.string(value, at+"/value"); c.Value == "" {
						return
					}
					continue
				}
				shape = append(jsontext.AppendName(jsontext.Comma(shape), name), value...)
			}
			c.Shape = append(shape, '}')
			all = append(all, c)
		})
	})
	return all
}
