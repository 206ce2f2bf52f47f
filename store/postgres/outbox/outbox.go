// Package outbox keeps the events of a PostgreSQL database (docs/decisions/outbox.md). It is two
// tables: the events of transactions wait in frond.outbox, in an order that does not depend on
// other transactions, and the relay moves committed events into frond.events and gives it positions
// there:
//
//	Emit    INSERT INTO frond.outbox, with the commit of the transaction       outbox.go
//	Relay   DELETE FROM frond.outbox, INSERT INTO frond.events, by one process  relay.go
//	Log     SELECT FROM frond.events by position                               eventlog.go
//
// Transactions share no unique value in them, and serializable transactions do not read them,
// so that writers of events neither wait for each other nor fail for each other. The tables
// belong to every project of the database; the column schema says to which one a row does.
package outbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/store/postgres/engine"
)

// written is the clock of the server when the row was already locked: of two events of a row the
// first committed one is the older one. n is the order within this process.
const (
	eventColumns = "id, frond, name, change, entity, key, at, data, before, trace, actor"
	// eventTypes are their types. Times are microseconds since 1970.
	eventTypes = "id uuid NOT NULL, frond text NOT NULL, name text NOT NULL, change text NOT NULL, entity text NOT NULL, key text, at bigint NOT NULL, data text, before text, trace text NOT NULL, actor text"

	makeOutbox = `CREATE TABLE IF NOT EXISTS ` + engine.Bookkeeping + `.outbox (schema text, written timestamptz DEFAULT clock_timestamp(), n bigint, ` + eventTypes + `, PRIMARY KEY (schema, written, n, id));
CREATE TABLE IF NOT EXISTS ` + engine.Bookkeeping + `.events (schema text, position bigint, ` + eventTypes + `, PRIMARY KEY (schema, position));
CREATE TABLE IF NOT EXISTS ` + engine.Bookkeeping + `.cursors (schema text, consumer text, position bigint NOT NULL, known boolean NOT NULL, PRIMARY KEY (schema, consumer));
CREATE TABLE IF NOT EXISTS ` + engine.Bookkeeping + `.dead (schema text, consumer text, position bigint NOT NULL, ` + eventTypes + `, tries bigint NOT NULL, reason text NOT NULL, died bigint NOT NULL, PRIMARY KEY (schema, consumer, id));
CREATE TABLE IF NOT EXISTS ` + engine.Bookkeeping + `.log (schema text PRIMARY KEY, oldest bigint NOT NULL, last bigint NOT NULL, holder text NOT NULL, until timestamptz NOT NULL)`

	// Programs before the column actor have made the tables without it. They write and read the others beside this one;
	// an event that one of them gives its position has no actor.
	hasActor = `SELECT 1 FROM pg_catalog.pg_attribute WHERE attrelid = '` + engine.Bookkeeping + `.dead'::regclass AND attname = 'actor'`
	addActor = `ALTER TABLE ` + engine.Bookkeeping + `.outbox ADD COLUMN IF NOT EXISTS actor text;
ALTER TABLE ` + engine.Bookkeeping + `.events ADD COLUMN IF NOT EXISTS actor text;
ALTER TABLE ` + engine.Bookkeeping + `.dead ADD COLUMN IF NOT EXISTS actor text`

	makeLog = `INSERT INTO ` + engine.Bookkeeping + `.log (schema, oldest, last, holder, until) VALUES ($1, $2, $2, '', 'epoch') ON CONFLICT DO NOTHING`

	emitOne = `INSERT INTO ` + engine.Bookkeeping + `.outbox (schema, n, ` + eventColumns + `) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`

	emitMany = `INSERT INTO ` + engine.Bookkeeping + `.outbox (schema, n, ` + eventColumns + `) SELECT $1, $2::bigint + o, ` + eventColumns + `
 FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[], $10::text[], $11::text[], $12::text[], $13::text[]) WITH ORDINALITY AS e(` + eventColumns + `, o) ORDER BY o`
)

// Outbox is a database's [facade.Outbox]. Use [New]. It may be used from many goroutines.
type Outbox struct {
	db *engine.DB
	// ensure makes a table, by its name, if it is missing.
	ensure func(ctx context.Context, name, create string) error
	// process is a random name of this process.
	process string
	// emitted counts events, for n.
	emitted   atomic.Int64
	committed facade.Broadcast

	// mu guards there: the tables were made, or found.
	mu    sync.Mutex
	there bool
	// leads says that the lease was this process's when it was last looked at, and renewed when
	// it was renewed, in nanoseconds.
	leads   atomic.Bool
	renewed atomic.Int64
	// relayed is emitted when the relay last began.
	relayed atomic.Int64
	// unrelayed says that events were committed since then, waits that another process leads and
	// has events to give positions to.
	unrelayed, waits atomic.Bool

	// listener listens from the first Relay to the end of the process. listens says that
	// notifications arrive, heard when one did, in nanoseconds.
	listener  sync.WaitGroup
	listening sync.Once
	cancel    context.CancelFunc
	listens   atomic.Bool
	heard     atomic.Int64
}

// New returns the outbox of a database. ensure runs create, which may be several statements,
// where the schema [engine.Bookkeeping] has no table of that name; it is called when the outbox is
// first used.
func New(db *engine.DB, ensure func(ctx context.Context, name, create string) error) *Outbox {
	return &Outbox{db: db, ensure: ensure, process: rand.Text()}
}

// Ready makes sure that the tables are there, once in the life of the process. They are made
// outside of any transaction.
func (o *Outbox) Ready(ctx context.Context) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.there {
		return nil
	}
	err := o.ensure(ctx, "log", makeOutbox)
	if err == nil {
		err = o.db.Maintain(ctx, func(c *engine.Conn) error {
			there := &engine.Query{Text: []byte(hasActor)}
			if err := c.Run(there); err != nil {
				return err
			}
			if there.Count == 0 {
				if err := c.Exec(addActor); err != nil {
					return err
				}
			}
			return c.Run(&engine.Query{Text: []byte(makeLog), Values: [][]byte{o.schema(), itob(int64(facade.NewLog(time.Now())))}})
		})
	}
	o.there = err == nil
	return o.db.Public(ctx, err)
}

// schema is the value of the column schema in the rows of this project.
func (o *Outbox) schema() []byte { return []byte(o.db.Address().Schema) }

// itob is the text of an integer as a value.
func itob(n int64) []byte { return strconv.AppendInt(nil, n, 10) }

// Transact implements [facade.Transactor].
func (o *Outbox) Transact(ctx context.Context, fn func(context.Context) error) error {
	return o.db.Transact(ctx, fn)
}

// Emit implements [facade.Outbox]. In a transaction the events go with the commit, and take no
// round trip of their own.
func (o *Outbox) Emit(ctx context.Context, events []facade.Event) error {
	if len(events) == 0 {
		return nil
	}
	if err := o.Ready(ctx); err != nil {
		return err
	}
	return o.db.Defer(ctx, o.Emission(events), o.Emitted)
}

// Emission is the statement that writes events, one or more, for a transaction that was begun
// when Ready had returned. When it is committed, Emitted is to be called.
func (o *Outbox) Emission(events []facade.Event) *engine.Query {
	n := o.emitted.Add(int64(len(events))) - int64(len(events))
	q := &engine.Query{Text: []byte(emitOne), Values: append(make([][]byte, 0, 13), o.schema(), itob(n))}
	if len(events) == 1 {
		q.Values = append(q.Values, eventValues(&events[0])...)
		return q
	}
	q.Text = []byte(emitMany)
	lists := make([][]byte, 11)
	for i := range events {
		for column, v := range eventValues(&events[i]) {
			lists[column] = appendElement(lists[column], v)
		}
	}
	for _, list := range lists {
		q.Values = append(q.Values, append(list, '}'))
	}
	return q
}

// appendElement appends a text, or nil for null, to an array literal, which it begins.
func appendElement(list, v []byte) []byte {
	if list == nil {
		list = append(list, '{')
	} else {
		list = append(list, ',')
	}
	if v == nil {
		return append(list, "NULL"...)
	}
	list = append(list, '"')
	for _, c := range v {
		if c == '"' || c == '\\' {
			list = append(list, '\\')
		}
		list = append(list, c)
	}
	return append(list, '"')
}

// eventValues are the values of eventColumns.
func eventValues(e *facade.Event) [][]byte {
	var actor []byte
	if e.Actor != nil {
		actor = e.Actor.AppendJSON(nil)
	}
	return [][]byte{
		[]byte(e.ID), []byte(e.Frond), []byte(e.Name), []byte(e.Change), []byte(e.Entity), e.Key,
		itob(e.At.UnixMicro()), e.Data, e.Before, []byte(e.Trace), actor,
	}
}

// readEvent reads a position and the eventColumns.
func readEvent(v [][]byte) (*facade.Event, error) {
	position, err := strconv.ParseInt(string(v[0]), 10, 64)
	if err != nil {
		return nil, err
	}
	at, err := strconv.ParseInt(string(v[7]), 10, 64)
	if err != nil {
		return nil, err
	}
	actor, _ := facade.ReadActor(v[11]) // another program's text is no actor
	return &facade.Event{
		Actor: actor, Position: facade.Position(position), ID: string(v[1]), Frond: string(v[2]), Name: string(v[3]),
		Change: catalog.Change(v[4]), Entity: string(v[5]), Key: bytes.Clone(v[6]),
		At: time.UnixMicro(at).UTC(), Data: bytes.Clone(v[8]), Before: bytes.Clone(v[9]), Trace: string(v[10]),
	}, nil
}

// Records implements [facade.Outbox].
func (o *Outbox) Records() bool { return true }

// Emitted wakes those who wait for events to be committed.
func (o *Outbox) Emitted() {
	o.unrelayed.Store(true)
	o.committed.Send()
}

// Committed implements [facade.Outbox].
func (o *Outbox) Committed() <-chan struct{} { return o.committed.Wait() }
