package engine

import (
	"context"
	"encoding/hex"
	"strconv"
	"sync"
	"time"
)

// Nonces remember used nonces for all processes over a database, in a table of their own,
// frond.nonces. It may be used from many goroutines.
type Nonces struct {
	db *DB

	mu    sync.Mutex
	made  bool      // the table is there
	swept time.Time // when this process last removed old rows
}

// How often a process removes old nonces, and how long they stay beyond their time, so that a
// clock that runs ahead does not forget one too early.
const (
	sweepEvery = 10 * time.Second
	sweepAfter = 5 * time.Minute
)

// NewNonces returns the nonces of a database. The table is made when it is first needed.
func NewNonces(db *DB) *Nonces { return &Nonces{db: db} }

// TakeNonce implements [facade.Nonces]: one insert, which is durable when it returns, also where
// a transaction of ctx is rolled back later. Now and then a caller removes old rows as well.
func (n *Nonces) TakeNonce(ctx context.Context, nonce []byte, until time.Time) (fresh bool, err error) {
	ctx = context.WithValue(ctx, levelKey{n.db}, (*level)(nil)) // outside of any transaction
	if err := n.prepare(ctx); err != nil {
		return false, err
	}
	insert := &Query{
		Text:   []byte(`INSERT INTO frond.nonces (nonce, until) VALUES ($1, to_timestamp($2)) ON CONFLICT (nonce) DO NOTHING`),
		Values: [][]byte{[]byte(`\x` + hex.EncodeToString(nonce)), strconv.AppendInt(nil, until.Unix(), 10)},
	}
	if err := n.db.single(ctx, insert); err != nil {
		return false, err
	}
	n.sweep(ctx)
	return insert.Count == 1, nil
}

// prepare makes the table, once in the life of the process.
func (n *Nonces) prepare(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.made {
		return nil
	}
	err := n.db.Own(ctx, "nonces", "CREATE TABLE IF NOT EXISTS "+Bookkeeping+".nonces (nonce bytea PRIMARY KEY, until timestamptz NOT NULL)",
		"CREATE INDEX IF NOT EXISTS nonces_until ON "+Bookkeeping+".nonces (until)")
	n.made = err == nil
	return err
}

// sweep removes old nonces once [sweepEvery] has passed. A failure leaves the rows to a later
// caller.
func (n *Nonces) sweep(ctx context.Context) {
	n.mu.Lock()
	due := time.Since(n.swept) >= sweepEvery
	if due {
		n.swept = time.Now()
	}
	n.mu.Unlock()
	if !due {
		return
	}
	if err := n.db.single(ctx, &Query{
		Text:   []byte(`DELETE FROM frond.nonces WHERE until < to_timestamp($1)`),
		Values: [][]byte{strconv.AppendInt(nil, time.Now().Add(-sweepAfter).Unix(), 10)},
	}); err != nil {
		n.db.log.Warn("old nonces stay for now", "error", err)
	}
}
