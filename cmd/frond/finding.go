package main

import (
	"fmt"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway/program"
	"github.com/frondhost/frond/schema"
)

// errFound: there are faults, and they are written.
var errFound = fmt.Errorf("there are faults: %w", program.ErrReported)

// finding is a fault or a notice, as check writes it.
type finding struct {
	File    string `json:"file,omitempty"`
	Pointer string `json:"pointer,omitempty"`
	Message string `json:"message"`
	Remedy  string `json:"remedy,omitempty"`
}

// unregistered is a generator or a conversion that this program does not have, for a
// command that runs neither.
func unregistered(f schema.Fault) finding {
	f.Remedy = "register it in the Go program that runs this project; frond gateway does not have it"
	return finding(f)
}

// report writes findings, and the table of who may do what where that is known. The
// error is errFound if there are faults.
func (s *shell) report(faults, notices []finding, table []facade.Access) error {
	if s.json {
		if err := s.writeValue(struct {
			Faults  []finding       `json:"faults"`
			Notices []finding       `json:"notices"`
			Access  []facade.Access `json:"access"`
		}{append([]finding{}, faults...), append([]finding{}, notices...), append([]facade.Access{}, table...)}); err != nil {
			return err
		}
	} else {
		for _, f := range append(faults, notices...) {
			fmt.Fprintln(s.out, schema.Fault(f).Error())
		}
		writeAccess(s.out, table)
		fmt.Fprintf(s.stderr, "%s, %s\n", count(len(faults), "fault"), count(len(notices), "notice"))
	}
	if len(faults) > 0 {
		return errFound
	}
	return nil
}

// faultsOf lists the faults in the error of a start.
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
