package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Fault is one mistake in a file that an author wrote: a card, a frond.yaml, a gateway.yaml. It
// fails the start; it is never sent to a caller.
//
//	fronds/catalog/entities/product.yaml#/properties/price/type: this is not a type; write number
type Fault struct {
	File    string // as the author would name it: fronds/catalog/entities/product.yaml
	Pointer string // RFC 6901 into that file; "" for the file itself
	Message string // the problem, in one sentence
	Remedy  string // the text to write instead
}

// TwoOwners is the part of a fault's message that reports a name claimed by two sources. Other
// packages write it in their messages, so that [Claims] recognises those too.
const TwoOwners = "has two owners"

// Claims says whether err, or an error in its chain, is Faults of which one is about a name
// with [TwoOwners].
func Claims(err error) bool {
	var faults Faults
	return errors.As(err, &faults) && slices.ContainsFunc(faults, func(f Fault) bool { return strings.Contains(f.Message, " "+TwoOwners+": ") })
}

// Error returns the fault on one line: file#pointer: message; remedy. Parts that are empty are
// left out.
func (f Fault) Error() string {
	var b strings.Builder
	if b.WriteString(f.File); f.Pointer != "" {
		fmt.Fprintf(&b, "#%s", f.Pointer)
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	b.WriteString(f.Message)
	if f.Remedy != "" {
		fmt.Fprintf(&b, "; %s", f.Remedy)
	}
	return b.String()
}

// Faults are all the faults of a set of files. [Compile] returns them in the order of file and
// pointer, none twice; readers of one file in the order of the text. Errors that are Faults
// are found by errors.As.
type Faults []Fault

// Error lists every fault, one a line.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.Error()
	}
	return strings.Join(lines, "\n")
}

// Err returns f, or nil if f is empty: an empty Faults as an error would not equal nil.
func (f Faults) Err() error {
	if len(f) == 0 {
		return nil
	}
	return f
}
