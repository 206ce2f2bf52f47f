package e2e_test

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDocsPage drives the page of the API documents in a real browser: operations are found,
// tried over REST and JSON-RPC, by keyboard and on a narrow screen, and no request goes to any
// host but the gateway. It writes a screenshot to e2e/out/docs.png.
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
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "docs.mjs", shop.URL, filepath.Join(out, "docs.png"))
	cmd.Dir = dir
	cmd.Env = environment("CHROMIUM=" + browser)
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if steps := strings.Count(string(said), "ok   "); steps != 7 {
		t.Errorf("%d steps went well, want 7\n%s", steps, said)
	}
	// The page and its files are small enough to be read before a line of text is.
	size := 0
	for _, name := range []string{"/docs", "/docs/docs.js", "/docs/docs.css"} {
		resp, err := http.Get(shop.URL + name)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		size += int(resp.ContentLength)
	}
	if size <= 0 || size > 20<<10 {
		t.Errorf("the page has %d bytes before compression, want at most 20 KB", size)
	}
}
