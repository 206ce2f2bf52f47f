package frond_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond"
)

// Parcel is the row of a store of parcels; Label is written by a consumer for each parcel.
type (
	Parcel struct{ ID, To string }
	Label  struct{ ID, ParcelID string }
)

// parcels is a program that announces parcels, and labels.
func parcels() (*frond.App, *frond.DoorOf[Parcel]) {
	app := frond.New(fstest.MapFS{
		"gateway.yaml":         {Data: []byte("store: memory\nmode: development\nlog: {level: error}\n")},
		"entities/parcel.yaml": {Data: []byte("properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  to: {type: string}\nrequired: [id, to]\n")},
		"entities/label.yaml":  {Data: []byte("properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  parcelId: {type: string}\nrequired: [id, parcelId]\n")},
		"frond.yaml": {Data: []byte(`
name: depot
facts:
  - {name: parcelSent, schema: parcel, on: parcel.create}
  - {name: labelPrinted, schema: label, on: label.create}
changes: [parcel]
collectors: {'*': open}
`)},
	})
	frond.Door[Label](app, "label")
	return app, frond.Door[Parcel](app, "parcel")
}

// TestConsumers: a consumer writes in the transaction of its position, what it announces reaches
// another consumer, and a failure leaves nothing behind and is not passed over.
func TestConsumers(t *testing.T) {
	app, _ := parcels()
	broken := true
	frond.OnFact(app, "parcelSent", func(ctx context.Context, e *frond.Event[Parcel]) error {
		if _, err := frond.Inside[Label](ctx).Create(ctx, Label{ID: e.ID, ParcelID: e.Data.ID}); err != nil {
			return err
		}
		if broken && e.Data.To == "nowhere" {
			return errors.New("there is no such place")
		}
		return nil
	})
	var printed []string
	frond.OnFact(app, "depot.labelPrinted", func(_ context.Context, e *frond.Event[Label]) error {
		printed = append(printed, e.Data.ParcelID+" "+e.Change+" "+string(e.Key)+" "+string(e.Actor.AppendJSON(nil)))
		return nil
	}, frond.Named("printer"))
	var moved string
	frond.OnFact(app, "parcelChanged", func(_ context.Context, e *frond.Event[Parcel]) error {
		if e.Before != nil {
			moved = e.Before.To + " to " + e.Data.To
		}
		return nil
	})
	ctx := frond.Test(t, app)
	for _, p := range []Parcel{{"p1", "Ulm"}, {"p2", "nowhere"}, {"p3", "Bonn"}} {
		if _, err := frond.Inside[Parcel](ctx).Create(ctx, p); err != nil {
			t.Fatal(err)
		}
	}
	labels := func() (n int) {
		t.Helper()
		page, err := frond.Inside[Label](ctx).List(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return len(page.Items)
	}
	for range 2 {
		if err := frond.Deliver(ctx); err == nil || !strings.Contains(err.Error(), "there is no such place") {
			t.Errorf("a consumer that fails: %v", err)
		}
		if n := labels(); n != 1 {
			t.Errorf("%d labels are there, and one parcel was handled", n)
		}
	}
	broken = false
	for range 2 {
		if err := frond.Deliver(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := frond.Inside[Parcel](ctx).Update(ctx, "p3", frond.Set{"to": "Kiel"}); err != nil {
		t.Fatal(err)
	}
	if err := frond.Deliver(ctx); err != nil || moved != "Bonn to Kiel" {
		t.Errorf("a change: %q, %v", moved, err)
	}
	if n := labels(); n != 3 || len(printed) != 3 || !strings.HasPrefix(printed[1], `p2 created "`) || !strings.HasSuffix(printed[1], `" {"call":"go:depot.parcelSent","by":"consumer"}`) {
		t.Errorf("%d labels, announced: %q", n, printed)
	}
	if err := frond.Deliver(t.Context()); frond.CodeOf(err) != frond.InternalError {
		t.Errorf("Deliver with any context: %v", err)
	}
}

// TestConsumersOfAServedProgram run by themselves; an event that fails is tried again, those of
// other rows are not held up, and those of its own wait.
func TestConsumersOfAServedProgram(t *testing.T) {
	app, _ := parcels()
	var mu sync.Mutex
	var handled []string
	failures := 0
	done := make(chan struct{}, 10)
	frond.OnFact(app, "parcelSent", func(_ context.Context, e *frond.Event[Parcel]) error {
		mu.Lock()
		defer mu.Unlock()
		if e.Data.ID == "p1" && len(handled) == 0 { // until the other one was handled
			failures++
			panic("a bug")
		}
		handled = append(handled, e.Data.ID)
		done <- struct{}{}
		return nil
	})
	ask := served(t, app)
	for _, id := range []string{"p1", "p2"} {
		ask("POST", "/api/depot/parcels", `{"id":"`+id+`","to":"Ulm"}`)
	}
	for range 2 {
		select {
		case <-done:
		case <-time.After(2 * time.Minute):
			t.Fatal("an event was not handled")
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(handled, " "); got != "p2 p1" || failures == 0 {
		t.Errorf("handled: %s, after %d failures", got, failures)
	}
}

// TestConsumersOfRemotes do not keep a program from its tests, where there are no remotes.
func TestConsumersOfRemotes(t *testing.T) {
	app := frond.New(fstest.MapFS{
		"gateway.yaml": {Data: []byte("mode: development\nremotes: {billing: http://127.0.0.1:1}\n")},
		"frond.yaml":   {Data: []byte("name: depot\n")},
	})
	frond.OnFact(app, "billing.paid", func(context.Context, *frond.Event[Parcel]) error { return nil })
	if err := frond.Deliver(frond.Test(t, app)); err != nil {
		t.Error(err)
	}
}

// TestConsumersThatDoNotFit are refused at the start.
func TestConsumersThatDoNotFit(t *testing.T) {
	app, _ := parcels()
	nothing := func(context.Context, *frond.Event[struct{ Weight int }]) error { return nil }
	frond.OnFact(app, "parcelSent", nothing)
	frond.OnFact(app, "parcelSent", nothing)
	frond.OnFact(app, "parcelLost", nothing)
	frond.OnFact(app, "billing.paid", nothing)
	_, _, err := app.Handler()
	for _, want := range []string{
		"depot.parcelSent has no field for struct { Weight int }.Weight; name it as one of id, to",
		"two consumers are called go:depot.parcelSent", "nothing announces parcelLost; declare it under facts in the frond.yaml, or write one of depot.labelPrinted, depot.parcelChanged, depot.parcelSent",
		"nothing announces billing.paid",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the start does not say: %s\n%v", want, err)
		}
	}
}
