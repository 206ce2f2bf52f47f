package judge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/client"
	"github.com/frondhost/frond/describe"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// nestedFiles are orders with lines that belong to them, and tags through rows in between.
var nestedFiles = map[string]string{
	"frond.yaml": "name: shop\ncollectors: {'*': open}\nrelations: {order.tags: {through: orderTag}}\nnested: {order: [lines, tags]}\nmany: {order: [upsert]}\n",
	"entities/order.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: nanoid}}}}
  title: {type: string, minLength: 2}
  lines: {type: array, items: {type: string}, x-kit: {role: {relation: {to: line, kind: many, by: orderId}}}}
required: [title]
`,
	"entities/line.yaml": `
type: object
properties:
  id: {type: integer, x-kit: {role: {primary: true}}}
  orderId: {type: string, x-kit: {role: {relation: {to: order, kind: one, onDelete: cascade}}, lifecycle: {update: forbidden}}}
  sku: {type: string, minLength: 2}
  size: {type: object, properties: {width: {type: integer, minimum: 1}}, required: [width]}
required: [id, orderId, sku]
`,
	"entities/tag.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
required: [id]
`,
	"entities/orderTag.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: nanoid}}}}
  orderId: {type: string, x-kit: {role: {relation: {to: order, kind: one, onDelete: cascade}, unique: [[orderId, tagId]]}}}
  tagId: {type: string, x-kit: {role: {relation: {to: tag, kind: one}}}}
required: [orderId, tagId]
`,
}

// nestedBody draws a body with rows that belong to its row.
func nestedBody(d *rand.Rand) string {
	pick := func(of ...string) string { return of[d.IntN(len(of))] }
	rarely := func(text, or string) string {
		if d.IntN(25) == 0 {
			return or
		}
		return text
	}
	list := func(of ...string) string {
		items := make([]string, d.IntN(3))
		for i := range items {
			items[i] = pick(of...)
		}
		return rarely("["+strings.Join(items, ",")+"]", pick("null", "{}", `"x"`))
	}
	object := func(members ...string) string {
		d.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		members = slices.DeleteFunc(members, func(m string) bool { return m == "" || d.IntN(3) == 0 })
		return rarely("{"+strings.Join(members, ",")+"}", pick("null", "[]", "7"))
	}
	id := fmt.Sprint(100 + d.IntN(1_000_000))
	fresh := []string{`{"id":` + id + `,"sku":"aa"}`, `{"id":6,"sku":"b"}`, `{"id":"x","sku":"cc","size":{"width":0}}`, `{"id":3,"sku":"dd","colour":{"deep":1}}`, `{"id":4,"orderId":"o1","sku":"ee"}`, `{"id":5,"orderId":"o2","sku":"e"}`, rarely(`{"sku":"f"}`, "3")}
	patches := []string{`{"id":1,"sku":"xx"}`, `{"id":2,"sku":"x"}`, `{"id":1.0,"size":{"width":-1}}`, `{"id":2,"orderId":"o1"}`, `{"id":2,"orders":{}}`, rarely(`{"id":1}`, pick(`{"sku":"zz"}`, `{"id":"1"}`, `{"id":null}`, "[]"))}
	ids := []string{"1", "2", rarely("1", pick(`"1"`, "null", "1.5", "{}", "9"))}
	set, remove := "", ""
	if d.IntN(8) == 0 {
		set, remove = `"set":`+list(append(fresh, patches...)...), rarely("", `"remove":[]`)
	}
	lines := object(`"create":`+list(fresh...), `"update":`+list(patches...), `"delete":`+list(ids...), set, remove)
	if d.IntN(4) == 0 {
		lines = `{` + rarely(`"create":`+list(fresh...), set) + `}`
	}
	tags := object(`"connect":`+list(`"t1"`, `"t2"`, rarely(`"t1"`, "1")), `"disconnect":`+list(`"t1"`, `"t2"`, rarely(`"t2"`, "{}")), rarely("", `"set":`+list(`"t1"`, `"t1"`, `"t2"`)), rarely("", `"create":[]`))
	return `{"title":` + rarely(`"One"`, pick(`"O"`, "1")) + `,"lines":` + lines + rarely(`,"tags":`+tags, `,"other":1`) + `}`
}

// TestNestedJudge: the judge in JavaScript gives the verdict of the host on rows that belong to a row, but for
// what only the host knows: which rows there are, and the owner of a patch.
func TestNestedJudge(t *testing.T) {
	fsys := fstest.MapFS{}
	for name, text := range nestedFiles {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	p, err := facade.Read(fsys)
	if err != nil {
		t.Fatal(err)
	}
	f := storetest.New(t, p, storetest.NewStore(), nil)
	call := func(ctx context.Context, op, id, body string) error {
		c := &facade.Call{Entity: "order", Operation: op, Invocation: facade.Invocation{Body: json.RawMessage(body)}}
		if id != "" {
			c.Invocation.ID = json.RawMessage(id)
		}
		_, err := f.Call(ctx, c)
		return err
	}
	for _, tag := range []string{"t1", "t2"} {
		if _, err := f.Call(t.Context(), &facade.Call{Entity: "tag", Operation: "create", Invocation: facade.Invocation{Body: json.RawMessage(`{"id":"` + tag + `"}`)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := call(t.Context(), "create", "", `{"id":"o1","title":"One","lines":{"create":[{"id":1,"sku":"aa"},{"id":2,"sku":"bb"}]},"tags":{"connect":["t1"]}}`); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, client.Files); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "dist", "package.json"), []byte(`{"type":"module"}`))
	writeFile(t, filepath.Join(dir, "dist", "cards.js"), describe.Judges(f.Catalog()))
	writeFile(t, filepath.Join(dir, "dist", "run.js"), []byte(`
import { readFileSync } from "node:fs";
import { bodies, details } from "./cards.js";
for (const { op, body } of JSON.parse(readFileSync("cases.json"))) console.log(JSON.stringify(details(bodies["order." + op], JSON.parse(body)).map(({ path, pointer, code, message }) => ({ path, pointer, code, message }))));
`))
	type one struct {
		Op   string `json:"op"`
		Body string `json:"body"`
	}
	d := rand.New(rand.NewPCG(*from, 3))
	cases := []one{{"create", `{"title":"One","lines":{"create":[` + strings.TrimSuffix(strings.Repeat("3,", 1001), ",") + `]}}`}}
	for range 1500 {
		cases = append(cases, one{[]string{"create", "update"}[d.IntN(2)], nestedBody(d)})
	}
	text, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "dist", "cases.json"), text)
	verdicts := strings.Split(strings.TrimSpace(node(t, filepath.Join(dir, "dist"), "run.js")), "\n")
	if len(verdicts) != len(cases) {
		t.Fatalf("%d verdicts of %d cases", len(verdicts), len(cases))
	}
	undone := errors.New("undone")
	rows, accepted, known := 0, 0, 0
	for i, c := range cases {
		id := map[string]string{"update": `"o1"`}[c.Op]
		var err error
		if failed := f.Transact(t.Context(), "", func(ctx context.Context) error {
			err = call(ctx, c.Op, id, c.Body)
			return undone
		}); !errors.Is(failed, undone) {
			t.Fatal(failed)
		}
		type fault struct {
			Path    string `json:"path"`
			Pointer string `json:"pointer"`
			Code    string `json:"code"`
			Message string `json:"message"`
		}
		want, host := []fault{}, false
		if e := kiterror.AsError(err); e != nil && e.Code == kiterror.ValidationFailed {
			details, _ := e.Details.([]schema.Detail)
			for _, d := range details {
				if strings.Contains(d.Message, "that you may see") || c.Op == "update" && strings.Contains(d.Message, "the key of the owner") {
					host = true
					continue
				}
				want = append(want, fault{d.Path, d.Pointer, d.Code, d.Message})
			}
		} else if host = err != nil; host && e.Code != kiterror.Conflict {
			t.Fatalf("%s: %v", c.Body, err)
		}
		var got []fault
		if err := json.Unmarshal([]byte(verdicts[i]), &got); err != nil {
			t.Fatal(err)
		}
		if host { // the host does not judge the row of such a fault, or stops there
			known++
			continue
		}
		if len(want) == 0 {
			accepted++
		}
		for _, f := range want {
			if strings.Count(f.Pointer, "/") > 4 {
				rows++
				break
			}
		}
		g, _ := json.Marshal(got)
		w, _ := json.Marshal(want)
		if string(g) != string(w) {
			t.Errorf("%s %s\n host %s\n  got %s", c.Op, c.Body, w, g)
		}
	}
	t.Logf("%d bodies, %d accepted, %d with faults of rows, %d that only the host can judge", len(cases), accepted, rows, known)
	if accepted < 50 || rows < 50 {
		t.Errorf("of %d bodies %d are accepted, and %d have faults of rows: the cases say too little", len(cases), accepted, rows)
	}
}
