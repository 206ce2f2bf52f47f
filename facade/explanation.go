package facade

import (
	"encoding/json"

	"github.com/frondhost/frond/facade/kiterror"
)

// Explanation is how one call went, step by step (decision 117). It holds everything,
// hidden fields and the rules of others among it: it is for the author's terminal and
// never for a caller.
type Explanation struct {
	Entity    string          `json:"entity"`
	Operation string          `json:"operation"`
	Frond     string          `json:"frond,omitempty"` // "": there is no such operation
	Kind      Kind            `json:"kind,omitempty"`
	By        string          `json:"by,omitempty"` // who answers: store, handler, remote, nobody
	Scopes    []Scoping       `json:"scopes"`       // the collectors that were asked, in their order
	Columns   []string        `json:"columns"`      // what is read of the rows
	Fields    []string        `json:"fields"`       // what leaves of them, computed fields among it
	Computed  []string        `json:"computed"`     // the computed ones
	Store     []*StoreCall    `json:"store"`        // what the store was asked
	Written   string          `json:"written"`      // of a command: why nothing is; "" of a query
	Rows      int             `json:"rows"`         // of the answer
	Error     *kiterror.Error `json:"error,omitempty"`
	// Calls are those that handlers and presenters made on the way.
	Calls []*Explanation `json:"calls,omitempty"`
}

// Scoping is what one collector answered about one door.
type Scoping struct {
	Door     string          `json:"door"`
	For      string          `json:"for"`             // the operation it was asked about
	At       string          `json:"at"`              // where it is declared; Go code; none
	Rules    []RuleVerdict   `json:"rules,omitempty"` // of a frond.yaml, in their order
	Rows     json.RawMessage `json:"rows,omitempty"`  // the filter; absent: all rows
	Hide     []string        `json:"hide,omitempty"`
	ReadOnly []string        `json:"readOnly,omitempty"` // fields that are seen and cannot be sent
	Set      json.RawMessage `json:"set,omitempty"`
	Error    *kiterror.Error `json:"error,omitempty"` // the verdict of a collector that denies
}

// RuleVerdict is one rule and what came of it.
type RuleVerdict struct {
	When    string `json:"when"`    // the expression; "": always
	Verdict string `json:"verdict"` // holds, does not hold, is not for this operation, fails: …, is not asked
}

// StoreCall is one call of the store, or one call that was sent to a remote.
type StoreCall struct {
	Does       string          `json:"does"` // find, insert, update, delete, read
	Entity     string          `json:"entity"`
	Filter     json.RawMessage `json:"filter,omitempty"` // what the rows have to meet
	Columns    []string        `json:"columns,omitempty"`
	Statements []Statement     `json:"statements"`
	Note       string          `json:"note,omitempty"`
}

// The words of Explanation.Written.
const (
	rolledBack = "the statement ran and was undone"
	notAsked   = "the store was not asked: it cannot undo"
	notRun     = "the author's handler was not run"
)
