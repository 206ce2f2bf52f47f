package graphqlws

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/coder/websocket"

	"github.com/frondhost/frond/facade"
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
func refused(id string, err *facade.Error) []byte {
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
	frame := frames.Get().(*[]byte) //nolint:forcetypeassert // the pool has nothing else
	defer frames.Put(frame)
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
			c.send(frame, &out[i])
		}
		for _, op := range ready {
			c.deliver(frame, op)
		}
		if err := c.socket.uncork(); err != nil {
			_ = c.ws.CloseNow()
		}
		c.drained.Broadcast()
	}
}

// frames are buffers for messages.
var frames = sync.Pool{New: func() any { return new([]byte) }}

// due takes what is to be written. Where that is nothing, the writer ends.
func (c *conn) due() (out []message, ready, ended []*operation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	out, ended = c.out, c.ended
	c.out, c.ended, c.held = nil, nil, 0
	for _, op := range c.ops {
		if op.ready && op.stream != nil {
			op.ready = false
			ready = append(ready, op)
		}
	}
	if len(out) == 0 && len(ready) == 0 && len(ended) == 0 {
		c.writing = false
		c.drained.Broadcast()
		c.quiet()
	}
	return out, ready, ended
}

// deliver writes the next responses of a subscription.
func (c *conn) deliver(frame *[]byte, op *operation) {
	answers, err := op.stream.Next(facade.WithRequest(c.ctx))
	if len(answers) > 0 {
		head := next(op.id)
		for _, body := range answers {
			*frame = append(append(append((*frame)[:0], head...), body...), '}')
			c.text(*frame)
		}
		c.wake(op) // there may be more
	}
	if err != nil {
		resp := op.stream.Failed(c.ctx, err)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ends(op, resp)
	}
}

// send writes one message of the queue.
func (c *conn) send(frame *[]byte, m *message) {
	if m.response == nil {
		c.text(m.text)
		return
	}
	*frame = append(append(append((*frame)[:0], m.text...), m.response.Body...), '}')
	m.response.Release()
	c.text(*frame)
	if cap(*frame) > mostHeld {
		*frame = nil // of one large response
	}
}

// text writes one frame. A failure shows when the socket is uncorked.
func (c *conn) text(text []byte) {
	_ = c.ws.Write(context.Background(), websocket.MessageText, text)
}
