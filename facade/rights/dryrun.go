package rights

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
)

// attempted is how a call went.
type attempted struct {
	result *facade.Result
	err    *kiterror.Error // nil: it succeeded
	rule   string          // that decided
	at     string          // the place of that rule; "": no rule of a file decided
	named  bool            // the operation is the author's, whose answers say nothing of rows
}

// isEmpty reports whether a built-in operation succeeded without a row: an answer of null, a delete of no row, a write of no rows.
func (a *attempted) isEmpty() bool {
	switch r := a.result; {
	case a.err != nil, a.named:
		return false
	case r.Form == facade.FormRow:
		return r.Rows.Len() == 0
	case r.Form == facade.FormCount, r.Form == facade.FormCounted:
		return r.Total == 0
	default:
		return r.Form == facade.FormValue && (len(r.Value) == 0 || string(r.Value) == "null" || string(r.Value) == "false")
	}
}

// came describes how the call went, for a failed check.
func (a *attempted) came() string {
	switch {
	case a.err != nil:
		return fmt.Sprintf("%s: %s", a.err.Code, a.err.Message)
	case a.isEmpty():
		return "no row: it answers " + string(a.result.AppendJSON(nil))
	}
	const most = 200
	text := string(a.result.AppendJSON(nil))
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return "it answers " + text
}

// try makes a call of the current caller. Its writes are undone.
func (t *tester) try(c *facade.Call) *attempted {
	c.Invocation.State = t.state
	_, op := t.catalog.Find(c.Entity, c.Operation)
	a, first := &attempted{named: !op.Builtin}, true
	var err error
	a.result, err = t.dryRun(t.ctx, t.caller, c, func(by *facade.Scoped) {
		rule, at := t.decided(by)
		t.coverage.rules[at] = true
		if first || by.Err != nil {
			first, a.rule, a.at = false, rule, at
		}
	})
	a.err = kiterror.AsError(err)
	return a
}

// inside makes a call of the author's own code, without access rules. Its writes are undone.
func (t *tester) inside(c *facade.Call) (*facade.Result, error) {
	return t.dryRun(t.inner, facade.Inside(t.inner), c, nil)
}

// dryRun makes a call and undoes its writes. Handlers of commands run, and hooks before the write, in a transaction of the call; a
// detached handler, which no transaction holds, does not run. scoped is called with each verdict of access rules; it may be nil.
func (t *tester) dryRun(ctx context.Context, caller facade.Caller, c *facade.Call, scoped func(*facade.Scoped)) (*facade.Result, error) {
	var mu sync.Mutex
	_, op := t.catalog.Find(c.Entity, c.Operation)
	_, why := t.caller.Joins(ctx, t.catalog, t.state, c.Entity, c.Operation)
	joins := op.Kind == catalog.Command && op.Door.Frond.Remote == "" && kiterror.CodeOf(why) != kiterror.NotImplemented
	begin := func() *facade.Trace {
		trace := &facade.Trace{DryRun: !joins && op.Door.Frond.Remote == ""} // a command at another host is refused
		if scoped != nil {
			trace.Scoped = func(x *facade.Traced, by *facade.Scoped) {
				mu.Lock()
				defer mu.Unlock()
				if !x.Inside {
					scoped(by)
				}
			}
		}
		return trace
	}
	ctx = facade.WithTrace(facade.DryRun(ctx), begin)
	if !joins {
		return caller.Call(ctx, c)
	}
	var res *facade.Result
	err := t.caller.Together(ctx, "", func(ctx context.Context) (err error) {
		res, err = caller.Call(ctx, c)
		return err
	})
	return res, err
}

// decided describes the rule that decided, as frond explain does, and returns its place; "" for Go code and open doors.
func (t *tester) decided(by *facade.Scoped) (rule, at string) {
	file, verdicts, ok := access.VerdictsOf(by.Collector, t.state, by.Operation)
	switch {
	case by.Collector == nil:
		return by.Door.AccessAt + " opens the door to everybody", ""
	case !ok:
		return "Go code decides over " + by.Door.Name, ""
	}
	rule = file + ": no rule holds"
	for i, v := range verdicts {
		if !strings.HasPrefix(v.Verdict, "holds") && !strings.HasPrefix(v.Verdict, "fails") {
			continue
		}
		at = fmt.Sprint(file, "/", i)
		rule = at + " " + v.Verdict
		if v.When != "" {
			rule += ": " + v.When
		}
	}
	if by.Scope != nil && by.Scope.Rows != nil {
		rule += "; rows " + string(by.Scope.Rows.AppendJSON(nil))
	}
	if unset := access.Unset(by.Err); unset != "" {
		rule += "; " + unset
	}
	return rule, at
}
