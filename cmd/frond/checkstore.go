package main

import (
	"context"
	"strings"

	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/store/migration"
)

// meets compares the store with the cards. A step that no start and no flag of apply takes is a
// fault; a step that a start takes, leaves, or refuses until apply has its flag is added to notices.
// Faults of the cards are those of the dry run, and not repeated here.
func (s *shell) meets(ctx context.Context, settings *settings, dir string, notices []finding) (faults, all []finding) {
	here := *settings
	project, opts, err := here.tables(s, dir) //nolint:contextcheck // compiling a project does not wait
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
		switch {
		case step.Start == migration.Refuses && strings.HasPrefix(step.Flag, migration.ConvertFlag):
			f.Message = step.Where() + ": a start cannot " + step.Does + ": " + step.Reason
			f.Remedy = "run frond migrate apply " + step.Flag + " before it, or keep the type"
		case step.Start == migration.Refuses:
			faults = append(faults, finding{File: "store", Message: step.Where() + ": cannot " + step.Does + ": " + step.Reason, Remedy: step.Remedy})
			continue
		case step.Start == migration.Leaves:
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
