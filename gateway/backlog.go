package gateway

import (
	"context"
	"sync"
	"time"

	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facts"
	"github.com/frondhost/frond/facts/delivery"
)

// measureEvery is how often the log is counted at most, however many scrape.
const measureEvery = 2 * time.Second

// backlog is the state of the log of events in the store, the same for every process over it.
type backlog struct {
	mu   sync.Mutex
	at   time.Time // when it was measured
	log  facts.Size
	ways map[string]facts.Size // by the name of the way out
}

// waiting is a way out whose backlog is counted.
type waiting struct {
	*delivery.Consumer
	// remote returns the log of the remote whose facts are delivered; nil: it is not known yet. A nil
	// function: the outbox has the facts.
	remote func() *client.Facts
}

// measure counts the log of an outbox, and the events behind the position of each way out. If the
// store does not answer, the last numbers stay. A remote that does not answer, or does not count,
// leaves its consumers out.
func (b *backlog) measure(outbox facade.Outbox, all []waiting) (log facts.Size, ways map[string]facts.Size) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if outbox == nil || time.Since(b.at) < measureEvery {
		return b.log, b.ways
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	b.at = time.Now()
	if n, since, err := outbox.Behind(ctx, 0, nil, ""); err == nil {
		b.log = facts.Size{Events: n, Oldest: since}
	}
	measured := map[string]facts.Size{}
	for i := range all {
		w := &all[i]
		size, known, err := w.count(ctx, outbox)
		if err != nil && w.remote == nil {
			size, known = b.ways[w.Name]
		}
		if known {
			measured[w.Name] = size
		}
	}
	b.ways = measured
	return b.log, b.ways
}

// count counts the events that a way out has not delivered; known is false before it has a
// position. The outbox has the dead letters of every way out.
func (w *waiting) count(ctx context.Context, outbox facade.Outbox) (size facts.Size, known bool, err error) {
	at, known, err := outbox.Cursor(ctx, w.Name)
	if err != nil || !known {
		return size, false, err
	}
	if w.remote == nil {
		size.Events, size.Oldest, err = outbox.Behind(ctx, at, w.Facts, delivery.Retrying(w.Name))
		return size, true, err
	}
	log := w.remote()
	if log == nil {
		return size, false, errNotKnown
	}
	if size.Events, size.Oldest, known, err = log.Behind(ctx, at, w.Facts); err != nil || !known {
		return size, false, err
	}
	n, since, err := outbox.Behind(ctx, at, []string{}, delivery.Retrying(w.Name))
	size.Events += n
	if size.Oldest.IsZero() || n > 0 && since.Before(size.Oldest) {
		size.Oldest = since
	}
	return size, err == nil, err
}
