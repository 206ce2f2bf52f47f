package engine

import (
	"context"
	"sync"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/turns"
)

// snapshot is a transaction of queries alone: a connection that reads and sees one state of the
// database from its first read on. Writers do not wait for it.
type snapshot struct {
	db *DB

	mu   sync.Mutex // held for each read
	conn *Conn      // nil once fn has returned, or a read has panicked
}

// snapshotKey is the key of a database's snapshot in a context.
type snapshotKey struct{ *DB }

// snapshot runs fn with a context whose calls of Read and ReadAs share a snapshot, for as long as a
// transaction may last. A write within fn is a transaction of its own.
func (d *DB) snapshot(ctx context.Context, fn func(context.Context) error) error {
	t := turns.Turn{Lane: turns.Search}
	t.Caller, t.Request = facade.RequestOf(ctx).Shares()
	if err := d.pool.turns.Enter(ctx, t, 0); err != nil {
		return err
	}
	defer d.pool.turns.Leave(t)
	c, err := d.pool.take(ctx)
	if err == nil {
		if err = c.Exec("BEGIN"); err != nil {
			_ = c.Close() // the error at hand is the one to report
		}
	}
	if err != nil {
		d.noteDisk(err)
		return Public(ctx, err)
	}
	inner, cancel := ctx, context.CancelFunc(func() {})
	if limit := d.opts.Transaction; limit > 0 {
		inner, cancel = context.WithTimeoutCause(ctx, limit, facade.Overlong(limit))
	}
	defer cancel()
	s := &snapshot{db: d, conn: c}
	defer s.end()
	err = fn(context.WithValue(inner, snapshotKey{d}, s))
	if err != nil && ctx.Err() == nil && inner.Err() != nil {
		return context.Cause(inner)
	}
	return err
}

// read runs do on the snapshot's connection.
func (s *snapshot) read(ctx context.Context, do func(*Conn) error) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.conn
	if c == nil {
		return facade.Outlived()
	}
	defer func() {
		if r := recover(); r != nil {
			err, s.conn = c.panicked(r), nil
		}
	}()
	if err = c.begin(ctx); err == nil {
		err = c.end(do(c))
	}
	s.db.noteDisk(err)
	return Public(ctx, err)
}

// end gives the connection back to the pool.
func (s *snapshot) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil {
		return
	}
	if err := s.conn.Exec("ROLLBACK"); err != nil {
		_ = s.conn.Close() // it may still hold the snapshot
	} else {
		s.db.pool.give(s.conn)
	}
	s.conn = nil
}
