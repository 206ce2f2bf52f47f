package catalog

import (
	"encoding/json"
	"fmt"

	"github.com/frondhost/frond/facade/expression"
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

	// File is the frond.yaml where a word for the door would stand.
	File string `json:"-"`
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

	Texts []expression.UserText `json:"-"` // of When
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
			File: a.File, Pointer: "/collectors/" + name, Message: who + ", and nobody has said so",
			Remedy: fmt.Sprintf("under collectors: write the line %q, or rules that say %s", name+": open", rules),
		})
	}
	return faults
}
