package postgres

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/postgres/engine"
)

// late gives values to rows that gateways with older cards write without a field that these cards require, until no such gateway
// serves. Then it has the column made never null, as a start would.
type late struct {
	*access
	mu     sync.Mutex
	cancel context.CancelFunc
	done   chan struct{}
}

// How often rows without a value are looked for, and gateways with older cards.
const (
	fillEvery = 250 * time.Millisecond
	lookEvery = 2 * time.Second
)

// start fills the columns of a plan, which serves rows without their values.
func (l *late) start(ctx context.Context, task *migration.Task, all *tables, m *migrator) {
	l.stop()
	if len(m.unfilled) == 0 {
		return
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	l.mu.Lock()
	l.cancel, l.done = cancel, done
	l.mu.Unlock()
	go func() {
		defer close(done)
		l.run(ctx, task, all, m)
	}()
}

// look fills the columns again if a gateway with older cards has started since, which has made them ones that may be null.
func (l *late) look(ctx context.Context, task *migration.Task, all *tables, current map[string]string) {
	if len(task.Changes.Values) == 0 || l.fills() {
		return
	}
	var served []map[string]string
	err := l.db.Maintain(ctx, func(c *engine.Conn) (err error) {
		served, err = readOthers(c, l.db.Address().Schema, l.serving.id)
		return err
	})
	others := slices.ContainsFunc(served, func(one map[string]string) bool {
		for table, definition := range current {
			if was := one[table]; was != "" && was != definition {
				return true
			}
		}
		return false
	})
	if err != nil || !others {
		return
	}
	if m, err := l.compared(ctx, task, all); err == nil && len(m.unfilled) > 0 {
		l.serve(m.tables)
		l.start(ctx, task, all, m)
	}
}

// fills reports whether columns are filled.
func (l *late) fills() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cancel == nil {
		return false
	}
	select {
	case <-l.done:
		return false
	default:
		return true
	}
}

// stop ends the filling.
func (l *late) stop() {
	l.mu.Lock()
	cancel, done := l.cancel, l.done
	l.cancel = nil
	l.mu.Unlock()
	if cancel != nil {
		cancel()
		<-done
	}
}

// unfilled is the name of the index that finds the rows without a value of a column.
func (t *table) unfilled(column string) string {
	return shorten(helpers + "null " + t.Plain + " " + column)
}

// fill goes once through the rows without values. index has the rows found by an index from then on.
func (l *late) fill(ctx context.Context, m *migrator, index bool) error {
	return l.db.Maintain(ctx, func(c *engine.Conn) error {
		for _, w := range m.unfilled {
			f := w.groups[0].fill
			if _, err := l.pass(ctx, c, w, f, func(int64) {}); err != nil {
				return err
			}
			if !index {
				continue
			}
			err := c.Exec("CREATE INDEX CONCURRENTLY IF NOT EXISTS " + quote(w.table.unfilled(f.to)) + " ON " + w.table.Name + " (" + w.table.Primary.Name + ") WHERE " + quote(f.to) + " IS NULL")
			if err != nil && !engine.Exists(err) {
				return err
			}
		}
		return nil
	})
}

// run fills until no gateway has older cards, or ctx ends.
func (l *late) run(ctx context.Context, task *migration.Task, all *tables, m *migrator) {
	looked, said := time.Now(), ""
	warn := func(text string, err error) {
		if err != nil && ctx.Err() == nil && !engine.Unavailable(err) && err.Error() != said {
			said = err.Error()
			l.db.Log().Warn(text, "error", err)
		}
	}
	for first := true; ; first = false {
		select {
		case <-time.After(fillEvery):
		case <-ctx.Done():
			return
		}
		warn("rows of gateways with older cards get no value", l.fill(ctx, m, first))
		if time.Since(looked) < lookEvery {
			continue
		}
		looked = time.Now()
		now, err := l.compared(ctx, task, all)
		if err != nil || len(now.unfilled) > 0 {
			continue
		}
		if err = l.fill(ctx, m, false); err == nil { // the rows of the last of them
			_, err = l.settle(ctx, task, all)
		}
		if err == nil {
			return
		}
		warn("a column is not made never null yet", err)
	}
}
