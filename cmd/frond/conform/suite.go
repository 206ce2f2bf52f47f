package conform

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// Options of [Run].
type Options struct {
	URL    string // the base address of the host
	Door   string // the only door to try; "": all
	Write  bool   // rows are created, updated and deleted
	Header http.Header
	Signer *signing.Signer // nil: calls are not signed
	Frond  string          // that signatures are for
	State  json.RawMessage // of the caller that the frames name; nil: none
}

// Run tries the clauses. The error is that of a host that cannot be reached.
func Run(ctx context.Context, o *Options) ([]Result, error) {
	h := &host{base: strings.TrimRight(o.URL, "/"), header: o.Header, signer: o.Signer, frond: o.Frond, state: o.State, client: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	if _, err := h.post(ctx, discover); err != nil {
		return nil, kiterror.Errorf(kiterror.ServiceUnavailable, "the host does not answer: %w", err)
	}
	s := &suite{host: h, options: o}
	for _, area := range areas {
		for i := range area {
			s.try(ctx, &area[i])
		}
	}
	return s.results, nil
}

// suite is one run.
type suite struct {
	host     *host
	options  *Options
	document *schema.Discovery // nil: it cannot be read
	raw      json.RawMessage
	doors    []*door
	results  []Result
}

// door is a door that is tried.
type door struct {
	frond string
	there *schema.DiscoveredDoor
	here  *catalog.Door // as a gateway would serve it
	rows  []json.RawMessage
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

// primary is the name of the primary key; "": the door has none.
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
	if t.verdict != Fail {
		t.verdict, t.why = Fail, fmt.Sprintf(format, args...)
	}
}

func (t *trial) absent(format string, args ...any) {
	if t.verdict == Pass {
		t.verdict, t.why = Absent, fmt.Sprintf(format, args...)
	}
}

func (t *trial) skip(format string, args ...any) {
	if t.verdict == Pass {
		t.verdict, t.why = Skip, fmt.Sprintf(format, args...)
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

// result is the result of an answer; nil and a failed clause if it has none.
func (t *trial) result(a *answer) json.RawMessage {
	switch {
	case t.verdict == Fail:
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
func (s *suite) try(ctx context.Context, c *Clause) {
	t := &trial{suite: s, ctx: ctx, verdict: Pass}
	s.host.sent, s.host.got = "", ""
	c.try(t)
	if t.each == nil {
		s.keep(c, t)
		return
	}
	for _, d := range s.doors {
		one := &trial{suite: s, ctx: ctx, verdict: Pass, door: d}
		s.host.sent, s.host.got = "", ""
		if t.each(one); one.verdict != Skip || one.why != "" {
			s.keep(c, one)
		}
	}
}

func (s *suite) keep(c *Clause, t *trial) {
	r := Result{ID: c.ID, Number: c.Number, Text: c.Text, Verdict: t.verdict, Why: t.why, Sent: cut(s.host.sent), Got: cut(s.host.got)}
	if t.door != nil {
		r.Door = t.door.there.Name
	}
	if r.Verdict == Fail || r.Verdict == Absent {
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
			if s.options.Door != "" && !strings.EqualFold(s.options.Door, d.there.Name) {
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
