package e2e_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/frondhost/frond/e2e/testprogram"
)

// TestConsole drives the page at /graphql in a real browser: the queries of the project
// open, one is typed and run, a wrong one is marked, the documentation is opened, and no
// request goes to any host but the gateway. It writes a screenshot to e2e/out/console.png.
func TestConsole(t *testing.T) {
	t.Parallel()
	dir := js(t)
	need(t, "chromium")
	if _, err := os.Stat(filepath.Join(root, "console", "dist", "index.html")); err != nil {
		missing(t, "console/dist is not here; `make console` builds it")
	}
	if built, now := consoleSources(t); built != now {
		missing(t, "console/dist was built from other sources; `make console` builds it")
	}
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(root, "e2e", "out")
	if err := os.MkdirAll(out, 0o755); err != nil {
		t.Fatal(err)
	}
	shop := startGateway(t, shopWithPartner(t))
	plain := startGateway(t, folder(t, map[string]string{
		"gateway.yaml":         "mode: development\n",
		"entities/book.yaml":   card("title: {type: string}", "year: {type: integer}", "reviews: {x-kit: {role: {relation: {to: review, kind: many}}}}"),
		"entities/review.yaml": card("bookId: {type: string, x-kit: {role: {relation: {to: book, kind: one}}}}"),
		"frond.yaml":           "changes: book\n",
		"seeds/book.yaml":      "- {id: a, name: A, title: One, year: 1999}\n",
	}))
	cmd := exec.CommandContext(t.Context(), "node", "console.mjs", shop.URL, t.TempDir(), filepath.Join(out, "console.png"), plain.URL)
	cmd.Dir = dir
	cmd.Env = environment("CHROMIUM=" + browser)
	said, err := testprogram.CombinedOutput(cmd)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if steps := strings.Count(string(said), "ok   "); steps < 18 {
		t.Errorf("%d steps went well, which cannot be all\n%s", steps, said)
	}
}

// consoleSources returns the hash of the sources that console/dist was built from, as
// vite.config.js writes it there, and the hash of those that are there now.
func consoleSources(t *testing.T) (built, now string) {
	t.Helper()
	folder := os.DirFS(filepath.Join(root, "console"))
	read := func(name string) []byte {
		text, err := fs.ReadFile(folder, name)
		if err != nil && name != "dist/sources" {
			t.Fatal(err)
		}
		return text
	}
	names, err := fs.Glob(folder, "src/*")
	if err != nil {
		t.Fatal(err)
	}
	names = append(names, "index.html", "package-lock.json", "vite.config.js")
	slices.Sort(names)
	hash := sha256.New()
	for _, name := range names {
		fmt.Fprintf(hash, "%s\x00%s\x00", name, read(name))
	}
	return string(read("dist/sources")), hex.EncodeToString(hash.Sum(nil))
}

// shopWithPartner is examples/shop with an audience that is shown products alone.
func shopWithPartner(t *testing.T) string {
	t.Helper()
	shop, dir := filepath.Join(root, "examples", "shop"), t.TempDir()
	for _, part := range []string{"fronds", "queries"} {
		if err := os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join(shop, part))); err != nil {
			t.Fatal(err)
		}
	}
	text := map[string]string{}
	for _, name := range []string{"gateway.yaml", "fronds/catalog/frond.yaml"} {
		b, err := os.ReadFile(filepath.Join(shop, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		text[name] = string(b)
	}
	text["fronds/catalog/frond.yaml"] += "\nsurfaces: {audiences: {partner: {graphql: {only: [product]}}}}\n"
	text["queries/partner/1st page.graphql"] = "# of some\nquery ($n: Int) { products(first: $n) { items { id } } }\n"
	text["queries/partner/other.graphql"] = "query Named { products { total } }\n"
	text["queries/partner/short.graphql"] = "{ products { total } }\n"
	write(t, dir, text)
	return dir
}

// TestQueries: staff may run every query that the shop's console offers, and is
// refused nothing in it.
func TestQueries(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(root, "examples", "shop")
	files, err := filepath.Glob(filepath.Join(dir, "queries", "*.graphql"))
	if err != nil || len(files) < 4 {
		t.Fatalf("%d queries, which cannot be all: %v", len(files), err)
	}
	shop := startGateway(t, dir)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		res := send(t, "POST", shop.URL+"/graphql", object("query", encode(t, string(text))), `X-Frond-User: {"roles": ["staff"]}`)
		if answer := string(res.Body); strings.Contains(answer, `"errors"`) || !strings.Contains(answer, `"items":[{`) {
			t.Errorf("%s: %s", filepath.Base(file), answer)
		}
	}
}
