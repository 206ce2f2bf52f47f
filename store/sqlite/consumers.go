package sqlite

import (
	"context"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// What consumers of the outbox leave behind: how far they are, and what they gave up on.

// Cursor implements [facade.Cursors].
func (s *Store) Cursor(ctx context.Context, consumer string) (at facade.Position, known bool, err error) {
	if err := s.outboxed(ctx); err != nil {
		return 0, false, err
	}
	err = s.db.Read(ctx, func(c *engine.Conn) error {
		st, err := c.Start([]byte(`SELECT position FROM "`+cursorsTable+`" WHERE consumer = ?`), []sqltext.Value{sqltext.TextValue(consumer)})
		if err != nil {
			return err
		}
		if known = st.Step(); known {
			at = facade.Position(st.ColumnInt64(0))
		}
		return c.Finish(st)
	})
	return at, known, err
}

// Advance implements [facade.Cursors].
func (s *Store) Advance(ctx context.Context, consumer string, from, to facade.Position) (moved bool, err error) {
	sql := `UPDATE "` + cursorsTable + `" SET position = ?2 WHERE consumer = ?1 AND position = ?3`
	if from == 0 {
		sql = `INSERT INTO "` + cursorsTable + `" (consumer, position) VALUES (?1, ?2) ON CONFLICT (consumer) DO UPDATE SET position = ?2 WHERE position = ?3`
	}
	n, err := s.change(ctx, sql, sqltext.TextValue(consumer), sqltext.IntValue(int64(to)), sqltext.IntValue(int64(from)))
	return n > 0, err
}

// change makes the tables where they are missing, runs one statement and returns how many rows
// it wrote.
func (s *Store) change(ctx context.Context, sql string, values ...sqltext.Value) (n int64, err error) {
	err = s.db.Write(&engine.Op{Ctx: ctx, Committed: s.outboxMade(ctx), Run: func(c *engine.Conn) error {
		if err := s.makeOutbox(c); err != nil {
			return err
		}
		if err := c.Exec(sql, values...); err != nil {
			return err
		}
		n = c.Raw().Changes()
		return nil
	}})
	return n, err
}

// Bury implements [facade.DeadLetters].
func (s *Store) Bury(ctx context.Context, dead *facade.DeadEvent) error {
	values := make([]sqltext.Value, 15)
	eventValues(values, &dead.Event)
	values[11], values[12] = sqltext.TextValue(dead.Consumer), sqltext.IntValue(int64(dead.Tries))
	values[13], values[14] = sqltext.TextValue(dead.Reason), sqltext.IntValue(dead.At.UnixMicro())
	_, err := s.change(ctx, `REPLACE INTO "`+deadTable+`" (`+eventColumns+`, consumer, tries, reason, died) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, values...)
	return err
}

// Dead implements [facade.DeadLetters].
func (s *Store) Dead(ctx context.Context, consumer string, limit int) (all []*facade.DeadEvent, err error) {
	if err := s.outboxed(ctx); err != nil {
		return nil, err
	}
	err = s.db.Read(ctx, func(c *engine.Conn) error {
		all = nil
		st, err := c.Start([]byte(`SELECT consumer, tries, reason, died, `+eventColumns+` FROM "`+deadTable+`" WHERE ?1 = '' OR consumer = ?1 ORDER BY died, position LIMIT ?2`),
			[]sqltext.Value{sqltext.TextValue(consumer), sqltext.IntValue(int64(limit))})
		if err != nil {
			return err
		}
		for st.Step() {
			all = append(all, &facade.DeadEvent{
				Consumer: st.ColumnText(0), Tries: st.ColumnInt(1), Reason: st.ColumnText(2),
				At: time.UnixMicro(st.ColumnInt64(3)).UTC(), Event: *readEvent(st, 4),
			})
		}
		return c.Finish(st)
	})
	return all, err
}

// Revive implements [facade.DeadLetters].
func (s *Store) Revive(ctx context.Context, consumer, id string) (bool, error) {
	n, err := s.change(ctx, `DELETE FROM "`+deadTable+`" WHERE consumer = ? AND id = ?`, sqltext.TextValue(consumer), sqltext.TextValue(id))
	return n > 0, err
}
