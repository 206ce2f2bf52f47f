package outbox

import (
	"context"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/postgres/engine"
)

// The log is read from the primary: a replica that is behind would call positions that were
// given already positions of the future.

// A server that has not looked at a table yet takes schema = $1 for one row in two hundred, and
// would collect and sort the rows instead of reading them in the order of the index. So the log
// reads all rows from the beginning of a project's rows, and drops the rows of other projects.
const (
	readAll = bounded + `(SELECT * FROM ` + engine.Bookkeeping + `.events WHERE (schema, position) > ($1, $2) ORDER BY schema, position LIMIT $3) e WHERE schema = $1` + boundedEnd

	// bounded and boundedEnd enclose the rows to read: a row is answered if the rows before it
	// have fewer than facade.LogBytes bytes. The length of a text that is stored apart is known
	// without reading it.
	bounded    = `SELECT position, ` + eventColumns + ` FROM (SELECT *, sum(octet_length(coalesce(data, '')) + octet_length(coalesce(before, ''))) OVER (ORDER BY position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS ahead FROM `
	boundedEnd = `) b WHERE coalesce(ahead, 0) < 65536 ORDER BY position`

	// window is the part of the log in which one Log looks for the wanted events. The log only
	// grows at its end, so both statements see the same rows up to windowEnd.
	window    = `(SELECT * FROM ` + engine.Bookkeeping + `.events WHERE (schema, position) > ($1, $2) ORDER BY schema, position LIMIT 4096) e WHERE schema = $1`
	windowEnd = `SELECT coalesce(max(position), $2) FROM ` + window
	readNamed = bounded + window + ` AND frond || '.' || name = ANY ($4::text[])` + boundedEnd + ` LIMIT $3`

	named  = ` AND ($3::text[] IS NULL OR frond || '.' || name = ANY ($3::text[]))`
	behind = `SELECT count(*), min(at) FROM (
  SELECT at FROM ` + engine.Bookkeeping + `.events WHERE schema = $1 AND position > $2` + named + `
  UNION ALL SELECT at FROM ` + engine.Bookkeeping + `.outbox WHERE schema = $1` + named + `
  UNION ALL SELECT at FROM ` + engine.Bookkeeping + `.dead WHERE schema = $1 AND consumer = $4 AND position <= $2) e`
)

// read runs statements that read the tables of the outbox, on the primary.
func (o *Outbox) read(ctx context.Context, queries ...*engine.Query) error {
	return o.db.Read(engine.OnPrimary(ctx), func(c *engine.Conn) error { return c.Run(queries...) })
}

// listOf is names as an array; nil is null.
func listOf(names []string) []byte {
	if names == nil {
		return nil
	}
	var list []byte
	for _, name := range names {
		list = appendElement(list, []byte(name))
	}
	if list == nil {
		list = []byte{'{'}
	}
	return append(list, '}')
}

// Log implements [facade.EventLog].
func (o *Outbox) Log(ctx context.Context, after facade.Position, names []string, limit int) (events []*facade.Event, behind facade.Position, err error) {
	if err := o.Ready(ctx); err != nil {
		return nil, after, err
	}
	end, bytes := after, 0
	values := [][]byte{o.schema(), itob(int64(after)), itob(int64(limit))}
	q := &engine.Query{Text: []byte(readAll), Values: values, Reset: func() { events, bytes = nil, 0 }, Row: func(v [][]byte) error {
		e, err := readEvent(v)
		if err == nil {
			events = append(events, e)
			bytes += len(e.Data) + len(e.Before)
		}
		return err
	}}
	queries := []*engine.Query{q}
	if names != nil {
		q.Text, q.Values = []byte(readNamed), append(values, listOf(names))
		queries = []*engine.Query{{Text: []byte(windowEnd), Values: values[:2], Row: func(v [][]byte) (err error) {
			end, err = readPosition(v[0])
			return err
		}}, q}
	}
	if err := o.read(ctx, queries...); err != nil {
		return nil, after, err
	}
	if n := len(events); n > 0 && (n == limit || bytes >= facade.LogBytes || events[n-1].Position > end) {
		end = events[n-1].Position
	}
	return events, end, nil
}

// Span implements [facade.EventLog].
func (o *Outbox) Span(ctx context.Context) (oldest, last facade.Position, err error) {
	if err := o.Ready(ctx); err != nil {
		return 0, 0, err
	}
	err = o.read(ctx, &engine.Query{
		Text: []byte(`SELECT oldest, last FROM ` + engine.Bookkeeping + `.log WHERE schema = $1`), Values: [][]byte{o.schema()},
		Row: func(v [][]byte) (err error) {
			if oldest, err = readPosition(v[0]); err == nil {
				last, err = readPosition(v[1])
			}
			return err
		},
	})
	return oldest, last, err
}

// Behind implements [facade.Outbox].
func (o *Outbox) Behind(ctx context.Context, at facade.Position, names []string, retrying string) (events int, since time.Time, err error) {
	if err := o.Ready(ctx); err != nil {
		return 0, since, err
	}
	err = o.read(ctx, &engine.Query{Text: []byte(behind), Values: [][]byte{o.schema(), itob(int64(at)), listOf(names), []byte(retrying)}, Row: func(v [][]byte) error {
		n, err := readPosition(v[0])
		if err == nil && v[1] != nil {
			var first facade.Position
			first, err = readPosition(v[1])
			since = time.UnixMicro(int64(first)).UTC()
		}
		events = int(n)
		return err
	}})
	return events, since, err
}
