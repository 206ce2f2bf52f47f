package outbox

import (
	"context"
	"strconv"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/postgres/engine"
)

// The records of the log's consumers: their positions, and the events that they gave up on.

// advance finds the row by its key alone, as an insert does: an update would read a small table
// from its beginning, and serializable transactions of other consumers would fail for it. An
// unknown consumer becomes known at 0 alone; at any other position the inserted row says that
// it was unknown.
const advance = `INSERT INTO ` + engine.Bookkeeping + `.cursors AS c (schema, consumer, position, known) VALUES ($1, $2, CASE WHEN $3::bigint = 0 THEN $4::bigint ELSE 0 END, $3::bigint = 0)
 ON CONFLICT (schema, consumer) DO UPDATE SET position = $4, known = true WHERE c.position = $3 RETURNING known`

// Cursor implements [facade.Cursors].
func (o *Outbox) Cursor(ctx context.Context, consumer string) (at facade.Position, known bool, err error) {
	if err := o.Ready(ctx); err != nil {
		return 0, false, err
	}
	err = o.read(ctx, &engine.Query{
		Text:   []byte(`SELECT position FROM ` + engine.Bookkeeping + `.cursors WHERE schema = $1 AND consumer = $2 AND known`),
		Values: [][]byte{o.schema(), []byte(consumer)},
		Reset:  func() { at, known = 0, false },
		Row: func(v [][]byte) (err error) {
			known = true
			at, err = readPosition(v[0])
			return err
		},
	})
	return at, known, err
}

// Advance implements [facade.Cursors].
func (o *Outbox) Advance(ctx context.Context, consumer string, from, to facade.Position) (moved bool, err error) {
	if err := o.Ready(ctx); err != nil {
		return false, err
	}
	err = o.db.Once(ctx, &engine.Query{
		Text: []byte(advance), Values: [][]byte{o.schema(), []byte(consumer), itob(int64(from)), itob(int64(to))},
		Reset: func() { moved = false },
		Row: func(v [][]byte) error {
			moved = string(v[0]) == "t"
			return nil
		},
	})
	return moved && err == nil, err
}

// Bury implements [facade.DeadLetters].
func (o *Outbox) Bury(ctx context.Context, dead *facade.DeadEvent) error {
	if err := o.Ready(ctx); err != nil {
		return err
	}
	values := [][]byte{
		o.schema(), []byte(dead.Consumer), itob(int64(dead.Event.Position)),
		itob(int64(dead.Tries)), []byte(dead.Reason), itob(dead.At.UnixMicro()),
	}
	return o.db.Once(ctx, &engine.Query{
		Text: []byte(`INSERT INTO ` + engine.Bookkeeping + `.dead (schema, consumer, position, tries, reason, died, ` + eventColumns + `) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
 ON CONFLICT (schema, consumer, id) DO UPDATE SET tries = excluded.tries, reason = excluded.reason, died = excluded.died`),
		Values: append(values, eventValues(&dead.Event)...),
	})
}

// Dead implements [facade.DeadLetters].
func (o *Outbox) Dead(ctx context.Context, consumer string, limit int) (all []*facade.DeadEvent, err error) {
	if err := o.Ready(ctx); err != nil {
		return nil, err
	}
	err = o.read(ctx, &engine.Query{
		Text: []byte(`SELECT position, ` + eventColumns + `, consumer, tries, reason, died FROM ` + engine.Bookkeeping + `.dead
 WHERE schema = $1 AND ($2 = '' OR consumer = $2) ORDER BY died, position LIMIT $3`),
		Values: [][]byte{o.schema(), []byte(consumer), itob(int64(limit))},
		Reset:  func() { all = nil },
		Row: func(v [][]byte) error {
			e, err := readEvent(v)
			if err != nil {
				return err
			}
			d := &facade.DeadEvent{Event: *e, Consumer: string(v[12]), Reason: string(v[14])}
			if d.Tries, err = strconv.Atoi(string(v[13])); err != nil {
				return err
			}
			died, err := strconv.ParseInt(string(v[15]), 10, 64)
			d.At = time.UnixMicro(died).UTC()
			all = append(all, d)
			return err
		},
	})
	return all, err
}

// Revive implements [facade.DeadLetters].
func (o *Outbox) Revive(ctx context.Context, consumer, id string) (bool, error) {
	if err := o.Ready(ctx); err != nil {
		return false, err
	}
	q := &engine.Query{
		Text:   []byte(`DELETE FROM ` + engine.Bookkeeping + `.dead WHERE schema = $1 AND consumer = $2 AND id::text = $3`),
		Values: [][]byte{o.schema(), []byte(consumer), []byte(id)},
	}
	err := o.db.Once(ctx, q)
	return q.Count > 0, err
}
