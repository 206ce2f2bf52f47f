package subscriptions

import (
	"context"
	"encoding/json"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/schema/jsontext"
)

// subscribe begins an operation.
func (c *conn) subscribe(id string, payload json.RawMessage) ending {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known {
		return ending{unauthorized, "Unauthorized"}
	}
	if c.going != (ending{}) || c.end != (ending{}) {
		return ending{} // the client sends it again on another connection
	}
	op := &operation{id: string(jsontext.Quote(id))}
	if c.ops.named(op.id) != nil {
		return ending{duplicate, "Subscriber for " + id + " already exists"}
	}
	var err error
	if most := c.server.Hub.limits().Connection; most >= 0 && len(c.ops.all) >= most {
		err = kiterror.Errorf(kiterror.TooManyRequests, "this connection has %d operations, its limit; end some first", len(c.ops.all))
	}
	if err == nil && c.server.Allow != nil {
		err = c.server.Allow(c.address, c.state)
	}
	c.opened++
	if err != nil {
		c.queue(message{text: refused(op.id, kiterror.AsError(err))})
		return ending{}
	}
	c.ops.all = append(c.ops.all, op)
	c.running++
	ctx, cancel := context.WithCancel(c.server.ctx)
	op.cancel = cancel
	go c.begin(ctx, op, payload)
	return ending{}
}

// begin executes a query or a mutation, or opens the stream of a subscription.
func (c *conn) begin(ctx context.Context, op *operation, payload json.RawMessage) {
	defer func() {
		if p := recover(); p != nil {
			_ = kiterror.Report(ctx, c.server.Log, kiterror.Panicked(p), "")
			c.finish(ending{internalError, "Internal server error"})
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.running--
		op.cancel()
		op.cancel = func() {} // without the context, which a subscription would hold
		if c.going != (ending{}) {
			c.pump.Wake()
		}
	}()
	s, resp := c.server.Operations.Operate(facade.WithRequest(ctx, c.caller, 0), payload, c.state)
	if s != nil {
		stream, err := c.server.Hub.Open(ctx, s, c.caller, func() { c.wake(op) })
		if err == nil {
			c.opens(op, stream)
			return
		}
		resp = s.Failed(ctx, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ends(op, resp)
}

// opens gives an operation its stream.
func (c *conn) opens(op *operation, stream *Stream) {
	c.mu.Lock()
	opened := c.ops.open(op, stream)
	if opened {
		c.pump.Wake()
	}
	c.mu.Unlock()
	if !opened {
		stream.Close()
	}
}

// ends writes the only response of an operation, or the last one, and ends it. The caller
// holds c.mu.
func (c *conn) ends(op *operation, resp *resolvers.Response) {
	if op.gone {
		resp.Release()
		return
	}
	if resp.Executed {
		c.queue(message{next(op.id), resp})
		c.queue(message{text: completed(op.id)})
	} else {
		c.queue(message{text: failed(op.id, jsontext.Get(resp.Body, "errors"))})
		resp.Release()
	}
	if c.ops.remove(op) {
		c.pump.Wake()
	}
}

// complete ends an operation for the client. An unknown one has ended already.
func (c *conn) complete(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ops.complete(id) {
		c.pump.Wake()
	}
}

// wake has the pump look into the stream of an operation.
func (c *conn) wake(op *operation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	op.ready = true
	if op.stream != nil && !op.gone {
		c.pump.WakeAt(c.sent.Add(gather))
	}
}
