package postgres

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/frondhost/frond/store/postgres/engine"
)

// A lease is a row that one process holds for a while, so that one of several gateways does
// what must not be done twice at once. It is a row and not an advisory lock, which a pooler in
// transaction mode and most distributed engines do not keep (docs/decisions/postgresql.md).
const (
	makeLeases = `CREATE TABLE IF NOT EXISTS ` + engine.Bookkeeping + `.lease (name text PRIMARY KEY, holder text NOT NULL, until timestamptz NOT NULL)`

	takeLease = `INSERT INTO ` + engine.Bookkeeping + `.lease AS l (name, holder, until) VALUES ($1, $2, now() + interval '30 seconds')
 ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
 WHERE l.until < now() OR l.holder = excluded.holder RETURNING 1`

	dropLease = `DELETE FROM ` + engine.Bookkeeping + `.lease WHERE name = $1 AND holder = $2`
)

// leased runs do while this process holds the lease of that name. Others wait until it is
// over, or until the holder has not been heard of for 30 seconds.
func leased(ctx context.Context, db *engine.DB, name string, do func(context.Context) error) error {
	if err := db.Own(ctx, "lease", makeLeases); err != nil {
		return err
	}
	values := [][]byte{[]byte(name), []byte(rand.Text())}
	take := func(ctx context.Context) (bool, error) {
		q := &engine.Query{Text: []byte(takeLease), Values: values}
		err := db.Once(ctx, q)
		return q.Count == 1, err
	}
	for waited := false; ; waited = true {
		held, err := take(ctx)
		if err != nil {
			return err
		}
		if held {
			break
		}
		if !waited {
			db.Log().Info("another gateway changes the database; this one waits for it", "lease", name)
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("waited for another gateway that changes the database: %w", ctx.Err())
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	kept := make(chan struct{})
	go func() { // renews it until do is over
		defer close(kept)
		for {
			select {
			case <-time.After(10 * time.Second):
			case <-ctx.Done():
				return
			}
			if held, err := take(ctx); err == nil && !held {
				cancel() // another process took it for dead: it works now
				return
			}
		}
	}()
	err := do(ctx)
	cancel()
	<-kept
	given, done := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer done()
	if failed := db.Once(given, &engine.Query{Text: []byte(dropLease), Values: values}); failed != nil {
		db.Log().Warn("a lease was not given back; it ends by itself in 30 seconds", "lease", name, "error", failed)
	}
	return err
}
