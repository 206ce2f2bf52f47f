package catalog

import (
	"slices"
	"strings"
)

// FullName is the name of the fact with its Frond: shop.orderPlaced.
func (f *Fact) FullName() string { return f.Frond.Name + "." + f.Name }

// ChangesName is the name of the fact that announces the changes of a door.
func ChangesName(door string) string { return door + "Changed" }

// Fact returns a fact by the name of its Frond, in any spelling, and its own, or nil.
func (c *Catalog) Fact(frond, name string) *Fact {
	for _, f := range c.Fronds {
		if !strings.EqualFold(f.Name, frond) {
			continue
		}
		for _, fact := range f.Facts {
			if fact.Name == name {
				return fact
			}
		}
	}
	return nil
}

// FactsNamed returns the facts that a name can mean, FROND.NAME or NAME, and the full names of
// all that there are, sorted.
func (c *Catalog) FactsNamed(name string) (found []*Fact, all []string) {
	for f := range c.Facts() {
		all = append(all, f.FullName())
		if f.Name == name || f.FullName() == name {
			found = append(found, f)
		}
	}
	slices.Sort(all)
	return found, all
}

// Announce notes that a change of the door's rows emits the fact.
func (d *Door) Announce(c Change, f *Fact) {
	if d.Announced == nil {
		d.Announced = map[Change][]*Fact{}
	}
	d.Announced[c] = append(d.Announced[c], f)
}

// By says what made the write of an event.
type By string

// The values of By.
const (
	ByCall     By = "call"     // a caller's call
	ByHandler  By = "handler"  // Go code that a call has run
	ByJob      By = "job"      // a job of the schedule
	ByImport   By = "import"   // a caller's import
	ByConsumer By = "consumer" // a consumer of an event
	BySigned   By = "signed"   // a call that another host has signed, without an actor
)
