package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/program"
	"github.com/frondhost/frond/schema"
)

// errFound says that check found faults and has written them.
var errFound = fmt.Errorf("there are faults: %w", program.ErrReported)

// finding is a fault or a notice, as check writes it.
type finding struct {
	File    string `json:"file,omitempty"`
	Pointer string `json:"pointer,omitempty"`
	Message string `json:"message"`
	Remedy  string `json:"remedy,omitempty"`
}

func newCheck(s *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check [DIR]",
		Short: "Find everything that is wrong with a project",
		Long: `Read the project, build every surface and write its seeds into memory; what is
wrong is listed at once, and the project's own rows are not touched. Whatever would stop
"frond gateway" or "frond serve" is a fault, and the command leaves with 2.
Operations that nothing in this program answers are notices: a Go program of
yours, or a remote, may answer them. So are, with --program, generators and
conversions that this program does not have; seeds are then not tried. So is what
cards say without effect, and what is left out of what a remote tells, such as a
relation that none of its operations answers.

Where the cards hold, a table says who may do what: door by door, the rules in the
order they are asked. A door that everybody may use and that nobody called open is a
fault; in mode: development, a notice.

With a frond.lock in the project's folder, a REST path that would change is a
fault. --pin writes that file.`,
		Example: "  frond check examples/shop\n  frond check examples/shop --pin",
		Args:    arguments(0, 1, "one folder"),
	}
	dir := cmd.Flags().String("dir", ".", "the project's folder")
	pin := cmd.Flags().Bool("pin", false, "write the REST paths of today to frond.lock")
	program := cmd.Flags().Bool("program", false, "a Go program of yours runs the project, and has generators and conversions of its own")
	settings := addSettings(cmd, "mode", "remotes", "vendor")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			*dir = args[0]
		}
		var notices []finding
		if *program {
			settings.Unregistered = func(f schema.Fault) { notices = append(notices, unregistered(f)) }
		}
		gw, err := s.dryRun(settings, *dir)
		if err != nil {
			return s.found(faultsOf(err), notices, nil)
		}
		defer func() { _ = gw.Close() }() // a store in memory, which nobody will miss
		catalog := gw.Catalog()
		table := catalog.Access()
		if *pin {
			if err := writePins(*dir, catalog); err != nil {
				return err
			}
		}
		faults, unpinned := checkPins(*dir, catalog)
		for _, f := range facade.Undecided(table) {
			if open := finding(f); gw.Development() {
				notices = append(notices, open)
			} else {
				faults = append(faults, open)
			}
		}
		notices = append(append(notices, unpinned...), unanswered(catalog)...)
		for _, note := range catalog.Notes {
			notices = append(notices, finding(note))
		}
		return s.found(faults, append(notices, away(gw.Remotes())...), table)
	}
	return cmd
}

// dryRun builds the whole gateway over a store in memory, with settings changed for it.
func (s *shell) dryRun(settings *settings, dir string, changes ...func(*gateway.Config)) (*gateway.Gateway, error) {
	project, config, err := settings.load(s, dir)
	if err != nil {
		return nil, err
	}
	config.Store = "memory"
	for _, change := range changes {
		change(config)
	}
	return gateway.New(project, &gateway.Options{Config: *config, Logger: s.quiet(config), Unregistered: settings.Unregistered, Undecided: true})
}

// unregistered is a generator or a conversion that this program does not have, for
// a command that runs neither.
func unregistered(f schema.Fault) finding {
	f.Remedy = "register it in the Go program that runs this project; frond gateway does not have it"
	return finding(f)
}

// found writes what there is, and who may do what where that is known; an error where
// some of it is a fault.
func (s *shell) found(faults, notices []finding, table []facade.Access) error {
	if s.json {
		text, err := json.Marshal(struct {
			Faults  []finding       `json:"faults"`
			Notices []finding       `json:"notices"`
			Access  []facade.Access `json:"access"`
		}{append([]finding{}, faults...), append([]finding{}, notices...), append([]facade.Access{}, table...)})
		if err != nil {
			return err
		}
		if err := s.write(text); err != nil {
			return err
		}
	} else {
		for _, f := range append(faults, notices...) {
			fmt.Fprintln(s.out, schema.Fault(f).Error())
		}
		writeAccess(s.out, table)
		fmt.Fprintf(s.talk, "%s, %s\n", count(len(faults), "fault"), count(len(notices), "notice"))
	}
	if len(faults) > 0 {
		return errFound
	}
	return nil
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// unanswered are the operations that would say NOT_IMPLEMENTED.
func unanswered(catalog *facade.Catalog) (notices []finding) {
	for _, frond := range catalog.Fronds {
		for _, door := range frond.Doors {
			for _, op := range door.Operations {
				if !op.Answered {
					notices = append(notices, finding{
						File: door.Origin, Message: fmt.Sprintf("%s.%s is answered by nothing in this program", door.Name, op.Name),
						Remedy: "attach a handler in a Go program, or name the Frond in remotes",
					})
				}
			}
		}
	}
	return notices
}

// away says of each Frond that runs elsewhere what is known of it.
func away(remotes []gateway.RemoteState) (notices []finding) {
	for _, r := range remotes {
		f := finding{File: "remotes/" + r.Frond, Message: r.Frond + " runs at " + r.URL + " and has told what it serves"}
		switch {
		case r.Failed == nil && r.Unusable != "":
			f.Message = fmt.Sprintf("%s runs at %s and is left out: %s", r.Frond, r.URL, r.Unusable)
			f.Remedy = "rename the entity here or there; the log of a gateway says which"
		case r.Failed != nil:
			f.Message = fmt.Sprintf("%s runs at %s, which does not tell what it serves: %s", r.Frond, r.URL, r.Failed.Message)
			f.Remedy = "start it there, or correct the address; a gateway starts without it and takes it up when it comes"
		}
		notices = append(notices, f)
	}
	return notices
}

// faultsOf takes apart what a start failed with.
func faultsOf(err error) (found []finding) {
	switch err := err.(type) { //nolint:errorlint // it walks the tree itself
	case schema.Faults:
		for _, f := range err {
			found = append(found, finding(f))
		}
	case schema.Fault:
		found = append(found, finding(err))
	case interface{ Unwrap() []error }:
		for _, e := range err.Unwrap() {
			found = append(found, faultsOf(e)...)
		}
	default:
		found = append(found, finding{Message: err.Error()})
	}
	return found
}
