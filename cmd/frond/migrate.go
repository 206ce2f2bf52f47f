package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/store/migration"
)

// newMigrate is frond migrate, whose commands compare the cards of a project with the tables of
// its store (docs/migrations.md).
//
//	plan     0 no step is due, or apply would take it   1 a step is refused
//	         with --check: 0 no step is due             1 a step is due
//	apply    0 it is done                               1 a step is refused, and the store is unchanged
//	status   0
//	all      2 faults in cards or settings, a store that cannot be opened
//	         3 a server that cannot be reached
func newMigrate(s *shell) *cobra.Command {
	cmd := newCommand("migrate", 0, -1, "commands")
	cmd.RunE = helpOrUnknown
	cmd.AddCommand(newMigratePlan(s), newMigrateApply(s), newMigrateStatus(s))
	return cmd
}

// migrating are the flags of plan and apply, and the settings that say where the store is.
type migrating struct {
	settings *settings
	options  gateway.MigrateOptions
}

// addMigrating adds the flags.
func addMigrating(s *shell, cmd *cobra.Command) *migrating {
	m := &migrating{settings: addSettings(s, cmd, "store", "remotes", "vendor", "mode", "migrate")}
	cmd.Flags().BoolVar(&m.options.Physical, "physical", false, "rename tables and columns in the database too, as frond.yaml has renamed them")
	cmd.Flags().StringArrayVar(&m.options.Drop, "drop", nil, "let a column go with its values: ENTITY.FIELD; may be given again")
	cmd.Flags().StringArrayVar(&m.options.Convert, "convert", nil, "let values be converted with a loss: ENTITY.FIELD; may be given again")
	return m
}

// tables loads the project in the folder of the arguments.
func (m *migrating) tables(args []string) (*facade.Project, *gateway.Options, error) {
	m.settings.dir = folder(args)
	return m.settings.tables()
}

func newMigratePlan(s *shell) *cobra.Command {
	cmd := newCommand("plan", 0, 1, "one folder")
	m := addMigrating(s, cmd)
	sql := cmd.Flags().Bool("sql", false, "write the steps as SQL")
	check := cmd.Flags().Bool("check", false, "leave with 1 if there is any step")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *sql && s.json {
			return errors.New("--sql and --json exclude each other; write one of them")
		}
		project, opts, err := m.tables(args)
		if err != nil {
			return err
		}
		plan, err := gateway.PlanMigration(cmd.Context(), project, opts, &m.options)
		if err != nil {
			return err
		}
		if err := s.writePlan(plan, *sql); err != nil {
			return err
		}
		s.unused(plan, m.options)
		if refused := plan.Refused(); len(refused) > 0 {
			return gateway.Broken(fmt.Errorf("%s refused; apply would change no table", are(len(refused), "step")))
		}
		if *check && len(plan.Steps) > 0 {
			return gateway.Broken(fmt.Errorf("the store does not fit the cards: %s to do; run frond migrate apply", are(len(plan.Steps), "step")))
		}
		return nil
	}
	return cmd
}

func newMigrateApply(s *shell) *cobra.Command {
	cmd := newCommand("apply", 0, 1, "one folder")
	m := addMigrating(s, cmd)
	additive := cmd.Flags().Bool("additive", false, "take only the steps that a start would take")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *additive && m.options.Physical {
			return errors.New("--additive and --physical exclude each other; a start never renames in the database")
		}
		project, opts, err := m.tables(args)
		if err != nil {
			return err
		}
		m.options.Start = *additive
		m.options.Progress = progress(s.stderr)
		plan, err := gateway.Migrate(cmd.Context(), project, opts, &m.options)
		var refused migration.Refused
		if errors.As(err, &refused) {
			return gateway.Broken(refused)
		}
		if err != nil {
			return err
		}
		s.unused(plan, m.options)
		return s.writePlan(plan, false)
	}
	return cmd
}

func newMigrateStatus(s *shell) *cobra.Command {
	cmd := newCommand("status", 0, 1, "one folder")
	m := &migrating{settings: addSettings(s, cmd, "store", "remotes", "vendor", "mode", "migrate")}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		project, opts, err := m.tables(args)
		if err != nil {
			return err
		}
		plan, done, err := gateway.Migrations(cmd.Context(), project, opts, 10)
		if err != nil {
			return err
		}
		counts := map[migration.Effect]int{migration.Online: 0, migration.Slow: 0, migration.Loses: 0}
		for _, step := range plan.Steps {
			counts[step.Effect]++
		}
		if s.json {
			return s.writeValue(map[string]any{"applied": append([]migration.Entry{}, done...), "pending": counts, "refused": len(plan.Refused()), "notices": append([]string{}, plan.Notices...)})
		}
		for _, entry := range done {
			for _, step := range entry.Steps {
				name := step.Entity
				if step.Field != "" {
					name += "." + step.Field
				}
				fmt.Fprintf(s.out, "%s  %-18s  %s\n", entry.At, step.Op, name)
			}
		}
		_, err = fmt.Fprintf(s.out, "left to do: %s (%d online, %d slow, %d lose data), %d refused\n", count(len(plan.Steps), "step"), counts[migration.Online], counts[migration.Slow], counts[migration.Loses], len(plan.Refused()))
		return err
	}
	return cmd
}

// writePlan writes a plan to stdout.
func (s *shell) writePlan(plan *migration.Plan, sql bool) error {
	switch {
	case sql:
		return plan.WriteSQL(s.out)
	case s.json:
		return s.writeValue(plan)
	}
	return plan.WriteText(s.out)
}

// unused warns about flags that match no step: they may be misspelled, or applied before.
func (s *shell) unused(plan *migration.Plan, o gateway.MigrateOptions) {
	for flag, names := range map[string][]string{migration.DropFlag: o.Drop, migration.ConvertFlag: o.Convert} {
		for _, name := range names {
			if !plan.Concerns(name) {
				fmt.Fprintf(s.stderr, "frond: %s %s concerns no step of the plan\n", flag, name)
			}
		}
	}
}

// progress writes how far a copy is, every two seconds.
func progress(w io.Writer) func(table string, done, total int64) {
	said := time.Now()
	return func(table string, done, total int64) {
		if time.Since(said) < 2*time.Second {
			return
		}
		said = time.Now()
		fmt.Fprintf(w, "%s: %d of %d rows\n", table, done, total)
	}
}

// are is a number of things with its verb: 1 step is, 2 steps are.
func are(n int, what string) string {
	if n == 1 {
		return count(n, what) + " is"
	}
	return count(n, what) + " are"
}
