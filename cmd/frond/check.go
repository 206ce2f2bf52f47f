package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/migration"
)

// newCheck is frond check. The exit code is 2 if there is a fault, as for a start that fails.
//
//	stdout   a line for each finding and the table of access; with --json
//	         {"faults": […], "notices": […], "access": […], "facts": […]}
//	stderr   how many there are
//	0        no fault, with or without notices
//	2        a fault
func newCheck(s *shell) *cobra.Command {
	cmd := newCommand("check", 0, 1, "one folder")
	pin := cmd.Flags().Bool("pin", false, "write the current REST paths to frond.lock")
	program := cmd.Flags().Bool("program", false, "a Go program of yours runs the project, and has generators and conversions of its own")
	settings := addProject(s, cmd, "mode", "remotes", "vendor", "store")
	across := &acrossHosts{setting: cmd.Flags().Lookup("remotes").Value}
	cmd.Flags().Lookup("remotes").Value, cmd.Flags().Lookup("remotes").NoOptDefVal = across, "true"
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			settings.dir = args[0]
		}
		var notices []schema.Fault
		if *program {
			settings.Unregistered = func(f schema.Fault) { notices = append(notices, unregistered(f)) }
		}
		var met []schema.Fault // by a start over the store
		if cmd.Flags().Changed("store") {
			met, notices = settings.meets(cmd.Context(), notices)
		}
		if across.asked {
			met = append(met, settings.orphans(cmd.Context())...)
		}
		gw, err := settings.dryRun()
		// Without a gateway there is neither a table nor a lock file to compare with.
		if err != nil {
			return s.report(faultsOf(err), notices, nil, nil)
		}
		defer func() { _ = gw.Close() }() // its store is in memory
		served := gw.Catalog()
		table, facts := served.Access, served.FactAccess
		// The file is written before it is compared: a change that --pin accepts is not a
		// fault of this run.
		if *pin {
			if err := writePins(settings.dir, served); err != nil {
				return err
			}
		}
		faults, unpinned := checkPins(settings.dir, served)
		if _, err := settings.callers(); err != nil {
			faults = append(faults, faultsOf(err)...)
		}
		if faults = append(faults, met...); !cmd.Flags().Changed("store") {
			faults = append(faults, settings.unset()...)
		}
		// In development an open door is convenient; in production it has to be declared.
		if open := catalog.Undecided(slices.Concat(table, facts)); gw.Development() {
			notices = append(notices, open...)
		} else {
			faults = append(faults, open...)
		}
		notices = slices.Concat(notices, unpinned, unanswered(served), served.Notes, served.Ended, served.Advice, refusals(served, gw.Refusals()), remoteNotices(gw.Remotes()))
		return s.report(faults, notices, table, facts)
	}
	return cmd
}

// callers reads the rights.yaml of every Frond. The error has their faults.
func (s *settings) callers() ([]*project.CallerRights, error) {
	read, err := readProject(s.dir, nil)
	if err != nil {
		return nil, nil //nolint:nilerr // the dry run reports it
	}
	return project.ReadRights(read.Fronds)
}

// unanswered lists the operations that would answer NOT_IMPLEMENTED. They are notices: a Go
// program may have the handlers that this one lacks.
func unanswered(served *catalog.Catalog) (notices []schema.Fault) {
	for op := range served.Operations() {
		if !op.Answered {
			notices = append(notices, schema.Fault{
				File: op.Door.Origin, Message: fmt.Sprintf("%s.%s has no handler in this program", op.Door.Name, op.Name),
				Remedy: "attach a handler in a Go program, or name the Frond in remotes",
			})
		}
	}
	return notices
}

// refusals lists the writes that a gateway with these remotes refuses, in the words of the refusal.
func refusals(served *catalog.Catalog, all []*kiterror.Error) (notices []schema.Fault) {
	for _, e := range all {
		message, remedy := e.Message, ""
		if at := strings.LastIndex(message, "; "); at > 0 {
			message, remedy = message[:at], message[at+2:]
		}
		notices = append(notices, schema.Fault{File: "remotes/" + served.Door(e.Entity).Frond.Name, Pointer: "/" + e.Entity + "/" + e.Operation, Message: message, Remedy: remedy})
	}
	return notices
}

// remoteNotices lists, for each remote Frond, the known facts about it. A remote that is down
// is not a fault: a gateway starts without it (docs/decisions/remotes.md).
func remoteNotices(remotes []gateway.RemoteState) (notices []schema.Fault) {
	for _, r := range remotes {
		f := schema.Fault{File: "remotes/" + r.Frond, Message: r.Frond + " runs at " + r.URL + " and has returned its catalog"}
		switch {
		case r.Failed == nil && r.Unusable != "":
			f.Message = fmt.Sprintf("%s runs at %s and is left out: %s", r.Frond, r.URL, r.Unusable)
			f.Remedy = "rename the entity here or there; the log of a gateway says which"
		case r.Failed != nil:
			f.Message = fmt.Sprintf("%s runs at %s, which does not return its catalog: %s", r.Frond, r.URL, r.Failed.Message)
			f.Remedy = "start it there, or correct the address; a gateway starts without it and adds it once it answers"
		}
		notices = append(notices, f)
	}
	return notices
}

// acrossHosts is the value of --remotes: without a value it asks for the rows that name rows of other hosts, with one it is the
// setting.
type acrossHosts struct {
	setting interface {
		Set(text string) error
		String() string
		Type() string
	}
	asked bool
}

// Set implements pflag.Value.
func (a *acrossHosts) Set(text string) error {
	if text == "true" {
		a.asked = true
		return nil
	}
	return a.setting.Set(text)
}

// String implements pflag.Value.
func (a *acrossHosts) String() string { return a.setting.String() }

// Type implements pflag.Value.
func (a *acrossHosts) Type() string { return a.setting.Type() }

// orphans lists, for each reference between hosts, the rows that name a row which its host does not have. A host that cannot be asked is
// a fault too.
func (s *settings) orphans(ctx context.Context) (faults []schema.Fault) {
	here := *s
	project, opts, err := here.tables() //nolint:contextcheck // compiling a project does not wait
	if err != nil {
		return nil // the dry run reports it
	}
	all, err := gateway.Orphans(ctx, project, opts)
	if err != nil {
		return faultsOf(err)
	}
	for _, o := range all {
		f := schema.Fault{File: "fronds/" + o.By.Owner.Frond, Pointer: "/" + o.By.Owner.Name + "/" + o.By.Name}
		switch {
		case o.Err != nil:
			f.Message, f.Remedy = fmt.Sprintf("the rows of %s and %s cannot be compared: %s", o.By.Owner.Name, o.By.Link.Target.Name, kiterror.AsError(o.Err).Message), "then run it again"
		case o.Count > 0:
			f.Message = fmt.Sprintf("%s of %s name a %s that its host does not have, such as %s", count(o.Count, "row"), o.By.Owner.Name, o.By.Link.Target.Name, strings.Join(o.Keys, ", "))
			f.Remedy = "delete or change them, or write the row that they name"
		case o.More:
			f.Message, f.Remedy = fmt.Sprintf("%s of %s were looked at, and there are more", count(o.Read, "row"), o.By.Owner.Name), "compare the other rows by calls of list"
		default:
			continue
		}
		faults = append(faults, f)
	}
	return faults
}

// unset returns the faults of a store and of replicas that unset variables name: a start is refused without them.
func (s *settings) unset() (faults []schema.Fault) {
	config, err := s.read()
	if err != nil {
		return nil // the dry run has reported it
	}
	for i, text := range append([]string{config.Store}, config.Replicas.URLs...) {
		pointer, what := "/store", "store"
		if i > 0 {
			pointer, what = "/store/replicas", "replica"
		}
		if name, isVariable := strings.CutPrefix(text, "env:"); isVariable && os.Getenv(name) == "" {
			faults = append(faults, schema.Fault{File: gateway.ConfigFile, Pointer: pointer, Message: "the variable " + name + " is not set", Remedy: "set " + name + " to the URL of the " + what})
		}
	}
	return faults
}

// meets compares the store with the cards. A step that no start and no flag of apply takes is a
// fault; a step that a start takes, leaves, or refuses until apply has its flag is added to notices.
// The dry run reports the faults of the cards, so they are not repeated here.
func (s *settings) meets(ctx context.Context, notices []schema.Fault) (faults, all []schema.Fault) {
	here := *s
	project, opts, err := here.tables() //nolint:contextcheck // compiling a project does not wait
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
		f := schema.Fault{File: "store", Message: step.Where() + ": a start would " + step.Does}
		switch {
		case step.Start == migration.Refuses && strings.HasPrefix(step.Flag, migration.ConvertFlag):
			f.Message = step.Where() + ": a start cannot " + step.Does + ": " + step.Reason
			f.Remedy = "run frond migrate apply " + step.Flag + " before it, or keep the type"
		case step.Start == migration.Refuses:
			faults = append(faults, schema.Fault{File: "store", Message: step.Where() + ": cannot " + step.Does + ": " + step.Reason, Remedy: step.Remedy})
			continue
		case step.Start == migration.Leaves:
			f.Message = step.Where() + ": a start leaves it as it is; frond migrate apply would " + step.Does
			f.Remedy = step.Remedy
		case step.Op == migration.DropNotNull || step.Op == migration.DropCheck:
			f.Remedy = "write values that the older cards do not allow once every gateway has these cards"
		}
		notices = append(notices, f)
	}
	for _, n := range plan.Notices {
		notices = append(notices, schema.Fault{File: "store", Message: "no card describes " + n + "; a start leaves it alone"})
	}
	return faults, notices
}
