package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/gateway/extra"
	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store"
	"github.com/frondhost/frond/store/sqlite"
)

// hostStore is the store of a host: its abilities are known before its file or server is opened, so
// that a project is compiled over it first, and one with faults leaves no file behind.
type hostStore struct {
	facade.Store
	can facade.Abilities
	// migrator plans and applies changes of its schema; nil for an author's own store.
	migrator store.Migrator
	// open opens it once the cards are known. mapped says that they are of tables that another
	// program made: a file is then that program's, and memory is not.
	open  func(ctx context.Context, mapped bool) error
	close func() error
}

// storeOf is own, the store that an author brought, or the one that c.Store names, which is not open yet.
// serves reserves a file for this process among the serving ones. measure, if not nil, receives the time of
// each statement.
func storeOf(own facade.Store, c *Config, log *slog.Logger, serves bool, measure func(time.Duration, facade.Failure)) (hostStore, error) {
	if own != nil {
		return hostStore{
			Store: own, can: own.Abilities(),
			open: func(context.Context, bool) error { return nil }, close: func() error { return nil },
		}, nil
	}
	url, err := c.storeURL()
	if err != nil {
		return hostStore{}, err
	}
	if isPostgres(url) {
		replicas, err := c.replicaURLs()
		if err != nil {
			return hostStore{}, err
		}
		engine := extra.Find[store.Engine](c.Extras)
		if engine == nil {
			return hostStore{}, extra.Postgres.Missing(setting.File, "/store", "a store on PostgreSQL")
		}
		s, err := engine.Open(&store.EngineOptions{
			URL: url, Replicas: replicas, LateBy: c.Replicas.LateBy, Logger: log, Statement: c.Limits.Statement, Transaction: c.Limits.Transaction,
			NameRules: c.Mode == Development, Slow: max(0, c.Log.Slow), Measure: measure,
		})
		if err != nil {
			return hostStore{}, err
		}
		return hostStore{
			Store: s, can: s.Abilities(), migrator: s,
			open: func(context.Context, bool) error { return nil }, close: s.Close, // Prepare opens connections
		}, nil
	}
	if len(c.Replicas.URLs) > 0 {
		return hostStore{}, errors.New("store.replicas is set, and only a store on PostgreSQL has replicas; leave it out")
	}
	opts := sqlite.Options{Logger: log, Serve: serves, NameRules: c.Mode == Development, Statement: c.Limits.Statement, Transaction: c.Limits.Transaction, Slow: max(0, c.Log.Slow), Measure: measure}
	if opts.Path, opts.Memory, err = c.storeFile(); err != nil {
		return hostStore{}, err
	}
	s := sqlite.New(opts)
	return hostStore{
		Store: s, can: s.Abilities(), migrator: s, close: s.Close,
		open: func(ctx context.Context, mapped bool) error { return s.Open(ctx, mapped && !opts.Memory) },
	}, nil
}

// storeURL is the URL of c.Store. The setting may name a variable of the environment: env:NAME.
func (c *Config) storeURL() (string, error) {
	name, isVariable := strings.CutPrefix(c.Store, "env:")
	if !isVariable {
		return c.Store, nil
	}
	text := os.Getenv(name)
	if text == "" {
		return "", fmt.Errorf("the store is env:%s, which is not set; set %s to the store's URL", name, name)
	}
	if _, err := c.readStore(text); err != nil || strings.HasPrefix(text, "env:") {
		return "", fmt.Errorf("the variable %s does not hold the URL of a store: %w", name, cmp.Or(err, errStore))
	}
	return text, nil
}

// replicaURLs is what c.Replicas says, from the environment where an element names a variable.
func (c *Config) replicaURLs() (urls []string, err error) {
	for i, text := range c.Replicas.URLs {
		if name, isVariable := strings.CutPrefix(text, "env:"); isVariable {
			if text = os.Getenv(name); text == "" {
				return nil, fmt.Errorf("replica %d of the store is env:%s, which is not set; set %s", i+1, name, name)
			}
			if !isPostgres(text) || c.checkURL(text) != nil {
				return nil, fmt.Errorf("replica %d of the store: the variable %s does not hold the URL of a replica: %w", i+1, name, cmp.Or(c.checkURL(text), errReplica))
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

// here returns the entities of a project whose rows the store has.
func here(of *catalog.Catalog) (all []*schema.Entity) {
	for _, e := range of.Set.Entities {
		if of.RemoteOf(e) == "" {
			all = append(all, e)
		}
	}
	return all
}

// entities returns those, and the entity of files if a field holds them.
func entities(of *catalog.Catalog) []*schema.Entity {
	all := here(of)
	if of.HasFiles() {
		all = append(all, catalog.FileEntity())
	}
	return all
}

// isPostgres says whether a store's URL leads to a PostgreSQL server.
func isPostgres(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

// errServer is the error of what only a store in a file has. It does not show the URL, which
// may hold a password.
var errServer = errors.New("the store is on a PostgreSQL server, so there is no file of it")

// errInMemory is the error of a command on a file for a store without one.
var errInMemory = errors.New("the store is kept in memory, without a file; write --store sqlite:PATH")

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
	_, err = c.readStore(url)
	return "", false, fmt.Errorf("the store cannot be used: %w", err)
}

// checkURL returns the fault of the URL of a store on PostgreSQL, as far as the program can read one.
func (c *Config) checkURL(url string) error {
	if engine := extra.Find[store.Engine](c.Extras); engine != nil {
		return engine.CheckURL(url)
	}
	return nil
}

// errStore names the values of the setting store. It does not repeat the text, which may hold a
// password.
var errStore = errors.New("write sqlite:PATH such as sqlite:.frond/frond.db, postgres://USER@HOST/DATABASE, env:NAME for a variable that holds one of them, or memory")

// readStore reads the setting store.
func (c *Config) readStore(text string) (string, error) {
	path, isFile := strings.CutPrefix(text, "sqlite:")
	name, isVariable := strings.CutPrefix(text, "env:")
	switch {
	case text == memoryStore, isFile && path != "", isVariable && name != "":
		return text, nil
	case isPostgres(text):
		return text, c.checkURL(text)
	}
	return "", errStore
}

// errReplica names the form of an element of the setting store.replicas. It does not repeat the text,
// which may hold a password.
var errReplica = errors.New("write a list of URLs, such as [postgres://USER@HOST/DATABASE], or env:NAME for a variable that holds one")

// readReplicas reads the setting store.replicas.
func (c *Config) readReplicas(text string) ([]string, error) {
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
			if err := c.checkURL(one); err != nil {
				return nil, fmt.Errorf("number %d: %w", i+1, err)
			}
		}
	}
	return all, nil
}
