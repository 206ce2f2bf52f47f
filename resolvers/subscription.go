package resolvers

import (
	"context"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/consistency"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/readset"
	"github.com/frondhost/frond/resolvers/language"
	"github.com/frondhost/frond/schema/jsontext"
)

// Watch shows the events of a fact to one subscriber, by its rights at the time. A
// [facade.Watch] is one.
type Watch interface {
	Reveal(ctx context.Context, events []*facade.Event) ([]facade.Revealed, error)
}

// Subscription is an admitted operation of type subscription: its source stream is events of one
// fact (CreateSourceEventStream, specification 6.2.3.1), or it is a live query. It does not
// change and may be used from many goroutines.
type Subscription struct {
	// Live says that it is a live query: [Subscription.Query] executes it, and there is no
	// fact.
	Live bool
	// Frond and Fact identify the fact of its events.
	Frond, Fact string
	// After is its begin. Now: with the next event; Oldest: with the oldest event in the log.
	After       facade.Position
	Now, Oldest bool
	// Name is the operation's name, or "".
	Name string
	// Key is equal for subscriptions that have equal responses to equal events; nil: its
	// responses are never shared.
	Key any

	engine *Engine
	op     *operation
	vars   *language.Variables
	state  access.State
	watch  Watch
}

// Answer is the response to one event.
type Answer struct {
	Position facade.Position
	Body     []byte
}

// Open begins a request of any type. It executes a query or a mutation as [Engine.Execute]
// does, and admits a subscription. One of the results is nil: a refused subscription has a
// response.
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
func (op *operation) failed(ctx context.Context, e *Engine, vars *language.Variables, trace string, err error) *Response {
	root := op.plan(e, vars).Units[0].Selection.Fields[0]
	f := e.report.Failed(ctx, trace, err)
	f.At, f.Path = language.Positions(root.Positions...), []language.Segment{{Key: root.Name}}
	return op.named(refuse(kiterror.AsError(err).Code.Status(), []*language.Error{f}))
}

// subscribe admits a subscription. The error comes from an argument, or from Options.Watch.
func (e *Engine) subscribe(ctx context.Context, op *operation, vars *language.Variables, r *Request) (*Subscription, error) {
	if e.options.Watch == nil {
		return nil, kiterror.Errorf(kiterror.NotImplemented, "nothing here announces facts")
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
	case jsontext.Unquote(after) == start:
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

// start is the value of the argument after that begins with the oldest event in the log.
const start = "start"

// Respond executes the subscription for events (MapSourceToResponseEvent, specification
// 6.2.3.2), in their order. Events that the subscriber may not see have no answer. Behind an
// answer with which they have [facade.LogBytes] the events are left out; done is how many are not.
// An error means that there is no answer for any of them, and that they may be tried again.
func (s *Subscription) Respond(ctx context.Context, events []*facade.Event) (answers []Answer, done int, err error) {
	revealed, err := s.watch.Reveal(ctx, events)
	if err != nil {
		return nil, 0, err
	}
	answers = make([]Answer, 0, len(revealed))
	for i, size := 0, 0; i < len(revealed); i++ {
		r := &Request{State: s.state, Trace: revealed[i].Event.Trace, event: &revealed[i]}
		resp := s.op.named(s.engine.execute(ctx, s.op, s.vars, r))
		full := !resp.Executed && resp.Status == kiterror.ServiceUnavailable.Status()
		answers = append(answers, Answer{revealed[i].Event.Position, slices.Clone(resp.Body)})
		size += len(resp.Body)
		resp.Release() // each holds a part of the budget
		if full {
			return nil, 0, kiterror.Errorf(kiterror.ServiceUnavailable, "the memory budget for results is used up; retry later")
		}
		if last := revealed[i].Event.Position; size >= facade.LogBytes {
			return answers, 1 + slices.IndexFunc(events, func(e *facade.Event) bool { return e.Position == last }), nil
		}
	}
	return answers, len(events), nil
}

// Document is equal for live queries that may be executed side by side ([facade.Facade.Together]):
// they share a document, which runs no code of the author. nil: the query is executed by
// itself.
func (s *Subscription) Document() any {
	if !s.op.shared || !s.op.cancellable {
		return nil
	}
	return s.op
}

// Query executes a live query, and records the data that it reads. Its caller bounds the number
// of executions, not the [budget.Budget]. It does not read from copies of a store that may lag
// the events which it is executed for.
func (s *Subscription) Query(ctx context.Context) (*Response, *readset.Set) {
	ctx, reads := readset.Record(consistency.Latest(ctx))
	return s.op.named(s.engine.execute(ctx, s.op, s.vars, &Request{State: s.state, live: true})), reads
}

// subscriptionKey is the common part of subscriptions with equal responses: the operation of
// the cached document, the state, and the values of all variables, except the position to begin
// at.
type subscriptionKey struct {
	op               *operation
	variables, state string
}

func (s *Subscription) key() any {
	state, plain := s.state.AppendKey(nil)
	if !plain || !s.op.shared {
		return nil
	}
	vars := make([]any, len(s.op.vars.List))
	for i := range vars {
		if text := s.vars.At(i); i != s.op.resume && text != nil {
			vars[i] = string(text)
		}
	}
	values, _ := access.State{"variables": vars}.AppendKey(nil)
	return subscriptionKey{s.op, string(values), string(state)}
}

// resumeVariable returns the slot of the variable of a subscription's argument after, if the
// operation uses it only there: subscribers that begin at different positions are equal
// otherwise.
func resumeVariable(def *ast.OperationDefinition, vars *language.Declared) int {
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
