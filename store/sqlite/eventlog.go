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

// The tables of the event log (docs/decisions/outbox.md). A writer has the file alone until its
// commit, so the number that an event takes when it is written is its position: numbers become
// visible in their order, and a savepoint that is undone frees its numbers. The relay therefore
// has no work, in any number of processes.
const (
	eventsTable = ownPrefix + "events"
	// logTable holds one row: the position up to which events were trimmed.
	logTable     = ownPrefix + "log"
	cursorsTable = ownPrefix + "cursors"
	deadTable    = ownPrefix + "dead"

	// eventColumns are the columns of an event, as eventValues and readEvent have them.
	eventColumns = "position, id, frond, name, change, entity, key, at, data, before, trace, actor"
	// eventTypes are their types, for two tables. Times are microseconds since 1970.
	eventTypes = "id TEXT NOT NULL, frond TEXT NOT NULL, name TEXT NOT NULL, change TEXT NOT NULL, entity TEXT NOT NULL, key TEXT, at INTEGER NOT NULL, data TEXT, before TEXT, trace TEXT NOT NULL, actor TEXT"
)

// makeEventTables are the statements that make the missing tables. AUTOINCREMENT keeps the last
// position in sqlite_sequence, which outlives the events.
var makeEventTables = []string{
	`CREATE TABLE IF NOT EXISTS "` + eventsTable + `" (position INTEGER PRIMARY KEY AUTOINCREMENT, ` + eventTypes + `) STRICT`,
	`CREATE TABLE IF NOT EXISTS "` + logTable + `" (oldest INTEGER NOT NULL) STRICT`,
	`CREATE TABLE IF NOT EXISTS "` + cursorsTable + `" (consumer TEXT NOT NULL PRIMARY KEY, position INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
	`CREATE TABLE IF NOT EXISTS "` + deadTable + `" (consumer TEXT NOT NULL, position INTEGER NOT NULL, ` + eventTypes + `, tries INTEGER NOT NULL, reason TEXT NOT NULL, died INTEGER NOT NULL, PRIMARY KEY (consumer, id)) STRICT, WITHOUT ROWID`,
}

// Programs before the column actor have made the tables without it. They write and read the others beside this one.
var (
	hasActor = `SELECT count(*) FROM pragma_table_info('` + eventsTable + `') WHERE name = 'actor'`
	addActor = []string{
		`ALTER TABLE "` + eventsTable + `" ADD COLUMN actor TEXT`,
		`ALTER TABLE "` + deadTable + `" ADD COLUMN actor TEXT`,
	}
)

const (
	emitEvent = `INSERT INTO "` + eventsTable + `" (` + eventColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	readLog = `SELECT ` + eventColumns + ` FROM "` + eventsTable + `" WHERE position > ? ORDER BY position LIMIT ?`

	lastPosition = `SELECT seq FROM sqlite_sequence WHERE name = '` + eventsTable + `'`

	takeOver = `UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = '` + eventsTable + `'`

	readSpan = `SELECT (SELECT oldest FROM "` + logTable + `"), (` + lastPosition + `)`

	readTrim = `SELECT position, at FROM "` + eventsTable + `" ORDER BY position LIMIT ?`
)

// maxScanned is how many events one Log reads in search of the wanted ones.
const maxScanned = 4096

// errForeign is the cause of a failed Emit in another program's database.
var errForeign = errors.New("sqlite: another program's database keeps no facts; move the tables, or declare no facts")

// eventLog keeps the events of a database: the log, and the positions and dead letters of its
// consumers. It is a [facade.Outbox] and may be used from many goroutines. Its database is set
// before the first call.
type eventLog struct {
	db *engine.DB
	// ready says that the tables are made and the position is taken over.
	ready     atomic.Bool
	committed facade.Broadcast
}

// Transact implements [facade.Transactor], as [Store.Transact] does.
func (l *eventLog) Transact(ctx context.Context, fn func(context.Context) error) error {
	return l.db.Transact(ctx, fn)
}

// prepare makes the tables and takes the position over. It may run many times.
func (l *eventLog) prepare(c *engine.Conn) error {
	if l.ready.Load() {
		return nil
	}
	if l.db.Foreign() {
		return errForeign
	}
	for _, sql := range makeEventTables {
		if err := c.Exec(sql); err != nil {
			return err
		}
	}
	if there, err := c.Number(hasActor); err != nil {
		return err
	} else if there == 0 {
		for _, sql := range addActor {
			if err := c.Exec(sql); err != nil {
				return err
			}
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

// prepared remembers after a commit that the tables exist. A dry run does not commit.
func (l *eventLog) prepared(ctx context.Context) func() {
	if facade.InDryRun(ctx) {
		return nil
	}
	return func() { l.ready.Store(true) }
}

// write runs do in a transaction, or in the transaction of ctx, after it has made the tables.
func (l *eventLog) write(ctx context.Context, do func(*engine.Conn) error) error {
	return l.db.Write(&engine.Op{Ctx: ctx, Committed: l.prepared(ctx), Run: func(c *engine.Conn) error {
		if err := l.prepare(c); err != nil {
			return err
		}
		return do(c)
	}})
}

// change runs one statement and returns the number of rows that it wrote.
func (l *eventLog) change(ctx context.Context, sql string, values ...sqltext.Value) (n int64, err error) {
	err = l.write(ctx, func(c *engine.Conn) error {
		if err := c.Exec(sql, values...); err != nil {
			return err
		}
		n = c.Raw().Changes()
		return nil
	})
	return n, err
}

// read runs one statement, whose rows step reads, after the tables are made. It may run both
// again.
func (l *eventLog) read(ctx context.Context, sql string, step func(*engine.Stmt), values ...sqltext.Value) error {
	if !l.ready.Load() {
		if err := l.write(ctx, func(*engine.Conn) error { return nil }); err != nil {
			return err
		}
	}
	return l.db.Read(ctx, func(c *engine.Conn) error {
		st, err := c.Start([]byte(sql), values)
		if err != nil {
			return err
		}
		step(st)
		return c.Finish(st)
	})
}

// Emit implements [facade.Outbox]. The events have their positions at once.
func (l *eventLog) Emit(ctx context.Context, events []facade.Event) error {
	if len(events) == 0 {
		return nil
	}
	return l.db.Write(&engine.Op{
		Ctx:       ctx,
		Run:       func(c *engine.Conn) error { return l.append(c, events) },
		Committed: l.emitted(ctx),
	})
}

// append writes events, after the tables are made.
func (l *eventLog) append(c *engine.Conn, events []facade.Event) error {
	if err := l.prepare(c); err != nil {
		return err
	}
	var values [12]sqltext.Value
	for i := range events {
		eventValues(values[:], &events[i])
		values[0] = sqltext.Value{} // the next number
		if err := c.Exec(emitEvent, values[:]...); err != nil {
			return err
		}
	}
	return nil
}

// emitted wakes the readers of the log after a commit of events.
func (l *eventLog) emitted(ctx context.Context) func() {
	made := l.prepared(ctx)
	return func() {
		if made != nil {
			made()
		}
		l.committed.Send()
	}
}

// Records implements [facade.Outbox]. In another program's database no events are kept.
func (l *eventLog) Records() bool { return !l.db.Foreign() }

// Committed implements [facade.Outbox].
func (l *eventLog) Committed() <-chan struct{} { return l.committed.Wait() }

// Quiet implements [facade.Outbox].
func (l *eventLog) Quiet(since time.Time) bool { return l.db.Quiet(since) }

// countBehind counts the events that a consumer has not delivered.
const countBehind = `SELECT count(*), min(at) FROM (
  SELECT at FROM "` + eventsTable + `" WHERE position > ?1 AND (?2 IS NULL OR frond || '.' || name IN (SELECT value FROM json_each(?2)))
  UNION ALL SELECT at FROM "` + deadTable + `" WHERE consumer = ?3 AND position <= ?1)`

// Behind implements [facade.Outbox].
func (l *eventLog) Behind(ctx context.Context, at facade.Position, names []string, retrying string) (events int, since time.Time, err error) {
	wanted := sqltext.Value{}
	if names != nil {
		wanted = sqltext.TextValue(string(jsontext.AppendStrings(nil, names)))
	}
	err = l.read(ctx, countBehind, func(st *engine.Stmt) {
		events, since = 0, time.Time{}
		if st.Step() && st.ColumnInt64(0) > 0 {
			events, since = int(st.ColumnInt64(0)), time.UnixMicro(st.ColumnInt64(1)).UTC()
		}
	}, sqltext.IntValue(int64(at)), wanted, sqltext.TextValue(retrying))
	return events, since, err
}

// Relay implements [facade.Outbox]. It has no work to do, so every process leads.
func (l *eventLog) Relay(ctx context.Context) (last facade.Position, leads bool, err error) {
	_, last, err = l.Span(ctx)
	return last, err == nil, err
}

// Trim implements [facade.Outbox].
func (l *eventLog) Trim(ctx context.Context, before time.Time, limit int) (n int, err error) {
	err = l.write(ctx, func(c *engine.Conn) error {
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
	})
	return n, err
}

// Log implements [facade.EventLog].
func (l *eventLog) Log(ctx context.Context, after facade.Position, names []string, limit int) (events []*facade.Event, behind facade.Position, err error) {
	scan := limit
	if names != nil {
		scan = maxScanned
	}
	behind = after
	err = l.read(ctx, readLog, func(st *engine.Stmt) {
		events, behind = nil, after
		for bytes := 0; len(events) < limit && bytes < facade.LogBytes && st.Step(); {
			behind = facade.Position(st.ColumnInt64(0))
			if names == nil || slices.Contains(names, st.ColumnText(2)+"."+st.ColumnText(3)) {
				e := readEvent(st, 0)
				events = append(events, e)
				bytes += len(e.Data) + len(e.Before)
			}
		}
	}, sqltext.IntValue(int64(after)), sqltext.IntValue(int64(scan)))
	return events, behind, err
}

// Span implements [facade.EventLog].
func (l *eventLog) Span(ctx context.Context) (oldest, last facade.Position, err error) {
	err = l.read(ctx, readSpan, func(st *engine.Stmt) {
		if st.Step() {
			oldest, last = facade.Position(st.ColumnInt64(0)), facade.Position(st.ColumnInt64(1))
		}
	})
	return oldest, last, err
}

// Cursor implements [facade.Cursors].
func (l *eventLog) Cursor(ctx context.Context, consumer string) (at facade.Position, known bool, err error) {
	err = l.read(ctx, `SELECT position FROM "`+cursorsTable+`" WHERE consumer = ?`, func(st *engine.Stmt) {
		if known = st.Step(); known {
			at = facade.Position(st.ColumnInt64(0))
		}
	}, sqltext.TextValue(consumer))
	return at, known, err
}

// Advance implements [facade.Cursors].
func (l *eventLog) Advance(ctx context.Context, consumer string, from, to facade.Position) (moved bool, err error) {
	sql := `UPDATE "` + cursorsTable + `" SET position = ?2 WHERE consumer = ?1 AND position = ?3`
	if from == 0 {
		sql = `INSERT INTO "` + cursorsTable + `" (consumer, position) VALUES (?1, ?2) ON CONFLICT (consumer) DO UPDATE SET position = ?2 WHERE position = ?3`
	}
	n, err := l.change(ctx, sql, sqltext.TextValue(consumer), sqltext.IntValue(int64(to)), sqltext.IntValue(int64(from)))
	return n > 0, err
}

// Bury implements [facade.DeadLetters].
func (l *eventLog) Bury(ctx context.Context, dead *facade.DeadEvent) error {
	values := make([]sqltext.Value, 16)
	eventValues(values, &dead.Event)
	values[12], values[13] = sqltext.TextValue(dead.Consumer), sqltext.IntValue(int64(dead.Tries))
	values[14], values[15] = sqltext.TextValue(dead.Reason), sqltext.IntValue(dead.At.UnixMicro())
	_, err := l.change(ctx, `REPLACE INTO "`+deadTable+`" (`+eventColumns+`, consumer, tries, reason, died) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, values...)
	return err
}

// Dead implements [facade.DeadLetters].
func (l *eventLog) Dead(ctx context.Context, consumer string, limit int) (all []*facade.DeadEvent, err error) {
	err = l.read(ctx, `SELECT consumer, tries, reason, died, `+eventColumns+` FROM "`+deadTable+`" WHERE ?1 = '' OR consumer = ?1 ORDER BY died, position LIMIT ?2`, func(st *engine.Stmt) {
		all = nil
		for st.Step() {
			all = append(all, &facade.DeadEvent{
				Consumer: st.ColumnText(0), Tries: st.ColumnInt(1), Reason: st.ColumnText(2),
				At: time.UnixMicro(st.ColumnInt64(3)).UTC(), Event: *readEvent(st, 4),
			})
		}
	}, sqltext.TextValue(consumer), sqltext.IntValue(int64(limit)))
	return all, err
}

// Revive implements [facade.DeadLetters].
func (l *eventLog) Revive(ctx context.Context, consumer, id string) (bool, error) {
	n, err := l.change(ctx, `DELETE FROM "`+deadTable+`" WHERE consumer = ? AND id = ?`, sqltext.TextValue(consumer), sqltext.TextValue(id))
	return n > 0, err
}

// eventValues puts an event into the twelve values of eventColumns.
func eventValues(to []sqltext.Value, e *facade.Event) {
	to[0] = sqltext.IntValue(int64(e.Position))
	to[1], to[2], to[3] = sqltext.TextValue(e.ID), sqltext.TextValue(e.Frond), sqltext.TextValue(e.Name)
	to[4], to[5] = sqltext.TextValue(string(e.Change)), sqltext.TextValue(e.Entity)
	to[6], to[7] = jsonValue(e.Key), sqltext.IntValue(e.At.UnixMicro())
	to[8], to[9], to[10] = jsonValue(e.Data), jsonValue(e.Before), sqltext.TextValue(e.Trace)
	to[11] = sqltext.Value{}
	if e.Actor != nil {
		to[11] = jsonValue(e.Actor.AppendJSON(nil))
	}
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
	actor, _ := facade.ReadActor(text(11))                                                  // another program's text is no actor
	return &facade.Event{
		Actor: actor, Position: facade.Position(st.ColumnInt64(i)),
		ID: st.ColumnText(i + 1), Frond: st.ColumnText(i + 2), Name: st.ColumnText(i + 3),
		Change: catalog.Change(st.ColumnText(i + 4)), Entity: st.ColumnText(i + 5), Key: text(6),
		At: time.UnixMicro(st.ColumnInt64(i + 7)).UTC(), Data: text(8), Before: text(9), Trace: st.ColumnText(i + 10),
	}
}
