package e2e_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/frondhost/frond/e2e/testprogram"
)

// TestWebExample builds examples/web with the package of the shop and drives it in a real
// browser under a strict policy: the list and its filters, the form judged as one types, a
// refusal of the host at its field, stock that changes, and the judge in a worker.
func TestWebExample(t *testing.T) {
	t.Parallel()
	drivers := js(t)
	need(t, "chromium")
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(root, "examples", "web", "node_modules")
	if _, err := os.Stat(filepath.Join(modules, ".package-lock.json")); err != nil {
		missing(t, "examples/web/node_modules is not here; `make js` installs it")
	}
	shop := filepath.Join(t.TempDir(), "shop")
	copyInto(t, shop, filepath.Join(root, "examples", "shop"))
	settings := filepath.Join(shop, "fronds", "catalog", "frond.yaml")
	text, err := os.ReadFile(settings)
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?m)^changes:`).Match(text) {
		text = append(text, "\nchanges: [product]\n"...)
	}
	if err := os.WriteFile(settings, text, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"src", "package.json", "tsconfig.json", "vite.config.ts", "index.html"} {
		from := filepath.Join(root, "examples", "web", name)
		if name == "src" {
			copyInto(t, filepath.Join(dir, name), from)
			continue
		}
		copyFile(t, from, filepath.Join(dir, name))
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	if r := run(t, "", "build-frond", "catalog", "--dir", shop, "--npm", "@shop/catalog", "--out", filepath.Join(dir, ".contract")); r.code != 0 {
		t.Fatal(r.stderr)
	}
	if said := tool(t, dir, nil, "node", "node_modules/typescript/bin/tsc", "-p", "."); said != "" {
		t.Fatal(said)
	}
	tool(t, dir, nil, "node", "node_modules/vite/bin/vite.js", "build", "--logLevel", "error")
	host := startGateway(t, shop, "--store", storeFor(t))

	preview := exec.CommandContext(t.Context(), "node", "node_modules/vite/bin/vite.js", "preview", "--host", "127.0.0.1", "--port", "0", "--strictPort")
	preview.Dir, preview.Env = dir, environment("SHOP="+host.URL, "NO_COLOR=1")
	out, err := preview.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := testprogram.Start(preview); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = preview.Process.Kill()
		_ = preview.Wait()
	}()
	address := addressIn(out)
	if address == "" {
		t.Fatal("vite names no address")
	}
	cmd := exec.CommandContext(t.Context(), "node", "web.mjs", address, t.TempDir(), host.URL)
	cmd.Dir = drivers
	cmd.Env = environment("CHROMIUM=" + browser)
	said, err := testprogram.CombinedOutput(cmd)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if steps := strings.Count(string(said), "ok   "); steps != 9 {
		t.Errorf("%d steps went well, 9 are there\n%s", steps, said)
	}
}

// addressIn is the address that a program prints; the rest of what it prints is read and
// dropped.
func addressIn(out io.Reader) string {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if at := regexp.MustCompile(`http://127\.0\.0\.1:[1-9]\d*`).FindString(lines.Text()); at != "" {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return at
		}
	}
	return ""
}
