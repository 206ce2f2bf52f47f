package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqlite"
)

// lateStore is opened after the project was compiled over it, so that a project with
// faults leaves no file behind.
type lateStore struct{ facade.Store }

// RunsDry says whether the store behind it undoes what runs dry.
func (s *lateStore) RunsDry() bool {
	r, ok := s.Store.(facade.DryRunner)
	return ok && r.RunsDry()
}

// Transact implements [facade.Transactor]. An author's own store may have no transactions;
// each call of fn then commits by itself.
func (s *lateStore) Transact(ctx context.Context, fn func(context.Context) error) error {
	if t, ok := s.Store.(facade.Transactor); ok {
		return t.Transact(ctx, fn)
	}
	return fn(ctx)
}

// Seeded reports the entities whose seeds the store has had.
func (s *lateStore) Seeded(ctx context.Context, entities []*schema.Entity) (map[*schema.Entity]bool, error) {
	return facade.SeederOf(s.Store).Seeded(ctx, entities)
}

// Seed writes seeds into the store.
func (s *lateStore) Seed(ctx context.Context, batches []facade.SeedBatch) error {
	return facade.SeederOf(s.Store).Seed(ctx, batches)
}

// open opens what c.Store names, unless the author brought a store, own. serves reserves
// the file for this process among those that serve. mapped says that the cards are of tables
// that another program made: a file is then that program's, and what is in memory is not.
func (s *lateStore) open(ctx context.Context, own facade.Store, c *Config, log *slog.Logger, serves, mapped bool) (io.Closer, error) {
	if own != nil {
		s.Store = own
		return nothing{}, nil
	}
	opts := sqlite.Options{Logger: log, Serve: serves, Statement: c.Limits.Statement, Transaction: c.Limits.Transaction}
	var err error
	if opts.Path, opts.Memory, err = c.storeFile(); err != nil {
		return nil, err
	}
	opts.Foreign = mapped && !opts.Memory
	store, err := sqlite.Open(ctx, opts)
	if err != nil {
		return nil, err
	}
	s.Store = store
	return store, nil
}

// storeFile is the path of the file that c.Store names; memory: there is no file.
func (c *Config) storeFile() (path string, memory bool, err error) {
	path, isFile := strings.CutPrefix(c.Store, "sqlite:")
	switch {
	case c.Store == memoryStore:
		return "", true, nil
	case isFile && filepath.IsAbs(path):
		return path, false, nil
	case isFile:
		return filepath.Join(c.Dir, path), false, nil
	}
	_, err = readStore(c.Store)
	return "", false, fmt.Errorf("the store cannot be %q: %w", c.Store, err)
}

// nothing is the closer of a store that its owner closes.
type nothing struct{}

func (nothing) Close() error { return nil }

// readStore reads the setting store.
func readStore(text string) (string, error) {
	if path, ok := strings.CutPrefix(text, "sqlite:"); text == memoryStore || ok && path != "" {
		return text, nil
	}
	return "", errors.New("write sqlite:PATH such as sqlite:.frond/frond.db, or memory")
}

// preparer is a store that adapts to its entities before it is used. An author's own
// store need not be one.
type preparer interface {
	Prepare(ctx context.Context, entities []*schema.Entity) error
}

// migrator is a store whose schema changes by plan. [preparer] is not asked then.
type migrator interface {
	// Plan says what Migrate would do, and changes nothing.
	Plan(ctx context.Context, task *migration.Task) (*migration.Plan, error)
	// Migrate does it. The error is migration.Refused where a step is refused; the plan is
	// then returned with it.
	Migrate(ctx context.Context, task *migration.Task) (*migration.Plan, error)
	// History returns what was done before, the last first.
	History(ctx context.Context, limit int) ([]migration.Entry, error)
}

// checker is a store that reports why it does not accept writes.
type checker interface {
	Check(ctx context.Context) error
}
