package subscriptions

import (
	"context"
	"slices"

	"github.com/frondhost/frond/schema/jsontext"
)

// operation is one that a client began on a connection and that has not ended. Its fields but id are
// guarded by the mutex of the connection; only the pump uses the stream.
type operation struct {
	id     string             // as JSON
	cancel context.CancelFunc // of one that is being begun or executed
	stream *Stream            // of a subscription
	ready  bool               // there may be something in the stream
	gone   bool               // it has ended for the client
}

// operations are the operations of one connection, which guards them by its mutex.
type operations struct {
	all   []*operation
	ended []*Stream // that the pump is to close
	given []given   // the batch that is being sent; the pump's
}

// given is the responses of one subscription in a batch.
type given struct {
	op *operation
	n  int
}

// named is the operation with an id; nil if it is unknown or has ended already.
func (o *operations) named(id string) *operation {
	i := slices.IndexFunc(o.all, func(op *operation) bool { return op.id == id })
	if i < 0 {
		return nil
	}
	return o.all[i]
}

// open gives an operation its stream. It reports false if the operation has ended: the caller
// then closes the stream, after it has unlocked its mutex.
func (o *operations) open(op *operation, stream *Stream) bool {
	if !op.gone {
		op.stream, op.ready = stream, true
	}
	return !op.gone
}

// complete ends the operation with an id for the client, as remove does. An unknown one has ended
// already.
func (o *operations) complete(id string) bool {
	op := o.named(string(jsontext.Quote(id)))
	return op != nil && o.remove(op)
}

// removeAll ends all operations.
func (o *operations) removeAll() {
	for len(o.all) > 0 {
		o.remove(o.all[0])
	}
}

// readied returns the operations whose streams may have something, which they do not any more.
func (o *operations) readied() (ready []*operation) {
	for _, op := range o.all {
		if op.ready && op.stream != nil {
			op.ready = false
			ready = append(ready, op)
		}
	}
	return ready
}

// remove takes an operation from the connection, whose id may be used again. It reports whether the
// pump has a stream to close.
func (o *operations) remove(op *operation) bool {
	o.all = slices.DeleteFunc(o.all, func(one *operation) bool { return one == op })
	op.gone = true
	op.cancel()
	if op.stream != nil {
		o.ended = append(o.ended, op.stream)
	}
	return op.stream != nil
}

// takeEnded returns the streams to close, which wakes their operations: the caller must hold no lock
// then.
func (o *operations) takeEnded() (all []*Stream) {
	all, o.ended = o.ended, nil
	return all
}

// sent reports to the streams of a batch that the client gets its first n responses, and calls wake for
// each that may have more. The caller holds no lock.
func (o *operations) sent(n int, wake func(*operation)) {
	for _, g := range o.given {
		if g.op.stream.Sent(min(max(n, 0), g.n)) {
			wake(g.op)
		}
		n -= g.n
	}
}

// closeAll closes streams.
func closeAll(streams []*Stream) {
	for _, s := range streams {
		s.Close()
	}
}
