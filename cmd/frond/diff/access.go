package diff

import (
	"maps"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// What callers may do is compared by classes: the callers for whom one condition holds, or two,
// and everybody else. For each class and operation the rule that decides is found in both
// versions, as the façade finds it.
//
//	collectors:                            class                 list decided by
//	  order:
//	    - when: '"staff" in user.roles'    staff                 rule 1
//	    - when: user != nil                with a user           rule 2
//	      rows: {customerId: {eq: …}}
//	    - deny: all                        everybody else        rule 3
//
// A class of one version alone is decided in the other by the rules that hold for everybody.

// grant holds the restrictions of a rule on one field.
type grant struct {
	hidden, readOnly bool
	set              string
}

// access compares the rights of callers.
func (c *comparison) access() {
	was, is := accessOf(c.was.catalog.Access, accessDoor), accessOf(c.is.catalog.Access, accessDoor)
	for _, p := range c.doors() {
		var rights pair[catalog.Access]
		if p.was != nil {
			rights.was = was[doorKey(p.was)]
		}
		if p.is != nil {
			rights.is = is[doorKey(p.is)]
		}
		try(&c.out, doorRules, rights, place{surface: accessSurface, at: p.either().Name})
		c.exposed(p)
		if p.was == nil || p.is == nil {
			continue
		}
		c.properties(p)
		if known(rights.was) && known(rights.is) && (rights.was.By == catalog.ByRules || rights.is.By == catalog.ByRules) {
			c.classes(p, rights)
		}
	}
}

// known reports whether the access to a door is written down: not in Go code, nor at a remote.
func known(a *catalog.Access) bool {
	return a != nil && (a.By == catalog.ByRules || a.By == catalog.ByWord || a.By == catalog.ByNobody && !a.Remote)
}

// accessOf is a table of access by the keys of its rows.
func accessOf(table []catalog.Access, key func(*catalog.Access) string) map[string]*catalog.Access {
	out := map[string]*catalog.Access{}
	for i := range table {
		out[key(&table[i])] = &table[i]
	}
	return out
}

// accessDoor is the key of the door that a row is about.
func accessDoor(a *catalog.Access) string { return schema.EntityKey(a.Door) }

// exposed finds operations over rows of before that a surface shows for the first time.
func (c *comparison) exposed(p pair[catalog.Door]) {
	if p.is == nil {
		return
	}
	if p.was == nil {
		old := c.was.catalog.Set.Entity(c.pair.oldName(doorKey(p.is)))
		if old == nil || old.View {
			return // a new entity has no rows
		}
	}
	for _, op := range p.is.Operations {
		var before *catalog.Operation
		if p.was != nil {
			if before = p.was.Operation(op.Name); before == nil {
				continue // an operation that is new is not an opened one
			}
		}
		for _, s := range c.is.catalog.Surfaces() {
			if shown(c.is.of(s), op) != nil && shown(c.was.of(s), before) == nil {
				try(&c.out, exposureRules, string(s), place{surface: accessSurface, at: p.is.Name + "." + op.Name, audience: audienceOf(s)})
			}
		}
	}
}

// properties compares the fields that the cards themselves open and close, for every caller.
func (c *comparison) properties(p pair[catalog.Door]) {
	if p.was.Entity == nil || p.is.Entity == nil {
		return
	}
	for _, f := range p.was.Entity.Fields {
		to := p.is.Entity.Property(c.pair.newField(p.was.Entity, f.Name))
		if to != nil {
			try(&c.out, propertyRules, pair[schema.Property]{f, to}, place{surface: accessSurface, at: p.was.Name + "." + f.Name})
		}
	}
}

// classes compares each class of callers on each operation that both versions have.
func (c *comparison) classes(p pair[catalog.Door], rights pair[catalog.Access]) {
	for _, class := range classesOf(rights) {
		for _, op := range p.was.Operations {
			if p.is.Operation(op.Name) == nil {
				continue
			}
			decided := decidedFor(rights, class, op.Name)
			if len(class) == 2 && (decided == decidedFor(rights, class[:1], op.Name) || decided == decidedFor(rights, class[1:], op.Name)) {
				continue // one of the conditions alone is decided by the same rules
			}
			try(&c.out, classRules, decided, place{surface: accessSurface, at: p.was.Name + "." + op.Name, member: callers(class)})
			if decided.was != nil && decided.is != nil {
				c.grants(p, decided, class)
			}
		}
	}
}

// classesOf are the classes of callers that either version distinguishes: those for whom one
// condition holds, those for whom two hold, and all others. If more of them hold for a caller,
// the first rule of each version decides, and these two conditions are a class. A rule with
// when: false holds for no caller.
func classesOf(rights pair[catalog.Access]) (classes [][]string) {
	var whens []string
	for _, side := range []*catalog.Access{rights.was, rights.is} {
		for i := range side.Rules {
			if when := side.Rules[i].When; when != "" && when != "false" && !slices.Contains(whens, when) {
				whens = append(whens, when)
			}
		}
	}
	for i, a := range whens {
		classes = append(classes, []string{a})
		for _, b := range whens[:i] {
			classes = append(classes, []string{b, a})
		}
	}
	return append(classes, nil)
}

// callers names a class.
func callers(class []string) string {
	if len(class) == 0 {
		return "everybody else"
	}
	return "callers with " + strings.Join(class, " and ")
}

// decidedFor is what both versions decide for a class.
func decidedFor(rights pair[catalog.Access], class []string, op string) pair[catalog.RuleAccess] {
	return pair[catalog.RuleAccess]{decide(rights.was, class, op), decide(rights.is, class, op)}
}

// anything is the access to a door without rules.
var anything = &catalog.RuleAccess{}

// decide finds the rule that decides over an operation for the callers for whom these
// conditions hold and no others: nil is that it is closed. Without rules a door is open.
func decide(a *catalog.Access, class []string, op string) *catalog.RuleAccess {
	if a.By != catalog.ByRules {
		return anything
	}
	for i := range a.Rules {
		r := &a.Rules[i]
		switch {
		case r.When != "" && !slices.Contains(class, r.When):
		case slices.Contains(r.Opens, op):
			return r
		case slices.Contains(r.Denies, op):
			return nil
		}
	}
	return nil
}

// grants compares a rule's restrictions of fields.
func (c *comparison) grants(p pair[catalog.Door], decided pair[catalog.RuleAccess], class []string) {
	var fields []string
	for _, r := range []*catalog.RuleAccess{decided.was, decided.is} {
		fields = slices.Concat(fields, r.Hide, r.ReadOnly, slices.Sorted(maps.Keys(r.Set)))
	}
	slices.Sort(fields)
	for _, name := range slices.Compact(fields) {
		to := c.pair.newField(p.was.Entity, name)
		if !has(p.was, name) || !has(p.is, to) {
			continue // access to a new or removed field is not compared
		}
		try(&c.out, grantRules, pair[grant]{grantOf(decided.was, name), grantOf(decided.is, to)}, place{surface: accessSurface, at: p.was.Name + "." + name, member: callers(class)})
	}
}

// grantOf returns the restrictions of a rule on a field.
func grantOf(r *catalog.RuleAccess, field string) *grant {
	return &grant{hidden: slices.Contains(r.Hide, field), readOnly: slices.Contains(r.ReadOnly, field), set: r.Set[field]}
}

// has reports whether the rows of a door have a field, stored or computed.
func has(d *catalog.Door, name string) bool {
	return d.Entity != nil && d.Entity.Property(name) != nil || slices.ContainsFunc(d.Computed, func(c *catalog.Computed) bool { return c.Name == name })
}

// conjuncts are the conditions of a filter that all have to hold, as texts, sorted.
func conjuncts(r *catalog.RuleAccess) (all []string) {
	for name, value := range jsontext.Members(r.Rows) {
		all = append(all, string(jsontext.AppendName(nil, name))+string(value))
	}
	slices.Sort(all)
	return all
}

// rowsText is the filter of a rule, its members sorted: equal filters have equal texts.
func rowsText(r *catalog.RuleAccess) string {
	if r.Rows == nil {
		return "all rows"
	}
	return "{" + strings.Join(conjuncts(r), ",") + "}"
}
