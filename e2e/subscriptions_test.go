package e2e_test

import (
	"bufio"
	"os/exec"
	"strings"
	"testing"

	"github.com/frondhost/frond/e2e/freeport"
	"github.com/frondhost/frond/e2e/testprogram"
)

// TestSubscriptions runs the clients of the field, unchanged, against the program: graphql-ws,
// and graphql-sse in both of its modes. The program is stopped and started meanwhile.
func TestSubscriptions(t *testing.T) {
	t.Parallel()
	dir := js(t)
	project := folder(t, map[string]string{
		"gateway.yaml":         "mode: development\nidentity: {dev: true}\n",
		"entities/book.yaml":   card("title: {type: string}", "year: {type: integer}"),
		"entities/secret.yaml": card("text: {type: string}"),
		"frond.yaml":           "name: library\nchanges: '*'\ncollectors:\n  book: open\n  secret: [{deny: all}]\n",
	})
	store := storeFor(t)
	listen := freeport.Address(t)
	gw := startGateway(t, project, "--store", store, "--listen", listen)
	cmd := exec.CommandContext(t.Context(), "node", "subscriptions.mjs", gw.URL)
	cmd.Dir = dir
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := testprogram.Start(cmd); err != nil {
		t.Fatal(err)
	}
	steps, said := 0, []string{}
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		said = append(said, lines.Text())
		switch {
		case strings.HasPrefix(lines.Text(), "ok   "):
			steps++
		case lines.Text() == "restart":
			gw.stop(t)
			gw = startGateway(t, project, "--store", store, "--listen", listen)
			_, _ = stdin.Write([]byte("restarted\n"))
		}
	}
	if err := cmd.Wait(); err != nil || steps < 12 {
		t.Errorf("%v after %d steps\n%s\n%s", err, steps, strings.Join(said, "\n"), gw.stderr())
	}
}
