package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/consistency"
	"github.com/frondhost/frond/store/turns"
)

// How often a replica is asked how far it is, how long its answer holds, and how far it may be
// behind. An answer that is a little old sends reads of recent writes to the primary, and no read
// to the wrong place.
const (
	reportEvery    = 100 * time.Millisecond
	reportHolds    = 2 * time.Second
	markEvery      = time.Second
	defaultLateBy  = 10 * time.Second
	positionOf     = "SELECT pg_catalog.pg_current_wal_insert_lsn()::text"
	replayedOf     = "SELECT pg_catalog.pg_is_in_recovery()::text, pg_catalog.pg_last_wal_replay_lsn()::text"
	sealName       = "consistency"
	unknownFeature = "42883" // undefined_function
)

// replicas are the copies of a database that reads may go to, with their state.
//
// Only the reads of a request go to one ([consistency.Copies]), outside of transactions. A
// replica that fails is passed over until it has reported again, and the read goes to the
// primary.
type replicas struct {
	primary *DB
	dbs     []*DB
	set     *replicaSet
	// seal is nil until it was read from the primary: then every read is the primary's.
	seal atomic.Pointer[seal]
	// unsuited is set once the primary has no positions, as servers that speak PostgreSQL's
	// protocol and have another log. Then every read is the primary's.
	unsuited atomic.Bool

	sealing sync.Mutex
	stop    context.CancelFunc
	running sync.WaitGroup
}

// OpenReplicated is [Open] for a database with copies by streaming replication, at urls; the
// reads of requests go to them. lateBy is how far one may be behind to be read; 0 is ten
// seconds. Without urls it is Open.
func OpenReplicated(opts Options, urls []string, lateBy time.Duration) (*DB, error) {
	d, err := Open(opts)
	if err != nil || len(urls) == 0 {
		return d, err
	}
	r := &replicas{primary: d, set: newReplicaSet(len(urls), reportHolds, cmp.Or(max(lateBy, 0), defaultLateBy))}
	for i, url := range urls {
		opts.URL, opts.Logger = url, d.log.With("replica", i+1)
		one, err := Open(opts)
		if err != nil {
			for _, db := range append(r.dbs, d) {
				_ = db.Close() // it has no connection yet
			}
			return nil, fmt.Errorf("replica %d: %w", i+1, err)
		}
		one.reach.reached = true // nobody but the log says that it cannot be reached
		r.dbs = append(r.dbs, one)
	}
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	d.copies = r // before anything of it runs
	for i := range r.dbs {
		r.running.Go(func() { r.every(ctx, reportEvery, func() { r.report(ctx, i) }) })
	}
	r.running.Go(func() { r.every(ctx, markEvery, func() { r.mark(ctx) }) })
	return d, nil
}

func (r *replicas) issue() bool { return true }

// close ends the watch and the connections to the replicas.
func (r *replicas) close() (err error) {
	r.stop()
	r.running.Wait()
	for _, db := range r.dbs {
		err = errors.Join(err, db.Close())
	}
	return err
}

// every calls do at once and then in intervals, until ctx ends.
func (r *replicas) every(ctx context.Context, interval time.Duration, do func()) {
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for {
		do()
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// report asks a replica how far it is. A promoted replica is no longer a replica of this
// primary, even if it has all its rows.
func (r *replicas) report(ctx context.Context, i int) {
	ctx, done := context.WithTimeout(ctx, reportHolds)
	defer done()
	at := time.Now()
	var follows, text string
	err := r.dbs[i].Read(ctx, func(c *Conn) error {
		return c.Run(&Query{Text: []byte(replayedOf), Row: func(values [][]byte) error {
			follows, text = string(values[0]), string(values[1])
			return nil
		}})
	})
	var position logPosition
	if err == nil && follows == "true" {
		position, err = parsePosition(text)
	}
	if err != nil || follows != "true" {
		r.set.fail(i)
		return
	}
	r.set.report(i, at, position)
}

// mark notes where the primary is, and makes the seal at the first time.
func (r *replicas) mark(ctx context.Context) {
	ctx, done := context.WithTimeout(ctx, markEvery)
	defer done()
	if r.seal.Load() == nil && r.load(ctx) != nil {
		return
	}
	at := time.Now()
	q, position := positionQuery()
	if err := r.primary.Read(ctx, func(c *Conn) error { return c.Run(q) }); err == nil {
		r.set.primary(at, *position)
	}
}

// positionQuery is the statement that asks the primary for its position, and the variable that
// receives the answer.
func positionQuery() (*Query, *logPosition) {
	position := new(logPosition)
	return &Query{Text: []byte(positionOf), Row: func(values [][]byte) (err error) {
		*position, err = parsePosition(string(values[0]))
		return err
	}}, position
}

// load reads the seal from the primary. Where the primary has no positions, or the role may not
// keep the seal, the log says so once and replicas are not used.
func (r *replicas) load(ctx context.Context) error {
	r.sealing.Lock()
	defer r.sealing.Unlock()
	if r.seal.Load() != nil || r.unsuited.Load() {
		return nil
	}
	q, _ := positionQuery()
	err := r.primary.Read(ctx, func(c *Conn) error { return c.Run(q) })
	var key []byte
	if err == nil {
		key, err = r.primary.secret(ctx, sealName, keySize)
	}
	switch {
	case err == nil:
		r.seal.Store(newSeal(key))
	case codeOf(err) == unknownFeature, codeOf(err) == insufficientRights, errors.As(err, new(rightMissing)):
		r.unsuited.Store(true)
		r.primary.log.Error("replicas are not read: the primary has no positions in its log, or the role may not make the schema frond", "error", cmp.Or(errors.Unwrap(err), err))
	}
	return err
}

func (r *replicas) read(ctx context.Context, lane turns.Lane, do func(*Conn) error) (done bool, err error) {
	record, seal := consistency.Copies(ctx), r.seal.Load()
	if record == nil || seal == nil || facade.InDryRun(ctx) || ctx.Value(primaryKey{}) != nil {
		return false, nil
	}
	var seen logPosition
	if token := record.Of(seal.store); token != "" {
		var ours bool
		if seen, ours = seal.position(token); !ours {
			return true, consistency.Invalid()
		}
	}
	i, found := r.set.choose(time.Now(), seen)
	if !found {
		return false, nil
	}
	db := r.dbs[i]
	err = db.on(ctx, turnOf(ctx, lane, false), do)
	if err == nil {
		return true, nil
	}
	if ctx.Err() == nil && elsewhere(err) {
		r.set.fail(i)
		return false, nil
	}
	return true, db.public(ctx, err, lane == turns.Keyed)
}

// elsewhere reports whether a read that failed on a replica may succeed on the primary: the replica
// is not there, cancels reads that hold up its replay, or has not replayed the newest tables.
func elsewhere(err error) bool {
	switch code := codeOf(err); {
	case code == unknownTable, code == "42703", code == unknownFeature, errors.Is(err, errOtherType):
		return true
	case code != "" && code != queryCanceled && classOf(err) == "40":
		return true
	}
	var refused *unusable
	return Unavailable(err) || again(err) || errors.As(err, &refused)
}

// position asks where the primary is; note gives the caller the token of it.
func (r *replicas) position(ctx context.Context) (q *Query, note func()) {
	record := consistency.From(ctx)
	if record == nil || r.unsuited.Load() || facade.InDryRun(ctx) {
		return nil, func() {}
	}
	q, position := positionQuery()
	return q, func() {
		if r.seal.Load() == nil {
			_ = r.load(ctx) // in the first moments of a process; else a token could not be made
		}
		if seal := r.seal.Load(); seal != nil && q.Done {
			record.Wrote(seal.token(*position))
		}
	}
}
