package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Writes of many rows, over any store: whole or not at all, each row under the rules of its
// caller, and every fault with the place of its row.

// manyFiles are a project with writes of many rows. A seller sees and writes their own products; a
// deleted product takes its reviews along.
var manyFiles = map[string]string{
	"entities/brand.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  hidden: {type: boolean, x-kit: {lifecycle: {create: {value: false}}}}
`,
	"entities/product.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}
  sku: {type: string, minLength: 2, x-kit: {role: {unique: [[sku]]}, lifecycle: {update: forbidden}}}
  aisle: {type: [string, 'null'], x-kit: {role: {unique: [[aisle, place]]}, lifecycle: {create: optional}}}
  place: {type: [integer, 'null'], x-kit: {lifecycle: {create: optional}}}
  price: {type: integer, minimum: 0}
  status: {type: string, enum: [draft, sold], x-kit: {lifecycle: {create: {value: draft}}}}
  cost: {type: [integer, 'null'], x-kit: {lifecycle: {create: optional}}}
  sellerId: {type: string}
  brandId: {type: [string, 'null'], x-kit: {role: {relation: {to: brand, kind: one, onDelete: restrict}}, lifecycle: {create: optional}}}
  parentId: {type: [string, 'null'], x-kit: {role: {relation: {to: product, kind: one, onDelete: cascade}}, lifecycle: {create: optional}}}
  dims: {type: [object, 'null'], properties: {w: {type: integer}, h: {type: integer}}, required: [w], x-kit: {lifecycle: {create: optional}}}
required: [sku, price, sellerId]
`,
	"entities/review.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}
  productId: {type: string, x-kit: {role: {relation: {to: product, kind: one, onDelete: cascade}}}}
required: [productId]
`,
	"frond.yaml": `
name: shop
many: {product: '*', review: [create]}
changes: [product]
collectors:
  brand: [{when: user.role == "admin"}, {rows: {hidden: {eq: false}}}]
  product:
    - when: user.role == "admin"
    - when: user.role == "clerk"
      deny: [update, createMany]
    - when: user != nil
      rows: {sellerId: {eq: $user.id}}
      set: {sellerId: $user.id}
      hide: [cost]
    - allow: [list, findById]
      rows: {status: {eq: sold}}
`,
}

// ManyProject returns the project of [RunMany].
func ManyProject(tb testing.TB) *facade.Project {
	tb.Helper()
	fsys := fstest.MapFS{}
	for name, text := range manyFiles {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	p, err := facade.Read(fsys)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// manyWorld is a façade over a store that is tried.
type manyWorld struct {
	*testing.T
	facade *facade.Facade
	store  facade.Store
	opened func(testing.TB, []*schema.Entity) facade.Store // opens further stores
}

// RunMany runs the tests of writes of many rows, each over a store of its own.
func RunMany(t *testing.T, h Harness) {
	for _, test := range []struct {
		name string
		run  func(*manyWorld)
	}{
		{"createMany is whole or nothing", testCreateMany},
		{"createMany names the row of each fault", testCreateManyFaults},
		{"createMany under rules", testCreateManyRules},
		{"a row that moves is judged where it ends", testMoves},
		{"a key is judged after references and rules", testKeysLast},
		{"updateMany", testUpdateMany},
		{"deleteMany", testDeleteMany},
		{"upsert", testUpsert},
		{"upsert of rows that are not visible", testUpsertHidden},
		{"concurrent upserts of one key make one row", testUpsertRace},
		{"events of writes of many", testManyEvents},
		{"hooks and handlers run for each row", testManyHooks},
		{"import writes a batch by key", testImport},
		{"import under rules", testImportRules},
		{"rows are written together as one by one", testManyRandom},
		{"import runs hooks, and a dry run leaves nothing", testImportHooks},
		{"a cursor leads on when its row is gone", testGoneCursors},
		{"unique keys are judged at the end", testLateKeys},
		{"random moves against a model", testLateKeysRandom},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &manyWorld{T: t}
			w.open(h, nil)
			test.run(w)
		})
	}
}

// open compiles the project over a new store. attach may be nil.
func (w *manyWorld) open(h Harness, attach func(*facade.Project)) {
	w.Helper()
	p := ManyProject(w)
	if attach != nil {
		attach(p)
	}
	w.store, w.opened = h.Open(w, Compiled(w, p).Catalog.Set.Entities), h.Open
	w.facade = New(w, p, w.store, nil)
}

// as calls an operation for a user: an admin, a clerk, a seller by their id, or nobody.
func (w *manyWorld) as(who, method, query, body string) (string, *kiterror.Error) {
	w.Helper()
	in := facade.Invocation{}
	switch who {
	case "":
	case "admin", "clerk":
		in.State = map[string]any{"user": map[string]any{"id": who, "role": who}}
	default:
		in.State = map[string]any{"user": map[string]any{"id": who, "role": "seller"}}
	}
	if query != "" {
		in.Query = json.RawMessage(query)
	}
	if body != "" {
		in.Body = json.RawMessage(body)
	}
	return Call(w, w.facade, method, in)
}

// want calls and compares: the answer, or the code of the error with the pointers of its details.
func (w *manyWorld) want(want, who, method, query, body string) {
	w.Helper()
	text, err := w.as(who, method, query, body)
	if err != nil {
		text = short(err)
	}
	if text != want {
		w.Errorf("%s %s %s as %q:\n got %s\nwant %s", method, query, body, who, text, want)
	}
}

// short is the code of an error, and the pointers and codes of its details.
func short(err *kiterror.Error) string {
	text := string(err.Code)
	details, _ := err.Details.([]schema.Detail)
	for _, d := range details {
		text += " " + d.Pointer + " " + d.Code
	}
	return text
}

// skus are the products that there are, by their keys.
func (w *manyWorld) skus() string {
	w.Helper()
	text, err := w.as("admin", "product.list", `{"sort":"sku","fields":"sku,price","limit":500}`, "")
	if err != nil {
		w.Fatal(err)
	}
	var page facade.List[struct {
		SKU   string
		Price int
	}]
	if err := json.Unmarshal([]byte(text), &page); err != nil {
		w.Fatal(err)
	}
	var all []string
	for _, p := range page.Items {
		all = append(all, fmt.Sprint(p.SKU, ":", p.Price))
	}
	return strings.Join(all, " ")
}

func (w *manyWorld) holds(want string) {
	w.Helper()
	if got := w.skus(); got != want {
		w.Errorf("there is %q, want %q", got, want)
	}
}

// put creates products as the admin, each sku:price:seller.
func (w *manyWorld) put(products ...string) {
	w.Helper()
	var all []string
	for _, p := range products {
		part := strings.Split(p, ":")
		all = append(all, fmt.Sprintf(`{"id":"id-%s","sku":%q,"price":%s,"sellerId":%q}`, part[0], part[0], part[1], part[2]))
	}
	if _, err := w.as("admin", "product.createMany", `{"fields":[]}`, "["+strings.Join(all, ",")+"]"); err != nil {
		w.Fatal(err)
	}
}

func testCreateMany(w *manyWorld) {
	w.want(`{"items":[{"sku":"aa","status":"draft"},{"sku":"bb","status":"sold"}]}`, "admin", "product.createMany", `{"fields":"sku,status"}`,
		`[{"sku":"aa","price":1,"sellerId":"s"},{"sku":"bb","price":2,"sellerId":"s","status":"sold"}]`)
	w.want(`{"items":[]}`, "admin", "product.createMany", "", `[]`)
	w.holds("aa:1 bb:2")
	// Rows of one call may point at each other, in any order.
	w.want(`{"items":[{"id":"c","parentId":"d"},{"id":"d","parentId":null}]}`, "admin", "product.createMany", `{"fields":"id,parentId"}`,
		`[{"id":"c","sku":"cc","price":3,"sellerId":"s","parentId":"d"},{"id":"d","sku":"dd","price":4,"sellerId":"s"}]`)
	w.want(`VALIDATION_FAILED /body type`, "admin", "product.createMany", "", `{}`)
	w.want(`VALIDATION_FAILED /body type`, "admin", "product.createMany", "", ``)
	w.want(`VALIDATION_FAILED /body maxItems`, "admin", "product.createMany", "", "["+strings.Repeat(`{},`, 1000)+"{}]")
	var thousand []string
	for i := range 1000 {
		thousand = append(thousand, fmt.Sprintf(`{"sku":"s%03d","price":%d,"sellerId":"s"}`, i, i))
	}
	text, err := w.as("admin", "product.createMany", `{"fields":"sku"}`, "["+strings.Join(thousand, ",")+"]")
	if err != nil || strings.Count(text, `"sku"`) != 1000 || !strings.HasPrefix(text, `{"items":[{"sku":"s000"},{"sku":"s001"}`) {
		w.Errorf("1,000 rows: %.80s, %v", text, err)
	}
}

func testCreateManyFaults(w *manyWorld) {
	w.put("aa:1:s")
	w.want(`VALIDATION_FAILED /body/1/colour unknown_key /body/1/sku minLength /body/3 type`, "admin", "product.createMany", "",
		`[{"sku":"bb","price":2,"sellerId":"s"},{"sku":"x","price":2,"sellerId":"s","colour":1},{"sku":"cc","price":2,"sellerId":"s"},7]`)
	w.want(`CONFLICT /body/1/sku unique`, "admin", "product.createMany", "", `[{"sku":"bb","price":2,"sellerId":"s"},{"sku":"aa","price":2,"sellerId":"s"}]`)
	w.want(`CONFLICT /body/2/sku unique`, "admin", "product.createMany", "", `[{"sku":"bb","price":2,"sellerId":"s"},{"sku":"cc","price":2,"sellerId":"s"},{"sku":"bb","price":2,"sellerId":"s"}]`)
	w.want(`CONFLICT /body/0/sku unique /body/2/sku unique /body/3/id unique`, "admin", "product.createMany", "",
		`[{"sku":"aa","price":2,"sellerId":"s"},{"sku":"bb","price":2,"sellerId":"s"},{"sku":"bb","price":2,"sellerId":"s"},{"id":"id-aa","sku":"cc","price":2,"sellerId":"s"}]`)
	w.want(`CONFLICT /body/1/brandId reference`, "admin", "product.createMany", "", `[{"sku":"bb","price":2,"sellerId":"s"},{"sku":"cc","price":2,"sellerId":"s","brandId":"none"}]`)
	w.want(`CONFLICT /body/0/productId reference`, "admin", "review.createMany", "", `[{"productId":"none"},{"productId":"id-aa"}]`)
	w.holds("aa:1")
}

func testCreateManyRules(w *manyWorld) {
	w.want(`FORBIDDEN`, "clerk", "product.createMany", "", `[]`)
	w.want(`UNAUTHORIZED`, "", "product.createMany", "", `[]`)
	w.want(`{"items":[{"sku":"aa","sellerId":"ann"}]}`, "ann", "product.createMany", `{"fields":"sku,sellerId"}`, `[{"sku":"aa","price":1}]`)
	w.want(`VALIDATION_FAILED /body/0/cost unknown_key /body/1/sellerId read_only`, "ann", "product.createMany", "", `[{"sku":"bb","price":1,"cost":1},{"sku":"cc","price":1,"sellerId":"bob"}]`)
	w.want(`VALIDATION_FAILED /query/fields/0 unknown_key`, "ann", "product.createMany", `{"fields":"cost"}`, `[{"sku":"bb","price":1}]`)
	// A brand that the caller does not see is none; that of another row is not taken for it.
	for _, body := range []string{`{"id":"seen"}`, `{"id":"unseen","hidden":true}`} {
		if _, err := w.as("admin", "brand.create", "", body); err != nil {
			w.Fatal(err)
		}
	}
	w.want(`CONFLICT /body/1/brandId reference`, "ann", "product.createMany", "", `[{"sku":"bb","price":1,"brandId":"seen"},{"sku":"cc","price":1,"brandId":"unseen"}]`)
	w.want(`{"items":[{"brandId":"seen"},{"brandId":null}]}`, "ann", "product.createMany", `{"fields":"brandId"}`, `[{"sku":"bb","price":1,"brandId":"seen"},{"sku":"cc","price":1}]`)
	w.holds("aa:1 bb:1 cc:1")
}

func testUpdateMany(w *manyWorld) {
	w.put("aa:1:ann", "bb:2:ann", "cc:3:bob", "dd:4:ann")
	w.want(`{"count":2}`, "ann", "product.updateMany", `{"where":{"price":{"lt":4}}}`, `{"price":9}`)
	w.holds("aa:9 bb:9 cc:3 dd:4")
	w.want(`{"count":3,"items":[{"sku":"aa","price":7},{"sku":"bb","price":7},{"sku":"dd","price":7}]}`, "ann", "product.updateMany", `{"where":{"price":{"gte":0}},"fields":"sku,price"}`, `{"price":7}`)
	w.want(`{"count":0}`, "ann", "product.updateMany", `{"where":{"sku":{"eq":"cc"}}}`, `{"price":1}`)
	for _, where := range []string{`{}`, `{"and":[]}`, `{"and":[{}]}`, `{"or":[{},{"price":{"eq":1}}]}`, `{"not":{"or":[]}}`, `{"sku":{"notIn":[]}}`} {
		if _, err := w.as("admin", "product.updateMany", `{"where":`+where+`}`, `{"price":1}`); err == nil || err.Code != kiterror.ValidationFailed {
			w.Errorf("where %s: %v", where, err)
		}
	}
	w.want(`VALIDATION_FAILED /query/where required`, "admin", "product.updateMany", ``, `{"price":1}`)
	w.want(`VALIDATION_FAILED /query/max maximum`, "admin", "product.updateMany", `{"where":{"price":{"eq":1}},"max":10001}`, `{"price":1}`)
	w.want(`VALIDATION_FAILED /query/where/cost unknown_key`, "ann", "product.updateMany", `{"where":{"cost":{"eq":1}}}`, `{"price":1}`)
	w.want(`VALIDATION_FAILED /body/sku immutable /body/price minimum`, "admin", "product.updateMany", `{"where":{"price":{"eq":1}}}`, `{"sku":"zz","price":-1}`)
	w.want(`VALIDATION_FAILED /body type`, "admin", "product.updateMany", `{"where":{"price":{"eq":1}}}`, ``)
	w.want(`FORBIDDEN`, "clerk", "product.updateMany", `{"where":{"price":{"eq":1}}}`, `{"price":1}`)
	_, err := w.as("admin", "product.updateMany", `{"where":{"price":{"gte":0}},"max":3}`, `{"price":0}`)
	details, _ := err.Details.(map[string]any)
	if err == nil || err.Code != kiterror.UnprocessableEntity || details["count"] != 4.0 || details["max"] != 3.0 {
		w.Errorf("beyond max: %v %v", err, details)
	}
	// The second row breaks a constraint: nothing is written.
	w.want(`CONFLICT /body/aisle unique /body/place unique`, "admin", "product.updateMany", `{"where":{"price":{"gte":0}}}`, `{"aisle":"A","place":1}`)
	w.want(`{"count":0}`, "admin", "product.updateMany", `{"where":{"aisle":{"eq":"A"}}}`, `{}`)
	// A patch of a nested object is laid over each row.
	w.want(`VALIDATION_FAILED /body/dims/w required`, "admin", "product.updateMany", `{"where":{"sku":{"eq":"aa"}}}`, `{"dims":{"h":1}}`)
	w.want(`{"count":1}`, "admin", "product.updateMany", `{"where":{"sku":{"eq":"aa"}}}`, `{"dims":{"w":2,"h":1}}`)
	w.want(`{"count":1,"items":[{"dims":{"w":2,"h":3}}]}`, "admin", "product.updateMany", `{"where":{"sku":{"eq":"aa"}},"fields":"dims"}`, `{"dims":{"h":3}}`)
	w.holds("aa:7 bb:7 cc:3 dd:7")
}

func testDeleteMany(w *manyWorld) {
	w.put("aa:1:ann", "bb:2:ann", "cc:3:bob", "dd:4:ann")
	if _, err := w.as("admin", "product.create", "", `{"id":"e","sku":"ee","price":5,"sellerId":"ann","parentId":"id-aa"}`); err != nil {
		w.Fatal(err)
	}
	w.want(`{"count":0}`, "ann", "product.deleteMany", `{"where":{"sellerId":{"eq":"bob"}}}`, "")
	w.want(`VALIDATION_FAILED /query/where minProperties`, "ann", "product.deleteMany", `{"where":{}}`, "")
	w.want(`UNPROCESSABLE_ENTITY`, "ann", "product.deleteMany", `{"where":{"price":{"gte":1}},"max":2}`, "")
	w.holds("aa:1 bb:2 cc:3 dd:4 ee:5")
	// ee goes with aa, and both are counted.
	w.want(`{"count":3,"items":[{"sku":"ee"},{"sku":"aa"},{"sku":"bb"}]}`, "ann", "product.deleteMany", `{"where":{"sku":{"in":["aa","bb","ee"]}},"fields":"sku"}`, "")
	w.holds("cc:3 dd:4")
	w.want(`{"count":1}`, "admin", "product.deleteMany", `{"where":{"sku":{"eq":"cc"}},"max":1}`, "")
	w.holds("dd:4")
}

func testUpsert(w *manyWorld) {
	w.want(`{"created":true,"item":{"sku":"aa","price":1,"status":"draft"}}`, "admin", "product.upsert", `{"by":"sku","fields":"sku,price,status"}`, `{"sku":"aa","price":1,"sellerId":"s"}`)
	if _, err := w.as("admin", "product.updateMany", `{"where":{"sku":{"eq":"aa"}}}`, `{"status":"sold"}`); err != nil {
		w.Fatal(err)
	}
	// Defaults are those of a new row: an update keeps what is not sent.
	w.want(`{"created":false,"item":{"sku":"aa","price":2,"status":"sold"}}`, "admin", "product.upsert", `{"by":"sku","fields":"sku,price,status"}`, `{"sku":"aa","price":2,"sellerId":"s"}`)
	w.want(`{"created":true,"item":{"sku":"bb"}}`, "admin", "product.upsert", `{"by":["place","aisle"],"fields":"sku"}`, `{"sku":"bb","price":3,"sellerId":"s","aisle":"A","place":1}`)
	w.want(`VALIDATION_FAILED /body/sku immutable`, "admin", "product.upsert", `{"by":"aisle,place","fields":"sku"}`, `{"sku":"cc","price":3,"sellerId":"s","aisle":"A","place":1}`)
	w.want(`CONFLICT /body/sku unique`, "admin", "product.upsert", `{"by":"aisle,place"}`, `{"sku":"bb","price":3,"sellerId":"s","aisle":"A","place":2}`)
	w.want(`VALIDATION_FAILED /body/place required`, "admin", "product.upsert", `{"by":"aisle,place"}`, `{"sku":"cc","price":3,"sellerId":"s","aisle":"A"}`)
	w.want(`VALIDATION_FAILED /query/by enum`, "admin", "product.upsert", `{"by":"price"}`, `{"sku":"cc","price":3,"sellerId":"s"}`)
	w.want(`VALIDATION_FAILED /query/by required`, "admin", "product.upsert", ``, `{"sku":"cc","price":3,"sellerId":"s"}`)
	w.want(`VALIDATION_FAILED /query/by required /body/price required /body/sellerId required`, "admin", "product.upsert", ``, `{"sku":"cc"}`)
	w.want(`{"created":true,"item":{"id":"x"}}`, "admin", "product.upsert", `{"by":"id","fields":"id"}`, `{"id":"x","sku":"dd","price":4,"sellerId":"s"}`)
	w.want(`{"created":false,"item":{"price":5}}`, "admin", "product.upsert", `{"by":"id","fields":"price"}`, `{"id":"x","sku":"dd","price":5,"sellerId":"s"}`)
	w.want(`VALIDATION_FAILED /body/sku immutable`, "admin", "product.upsert", `{"by":"id"}`, `{"id":"x","sku":"ee","price":5,"sellerId":"s"}`)
	w.want(`FORBIDDEN`, "clerk", "product.upsert", `{"by":"sku"}`, `{"sku":"ff","price":3,"sellerId":"s"}`)
	w.holds("aa:2 bb:3 dd:5")
}

func testUpsertHidden(w *manyWorld) {
	w.put("aa:1:bob")
	w.want(`CONFLICT /body/sku unique`, "ann", "product.upsert", `{"by":"sku"}`, `{"sku":"aa","price":2}`)
	w.want(`{"created":true,"item":{"sellerId":"ann"}}`, "ann", "product.upsert", `{"by":"sku","fields":"sellerId"}`, `{"sku":"bb","price":2}`)
	w.want(`{"created":false,"item":{"price":3}}`, "ann", "product.upsert", `{"by":"sku","fields":"price"}`, `{"sku":"bb","price":3}`)
	// The answer about a row of somebody else does not depend on its values.
	w.want(`CONFLICT /body/id unique`, "ann", "product.upsert", `{"by":"id"}`, `{"id":"id-aa","sku":"aa","price":2}`)
	w.want(`CONFLICT /body/id unique`, "ann", "product.upsert", `{"by":"id"}`, `{"id":"id-aa","sku":"zz","price":2}`)
	w.want(`VALIDATION_FAILED /body/cost unknown_key`, "ann", "product.upsert", `{"by":"sku"}`, `{"sku":"bb","price":3,"cost":1}`)
	w.holds("aa:1 bb:3")
}

func testUpsertRace(w *manyWorld) {
	const callers, rounds = 8, 10
	for round := range rounds {
		var wait sync.WaitGroup
		var mu sync.Mutex
		created := 0
		for i := range callers {
			wait.Go(func() {
				text, err := w.as("admin", "product.upsert", `{"by":"sku","fields":"sku"}`, fmt.Sprintf(`{"sku":"r%d","price":%d,"sellerId":"s"}`, round, i))
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err != nil:
					w.Errorf("round %d: %v", round, err)
				case strings.HasPrefix(text, `{"created":true`):
					created++
				}
			})
		}
		wait.Wait()
		if created != 1 {
			w.Errorf("round %d: %d calls say that they have created the row", round, created)
		}
	}
	if got := strings.Count(w.skus(), ":"); got != rounds {
		w.Errorf("there are %d rows of %d keys", got, rounds)
	}
}

func testManyEvents(w *manyWorld) {
	outbox := w.store.Abilities().Outbox
	from, _, err := outbox.Relay(context.Background())
	if err != nil {
		w.Fatal(err)
	}
	w.put("aa:1:ann", "bb:2:ann")
	w.want(`{"count":2}`, "admin", "product.updateMany", `{"where":{"price":{"gte":0}}}`, `{"price":3}`)
	w.want(`CONFLICT /body/aisle unique /body/place unique`, "admin", "product.updateMany", `{"where":{"price":{"gte":0}}}`, `{"aisle":"A","place":1}`)
	w.want(`{"created":false,"item":{"sku":"aa"}}`, "admin", "product.upsert", `{"by":"sku","fields":"sku"}`, `{"sku":"aa","price":4,"sellerId":"ann"}`)
	batch := `[{"id":"id-cc","sku":"cc","price":5,"sellerId":"ann"},{"sku":"aa","price":5,"sellerId":"ann"},{"sku":"x","price":5,"sellerId":"ann"}]`
	for _, query := range []string{`{"by":"sku","dryRun":true}`, `{"by":"sku"}`} {
		w.wantImport("1 created 1 updated of 3; 2 sku minLength", "admin", query, batch)
	}
	w.want(`{"count":3}`, "admin", "product.deleteMany", `{"where":{"price":{"gte":0}}}`, "")
	if _, _, err := outbox.Relay(context.Background()); err != nil {
		w.Fatal(err)
	}
	var all []string
	events, _, err := outbox.Log(context.Background(), from, nil, 1000)
	if err != nil {
		w.Fatal(err)
	}
	for _, e := range events {
		all = append(all, string(e.Change)+" "+string(e.Key))
	}
	want := `created "id-aa", created "id-bb", updated "id-aa", updated "id-bb", updated "id-aa", created "id-cc", updated "id-aa", deleted "id-aa", deleted "id-bb", deleted "id-cc"`
	if got := strings.Join(all, ", "); got != want {
		w.Errorf("events:\n got %s\nwant %s", got, want)
	}
}

func testManyHooks(w *manyWorld) {
	var before, after []string
	name := func(body json.RawMessage) string { return string(jsontext.Get(body, "sku")) }
	p := ManyProject(w)
	product := p.Door("product")
	facade.Attach(product, "create", facade.Hook{
		Before: func(_ context.Context, c *facade.Call) (schema.Object, error) {
			before = append(before, name(c.Invocation.Body))
			if name(c.Invocation.Body) == `"no"` {
				return nil, kiterror.Errorf(kiterror.Conflict, "not this one")
			}
			return schema.Object{{Name: "place", Value: json.RawMessage("7")}}, nil
		},
		After: func(_ context.Context, _ *facade.Call, res *facade.Result) {
			after = append(after, name(res.AppendJSON(nil)))
		},
	})
	facade.Handle(p.Door("review"), "create", func(ctx context.Context, c *facade.Call) (any, error) {
		return facade.Inside(ctx).Call(ctx, &facade.Call{Entity: "review", Operation: "create", Invocation: facade.Invocation{
			Body: schema.Object{{Name: "id", Value: json.RawMessage(`"handled"`)}, {Name: "productId", Value: jsontext.Get(c.Invocation.Body, "productId")}}.AppendJSON(nil),
		}})
	})
	w.facade = New(w, p, w.store, nil)
	w.want(`{"items":[{"sku":"aa","place":7},{"sku":"bb","place":7}]}`, "admin", "product.createMany", `{"fields":"sku,place"}`, `[{"id":"a","sku":"aa","price":1,"sellerId":"s"},{"sku":"bb","price":1,"sellerId":"s"}]`)
	w.want(`CONFLICT`, "admin", "product.createMany", "", `[{"sku":"cc","price":1,"sellerId":"s"},{"sku":"no","price":1,"sellerId":"s"}]`)
	w.want(`VALIDATION_FAILED /body/1/price required`, "admin", "product.createMany", "", `[{"sku":"dd","price":1,"sellerId":"s"},{"sku":"ee","sellerId":"s"}]`)
	if got := strings.Join(before, " "); got != `"aa" "bb" "cc" "no"` {
		w.Errorf("hooks before: %s", got)
	}
	if got := strings.Join(after, " "); got != `"aa" "bb"` {
		w.Errorf("hooks after: %s", got)
	}
	w.want(`{"items":[{"id":"handled","productId":"a"}]}`, "admin", "review.createMany", "", `[{"productId":"a"}]`)
	w.want(`CONFLICT /body/0/id unique`, "admin", "review.createMany", "", `[{"productId":"a"},{"productId":"a"}]`)
	w.holds("aa:1 bb:1")
}
