package sqlite

import (
	"fmt"
	"strings"
)

// Refusal is one step of a migration that would lose data, or cannot hold for the rows that
// are there, with what its author can do.
type Refusal struct {
	Step   string // what the cards ask for: make the column not null
	Table  string
	Column string // "" for the table itself; members parted by commas for a constraint over several
	Reason string
	Remedy string // what the author can do
}

func (r Refusal) Error() string {
	where := "table " + r.Table
	if r.Column != "" {
		where += ", column " + r.Column
	}
	return fmt.Sprintf("%s: cannot %s: %s; %s", where, r.Step, r.Reason, r.Remedy)
}

// Refused is the error of a Prepare that changed nothing: every refusal at once, one a line.
type Refused []Refusal

func (r Refused) Error() string {
	lines := make([]string, len(r))
	for i, one := range r {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}
