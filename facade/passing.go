package facade

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Several calls are one transaction of one host (docs/atomic.md): of this one, or of the remote that keeps the rows of all of them. The
// host of a remote gets the calls as they were sent, and judges them. If this host has a part in a call, such as an access rule, it
// refuses the call: it could not do its part in the middle of the transaction.

// PassesOn reports whether another host makes the calls, as the host of all of them, and not this one. Calls of two
// hosts are NOT_IMPLEMENTED. An operation that view does not show is reported when it is called.
func (f *Facade) PassesOn(view *catalog.Catalog, calls []*Call) (bool, error) {
	var first *catalog.Operation
	for i, c := range calls {
		_, op := view.Find(c.Entity, c.Operation)
		switch {
		case op == nil:
		case first == nil:
			first = op
		case first.Door.Frond.Remote != op.Door.Frond.Remote:
			return false, kiterror.AsError(errTwoHosts(op, first)).AtCall(i)
		}
	}
	return first != nil && first.Door.Frond.Remote != "", nil
}

// errTwoHosts is the refusal of an operation in a transaction with another one, of another host.
func errTwoHosts(op, first *catalog.Operation) error {
	return kiterror.Errorf(kiterror.NotImplemented, "%s.%s %s, and %s.%s %s: no transaction has rows of two hosts; send their calls one by one",
		op.Door.Name, op.Name, op.Door.Runs(), first.Door.Name, first.Name, first.Door.Runs()).At(op.Door.Name, op.Name)
}

// PassOn has the host of a remote make the calls as one transaction. Each call goes the path of this host, inside
// the middleware, up to the host of its rows, and waits there until all calls have come. beside are members beside
// the calls, and answer is the whole answer of the host. The error is the error of the first failing call, with its
// index.
func (f *Facade) PassOn(ctx context.Context, caller Caller, calls []*Call, beside schema.Object) (found []*Result, answer json.RawMessage, err error) {
	results, all := make([]*Result, len(calls)), make([]*passedCall, len(calls))
	errs := make([]error, len(calls))
	settle := func(found []*Result, err error) {
		for i, p := range all {
			if p == nil {
				break
			}
			if p.err = err; err == nil {
				p.result = found[i]
			}
			close(p.answered)
			<-p.done
		}
	}
	for i, c := range calls {
		p := &passedCall{arrived: make(chan struct{}), answered: make(chan struct{}), done: make(chan struct{})}
		go func() {
			defer close(p.done)
			results[i], errs[i] = caller.Call(context.WithValue(ctx, callContextKey{}, &callContext{host: f.host, trace: c.Invocation.Trace, passed: p.answer}), c)
		}()
		select {
		case <-p.arrived:
			all[i] = p
			continue
		case <-p.done:
		}
		err := errs[i]
		if err == nil {
			err = kiterror.Errorf(kiterror.NotImplemented, "%s.%s runs here, outside of its host's transaction; call it by itself", c.Entity, c.Operation)
		}
		err = kiterror.AsError(err).AtCall(i)
		settle(nil, err)
		return nil, nil, err
	}
	sent := make([]*Call, len(all))
	for i, p := range all {
		sent[i] = p.call
	}
	found, answer, err = f.host.remotes.Together(ctx, all[0].request, sent, beside)
	settle(found, err)
	if err != nil {
		return nil, nil, err
	}
	for i, err := range errs {
		if err != nil {
			return nil, nil, kiterror.AsError(err).AtCall(i)
		}
	}
	return results, answer, nil
}

// passedCall is a call on its way to the host of its rows, which makes it together with others.
type passedCall struct {
	arrived, answered, done chan struct{}
	call                    *Call
	request                 RemoteRequest
	result                  *Result
	err                     error
}

// answer waits for the answer of the call's host. It takes the place of the steps admit and run.
func (p *passedCall) answer(ctx context.Context, x *execution) (*Result, error) {
	if err := leavesAlone(ctx, x); err != nil {
		return nil, err
	}
	r, err := remoteRequest(&x.viewer, x.door.Door)
	if err != nil {
		return nil, err
	}
	p.request, p.call = r, sentCall(ctx, x, x.call.Invocation)
	close(p.arrived)
	<-p.answered
	return received(x, p.result, p.err)
}

// LeavesTo reports whether this host leaves it to the host of a remote door which rows and fields a caller sees.
func (f *Facade) LeavesTo(ctx context.Context, state access.State, door *catalog.Door) bool {
	collector := f.host.doors.of(door).collector
	if door.Frond.Remote == "" || collector == nil {
		return door.Frond.Remote != ""
	}
	scope, err := access.ScopeOf(ctx, collector, f.host.now, state, door, door.Reading())
	return err == nil && !decides(&scope)
}

// leavesAlone returns why this host cannot leave a call to the host of its rows, or nil. It makes the selection of the call.
func leavesAlone(ctx context.Context, x *execution) error {
	if x.op.reader != nil {
		query := x.call.Invocation.Query
		x.list.edges = jsontext.KindOf(jsontext.Get(query, "cursors")) == jsontext.True
		if names := jsontext.Get(query, "fields"); names != nil && !jsontext.IsNull(names) {
			x.list.fields = readFields(&x.refusals, names)
		}
		choose(ctx, x)
	}
	switch why := ownPart(x); {
	case !x.door.Frond.Atomic:
		return errNotPassed(x.op.Operation, withoutAtomic)
	case why != "":
		return errNotPassed(x.op.Operation, why)
	}
	return x.refusal()
}

// withoutAtomic says that a host makes no transactions of several calls.
const withoutAtomic = "that host does not offer rpc.atomic"

// errNotPassed is the refusal of a call that cannot be part of a transaction at its host.
func errNotPassed(op *catalog.Operation, why string) error {
	return kiterror.Errorf(kiterror.NotImplemented, "%s.%s cannot be part of a transaction at the host of %s: %s; call it by itself", op.Door.Name, op.Name, op.Door.Frond.Name, why).At(op.Door.Name, op.Name)
}

// ownPart names the part that this host has in the call, or "".
func ownPart(x *execution) string {
	for _, scope := range []struct {
		of   *catalog.Door
		does bool
	}{{x.door.Door, decides(x.doorScope)}, {x.op.OutDoor, decides(x.resultScope)}} {
		if scope.does {
			return "access rules here are about " + scope.of.Name
		}
	}
	if x.sel != nil {
		for _, c := range x.sel.computed {
			if why := computedHere(x.op.OutDoor, c); why != "" {
				return why
			}
		}
	}
	if len(x.relations) > 0 {
		return "it reads rows behind " + x.relations[0].name
	}
	if x.op.builtin == nil {
		return ""
	}
	if x.op.Kind == catalog.Command {
		for _, n := range x.nestable {
			if why := apartWithin(x.host, n); why != "" {
				return why
			}
		}
		if strings.HasPrefix(x.op.Name, "delete") {
			if why := apartBehind(x.host, x.door.Entity); why != "" {
				return why
			}
		}
		for _, p := range x.door.Entity.Fields {
			if why := apartReference(x.host.catalog, p); why != "" && anyRow(x.call.Invocation.Body, func(row json.RawMessage) bool { return jsontext.Get(row, p.Name) != nil }) {
				return why
			}
		}
	}
	if l := apartInQuery(x); l != nil {
		return fmt.Sprintf("its query leads through %s.%s to rows of another host", l.Field.Owner.Name, l.Name)
	}
	return ""
}

// decides reports whether a scope is more than the right to the operation.
func decides(s *access.Scope) bool {
	return s.Rows != nil || len(s.Hide)+len(s.Set)+len(s.ReadOnly) > 0
}

// apartReference says that a stored relation leads to rows of another host; "": it does not.
func apartReference(c *catalog.Catalog, p *schema.Property) string {
	if p.Link == nil || !p.Stored || !catalog.Apart(c.Fronds, p.Link) {
		return ""
	}
	return fmt.Sprintf("%s.%s names rows of another host", p.Owner.Name, p.Name)
}

// apartBehind says that rows of another host point at rows of an entity, or at rows that go with them; "": no row does.
func apartBehind(h *host, e *schema.Entity) string {
	if !h.followed(e) {
		return ""
	}
	return fmt.Sprintf("rows of another host point at rows of %s", e.Name)
}

// apartWithin says that rows of a nested write have to do with rows of another host; "" if they have not.
func apartWithin(h *host, n *catalog.Nested) string {
	e := n.By.Owner
	for _, p := range e.Fields {
		if why := apartReference(h.catalog, p); why != "" && p != n.By {
			return why
		}
	}
	return apartBehind(h, e)
}

// apartInQuery returns a relation to rows of another host that the query of the call leads through, or nil.
func apartInQuery(x *execution) *schema.Link {
	for name, value := range jsontext.Members(x.call.Invocation.Query) {
		var found *schema.Link
		switch name {
		case "filter", "where":
			found = apartInFilter(x.host.catalog, x.door.Entity, value)
		case "sort", "by", "select":
			for _, path := range pathsOf(value) {
				found = cmp.Or(found, apartOnPath(x.host.catalog, x.door.Entity, path))
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// apartInFilter returns such a relation of a condition on rows of e.
func apartInFilter(c *catalog.Catalog, e *schema.Entity, condition json.RawMessage) *schema.Link {
	if jsontext.KindOf(condition) == jsontext.Array {
		for _, one := range jsontext.Elements(condition) {
			if l := apartInFilter(c, e, one); l != nil {
				return l
			}
		}
		return nil
	}
	if jsontext.KindOf(condition) != jsontext.Object {
		return nil
	}
	for name, value := range jsontext.Members(condition) {
		on := e
		if l := e.Relation(name); l != nil && l.Target != nil && (l.Field.Name != name || !l.Field.Stored || namesFieldOf(l.Target, value)) {
			if catalog.Apart(c.Fronds, l) {
				return l
			}
			on = l.Target
		}
		if l := apartInFilter(c, on, value); l != nil {
			return l
		}
	}
	return nil
}

// namesFieldOf reports whether a condition has the name of a field of e: a relation may have the name of its own field.
func namesFieldOf(e *schema.Entity, condition json.RawMessage) bool {
	if jsontext.KindOf(condition) != jsontext.Object {
		return false
	}
	for name := range jsontext.Members(condition) {
		if e.Property(name) != nil || e.Relation(name) != nil {
			return true
		}
	}
	return false
}

// apartOnPath returns the first relation to rows of another host on a path of names, or nil.
func apartOnPath(c *catalog.Catalog, e *schema.Entity, path string) *schema.Link {
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "-"), ".") {
		l := e.Relation(name)
		if l == nil || l.Target == nil {
			return nil
		}
		if catalog.Apart(c.Fronds, l) {
			return l
		}
		e = l.Target
	}
	return nil
}

// pathsOf are the names of a list, or of a text with commas.
func pathsOf(value json.RawMessage) (paths []string) {
	if jsontext.KindOf(value) == jsontext.String {
		return splitList(jsontext.Unquote(jsontext.Trim(value)))
	}
	for _, item := range jsontext.Elements(value) {
		paths = append(paths, pathsOf(item)...)
	}
	return paths
}
