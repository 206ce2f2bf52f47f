package outlet

import "sync"

// memory bounds the bytes of all subscribers. [facade.Budget] is one.
type memory interface {
	// Take takes bytes, or returns why there are none.
	Take(n int) error
	// Add takes bytes whether there are any or not.
	Add(n int)
	// Give gives bytes back.
	Give(n int)
}

// Room is what all subscribers share: the bytes that they hold, and turns to make batches. A nil
// Room bounds nothing. It may be used from many goroutines.
type Room struct {
	memory memory
	turns  chan struct{}
}

// turns is how many batches are made at once. Without this bound thousands of streams that are
// woken by one event hold a batch each while they wait for a processor.
const turns = 64

// NewRoom returns a room of so much memory; nil: there is no bound.
func NewRoom(bound memory) *Room {
	return &Room{memory: bound, turns: make(chan struct{}, turns)}
}

func (r *Room) take(n int) error {
	if r == nil || r.memory == nil {
		return nil
	}
	return r.memory.Take(n)
}

// add takes bytes whether there are any or not, and gives them back where n is negative.
func (r *Room) add(n int) {
	switch {
	case r == nil || r.memory == nil:
	case n >= 0:
		r.memory.Add(n)
	default:
		r.memory.Give(-n)
	}
}

// Batch is messages that are sent together. It is used once.
type Batch struct {
	Text []byte

	room  *Room
	ends  []int // of the messages in Text
	taken int
}

var batches = sync.Pool{New: func() any { return new(Batch) }}

// batch waits for a turn and returns an empty batch, or the error of the memory.
func (r *Room) batch() (*Batch, error) {
	if r != nil {
		r.turns <- struct{}{}
		if err := r.take(batchMemory); err != nil {
			<-r.turns
			return nil, err
		}
	}
	b := batches.Get().(*Batch) //nolint:forcetypeassert // the pool has nothing else
	b.room, b.taken = r, batchMemory
	return b, nil
}

// End ends a message.
func (b *Batch) End() { b.ends = append(b.ends, len(b.Text)) }

// Len is the number of messages.
func (b *Batch) Len() int { return len(b.ends) }

// Full reports whether the batch is to be sent before another message is added.
func (b *Batch) Full() bool { return len(b.Text) >= size }

// made gives back what a batch took to be made, but for its text.
func (b *Batch) made() {
	b.room.add(-b.taken)
	b.taken = max(len(b.Text), size)
	b.room.add(b.taken)
}

// release gives back a batch, and its turn.
func (b *Batch) release() {
	if b.room != nil {
		b.room.add(-b.taken)
		<-b.room.turns
	}
	if b.room, b.Text, b.ends = nil, b.Text[:0], b.ends[:0]; cap(b.Text) > 2*size {
		b.Text = nil // a large message must not stay
	}
	batches.Put(b)
}
