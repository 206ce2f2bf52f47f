package postgres

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/frondhost/frond/store/postgres/engine"
)

// newer finds out why tables are no longer those that the cards of this process ask for: a process
// with newer cards, or another program, has changed them. Calls that need a changed table or column
// get SERVICE_UNAVAILABLE; the others are answered.
type newer struct {
	*access
	mu sync.Mutex
	// err is the reason; nil: the tables are as they were when looked at last, at.
	err error
	at  time.Time

	// older says that newer cards have defined a table, as the record said when it was looked at last.
	older   bool
	defined time.Time
}

// known reports whether tables were found changed when they were looked at last.
func (n *newer) known() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.err != nil
}

// verify compares the tables of the database with those that statements are written for, at most
// once a second, and returns the first difference. The log has a line for each new one.
func (n *newer) verify(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if time.Since(n.at) < time.Second {
		return n.err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	changed, err := n.changed(ctx)
	if err != nil {
		return n.err // the server cannot be asked now
	}
	if changed != nil && (n.err == nil || n.err.Error() != changed.Error()) {
		n.db.Log().Error("the tables follow newer cards than those of this program; calls that need the changed column or table get SERVICE_UNAVAILABLE", "what", changed.Error())
	}
	n.err, n.at = changed, time.Now()
	return n.err
}

// cards reports whether newer cards have defined a table. It reads the record of definitions at most once a second.
func (n *newer) cards(ctx context.Context) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	current := n.current.Load()
	if current == nil || time.Since(n.defined) < time.Second {
		return n.older
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	var recorded map[string][]string
	err := n.db.Maintain(ctx, func(c *engine.Conn) (err error) {
		recorded, err = definitions(c, n.db.Address().Schema)
		return err
	})
	if err != nil {
		return n.older // the server cannot be asked now
	}
	n.older, n.defined = false, time.Now()
	for table, definition := range *current {
		list := recorded[table]
		n.older = n.older || slices.Contains(list, definition) && list[len(list)-1] != definition
	}
	return n.older
}

// changed returns how the tables of the database differ from those that statements are written
// for.
func (n *newer) changed(ctx context.Context) (changed, err error) {
	all := n.tables.Load()
	var have map[string]*present
	err = n.db.Maintain(ctx, func(c *engine.Conn) (err error) {
		have, err = inspect(c, n.db.Address().Schema)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, t := range all.Order {
		p := have[t.Plain]
		if p == nil {
			return fmt.Errorf("there is no table %s", t.Plain), nil
		}
		for _, c := range t.columns {
			switch is := p.column(c.Plain); {
			case is == nil:
				return fmt.Errorf("table %s has no column %s", t.Plain, c.Plain), nil
			case is.Type != c.Type:
				return fmt.Errorf("column %s of table %s has the type %s, and had %s", c.Plain, t.Plain, is.Type, c.Type), nil
			}
		}
		if !p.hasAll(t.kept()) {
			n.db.Log().Warn("another program has dropped the columns of words that searches of a table read; searches make the words of each row, without an index, until this program starts again", "table", t.Plain)
			t.Search.Kept.Store(false)
		}
		for _, c := range p.columns {
			if c.NotNull && !c.Filled && t.byName(c.Name) == nil {
				return fmt.Errorf("column %s of table %s is never null, and no card describes it", c.Name, t.Plain), nil
			}
		}
	}
	return n.adoptedChanged(ctx, all)
}

// adoptedChanged is changed for the tables that another program made.
func (n *newer) adoptedChanged(ctx context.Context, all *tables) (changed, err error) {
	now, err := newTables(nil, n.db.Address().Schema, all.Names)
	if err != nil {
		return nil, err
	}
	now.Mapped = all.Mapped
	switch err := adopt(ctx, n.db, now); {
	case engine.Unavailable(err):
		return nil, err
	case err != nil || len(all.Mapped) == 0:
		return err, nil
	}
	for key := range all.Mapped {
		for i, c := range all.ByKey[key].columns {
			if is := now.ByKey[key].columns[i]; is.Type != c.Type {
				return fmt.Errorf("column %s of table %s has the type %s, and had %s", is.Name, now.ByKey[key].Plain, is.Type, c.Type), nil
			}
		}
	}
	return nil, nil
}
