package differential

import (
	"fmt"
	"testing"

	"github.com/frondhost/frond/e2e/nodeprocess"
)

// reference is graphql-js in a process of its own.
type reference struct {
	name    string // the package: graphql is 16
	process *nodeprocess.Process
}

// references starts both majors; they end with the test.
func references(t testing.TB) []*reference {
	t.Helper()
	var list []*reference
	for _, name := range []string{"graphql", "graphql17"} {
		list = append(list, &reference{name, nodeprocess.Start(t, "differential.mjs", name)})
	}
	return list
}

// ask gives the reference a world and requests, and returns how to read the answers:
// both majors work while the engine does.
func (r *reference) ask(w *world, requests []request) func() ([]string, error) {
	answer := r.process.Ask(map[string]any{"world": w.given(), "cases": requests})
	return func() ([]string, error) {
		var answers []string
		if err := answer(&answers); err != nil {
			return nil, fmt.Errorf("%s: %w", r.name, err)
		}
		if len(answers) != len(requests) {
			return nil, fmt.Errorf("%s: %d answers to %d questions", r.name, len(answers), len(requests))
		}
		return answers, nil
	}
}
