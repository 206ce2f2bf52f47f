package facade

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// Actor says who caused an event (docs/facts.md). The path writes it: no member of a caller's body sets it.
//
//	{"user":"u-eve","call":"order.update","request":"4bf92f3577b34da6a3ce929d0e0e4736","by":"call"}
type Actor struct {
	// User is state.user.id as a text; "": the caller was anonymous, or the host itself.
	User string
	// Call is the call that reached the host, as order.ship. For a job it is the operation of the job, for a
	// consumer the name of the consumer.
	Call string
	// Request is the trace id of the call (W3C Trace Context), or "".
	Request string
	By      catalog.By
	// As is the user who acts for User: state.as, else the claim act.sub of a token (RFC 8693, section 4.1);
	// "": the user acts.
	As string
	// Token is the name of the token that the caller has sent: state.token; "": it has no name.
	Token string
}

// AppendJSON appends the actor as JSON, without the members that are empty. The nil actor is null.
func (a *Actor) AppendJSON(dst []byte) []byte {
	if a == nil {
		return append(dst, "null"...)
	}
	dst = append(dst, '{')
	for name, value := range a.Members() {
		dst = jsontext.AppendString(jsontext.AppendName(jsontext.Comma(dst), name), value)
	}
	return append(dst, '}')
}

// Members yields the names and values of the nonempty members; a nil actor is empty.
func (a *Actor) Members() iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		if a == nil {
			return
		}
		for _, m := range [...][2]string{{"user", a.User}, {"call", a.Call}, {"request", a.Request}, {"by", string(a.By)}, {"as", a.As}, {"token", a.Token}} {
			if m[1] != "" && !yield(m[0], m[1]) {
				return
			}
		}
	}
}

// ReadActor reads an actor as AppendJSON writes it, out of checked JSON. An empty text and a null are nil. Unknown
// members are ignored; the error names a member that is no text.
func ReadActor(text json.RawMessage) (*Actor, error) {
	if len(text) == 0 || jsontext.IsNull(text) {
		return nil, nil
	}
	if jsontext.KindOf(text) != jsontext.Object {
		return nil, errors.New("the actor is no JSON object")
	}
	a := &Actor{}
	into := map[string]*string{"user": &a.User, "call": &a.Call, "request": &a.Request, "by": (*string)(&a.By), "as": &a.As, "token": &a.Token}
	for name, value := range jsontext.Members(text) {
		to := into[name]
		if to == nil {
			continue
		}
		if jsontext.KindOf(value) != jsontext.String {
			return nil, fmt.Errorf("the member %s of the actor is no text", name)
		}
		*to = jsontext.Unquote(value)
	}
	return a, nil
}

// cause is the beginning of a chain of calls: a caller's call, a job or an event. The zero cause means that a call
// is its own.
type cause struct {
	by     catalog.By
	state  access.State
	op     *catalog.Operation // that was called; nil: call names it
	call   string
	parent string // the traceparent of the call
}

// within returns the cause of the calls that the author's code makes within a call with this cause.
func (c cause) within() cause {
	if c.by == catalog.ByCall || c.by == catalog.BySigned {
		c.by = catalog.ByHandler
	}
	return c
}

// actor returns the actor of events with this cause.
func (c *cause) actor() *Actor {
	a := &Actor{User: c.state.UserID(), Call: c.call, Request: kiterror.TraceID(c.parent), By: c.by, As: c.state.ActsFor(), Token: c.state.Token()}
	if c.op != nil {
		a.Call = c.op.Door.Name + "." + c.op.Name
	}
	return a
}

// state returns a state that names the actor; a nil actor gives an empty state.
func (a *Actor) state() access.State {
	if a == nil {
		return access.State{}
	}
	return access.State{"user": map[string]any{"id": a.User}, "as": a.As, "token": a.Token}
}
