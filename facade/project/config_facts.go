package project

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// facts reads facts: names, the cards of their data, and the commands that emit them:
//
//	facts:
//	  - {name: orderPlaced, schema: order, on: order.create}
//	  - {name: orderShipped, on: [order.update], when: before.status != after.status}
func (r *configReader) facts(value json.RawMessage, at string) (facts []Fact) {
	if jsontext.KindOf(value) != jsontext.Array {
		r.fault(at, "facts has to be a list", "write facts: [{name: orderPlaced, schema: order}]")
		return nil
	}
	for i, item := range jsontext.Elements(value) {
		f := Fact{At: fmt.Sprint(at, "/", i)}
		r.members(item, f.At, "a fact", factKeys, readers{
			"name":   into(&f.Name, r.string),
			"schema": into(&f.Schema, r.part),
			"on": func(value json.RawMessage, at string) {
				f.On = r.sources(value, at, "on: order.create, or on: [order.create, order.update]")
			},
			"when": into(&f.When, r.condition),
		})
		switch {
		case f.Name == "":
			r.fault(f.At, "a fact has to have a name", "write name: orderPlaced")
		case slices.ContainsFunc(facts, func(o Fact) bool { return o.Name == f.Name }):
			r.fault(f.At, fmt.Sprintf("the fact %s is declared twice", f.Name), "leave the second one out")
		case f.When != "" && f.On == nil:
			r.fault(f.At+"/when", "when says which rows of on are announced, and there is no on", "write on: order.update beside it, or leave when out: Go code decides when it emits")
		}
		facts = append(facts, f)
	}
	return facts
}

// condition reads the when of a fact.
func (r *configReader) condition(value json.RawMessage, at string) string {
	if jsontext.KindOf(value) != jsontext.String || jsontext.Unquote(value) == "" {
		r.fault(at, "when has to be an expression", `write such as when: after.status == "shipped", or leave it out to announce every row`)
		return ""
	}
	return jsontext.Unquote(value)
}

// changes reads changes: the doors of which every change is announced, or '*' for all.
func (r *configReader) changes(value json.RawMessage, at string) []Named {
	return r.sources(value, at, "changes: [product, order], or changes: '*'")
}

// sources reads one name, or a list of them.
func (r *configReader) sources(value json.RawMessage, at, like string) (list []Named) {
	if jsontext.KindOf(value) == jsontext.String {
		return []Named{{jsontext.Unquote(value), at}}
	}
	list = r.distinct(value, at, like)
	if len(list) == 0 && jsontext.KindOf(value) == jsontext.Array {
		r.fault(at, "the list is empty", "write "+like+", or leave it out")
	}
	return list
}

// scheduleKeys are the keys of a scheduled command.
var scheduleKeys = schema.KeyNames(schema.Below(frondKeys, "schedule", "*"))

// schedule reads schedule: the commands that run at times.
//
//	schedule: {order.closeStale: {cron: "0 3 * * *", zone: Europe/Paris}}
func (r *configReader) schedule(value json.RawMessage, at string) (all []Scheduled) {
	r.object(value, at, "schedule", nil, func(name, at string, value json.RawMessage) {
		s := Scheduled{Name: name, At: at}
		r.object(value, at, "a scheduled command", scheduleKeys, func(name, at string, value json.RawMessage) {
			switch name {
			case "cron":
				s.Cron = r.string(value, at)
			case "zone":
				s.Zone = r.string(value, at)
			case "state":
				if jsontext.KindOf(value) != jsontext.Object {
					r.fault(at, "state has to be an object", "write the state of a caller, such as {user: {id: cron, roles: [staff]}}, or leave it out")
					return
				}
				s.State = value
			}
		})
		if s.Cron == "" && jsontext.KindOf(value) == jsontext.Object && jsontext.Get(value, "cron") == nil {
			r.fault(at, "a scheduled command has to say when it runs", `write cron: "0 3 * * *", say`)
		}
		if s.Cron != "" {
			all = append(all, s)
		}
	})
	return all
}
