package facade

import (
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// execution is one call on its way along the path: what each step found for the next. What
// runs at the store, at a handler or at a remote has a type of its own over it.
type execution struct {
	viewer
	within  *Operation // whose handler, hook or presenter is calling
	runner  runner     // of op: another one answers the author's own code
	pending *pendingPrecondition

	// Found by admit.
	params       json.RawMessage // judged; of a handler's call also decoded and filled
	query        json.RawMessage
	body         schema.Object
	id           json.RawMessage
	list         listing
	each         *eachOf
	fields       [2][]string // Call.Select and the fields of the query, with the columns of relations
	relations    []*selectedRelation
	places       []int         // of the selected fields in the list that was sent; nil: their own
	levels       int           // of relations above the rows
	sel          *selection    // what is read, and what leaves
	precondition *Precondition // that the row is held to; nil: none
	condition    *Filter       // likewise: what the row has to meet
	amended      schema.Object // what hooks wrote over the body
	merging      *mergePatch   // of a patch that reaches into nested objects
	points       []Points      // relations of the body that the store has to follow

	// Found by run.
	before *Rows // the rows of a handler's answer, where they have crossed the boundary once
}

// viewer is who calls, and what exists for them: all that judging and scoping need.
type viewer struct {
	*host
	refusals
	call        *Call
	depth       int          // of calls within each other
	transaction *transaction // that the call is part of; nil: none
	inside      bool         // the author's own code is calling (see Inside)
	kept        bool         // values are not encoded (see FromKept)
	state       State
	at          time.Time // of the call; see now
	catalogView *Catalog  // what the surface shows that the call came in by
	watch       watch

	// Found by find.
	door *Door
	op   *Operation

	// Found by scope.
	doorScope    *Scope           // of the door's rows
	resultScope  *Scope           // of the rows that are answered: doorScope, where they are the door's own
	scopes       map[*Door]*Scope // of doors that a relation led to
	versionScope *Scope           // of the fields that versions are made of; nil: they may not be read
}

// now is the time of the call: one moment, whatever asks for it how often.
func (x *viewer) now() time.Time {
	if x.at.IsZero() {
		x.at = x.host.now()
	}
	return x.at
}

// store is the store of this host, observed where the call is explained.
func (x *viewer) store() Store { return x.watch.store(x.host.store) }

// where names the operation in messages.
func (x *viewer) where() string { return x.door.Name + "." + x.op.Name }

// pendingPrecondition is the precondition and the condition of a call that the author's
// handler answers, on their way to the write that the handler makes inside: the first write
// of that row is held to them.
type pendingPrecondition struct {
	cond  *Precondition
	where *Filter
	door  *Door
	id    json.RawMessage
	used  atomic.Bool
}

// place is the place in the list of fields that was sent of the i-th one that is read.
func (x *execution) place(i int) int {
	if x.places != nil {
		return x.places[i]
	}
	return i
}

// instead ends a message about a field that does not exist for the caller. In production
// it names no field that does.
func (x *viewer) instead(name string, names func() []string) string {
	if !x.Suggests() {
		return "; leave it out"
	}
	return kiterror.Instead(name, names(), true)
}

// Suggests implements [filter.Host]: messages name what exists in development alone.
func (x *viewer) Suggests() bool { return x.suggest }

// handlerCall is an execution that the author's handler answers.
type handlerCall struct{ *execution }
