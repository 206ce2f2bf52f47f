package facade

import (
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// trip is one call on its way: what each step found out for the next.
type execution struct {
	*host
	refusals
	call        *Call
	depth       int
	inside      bool       // the author's own code is calling (see Inside)
	within      *Operation // whose handler, hook or presenter is calling
	state       State
	at          time.Time // of the call; see now
	catalogView *Catalog  // what the surface shows that the call came in by
	watch       watch

	// find
	door   *Door
	op     *Operation
	runner runner // of op: another one answers the author's own code

	// scope
	doorScope   *Scope           // of the door
	resultScope *Scope           // of the rows that are answered; see, where they are the door's own
	scopes      map[*Door]*Scope // of doors that were looked at from here: a relation in a filter
	// asVersion is what the versions of rows are made of; nil: they may not be read.
	versionScope *Scope

	// admit
	params       json.RawMessage // judged; of a handler's call also decoded and filled
	query        json.RawMessage
	body         schema.Object
	id           json.RawMessage
	list         listing
	each         *eachOf
	sel          *selection           // what is read, and what leaves
	precondition *Precondition        // that the row is held to; nil: to nothing
	pending      *pendingPrecondition // by the call that is handled, to the author's own code
	amended      schema.Object        // what hooks wrote over the body
	merging      *mergePatch          // of a patch that reaches into nested objects
	points       []Points             // relations of the body that the store has to follow

	// run
	before *Rows // the rows of a handler's answer, where they have crossed the boundary once
}

// now is the time of the call: one moment, whatever asks for it how often.
func (x *execution) now() time.Time {
	if x.at.IsZero() {
		x.at = x.host.now()
	}
	return x.at
}

func (x *execution) store() Store { return x.watch.store(x.host.store) }

// where names the operation in messages.
func (x *execution) where() string { return x.door.Name + "." + x.op.Name }

// lent is the precondition of a call that the author's handler answers, on its way to
// the write that the handler makes inside: the first one of that row is held to it.
type pendingPrecondition struct {
	cond *Precondition
	door *Door
	id   json.RawMessage
	used atomic.Bool
}

// instead ends a message about a field that does not exist for the caller. In production
// it names none that do.
func (x *execution) instead(name string, names func() []string) string {
	if !x.Suggests() {
		return "; leave it out"
	}
	return kiterror.Instead(name, names(), true)
}

// Suggests reports whether a mistake is answered with names: in development.
func (x *execution) Suggests() bool { return x.suggest }
