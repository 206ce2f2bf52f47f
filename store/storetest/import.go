package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// imported is a batch of products, each sku:price:seller.
func imported(products ...string) string {
	var all []string
	for _, p := range products {
		part := strings.Split(p, ":")
		all = append(all, fmt.Sprintf(`{"sku":%q,"price":%s,"sellerId":%q}`, part[0], part[1], part[2]))
	}
	return "[" + strings.Join(all, ",") + "]"
}

// wantImport imports products by sku: the answer without the messages of its faults.
func (w *manyWorld) wantImport(want, who, query, body string) {
	w.Helper()
	text, err := w.as(who, "product.import", query, body)
	if err != nil {
		text = short(err)
	} else {
		text = brief([]byte(text))
	}
	if text != want {
		w.Errorf("import %s %s as %q:\n got %s\nwant %s", query, body, who, text, want)
	}
}

// brief is the answer of an import in a few words: created, updated, rows, and of each fault its row,
// column and code.
func brief(answer []byte) string {
	get := func(of []byte, name string) string { return string(jsontext.Get(of, name)) }
	text := fmt.Sprint(get(answer, "created"), " created ", get(answer, "updated"), " updated of ", get(answer, "rows"))
	if get(answer, "complete") != "true" {
		text += " not complete"
	}
	for _, f := range jsontext.Elements(jsontext.Get(answer, "faults")) {
		text += fmt.Sprint("; ", get(f, "row"), " ", get(f, "column"), " ", get(f, "code"))
	}
	return strings.ReplaceAll(text, `"`, "")
}

func testImport(w *manyWorld) {
	const by = `{"by":"sku"}`
	w.wantImport("2 created 0 updated of 2", "admin", by, imported("aa:1:s", "bb:2:s"))
	w.wantImport("1 created 2 updated of 3", "admin", by, imported("bb:3:s", "cc:4:s", "aa:5:s"))
	w.wantImport("0 created 3 updated of 3", "admin", by, imported("bb:3:s", "cc:4:s", "aa:5:s"))
	w.holds("aa:5 bb:3 cc:4")
	w.wantImport("0 created 0 updated of 0", "admin", by, `[]`)

	// A row at fault is left out, and the others are written.
	w.wantImport("2 created 1 updated of 6; 1 sku minLength; 3 colour unknown_key; 3 price minimum; 4 null type", "admin", by,
		`[{"sku":"dd","price":1,"sellerId":"s"},{"sku":"e","price":1,"sellerId":"s"},{"sku":"aa","price":6,"sellerId":"s"},{"sku":"ff","price":-1,"sellerId":"s","colour":1},7,{"sku":"gg","price":1,"sellerId":"s"}]`)
	w.wantImport("1 created 0 updated of 2; 1 null CONFLICT", "admin", by, imported("hh:1:s", "hh:2:s"))
	w.wantImport("2 created 0 updated of 4; 1 brandId reference; 2 aisle unique; 2 place unique", "admin", by,
		`[{"sku":"ii","price":1,"sellerId":"s","aisle":"A","place":1},{"sku":"jj","price":1,"sellerId":"s","brandId":"none"},`+
			`{"sku":"kk","price":1,"sellerId":"s","aisle":"A","place":1},{"sku":"ll","price":1,"sellerId":"s"}]`)
	w.holds("aa:6 bb:3 cc:4 dd:1 gg:1 hh:1 ii:1 ll:1")

	// It ends at a number of faulty rows.
	w.wantImport("1 created 0 updated of 3 not complete; 1 sku minLength; 2 sku minLength", "admin", `{"by":"sku","faults":2}`, imported("mm:1:s", "x:1:s", "y:1:s", "nn:1:s"))
	// A key of several fields, and the primary key.
	w.wantImport("1 created 1 updated of 2", "admin", `{"by":["aisle","place"]}`,
		`[{"sku":"ii","price":9,"sellerId":"s","aisle":"A","place":1},{"sku":"oo","price":1,"sellerId":"s","aisle":"A","place":2}]`)
	w.wantImport("1 created 0 updated of 2; 1 id required", "admin", `{"by":"id"}`, `[{"id":"p","sku":"pp","price":1,"sellerId":"s"},{"sku":"qq","price":1,"sellerId":"s"}]`)
	// A field that does not change may be sent as it is, and not otherwise.
	w.wantImport("0 created 1 updated of 2; 1 sku immutable", "admin", `{"by":"id"}`,
		`[{"id":"p","sku":"pp","price":2,"sellerId":"s"},{"id":"`+w.idOf("aa")+`","sku":"zz","price":2,"sellerId":"s"}]`)

	for query, want := range map[string]string{
		``: "/query/by required", `{"by":"price"}`: "/query/by enum", `{"by":"sku","faults":0}`: "/query/faults minimum",
		`{"by":"sku","columns":"sku,colour,price"}`: "/query/columns/1 unknown_key",
		`{"by":"sku","dryRun":1}`:                   "/query/dryRun type", `{"by":"sku","skip":1}`: "/query/skip unknown_key",
	} {
		w.want("VALIDATION_FAILED "+want, "admin", "product.import", query, `[]`)
	}
	w.want("VALIDATION_FAILED /body type", "admin", "product.import", by, `{}`)
	w.want("VALIDATION_FAILED /body maxItems", "admin", "product.import", by, "["+strings.Repeat(`{},`, 1000)+"{}]")
	w.want("NOT_FOUND", "admin", "review.import", by, `[]`)
}

// idOf is the id of a product.
func (w *manyWorld) idOf(sku string) string {
	w.Helper()
	text, err := w.as("admin", "product.list", `{"filter":{"sku":{"eq":"`+sku+`"}},"fields":"id"}`, "")
	if err != nil {
		w.Fatal(err)
	}
	var page facade.List[struct{ ID string }]
	if err := json.Unmarshal([]byte(text), &page); err != nil || len(page.Items) != 1 {
		w.Fatal(text, err)
	}
	return page.Items[0].ID
}

func testImportRules(w *manyWorld) {
	const by = `{"by":"sku"}`
	w.put("aa:1:ann", "bb:1:bob")
	// A row of somebody else is a conflict, as for upsert; an own one is set by the rules.
	w.wantImport("1 created 1 updated of 3; 1 sku unique", "ann", by, `[{"sku":"aa","price":2},{"sku":"bb","price":2},{"sku":"cc","price":2}]`)
	w.wantImport("0 created 0 updated of 2; 0 cost unknown_key; 1 zz unknown_key; 1 sellerId read_only", "ann", by, `[{"sku":"dd","price":2,"cost":1},{"sku":"ee","price":2,"sellerId":"bob","zz":1}]`)
	w.holds("aa:2 bb:1 cc:2")
	w.want("FORBIDDEN", "clerk", "product.import", by, `[]`)
	w.want("UNAUTHORIZED", "", "product.import", by, `[]`)
}

func testImportHooks(w *manyWorld) {
	var after []string
	p := ManyProject(w)
	facade.Attach(p.Door("product"), "create", facade.Hook{
		Before: func(_ context.Context, c *facade.Call) (schema.Object, error) {
			if string(jsontext.Get(c.Invocation.Body, "sku")) == `"no"` {
				return nil, kiterror.Errorf(kiterror.UnprocessableEntity, "not this one")
			}
			return schema.Object{{Name: "place", Value: json.RawMessage("7")}}, nil
		},
		After: func(_ context.Context, _ *facade.Call, res *facade.Result) {
			after = append(after, string(jsontext.Get(res.AppendJSON(nil), "sku")))
		},
	})
	w.put("zz:1:s")
	w.facade = New(w, p, w.store, nil)
	batch := imported("aa:1:s", "no:1:s", "zz:2:s", "bb:1:s")
	for _, query := range []string{`{"by":"sku","dryRun":true}`, `{"by":"sku"}`} {
		w.wantImport("2 created 1 updated of 4; 1 null UNPROCESSABLE_ENTITY", "admin", query, batch)
		if strings.Contains(query, "dryRun") {
			w.holds("zz:1")
			if after != nil {
				w.Errorf("hooks ran after a dry run: %s", after)
			}
		}
	}
	w.holds("aa:1 bb:1 zz:2")
	if got := strings.Join(after, " "); got != `"aa" "bb"` {
		w.Errorf("hooks after: %s", got)
	}
	// One that is written by one statement is undone as well.
	w.facade = New(w, ManyProject(w), w.store, nil)
	w.wantImport("1 created 1 updated of 2", "admin", `{"by":"sku","dryRun":true}`, imported("aa:9:s", "cc:9:s"))
	w.holds("aa:1 bb:1 zz:2")
}
