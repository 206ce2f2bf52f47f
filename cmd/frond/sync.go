package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/cmd/frond/contract"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema"
)

// newSync is frond sync. The exit code is 1 if --check finds a difference. A host that does not
// answer is exit code 3; a conflicting file is 2, and no file is written.
func newSync(s *shell) *cobra.Command {
	cmd := newCommand("sync", 1, 1, "one Frond")
	var from hostFlags
	var dir, golang, pkg string
	flags := cmd.Flags()
	from.add(cmd)
	flags.StringVar(&dir, "dir", ".", "the project's folder")
	flags.StringVar(&golang, "go", "", "write a Go package with the Frond's types and a client into this folder")
	flags.StringVar(&pkg, "package", "", "the name of that package (default: made of the folder's)")
	from.addKey(cmd)
	check := flags.Bool("check", false, "write no files; exit with 1 if a file would change")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		// Before the host is asked: a mistake in the flags needs no network.
		if pkg != "" && golang == "" {
			return errors.New("--package names a Go package, and none is written; say where with --go")
		}
		document, frond, err := from.fetch(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		plan, changes, err := planSync(dir, from.url, frond)
		if err != nil {
			return err
		}
		// All plans are made before anything is written: a file in the way of the second stops
		// the first, too.
		plans := []*contract.Plan{plan}
		if golang != "" {
			// The whole document is read, since relations lead into other Fronds of the host.
			model, err := contract.ReadDiscovered(document, frond.Name)
			if err != nil {
				return err
			}
			files, err := model.Go(cmp.Or(pkg, contract.GoPackage(filepath.Base(golang))))
			if err != nil {
				return err
			}
			plan, err := contract.NewPlan(golang, contract.ManifestFile, files, nil)
			if err != nil {
				return err
			}
			plans = append(plans, plan)
		}
		return s.apply(plans, changes, *check, "the host's catalog")
	}
	return cmd
}

// planSync compares a Frond of a host with the Frond's folder in a project. It compares the
// documents, not the files: another format of a file is no change. nil before: everything is
// new.
func planSync(dir, url string, frond *schema.DiscoveredFrond) (*contract.Plan, []contract.Change, error) {
	if err := checkFolder(dir, frond.Name); err != nil {
		return nil, nil, err
	}
	files, err := contract.Layout(frond)
	if err != nil {
		return nil, nil, fmt.Errorf("the cards of %[2]s at %[1]s cannot be used here:\n%[3]w", url, frond.Name, err)
	}
	folder := filepath.Join(dir, "fronds", frond.Name)
	before, err := lastSynced(folder)
	if err != nil {
		return nil, nil, err
	}
	plan, err := contract.NewPlan(folder, project.SyncedFile, files, frond)
	return plan, contract.Changes(before, frond), err
}

// checkFolder reports why a Frond cannot be written into a project. The folder of the project
// has to exist; fronds/FROND is made. A frond.yaml in it stays, and has the decisions of this project over the remote's doors.
func checkFolder(dir, frond string) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("%s is not a folder; name a project's folder with --dir, or make it", dir)
	}
	there := func(name string) bool {
		_, err := os.Stat(filepath.FromSlash(name))
		return err == nil
	}
	dir = filepath.ToSlash(dir)
	for _, name := range []string{"entities", "frond.yaml", "frond.yml", "frond.json"} {
		if there(path.Join(dir, name)) {
			return fmt.Errorf("%s has %s at its root, and a project has either one Frond there or a folder fronds/; move it to fronds/NAME/", dir, name)
		}
	}
	var faults schema.Faults
	folder := path.Join(dir, "fronds", frond)
	for _, name := range []string{"frond.yaml", "frond.yml"} {
		name = path.Join(folder, name)
		text, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			continue
		}
		if there(path.Join(folder, "entities")) && !there(path.Join(folder, project.SyncedFile)) {
			faults = append(faults, schema.Fault{File: name, Message: "this Frond is written by hand, and the synced one would be beside it", Remedy: "move it to another folder, or sync into another project"})
			continue
		}
		_, found := project.ReadBeside(project.Text{File: name, Data: text})
		faults = append(faults, found...)
	}
	return faults.Err()
}

// lastSynced is the host's catalog of the Frond when the folder was written; nil: it was not. A
// list that cannot be read is an error: without it the generated files are unknown.
func lastSynced(dir string) (*schema.DiscoveredFrond, error) {
	name := filepath.Join(dir, project.SyncedFile)
	text, err := os.ReadFile(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	before, err := project.ReadSynced(filepath.ToSlash(name), text)
	if err != nil {
		return nil, err
	}
	return before.Frond, nil
}

// apply writes changes to stdout and then the files of the plans to their folders. With check
// no file is written, and a plan with changes is an error, which names the source of the plans.
//
//	equal                exit code 0, "nothing changed"
//	something differs    exit code 0, and the folders are up to date
//	with check           exit code 1, and the folders are as before
//
// With --json stdout is {"changes": […]}, an empty list without changes.
func (s *shell) apply(plans []*contract.Plan, changes []contract.Change, check bool, source string) error {
	if s.json {
		if err := s.writeValue(map[string][]contract.Change{"changes": append([]contract.Change{}, changes...)}); err != nil {
			return err
		}
	} else {
		for _, change := range changes {
			if _, err := io.WriteString(s.out, change.String()+"\n"); err != nil {
				return err
			}
		}
	}
	// The count is of files, not of changes: one change of a card may affect several.
	written, removed := 0, 0
	for _, p := range plans {
		written, removed = written+len(p.Write), removed+len(p.Remove)
	}
	if written+removed == 0 {
		fmt.Fprintln(s.stderr, "nothing changed")
		return nil
	}
	if check {
		return gateway.Broken(fmt.Errorf("the files differ from %s; run the same command without --check", source))
	}
	// The first plan that fails ends the command. A second run completes it, since equal files
	// do not conflict.
	for _, p := range plans {
		if err := p.Apply(); err != nil {
			return err
		}
	}
	fmt.Fprintf(s.stderr, "%s written, %d removed\n", count(written, "file"), removed)
	return nil
}
