package graphqlws

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway/subscriptions"
	"github.com/frondhost/frond/schema/jsontext"
)

// The messages of the server.
//
//	{"id":"1","type":"next","payload":{"data":…}}
//	{"id":"1","type":"error","payload":[{"message":…}]}
//	{"id":"1","type":"complete"}

// next is what stands in front of a response; a brace ends the message.
func next(id string) []byte { return []byte(`{"id":` + id + `,"type":"next","payload":`) }

func completed(id string) []byte { return []byte(`{"id":` + id + `,"type":"complete"}`) }

func failed(id string, errors json.RawMessage) []byte {
	return append(append([]byte(`{"id":`+id+`,"type":"error","payload":`), errors...), '}')
}

// refused is the message for an operation that is not begun.
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
	c.start()
}

func (m *message) size() int {
	if m.response == nil {
		return len(m.text)
	}
	return len(m.text) + len(m.response.Body)
}

// start begins to write, unless a writer is under way. The caller holds c.mu.
func (c *conn) start() {
	if !c.writing {
		c.writing = true
		go c.write()
	}
}

// write writes what is queued and what the streams have, until there is no more. What is ready
// together leaves together.
func (c *conn) write() {
	for {
		out, ready, ended := c.due()
		for _, op := range ended {
			op.stream.Close()
		}
		if len(out) == 0 && len(ready) == 0 {
			if len(ended) > 0 {
				continue
			}
			return
		}
		c.socket.cork()
		for i := range out {
			c.send(&out[i])
		}
		for _, op := range ready {
			c.deliver(op)
		}
		if err := c.socket.uncork(); err != nil {
			_ = c.ws.CloseNow()
		}
		c.drained.Broadcast()
	}
}

// manyAnswers is how many responses of a subscription say that there are more.
const manyAnswers = 128

// due takes what is to be written. Where that is nothing, the writer ends.
func (c *conn) due() (out []message, ready, ended []*operation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	out, ended = c.out, c.ended
	c.out, c.ended, c.held = nil, nil, 0
	if wait := subscriptions.Gather - time.Since(c.sent); wait <= 0 {
		ready = c.take()
	} else if c.waits() {
		c.later(wait)
	}
	if len(out) == 0 && len(ready) == 0 && len(ended) == 0 {
		c.writing = false
		c.drained.Broadcast()
		c.quiet()
	}
	return out, ready, ended
}

// take takes the operations whose streams may have something. The caller holds c.mu.
func (c *conn) take() (ready []*operation) {
	for _, op := range c.ops {
		if op.ready && op.stream != nil {
			op.ready = false
			ready = append(ready, op)
		}
	}
	return ready
}

// waits reports whether take would take something. The caller holds c.mu.
func (c *conn) waits() bool {
	return slices.ContainsFunc(c.ops, func(op *operation) bool { return op.ready && op.stream != nil })
}

// later starts the writer after a while. The caller holds c.mu.
func (c *conn) later(wait time.Duration) {
	if c.pacing {
		return
	}
	c.pacing = true
	if c.pace != nil {
		c.pace.Reset(wait)
		return
	}
	c.pace = time.AfterFunc(wait, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.pacing = false
		c.start()
	})
}

// deliver writes the next responses of a subscription.
func (c *conn) deliver(op *operation) {
	answers, err := op.stream.Next(facade.WithRequest(c.server.ctx, c.caller, 0))
	if len(answers) > 0 {
		head := next(op.id)
		for _, body := range answers {
			c.socket.text(head, body, brace)
		}
		c.mu.Lock()
		op.ready = true // there may be more
		if c.sent = time.Now(); len(answers) >= manyAnswers {
			c.sent = time.Time{}
		}
		c.mu.Unlock()
	}
	if err != nil {
		resp := op.stream.Failed(c.server.ctx, err)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ends(op, resp)
	}
}

// brace ends the message of a response.
var brace = []byte{'}'}

// send writes one message of the queue.
func (c *conn) send(m *message) {
	if m.response == nil {
		c.socket.text(m.text)
		return
	}
	c.socket.text(m.text, m.response.Body, brace)
	m.response.Release()
}
