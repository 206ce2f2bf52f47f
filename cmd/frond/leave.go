package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/frondhost/frond/facade"
)

// What the program leaves with (DESIGN 9).
const (
	allWell     = 0
	failed      = 1 // the operation failed, or the service did while it ran
	usage       = 2 // how the program was called, or what a project says
	unreachable = 3 // a host that does not answer
)

// broken is an error of a service that had started well.
type broken struct{ error }

func (b broken) Unwrap() error { return b.error }

// leave writes what went wrong and says what to leave with.
func (s *shell) leave(err error) int {
	var kit *facade.Error
	var ran broken
	switch {
	case err == nil:
		return allWell
	case errors.Is(err, errFound):
		return usage // the faults are written already
	case errors.As(err, &kit):
		if text, jerr := json.Marshal(kit); jerr == nil {
			fmt.Fprintf(s.talk, "%s\n", text)
		} else {
			fmt.Fprintf(s.talk, "frond: %v\n", kit)
		}
		if unreached(kit) {
			return unreachable
		}
		return failed
	case errors.As(err, &ran):
		fmt.Fprintf(s.talk, "frond: %v\n", err)
		return failed
	}
	if text := err.Error(); strings.Contains(text, "\n") {
		fmt.Fprintf(s.talk, "frond: this cannot start:\n%s\n", text)
	} else {
		fmt.Fprintf(s.talk, "frond: %s\n", text)
	}
	return usage
}

// unreached tells a trip that failed from a host that answered with a failure:
// only the first has the network's error as its cause.
func unreached(err error) bool {
	var trip net.Error
	return errors.As(err, &trip)
}

// write writes data: indented for a reader, on one line with --json.
func (s *shell) write(text []byte) error {
	var b bytes.Buffer
	if s.json {
		if err := json.Compact(&b, text); err != nil {
			return err
		}
	} else if err := json.Indent(&b, text, "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := s.out.Write(b.Bytes())
	return err
}
