package e2e_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/frondhost/frond/e2e/testprogram"
)

// audits is how many audits graphql-http 1.23.1 makes of a server.
const audits = 61

// TestGraphQLOverHTTPAudits: the suite of npm graphql-http finds nothing to say about
// the gateway: no error, no warning, no notice.
func TestGraphQLOverHTTPAudits(t *testing.T) {
	t.Parallel()
	dir := js(t)
	p := startGateway(t, shopDir)
	cmd := exec.CommandContext(t.Context(), "node", "audits.mjs", p.URL+"/graphql")
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := testprogram.Run(cmd); err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	fine := map[string]bool{}
	for line := range strings.Lines(stdout.String()) {
		var audit struct{ ID, Name, Status, Reason string }
		if err := json.Unmarshal([]byte(line), &audit); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if audit.Status != "ok" {
			t.Errorf("%s %s: %s: %s", audit.ID, audit.Status, audit.Name, audit.Reason)
			continue
		}
		fine[audit.ID] = true
	}
	if len(fine) != audits {
		t.Errorf("%d audits are ok, want all %d", len(fine), audits)
	}
}
