package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/postgres/engine"
)

// Prepare makes what the cards ask for and the database does not have: tables, columns that
// older rows can have, indexes, constraints that every row meets. The error is [Refused] where
// a change would lose data or cannot hold, and then nothing has changed. Other errors are those
// of a card that no table can follow, and what an operator can do about the server, its role
// or the URL. Tables that no card describes are left alone. One gateway at a time changes a
// database; the others wait for it. Prepare may be called again, with other cards, while the
// store is in use.
//
// Where the server cannot be reached the error is nil: calls return SERVICE_UNAVAILABLE until
// it can, and the database is prepared then.
func (s *Store) Prepare(ctx context.Context, entities []*schema.Entity) error {
	all, order, err := newTables(entities, s.db.Address().Schema)
	if err != nil {
		return err // nothing is written while a card cannot become a table
	}
	s.waiting.stop()
	err = s.prepare(ctx, all, order)
	if err == nil {
		s.tables.Store(all)
		return nil
	}
	if !engine.Unavailable(err) || s.db.Refusal(err) != nil || ctx.Err() != nil {
		return s.operators(err)
	}
	s.db.Log().Warn("the database cannot be reached; calls get SERVICE_UNAVAILABLE until it can", "error", err)
	s.waiting.start(ctx, func(ctx context.Context) error {
		if err := s.prepare(ctx, all, order); err != nil {
			return s.operators(err)
		}
		s.tables.Store(all)
		s.db.Log().Info("the database is reached, and prepared")
		return nil
	}, func(err error) {
		if !engine.Unavailable(err) {
			s.db.Log().Error("the database cannot be prepared", "error", err)
		}
	})
	return nil
}

// WhenReady has do done when the database can be reached and is prepared, and reports whether
// that is to come: where it is prepared already, the caller does it. do is run again while it
// fails.
func (s *Store) WhenReady(do func(context.Context) error) (later bool) { return s.waiting.after(do) }

// operators returns an error as its operator reads it.
func (s *Store) operators(err error) error {
	if better := s.db.Refusal(err); better != nil {
		return better
	}
	if what := engine.Lacks(err); what != "" {
		config := s.db.Address().Config
		return fmt.Errorf("the role %s may not change the database %s (%s); let it: GRANT USAGE, CREATE ON SCHEMA %s TO %s, or run the start once as the owner of the tables",
			config.User, config.Database, what, quote(s.db.Address().Schema), quote(config.User))
	}
	return err
}

// prepare compares and, where something is to do, takes the lease, compares again and does it.
func (s *Store) prepare(ctx context.Context, all *tables, order []*table) error {
	if err := s.adopt(ctx, all); err != nil {
		return err
	}
	if len(order) == 0 {
		return nil // nothing here is this program's to make
	}
	m, err := s.compared(ctx, order)
	if err != nil || len(m.steps) == 0 {
		return err
	}
	return s.leased(ctx, "prepare "+s.db.Address().Schema, func(ctx context.Context) error {
		m, err := s.compared(ctx, order)
		if err != nil {
			return err
		}
		return s.apply(ctx, m)
	})
}

// compared reads the catalogue and compares; the error is Refused where a step cannot be.
func (s *Store) compared(ctx context.Context, order []*table) (*comparison, error) {
	m := &comparison{schema: s.db.Address().Schema}
	err := s.db.Maintain(ctx, func(c *engine.Conn) (err error) {
		m.conn = c
		if m.have, err = inspect(c, m.schema); err == nil {
			err = m.compare(order)
		}
		return err
	})
	m.conn = nil
	if err == nil && m.refused != nil {
		err = m.refused
	}
	return m, err
}

// lockTimeout is how long a change waits for those who use the table. Everybody else who
// wants it waits behind the change.
const lockTimeout = "3s"

// apply does the steps. Each is a transaction of its own, so that no lock is held for long;
// one that was done is found done by the next start.
func (s *Store) apply(ctx context.Context, m *comparison) error {
	err := s.db.Maintain(ctx, func(c *engine.Conn) error {
		there, err := runner{c}.Number([]byte("SELECT count(*) FROM pg_catalog.pg_namespace WHERE nspname = "+literal(m.schema)), nil)
		if err == nil && there == 0 {
			err = c.Exec("CREATE SCHEMA IF NOT EXISTS " + quote(m.schema))
		}
		if err != nil && !engine.Exists(err) {
			return err
		}
		for _, one := range m.steps {
			if err := s.do(c, one); err != nil {
				return err
			}
			if one.does != "" {
				s.db.Log().Info("the store changed", "step", one.does)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if m.made > 0 {
		s.db.Log().Info("the store made tables", "count", m.made)
	}
	for _, notice := range m.notices {
		s.db.Log().Warn("the store: " + notice)
	}
	return nil
}

// do runs one step, again where others held the table for too long.
func (s *Store) do(c *engine.Conn, one step) (err error) {
	text := "SET lock_timeout = '" + lockTimeout + "'; " + strings.Join(one.sql, ";\n")
	if !one.alone {
		text = "BEGIN; SET LOCAL lock_timeout = '" + lockTimeout + "'; " + strings.Join(one.sql, ";\n") + "; COMMIT"
	}
	for range 10 {
		if one.alone { // several statements in one text would be a transaction
			for _, statement := range one.sql {
				if err = c.Exec(statement); err != nil {
					break
				}
			}
		} else {
			err = c.Exec(text)
		}
		if err == nil {
			return nil
		}
		if !one.alone {
			_ = c.Exec("ROLLBACK") // the error at hand is the one to report
		}
		if !engine.Busy(err) {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if code, _, _, _ := engine.Violated(err); code == engine.Unique && one.index != nil {
		_ = c.Exec("DROP INDEX IF EXISTS " + quote(s.db.Address().Schema) + "." + quote(one.index.name)) // it is not valid
		return Refused{{
			Step: "make the values unique", Table: one.table.plain, Column: strings.Join(one.index.columns, ", "),
			Reason: "some rows share one", Remedy: "change those rows first, or remove role.unique",
		}}
	}
	if engine.Busy(err) {
		return fmt.Errorf("table %s: it was in use for too long to be changed (%s, ten times); start again when fewer long transactions run: %w", one.table.plain, lockTimeout, err)
	}
	return err
}

var errNoPrepare = errors.New("the database was not prepared yet")
