package facade

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/frondhost/frond/schema"
)

// Access is who may do what with one door, as far as it is written down: the row of a
// table that `frond check` prints. Access of a remote is not known here.
type Access struct {
	Frond string `json:"frond"`
	Door  string `json:"door"` // "" for a fact that is about no door
	// Fact is set in the table of facts: who may receive its events.
	Fact     string       `json:"fact,omitempty"`
	By       Authority    `json:"by"`
	At       string       `json:"at,omitempty"` // where it is said: FILE#POINTER
	Surfaces []Surface    `json:"surfaces"`     // those that show the door
	Rules    []RuleAccess `json:"rules,omitempty"`

	file string // the frond.yaml where a word for the door would stand
}

// Authority is what decides who may call a door.
type Authority string

// The authorities.
const (
	ByRules  Authority = "rules"  // of a frond.yaml
	ByGoCode Authority = "code"   // a collector that Go code attaches
	ByWord   Authority = "open"   // its author calls it open
	ByHost   Authority = "host"   // the remote it runs at; nothing is said here
	ByNobody Authority = "nobody" // it is open, and nobody said so
)

// RuleAccess is one rule of a frond.yaml: for whom it holds, and what it opens to them.
type RuleAccess struct {
	When     string            `json:"when,omitempty"` // "": everybody
	Opens    []string          `json:"opens"`          // operations
	Denies   []string          `json:"denies"`         // operations it is for and does not open, a create that can never succeed too
	Rows     json.RawMessage   `json:"rows,omitempty"` // the filter as it is written
	Hide     []string          `json:"hide,omitempty"`
	ReadOnly []string          `json:"readOnly,omitempty"`
	Set      map[string]string `json:"set,omitempty"` // the values as JSON
}

// Access lists who may do what, door by door, in declaration order. It is computed on
// every call; nothing in it is shared with the catalog.
func (c *Catalog) Access() (all []Access) {
	shown := map[string][]Surface{}
	for _, s := range c.Surfaces() {
		view, _ := c.Surface(s)
		for _, f := range view.Fronds {
			for _, d := range f.Doors {
				shown[d.Name] = append(shown[d.Name], s)
			}
		}
	}
	for _, f := range c.Fronds {
		for _, d := range f.Doors {
			a := Access{Frond: f.Name, Door: d.Name, By: d.authority(), At: d.said, Surfaces: append([]Surface{}, shown[d.Name]...), file: f.file}
			if r, is := d.collector.(*rules); is {
				a.Rules = r.access(d)
			}
			all = append(all, a)
		}
	}
	return all
}

// FactAccess lists who may receive the events of each fact, in declaration order: of one about
// the rows of a door, the rules of the door that open its list. It is computed on every call.
func (c *Catalog) FactAccess() (all []Access) {
	for _, f := range c.Fronds {
		for _, fact := range f.Facts {
			a := Access{Frond: f.Name, Fact: fact.Name, By: fact.judged.authority(), At: fact.judged.said, Surfaces: []Surface{}, file: f.file}
			if fact.Door != nil {
				a.Door = fact.Door.Name
			}
			for _, s := range c.Surfaces() {
				if view, _ := c.Surface(s); view.Announces(fact) {
					a.Surfaces = append(a.Surfaces, s)
				}
			}
			if r, is := fact.judged.collector.(*rules); is {
				a.Rules = r.receiving(fact)
			}
			all = append(all, a)
		}
	}
	return all
}

// receiving is the rules of a fact's collector as a table, as far as they are about its events;
// it has a line for every rule.
func (r *rules) receiving(f *Fact) []RuleAccess {
	reading := f.judged.reading()
	out := make([]RuleAccess, len(r.list))
	for i, this := range r.list {
		a := RuleAccess{When: this.source.When, Opens: []string{}, Denies: []string{}}
		switch {
		case !this.isFor(reading.Name):
		case this.permits(reading):
			a.Opens, a.Rows, a.Hide = []string{f.Name}, this.source.Rows, this.hide
		default:
			a.Denies = []string{f.Name}
		}
		out[i] = a
	}
	return out
}

// authority is what decides over the door: rules before Go code before the word open.
func (d *Door) authority() Authority {
	_, written := d.collector.(*rules)
	switch {
	case written:
		return ByRules
	case d.collector != nil:
		return ByGoCode
	case d.unclosed:
		return ByWord
	case d.Frond.Remote != "":
		return ByHost
	}
	return ByNobody
}

// access is the rules of a door as a table. An operation for which an earlier rule with
// the same when, or with none, decides is not listed again: the first rule that holds is
// the one that counts.
func (r *rules) access(d *Door) []RuleAccess {
	out := make([]RuleAccess, len(r.list))
	for i, this := range r.list {
		a := RuleAccess{When: this.source.When, Opens: []string{}, Denies: []string{}, Rows: this.source.Rows, Hide: this.hide, ReadOnly: this.readOnly}
		uncreatable, _ := this.neverCreates(d)
		for _, op := range d.Operations {
			decided := slices.ContainsFunc(r.list[:i], func(earlier *rule) bool {
				return earlier.isFor(op.Name) && (earlier.when == nil || earlier.source.When == this.source.When)
			})
			switch {
			case decided, !this.isFor(op.Name):
			case this.permits(op) && (op.Name != "create" || uncreatable == ""):
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

// Undecided reports the doors of a table, and the facts that are about no door, that are open
// although nobody wrote so, each as a fault with the line to write. A door that no surface shows needs none, and the doors of
// a remote are for the remote to close.
func Undecided(table []Access) (faults schema.Faults) {
	for _, a := range table {
		if a.By != ByNobody || len(a.Surfaces) == 0 || a.Fact != "" && a.Door != "" {
			continue
		}
		name, who, rules := a.Door, "everybody may do everything with "+a.Door, "who may do what"
		if a.Fact != "" {
			name, who, rules = a.Fact, "everybody may receive the fact "+a.Fact, "who may receive it"
		}
		faults = append(faults, schema.Fault{
			File: a.file, Pointer: "/collectors/" + name, Message: who + ", and nobody has said so",
			Remedy: fmt.Sprintf("under collectors: write the line %q, or rules that say %s", name+": open", rules),
		})
	}
	return faults
}
