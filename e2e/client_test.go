package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// clientFolder is a folder with the programs of testdata/client and the packages of client/.
func clientFolder(t *testing.T) string {
	t.Helper()
	need(t, "node")
	modules := filepath.Join(root, "client", "node_modules")
	if _, err := os.Stat(filepath.Join(modules, ".package-lock.json")); err != nil {
		missing(t, "client/node_modules is not here; `make js` installs it")
	}
	dir := t.TempDir()
	copyInto(t, dir, filepath.Join("testdata", "client"))
	write(t, dir, map[string]string{"package.json": `{"private":true,"type":"module"}`})
	if err := os.MkdirAll(filepath.Join(dir, "node_modules", "@shop"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"@tanstack", "typescript", "esbuild"} {
		if err := os.Symlink(filepath.Join(modules, name), filepath.Join(dir, "node_modules", name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestClientIsInstalled: the commands of the tour make a package that later runs of npm keep, and that a
// second frond client renews.
func TestClientIsInstalled(t *testing.T) {
	t.Parallel()
	need(t, "npm")
	tour, err := os.ReadFile(filepath.Join(root, "docs", "tour.md"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^\$ frond (client .*)\n\$ npm (install \S+)`).FindSubmatch(tour)
	if m == nil {
		t.Fatal("the tour has no frond client before npm install")
	}
	host := startGateway(t, filepath.Join(root, "examples", "shop"), "--store", "memory")
	dir := folder(t, map[string]string{"package.json": `{"name": "page", "private": true, "type": "module"}`, "other/package.json": `{"name": "other", "version": "1.0.0"}`})
	client := func() {
		cmd := exec.Command(binary(t), strings.Fields(strings.ReplaceAll(string(m[1]), "http://127.0.0.1:8080", host.URL))...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	npm := func(command string) {
		tool(t, dir, nil, "npm", append(strings.Fields(command), "--offline", "--no-audit", "--no-fund")...)
		said := tool(t, dir, nil, "node", "--input-type=module", "-e", `import { category } from "@shop/catalog"; import { connect } from "@shop/catalog/client"; console.log(typeof category.create, typeof connect)`)
		if !strings.HasSuffix(strings.TrimSpace(said), " function") {
			t.Errorf("npm %s: %s", command, said)
		}
	}
	client()
	npm(string(m[2]))
	npm("install ./other")
	client()
	npm("ci")
}

// TestClient writes the package of a running host. Programs that misspell something do not
// compile, those that do not do; and one that uses everything prints the same over every
// transport.
func TestClient(t *testing.T) {
	t.Parallel()
	dir := clientFolder(t)
	host := startGateway(t, filepath.Join(root, "examples", "shop"), "--store", "memory")
	at := filepath.Join(dir, "node_modules", "@shop", "catalog")
	client := func(more ...string) ran {
		return run(t, "", append([]string{"client", "catalog", "--from", host.URL, "--out", at, "--npm", "@shop/catalog"}, more...)...)
	}
	if r := client(); r.code != 0 {
		t.Fatal(r.stderr)
	}
	if r := run(t, "", "client", "sales", "--from", host.URL, "--out", filepath.Join(filepath.Dir(at), "sales"), "--npm", "@shop/sales"); r.code != 0 {
		t.Fatal(r.stderr)
	}
	if r := client("--check"); r.code != 0 || !strings.Contains(r.stderr, "nothing changed") {
		t.Error(r.code, r.stderr)
	}
	if said := tool(t, dir, nil, "node", "node_modules/typescript/bin/tsc", "-p", "."); said != "" {
		t.Fatal(said)
	}
	programs, err := os.ReadFile(filepath.Join("testdata", "client", "programs.ts"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(programs), "@ts-expect-error "); n < 75 {
		t.Errorf("%d programs must not compile; 75 are wanted", n)
	}
	tool(t, dir, nil, "./node_modules/esbuild/bin/esbuild", "live.ts", "--bundle", "--format=esm", "--platform=node", "--outfile=live.mjs", "--log-level=error")
	want := strings.TrimSpace(`
list [["Group gasket","Milk jug, 350 ml"],[true,true],true,3]
fields [[{"id":"p-assam","name":"Assam Mangalam, 100 g"}],-1]
select [["p-apron","Aprons and towels","Linen",[{"rating":5}],false,0],["p-assam","Black tea","Loose leaf",[{"rating":4}],true,1]]
select sent [true]
select one {"products":{"items":[{"id":"p-espresso-machine","dimensions":{"width":23,"depth":36,"height":34},"category":{"id":"c-espresso"}}],"hasMore":true}}
select none null
select elsewhere [["string"]]
pages [true,true]
create ["Test cup",9000000000001,"string"]
read ["TST-0001",null,true]
update [950,{"width":3,"depth":4,"height":5},true]
stale "PRECONDITION_FAILED"
as it is [950,true,1]
where "PRECONDITION_FAILED"
refused ["VALIDATION_FAILED","product","create",[{"path":"sku","pointer":"/body/sku","code":"pattern","message":"must match the pattern ^[A-Za-z]{3}-[0-9]{4}$","params":{"pattern":"^[A-Za-z]{3}-[0-9]{4}$"}},{"path":"name","pointer":"/body/name","code":"minLength","message":"must have at least 2 characters","params":{"limit":2}},{"path":"price","pointer":"/body/price","code":"minimum","message":"must be at least 1","params":{"limit":1}}]]
fields of a form {"name":"must have at least 2 characters","sku":"must match the pattern ^[A-Za-z]{3}-[0-9]{4}$"}
unknown ["VALIDATION_FAILED","product","list",[{"path":"fields.1","pointer":"/query/fields/1","code":"unknown_key","message":"names nothing, which category does not have; there is id, name, slug, parentId, position, etag"}]]
part ["id","price"]
ids ["Test cup","Walnut tamper, 58 mm"]
one tick [1,"string",9000000000001,"VALIDATION_FAILED",true]
none [null,"NOT_FOUND"]
denied "UNAUTHORIZED"
call "Test cup"
created many [["MNY-0001",null,"string"],["MNY-0002",9000000000002,"string"]]
refused many ["VALIDATION_FAILED","product","createMany",[{"path":"1.price","pointer":"/body/1/price","code":"minimum","message":"must be at least 1","params":{"limit":1}}]]
updated many [{"count":2},{"count":2,"items":[{"stock":5},{"stock":5}]}]
too many ["UNPROCESSABLE_ENTITY","product","updateMany",{"count":2,"max":1}]
undefined "VALIDATION_FAILED"
upsert [false,150,"string",{"created":true,"item":{"price":300}}]
import [1,1,true,[[2,"price","minimum"]]]
export [["MNY-0004",null],["MNY-0003",null],["MNY-0002",9000000000002],["MNY-0001",null],{"id":"p-assam","category":{"name":"Black tea"}}]
export of bytes "sku,price,name\r\nMNY-0001,150,Cup 1\r\nMNY-0002,200,Cup 2\r\nMNY-0003,350,Cup 3\r\nMNY-0004,400,Cup 4\r\n"
export sent [true,"/api/catalog/products"]
import of a file [0,1,2,1,"name"]
refused export [["VALIDATION_FAILED","product","list",[{"path":"filter.sku","pointer":"/query/filter/sku","code":"type","message":"is undefined; give it a value, or leave it out"}]],"VALIDATION_FAILED"]
atomic [600,"string",[9000000000006],1,650,true]
undone [["CONFLICT",1,"create"],650]
unknown to come "VALIDATION_FAILED"
values to come [true,true,true,true,true,true,true]
rehearsed [700,[["product",true,"UPDATED",650,700]],1,0,650]
another call ["PRECONDITION_FAILED","other call"]
approved [700,["PRECONDITION_FAILED","used"]]
rehearsed delete [true,[["DELETED",null]]]
rehearsed together [[710,710],1,[710,710],710]
mutation of many {"count":1}
deleted many {"count":5}
upload ["ä 'b'.png","image/png",true,true]
set file ["c.png",true]
refused file [["VALIDATION_FAILED","product","update",[{"path":"image","pointer":"/body/image","code":"contentMediaType","message":"a file of type text/plain is not taken here; send one of image/png, image/jpeg"}]],"NOT_FOUND"]
delete file [null,null]
aborted "stop"
retried ["Walnut tamper, 58 mm",3]
commands are not ["SERVICE_UNAVAILABLE",-9]
kept [960,960]
shown [970,970]
written [970,970]
judged "VALIDATION_FAILED"
as before [970,970]
taken back ["PRECONDITION_FAILED",[970,970]]
infinite [5,5]
delete [true,false]
`)
	for _, transport := range []string{"envelope", "rest", "graphql"} {
		said := tool(t, dir, nil, "node", "live.mjs", host.URL, transport)
		if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(strings.TrimSpace(said), "\n")); diff != "" {
			t.Errorf("over %s the program prints (-want):\n%s", transport, diff)
		}
	}
	watches(t, dir, host.URL)
	tool(t, dir, nil, "./node_modules/esbuild/bin/esbuild", "facts.ts", "--bundle", "--format=esm", "--platform=node", "--outfile=facts.mjs", "--log-level=error")
	other := startGateway(t, folder(t, map[string]string{"frond.yaml": "collectors: {note: open}\n", "entities/note.yaml": "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n"}), "--store", "memory")
	said := tool(t, dir, nil, "node", "facts.mjs", host.URL, other.URL)
	want = strings.TrimSpace(`
placed ["orderPlaced","created","order",true,true,true,"string","string",490]
resumed [true,true,["id","giftNote"],"second"]
live [true,"fourth"]
ended []
elsewhere [true,"NOT_FOUND"]
`)
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(strings.TrimSpace(said), "\n")); diff != "" {
		t.Errorf("the program of facts prints (-want):\n%s", diff)
	}
}

// TestClientTypes bounds what the compiler does for a host of two hundred cards: types are
// written ahead of time, and none is computed from a table of doors.
func TestClientTypes(t *testing.T) {
	t.Parallel()
	dir := clientFolder(t)
	const cards = 200
	files := map[string]string{"frond.yaml": "{}\n"}
	for i := range cards {
		var b strings.Builder
		b.WriteString("type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}\n")
		for k := range 10 {
			fmt.Fprintf(&b, "  text%d: {type: string, maxLength: 80}\n  number%d: {type: integer, minimum: 0}\n", k, k)
		}
		fmt.Fprintf(&b, "  state: {type: string, enum: [open, paid, shipped%d]}\n  nextId: {type: string, x-kit: {role: {relation: {to: card%d, kind: one}}}}\n", i, (i+1)%cards)
		files[fmt.Sprintf("entities/card%d.yaml", i)] = b.String()
	}
	project := folder(t, files)
	name := filepath.Base(project)
	at := filepath.Join(dir, "node_modules", "@shop", "many")
	r := run(t, "", "check", project, "--json")
	if found := regexp.MustCompile(`"frond":\s*"([^"]+)"`).FindStringSubmatch(r.stdout); found != nil {
		name = found[1]
	}
	out := t.TempDir()
	if r := run(t, "", "build-frond", name, "--dir", project, "--npm", "@shop/many", "--out", out); r.code != 0 {
		t.Fatal(r.stderr)
	}
	if err := os.Rename(filepath.Join(out, "npm"), at); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"facts.ts", "live.ts", "programs.ts", "watch.ts"} {
		if err := os.Remove(filepath.Join(dir, f)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir, map[string]string{"many.ts": `
import { connect } from "@shop/many/client";
const client = connect("");
export const rows = await client.card7.list({ filter: { next: { next: { state: { in: ["open", "shipped9"] } } } }, sort: "-text3", fields: ["id", "number4"] });
export const n: number = rows.items[0]!.number4;
export const one = (await client.call("card8.findById", "x"))!.number4 + 1;
export const both = await client.atomic((call) => {
  const first = call("card9.findById", "x");
  return call("card10.update", first.id, { text1: first.text1 });
});
// @ts-expect-error a state of another card
void client.card7.list({ filter: { state: { eq: "shipped8" } } });
`})
	said := tool(t, dir, nil, "node", "node_modules/typescript/bin/tsc", "-p", ".", "--extendedDiagnostics", "--skipLibCheck")
	for what, most := range map[string]int{"Types": 5_000, "Instantiations": 5_000} {
		m := regexp.MustCompile(`(?m)^` + what + `:\s+(\d+)`).FindStringSubmatch(said)
		if m == nil {
			t.Fatal(said)
		}
		n, _ := strconv.Atoi(m[1])
		t.Logf("%s %d", what, n)
		if n > most {
			t.Errorf("the compiler makes %d of %s for %d cards; %d are allowed", n, what, cards, most)
		}
	}
	t.Log(regexp.MustCompile(`(?m)^(Check|Total) time:.*`).FindAllString(said, -1))
}

// watches runs the program of pages that follow a host, over every transport.
func watches(t *testing.T, dir, url string) {
	t.Helper()
	tool(t, dir, nil, "./node_modules/esbuild/bin/esbuild", "watch.ts", "--bundle", "--format=esm", "--platform=node", "--outfile=watch.mjs", "--log-level=error")
	want := strings.TrimSpace(`
first [["Watched one",100]]
created [["Watched two",50],["Watched one",100]]
in another order [["Watched one",40],["Watched two",50]]
beyond the limit [[["Watched one",40],["Watched three",45]],true,3]
left [["Watched one",40],["Watched two",50]]
updated [[["Watched uno",40],["Watched two",50]],true]
both are shown [["Watched een",41],["Watched two",50]]
both are kept [[["Watched uno",41],["Watched een",41]],[["Watched een",41],["Watched two",50]]]
one is taken back [["no failure","VALIDATION_FAILED","no failure"],[["Watched een",42],["Watched two",50]]]
edits of an older row [["PRECONDITION_FAILED","PRECONDITION_FAILED"],[["Watched een",42],["Watched two",50]]]
an edit of the newer row ["no failure",[["Watched een",44],["Watched two",50]]]
deleted [["Watched two",50]]
as the list is [true]
ended true
versions [true,true,true]
live ["Watched two",50,0]
live changes ["Watched two",50,7]
quick edits ["Watched zwei",51,8]
quick edits are kept [["no failure","no failure","PRECONDITION_FAILED"],["Watched zwei",51,7]]
live again ["Watched zwei",51,9]
read ahead [true,[true]]
follows late 10
follows late 11
one stream [true,false]
`)
	for _, transport := range []string{"envelope", "rest", "graphql"} {
		said := tool(t, dir, nil, "node", "watch.mjs", url, transport)
		if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(strings.TrimSpace(said), "\n")); diff != "" {
			t.Errorf("over %s the program prints (-want):\n%s", transport, diff)
		}
	}
}
