package gateway

import (
	"context"
	"errors"
	"os"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store"
	"github.com/frondhost/frond/store/migration"
)

// MigrateOptions of [PlanMigration] and [Migrate].
type MigrateOptions struct {
	// Start takes the steps of a start: the ones that the cards need and that lose no values.
	Start bool
	// Drop and Convert are the fields, as entity.field, whose columns may be dropped and whose
	// values may be converted with a loss.
	Drop, Convert []string
	// Physical gives tables and columns the names of the cards in the database too.
	Physical bool
	// Progress, if set, is called now and then while rows are copied.
	Progress func(table string, done, total int64)
}

// PlanMigration compares the cards of a project with the store that the settings name, and returns
// the steps that make the store fit. It does not change the store, or make a missing file.
func PlanMigration(ctx context.Context, project *facade.Project, opts *Options, m *MigrateOptions) (*migration.Plan, error) {
	return m.run(ctx, project, opts, false, store.Migrator.Plan)
}

// Migrate makes the store fit the cards, by all steps of the plan. If a step is refused, the
// error is migration.Refused. No gateway and no receiver may serve a store in a file during it.
func Migrate(ctx context.Context, project *facade.Project, opts *Options, m *MigrateOptions) (*migration.Plan, error) {
	return m.run(ctx, project, opts, true, store.Migrator.Migrate)
}

// run makes or applies a plan.
func (o *MigrateOptions) run(ctx context.Context, project *facade.Project, opts *Options, writes bool, do func(store.Migrator, context.Context, *migration.Task) (*migration.Plan, error)) (plan *migration.Plan, err error) {
	err = migrate(ctx, project, opts, writes, func(ctx context.Context, s store.Migrator, task *migration.Task) error {
		task.Start, task.Physical, task.Drop, task.Convert, task.Progress = o.Start, o.Physical, o.Drop, o.Convert, o.Progress
		plan, err = do(s, ctx, task)
		return err
	})
	return plan, err
}

// Migrations returns the past steps on the store, the last first, at most limit entries, and the
// plan of the remaining steps.
func Migrations(ctx context.Context, project *facade.Project, opts *Options, limit int) (plan *migration.Plan, done []migration.Entry, err error) {
	err = migrate(ctx, project, opts, false, func(ctx context.Context, s store.Migrator, task *migration.Task) error {
		if done, err = s.History(ctx, limit); err != nil {
			return err
		}
		plan, err = s.Plan(ctx, task)
		return err
	})
	return plan, done, err
}

// migrate compiles a project over its store and has look do something with its schema.
func migrate(ctx context.Context, project *facade.Project, opts *Options, writes bool, look func(context.Context, store.Migrator, *migration.Task) error) error {
	here := *opts.orDefaults()
	here.Undecided, here.Incomplete = true, true // who may do what is no matter of tables
	c := here.Config.withDefaults()
	path, memory, err := c.storeFile()
	switch {
	case err != nil || here.Store != nil: // open says what is wrong, and a server has no file
	case memory:
		return errInMemory
	case !writes:
		// Opening the store would make the file.
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			here.Config.Store = memoryStore
		}
	}
	_, err = open(ctx, project, &here, opening{serves: writes, migrate: look})
	return err
}

// look calls do with the store and the task of the project's entities.
func (h *Host) look(ctx context.Context, f *facade.Facade, do func(context.Context, store.Migrator, *migration.Task) error) error {
	if h.store.migrator == nil {
		return errors.New("the schema of this store is not this program's to change")
	}
	return do(ctx, h.store.migrator, h.task(f))
}

// task is the target of a migration for a façade: the entities whose rows are kept here.
func (h *Host) task(f *facade.Facade) *migration.Task {
	task := &migration.Task{Changes: f.Catalog().Changes, Entities: entities(f.Catalog())}
	task.Changes.Newest = h.config.Mode == Development
	return task
}

// prepare brings the schema of the store up to the entities whose rows are kept here, or with
// migrate: off sees that it is there.
func (h *Host) prepare(ctx context.Context, f *facade.Facade) error {
	if h.store.can.Prepare == nil {
		return nil
	}
	// A store in memory is empty at every start.
	unchanged := h.config.Migrate == MigrateOff && h.config.Store != memoryStore
	task := h.task(f)
	err := h.store.can.Prepare(ctx, task.Entities, task.Changes, unchanged)
	var differs migration.Differs
	if errors.As(err, &differs) {
		return schema.Fault{
			File: ConfigFile, Pointer: "/migrate", Message: "the store does not fit the cards, and migrate is off: " + differs.Error(),
			Remedy: "run frond migrate plan, and then frond migrate apply",
		}
	}
	return err
}
