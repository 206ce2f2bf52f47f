package main

import (
	"fmt"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/gateway/program"
	"github.com/frondhost/frond/schema"
)

// errFound: there are faults, and they are written.
var errFound = fmt.Errorf("there are faults: %w", program.ErrReported)

// finding is a fault or a notice, as check writes it.
//
//	{"file": "fronds/shop/entities/order.json", "pointer": "/properties/total", "message": "…", "remedy": "…"}
type finding struct {
	File    string `json:"file,omitempty"`
	Pointer string `json:"pointer,omitempty"`
	Message string `json:"message"`
	Remedy  string `json:"remedy,omitempty"`
}

// unregistered is a generator or a conversion that this program does not have, for a command
// that runs neither. The remedy of a start is to correct the name; here the author's own
// program may have it.
func unregistered(f schema.Fault) finding {
	f.Remedy = "register it in the Go program that runs this project; frond gateway does not have it"
	return finding(f)
}

// report writes findings, and the table of rights if it is known. The error is errFound if
// there are faults. Faults come first. Lists are empty in JSON and not null, so that a program
// needs no case for them.
func (s *shell) report(faults, notices []finding, table, facts []catalog.Access) error {
	if s.json {
		if err := s.writeValue(struct {
			Faults  []finding        `json:"faults"`
			Notices []finding        `json:"notices"`
			Access  []catalog.Access `json:"access"`
			Facts   []catalog.Access `json:"facts"`
		}{append([]finding{}, faults...), append([]finding{}, notices...), append([]catalog.Access{}, table...), append([]catalog.Access{}, facts...)}); err != nil {
			return err
		}
	} else {
		for _, f := range append(faults, notices...) {
			fmt.Fprintln(s.out, schema.Fault(f).Error())
		}
		writeAccess(s.out, table)
		writeAccess(s.out, facts)
		fmt.Fprintf(s.stderr, "%s, %s\n", count(len(faults), "fault"), count(len(notices), "notice"))
	}
	// Notices alone leave with 0.
	if len(faults) > 0 {
		return errFound
	}
	return nil
}

// faultsOf lists the faults in the error of a start. Any other error becomes a fault with a
// message alone, so that every error is listed.
func faultsOf(err error) (found []finding) {
	// A start joins the errors of its parts, each of which may be a list of faults.
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
