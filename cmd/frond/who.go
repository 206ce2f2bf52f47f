package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/facade/who"
	"github.com/frondhost/frond/gateway"
)

// newWho is frond who. With --json stdout is a list of {rule, pointer, when, then, hides, operations, tests}.
//
//	0   also where no rule shows the row
//	1   the row, the door or the field is not there, or Go code decides
//	2   a project at fault, or a store that does not fit it
//	3   the store cannot be reached
func newWho(s *shell) *cobra.Command {
	cmd := newCommand("who", 2, 2, "an entity and the key of a row")
	settings := addProject(s, cmd, "store", "remotes", "vendor", "mode")
	field := cmd.Flags().String("field", "", "only rules that show this field of the row")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		project, opts, err := settings.tables()
		if err != nil {
			return err
		}
		callers, err := namedCallers(project)
		if err != nil {
			return err
		}
		var rules []who.Rule
		err = gateway.WithRows(cmd.Context(), project, opts, func(ctx context.Context, f *facade.Facade) (err error) {
			rules, err = who.Shows(ctx, f, args[0], args[1], &who.Options{Field: *field, Callers: callers})
			return err
		})
		switch failed := (*kiterror.Error)(nil); {
		case errors.As(err, &failed):
			return failed
		case err != nil:
			return unfit(err)
		case s.json:
			return s.writeValue(rules)
		}
		return s.writeRules(args[0]+" "+args[1], *field, rules)
	}
	return cmd
}

// namedCallers returns the callers of the files rights.yaml of a project.
func namedCallers(of *facade.Project) (all []who.Caller, err error) {
	rights, err := project.ReadRights(of.Fronds)
	for _, r := range rights {
		all = append(all, who.Caller{Name: r.Name, State: r.As})
	}
	return all, err
}

// writeRules writes the rules that show a row for a reader.
//
//	order o1
//	rule 0  every caller with "staff" in user.roles
//	        may     list, findById, update, delete
//	rule 1  a caller with user.id != nil where user.id is c1
//	        hidden  internalNote
//	        may     list, findById
func (s *shell) writeRules(row, field string, rules []who.Rule) error {
	var b strings.Builder
	if field != "" {
		row = field + " of " + row
	}
	fmt.Fprintln(&b, row)
	if len(rules) == 0 {
		fmt.Fprintln(&b, "no rule shows it: no caller sees it")
	}
	for _, r := range rules {
		name := "open   "
		if r.Rule != nil {
			name = fmt.Sprintf("rule %-2d", *r.Rule)
		}
		callers, then := "every caller", strings.Join(r.Then, " and ")
		if then != "" {
			callers = "a caller"
		}
		if r.When != "" {
			callers += " with " + r.When
		}
		if then != "" {
			callers += " where " + then
		}
		fmt.Fprintf(&b, "%s %s\n", name, callers)
		for _, line := range []struct {
			word  string
			names []string
		}{{"hidden", r.Hides}, {"may", r.Operations}, {"tests", r.Tests}, {"at", []string{r.Pointer}}} {
			if len(line.names) > 0 && line.names[0] != "" {
				fmt.Fprintf(&b, "        %-7s %s\n", line.word, strings.Join(line.names, ", "))
			}
		}
	}
	if len(rules) > 1 {
		fmt.Fprintln(&b, "for each operation the first rule whose when holds decides, also one that is not listed here")
	}
	_, err := io.WriteString(s.out, b.String())
	return err
}
