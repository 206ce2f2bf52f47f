package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/postgres"
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
	url, err := c.storeURL()
	if err != nil {
		return nil, err
	}
	if isPostgres(url) {
		replicas, err := c.replicaURLs()
		if err != nil {
			return nil, err
		}
		store, err := postgres.OpenReplicated( //nolint:contextcheck // it opens no connection
			postgres.Options{URL: url, Logger: log, Statement: c.Limits.Statement, Transaction: c.Limits.Transaction, NameRules: c.Mode == Development, Slow: max(0, c.Log.Slow)},
			replicas, c.Replicas.LateBy)
		if err != nil {
			return nil, err
		}
		s.Store = store
		return store, nil
	}
	if len(c.Replicas.URLs) > 0 {
		return nil, errors.New("store.replicas is set, and only a store on PostgreSQL has replicas; leave it out")
	}
	opts := sqlite.Options{Logger: log, Serve: serves, Statement: c.Limits.Statement, Transaction: c.Limits.Transaction, Slow: max(0, c.Log.Slow)}
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

// storeURL is what c.Store says, from the environment where it names a variable: env:NAME.
func (c *Config) storeURL() (string, error) {
	name, isVariable := strings.CutPrefix(c.Store, "env:")
	if !isVariable {
		return c.Store, nil
	}
	text := os.Getenv(name)
	if text == "" {
		return "", fmt.Errorf("the store is env:%s, and the variable %s is not set; set it to the store's URL", name, name)
	}
	if _, err := readStore(text); err != nil || strings.HasPrefix(text, "env:") {
		return "", fmt.Errorf("the variable %s does not hold the URL of a store: %w", name, cmp.Or(err, errStore))
	}
	return text, nil
}

// replicaURLs is what c.Replicas says, from the environment where an element names a variable.
func (c *Config) replicaURLs() (urls []string, err error) {
	for i, text := range c.Replicas.URLs {
		if name, isVariable := strings.CutPrefix(text, "env:"); isVariable {
			if text = os.Getenv(name); text == "" {
				return nil, fmt.Errorf("replica %d of the store is env:%s, and the variable %s is not set; set it to the replica's URL", i+1, name, name)
			}
			if !isPostgres(text) || postgres.CheckURL(text) != nil {
				return nil, fmt.Errorf("replica %d of the store: the variable %s does not hold the URL of a replica: %w", i+1, name, cmp.Or(postgres.CheckURL(text), errReplica))
			}
		}
		urls = append(urls, text)
	}
	return urls, nil
}

// shared reports whether other processes may have the store, or the author's own: a file and memory
// belong to the one process that serves.
func (c *Config) shared(own facade.Store) bool {
	url, err := c.storeURL()
	return own != nil || err != nil || isPostgres(url)
}

// isPostgres says whether a store's URL is that of a PostgreSQL server.
func isPostgres(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

// errServer is the error of what only a store in a file has. It does not show the URL, which
// may hold a password.
var errServer = errors.New("the store is on a PostgreSQL server, so there is no file of it")

// storeFile is the path of the file that c.Store names; memory: there is no file. errServer
// where the store is on a server.
func (c *Config) storeFile() (path string, memory bool, err error) {
	url, err := c.storeURL()
	if err != nil {
		return "", false, err
	}
	path, isFile := strings.CutPrefix(url, "sqlite:")
	switch {
	case isPostgres(url):
		return "", false, errServer
	case url == memoryStore:
		return "", true, nil
	case isFile && filepath.IsAbs(path):
		return path, false, nil
	case isFile:
		return filepath.Join(c.Dir, path), false, nil
	}
	_, err = readStore(url)
	return "", false, fmt.Errorf("the store cannot be used: %w", err)
}

// nothing is the closer of a store that its owner closes.
type nothing struct{}

func (nothing) Close() error { return nil }

// errStore says what the setting store takes. It does not repeat the text, which may hold a
// password.
var errStore = errors.New("write sqlite:PATH such as sqlite:.frond/frond.db, postgres://USER@HOST/DATABASE, env:NAME for a variable that holds one of them, or memory")

// readStore reads the setting store.
func readStore(text string) (string, error) {
	path, isFile := strings.CutPrefix(text, "sqlite:")
	name, isVariable := strings.CutPrefix(text, "env:")
	switch {
	case text == memoryStore, isFile && path != "", isVariable && name != "":
		return text, nil
	case isPostgres(text):
		return text, postgres.CheckURL(text)
	}
	return "", errStore
}

// errReplica says what an element of the setting store.replicas is. It does not repeat the text,
// which may hold a password.
var errReplica = errors.New("write a list of URLs, such as [postgres://USER@HOST/DATABASE], or env:NAME for a variable that holds one")

// readReplicas reads the setting store.replicas.
func readReplicas(text string) ([]string, error) {
	all, err := setting.List(text)
	if err != nil {
		return nil, errReplica
	}
	for i, one := range all {
		name, isVariable := strings.CutPrefix(one, "env:")
		switch {
		case isVariable && name != "":
		case !isPostgres(one):
			return nil, fmt.Errorf("number %d is no URL of a PostgreSQL server: %w", i+1, errReplica)
		default:
			if err := postgres.CheckURL(one); err != nil {
				return nil, fmt.Errorf("number %d: %w", i+1, err)
			}
		}
	}
	return all, nil
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

// awaited is a store whose server may come after the start: WhenReady has do done then, and
// reports whether it will be. Where it is there already, the caller does it.
type awaited interface {
	WhenReady(do func(context.Context) error) (later bool)
}
