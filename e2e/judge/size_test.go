package judge

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/script"
)

// brotli prints the size of a file after compression.
const brotli = `console.log(require("zlib").brotliCompressSync(require("fs").readFileSync(process.argv[1])).length)`

// TestSizes holds what a page ships, minified and compressed by brotli.
func TestSizes(t *testing.T) {
	dir := installed(t, "../../examples/shop", "catalog", "@shop/catalog")
	size := func(name, text string, args ...string) int {
		t.Helper()
		writeFile(t, filepath.Join(dir, name+".js"), []byte(text))
		bundle(t, dir, name+".js", name+".min.js", append(args, "--minify")...)
		n, err := strconv.Atoi(strings.TrimSpace(node(t, dir, "-e", brotli, filepath.Join(dir, name+".min.js"))))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%-10s %5d bytes", name, n)
		return n
	}
	// What judges every card, formats aside: a page ships those that its cards name.
	if n := size("runtime", `export { schema, details, fill } from "./node_modules/@shop/catalog/judge.js"; export { engine } from "./node_modules/@shop/catalog/engine.js";`); n > 4240 {
		t.Errorf("the runtime has %d bytes; 4240 are allowed", n)
	}
	// A page that judges products: no transport, no other card.
	if n := size("page", `import { product } from "@shop/catalog"; globalThis.judge = product.create["~standard"].validate;`); n > 4240+1536 {
		t.Errorf("a page that judges one form has %d bytes", n)
	}
	// The format of an e-mail address. The table of host names is a chunk of its own, which the first
	// label that begins with xn-- loads.
	if n := size("email", `export { email } from "./node_modules/@shop/catalog/formats.js";`, "--external:*/idna.js"); n > 1536 {
		t.Errorf("the format email has %d bytes; 1536 are allowed", n)
	}
	// A card of twenty fields of every kind.
	var card strings.Builder
	card.WriteString("type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}\n")
	for i, shape := range []string{
		"{type: string, minLength: 1, maxLength: 120}", "{type: [string, 'null'], maxLength: 2000}", "{type: integer, minimum: 0, maximum: 100000}", "{type: number, minimum: 0, multipleOf: 0.01}",
		"{type: string, enum: [draft, active, retired], x-kit: {lifecycle: {create: {value: draft}}}}", "{type: string, format: date-time, x-kit: {lifecycle: {create: now}, boundary: {in: closed}}}",
		"{type: boolean, x-kit: {lifecycle: {create: {value: false}}}}", "{type: string, format: email}", "{type: array, items: {type: string, maxLength: 30}, maxItems: 10, uniqueItems: true}",
		"{type: object, required: [street, city], properties: {street: {type: string, maxLength: 80}, city: {type: string, maxLength: 80}, zip: {type: string, pattern: '^[0-9]{5}$'}}}",
	} {
		fmt.Fprintf(&card, "  fieldNumber%d: %s\n  anotherField%d: %s\n", i, shape, i, shape)
	}
	set := schema.MustCompile([]schema.Source{{Name: "thing", File: "thing.yaml", Data: []byte(card.String())}}, schema.Builtins(), nil)
	judge, err := script.Of(set.Entity("thing"))
	if err != nil {
		t.Fatal(err)
	}
	if n := size("card", "export const card = "+judge.Data+";"); n > 1536 {
		t.Errorf("a card of twenty fields has %d bytes; 1536 are allowed", n)
	}
}

// TestWorker: the judge runs where there is no page, and no code is made of strings.
func TestWorker(t *testing.T) {
	dir := installed(t, "../../examples/shop", "catalog", "@shop/catalog")
	writeFile(t, filepath.Join(dir, "worker.js"), []byte(`
import { parentPort } from "node:worker_threads";
import { details, product } from "@shop/catalog";
parentPort.postMessage(details(product.create, { sku: "1" }).map((d) => d.path));
`))
	writeFile(t, filepath.Join(dir, "main.js"), []byte(`
import { Worker } from "node:worker_threads";
new Worker("./worker.js").on("message", (paths) => console.log(paths.join()));
`))
	if said := node(t, dir, "--disallow-code-generation-from-strings", "main.js"); said != "sku,name,price,weight,categoryId,supplierId\n" {
		t.Error(said)
	}
}
