package binding

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/graph-gophers/dataloader/v7"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema/jsontext"
)

// Load asks for the row of an entity by its primary key (its JSON text), for the
// Resolve of a hand-written field to answer with:
//
//	return binding.Load(p.Context, "author", row.Get("editorId")), nil
//
// Load returns a function that waits for the level's other fields: all keys asked for by then
// go in one call, and a key is sent once in a request. The function returns a [rows.Row], or
// nil if there is no such row or the key is null. The call has the rights of the request's
// caller.
func Load(ctx context.Context, entity string, id json.RawMessage) func() (any, error) {
	return LoadersOf(ctx).load(ctx, relation{entity: entity, one: true}, id)
}

// LoadMany is Load for the rows of an entity that have key in field, as list gives
// them: the first page, by primary key. The function gives a []facade.Row.
func LoadMany(ctx context.Context, entity, field string, key json.RawMessage) func() (any, error) {
	return LoadersOf(ctx).load(ctx, relation{entity: entity, field: field}, key)
}

// WithLoaders gives a request its loaders. The executor of package resolvers does so itself; who runs
// graphql.Do gives it a context that went through here, one for each request.
func WithLoaders(ctx context.Context, s *Schema, caller facade.Caller) context.Context {
	return context.WithValue(ctx, loadersKey{}, &Loaders{catalog: s.Catalog, caller: caller, by: map[relation]*loader{}})
}

var errNoLoaders = errors.New("binding.Load without loaders in its context; give graphql.Do one from binding.WithLoaders")

type loadersKey struct{}

// LoadersOf returns the loaders of a request, or nil if its context has no loaders.
func LoadersOf(ctx context.Context) *Loaders {
	l, _ := ctx.Value(loadersKey{}).(*Loaders)
	return l
}

// Loaders are the loaders of one request, one for each relation.
type Loaders struct {
	catalog *catalog.Catalog
	caller  facade.Caller
	mu      sync.Mutex
	by      map[relation]*loader
	lookups sync.Map // of *Lookup, its batches
	failed  map[rows.Row][]facade.FieldError
}

// Note records the failed computed fields of a result's rows, which cannot hold them.
func (l *Loaders) Note(res *facade.Result) {
	if l == nil || len(res.Failed) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed == nil {
		l.failed = map[rows.Row][]facade.FieldError{}
	}
	for i := range res.Rows.Len() {
		l.failed[res.Rows.Row(i)] = res.Failed
	}
}

// Failures are the computed fields that could not be made for a row.
func (l *Loaders) Failures(r rows.Row) []facade.FieldError {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed[r]
}

// primary is the name of an entity's primary key. It is "" for an unknown entity or one without
// a key; the façade reports those.
func (l *Loaders) primary(entity string) string {
	if d := l.catalog.Door(entity); d != nil && d.Entity != nil && d.Entity.Primary != nil {
		return d.Entity.Primary.Name
	}
	return "id"
}

// relation names the rows that a loader loads: the rows of an entity by a field, or one row by
// the primary key.
type relation struct {
	entity, field string
	one           bool
}

// loader loads the rows of a relation, in batches.
type loader struct {
	relation
	caller facade.Caller
	*batches[string, any]
}

func (l *Loaders) load(ctx context.Context, of relation, key json.RawMessage) func() (any, error) {
	text := string(jsontext.Trim(key))
	switch {
	case l == nil:
		err := kiterror.Internal(errNoLoaders)
		return func() (any, error) { return nil, err }
	case text == "" || text == "null":
		return func() (any, error) { return nil, nil }
	}
	if of.one {
		of.field = l.primary(of.entity)
	}
	one := l.of(ctx, of)
	one.want(text)
	return func() (any, error) { return one.value(ctx, text) }
}

// of returns the loader of a relation. A row read in a transaction may be rolled back and must
// not be shared: there each load has a loader of its own.
func (l *Loaders) of(ctx context.Context, of relation) *loader {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.by[of]
	if alone := facade.InTransaction(ctx); one == nil || alone {
		one = &loader{relation: of, caller: l.caller}
		one.batches = newBatches(one.fetch)
		if !alone {
			l.by[of] = one
		}
	}
	return one
}

// fetch loads a batch: one call for any number of keys.
func (l *loader) fetch(ctx context.Context, keys []string) []*dataloader.Result[any] {
	results := make([]*dataloader.Result[any], len(keys))
	each := &facade.Each{Field: l.field, Keys: make([]json.RawMessage, len(keys))}
	for i, k := range keys {
		each.Keys[i] = json.RawMessage(k)
		results[i] = &dataloader.Result[any]{}
	}
	c := &facade.Call{Entity: l.entity, Operation: "list", Each: each, Partial: true, Invocation: facade.Invocation{
		Query: json.RawMessage(`{"total":false}`), State: facade.StateFrom(ctx),
	}}
	if l.one {
		c.Operation, c.Invocation.Query = "findById", nil
	}
	res, err := l.call(ctx, c)
	if err == nil {
		LoadersOf(ctx).Note(res)
	}
	for i, r := range results {
		if r.Error = err; err != nil {
			continue
		}
		g := res.Groups[i]
		switch {
		case !l.one:
			found := make([]rows.Row, 0, g.To-g.From)
			for at := g.From; at < g.To; at++ {
				found = append(found, res.Rows.Row(at))
			}
			r.Data = found
		case g.From < g.To:
			r.Data = res.Rows.Row(g.From)
		}
	}
	return results
}

// recovered turns a panic into an error that has its text and its stack.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
	}
}

// call makes the call; a panic on the way is an error here, for dataloader would
// write it to the standard log and repeat its text.
func (l *loader) call(ctx context.Context, c *facade.Call) (res *facade.Result, err error) {
	defer recovered(&err)
	return l.caller.Call(ctx, c)
}
