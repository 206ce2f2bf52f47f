package outlet

import "sync"

// memory bounds the bytes of all subscribers. [budget.Budget] is one.
type memory interface {
	// Take takes bytes, or returns why there are too few.
	Take(n int) error
	// Add takes bytes whether there are any or not.
	Add(n int)
	// Give gives bytes back.
	Give(n int)
}

// Room is what all subscribers share: the bytes that they hold, and the workers that make and send
// batches. A nil Room has no bounds. It may be used from many goroutines.
type Room struct {
	memory memory

	mu      sync.Mutex
	queue   []*Pump // that wait for a worker
	workers int
}

// mostWorkers is how many batches are made at once. Without this bound thousands of streams that are
// woken by one event hold a batch each while they wait for a processor.
const mostWorkers = 64

// NewRoom returns a room of so much memory; nil: there is no bound.
func NewRoom(bound memory) *Room { return &Room{memory: bound} }

// schedule has a worker run a pump. It does not wait.
func (r *Room) schedule(p *Pump) {
	if r == nil {
		go func() {
			w := &worker{}
			defer w.release()
			p.run(w)
		}()
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue = append(r.queue, p)
	r.hire()
}

// again is schedule by the worker that runs the pump, which goes on unless another one works in its place.
func (r *Room) again(p *Pump, w *worker) {
	if r == nil || w.replaced {
		r.schedule(p)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue = append(r.queue, p)
}

// hire starts a worker, unless there are enough. r.mu is held.
func (r *Room) hire() {
	if r.workers < mostWorkers && len(r.queue) > 0 {
		r.workers++
		go (&worker{room: r}).work()
	}
}

// next returns the pump that has waited longest. It returns nil to end the worker.
func (r *Room) next() *Pump {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.queue) == 0 {
		r.workers--
		return nil
	}
	p := r.queue[0]
	r.queue[0] = nil
	if r.queue = r.queue[1:]; len(r.queue) == 0 {
		r.queue = nil
	}
	return p
}

// worker runs pumps one after another, with one batch.
type worker struct {
	room     *Room
	batch    *Batch // nil: none was needed yet
	try      attempt
	replaced bool // it waits for a client, and another one works in its place
}

func (w *worker) work() {
	for !w.replaced {
		p := w.room.next()
		if p == nil {
			break
		}
		p.run(w)
	}
	w.release()
}

// empty returns an empty batch, or the error of the memory.
func (w *worker) empty() (*Batch, error) {
	if b := w.batch; b != nil {
		b.reset()
		return b, nil
	}
	if err := w.room.take(batchMemory); err != nil {
		return nil, err
	}
	w.batch = batches.Get().(*Batch) //nolint:forcetypeassert // the pool has nothing else
	w.batch.room, w.batch.taken = w.room, batchMemory
	return w.batch, nil
}

// leave releases the batch, and has another worker take the place of one that waits for a client.
func (w *worker) leave() {
	w.release()
	w.replaced = true
	if r := w.room; r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.workers--
		r.hire()
	}
}

func (w *worker) release() {
	if b := w.batch; b != nil {
		b.reset()
		b.room.add(-b.taken)
		b.room, w.batch = nil, nil
		batches.Put(b)
	}
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

// Batch is messages to send together. It is used once.
type Batch struct {
	Text []byte

	room  *Room
	ends  []int // of the messages in Text
	taken int
}

var batches = sync.Pool{New: func() any { return new(Batch) }}

// End ends a message.
func (b *Batch) End() { b.ends = append(b.ends, len(b.Text)) }

// Len is the number of messages.
func (b *Batch) Len() int { return len(b.ends) }

// Full reports whether the batch is to be sent before another message is added.
func (b *Batch) Full() bool { return len(b.Text) >= size }

// made counts the text of a batch that is larger than batches are.
func (b *Batch) made() {
	if more := len(b.Text) - b.taken; more > 0 {
		b.taken += more
		b.room.add(more)
	}
}

// reset empties a batch.
func (b *Batch) reset() {
	if more := b.taken - batchMemory; more > 0 {
		b.taken -= more
		b.room.add(-more)
	}
	if b.Text, b.ends = b.Text[:0], b.ends[:0]; cap(b.Text) > 2*size {
		b.Text = nil // a large message must not stay
	}
}
