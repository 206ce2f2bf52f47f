package main

import (
	"fmt"
	"io"

	"github.com/frondhost/frond/cmd/frond/contract"
	"github.com/frondhost/frond/gateway/program"
)

// apply writes changes to stdout and then what the plans write to their folders. With
// check nothing is written, and a plan that is not empty is an error, which names the
// source of the plans.
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
	written, removed := 0, 0
	for _, p := range plans {
		written, removed = written+len(p.Write), removed+len(p.Remove)
	}
	if written+removed == 0 {
		fmt.Fprintln(s.stderr, "nothing changed")
		return nil
	}
	if check {
		return program.Broken(fmt.Errorf("this is not what %s; run the same command without --check", source))
	}
	for _, p := range plans {
		if err := p.Apply(); err != nil {
			return err
		}
	}
	fmt.Fprintf(s.stderr, "%s written, %d removed\n", count(written, "file"), removed)
	return nil
}
