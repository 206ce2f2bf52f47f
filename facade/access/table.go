package access

import (
	"slices"

	"github.com/frondhost/frond/facade/catalog"
)

// Table lists the access to each door, in declaration order.
func Table(c *catalog.Catalog, collectors map[*catalog.Door]Collector) (all []catalog.Access) {
	shown := map[string][]catalog.Surface{}
	for _, s := range c.Surfaces() {
		view, _ := c.Surface(s)
		for d := range view.Doors() {
			shown[d.Name] = append(shown[d.Name], s)
		}
	}
	for d := range c.Doors() {
		a := catalog.Access{Frond: d.Frond.Name, Door: d.Name, By: AuthorityOf(d, collectors[d]), At: d.AccessAt, Surfaces: append([]catalog.Surface{}, shown[d.Name]...), Remote: d.Frond.Remote != "", File: d.Frond.File}
		if r, is := collectors[d].(*rules); is {
			a.Rules = r.access(d)
		}
		all = append(all, a)
	}
	return all
}

// FactTable lists the access to the events of each fact, in declaration order. A fact about
// the rows of a door has the rules of the door that open its list.
func FactTable(c *catalog.Catalog, collectors map[*catalog.Door]Collector) (all []catalog.Access) {
	for fact := range c.Facts() {
		a := catalog.Access{Frond: fact.Frond.Name, Fact: fact.Name, By: AuthorityOf(fact.Judged, collectors[fact.Judged]), At: fact.Judged.AccessAt, Surfaces: []catalog.Surface{}, Remote: fact.Frond.Remote != "", File: fact.Frond.File}
		if fact.Door != nil {
			a.Door = fact.Door.Name
		}
		for _, s := range c.Surfaces() {
			if view, _ := c.Surface(s); view.Announces(fact) {
				a.Surfaces = append(a.Surfaces, s)
			}
		}
		if r, is := collectors[fact.Judged].(*rules); is {
			a.Rules = r.receiving(fact)
		}
		all = append(all, a)
	}
	return all
}

// receiving is the rules of a fact's collector as a table, as far as they are about its events;
// it has a line for every rule.
func (r *rules) receiving(f *catalog.Fact) []catalog.RuleAccess {
	reading := f.Judged.Reading()
	out := make([]catalog.RuleAccess, len(r.list))
	for i, this := range r.list {
		a := catalog.RuleAccess{When: this.source.When, Opens: []string{}, Denies: []string{}}
		switch {
		case !this.isFor(reading.Name):
		case this.permits(reading):
			a.Opens, a.Rows, a.Hide, a.Actor = []string{f.Name}, this.source.Rows, this.hide, this.actor
		default:
			a.Denies = []string{f.Name}
		}
		out[i] = a
	}
	return out
}

// AuthorityOf is what decides over the door: rules before Go code before the word open.
func AuthorityOf(d *catalog.Door, c Collector) catalog.Authority {
	_, written := c.(*rules)
	switch {
	case written:
		return catalog.ByRules
	case c != nil:
		return catalog.ByGoCode
	case d.Open:
		return catalog.ByWord
	case d.Frond.Remote != "" && d.Frond.Open:
		return catalog.ByHost
	}
	return catalog.ByNobody
}

// HostDecides reports whether no rule of this project decides over the door of a remote.
func HostDecides(d *catalog.Door, c Collector) bool {
	by := AuthorityOf(d, c)
	return d.Frond.Remote != "" && (by == catalog.ByHost || by == catalog.ByNobody)
}

// manyOf is whether a rule permits a write of many rows, and whether it decides: a rule that decides
// over one of the operations of one row may close it, and the rule of the first one opens it.
func manyOf(this *rule, op *catalog.Operation, permitted func(*catalog.Operation) (permits, decides bool)) (permits, decides bool) {
	permits = !slices.Contains(this.deny, op.Name)
	first := false
	for i, need := range op.Needs {
		one, here := permitted(need)
		decides = decides || here
		permits = permits && (one || !here)
		first = first || i == 0 && here
	}
	return permits, decides && (first || !permits)
}

// access is the rules of a door as a table. An operation is listed once, at the first rule that
// decides on it: a later rule with the same when, or after a rule without a when, does not list
// it again.
func (r *rules) access(d *catalog.Door) []catalog.RuleAccess {
	out := make([]catalog.RuleAccess, len(r.list))
	for i, this := range r.list {
		a := catalog.RuleAccess{When: this.source.When, Opens: []string{}, Denies: []string{}, Rows: this.source.Rows, Hide: this.hide, ReadOnly: this.readOnly, Actor: this.actor}
		if this.when != nil {
			a.Texts = this.when.Texts
		}
		uncreatable, _ := this.neverCreates(d)
		// permitted says whether the rule permits an operation of one row, and whether it decides.
		permitted := func(op *catalog.Operation) (permits, decides bool) {
			earlier := slices.ContainsFunc(r.list[:i], func(earlier *rule) bool {
				return earlier.isFor(op.Name) && (earlier.when == nil || earlier.source.When == this.source.When)
			})
			return this.permits(op) && (op.Name != "create" || uncreatable == ""), !earlier && this.isFor(op.Name)
		}
		for _, op := range d.Operations {
			permits, decides := permitted(op)
			if op.Derived() {
				permits, decides = manyOf(this, op, permitted)
			}
			switch {
			case !decides:
			case permits:
				a.Opens = append(a.Opens, op.Name)
			default:
				a.Denies = append(a.Denies, op.Name)
			}
		}
		for _, p := range this.source.Set {
			if a.Set == nil {
				a.Set = map[string]string{}
			}
			a.Set[p.Name] = string(p.Value)
		}
		out[i] = a
	}
	return out
}
