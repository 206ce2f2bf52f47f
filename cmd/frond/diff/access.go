package diff

import (
	"maps"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// What callers may do is compared by classes: the callers for whom the condition of a rule
// holds and that of no rule before it, and everybody else. For each class and operation the
// rule that decides is found in both versions, as the façade finds it.
//
//	collectors:                            class                 list decided by
//	  order:
//	    - when: '"staff" in user.roles'    staff                 rule 1
//	    - when: user != nil                with a user           rule 2
//	      rows: {customerId: {eq: …}}
//	    - deny: all                        everybody else        rule 3
//
// A class of one version alone is decided in the other by the rules that hold for everybody.

// accessPair is the access to a door in both versions; a nil side has no such door.
type accessPair struct{ was, is *facade.Access }

// classPair is what a class of callers may do with an operation; nil is nothing.
type classPair struct{ was, is *facade.RuleAccess }

// grantPair is what holds for a field of a class in both versions.
type grantPair struct {
	hiddenWas, hiddenIs     bool
	readOnlyWas, readOnlyIs bool
	setWas, setIs           string
}

// access compares who may do what.
func (c *comparison) access() {
	was, is := accessOf(c.was), accessOf(c.is)
	for _, p := range c.doors() {
		var pair accessPair
		if p.was != nil {
			pair.was = was[doorKey(p.was)]
		}
		if p.is != nil {
			pair.is = is[doorKey(p.is)]
		}
		name := p.was
		if name == nil {
			name = p.is
		}
		try(&c.out, doorRules, pair, place{surface: OnAccess, at: name.Name})
		c.exposed(p)
		if p.was == nil || p.is == nil {
			continue
		}
		c.properties(p)
		if known(pair.was) && known(pair.is) && (pair.was.By == facade.ByRules || pair.is.By == facade.ByRules) {
			c.classes(p, pair)
		}
	}
}

// known reports whether the access to a door is written down: not in Go code, nor at a remote.
func known(a *facade.Access) bool {
	return a != nil && (a.By == facade.ByRules || a.By == facade.ByWord || a.By == facade.ByNobody)
}

// accessOf is the table of access by door.
func accessOf(v *Version) map[string]*facade.Access {
	out := map[string]*facade.Access{}
	table := v.catalog.Access()
	for i := range table {
		out[schema.EntityKey(table[i].Door)] = &table[i]
	}
	return out
}

// exposed finds operations over rows of before that a surface shows for the first time.
func (c *comparison) exposed(p doorPair) {
	if p.is == nil {
		return
	}
	if p.was == nil {
		old := c.was.catalog.Set.Entity(c.pair.oldName(doorKey(p.is)))
		if old == nil || old.View {
			return // an entity that is new has no rows
		}
	}
	for _, op := range p.is.Operations {
		var before *facade.Operation
		if p.was != nil {
			if before = p.was.Operation(op.Name); before == nil {
				continue // an operation that is new is not an opened one
			}
		}
		for _, s := range c.is.catalog.Surfaces() {
			if shown(c.is.of(s), op) != nil && shown(c.was.of(s), before) == nil {
				try(&c.out, exposureRules, string(s), place{surface: OnAccess, at: p.is.Name + "." + op.Name, audience: audienceOf(s)})
			}
		}
	}
}

// properties compares what the cards themselves open and close, for every caller.
func (c *comparison) properties(p doorPair) {
	if p.was.Entity == nil || p.is.Entity == nil {
		return
	}
	for _, f := range p.was.Entity.Fields {
		to := p.is.Entity.Property(c.pair.newField(p.was.Entity, f.Name))
		if to != nil {
			try(&c.out, propertyRules, [2]*schema.Property{f, to}, place{surface: OnAccess, at: p.was.Name + "." + f.Name})
		}
	}
}

// classes compares each class of callers on each operation that both versions have.
func (c *comparison) classes(p doorPair, pair accessPair) {
	var whens []string
	for _, side := range []*facade.Access{pair.was, pair.is} {
		for i := range side.Rules {
			if when := side.Rules[i].When; when != "" && when != "false" && !slices.Contains(whens, when) {
				whens = append(whens, when)
			}
		}
	}
	// Several operations of a class are often decided alike; what is found of fields is noted
	// once for the class. A rule with when: false holds for nobody.
	for _, when := range append(whens, "") {
		for _, op := range p.was.Operations {
			if p.is.Operation(op.Name) == nil {
				continue
			}
			here := place{surface: OnAccess, at: p.was.Name + "." + op.Name, member: callers(when)}
			decided := classPair{decide(pair.was, when, op.Name), decide(pair.is, when, op.Name)}
			try(&c.out, classRules, decided, here)
			if decided.was == nil || decided.is == nil {
				continue
			}
			c.grants(p, decided, when)
		}
	}
	try(&c.out, orderRules, [2][]string{order(pair.was, pair.is), order(pair.is, pair.was)}, place{surface: OnAccess, at: p.was.Name})
}

// callers names a class.
func callers(when string) string {
	if when == "" {
		return "everybody else"
	}
	return "callers with " + when
}

// decide finds the rule that decides over an operation for a class: nil is that it is closed.
// Without rules a door is open.
func decide(a *facade.Access, when, op string) *facade.RuleAccess {
	if a.By != facade.ByRules {
		return &facade.RuleAccess{}
	}
	for i := range a.Rules {
		r := &a.Rules[i]
		if r.When != "" && r.When != when {
			continue
		}
		if slices.Contains(r.Opens, op) {
			return r
		}
		if slices.Contains(r.Denies, op) {
			return nil
		}
	}
	return nil
}

// grants compares what a rule says of fields.
func (c *comparison) grants(p doorPair, decided classPair, when string) {
	var fields []string
	for _, r := range []*facade.RuleAccess{decided.was, decided.is} {
		fields = slices.Concat(fields, r.Hide, r.ReadOnly, slices.Sorted(maps.Keys(r.Set)))
	}
	slices.Sort(fields)
	for _, name := range slices.Compact(fields) {
		to := c.pair.newField(p.was.Entity, name)
		if !has(p.was, name) || !has(p.is, to) {
			continue // a field that is new or gone is no other access to it
		}
		g := grantPair{
			hiddenWas: slices.Contains(decided.was.Hide, name), hiddenIs: slices.Contains(decided.is.Hide, to),
			readOnlyWas: slices.Contains(decided.was.ReadOnly, name), readOnlyIs: slices.Contains(decided.is.ReadOnly, to),
			setWas: decided.was.Set[name], setIs: decided.is.Set[to],
		}
		try(&c.out, grantRules, g, place{surface: OnAccess, at: p.was.Name + "." + name, member: callers(when)})
	}
}

// has reports whether the rows of a door have a field, stored or computed.
func has(d *facade.Door, name string) bool {
	return d.Entity != nil && d.Entity.Property(name) != nil || slices.ContainsFunc(d.Computed, func(c *facade.Computed) bool { return c.Name == name })
}

// order are the conditions of a's rules that b has too, in their order.
func order(a, b *facade.Access) (whens []string) {
	for i := range a.Rules {
		when := a.Rules[i].When
		if when != "" && !slices.Contains(whens, when) && slices.ContainsFunc(b.Rules, func(r facade.RuleAccess) bool { return r.When == when }) {
			whens = append(whens, when)
		}
	}
	return whens
}

// rowsText is the filter of a rule, its members sorted: equal filters have equal texts. "" is
// every row.
func rowsText(r *facade.RuleAccess) string {
	if r == nil || r.Rows == nil {
		return ""
	}
	return "{" + strings.Join(conjuncts(r), ",") + "}"
}

// conjuncts are the conditions of a filter that all have to hold, as texts, sorted.
func conjuncts(r *facade.RuleAccess) (all []string) {
	if r == nil || r.Rows == nil {
		return nil
	}
	for name, value := range jsontext.Members(r.Rows) {
		all = append(all, string(jsontext.AppendName(nil, name))+string(value))
	}
	slices.Sort(all)
	return all
}
