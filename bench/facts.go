package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/sqlite"
)

// What a fact costs its command (facts): creates of equal rows through two doors, one of which
// announces each. Rows and events are durable when a call returns, and a relay gives positions
// meanwhile, as it does in a gateway.

// announced is a project of two entities that differ in the fact of one.
var announced = fstest.MapFS{
	"entities/silent.yaml":   {Data: []byte(noteCard)},
	"entities/reported.yaml": {Data: []byte(noteCard)},
	"frond.yaml": {Data: []byte(`
facts:
  - {name: reportedAdded, schema: reported, on: reported.create}
collectors: {silent: open, reported: open}
`)},
}

const noteCard = `
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: uuidv7}}}}
  text: {type: string}
  stars: {type: integer}
  createdAt: {type: string, format: date-time, x-kit: {lifecycle: {create: now, update: forbidden}}}
required: [text, stars]
`

// factStore is a store with an outbox that a measurement opens and closes.
type factStore interface {
	facade.Store
	io.Closer
	Prepare(ctx context.Context, entities []*schema.Entity) error
}

// benchFacts measures both stores. Without PostgreSQL it prints what to install.
func benchFacts(rounds int, slice time.Duration) error {
	dir, err := os.MkdirTemp("", "frond-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	quiet := slog.New(slog.DiscardHandler)
	file, err := sqlite.Open(context.Background(), sqlite.Options{Path: filepath.Join(dir, "facts.db"), Logger: quiet})
	if err != nil {
		return err
	}
	if err := factCost("SQLite", file, rounds, slice); err != nil {
		return err
	}
	cluster, err := pgtest.Start(pgtest.Options{Durable: true})
	if errors.Is(err, pgtest.ErrMissing) {
		fmt.Printf("\nSKIPPED: facts on PostgreSQL: %v\n", err)
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = cluster.Close() }()
	server, err := postgres.Open(postgres.Options{URL: cluster.Primary.URL("postgres"), Logger: quiet, Connections: 32})
	if err != nil {
		return err
	}
	return factCost("PostgreSQL", server, rounds, slice)
}

// factCost prints how many creates a second a store takes without and with a fact, and closes
// it.
func factCost(name string, store factStore, rounds int, slice time.Duration) error {
	defer func() { _ = store.Close() }() // what it holds is removed
	project, err := facade.Read(announced)
	if err != nil {
		return err
	}
	compiled, err := compile.Project(project, nil)
	if err != nil {
		return err
	}
	f, err := facade.New(compiled, store, nil)
	if err != nil {
		return err
	}
	if err := store.Prepare(context.Background(), f.Catalog().Set.Entities); err != nil {
		return err
	}
	stop, err := relaying(store.Abilities().Outbox)
	if err != nil {
		return err
	}
	defer stop()
	create := func(entity string) contender {
		call := &facade.Call{Entity: entity, Operation: "create", Invocation: facade.Invocation{Body: json.RawMessage(`{"text":"a line of an ordinary length, such as people write","stars":3}`)}}
		return contender{entity, func() {
			if _, err := f.Call(context.Background(), call); err != nil {
				panic(err)
			}
		}}
	}
	fmt.Printf("\nDurable creates a second on %s, without and with a fact each, a relay beside them; aim 0.70\n", name)
	for _, callers := range []int{1, 32} {
		var without, with, ratio []float64
		for range rounds { // side by side, so that the machine's other work falls on both
			a := perSecond(create("silent"), callers, 8*slice)
			b := perSecond(create("reported"), callers, 8*slice)
			without, with, ratio = append(without, a), append(with, b), append(ratio, b/a)
		}
		fmt.Printf("  %2d callers  %6.0f  %6.0f  %.2f\n", callers, middle(without), middle(with), middle(ratio))
	}
	return nil
}

// relaying relays until the result is called, as a gateway does: when something was committed,
// and a hundred times a second at most.
func relaying(store facade.Outbox) (stop func(), err error) {
	if _, _, err := store.Relay(context.Background()); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			committed := store.Committed()
			if _, _, err := store.Relay(context.Background()); err != nil { //nolint:contextcheck // ctx ends the loop and not a call
				panic(err)
			}
			select {
			case <-committed:
				time.Sleep(10 * time.Millisecond)
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { cancel(); <-done }, nil
}

// middle is the median of figures, which it sorts.
func middle(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}
