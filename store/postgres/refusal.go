package postgres

import (
	"fmt"
	"strings"
)

// Refusal is one step of a Prepare that could lose data, or cannot hold for the rows that are
// there, with what its author can do.
//
//	table post, column title: cannot make the column never null: 3 rows hold null; give those rows a value first, or …
type Refusal struct {
	// Step is what the cards ask for: make the column never null.
	Step  string
	Table string
	// Column is "" for the table itself.
	Column string
	// Reason is what stands against it, and Remedy what the author can do.
	Reason, Remedy string
}

// Error returns the refusal on one line.
func (r Refusal) Error() string {
	where := "table " + r.Table
	if r.Column != "" {
		where += ", column " + r.Column
	}
	return fmt.Sprintf("%s: cannot %s: %s; %s", where, r.Step, r.Reason, r.Remedy)
}

// Refused is the error of a Prepare that changed nothing: every refusal at once, one a line.
type Refused []Refusal

// Error lists every refusal, one a line.
func (r Refused) Error() string {
	lines := make([]string, len(r))
	for i, one := range r {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}
