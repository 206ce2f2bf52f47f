package outbox

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/postgres/engine"
)

// The relay moves committed events into the log. The row of frond.log is its lease: the statement
// that takes the lease, or finds it still this process's, locks the row until the positions are
// committed, so that two processes never give positions at once, even if their clocks differ. The
// lease alone decides which process works.
const (
	// leaseTerm is how long a process that is gone keeps the others from leading, and leaseRest
	// how much of it is left when it is renewed.
	leaseTerm, leaseRest = "interval '3 seconds'", "interval '2 seconds'"
	// leaseGone is how long after its end a lease is taken over without a waiting event: an idle
	// process that hears notifications renews it every [unheard].
	leaseGone  = "interval '30 seconds'"
	renewAfter = time.Second // by the clock of this process

	// probe looks whether there is something to do, without a write.
	probe = `SELECT last, holder = $2, until < clock_timestamp(), until < clock_timestamp() + ` + leaseRest + `, until < clock_timestamp() - ` + leaseGone + `, EXISTS (SELECT 1 FROM ` + engine.Bookkeeping + `.outbox WHERE schema = $1)
 FROM ` + engine.Bookkeeping + `.log WHERE schema = $1`

	lead = `UPDATE ` + engine.Bookkeeping + `.log SET last = CASE WHEN holder = $2 THEN last ELSE greatest(last, $3::bigint) END, holder = $2, until = clock_timestamp() + ` + leaseTerm + `
 WHERE schema = $1 AND (holder = $2 OR until < clock_timestamp()) RETURNING last`

	// hold is lead while the lease has time left.
	hold = `SELECT last FROM ` + engine.Bookkeeping + `.log WHERE schema = $1 AND holder = $2 FOR UPDATE`

	// place moves a batch: the events up to the time of its last row. It moves no events if the
	// statement before it has not found the lease.
	place = `WITH moved AS (
  DELETE FROM ` + engine.Bookkeeping + `.outbox WHERE schema = $1 AND written <= (
    SELECT max(written) FROM (SELECT schema, written FROM ` + engine.Bookkeeping + `.outbox WHERE schema >= $1 ORDER BY schema, written LIMIT 500) b WHERE schema = $1)
  AND EXISTS (SELECT 1 FROM ` + engine.Bookkeeping + `.log WHERE schema = $1 AND holder = $2) RETURNING *),
placed AS (
  INSERT INTO ` + engine.Bookkeeping + `.events (schema, position, ` + eventColumns + `)
  SELECT $1, l.last + row_number() OVER (ORDER BY m.written, m.n, m.id), m.id, m.frond, m.name, m.change, m.entity, m.key, m.at, m.data, m.before, m.trace, m.actor
  FROM moved m, ` + engine.Bookkeeping + `.log l WHERE l.schema = $1 RETURNING 1)
UPDATE ` + engine.Bookkeeping + `.log SET last = last + (SELECT count(*) FROM placed) WHERE schema = $1 AND holder = $2 AND EXISTS (SELECT 1 FROM placed) RETURNING last`

	resign = `UPDATE ` + engine.Bookkeeping + `.log SET until = 'epoch' WHERE schema = $1 AND holder = $2`
)

// Relay implements [facade.Outbox]. Without new events it is one read; if this process leads
// and has emitted events, one round trip.
func (o *Outbox) Relay(ctx context.Context) (last facade.Position, leads bool, err error) {
	if err := o.Ready(ctx); err != nil {
		return 0, false, err
	}
	o.listening.Do(func() { o.begin(ctx) })
	values := [][]byte{o.schema(), []byte(o.process)}
	answered := func(v [][]byte) (err error) {
		leads = true
		last, err = readPosition(v[0])
		return err
	}
	work := []*engine.Query{{Text: []byte(hold), Values: values, Row: answered}, {Text: []byte(place), Values: values, Row: answered}}
	emitted, committed := o.emitted.Load(), o.unrelayed.Swap(false)
	defer func() {
		if err != nil && committed {
			o.unrelayed.Store(true)
		}
	}()
	if !o.leads.Load() || emitted == o.relayed.Load() || time.Since(time.Unix(0, o.renewed.Load())) > renewAfter {
		at, err := o.look(ctx)
		last = at.last
		if err != nil || !at.mine && !at.gone && (!at.over || !at.pending) || at.mine && !at.due && !at.pending {
			leads = at.mine && err == nil
			o.leads.Store(leads)
			o.waits.Store(at.pending)
			if err == nil && at.pending && committed && o.notify(ctx, o.process) != nil {
				o.unrelayed.Store(true)
			}
			return last, leads, err
		}
		if !at.mine || at.due {
			begin := last.TakenOver(time.Now())
			work[0] = &engine.Query{Text: []byte(lead), Values: slices.Concat(values, [][]byte{itob(int64(begin))}), Row: answered}
			o.renewed.Store(time.Now().UnixNano())
		}
		if !at.pending {
			work = work[:1]
		}
	}
	err = o.db.WriteLocked(ctx, func(c *engine.Conn) error {
		leads = false
		return c.Conclude(work...)
	})
	if err != nil {
		leads = false
	} else {
		o.relayed.Store(emitted)
	}
	o.leads.Store(leads)
	o.waits.Store(!leads)
	if len(work) > 1 && work[1].Count > 0 {
		_ = o.notify(ctx, o.process) // otherwise the others find the positions later
	}
	return last, leads, err
}

// leaseState is the last position and the state of the lease: this process holds it, it has run out,
// is due for renewal, has run out long ago. pending says that events have no position yet.
type leaseState struct {
	last                           facade.Position
	mine, over, due, gone, pending bool
}

// look reads the state of the lease, without a write.
func (o *Outbox) look(ctx context.Context) (s leaseState, err error) {
	err = o.read(ctx, &engine.Query{Text: []byte(probe), Values: [][]byte{o.schema(), []byte(o.process)}, Row: func(v [][]byte) (err error) {
		for i, is := range []*bool{&s.mine, &s.over, &s.due, &s.gone, &s.pending} {
			*is = string(v[i+1]) == "t"
		}
		s.last, err = readPosition(v[0])
		return err
	}})
	return s, err
}

// readPosition reads a position as the database writes it.
func readPosition(text []byte) (facade.Position, error) {
	n, err := strconv.ParseInt(string(text), 10, 64)
	return facade.Position(n), err
}

// Resign lets another process lead at once, where this one does, and ends listening. It is for the
// end of the process.
func (o *Outbox) Resign() {
	o.listening.Do(func() { o.cancel = func() {} })
	o.cancel()
	o.listener.Wait()
	ctx, done := context.WithTimeout(context.Background(), time.Second)
	defer done()
	if o.leads.Swap(false) {
		// After a failure the lease runs out by itself.
		_ = o.db.Once(ctx, &engine.Query{Text: []byte(resign), Values: [][]byte{o.schema(), []byte(o.process)}})
	}
	if o.unrelayed.Load() {
		_ = o.notify(ctx, o.process)
	}
}

// Trim implements [facade.Outbox].
func (o *Outbox) Trim(ctx context.Context, before time.Time, limit int) (n int, err error) {
	if err := o.Ready(ctx); err != nil {
		return 0, err
	}
	// Positions and times grow together but for moments, so the first that is younger ends it.
	to, younger := facade.Position(0), false
	err = o.read(ctx, &engine.Query{
		Text:   []byte(`SELECT position, at FROM (SELECT * FROM ` + engine.Bookkeeping + `.events WHERE schema >= $1 ORDER BY schema, position LIMIT $2) e WHERE schema = $1 ORDER BY position`),
		Values: [][]byte{o.schema(), itob(int64(limit))},
		Reset:  func() { to, younger = 0, false },
		Row: func(v [][]byte) error {
			at, err := strconv.ParseInt(string(v[1]), 10, 64)
			if younger = younger || at >= before.UnixMicro(); err != nil || younger {
				return err
			}
			to, err = readPosition(v[0])
			return err
		},
	})
	if err != nil || to == 0 {
		return 0, err
	}
	values := [][]byte{o.schema(), itob(int64(to))}
	gone := &engine.Query{Text: []byte(`DELETE FROM ` + engine.Bookkeeping + `.events WHERE schema = $1 AND position <= $2`), Values: values}
	err = o.db.WriteLocked(ctx, func(c *engine.Conn) error {
		return c.Conclude(gone, &engine.Query{Text: []byte(`UPDATE ` + engine.Bookkeeping + `.log SET oldest = greatest(oldest, $2) WHERE schema = $1`), Values: values})
	})
	return int(gone.Count), err
}
