package resolvers

import (
	"context"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/consistency"
	"github.com/frondhost/frond/facade/readset"
	"github.com/frondhost/frond/resolvers/graphqlerror"
	"github.com/frondhost/frond/resolvers/input"
	"github.com/frondhost/frond/schema/jsontext"
)

// Watch shows the events of a fact to one subscriber, by its rights at the time. A
// [facade.Watch] is one.
type Watch interface {
	Reveal(ctx context.Context, events []*facade.Event) ([]facade.Revealed, error)
}

// Subscription is an operation of type subscription that was admitted: its source stream is
// events of one fact (CreateSourceEventStream, specification 6.2.3.1), or it is a live query. It
// does not change and may be used from many goroutines.
type Subscription struct {
	// Live says that it is a live query: [Subscription.Query] executes it, and there is no fact.
	Live bool
	// Frond and Fact are what it announces.
	Frond, Fact string
	// After is where it begins. Now: with the next event; Oldest: with the first that is kept.
	After       facade.Position
	Now, Oldest bool
	// Name is that of the operation, or "".
	Name string
	// Key is equal for subscriptions that have equal responses to equal events; nil: there is
	// no other such.
	Key any

	engine *Engine
	op     *operation
	vars   *input.Variables
	state  facade.State
	watch  Watch
}

// Answer is the response to one event.
type Answer struct {
	Position facade.Position
	Body     []byte
}

// Open begins a request of any type. It executes a query or a mutation as [Engine.Execute]
// does, and admits a subscription. One of the results is nil: a subscription that is refused
// has a response.
func (e *Engine) Open(ctx context.Context, r *Request) (s *Subscription, resp *Response) {
	defer e.rescue(ctx, r, &resp)
	op, vars, refused := e.begin(r)
	switch {
	case refused != nil:
		return nil, refused
	case op.def.Operation != ast.Subscription:
		return nil, e.once(ctx, op, vars, r)
	}
	s, err := e.subscribe(ctx, op, vars, r)
	if err != nil {
		return nil, op.failed(ctx, e, vars, r.Trace, err)
	}
	return s, nil
}

// Failed is the response for a subscriber whose source stream failed.
func (s *Subscription) Failed(ctx context.Context, err error) *Response {
	return s.op.failed(ctx, s.engine, s.vars, "", err)
}

// failed is the response to a subscription whose source stream there is not.
func (op *operation) failed(ctx context.Context, e *Engine, vars *input.Variables, trace string, err error) *Response {
	root := op.plan(e, vars).Units[0].Selection.Fields[0]
	f := e.report.Failed(ctx, trace, err)
	f.At, f.Path = graphqlerror.Positions(root.Positions...), []graphqlerror.Segment{{Key: root.Name}}
	return op.named(refuse(facade.AsError(err).Code.Status(), []*graphqlerror.Error{f}))
}

// subscribe admits a subscription. The error is that of an argument, or of Options.Watch.
func (e *Engine) subscribe(ctx context.Context, op *operation, vars *input.Variables, r *Request) (*Subscription, error) {
	if e.options.Watch == nil {
		return nil, facade.Errorf(facade.NotImplemented, "nothing here announces facts")
	}
	if op.live {
		s := &Subscription{Live: true, Name: op.def.Name, engine: e, op: op, vars: vars, state: r.State}
		s.Key = s.key()
		return s, nil
	}
	p := op.plan(e, vars)
	event := p.Event()
	in := event.Invocation(vars)
	if in.Err != nil {
		return nil, in.Err
	}
	b := event.Binding
	s := &Subscription{Frond: b.Frond, Fact: b.Fact, Name: op.def.Name, engine: e, op: op, vars: vars, state: r.State}
	w := &facade.Subscription{Frond: b.Frond, Fact: b.Fact, State: r.State}
	if b.Output != nil { // of a fact with a card
		w.Select = []string{}
		if row := p.EventRow(); row != nil {
			w.Select = row.Selects()
		}
	}
	if filter := jsontext.Get(in.Query, "filter"); filter != nil && !jsontext.IsNull(filter) {
		w.Filter = filter
	}
	switch after := jsontext.Get(in.Query, "after"); {
	case after == nil || jsontext.IsNull(after):
		s.Now = true
	case jsontext.Unquote(after) == Start:
		s.Oldest = true
	default:
		var err error
		if s.After, err = facade.ParsePosition(jsontext.Unquote(after)); err != nil {
			return nil, err
		}
	}
	var err error
	if s.watch, err = e.options.Watch(ctx, w); err != nil {
		return nil, err
	}
	s.Key = s.key()
	return s, nil
}

// Start is the value of the argument after that begins with the oldest event that is kept.
const Start = "start"

// Respond executes the subscription for events (MapSourceToResponseEvent, specification
// 6.2.3.2), in their order. Events that do not exist for the subscriber have no answer. An
// error means that there is none for any of them, and that they may be tried again.
func (s *Subscription) Respond(ctx context.Context, events []*facade.Event) ([]Answer, error) {
	revealed, err := s.watch.Reveal(ctx, events)
	if err != nil {
		return nil, err
	}
	answers := make([]Answer, len(revealed))
	for i := range revealed {
		r := &Request{State: s.state, Trace: revealed[i].Event.Trace, event: &revealed[i]}
		resp := s.op.named(s.engine.execute(ctx, s.op, s.vars, r))
		full := !resp.Executed && resp.Status == facade.ServiceUnavailable.Status()
		answers[i] = Answer{revealed[i].Event.Position, slices.Clone(resp.Body)}
		resp.Release() // each holds a part of the budget
		if full {
			return nil, facade.Errorf(facade.ServiceUnavailable, "there is no room to execute it now")
		}
	}
	return answers, nil
}

// Document is equal for live queries that may be executed side by side ([facade.Together]): they are
// of one document, and nothing in it runs code of the author. nil: it is executed by itself.
func (s *Subscription) Document() any {
	if !s.op.shared || !s.op.cancellable {
		return nil
	}
	return s.op
}

// Query executes a live query, and records what it reads. The number of executions of the
// [facade.Budget] does not bound it; its caller does. It does not read from copies of a store
// that may be behind the events which it is executed for.
func (s *Subscription) Query(ctx context.Context) (*Response, *readset.Set) {
	ctx, reads := facade.RecordReads(consistency.Latest(ctx))
	return s.op.named(s.engine.execute(ctx, s.op, s.vars, &Request{State: s.state, live: true})), reads
}

// subscriptionKey is what subscriptions with equal responses have in common: the operation of
// the cached document, and as a whole the values of its variables but for where it begins, and
// the state.
type subscriptionKey struct {
	op               *operation
	variables, state string
}

func (s *Subscription) key() any {
	state, plain := appendPlain(nil, map[string]any(s.state), 0)
	if !plain || !s.op.shared {
		return nil
	}
	if s.state == nil {
		state = nil
	}
	var vars []byte
	for i := range s.op.vars.List {
		if text := s.vars.At(i); i != s.op.resume && text != nil {
			vars = appendSized(appendCount(vars, 'v', i), 's', string(text))
		}
	}
	return subscriptionKey{s.op, string(vars), string(state)}
}

// resumeVariable returns the slot of the variable that a subscription's argument after has,
// where it stands nowhere else: subscribers that begin at different places are equal otherwise.
func resumeVariable(def *ast.OperationDefinition, vars *input.Declared) int {
	uses := map[string]int{}
	after := ""
	var value func(v *ast.Value)
	value = func(v *ast.Value) {
		if v == nil {
			return
		}
		if v.Kind == ast.Variable {
			uses[v.Raw]++
		}
		for _, c := range v.Children {
			value(c.Value)
		}
	}
	_ = every(def.SelectionSet, map[string]bool{}, func(f *ast.Field) bool {
		for _, a := range f.Arguments {
			value(a.Value)
		}
		if a := f.Arguments.ForName("after"); a != nil && a.Value.Kind == ast.Variable && f.ObjectDefinition.Name == "Subscription" {
			after = a.Value.Raw
		}
		return true
	})
	if uses[after] != 1 {
		return -1
	}
	return vars.Slot(after)
}
