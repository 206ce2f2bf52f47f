package e2e_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/gateway"
)

var tasksScript = filepath.Join("testdata", "foreign", "tasks.py")

// consume runs the consumer in Python over a door, and returns its lines.
func consume(t *testing.T, url, door, id string) []string {
	t.Helper()
	said := tool(t, ".", nil, "python3", tasksScript, url, door, id)
	return strings.Split(strings.TrimSpace(said), "\n")
}

// TestConsumersOfAnotherMake: a consumer that rebuilds cards and pages in words of its own reads the
// same rows at a host without an input card of its list and at a gateway in front of it. It reads a
// Frond of this project in the same words.
func TestConsumersOfAnotherMake(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	there := start(t, exec.Command("python3", tasksScript))
	url, _, _ := housed(t, nil, map[string]gateway.Remote{"tasks": {URL: there.URL}})
	want := strings.Split(strings.TrimSpace(`
list [["t1", "t2", "t3", "t4", "t5", "t6", "t7"], 7, false]
list [["t1", "t2"], 7, true]
list [["t1", "t2"], 7, true]
list [["t4", "t5", "t6"], 7, true]
list [["t1", "t3", "t5", "t7"], 4, false]
list [["t2"], 3, false]
list {"refused": "VALIDATION_FAILED"}
list {"refused": "VALIDATION_FAILED"}
row {"id": "t3", "ownerId": "ann", "rank": 1, "status": "open", "title": "Task 3"}
both ["t1", "t3"]
postponed {"id": "t3", "ownerId": "ann", "rank": 1, "status": "open", "title": "on Monday"}
unknown {"refused": "NOT_FOUND"}
`), "\n")
	for name, at := range map[string]string{"host": there.URL, "gateway": url} {
		if diff := cmp.Diff(want, consume(t, at, "task", "t3")); diff != "" {
			t.Errorf("at the %s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(want[:10], consume(t, at, "duty", "t3")); diff != "" {
			t.Errorf("with a card, at the %s (-want +got):\n%s", name, diff)
		}
	}

	seeds := ""
	for n := 1; n < 8; n++ {
		seeds += fmt.Sprintf("- {id: t%d, title: Task %[1]d, status: %s, rank: %d, ownerId: %s}\n", n, []string{"done", "open"}[n%2], n*7%5, map[bool]string{true: "ann", false: "null"}[n < 5])
	}
	url, _, _ = housed(t, map[string]string{
		"fronds/tasks/entities/task.yaml": `
required: [title, status, rank, ownerId]
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string}
  status: {type: string, enum: [open, done]}
  rank: {type: integer}
  ownerId: {type: [string, "null"]}
`,
		"fronds/tasks/seeds/task.yaml": seeds,
		"fronds/tasks/frond.yaml":      "collectors: {task: open}\n",
	}, nil)
	want = append(want[:6], `list [["t3", "t4"], 7, true]`, want[7], want[8]) // numbers in quotes are numbers
	if diff := cmp.Diff(want, consume(t, url, "task", "t3")); diff != "" {
		t.Errorf("at a Frond of this project (-want +got):\n%s", diff)
	}
}
