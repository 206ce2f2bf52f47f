package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/facade/rights"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema/jsontext"
)

// newTest is frond test.
//
//	stdout   each check of the rights.yaml files: text, TAP, JUnit or JSON; with --record the names of the written files
//	0        all checks pass
//	1        a check fails, or the coverage is below --min
//	2        a fault of a rights.yaml or of the project
func newTest(s *shell) *cobra.Command {
	cmd := newCommand("test", 0, 1, "one folder")
	settings := addSettings(s, cmd, callSettings...)
	flags := cmd.Flags()
	coverage := flags.Bool("coverage", false, "list the rules, hidden fields and refusals that no check tries")
	least := flags.Int("min", 0, "the least coverage in percent; below it the exit code is 1")
	record := flags.String("record", "", `write the rights of a caller as they are now, such as {"user":{"id":"ada"}}, or null for an anonymous caller, into the rights.yaml files`)
	format := flags.String("format", "text", "text, tap, junit or json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		settings.dir = folder(args)
		write, ok := testFormats[*format]
		switch {
		case !ok:
			return fmt.Errorf("--format cannot be %q; write text, tap, junit or json", *format)
		case *least < 0 || *least > 100:
			return fmt.Errorf("--min cannot be %d; write a percentage, 0 to 100", *least)
		}
		read, config, err := settings.load()
		if err != nil {
			return err
		}
		callers, err := project.ReadRights(read.Fronds)
		if err != nil {
			return err
		}
		if len(callers) == 0 && *record == "" {
			return errors.New(`no Frond of the project has a rights.yaml; write one (docs/rights.md), or let frond test --record '{"user":{"id":"ada"}}' write it`)
		}
		if !cmd.Flags().Changed("store") {
			config.KeepInMemory()
			for _, f := range read.Fronds {
				if !f.Foreign && !f.IsBeside() {
					delete(config.Remotes, f.Name) // it is tested here, with its seeds
				}
			}
		}
		opts := &gateway.Options{Config: *config, Logger: s.logger(config), Undecided: true}
		var report *rights.Report
		err = gateway.WithRows(cmd.Context(), read, opts, func(ctx context.Context, f *facade.Facade) error {
			if *record != "" {
				return s.record(ctx, f, read.Fronds, settings.dir, *record)
			}
			report = rights.Run(ctx, f, callers)
			return nil
		})
		switch {
		case err != nil || *record != "":
			return unfit(err)
		case s.json:
			write = testFormats["json"]
		}
		if err := write(s, report, *coverage); err != nil {
			return err
		}
		return tested(report, *least)
	}
	return cmd
}

// tested is the error of a report that does not pass.
func tested(report *rights.Report, least int) error {
	if n := report.Count(rights.Failed); n > 0 {
		return gateway.Broken(errors.New(count(n, "check") + " failed"))
	}
	if n := report.Count(rights.Fault); n > 0 {
		return errors.New(count(n, "check") + " cannot fail or cannot be made; correct the file")
	}
	if is := report.Coverage.Percent(); is < least {
		return gateway.Broken(fmt.Errorf("the coverage is %d %%, and --min is %d; frond test --coverage lists what no check tries", is, least))
	}
	return nil
}

// record writes the rights of a caller into the rights.yaml of each Frond, behind the entries that are there.
func (s *shell) record(ctx context.Context, of *facade.Facade, fronds []*project.Frond, dir, caller string) error {
	var state map[string]any
	if text := []byte(caller); jsontext.Check(text) != nil || json.Unmarshal(text, &state) != nil {
		return fmt.Errorf(`--record is no state; write such as '{"user":{"id":"ada"}}', or null for an anonymous caller`)
	}
	files := map[string]string{}
	for _, f := range fronds {
		entry := rights.Record(ctx, of, f.Name, state)
		if entry == nil {
			continue
		}
		after := *f
		after.Rights.File = cmp.Or(f.Rights.File, path.Join(f.Dir, "rights.yaml"))
		after.Rights.Data = append(slices.Clone(f.Rights.Data), entry...)
		before, err := project.ReadRights([]*project.Frond{f})
		if err != nil {
			return err
		}
		if all, err := project.ReadRights([]*project.Frond{&after}); err != nil || len(all) != len(before)+1 {
			return fmt.Errorf("%s takes no further entry; write its entries in lines that begin with a hyphen", after.Rights.File)
		}
		files[after.Rights.File] = string(after.Rights.Data)
	}
	if len(files) == 0 {
		return errors.New("no door of the project has access rules and rows, so that there is nothing to record")
	}
	names, err := writeFiles(dir, files)
	if err != nil {
		return err
	}
	return s.say(map[string]any{"files": names}, "wrote "+strings.Join(names, ", "))
}
