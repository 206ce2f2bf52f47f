package conform

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// suite is one run.
type suite struct {
	host     *host
	only     string // the door to try; "": all
	writes   bool
	document *schema.Discovery // nil: it cannot be read
	raw      json.RawMessage
	doors    []*door
	results  []Result
}

// door is a door under test.
type door struct {
	frond string
	there *schema.DiscoveredDoor
	here  *catalog.Door // as a gateway would serve it
	rows  []json.RawMessage
	// sent and got are the list that gave the rows.
	sent, got string
}

// op is an operation of the host, or nil.
func (d *door) op(name string) *schema.DiscoveredOp {
	for i := range d.there.Ops {
		if d.there.Ops[i].Name == name {
			return &d.there.Ops[i]
		}
	}
	return nil
}

// takes reports whether the input card of the list has a key.
func (d *door) takes(key string) bool {
	op := d.op("list")
	return op != nil && op.Input != nil && op.Input.Field(key) != nil
}

// primary is the name of the primary key, or "".
func (d *door) primary() string {
	if d.here == nil || d.here.Entity == nil || d.here.Entity.Primary == nil {
		return ""
	}
	return d.here.Entity.Primary.Name
}

// trial is one clause that is being tried, for a door or for the host.
type trial struct {
	*suite
	ctx     context.Context //nolint:containedctx // of the run
	door    *door           // nil: of the host
	verdict Verdict
	why     string
	each    func(*trial) // set by perDoor: the clause is tried for each door
}

func (t *trial) fail(format string, args ...any) {
	if t.verdict != failed {
		t.verdict, t.why = failed, fmt.Sprintf(format, args...)
	}
}

func (t *trial) absent(format string, args ...any) {
	if t.verdict == passed {
		t.verdict, t.why = absent, fmt.Sprintf(format, args...)
	}
}

func (t *trial) skip(format string, args ...any) {
	if t.verdict == passed {
		t.verdict, t.why = skipped, fmt.Sprintf(format, args...)
	}
}

// call sends an invocation of an operation of the door.
func (t *trial) call(operation, in string) *answer {
	return t.method(t.door.there.Name+"."+operation, in)
}

// method sends an invocation; a host that does not answer fails the clause, and the answer is empty.
func (t *trial) method(method, in string) *answer {
	a, err := t.host.call(t.ctx, method, in)
	return t.answered(a, err)
}

func (t *trial) answered(a *answer, err error) *answer {
	if err != nil {
		t.fail("the host does not answer: %v", err)
		return &answer{}
	}
	return a
}

// result is the result of an answer; nil and a failed clause if it has no result.
func (t *trial) result(a *answer) json.RawMessage {
	switch {
	case t.verdict == failed:
	case a.denied():
		t.skip("the host refuses this caller; name one with --state, or sign with --key")
	case a.Error != nil:
		t.fail("the host answers an error: %s", cut(string(a.Error.Data)))
	case a.Result == nil:
		t.fail("the answer has no result")
	}
	return a.Result
}

// perDoor tries a clause for each door.
func perDoor(try func(*trial)) func(*trial) { return func(t *trial) { t.each = try } }

// try tries a clause.
func (s *suite) try(ctx context.Context, c *clause) {
	t := &trial{suite: s, ctx: ctx, verdict: passed}
	s.host.sent, s.host.got = "", ""
	c.try(t)
	if t.each == nil {
		s.keep(c, t)
		return
	}
	for _, d := range s.doors {
		one := &trial{suite: s, ctx: ctx, verdict: passed, door: d}
		s.host.sent, s.host.got = "", ""
		if t.each(one); one.verdict != skipped || one.why != "" {
			s.keep(c, one)
		}
	}
}

func (s *suite) keep(c *clause, t *trial) {
	r := Result{ID: c.ID, Number: c.Number, Text: c.Text, Verdict: t.verdict, Why: t.why, Sent: cut(s.host.sent), Got: cut(s.host.got)}
	if t.door != nil {
		r.Door = t.door.there.Name
	}
	if r.Verdict == failed || r.Verdict == absent {
		r.Without = c.Without
	}
	s.results = append(s.results, r)
}

// take reads the discovery document, as a gateway does.
func (s *suite) take(text json.RawMessage) error {
	document, err := schema.ReadDiscovery(text)
	if err != nil {
		return err
	}
	s.document, s.raw = document, text
	p := &facade.Project{Registry: schema.Builtins()}
	for i := range document.Fronds {
		src := project.Discovered(&document.Fronds[i], "rpc.discover")
		src.Remote = s.host.base
		p.Fronds = append(p.Fronds, src)
	}
	compiled, err := compile.Project(p, &compile.Options{Incomplete: true, Unregistered: func(schema.Fault) {}})
	for i := range document.Fronds {
		f := &document.Fronds[i]
		for j := range f.Doors {
			d := &door{frond: f.Name, there: &f.Doors[j]}
			if s.only != "" && !strings.EqualFold(s.only, d.there.Name) {
				continue
			}
			if compiled != nil {
				d.here = compiled.Catalog.Door(d.there.Name)
			}
			s.doors = append(s.doors, d)
		}
	}
	return err
}
