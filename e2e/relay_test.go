package e2e_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/frondhost/frond/e2e/testprogram"
)

// app copies a folder of e2e/js into a new one, beside the packages that are
// installed and the SDL of the shop as the program prints it.
func app(t *testing.T, name string) string {
	t.Helper()
	installed := js(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(installed, name))); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(installed, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	printed := run(t, "", "schema", "--dir", shopDir, "--format", "graphql")
	if printed.code != 0 {
		t.Fatal(printed.stderr)
	}
	write(t, dir, map[string]string{"schema.graphql": printed.stdout})
	return dir
}

// node runs a script of a package, or one's own, in dir. It has to leave with 0.
func node(t *testing.T, dir string, args ...string) (stdout, stderr string) {
	t.Helper()
	return nodeWith(t, dir, nil, args...)
}

// nodeWith is node with more in the environment.
func nodeWith(t *testing.T, dir string, env []string, args ...string) (stdout, stderr string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", args...)
	cmd.Dir = dir
	cmd.Env = environment(append(env, "NO_COLOR=1", "NODE_NO_WARNINGS=")...)
	var out, talk bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &talk
	if err := testprogram.Run(cmd); err != nil {
		t.Fatalf("node %s: %v\n%s%s", strings.Join(args, " "), err, out.String(), talk.String())
	}
	return out.String(), talk.String()
}

// complaint is what the compilers of the field say when they are not content.
var complaint = regexp.MustCompile(`(?i)\b(warn(ing)?|error|deprecated|invalid|cannot)\b`)

// TestRelay compiles the documents of a small Relay application against the shop's
// SDL and runs what comes of it, by relay-runtime, against the running gateway: lists
// read on and back, rows refetched by their global ids, changes that reach the store.
func TestRelay(t *testing.T) {
	t.Parallel()
	dir := app(t, "relay")
	write(t, dir, map[string]string{"persisted.json": "{}"})
	out, talk := node(t, dir, "node_modules/relay-compiler/cli.js", "relay.config.json")
	if said := out + talk; complaint.MatchString(said) || !strings.Contains(said, "Compilation completed") {
		t.Fatalf("relay-compiler is not content\n%s", said)
	}

	var persisted map[string]string
	text, err := os.ReadFile(filepath.Join(dir, "persisted.json"))
	if err != nil || json.Unmarshal(text, &persisted) != nil || len(persisted) != 11 {
		t.Fatalf("%d persisted queries, %v", len(persisted), err)
	}

	visit := func(p *program, how ...string) {
		t.Helper()
		out, talk := node(t, dir, append([]string{"run.js", p.URL + "/graphql", staff}, how...)...)
		if talk != "" {
			t.Errorf("relay-runtime warns: %s", talk)
		}
		var did struct {
			Products, Requests int
			Stocked            int `json:"onShelf"`
		}
		if err := json.Unmarshal([]byte(out), &did); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if did.Products < 50 || did.Stocked != 6 || did.Requests < 20 { // the rest it asserts itself
			t.Errorf("the application did %+v", did)
		}
	}
	visit(startGateway(t, shopDir))
	visit(trusting(t, filepath.Join(dir, "persisted.json")), "trusted")
}
