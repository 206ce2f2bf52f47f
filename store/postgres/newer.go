package postgres

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/postgres/engine"
)

// newer is why tables are no longer those that the cards of this process ask for: a process with
// newer cards, or another program, has changed them. Calls that need a changed table or column get
// SERVICE_UNAVAILABLE; the others are answered.
type newer struct {
	mu sync.Mutex
	// err is the reason; nil: the tables are as they were when looked at last, at.
	err error
	at  time.Time
}

// known reports whether tables were found changed when they were looked at last.
func (n *newer) known() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.err != nil
}

// verify compares the tables of the database with those that statements are written for, at most
// once a second, and returns the first difference. The log has a line for each new one.
func (s *Store) verify(ctx context.Context) error {
	n := &s.newer
	n.mu.Lock()
	defer n.mu.Unlock()
	if time.Since(n.at) < time.Second {
		return n.err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	changed, err := s.changed(ctx)
	if err != nil {
		return n.err // the server cannot be asked now
	}
	if changed != nil && (n.err == nil || n.err.Error() != changed.Error()) {
		s.db.Log().Error("the tables follow newer cards than those of this program; calls that need the changed column or table get SERVICE_UNAVAILABLE", "what", changed.Error())
	}
	n.err, n.at = changed, time.Now()
	return n.err
}

// changed returns how the tables of the database differ from those that statements are written
// for.
func (s *Store) changed(ctx context.Context) (changed, err error) {
	all := s.tables.Load()
	var have map[string]*present
	err = s.db.Maintain(ctx, func(c *engine.Conn) (err error) {
		have, err = inspect(c, s.db.Address().Schema)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, t := range all.order {
		p := have[t.plain]
		if p == nil {
			return fmt.Errorf("there is no table %s", t.plain), nil
		}
		for _, c := range t.columns {
			switch is := p.column(c.name); {
			case is == nil:
				return fmt.Errorf("table %s has no column %s", t.plain, c.name), nil
			case is.typ != c.typ:
				return fmt.Errorf("column %s of table %s has the type %s, and had %s", c.name, t.plain, is.typ, c.typ), nil
			}
		}
		for _, c := range p.columns {
			if c.notNull && !c.byDefault && t.byName(c.name) == nil {
				return fmt.Errorf("column %s of table %s is never null, and no card describes it", c.name, t.plain), nil
			}
		}
	}
	return s.adoptedChanged(ctx, all)
}

// adoptedChanged is changed for the tables that another program made.
func (s *Store) adoptedChanged(ctx context.Context, all *tables) (changed, err error) {
	now := &tables{byEntity: map[*schema.Entity]*table{}, byKey: map[string]*table{}, byName: map[string]*table{}, mapped: all.mapped}
	switch err := s.adopt(ctx, now); {
	case engine.Unavailable(err):
		return nil, err
	case err != nil || len(all.mapped) == 0:
		return err, nil
	}
	for key := range all.mapped {
		for i, c := range all.byKey[key].columns {
			if is := now.byKey[key].columns[i]; is.Type != c.Type {
				return fmt.Errorf("column %s of table %s has the type %s, and had %s", is.Name, now.byKey[key].plain, is.Type, c.Type), nil
			}
		}
	}
	return nil, nil
}
