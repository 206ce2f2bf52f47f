package main

import (
	"context"

	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/store/migration"
)

// meets lists what a start over the store would meet: its refusals are faults, and what it
// would change or leave is added to notices. Faults of the cards are those of the dry run, and
// not repeated here.
func (s *shell) meets(ctx context.Context, settings *settings, dir string, notices []finding) (faults, all []finding) {
	here := *settings
	project, opts, err := here.tables(s, dir) //nolint:contextcheck // compiling a project waits for nothing
	if err != nil {
		return nil, notices
	}
	plan, err := gateway.PlanMigration(ctx, project, opts, &gateway.MigrateOptions{})
	if err != nil {
		for _, f := range faultsOf(err) {
			if f.File == "" {
				f.File = "store"
				faults = append(faults, f)
			}
		}
		return faults, notices
	}
	for i := range plan.Steps {
		step := &plan.Steps[i]
		f := finding{File: "store", Message: step.Where() + ": a start would " + step.Does}
		switch step.Start {
		case migration.Refuses:
			faults = append(faults, finding{File: "store", Message: step.Where() + ": cannot " + step.Does + ": " + step.Reason, Remedy: step.Remedy})
			continue
		case migration.Leaves:
			f.Message = step.Where() + ": a start leaves it as it is; frond migrate apply would " + step.Does
			f.Remedy = step.Remedy
		}
		notices = append(notices, f)
	}
	for _, n := range plan.Notices {
		notices = append(notices, finding{File: "store", Message: "no card describes " + n + "; a start leaves it alone"})
	}
	return faults, notices
}
