package outlet

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// Source has the messages of a pump. Its methods are called by one goroutine at a time.
type Source interface {
	// Next writes messages into a batch, until that is full or there are no more. After a batch
	// without messages it is called again when the pump is woken, or at a time. The error ends the
	// pump, once the batch was sent.
	Next(ctx context.Context, b *Batch) (at time.Time, err error)
	// Sent says how many messages of the last batch the client gets. Those behind them are to be
	// made again. more reports whether Next is to be called at once; else it is called as after a
	// batch without messages.
	Sent(n int) (more bool)
	// HangUp closes the connection. It does not wait, and may be called beside the others.
	HangUp()
	// Close ends the source.
	Close()
}

// Pump sends the messages of a source to one client. The workers of its [Room] run it while there is
// something to do.
type Pump struct {
	source Source
	out    *outlet
	ctx    context.Context //nolint:containedctx // of the turns, until the end
	cancel context.CancelFunc

	mu      sync.Mutex
	woken   bool
	running bool // by a worker, or waits for one, or not started yet
	over    bool
	timer   *time.Timer
	alarm   time.Time // of the timer; it may have passed
}

// NewPump returns a pump that asks the source only after [Pump.Start]. The client may take
// patience to accept one message. ctx is the context of the turns.
func NewPump(ctx context.Context, to Writer, patience time.Duration, room *Room, source Source) *Pump {
	p := &Pump{source: source, out: newOutlet(to, patience, room), running: true}
	p.ctx, p.cancel = context.WithCancel(ctx)
	return p
}

// Start has the source asked for messages, from now on whenever the pump is woken. It is called once.
func (p *Pump) Start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.woken = true
	p.out.room.schedule(p)
}

// Sent is how many bytes the client has accepted.
func (p *Pump) Sent() int64 {
	p.out.mu.Lock()
	defer p.out.mu.Unlock()
	return p.out.sent
}

// Wake has the source asked for messages. It does not block.
func (p *Pump) Wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wake()
}

// WakeAt has the source asked for messages at a time, or by a call of Next that is under way. It
// does not block.
func (p *Pump) WakeAt(at time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running || !at.After(time.Now()) {
		p.wake()
		return
	}
	p.sleep(at)
}

// Write writes text that belongs to no batch, between two batches.
func (p *Pump) Write(text []byte) (int, error) {
	p.out.mu.Lock()
	defer p.out.mu.Unlock()
	return p.out.write(text, p.out.patience)
}

func (p *Pump) wake() {
	p.woken = true
	if !p.running {
		p.running = true
		p.out.room.schedule(p)
	}
}

// sleep sets the timer. One that rings earlier stays: the source then says the time again. p.mu is
// held.
func (p *Pump) sleep(at time.Time) {
	now := time.Now()
	switch {
	case at.IsZero(), p.alarm.After(now) && !p.alarm.After(at):
		return
	case p.timer == nil:
		p.timer = time.AfterFunc(at.Sub(now), p.Wake)
	default:
		p.timer.Reset(at.Sub(now))
	}
	p.alarm = at
}

// End closes the connection, and then the source. It does not wait.
func (p *Pump) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	p.over = true
	p.cancel()
	p.source.HangUp()
	p.wake()
}

// run takes a turn, and waits for the next one behind the other pumps.
func (p *Pump) run(w *worker) {
	if !p.begin() {
		w.release() // the batch is not held for a source that is closed
		p.source.Close()
		return
	}
	at, err := p.turn(w)
	if err != nil {
		p.End()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.woken || p.over {
		p.out.room.again(p, w)
		return
	}
	p.running = false
	p.sleep(at)
}

// begin reports whether there may be something to send, which there is not where the pump is over.
func (p *Pump) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.woken = false
	if p.over && p.timer != nil {
		p.timer.Stop()
	}
	return !p.over
}

// again is after how long a pump asks again for memory.
const again = 100 * time.Millisecond

// turn sends one batch.
func (p *Pump) turn(w *worker) (at time.Time, err error) {
	b, err := w.empty()
	if err != nil { // its place in the log is all that the client holds
		return time.Now().Add(again + rand.N(2*again)), nil
	}
	at, end := p.source.Next(p.ctx, b)
	if b.Len() == 0 {
		return at, end
	}
	sent, err := p.out.send(w, end != nil)
	if end != nil { // the client may be gone
		return at, end
	}
	if p.source.Sent(sent) {
		p.Wake()
	}
	return at, err
}
