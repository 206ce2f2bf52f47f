package rights

import (
	"slices"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// may checks that a call succeeds.
func (t *tester) may(c *project.Attempt) Result {
	r := check("may %s", named(c))
	r, door := t.find(r, c)
	if door == nil {
		return r
	}
	a := t.try(callOf(c))
	switch {
	case a.err != nil && a.err.Code == kiterror.NotImplemented:
		return r.skipped("%s", a.err.Message)
	case a.err != nil || a.isEmpty():
		return r.failed("success", a.came(), a.rule)
	}
	return r
}

// mayNot checks that a call is refused. Without a code, a failure that another caller would have too is a fault of the file.
func (t *tester) mayNot(c *project.Attempt) Result {
	r := check("may not %s", named(c))
	r, door := t.find(r, c)
	switch code := kiterror.Code(c.Code); {
	case door == nil:
		return r
	case c.Code != "" && !code.Known():
		return r.fault("%s is no code of an error; write such as FORBIDDEN, UNAUTHORIZED or NOT_FOUND", schema.Quoted(c.Code))
	}
	a := t.try(callOf(c))
	var code kiterror.Code
	switch {
	case a.err != nil:
		code = a.err.Code
	case a.isEmpty():
		code = kiterror.NotFound // of a row that the caller does not see
	}
	expected := c.Code
	if expected == "" {
		expected = "a refusal"
	}
	switch {
	case code == "", c.Code != "" && string(code) != c.Code && code != kiterror.NotImplemented:
		return r.failed(expected, a.came(), a.rule)
	case code == kiterror.NotImplemented && c.Code != string(code):
		return r.skipped("%s", a.err.Message)
	case c.Code != "", isDenial(a.err), code == kiterror.NotFound:
	case code == kiterror.ValidationFailed:
		if _, err := t.inside(callOf(c)); allAmong(a.err, err) {
			return r.fault("every caller is refused: %s; correct the call, or write code: VALIDATION_FAILED", a.err.Message)
		}
	default:
		return r.failed("UNAUTHORIZED, FORBIDDEN or NOT_FOUND; any other refusal needs its code", a.came(), a.rule)
	}
	t.coverage.refused[door.Name+"."+c.Operation] = true
	return r
}

// find returns the door of a call. Where the operation, or the row that params name, does not exist, the door is nil and the result the
// fault.
func (t *tester) find(r Result, c *project.Attempt) (Result, *catalog.Door) {
	door, op := t.catalog.Find(c.Entity, c.Operation)
	switch {
	case door == nil:
		return t.noDoor(r, c.Entity), nil
	case op == nil && door.Inside[c.Operation] != nil:
		return r.fault("%s.%s is off in frond.yaml, so that every caller is refused; leave the line out", door.Name, c.Operation), nil
	case op == nil:
		names := door.OperationNames()
		return r.fault("%s has no operation %s; %sits operations are %s", door.Name, schema.Quoted(c.Operation), schema.DidYouMean(c.Operation, names), strings.Join(names, ", ")), nil
	}
	// A named operation may have an id of something else.
	id := jsontext.Get(c.Params, "id")
	if id == nil || !op.Builtin || door.Entity == nil || door.Entity.Primary == nil {
		return r, door
	}
	key, why := door.Entity.Primary.KeyText(id)
	switch {
	case why != "":
		return r.fault("%s is no key of %s; write %s", plain(id), door.Name, why), nil
	case !t.exists(door, key):
		return t.noRow(r, door, key), nil
	}
	return r, door
}

// named is an attempt in words: its operation, and the row.
func named(c *project.Attempt) string {
	return strings.TrimSuffix(c.Entity+"."+c.Operation+" "+plain(jsontext.Get(c.Params, "id")), " ")
}

// callOf returns the call of an attempt.
func callOf(c *project.Attempt) *facade.Call {
	return &facade.Call{Entity: c.Entity, Operation: c.Operation, Invocation: facade.Invocation{Params: c.Params, Query: c.Query, Body: c.Body}}
}

// allAmong reports whether a failure is refused for reasons that another failure has too.
func allAmong(failure *kiterror.Error, other error) bool {
	details, _ := failure.Details.([]schema.Detail)
	if other == nil || kiterror.CodeOf(other) != kiterror.ValidationFailed {
		return false
	}
	known, _ := kiterror.AsError(other).Details.([]schema.Detail)
	return !slices.ContainsFunc(details, func(d schema.Detail) bool {
		return !slices.ContainsFunc(known, func(k schema.Detail) bool { return k.Pointer == d.Pointer && k.Code == d.Code })
	})
}
