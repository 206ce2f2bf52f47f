package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/e2e/reference"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers"
)

// The executor against graphql-go's (graphql). Both run the same document over one schema and
// one Caller that answers from memory, so that only parsing, validation, planning, execution
// and writing count. graphql.Do has to write its result with encoding/json, which belongs to
// what a server does with it.

// itemsWithMakers is the document of several measurements: 100 rows with a relation, 10 makers
// in all.
const itemsWithMakers = `{ items(first: 100) { items { id name price active maker { name country } } } }`

// benchGraphQL runs one document over the same schema with both engines. The rows
// are held in memory: every call is answered by the result it had the first time.
func benchGraphQL(rounds int, slice time.Duration) error {
	dir, err := os.MkdirTemp("", "frond-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	gw, shut, err := open(dir, nil)
	if err != nil {
		return err
	}
	defer shut()
	// Below the engine, both answer from here: neither pays for the store.
	held := &memory{next: gw.Caller()}
	b := projection.NewBuilder()
	if err := projection.RegisterAll(b, gw.Catalog(), nil); err != nil {
		return err
	}
	s, err := b.Build()
	if err != nil {
		return err
	}
	engine, err := resolvers.NewEngine(s, held, nil)
	if err != nil {
		return err
	}
	reference.Attach(s, held)
	ctx := context.Background()
	fast := func() {
		r := engine.Execute(ctx, &resolvers.Request{Query: itemsWithMakers})
		if r.Status != 200 {
			panic(string(r.Body))
		}
		r.Release()
	}
	// plain is the reference's latest answer as JSON.
	var plain []byte
	reference := func() {
		r := graphql.Do(graphql.Params{Schema: *s.GraphQL(), RequestString: itemsWithMakers, Context: ctx})
		if plain, err = json.Marshal(r); err != nil || len(r.Errors) > 0 {
			panic(fmt.Sprint(err, r.Errors))
		}
	}
	// Once before the measurement, for the comparison and so that memory has the results of
	// its calls.
	reference()
	if err := same(engine.Execute(ctx, &resolvers.Request{Query: itemsWithMakers}).Body, plain); err != nil {
		return err
	}
	// graphql.Do is the base, so that the ratio of the executor is below 1.
	figures := compete(rounds, slice, []contender{{"graphql.Do", reference}, {"the executor", fast}})
	table(os.Stdout, "GraphQL, 100 rows with a relation, held in memory", 0, figures,
		fmt.Sprintf("the executor is %.1f times as fast (aim: 30) with %.0f allocations (aim: under 100)",
			float64(figures[0].median)/float64(figures[1].median), figures[1].allocs))
	return nil
}

// same reports where two answers differ as JSON values: the order of members and the spelling
// of numbers do not count. nil: they are equal.
func same(a, b []byte) error {
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		return err
	}
	if err := json.Unmarshal(b, &y); err != nil {
		return err
	}
	if diff := cmp.Diff(y, x); diff != "" {
		return fmt.Errorf("the two do not answer the same:\n%s", diff)
	}
	return nil
}

// memory answers a call with what the first like it was answered. It is safe for concurrent
// use.
type memory struct {
	next facade.Caller
	held sync.Map
}

// Call answers from what was recorded, so that only the executor is measured.
func (m *memory) Call(ctx context.Context, c *facade.Call) (*facade.Result, error) {
	key := likeness{entity: c.Entity, operation: c.Operation, query: string(c.Invocation.Query), params: string(c.Invocation.ParamsJSON()), cursors: c.Cursors, noCursors: c.NoCursors}
	// A batch is known by its field, the number of its keys and the first of them.
	if c.Each != nil && len(c.Each.Keys) > 0 {
		key.each, key.keys, key.first = c.Each.Field, len(c.Each.Keys), string(c.Each.Keys[0])
	}
	if len(c.Select) > 0 {
		key.fields = len(c.Select)
	}
	if r, ok := m.held.Load(key); ok {
		return r.(*facade.Result), nil
	}
	// The result is kept beyond the call, and may refer to what the call has.
	c = copied(c)
	r, err := m.next.Call(ctx, c)
	if err == nil {
		m.held.Store(key, r)
	}
	return r, err
}

// likeness distinguishes this program's few calls at next to no cost: keys by their number and
// the first of them, fields by their number. That would be wrong for any other program.
type likeness struct {
	entity, operation, query, params, each, first string
	keys, fields                                  int
	cursors, noCursors                            bool
}

// copied returns a call whose names are its own: an engine may use its buffers again while the
// result is held.
func copied(c *facade.Call) *facade.Call {
	d := *c
	d.Entity, d.Operation = strings.Clone(c.Entity), strings.Clone(c.Operation)
	return &d
}
