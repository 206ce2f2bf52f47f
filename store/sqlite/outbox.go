package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// The outbox (docs/decisions/outbox.md). Whoever writes to the file has it alone until the commit, so
// a number that is taken when an event is written is its position: numbers become visible in
// their order, and with a savepoint that is undone its numbers are free again. Nothing is left
// for a relay to do, in however many processes.
const (
	eventsTable = ownPrefix + "events"
	// logTable holds one row: the position up to which events were trimmed.
	logTable     = ownPrefix + "log"
	cursorsTable = ownPrefix + "cursors"
	deadTable    = ownPrefix + "dead"

	// eventColumns are those of an event, as eventValues and readEvent have them.
	eventColumns = "position, id, frond, name, change, entity, key, at, data, before, trace"
	// eventTypes are their types, for two tables. Times are microseconds since 1970.
	eventTypes = "id TEXT NOT NULL, frond TEXT NOT NULL, name TEXT NOT NULL, change TEXT NOT NULL, entity TEXT NOT NULL, key TEXT, at INTEGER NOT NULL, data TEXT, before TEXT, trace TEXT NOT NULL"
)

// makeOutboxTables are the statements that make the tables where they are missing. AUTOINCREMENT keeps
// the last position in sqlite_sequence, where it outlives the events.
var makeOutboxTables = []string{
	`CREATE TABLE IF NOT EXISTS "` + eventsTable + `" (position INTEGER PRIMARY KEY AUTOINCREMENT, ` + eventTypes + `) STRICT`,
	`CREATE TABLE IF NOT EXISTS "` + logTable + `" (oldest INTEGER NOT NULL) STRICT`,
	`CREATE TABLE IF NOT EXISTS "` + cursorsTable + `" (consumer TEXT NOT NULL PRIMARY KEY, position INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
	`CREATE TABLE IF NOT EXISTS "` + deadTable + `" (consumer TEXT NOT NULL, position INTEGER NOT NULL, ` + eventTypes + `, tries INTEGER NOT NULL, reason TEXT NOT NULL, died INTEGER NOT NULL, PRIMARY KEY (consumer, id)) STRICT, WITHOUT ROWID`,
}

const (
	emitEvent = `INSERT INTO "` + eventsTable + `" (` + eventColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	readLog = `SELECT ` + eventColumns + ` FROM "` + eventsTable + `" WHERE position > ? ORDER BY position LIMIT ?`

	lastPosition = `SELECT seq FROM sqlite_sequence WHERE name = '` + eventsTable + `'`

	takeOver = `UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = '` + eventsTable + `'`

	oldestPosition = `SELECT oldest FROM "` + logTable + `"`

	readTrim = `SELECT position, at FROM "` + eventsTable + `" ORDER BY position LIMIT ?`
)

// maxScanned is how many events one Log looks at for those that are wanted.
const maxScanned = 4096

// errOthers is the cause of a failed Emit in another program's database.
var errOthers = errors.New("sqlite: facts cannot be kept in another program's database; move the tables into a store of this program, or declare no facts")

// outbox is what a store knows of its outbox.
type outbox struct {
	// there says that the tables are made and the position is taken over.
	there     atomic.Bool
	committed facade.Broadcast
}

// outboxed makes sure that the tables are there; in a transaction they are made within it.
func (s *Store) outboxed(ctx context.Context) error {
	if s.outbox.there.Load() {
		return nil
	}
	return s.db.Write(&engine.Op{Ctx: ctx, Run: s.makeOutbox, Committed: s.outboxMade(ctx)})
}

// makeOutbox makes the tables and takes the position over. It may run many times.
func (s *Store) makeOutbox(c *engine.Conn) error {
	if s.outbox.there.Load() {
		return nil
	}
	if s.db.Foreign() {
		return errOthers
	}
	for _, sql := range makeOutboxTables {
		if err := c.Exec(sql); err != nil {
			return err
		}
	}
	last, err := c.Number(lastPosition)
	if err != nil {
		return err
	}
	if last > 0 {
		return c.Exec(takeOver, sqltext.IntValue(int64(facade.Position(last).TakenOver(time.Now()))))
	}
	begin := sqltext.IntValue(int64(facade.NewLog(time.Now())))
	if err := c.Exec(`INSERT INTO sqlite_sequence (name, seq) VALUES ('`+eventsTable+`', ?)`, begin); err != nil {
		return err
	}
	return c.Exec(`INSERT INTO "`+logTable+`" (oldest) VALUES (?)`, begin)
}

// outboxMade remembers that makeOutbox was committed. A dry run commits nothing.
func (s *Store) outboxMade(ctx context.Context) func() {
	if facade.InDryRun(ctx) {
		return nil
	}
	return func() { s.outbox.there.Store(true) }
}

// Emit implements [facade.Outbox]. The events have their positions at once.
func (s *Store) Emit(ctx context.Context, events []facade.Event) error {
	if len(events) == 0 {
		return nil
	}
	return s.db.Write(&engine.Op{
		Ctx:       ctx,
		Run:       func(c *engine.Conn) error { return s.writeEvents(c, events) },
		Committed: s.emitted(ctx),
	})
}

// writeEvents writes events, the tables where they are missing before.
func (s *Store) writeEvents(c *engine.Conn, events []facade.Event) error {
	if err := s.makeOutbox(c); err != nil {
		return err
	}
	var values [11]sqltext.Value
	for i := range events {
		eventValues(values[:], &events[i])
		values[0] = sqltext.Value{} // the next number
		if err := c.Exec(emitEvent, values[:]...); err != nil {
			return err
		}
	}
	return nil
}

// emitted is what happens once events that were written are committed.
func (s *Store) emitted(ctx context.Context) func() {
	made := s.outboxMade(ctx)
	return func() {
		if made != nil {
			made()
		}
		s.outbox.committed.Send()
	}
}

// Records implements [facade.Outbox]. In another program's database nothing is kept.
func (s *Store) Records() bool { return !s.db.Foreign() }

// Committed implements [facade.Outbox].
func (s *Store) Committed() <-chan struct{} { return s.outbox.committed.Wait() }

// Quiet implements [facade.Outbox].
func (s *Store) Quiet(since time.Time) bool { return s.db.Quiet(since) }

// countBehind counts what a consumer has not delivered.
const countBehind = `SELECT count(*), min(at) FROM (
  SELECT at FROM "` + eventsTable + `" WHERE position > ?1 AND (?2 IS NULL OR frond || '.' || name IN (SELECT value FROM json_each(?2)))
  UNION ALL SELECT at FROM "` + deadTable + `" WHERE consumer = ?3 AND position <= ?1)`

// Behind implements [facade.Outbox].
func (s *Store) Behind(ctx context.Context, at facade.Position, names []string, retrying string) (events int, since time.Time, err error) {
	if err := s.outboxed(ctx); err != nil {
		return 0, since, err
	}
	wanted := sqltext.Value{}
	if names != nil {
		wanted = sqltext.TextValue(string(jsontext.AppendStrings(nil, names)))
	}
	err = s.db.Read(ctx, func(c *engine.Conn) error {
		events, since = 0, time.Time{}
		st, err := c.Start([]byte(countBehind), []sqltext.Value{sqltext.IntValue(int64(at)), wanted, sqltext.TextValue(retrying)})
		if err != nil {
			return err
		}
		if st.Step() && st.ColumnInt64(0) > 0 {
			events, since = int(st.ColumnInt64(0)), time.UnixMicro(st.ColumnInt64(1)).UTC()
		}
		return c.Finish(st)
	})
	return events, since, err
}

// Relay implements [facade.Outbox]. It has nothing to do, so every process leads.
func (s *Store) Relay(ctx context.Context) (last facade.Position, leads bool, err error) {
	_, last, err = s.Span(ctx)
	return last, err == nil, err
}

// Trim implements [facade.Outbox].
func (s *Store) Trim(ctx context.Context, before time.Time, limit int) (n int, err error) {
	if err := s.outboxed(ctx); err != nil {
		return 0, err
	}
	err = s.db.Write(&engine.Op{Ctx: ctx, Run: func(c *engine.Conn) error {
		n = 0
		st, err := c.Start([]byte(readTrim), []sqltext.Value{sqltext.IntValue(int64(limit))})
		if err != nil {
			return err
		}
		to := int64(0)
		for st.Step() && st.ColumnInt64(1) < before.UnixMicro() {
			to = st.ColumnInt64(0)
			n++
		}
		if err := c.Finish(st); err != nil || n == 0 {
			return err
		}
		if err := c.Exec(`DELETE FROM "`+eventsTable+`" WHERE position <= ?`, sqltext.IntValue(to)); err != nil {
			return err
		}
		return c.Exec(`UPDATE "`+logTable+`" SET oldest = ?`, sqltext.IntValue(to))
	}})
	return n, err
}

// Log implements [facade.EventLog].
func (s *Store) Log(ctx context.Context, after facade.Position, names []string, limit int) (events []*facade.Event, behind facade.Position, err error) {
	if err := s.outboxed(ctx); err != nil {
		return nil, after, err
	}
	err = s.db.Read(ctx, func(c *engine.Conn) error {
		events, behind = nil, after
		scan := limit
		if names != nil {
			scan = maxScanned
		}
		st, err := c.Start([]byte(readLog), []sqltext.Value{sqltext.IntValue(int64(after)), sqltext.IntValue(int64(scan))})
		if err != nil {
			return err
		}
		for bytes := 0; len(events) < limit && bytes < facade.LogBytes && st.Step(); {
			behind = facade.Position(st.ColumnInt64(0))
			if names == nil || slices.Contains(names, st.ColumnText(2)+"."+st.ColumnText(3)) {
				e := readEvent(st, 0)
				events = append(events, e)
				bytes += len(e.Data) + len(e.Before)
			}
		}
		return c.Finish(st)
	})
	return events, behind, err
}

// Span implements [facade.EventLog].
func (s *Store) Span(ctx context.Context) (oldest, last facade.Position, err error) {
	if err := s.outboxed(ctx); err != nil {
		return 0, 0, err
	}
	err = s.db.Read(ctx, func(c *engine.Conn) error {
		from, err := c.Number(oldestPosition)
		if err != nil {
			return err
		}
		to, err := c.Number(lastPosition)
		oldest, last = facade.Position(from), facade.Position(to)
		return err
	})
	return oldest, last, err
}

// eventValues puts an event into the eleven values of eventColumns.
func eventValues(to []sqltext.Value, e *facade.Event) {
	to[0] = sqltext.IntValue(int64(e.Position))
	to[1], to[2], to[3] = sqltext.TextValue(e.ID), sqltext.TextValue(e.Frond), sqltext.TextValue(e.Name)
	to[4], to[5] = sqltext.TextValue(string(e.Change)), sqltext.TextValue(e.Entity)
	to[6], to[7] = jsonValue(e.Key), sqltext.IntValue(e.At.UnixMicro())
	to[8], to[9], to[10] = jsonValue(e.Data), jsonValue(e.Before), sqltext.TextValue(e.Trace)
}

// jsonValue is a JSON text that may be absent.
func jsonValue(text json.RawMessage) sqltext.Value {
	if text == nil {
		return sqltext.Value{}
	}
	return sqltext.TextValue(string(text))
}

// readEvent reads the eventColumns that begin at column i.
func readEvent(st *engine.Stmt, i int) *facade.Event {
	text := func(n int) json.RawMessage { return json.RawMessage(st.ColumnBlob(i+n, nil)) } // nil for null
	return &facade.Event{
		Position: facade.Position(st.ColumnInt64(i)),
		ID:       st.ColumnText(i + 1), Frond: st.ColumnText(i + 2), Name: st.ColumnText(i + 3),
		Change: catalog.Change(st.ColumnText(i + 4)), Entity: st.ColumnText(i + 5), Key: text(6),
		At: time.UnixMicro(st.ColumnInt64(i + 7)).UTC(), Data: text(8), Before: text(9), Trace: st.ColumnText(i + 10),
	}
}
