package catalog

import (
	"encoding/json"
	"fmt"

	"github.com/frondhost/frond/facade/expression"
	"github.com/frondhost/frond/schema"
)

// Access is the declared access to one door: a row of the table that `frond check` prints.
// The access rules of a remote's host are not known here.
type Access struct {
	Frond string `json:"frond"`
	Door  string `json:"door"` // "" for a fact that is about no door
	// Fact is set in the table of facts: the row is about receiving its events.
	Fact     string       `json:"fact,omitempty"`
	By       Authority    `json:"by"`
	At       string       `json:"at,omitempty"` // where it is said: FILE#POINTER
	Surfaces []Surface    `json:"surfaces"`     // those that show the door
	Rules    []RuleAccess `json:"rules,omitempty"`

	Remote bool `json:"remote,omitempty"` // its rows are kept by the host of a remote, which has rules of its own

	// File is the frond.yaml in which the access to the door is declared.
	File string `json:"-"`
}

// Authority names the source of the decision about calls to a door.
type Authority string

// The authorities.
const (
	ByRules  Authority = "rules"  // of a frond.yaml
	ByGoCode Authority = "code"   // a collector that Go code attaches
	ByWord   Authority = "open"   // its author calls it open
	ByHost   Authority = "host"   // its host alone: the remote is called open
	ByNobody Authority = "nobody" // it is open, and nobody said so
)

// RuleAccess is one rule of a frond.yaml: its condition, and the operations it opens.
type RuleAccess struct {
	When     string            `json:"when,omitempty"` // "": everybody
	Opens    []string          `json:"opens"`          // operations
	Denies   []string          `json:"denies"`         // operations it is for and does not open, a create that can never succeed too
	Rows     json.RawMessage   `json:"rows,omitempty"` // the filter as it is written
	Hide     []string          `json:"hide,omitempty"`
	ReadOnly []string          `json:"readOnly,omitempty"`
	Actor    bool              `json:"actor,omitempty"` // of events, shown
	Set      map[string]string `json:"set,omitempty"`   // the values as JSON

	Texts []expression.UserText `json:"-"` // of When
}

// Undecided reports the doors of a table, and the facts without a door, that are open without a
// declaration, each as a fault with the line to write. It leaves out a door that no surface
// shows, and a fact of a remote without a door, which reaches no caller.
func Undecided(table []Access) (faults schema.Faults) {
	for _, a := range table {
		if a.By != ByNobody || len(a.Surfaces) == 0 || a.Fact != "" && (a.Door != "" || a.Remote) {
			continue
		}
		name, who := a.Door, "everybody may do everything with "+a.Door
		if a.Fact != "" {
			name, who = a.Fact, "everybody may receive the fact "+a.Fact
		}
		f := schema.Fault{
			File: a.File, Pointer: "/collectors/" + name, Message: who + ", and no frond.yaml declares it open",
			Remedy: fmt.Sprintf("under collectors: write the line %q, or its access rules", name+": open"),
		}
		if a.Remote {
			f.Message = fmt.Sprintf("%s at its host, and this project does not declare it open", who)
			f.Remedy = fmt.Sprintf("under collectors: write the line %q, or access rules; if the host decides over all doors of %s, write in gateway.yaml remotes: {%[2]s: {url: http://…, open: true}}", name+": open", a.Frond)
		}
		faults = append(faults, f)
	}
	return faults
}
