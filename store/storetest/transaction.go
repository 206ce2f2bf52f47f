package storetest

import (
	"context"
	"maps"
	"sync"

	"github.com/frondhost/frond/facade"
)

// Transactions of the reference store: the lock of the whole store, taken by the first call
// and kept until fn has returned, and a copy of all rows to go back to.

var _ facade.Transactor = (*Store)(nil)

// transaction is one Transact. Its fields are guarded by the turn of the innermost level.
type transaction struct {
	begun bool
	// before is what Transact goes back to where fn fails.
	before *contents
}

// level is a transaction as one fn sees it: the first, or one that joined it.
type level struct {
	tx *transaction
	// turn is held by a call, and for its whole length by a level that joined this one.
	turn sync.Mutex
	over bool
}

type levelKey struct{ *Store }

// Transact implements [facade.Transactor]. It never meets a conflict and has no time limit.
func (s *Store) Transact(ctx context.Context, fn func(context.Context) error) (err error) {
	outer, _ := ctx.Value(levelKey{s}).(*level)
	inner := &level{tx: &transaction{}}
	if outer != nil {
		outer.turn.Lock()
		defer outer.turn.Unlock()
		if outer.over {
			return facade.Outlived()
		}
		inner.tx = outer.tx
	}
	var before *contents
	if inner.tx.begun {
		before = s.copied()
	}
	returned := false
	defer func() {
		inner.turn.Lock()
		defer inner.turn.Unlock()
		inner.over = true
		if ended := ctx.Err(); ended != nil && err == nil {
			err = ended
		}
		if inner.tx.begun && (err != nil || !returned || outer == nil && facade.InDryRun(ctx)) {
			if before != nil {
				s.contents = *before
			} else { // it began within, and may go on
				s.contents = *inner.tx.before
				inner.tx.before = s.copied()
			}
		}
		if outer == nil && inner.tx.begun {
			emitted := len(s.outbox.pending) > len(inner.tx.before.outbox.pending)
			s.mu.Unlock()
			if emitted {
				s.committed.Send()
			}
		}
	}()
	err = fn(context.WithValue(ctx, levelKey{s}, inner))
	returned = true
	return err
}

// hold has the store for one call: in a transaction by its lock, which the first call takes,
// else by a lock of the call's own.
func (s *Store) hold(ctx context.Context) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l, _ := ctx.Value(levelKey{s}).(*level)
	if l == nil {
		s.mu.Lock()
		return s.mu.Unlock, nil
	}
	l.turn.Lock()
	if l.over {
		l.turn.Unlock()
		return nil, facade.Outlived()
	}
	if !l.tx.begun {
		s.mu.Lock()
		l.tx.begun, l.tx.before = true, s.copied()
	}
	return l.turn.Unlock, nil
}

// copied returns a copy of all rows and events. s.mu is held.
func (s *Store) copied() *contents {
	all := map[string]*table{}
	for key, t := range s.tables {
		c := &table{entity: t.entity, rows: make([]*row, len(t.rows))}
		for i, r := range t.rows {
			c.rows[i] = &row{maps.Clone(r.of)}
		}
		all[key] = c
	}
	return &contents{tables: all, outbox: s.outbox.copied()}
}
