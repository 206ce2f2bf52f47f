package facade

import (
	"strings"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// refusals is what is wrong with one call, all of it.
type refusals struct {
	details []schema.Detail
	verdict *kiterror.Error // what is refused without a detail, or failed while judging

	used    []*schema.FieldAlias // the old names of fields in the query, and in what is selected
	renamed []*schema.FieldAlias // those in the body
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
	case r.verdict != nil && (n == 0 || r.verdict.Code == kiterror.InternalError || r.verdict.Code == kiterror.Gone):
		return r.verdict
	case n == 0:
		return nil
	}
	r.bySent()
	return kiterror.Refused(r.details)
}

// refuseQuery refuses a key of the query.
func (r *refusals) refuseQuery(name, code, message string) {
	r.refuse(schema.Detail{Path: name, Pointer: "/query/" + name, Code: code, Message: message})
}

// gone refuses the call for an old name of a field that is not answered any more.
func (r *refusals) gone(a *schema.FieldAlias) {
	if r.verdict == nil || r.verdict.Code != kiterror.InternalError {
		to := a.Field.Name
		r.verdict = kiterror.Errorf(kiterror.Gone, "%s was renamed to %s and was answered until %s; write %s", a.Name, to, a.Day(), to)
	}
}

// bySent gives details of the body the names that were sent.
func (r *refusals) bySent() {
	for i := range r.details {
		d := &r.details[i]
		for _, a := range r.renamed {
			was, is := a.Name, a.Field.Name
			at, body := strings.CutPrefix(d.Pointer, "/body/"+jsontext.Token(is))
			if body && (at == "" || at[0] == '/') {
				d.Path, d.Pointer = was+strings.TrimPrefix(d.Path, is), "/body/"+jsontext.Token(was)+at
			}
		}
	}
}
