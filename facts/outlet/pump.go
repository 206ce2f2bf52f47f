package outlet

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// Source has the messages of a pump. Its methods are called by one goroutine at a time.
type Source interface {
	// Next writes messages into a batch, until that is full or there are no more. It is called again
	// when the batch was sent, and after a batch without messages when the pump is woken, or at a
	// time. The error ends the pump, once the batch was sent.
	Next(ctx context.Context, b *Batch) (at time.Time, err error)
	// Sent says how many messages of the last batch the client gets. Those behind them are to be
	// made again.
	Sent(n int)
	// HangUp closes the connection. It does not wait, and may be called beside the others.
	HangUp()
	// Close ends the source.
	Close()
}

// Pump sends the messages of a source to one client. A goroutine exists while there is something to
// do.
type Pump struct {
	source Source
	out    *outlet
	ctx    context.Context //nolint:containedctx // of the turns, until the end
	cancel context.CancelFunc

	mu      sync.Mutex
	woken   bool
	running bool // or not started yet
	over    bool
	timer   *time.Timer
}

// NewPump returns a pump that asks nothing of the source before [Pump.Start]. The client may take
// patience to accept one message. ctx is that of the turns.
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
	go p.run()
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
		go p.run()
	}
}

// sleep sets the timer. p.mu is held.
func (p *Pump) sleep(at time.Time) {
	switch wait := time.Until(at); {
	case at.IsZero():
	case p.timer == nil:
		p.timer = time.AfterFunc(wait, p.Wake)
	default:
		p.timer.Reset(wait)
	}
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

// run sends until there is nothing to send.
func (p *Pump) run() {
	for at := (time.Time{}); p.goes(at); {
		var err error
		if at, err = p.turn(); err != nil {
			p.End()
		}
	}
}

// goes reports whether there may be something to send. Otherwise the goroutine is to end: until
// the pump is woken, or for ever.
func (p *Pump) goes(at time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.over:
		if p.timer != nil {
			p.timer.Stop()
		}
		p.mu.Unlock()
		p.source.Close()
		p.mu.Lock()
		return false
	case p.woken:
		p.woken = false
		return true
	}
	p.running = false
	p.sleep(at)
	return false
}

// again is after how long a pump asks again for memory.
const again = 100 * time.Millisecond

// turn sends one batch.
func (p *Pump) turn() (at time.Time, err error) {
	b, err := p.out.room.batch()
	if err != nil { // its place in the log is all that the client holds
		return time.Now().Add(again + rand.N(2*again)), nil
	}
	at, end := p.source.Next(p.ctx, b)
	if b.Len() == 0 {
		b.release()
		return at, end
	}
	sent, err := p.out.send(b, end != nil)
	if end != nil { // the client may be gone
		return at, end
	}
	p.source.Sent(sent)
	p.Wake()
	return at, err
}
