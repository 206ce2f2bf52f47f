package gateway

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/explain"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/gateway/extra"
	"github.com/frondhost/frond/gateway/files"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqlite"
)

// Backup writes the store that the settings name into a new file, as of one moment, and
// returns the file's size in bytes. A gateway may serve the store at the same time.
func Backup(ctx context.Context, config *Config, to string) (int64, error) {
	path, err := config.file("pg_dump --format=custom --file=FILE DATABASE, and then frond backup --files FOLDER for files")
	if err != nil {
		return 0, err
	}
	return sqlite.Backup(ctx, path, to)
}

// BackupFiles copies the bytes of the files that the settings name into a folder, and returns the number of files
// that it copied and of their bytes. Rows are saved before it: the bytes of files that rows name no more stay for
// files.retention.
func BackupFiles(ctx context.Context, config *Config, folder string) (copied int, bytes int64, err error) {
	whole := config.withDefaults()
	url, err := filesStore(&whole, false)
	if err != nil {
		return 0, 0, err
	}
	path, isFolder := strings.CutPrefix(url, "file://")
	if !isFolder && !strings.HasPrefix(url, "s3://") {
		return 0, 0, errors.New("the files are kept in memory; name the gateway's folder or bucket in files.store")
	}
	if isFolder {
		if _, err := os.Stat(filepath.FromSlash(path)); err != nil {
			return 0, 0, fmt.Errorf("there is no folder of files at %s; name it with files.store, or leave --files out: %w", path, err)
		}
	}
	return files.Backup(ctx, url, extra.Find[files.Buckets](config.Extras), folder)
}

// Restore puts a backup in the place of the store that the settings name. No process may serve
// the store during it. An existing store is replaced only with replace; kept is its new name
// then.
func Restore(ctx context.Context, config *Config, backup string, replace bool) (kept string, err error) {
	path, err := config.file("pg_restore --dbname=DATABASE FILE")
	if err != nil {
		return "", err
	}
	return sqlite.Restore(ctx, backup, path, replace)
}

// file is the store's file. The error of a store on PostgreSQL names its own tool.
func (c *Config) file(tool string) (string, error) {
	whole := c.withDefaults()
	path, memory, err := whole.storeFile()
	switch {
	case errors.Is(err, errServer):
		err = fmt.Errorf("%w; PostgreSQL has its own tools: %s", err, tool)
	case err == nil && memory:
		err = errInMemory
	}
	return path, err
}

// WithFacts opens the store that the settings name, which a gateway may serve at the same time, and
// calls do with the facts of the project and the outbox of the store. It does not relay, migrate,
// seed, or make a missing file.
func WithFacts(ctx context.Context, project *facade.Project, opts *Options, do func(context.Context, *facade.Facade, facade.Outbox) error) error {
	return withStore(ctx, project, opts, func(ctx context.Context, h *Host, f *facade.Facade) error {
		if h.store.can.Outbox == nil {
			return errors.New("this store keeps no facts; only stores of SQLite and PostgreSQL do")
		}
		return do(ctx, f, h.store.can.Outbox)
	})
}

// Jobs returns the states of a project's jobs. It opens the store as [WithFacts] does.
func Jobs(ctx context.Context, project *facade.Project, opts *Options) (states []JobState, err error) {
	err = withStore(ctx, project, opts, func(ctx context.Context, h *Host, f *facade.Facade) (err error) {
		states, err = h.schedule.states(ctx, f.Catalog())
		return err
	})
	return states, err
}

// Advise returns the reads of a project's gateways that an index would help. It opens the store as
// [WithFacts] does.
func Advise(ctx context.Context, project *facade.Project, opts *Options) (all []explain.Advice, err error) {
	err = withStore(ctx, project, opts, func(ctx context.Context, h *Host, f *facade.Facade) (err error) {
		if h.store.can.KeyValues != nil {
			all, err = explain.ListAdvice(ctx, h.store.can.KeyValues, f.Catalog())
		}
		return err
	})
	return all, err
}

// WithRows opens the store that the settings name, which gateways may serve at the same time, and calls do with the project over it, to
// read rows. Nothing is migrated, seeded or written, and a file that is not there is not made. The error is [migration.Differs] where the store
// lacks tables or columns of the cards. A store in memory is a new one with the seeds of the project.
func WithRows(ctx context.Context, project *facade.Project, opts *Options, do func(context.Context, *facade.Facade) error) error {
	here := opts.orDefaults()
	c := here.Config.withDefaults()
	if _, memory, err := c.storeFile(); err == nil && memory {
		seeded := *here
		seeded.Undecided = true
		h, err := Open(ctx, project, &seeded)
		if err != nil {
			return err
		}
		return errors.Join(do(ctx, h.compiled.Load()), h.Close())
	}
	return withStore(ctx, project, opts, func(ctx context.Context, h *Host, f *facade.Facade) error {
		if h.store.migrator != nil {
			task := h.task(f)
			task.Start, task.Unchanged = true, true
			plan, err := h.store.migrator.Plan(ctx, task)
			if err != nil {
				return err
			}
			var lacks migration.Differs
			for _, step := range plan.Steps {
				if slices.Contains([]string{migration.CreateTable, migration.AddColumn, migration.ChangeType, migration.ChangeKey}, step.Op) {
					lacks = append(lacks, step)
				}
			}
			if lacks != nil {
				return lacks
			}
		}
		return do(ctx, f)
	})
}

// Orphans returns the rows whose reference names a row of another host that this host does not have, a member for each reference
// between hosts. It opens the store as [WithFacts] does.
func Orphans(ctx context.Context, of *facade.Project, opts *Options) (all []facade.Orphans, err error) {
	here := *opts.orDefaults()
	look := func(ctx context.Context, h *Host, f *facade.Facade) error {
		if prepare := h.store.can.Prepare; prepare != nil {
			task := h.task(f)
			err := prepare(ctx, task.Entities, task.Changes, h.config.Store != memoryStore)
			if differs := migration.Differs(nil); errors.As(err, &differs) {
				return fmt.Errorf("the store does not fit the cards: %w; start the gateway over it, or run frond migrate apply", differs)
			}
			if err != nil {
				return err
			}
		}
		all = f.Orphans(ctx)
		return nil
	}
	if slices.ContainsFunc(of.Fronds, func(f *project.Frond) bool { return here.Config.Moved()[f.Name].URL == "" }) {
		err = withStore(ctx, of, &here, look)
		return all, err
	}
	here.Config.KeepInMemory() // no row is kept here
	here.Undecided, here.Incomplete = true, true
	_, err = open(ctx, of, &here, opening{look: look})
	return all, err
}

// withStore opens the store that the settings name, beside the gateway that may serve it, and calls do
// with the host of a project without surfaces.
func withStore(ctx context.Context, project *facade.Project, opts *Options, do func(context.Context, *Host, *facade.Facade) error) error {
	here := *opts.orDefaults()
	here.Undecided, here.Incomplete = true, true // who may do what is no matter of the store
	if here.Store == nil {
		c := here.Config.withDefaults()
		path, memory, err := c.storeFile()
		switch {
		case errors.Is(err, errServer):
		case err != nil:
			return err
		case memory:
			return errors.New("the store is kept in memory; name the gateway's store with --store")
		default:
			if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("there is no store at %s; name the store of the gateway with --store", path)
			}
		}
	}
	_, err := open(ctx, project, &here, opening{look: do})
	return err
}
