package main

import (
	"testing"
	"time"
)

// The comparisons compare like with like, or fail: each part looks at the answers
// of both sides before it measures them. One short round of each keeps them whole.
func TestPartsRun(t *testing.T) {
	for name, run := range map[string]func(int, time.Duration) error{
		"graphql": benchGraphQL, "rest": benchREST, "findbyid": benchFindByID, "collector": benchCollector,
	} {
		t.Run(name, func(t *testing.T) {
			if err := run(1, time.Millisecond); err != nil {
				t.Error(err)
			}
		})
	}
}
