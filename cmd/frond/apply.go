package main

import (
	"fmt"
	"io"

	"github.com/frondhost/frond/cmd/frond/contract"
	"github.com/frondhost/frond/gateway/program"
)

// apply writes changes to stdout and then the files of the plans to their folders. With check
// no file is written, and a plan that is not empty is an error, which names the source of the
// plans.
//
//	nothing differs      exit code 0, "nothing changed"
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
		return program.Broken(fmt.Errorf("the files differ from %s; run the same command without --check", source))
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
