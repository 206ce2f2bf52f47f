package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/frondhost/frond/e2e/testprogram"
)

// TestStreamsInABrowser: a page follows more than a browser has connections, over one that is
// shared between its tabs, and misses nothing where that falls silent, breaks, or belonged to a tab
// that closes.
func TestStreamsInABrowser(t *testing.T) {
	t.Parallel()
	drivers := js(t)
	need(t, "chromium")
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal(err)
	}
	shop := filepath.Join(t.TempDir(), "shop")
	copyInto(t, shop, filepath.Join(root, "examples", "shop"))
	dir := clientFolder(t)
	if r := run(t, "", "build-frond", "catalog", "--dir", shop, "--npm", "@shop/catalog", "--out", filepath.Join(dir, "built")); r.code != 0 {
		t.Fatal(r.stderr)
	}
	entry := filepath.Join(dir, "built", "client.js")
	if _, err := os.Stat(entry); err != nil {
		found, _ := filepath.Glob(filepath.Join(dir, "built", "*", "client.js"))
		if len(found) != 1 {
			t.Fatal(err)
		}
		entry = found[0]
	}
	bundle := filepath.Join(dir, "bundle.js")
	tool(t, dir, nil, "./node_modules/esbuild/bin/esbuild", entry, "--bundle", "--format=esm", "--outfile="+bundle, "--log-level=error")
	host := startGateway(t, shop, "--store", storeFor(t))
	cmd := exec.CommandContext(t.Context(), "node", "streams.mjs", t.TempDir(), host.URL, bundle)
	cmd.Dir, cmd.Env = drivers, environment("CHROMIUM="+browser)
	said, err := testprogram.CombinedOutput(cmd)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if steps := strings.Count(string(said), "ok   "); steps != 7 {
		t.Errorf("%d steps went well, 7 are there\n%s", steps, said)
	}
}
