package frond

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema"
)

// Event is one emission of a fact, as [OnFact] hands it over.
type Event[T any] struct {
	// ID is the same however often the event is handed over: effects outside of the store are
	// made once by it.
	ID string
	// Fact is FROND.NAME.
	Fact string
	// Change is created, updated or deleted for a fact of a row; "" for one that a command
	// emitted by its name.
	Change string
	// Key is the id of the row, as JSON; nil for a fact with a shape of its own.
	Key json.RawMessage
	At  time.Time
	// Data is the event's data: of a row, its stored fields at that time.
	Data T
	// Before is the row before an update, of a fact of changes; else nil.
	Before *T
	// Actor is who caused the event; nil for one of a program that did not write it down.
	Actor *facade.Actor
}

// OnFact has fn called for every event of a fact, in the order of the log, while the program is
// served. fact is the name of a fact of this program, or FROND.NAME; of a remote always the
// latter. T is a struct with the fields of the fact's card, or json.RawMessage.
//
// The calls that fn makes with its context, by [Inside] and [Emit], are one transaction, and
// the consumer's position moves in it: the store has the effects of each event once, after any
// crash. fn runs again after a conflict with another transaction, and after a crash, so that an
// effect outside of the store happens at least once: make it idempotent by e.ID.
//
// An event for which fn returns an error, panics, or ends the process is tried again after 1 s,
// then after twice as long each time, up to 10 minutes; later events of the same row wait for
// it, all others go on. After [Tries] it is dead: `frond facts dead` lists it, `frond facts
// replay` brings it back. Of several processes over one store one at a time consumes.
//
// A new consumer begins with the first event after its first start; see [FromStart]. Its
// position belongs to its name, which is the fact's; see [Named].
func OnFact[T any](app *App, fact string, fn func(ctx context.Context, e *Event[T]) error, options ...ConsumerOption) {
	t := reflect.TypeFor[T]()
	c := gateway.Consumer{
		Fact:  fact,
		Check: func(f *catalog.Fact) schema.Faults { return carries(t, f) },
		Handle: func(ctx context.Context, e *facade.Event) error {
			out := &Event[T]{ID: e.ID, Fact: e.Frond + "." + e.Name, Change: string(e.Change), Key: e.Key, At: e.At, Actor: e.Actor}
			err := decodeEvent(e.Data, &out.Data)
			if e.Before != nil && err == nil {
				out.Before = new(T)
				err = decodeEvent(e.Before, out.Before)
			}
			if err != nil {
				return fmt.Errorf("the event %s of %s does not fit %s: %w", e.ID, out.Fact, t, err)
			}
			return fn(withScene(ctx, &scene{app: app}), out)
		},
	}
	for _, option := range options {
		option(&c)
	}
	app.consumers = append(app.consumers, c)
}

// decodeEvent decodes the data of an event, which may be absent.
func decodeEvent(text json.RawMessage, into any) error {
	if text == nil {
		return nil
	}
	return json.Unmarshal(text, into)
}

// ConsumerOption changes how [OnFact] consumes.
type ConsumerOption func(*gateway.Consumer)

// Named gives a consumer a name of its own: two of one fact need two, and a fact that is
// renamed keeps its consumer.
func Named(name string) ConsumerOption { return func(c *gateway.Consumer) { c.Name = name } }

// FromStart has a new consumer begin with the oldest event in the log.
func FromStart() ConsumerOption { return func(c *gateway.Consumer) { c.FromStart = true } }

// Tries is how often an event is tried before it is dead; 12 by default, which are about 25
// minutes.
func Tries(n int) ConsumerOption { return func(c *gateway.Consumer) { c.Tries = max(1, n) } }

// DetachedConsumer has fn run outside of a transaction, so that it may last longer than
// limits.transaction: each of its calls commits by itself, and all of it may happen again.
func DetachedConsumer() ConsumerOption { return func(c *gateway.Consumer) { c.Detached = true } }

// carries compares a type with the card of a fact.
func carries(t reflect.Type, f *catalog.Fact) schema.Faults {
	if t.Kind() != reflect.Struct || ownJSON(t) {
		return nil
	}
	var fields []schema.Field
	if f.Data != nil {
		for _, p := range f.Data.Fields {
			if f.Data.View || p.Stored {
				fields = append(fields, *p.Field)
			}
		}
	}
	return recordOf(t).compare(f.FullName(), fields)
}

// Deliver hands every emitted event to the consumers of the program, including the events that
// consumers emit during it. It is for tests ([Test]) and jobs ([App.Open]): a served program
// delivers by itself. An event whose consumer fails ends it with that failure; it stays, and
// the next Deliver hands it over again.
func Deliver(ctx context.Context) error {
	s := sceneOf(ctx)
	if s == nil || s.host == nil {
		return Errorf(InternalError, "Deliver takes the context of Test or of App.Open")
	}
	return s.host.Consume(ctx)
}

// Emit emits a fact that a frond.yaml declares, within the function of a command or a hook: the
// event leaves if and only if the command is committed. Without a transaction (a [Detached]
// command, a hook after a command, a job) it is committed when Emit returns. A query cannot
// emit.
//
//	func ship(ctx context.Context, in struct{ ID string }) (Order, error) {
//		order, err := frond.Inside[Order](ctx).Update(ctx, in.ID, frond.Set{"status": "shipped"})
//		if err != nil {
//			return order, err
//		}
//		return order, frond.Emit(ctx, "orderShipped", order)
//	}
//
// name is a fact of the Frond whose command runs, or FROND.NAME. payload is marshalled to JSON
// and has to fit the fact's card: for a fact of an entity it is the row. It is nil, or any
// object, for a fact without a card. Return the error, so that the command fails and writes no
// row; it is logged and never sent to a caller.
func Emit(ctx context.Context, name string, payload any) error {
	return facade.Emit(ctx, name, payload)
}
