package subscriptions

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facts/outlet"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/schema/jsontext"
)

// The messages of the server.
//
//	{"id":"1","type":"next","payload":{"data":…}}
//	{"id":"1","type":"error","payload":[{"message":…}]}
//	{"id":"1","type":"complete"}

// next is the text in front of a response; a brace ends the message.
func next(id string) []byte { return []byte(`{"id":` + id + `,"type":"next","payload":`) }

func completed(id string) []byte { return []byte(`{"id":` + id + `,"type":"complete"}`) }

func failed(id string, errors json.RawMessage) []byte {
	return append(append([]byte(`{"id":`+id+`,"type":"error","payload":`), errors...), '}')
}

// refused is the message for an operation that does not begin.
func refused(id string, err *kiterror.Error) []byte {
	list := append([]byte(`[{"message":`), jsontext.Quote(err.Message)...)
	list = append(append(list, `,"extensions":{"code":`...), jsontext.Quote(string(err.Code))...)
	return failed(id, append(list, "}}]"...))
}

// pong answers a ping with its payload.
func (c *conn) pong(payload json.RawMessage) {
	text := []byte(`{"type":"pong"`)
	if payload != nil && !jsontext.IsNull(payload) {
		text = append(append(text, `,"payload":`...), payload...)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue(message{text: append(text, '}')})
}

// queue has a message written. The caller holds c.mu.
func (c *conn) queue(m message) {
	c.out = append(c.out, m)
	c.held += m.size()
	c.pump.Wake()
}

func (m *message) size() int {
	if m.response == nil {
		return len(m.text)
	}
	return len(m.text) + len(m.response.Body)
}

// release gives back a message after its write, or instead of one.
func (m *message) release() {
	if m.response != nil {
		m.response.Release()
	}
}

// Next implements [outlet.Source]. Ready messages leave together.
func (c *conn) Next(ctx context.Context, b *outlet.Batch) (at time.Time, err error) {
	ready, ended, at := c.due(b)
	closeAll(ended)
	c.ops.given = c.ops.given[:0]
	for _, op := range ready {
		if b.Full() {
			c.wake(op)
			continue
		}
		c.deliver(ctx, b, op)
	}
	if len(ready) > 0 && b.Len() == 0 {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.going != (ending{}) { // nothing was ready in fact: the connection ends in the next turn
			c.pump.Wake()
		}
	}
	return at, nil
}

// due writes queued messages, and takes the operations whose streams may have something, or returns
// when they are to be taken.
func (c *conn) due(b *outlet.Batch) (ready []*operation, ended []*Stream, at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ended = c.ops.takeEnded()
	c.written = 0
	if c.end != (ending{}) {
		return nil, ended, at
	}
	for ; c.written < len(c.out) && !b.Full(); c.written++ {
		c.out[c.written].write(b)
	}
	gathered := c.sent.Add(gather)
	if time.Until(gathered) <= 0 {
		ready = c.ops.readied()
	} else if slices.ContainsFunc(c.ops.all, func(op *operation) bool { return op.ready && op.stream != nil }) {
		at = gathered
	}
	if c.going != (ending{}) && c.running == 0 && c.written == 0 && len(ready) == 0 {
		c.finishing(c.going)
	}
	return ready, ended, at
}

// Sent implements [outlet.Source].
func (c *conn) Sent(n int) (more bool) {
	c.mu.Lock()
	messages := min(n, c.written)
	for i := range messages {
		c.held -= c.out[i].size()
		c.out[i].release()
	}
	if c.out = slices.Delete(c.out, 0, messages); len(c.out) == 0 {
		c.out = nil
	}
	c.drained.Broadcast()
	more = c.written > 0 || c.going != (ending{})
	c.mu.Unlock()
	c.ops.sent(n-c.written, c.wake)
	return more
}

// HangUp implements [outlet.Source].
func (c *conn) HangUp() { _ = c.socket.Close() }

// Close implements [outlet.Source].
func (c *conn) Close() {
	c.mu.Lock()
	if c.end == (ending{}) {
		c.end = ending{code: abnormalClosure}
	}
	c.ops.removeAll()
	out, ended := c.out, c.ops.takeEnded()
	c.out = nil
	c.mu.Unlock()
	for i := range out {
		out[i].release()
	}
	closeAll(ended)
	c.mu.Lock()
	c.closed = true
	c.drained.Broadcast()
	c.mu.Unlock()
}

// manyAnswers is how many responses of a subscription say that there are more.
const manyAnswers = 128

// deliver adds the next responses of a subscription to a batch.
func (c *conn) deliver(ctx context.Context, b *outlet.Batch, op *operation) {
	answers, err := op.stream.Next(facade.WithRequest(ctx, c.caller, 0))
	n := 0
	for head := next(op.id); n < len(answers) && !b.Full(); n++ {
		appendText(b, head, answers[n], brace)
	}
	var last *resolvers.Response
	if err != nil {
		last = op.stream.Failed(ctx, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case last != nil:
		c.ends(op, last)
	case n > 0:
		c.ops.given = append(c.ops.given, given{op, n})
		if c.sent = time.Now(); n < len(answers) || n >= manyAnswers {
			c.sent = time.Time{}
		}
	}
}

// brace ends the message of a response.
var brace = []byte{'}'}

// write adds a message of the queue to a batch.
func (m *message) write(b *outlet.Batch) {
	if m.response == nil {
		appendText(b, m.text)
		return
	}
	appendText(b, m.text, m.response.Body, brace)
}
