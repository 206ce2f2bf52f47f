package rights

import (
	"fmt"
	"slices"

	"github.com/frondhost/frond/facade/catalog"
)

// Coverage is the part of the access rules that checks have tried.
type Coverage struct {
	Reached int   `json:"reached"`
	Of      int   `json:"of"`
	Gaps    []Gap `json:"gaps"`
}

// Percent is the reached part; 100 for rules without parts.
func (c *Coverage) Percent() int {
	if c.Of == 0 {
		return 100
	}
	return c.Reached * 100 / c.Of
}

// Gap is a part that no check has tried: a rule that decided over no call, a hidden field that no check asked for, or an operation that
// no caller was refused.
type Gap struct {
	Kind string `json:"kind"` // rule, field or operation
	At   string `json:"at"`   // the rule, or the rules of the door
	Of   string `json:"of"`   // the condition of the rule, the field or the operation
}

// String returns the gap as a line.
func (g *Gap) String() string {
	switch g.Kind {
	case "rule":
		return fmt.Sprintf("no check reaches the rule %s: %s", g.At, g.Of)
	case "field":
		return fmt.Sprintf("no check asks for %s, which %s hides", g.Of, g.At)
	}
	return fmt.Sprintf("no check is refused %s (%s)", g.Of, g.At)
}

// coverage collects what checks have tried.
type coverage struct {
	rules   map[string]bool // by their places
	fields  map[string]bool // a rule and a field that it hides, with a space between them
	refused map[string]bool // operations, as door.operation
}

func newCoverage() *coverage {
	return &coverage{map[string]bool{}, map[string]bool{}, map[string]bool{}}
}

// report compares the tried parts with the access rules of the catalog. Rules for several doors ('*') count once.
func (c *coverage) report(of *catalog.Catalog) Coverage {
	out := Coverage{Gaps: []Gap{}}
	counted := map[string]bool{}
	part := func(reached bool, id string, gap Gap) {
		if counted[id] {
			return
		}
		counted[id] = true
		if out.Of++; reached {
			out.Reached++
		} else {
			out.Gaps = append(out.Gaps, gap)
		}
	}
	for i := range of.Access {
		door := &of.Access[i]
		for n := range door.Rules {
			rule, at := &door.Rules[n], fmt.Sprint(door.At, "/", n)
			when := rule.When
			if when == "" {
				when = "(no when)"
			}
			part(c.rules[at], at, Gap{"rule", at, when})
			for _, field := range rule.Hide {
				if id := at + " " + field; slices.Contains(rule.Opens, "list") || slices.Contains(rule.Opens, "findById") {
					part(c.fields[id], id, Gap{"field", at, door.Door + "." + field})
				}
			}
		}
		for _, op := range of.Door(door.Door).Operations {
			if id := door.Door + "." + op.Name; refusable(door, op) {
				part(c.refused[id], id, Gap{"operation", door.At, id})
			}
		}
	}
	return out
}

// refusable reports whether rules refuse an operation to some caller. findByIds and operations with the rights of others are left out.
func refusable(door *catalog.Access, op *catalog.Operation) bool {
	if len(door.Rules) == 0 || op.Derived() || op.Name == "findByIds" {
		return false
	}
	for i := range door.Rules {
		switch rule := &door.Rules[i]; {
		case slices.Contains(rule.Denies, op.Name):
			return true
		case rule.When == "" && slices.Contains(rule.Opens, op.Name):
			return false
		}
	}
	return true
}
