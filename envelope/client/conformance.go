package client

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

const (
	checkEvery    = time.Second // an operation's answers, unless they are refused for it
	maxViolations = 100         // logged of one remote
)

// conformance checks answers against the output cards of their operations. In strict
// mode a violation is BAD_GATEWAY. Otherwise it is logged, each kind once, and one answer
// a second of each operation is checked, because a check costs as much as reading.
type conformance struct {
	options *Options

	mu      sync.Mutex
	checked map[string]time.Time // by envelope.MethodKey
	logged  map[string]bool
}

// check checks a result; nil: it fits, or its violations are only logged. A value of a wrong type
// is BAD_GATEWAY in any mode: no surface could give it as its schema says. A call without a
// catalog, an operation without an output card and an empty result are not checked.
func (c *conformance) check(p *pending, result *facade.Result) *kiterror.Error {
	if p.op == nil || p.op.Output == nil || result.Rows.Len() == 0 {
		return nil
	}
	if err := wrongType(p.op.Output, result.Rows); err != nil {
		return err
	}
	if !c.options.Strict && !c.due(envelope.MethodKey(p.call.Entity, p.call.Operation)) {
		return nil
	}
	for _, name := range result.Rows.Layout().Fields {
		if beyond := p.call.Entity + "." + p.call.Operation + " beyond " + name; !p.knows(name) && c.first(beyond) {
			c.options.Log.Warn("a remote's rows have a member that their card lacks; it is left out",
				"remote", c.options.Name, "entity", p.call.Entity, "operation", p.call.Operation, "member", name)
		}
	}
	for i := range result.Rows.Len() {
		for _, d := range violations(p.op.Output, result.Rows.Row(i)) {
			if c.options.Strict {
				return kiterror.Errorf(kiterror.BadGateway, "the host's answer does not fit its card: %s %s", d.Path, d.Message)
			}
			if violation := p.call.Entity + "." + p.call.Operation + " " + d.Code + " " + d.Path; c.first(violation) {
				c.options.Log.Warn("a remote's answer does not fit its card",
					"remote", c.options.Name, "entity", p.call.Entity, "operation", p.call.Operation, "path", d.Path, "code", d.Code, "message", d.Message)
			}
		}
	}
	return nil
}

// knows reports whether a member of a row is a field of the operation's card, is computed by the
// host, or is the row's version.
func (p *pending) knows(name string) bool {
	if name == catalog.ETag || p.op.Output.Property(name) != nil {
		return true
	}
	return p.door != nil && slices.ContainsFunc(p.door.Computed, func(c *catalog.Computed) bool { return c.Name == name })
}

// violations are the details of a row that its card does not allow. A row may lack fields (not
// selected, or hidden from the caller) and have further ones (computed fields, or fields of a
// newer host); null is allowed for a field that may be left out at creation; an encoded field
// has the form of its conversion.
//
//	a required field is absent            allowed: it was not selected, or is hidden
//	a field that the card does not have   allowed: computed, or of a newer host
//	null where creation may omit it       allowed
//	an encoded field                      allowed: its conversion changes its form
//	anything else                         a violation
func violations(card *schema.Entity, row rows.Row) []schema.Detail {
	_, all := card.Judge(schema.Plain, row.JSON(), "")
	some := all[:0]
	for _, d := range all {
		name, _, _ := strings.Cut(d.Path, ".") // below a field any detail counts as the field's
		p := card.Property(name)
		switch {
		case p == nil:
		case name == d.Path && (d.Code == "required" || d.Code == "type" && string(row.Get(name)) == "null" && p.MayBeNull()):
		case p.Axes.Out.Name != "":
		default:
			some = append(some, d)
		}
	}
	return some
}

// due says whether it is time to check an answer of a method. Due means that the next second
// begins now.
func (c *conformance) due(method string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, before := c.checked[method]; before && time.Since(at) < checkEvery {
		return false
	}
	c.checked[method] = time.Now()
	return true
}

// first says whether a violation has not been logged yet.
func (c *conformance) first(violation string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.logged[violation] || len(c.logged) >= maxViolations {
		return false
	}
	c.logged[violation] = true
	return true
}
