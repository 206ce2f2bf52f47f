package gateway

import (
	"context"
	"sync"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facts"
	"github.com/frondhost/frond/facts/delivery"
)

// measureEvery is how often the log is counted at most, however many scrape.
const measureEvery = 2 * time.Second

// backlog is what the store says of the log of events: every process over it says the same.
type backlog struct {
	mu   sync.Mutex
	at   time.Time // when it was measured
	log  facts.Size
	ways map[string]facts.Size // by the name of the way out
}

// measure counts the log of an outbox, and what is behind the position of each consumer. Where the
// store does not answer, the numbers are those of the last time.
func (b *backlog) measure(outbox facade.Outbox, consumers []*delivery.Consumer) (log facts.Size, ways map[string]facts.Size) {
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
	for _, c := range consumers {
		size, known, err := waiting(ctx, outbox, c)
		if err != nil {
			size, known = b.ways[c.Name]
		}
		if known {
			measured[c.Name] = size
		}
	}
	b.ways = measured
	return b.log, b.ways
}

// waiting counts what a consumer has not delivered; known is false before it has a position.
func waiting(ctx context.Context, outbox facade.Outbox, c *delivery.Consumer) (size facts.Size, known bool, err error) {
	at, known, err := outbox.Cursor(ctx, c.Name)
	if err != nil || !known {
		return size, false, err
	}
	size.Events, size.Oldest, err = outbox.Behind(ctx, at, c.Facts, delivery.Retrying(c.Name))
	return size, true, err
}
