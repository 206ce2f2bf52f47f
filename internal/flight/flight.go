// Package flight makes equal questions that are asked at once one piece of work, as
// group commit does with writes (DESIGN 8): a question never joins work that began
// before it was asked, which could have read what its asker has since changed. It
// waits for the next flight, and with nothing under way it starts at once.
package flight

import (
	"context"
	"runtime"
	"sync"
)

// Group is a set of questions by key. The zero value is ready; a Group may be used
// from many goroutines and is not copied.
type Group[K comparable, V any] struct {
	// Drop, where it is set, is given each value that nobody is left to take.
	Drop func(V)

	mu     sync.Mutex
	routes map[K]*route[V]
}

// route is a key whose work is under way.
type route[V any] struct {
	next *flight[V] // gathers who came since it took off; nil: nobody
}

// flight is work for everybody who is aboard.
type flight[V any] struct {
	fly    func(context.Context) V
	ctx    context.Context
	cancel context.CancelFunc
	aboard int  // who came; once it is over, who takes the value
	still  int  // who has not gone
	over   bool // nobody goes any more: whoever is there takes the value

	landed chan struct{}
	value  V
	panics any
}

// Do answers with what fly gives for the key, and how many share the answer.
//
// Where nothing is under way for the key, fly takes off at once: whoever else is
// about to ask is let run first, which is all the waiting there is. Alone it runs
// here, with the caller's own context. Else the caller waits for the flight after
// the one under way, which runs the fly of whoever came first, with the values of
// that one's context; its context ends when all who wait for it have gone. Exactly as
// many callers as share an answer are given it. The error is the reason a caller's context ended while it waited. A panic of fly reaches
// everybody aboard.
func (g *Group[K, V]) Do(ctx context.Context, key K, fly func(context.Context) V) (value V, aboard int, err error) {
	g.mu.Lock()
	r, underWay := g.routes[key]
	if !underWay {
		if g.routes == nil {
			g.routes = map[K]*route[V]{}
		}
		r = &route[V]{}
		g.routes[key] = r
		g.mu.Unlock()
		runtime.Gosched() // see takeOff
		g.mu.Lock()
		if r.next == nil {
			g.mu.Unlock()
			defer g.depart(key, r)
			return fly(ctx), 1, nil
		}
		go g.takeOff(key, r, r.next) // with this one aboard
	}
	if r.next == nil {
		r.next = &flight[V]{fly: fly, landed: make(chan struct{})}
		r.next.ctx, r.next.cancel = context.WithCancel(context.WithoutCancel(ctx))
	}
	f := r.next
	f.aboard++
	f.still++
	g.mu.Unlock()

	select {
	case <-f.landed:
	case <-ctx.Done():
		if g.leave(r, f) {
			return value, 0, context.Cause(ctx)
		}
		<-f.landed
	}
	if f.panics != nil {
		panic(f.panics)
	}
	return f.value, f.aboard, nil
}

// leave takes one passenger off, unless the flight is over; one without any ends, or
// never takes off.
func (g *Group[K, V]) leave(r *route[V], f *flight[V]) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if f.over {
		return false
	}
	if f.still--; f.still > 0 {
		return true
	}
	f.cancel()
	if r.next == f {
		r.next = nil
	}
	return true
}

// land ends a flight: who is still there is given its value, or its panic.
func (g *Group[K, V]) land(f *flight[V]) {
	f.panics = recover()
	g.mu.Lock()
	f.over, f.aboard = true, f.still
	g.mu.Unlock()
	if f.aboard == 0 && f.panics == nil && g.Drop != nil {
		g.Drop(f.value)
	}
	f.cancel()
	close(f.landed)
}

// depart ends a flight of the key: the next one takes off, if anybody waits for it.
func (g *Group[K, V]) depart(key K, r *route[V]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r.next == nil {
		delete(g.routes, key)
		return
	}
	go g.takeOff(key, r, r.next)
}

// takeOff flies, for everybody who asked before it began. Who is ready to run may be
// about to ask, and on one processor could not while work goes on that never waits:
// they are let run first, and are aboard then.
func (g *Group[K, V]) takeOff(key K, r *route[V], f *flight[V]) {
	runtime.Gosched()
	defer g.depart(key, r)
	g.mu.Lock()
	empty := r.next != f // all have left
	if !empty {
		r.next = nil // from here on nobody gets aboard
	}
	g.mu.Unlock()
	if empty {
		return
	}
	defer g.land(f)
	f.value = f.fly(f.ctx)
}
