package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// tutorialStep is one marked block of docs/tutorial.md: a file that the reader writes, commands
// that the reader runs, or the command that serves.
var tutorialStep = regexp.MustCompile("(?s)<!-- (file: (\\S+)|run|serve) -->\n```(?:yaml|console)\n(.*?)```")

// TestTutorial does what the tutorial says, from an empty folder on: it writes each
// file, has the running gateway take it over, and holds each command to what the page
// prints under it.
func TestTutorial(t *testing.T) {
	t.Parallel()
	need(t, "curl", "jq")
	page, err := os.ReadFile(filepath.Join(root, "docs", "tutorial.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var gateway *program
	taken, written := 0, 0 // how often a project was taken over; files since the last time
	where := addresses{}
	counts := map[string]int{}
	for _, m := range tutorialStep.FindAllStringSubmatch(string(page), -1) {
		kind, file, text := strings.SplitN(m[1], ":", 2)[0], m[2], m[3]
		counts[kind]++
		switch kind {
		case "file":
			write(t, dir, map[string]string{file: text})
			written++
		case "serve":
			args := strings.Fields(strings.TrimPrefix(strings.TrimSpace(text), "$ frond "))
			cmd := exec.Command(binary(t), append(args, "--listen", "127.0.0.1:0")...)
			cmd.Dir = dir
			gateway = start(t, cmd)
			where["127.0.0.1:8080"] = gateway.URL
			written = 0
		case "run":
			if gateway != nil && written > 0 {
				taken++
				awaitTaken(t, gateway, taken)
			}
			written = 0
			for _, block := range consoleBlocks("<!-- run: tutorial -->\n```console\n" + text + "```") {
				for _, c := range block.commands {
					c.runIn(t, dir, where)
				}
			}
		}
	}
	if counts["file"] < 5 || counts["run"] < 8 || counts["serve"] != 1 {
		t.Errorf("the page has %v: blocks are not seen", counts)
	}
}

// awaitTaken waits until a gateway that watches has taken over n projects.
func awaitTaken(t *testing.T, p *program, n int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); strings.Count(p.stderr(), "the project has been taken over") < n; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) || strings.Contains(p.stderr(), "the project stays as it was") {
			t.Fatalf("the gateway has not taken over what was written:\n%s", p.stderr())
		}
	}
}
