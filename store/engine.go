package store

import (
	"context"
	"log/slog"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/migration"
)

// Engine opens the stores of one kind of server, for a program that links it.
type Engine interface {
	// CheckURL returns the fault of the URL of a store, as one sentence with its remedy and without the
	// password.
	CheckURL(url string) error
	// Open reads the options. Prepare opens connections.
	Open(o *EngineOptions) (Served, error)
}

// EngineOptions are the options of a store on a server.
type EngineOptions struct {
	URL      string
	Replicas []string      // URLs of copies that reads may go to
	LateBy   time.Duration // how far one may be behind to be read
	Logger   *slog.Logger
	// Statement and Transaction are the time limits of one statement, and of a transaction.
	Statement, Transaction time.Duration
	NameRules              bool          // an error names the rule that a caller broke
	Slow                   time.Duration // statements from here on are logged; 0: none
	// Measure is given the time of each statement; nil: no statement is counted.
	Measure func(time.Duration, facade.Failure)
}

// Served is a store that an engine has opened.
type Served interface {
	facade.Store
	Migrator
	Close() error
}

// Migrator is a store whose schema changes by plan.
type Migrator interface {
	// Plan returns the plan of Migrate without a change to the database.
	Plan(ctx context.Context, task *migration.Task) (*migration.Plan, error)
	// Migrate does it. The error is migration.Refused where a step is refused; the plan is
	// then returned with it.
	Migrate(ctx context.Context, task *migration.Task) (*migration.Plan, error)
	// History returns the latest steps, the last first.
	History(ctx context.Context, limit int) ([]migration.Entry, error)
}
