package e2e_test

import (
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/frondhost/frond/console"
	"github.com/frondhost/frond/e2e/testprogram"
)

// TestDocsPage drives the page of the API documents in a real browser: operations are found by
// words, fields and codes, tried over REST, JSON-RPC and GraphQL, with lists of rows, by keyboard and on a narrow screen. The
// start page works without JavaScript, and no request goes to any host but the gateway. It writes screenshots to e2e/out.
func TestDocsPage(t *testing.T) {
	t.Parallel()
	dir := js(t)
	need(t, "chromium")
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(root, "e2e", "out")
	if err := os.MkdirAll(out, 0o755); err != nil {
		t.Fatal(err)
	}
	shop := startGateway(t, shopDir)
	cmd := exec.CommandContext(t.Context(), "node", "docs.mjs", shop.URL, filepath.Join(out, "docs.png"))
	cmd.Dir = dir
	cmd.Env = environment("CHROMIUM=" + browser)
	said, err := testprogram.CombinedOutput(cmd)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if steps := strings.Count(string(said), "ok   "); steps != 16 {
		t.Errorf("%d steps went well, want 16\n%s", steps, said)
	}
	// Without compression: the page, its modules, and the judge with the cards of the shop.
	page, all := 0, 0
	for _, name := range append(slices.Collect(maps.Keys(console.Docs())), "/cards.js", "/host.json") {
		resp, err := http.Get(shop.URL + "/docs" + name)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %v", name, resp.StatusCode, err)
		}
		if all += len(body); !slices.Contains([]string{"/judge.js", "/engine.js", "/matcher.js", "/nested.js", "/formats.js", "/idna.js", "/idnatable.js", "/cards.js", "/host.json"}, name) {
			page += len(body)
		}
	}
	t.Logf("%d bytes, %d with the judge, the cards and the documents for GraphQL", page, all)
	if page > 62<<10 || all > 118<<10 {
		t.Errorf("the page has %d bytes, %d with all it may load; want at most 62 and 118 KiB", page, all)
	}
}
