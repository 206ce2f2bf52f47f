package shadow

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
)

// The bounds of the copies. The answer that an asker reads comes on top, at most the client's limit of an answer each.
const (
	maxWaiting = 256     // copies
	maxBytes   = 8 << 20 // of their texts, and of the answers that they are compared with
	askers     = 2
	patience   = 250 * time.Millisecond // for the end of the request; a websocket lasts for hours
	askTimeout = 10 * time.Second
)

// queue holds the copies that wait.
type queue struct {
	copies  chan *call
	waiting atomic.Int64 // copies, those that wait for the end of their request among them
	bytes   atomic.Int64
}

// call is a copy of a call with its answer here.
type call struct {
	op     *catalog.Operation
	call   facade.Call
	result *facade.Result
	err    error
	size   int64
	at     time.Time
}

// take copies a call. The host is asked when the request of ctx has ended, and soon in any case.
func (s *Shadow) take(ctx context.Context, op *catalog.Operation, c *facade.Call, res *facade.Result, err error) {
	q := &s.queue
	size := sizeOf(c) + int64(res.Size())
	if q.waiting.Add(1) > maxWaiting || q.bytes.Load()+size > maxBytes {
		q.waiting.Add(-1)
		s.count(op, dropped)
		return
	}
	q.bytes.Add(size)
	one := &call{op: op, call: *c, err: err, size: size, at: time.Now()}
	one.own()
	if res != nil {
		own := *res // its rows never change; the caller's result may
		one.result = &own
	}
	if ctx.Done() == nil {
		q.copies <- one
		return
	}
	var once sync.Once
	send := func() { once.Do(func() { q.copies <- one }) } // there is room for all that may wait
	soon := time.AfterFunc(patience, send)
	context.AfterFunc(ctx, func() {
		soon.Stop()
		send()
	})
}

// own copies the texts of the call, which belong to its request.
func (c *call) own() {
	in := &c.call.Invocation
	in.ID, in.Params, in.Query, in.Body = bytes.Clone(in.ID), bytes.Clone(in.Params), bytes.Clone(in.Query), bytes.Clone(in.Body)
	in.Trace, c.call.Position, c.call.Field = "", false, ""
	c.call.SentQuery = bytes.Clone(c.call.SentQuery)
	if each := c.call.Each; each != nil {
		own := *each
		own.Keys = make([]json.RawMessage, len(each.Keys))
		for i, key := range each.Keys {
			own.Keys[i] = bytes.Clone(key)
		}
		c.call.Each = &own
	}
	c.call.Select = slices.Clone(c.call.Select)
}

// sizeOf is about how much memory the copy of a call takes.
func sizeOf(c *facade.Call) int64 {
	in := &c.Invocation
	n := 1024 + len(in.ID) + len(in.Params) + len(in.Query) + len(in.Body) + len(c.SentQuery)
	if c.Each != nil {
		for _, key := range c.Each.Keys {
			n += len(key) + 24
		}
	}
	return int64(n)
}

// work asks the host, one copy after the other.
func (s *Shadow) work() {
	for {
		select {
		case <-s.ended.Done():
			return
		case one := <-s.queue.copies:
			s.ask(one)
			s.queue.waiting.Add(-1)
			s.queue.bytes.Add(-one.size)
		}
	}
}

// ask makes the copy of a call and compares the answers. A panic is a failure of the copy.
func (s *Shadow) ask(one *call) {
	to := s.target.Load()
	if to == nil || to.err != nil {
		s.count(one.op, dropped)
		return
	}
	ctx, cancel := context.WithTimeout(s.ended, askTimeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			s.options.Log.Error("a copied query panicked", "panic", p)
			s.count(one.op, failed)
		}
	}()
	res, err := to.caller.Call(ctx, &one.call)
	if s.ended.Err() != nil {
		return
	}
	if !conclusive(err) {
		s.found(one, failed, []Difference{{Field: "error", Here: codeOf(one.err), There: codeOf(err)}})
		return
	}
	if all := compare(one, res, err); len(all) > 0 {
		s.found(one, different, all)
		return
	}
	s.count(one.op, same)
}
