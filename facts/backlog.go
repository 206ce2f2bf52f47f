package facts

import (
	"context"
	"sort"
	"sync"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// Readers that lag the window read the log in blocks of a batch. A block serves every reader of
// its names inside of it, so that readers who begin at different positions, as after a
// reconnect, soon share blocks; a reader at most nearBlock after the beginning of a block that
// is being read waits for it. Up to keptBytes of blocks stay for keepBlock, for readers that
// come a little later, and up to blockReads are read at once.
const (
	nearBlock  = batchEvents
	keptBytes  = 8 << 20
	keepBlock  = 10 * time.Second
	blockReads = 4
	blockSize  = 1 << 10 // of a block without events
)

// backlog reads a log for readers that lag the window.
type backlog struct {
	log   facade.EventLog
	ctx   context.Context // ends with the feed: a read outlives the reader that began it
	reads chan struct{}
	// remote is Options.Remote: an answer without events does not prove that the log is empty
	// there.
	remote bool

	mu     sync.Mutex
	blocks map[blockKey]*block
	kept   []blockKey // oldest first
	bytes  int        // of the blocks that are kept
}

type blockKey struct {
	names string
	after facade.Position
}

// block is one read of the log. It is complete: events that get their positions later come
// after it.
type block struct {
	known  facade.Position // given before the read began
	done   chan struct{}   // closed when the rest is set
	events []*facade.Event
	behind facade.Position
	bytes  int
	oldest facade.Position // of the log, after the read
	err    error
}

func newBacklog(ctx context.Context, log facade.EventLog, remote bool) *backlog {
	return &backlog{log: log, ctx: ctx, remote: remote, reads: make(chan struct{}, blockReads), blocks: map[blockKey]*block{}}
}

// read returns events of a topic behind at, possibly 0, and the position up to which they are
// complete, which is behind at. known is an earlier position of the log.
func (b *backlog) read(ctx context.Context, t *topic, at, known facade.Position) ([]*facade.Event, facade.Position, error) {
	// The first block may begin before at and end there. The second one may have been read
	// before known was given.
	for i := range 3 {
		near := facade.Position(1)
		if i == 0 {
			near = nearBlock
		}
		start, k := b.block(t, at, near, known)
		select {
		case <-k.done:
		case <-ctx.Done():
			return nil, 0, context.Cause(ctx)
		}
		switch {
		case start < at && kiterror.CodeOf(k.err) == kiterror.Gone:
			// The block begins before the log does.
		case k.err != nil:
			return nil, 0, k.err
		case at < k.oldest:
			return nil, 0, facade.Resumable(at, k.oldest, max(k.oldest, k.behind))
		case k.behind > at:
			events, behind := k.after(at)
			return events, behind, nil
		}
	}
	return nil, 0, errBehind
}

// after returns a batch of the block's events after a position, and the position up to which it
// is complete. The log of a remote may have answered more than a batch.
func (k *block) after(at facade.Position) ([]*facade.Event, facade.Position) {
	from := sort.Search(len(k.events), func(i int) bool { return k.events[i].Position > at })
	bytes := 0
	for i, e := range k.events[from:] {
		if full(i, bytes) {
			return k.events[from : from+i], k.events[from+i-1].Position
		}
		bytes += weight(e)
	}
	return k.events[from:], k.behind
}

// errBehind is the error of a log that lacks events it has shown before.
var errBehind = kiterror.Errorf(kiterror.ServiceUnavailable, "the event log is behind the requested position; retry later")

// block returns a block with the events after at, if there are any, and its beginning: a
// finished one, one that is being read and begins nearer than near, or else a new one.
func (b *backlog) block(t *topic, at, near, known facade.Position) (start facade.Position, found *block) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for key, k := range b.blocks {
		if key.names != t.key || key.after > at {
			continue
		}
		select {
		case <-k.done:
			if k.behind > at {
				return key.after, k
			}
		default:
			if at-key.after < near && key.after >= start {
				start, found = key.after, k
			}
		}
	}
	if found != nil {
		return start, found
	}
	k := &block{done: make(chan struct{}), known: known}
	key := blockKey{t.key, at}
	b.blocks[key] = k
	go b.fill(key, t.names, k)
	return at, k
}

// fill reads a block. A failed or empty one is not kept.
func (b *backlog) fill(key blockKey, names []string, k *block) {
	select {
	case b.reads <- struct{}{}:
		k.events, k.behind, k.err = b.log.Log(b.ctx, key.after, names, batchEvents)
		if !b.remote && len(k.events) == 0 && k.behind <= key.after {
			k.behind = max(key.after, k.known) // there are no events after it
		}
		if k.err == nil {
			// After the read, so that it includes all events trimmed before it.
			k.oldest, _, k.err = b.log.Span(b.ctx)
		}
		<-b.reads
	case <-b.ctx.Done():
	}
	if b.ctx.Err() != nil {
		k.err = errClosed
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if k.err != nil || k.behind <= key.after {
		delete(b.blocks, key)
	} else {
		b.keep(key, k)
	}
	close(k.done)
}

// keep makes room for a block among the kept ones, for some time. b.mu is held.
func (b *backlog) keep(key blockKey, k *block) {
	k.bytes = blockSize
	for _, e := range k.events {
		k.bytes += weight(e)
	}
	b.kept = append(b.kept, key)
	b.bytes += k.bytes
	for b.bytes > keptBytes && len(b.kept) > 1 {
		b.forget()
	}
	time.AfterFunc(keepBlock, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for b.blocks[key] == k { // those before it are older
			b.forget()
		}
	})
}

// forget removes the oldest kept block. b.mu is held.
func (b *backlog) forget() {
	key := b.kept[0]
	b.kept = b.kept[1:]
	b.bytes -= b.blocks[key].bytes
	delete(b.blocks, key)
}
