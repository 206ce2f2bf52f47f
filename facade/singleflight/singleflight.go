// Package singleflight shares work between equal requests that arrive together.
//
// It differs from golang.org/x/sync/singleflight in one rule (docs/remotes.md): a caller never
// joins work that started before it called, because that work may have read a state that the
// caller has since changed. It joins the next run instead, as in group commit:
//
//	first call for a key        runs at once
//	calls while it runs         wait, and share the next run
//	calls while that one runs   wait, and share the one after it
//
// The package knows neither calls nor GraphQL. A layer in front of a
// facade.Caller uses it: package resolvers for equal operations, package envelope for
// equal queries to one host.
package singleflight

import (
	"context"
	"runtime"
	"sync"
)

// Group runs functions by key, one at a time for each key. The zero value is ready to
// use. A Group may be used from many goroutines and must not be copied.
type Group[K comparable, V any] struct {
	// Drop, unless nil, is called with every value that no caller is left to receive,
	// so that it can be released.
	Drop func(V)

	mu   sync.Mutex
	keys map[K]*entry[V] // the keys with a run under way
}

// entry is a key with a run under way.
type entry[V any] struct {
	next *call[V] // collects the callers that arrived since that run started; nil: none
}

// call is one run, shared by its waiters.
type call[V any] struct {
	fn     func(context.Context) V
	ctx    context.Context
	cancel context.CancelFunc

	joined  int  // how many callers joined; once closed, how many receive the value
	waiters int  // how many of them still wait
	closed  bool // no waiter may leave any more: each receives the value

	done     chan struct{} // closed when value or panicked is set
	value    V
	panicked any
}

// Do returns the value of fn for key, and how many callers share it. Exactly that many
// callers receive the value.
//
// With no run under way for key, Do yields to the scheduler once, so that callers that
// are ready to run may join, and then starts. A caller that is alone runs fn in its own
// goroutine and with its own ctx. Otherwise the callers share one run of the fn that
// arrived first, with the values of its context but not its deadline; the context of
// that run ends when every caller has left. A caller leaves when its own ctx ends: err
// is then the cause, and shared is 0. A panic of fn is raised in every caller.
func (g *Group[K, V]) Do(ctx context.Context, key K, fn func(context.Context) V) (value V, shared int, err error) {
	g.mu.Lock()
	e, running := g.keys[key]
	if !running {
		if g.keys == nil {
			g.keys = map[K]*entry[V]{}
		}
		e = &entry[V]{}
		g.keys[key] = e
		g.mu.Unlock()
		runtime.Gosched() // see start
		g.mu.Lock()
		if e.next == nil {
			g.mu.Unlock()
			defer g.startNext(key, e)
			return fn(ctx), 1, nil
		}
		go g.start(key, e, e.next) // this caller joins below
	}
	if e.next == nil {
		e.next = &call[V]{fn: fn, done: make(chan struct{})}
		e.next.ctx, e.next.cancel = context.WithCancel(context.WithoutCancel(ctx))
	}
	c := e.next
	c.joined++
	c.waiters++
	g.mu.Unlock()

	select {
	case <-c.done:
	case <-ctx.Done():
		if g.leave(e, c) {
			return value, 0, context.Cause(ctx)
		}
		<-c.done
	}
	if c.panicked != nil {
		panic(c.panicked)
	}
	return c.value, c.joined, nil
}

// leave removes one waiter and reports whether it could: not after the run has ended.
// The last waiter to leave cancels the run, or the start of it.
func (g *Group[K, V]) leave(e *entry[V], c *call[V]) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.closed {
		return false
	}
	if c.waiters--; c.waiters > 0 {
		return true
	}
	c.cancel()
	if e.next == c {
		e.next = nil
	}
	return true
}

// start runs c for everybody that joined before it began. It yields first: on a single
// processor, callers that are ready could not run, and so not join, while work goes on
// that never blocks.
func (g *Group[K, V]) start(key K, e *entry[V], c *call[V]) {
	runtime.Gosched()
	defer g.startNext(key, e)
	g.mu.Lock()
	abandoned := e.next != c // every waiter has left
	if !abandoned {
		e.next = nil // from here on nobody joins
	}
	g.mu.Unlock()
	if abandoned {
		return
	}
	defer g.finish(c)
	c.value = c.fn(c.ctx)
}

// finish hands the value, or the panic, of a run to the callers that still wait.
func (g *Group[K, V]) finish(c *call[V]) {
	c.panicked = recover()
	g.mu.Lock()
	c.closed, c.joined = true, c.waiters
	g.mu.Unlock()
	if c.joined == 0 && c.panicked == nil && g.Drop != nil {
		g.Drop(c.value)
	}
	c.cancel()
	close(c.done)
}

// startNext follows the end of a run: it starts the next one, or forgets the key where
// no caller waits.
func (g *Group[K, V]) startNext(key K, e *entry[V]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if e.next == nil {
		delete(g.keys, key)
		return
	}
	go g.start(key, e, e.next)
}
