package facade

import (
	"encoding/json"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
)

// Explanation is how one call went, step by step (docs/decisions/settings-and-commands.md). It holds everything,
// hidden fields and the rules of others among it: it is for the author's terminal and
// never for a caller.
type Explanation struct {
	Entity    string `json:"entity"`
	Operation string `json:"operation"`
	// Frond is "" where there is no such operation.
	Frond string       `json:"frond,omitempty"`
	Kind  catalog.Kind `json:"kind,omitempty"`
	// By is who answers: store, handler, remote or nobody.
	By string `json:"by,omitempty"`
	// Scopes are what the collectors answered, in their order.
	Scopes []Scoping `json:"scopes"`
	// Columns are what is read of the rows.
	Columns []string `json:"columns"`
	// Fields are what leaves of the rows, Computed those of them that are computed.
	Fields   []string `json:"fields"`
	Computed []string `json:"computed"`
	// Store are the calls of the store, and what is sent to remotes.
	Store []*StoreCall `json:"store"`
	// Tries is how often a command ran that is a transaction; 0 where it is none or was not
	// run. Calls are those of all tries.
	Tries int `json:"tries,omitempty"`
	// Written is why a command writes nothing; "" for a query.
	Written string `json:"written"`
	// Facts are those that a command would emit, as FROND.NAME.
	Facts []string `json:"facts,omitempty"`
	// Rows is how many rows the answer has.
	Rows  int             `json:"rows"`
	Error *kiterror.Error `json:"error,omitempty"`
	// Calls are those that handlers and presenters made on the way.
	Calls []*Explanation `json:"calls,omitempty"`
}

// Scoping is what one collector answered about one door.
type Scoping struct {
	Door     string               `json:"door"`
	For      string               `json:"for"`             // the operation it was asked about
	At       string               `json:"at"`              // where it is declared; Go code; none
	Rules    []access.RuleVerdict `json:"rules,omitempty"` // of a frond.yaml, in their order
	Rows     json.RawMessage      `json:"rows,omitempty"`  // the filter; absent: all rows
	Hide     []string             `json:"hide,omitempty"`
	ReadOnly []string             `json:"readOnly,omitempty"` // fields that are seen and cannot be sent
	Set      json.RawMessage      `json:"set,omitempty"`
	Error    *kiterror.Error      `json:"error,omitempty"` // the verdict of a collector that denies
	Why      string               `json:"why,omitempty"`   // the value that a rule could not set; callers do not see it
}

// StoreCall is one call of the store, or one call that was sent to a remote.
type StoreCall struct {
	Does       string          `json:"does"` // find, insert, update, delete, read
	Entity     string          `json:"entity"`
	Filter     json.RawMessage `json:"filter,omitempty"` // what the rows have to meet
	Columns    []string        `json:"columns,omitempty"`
	Statements []Statement     `json:"statements"`
	// Index is the index that would spare a scan of a whole table, or a sort; "": none is known.
	Index string `json:"index,omitempty"`
	Note  string `json:"note,omitempty"`
}

// The words of Explanation.Written.
const (
	rolledBack = "the statement ran and was undone"
	notAsked   = "the store was not asked: it cannot undo"
	notRun     = "the author's handler was not run"
	runBack    = "the author's handler ran, and its transaction was rolled back"
)
