package outbox

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/frondhost/frond/store/postgres/engine"
)

// Processes over one database wake each other by notifications. The one that has given positions
// sends one, and so does one that has committed events while another holds the lease. They are sent
// after the commit: PostgreSQL commits transactions that notify one at a time. A process that hears
// them reads the log when it does, and otherwise after unheard; one that does not, as behind a
// pooler in transaction mode, polls.
const (
	unheard = 10 * time.Second
	// echo is how long the notification of a test may take.
	echo = 5 * time.Second
	// The pauses before it listens again.
	firstPause, lastPause = 100 * time.Millisecond, 30 * time.Second
)

// channel is the channel of a project.
func (o *Outbox) channel() string {
	sum := sha256.Sum256(o.schema())
	return fmt.Sprintf("frond_%x", sum[:8])
}

// notify wakes the processes that listen.
func (o *Outbox) notify(ctx context.Context, payload string) error {
	return o.db.Once(ctx, &engine.Query{Text: []byte("SELECT pg_notify($1, $2)"), Values: [][]byte{[]byte(o.channel()), []byte(payload)}})
}

// begin begins to listen, unless the URL says that notifications do not arrive.
func (o *Outbox) begin(ctx context.Context) {
	ctx, o.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if !o.db.Address().Pooled {
		o.listener.Go(func() { o.listen(ctx) })
	}
}

// listen listens until ctx is done, or until it is known that notifications do not arrive.
func (o *Outbox) listen(ctx context.Context) {
	for pause := firstPause; ctx.Err() == nil; pause = min(2*pause, lastPause) {
		heard, deaf := o.hear(ctx)
		if deaf {
			o.db.Log().Info("notifications of the database do not arrive, as behind a pooler in transaction mode; the event log is polled")
			return
		}
		if heard {
			pause = firstPause
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// hear listens for as long as the connection lasts. heard reports whether a notification arrived,
// deaf that no notification arrived though the server took one.
func (o *Outbox) hear(ctx context.Context) (heard, deaf bool) {
	listening, cancel := context.WithCancel(ctx)
	defer cancel()
	test, tested := rand.Text(), false
	var silence *time.Timer
	_ = o.db.Listen(listening, o.channel(), func() error {
		err := o.notify(ctx, test)
		tested = err == nil
		silence = time.AfterFunc(echo, cancel)
		return err
	}, func(payload string) {
		if payload == o.process {
			return
		}
		o.heard.Store(time.Now().UnixNano())
		if payload == test {
			heard = true
			silence.Stop()
			o.listens.Store(true)
		}
		o.committed.Send()
	})
	o.listens.Store(false)
	return heard, tested && !heard && ctx.Err() == nil
}

// Quiet implements [facade.Outbox].
func (o *Outbox) Quiet(since time.Time) bool {
	return o.listens.Load() && !o.waits.Load() && time.Since(since) < unheard && o.heard.Load() < since.UnixNano()
}
