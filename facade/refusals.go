package facade

import (
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// refusals is what is wrong with one call, all of it.
type refusals struct {
	details []schema.Detail
	verdict *kiterror.Error // what is refused without a detail, or failed while judging
}

// refuse keeps a refusal, up to as many as an answer names: a hostile call is not
// worth more.
func (r *refusals) refuse(d schema.Detail) {
	if !r.full() {
		r.details = append(r.details, d)
	}
}

// full reports whether enough is refused to stop looking.
func (r *refusals) full() bool { return len(r.details) >= schema.MaxDetails }

// fail keeps a failure of our own that came up while judging.
func (r *refusals) fail(err error) {
	if r.verdict == nil {
		r.verdict = kiterror.Internal(err)
	}
}

// refusal is the error of the call where something was refused, else nil.
func (r *refusals) refusal() error {
	switch n := len(r.details); {
	case r.verdict != nil && (n == 0 || r.verdict.Code == kiterror.InternalError):
		return r.verdict
	case n == 0:
		return nil
	}
	return kiterror.Refused(r.details)
}

// refuseQuery refuses a key of the query.
func (r *refusals) refuseQuery(name, code, message string) {
	r.refuse(schema.Detail{Path: name, Pointer: "/query/" + name, Code: code, Message: message})
}
