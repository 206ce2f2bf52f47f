package facade_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/facade/remote"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// linkedFiles has products with tags. Members see no secret tags and no hidden rows in between, guests
// see none of those at all.
var linkedFiles = map[string]string{
	"entities/product.yaml": `
title: product
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string, minLength: 2}
required: [id, name]
`,
	"entities/tag.yaml": `
title: tag
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
  secret: {type: boolean, x-kit: {lifecycle: {create: {value: false}}}}
required: [id, name]
`,
	"entities/productTag.yaml": `
title: productTag
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: nanoid}}}}
  productId: {x-kit: {role: {relation: {to: product, kind: one, onDelete: cascade}, unique: [[productId, tagId]]}}}
  tagId: {x-kit: {role: {relation: {to: tag, kind: one}}}}
  hidden: {type: boolean, x-kit: {lifecycle: {create: {value: false}}}}
required: [productId, tagId]
`,
	"frond.yaml": `
name: shop
relations: {product.tags: {through: productTag, inverse: products}}
nested: {product: [tags], tag: [products]}
many: {product: '*', tag: '*', productTag: '*'}
collectors:
  product: open
  tag:
    - when: user.role == "admin"
    - rows: {secret: {eq: false}}
  productTag:
    - when: user.role == "admin"
    - when: user.role == "reader"
      rows: {hidden: {eq: false}}
      deny: [create, delete]
    - when: user.role == "member"
      rows: {hidden: {eq: false}}
    - deny: all
`,
}

func linkedProject(t *testing.T, change func(files map[string]string)) (*facade.Project, error) {
	t.Helper()
	files := map[string]string{}
	for name, text := range linkedFiles {
		files[name] = text
	}
	change(files)
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return facade.Read(fsys)
}

// linkedCaller returns a function that calls the project as user.role who.
func linkedCaller(t *testing.T) func(who, method, id, query, body string) string {
	t.Helper()
	p, err := linkedProject(t, func(map[string]string) {})
	if err != nil {
		t.Fatal(err)
	}
	return linkedCalls(storetest.New(t, p, storetest.NewStore(), nil))
}

// linkedCalls returns a function that calls a façade as user.role who.
func linkedCalls(f *facade.Facade) func(who, method, id, query, body string) string {
	return func(who, method, id, query, body string) string {
		in := facade.Invocation{ID: raw(id), Query: raw(query), Body: raw(body), State: access.State{"user": map[string]any{"id": who, "role": who}}}
		entity, op, _ := strings.Cut(method, ".")
		res, err := f.Call(context.Background(), &facade.Call{Entity: entity, Operation: op, Invocation: in})
		if err == nil {
			return string(res.AppendJSON(nil))
		}
		e := kiterror.AsError(err)
		text := string(e.Code)
		if details, ok := e.Details.([]schema.Detail); ok {
			for _, d := range details {
				text += " " + d.Pointer + ":" + d.Code
			}
		}
		return text
	}
}

// TestManyToMany reads through the rows in between: each caller follows those that they may list, to
// rows that they may list.
func TestManyToMany(t *testing.T) {
	call := linkedCaller(t)
	for _, row := range []string{
		`tag {"id":"t1","name":"red"}`, `tag {"id":"t2","name":"blue"}`, `tag {"id":"t3","name":"dark","secret":true}`,
		`product {"id":"p1","name":"One","tags":{"connect":["t1","t2","t3"]}}`, `product {"id":"p2","name":"Two"}`, `product {"id":"p3","name":"Three"}`,
		`productTag {"productId":"p2","tagId":"t1","hidden":true}`, `productTag {"productId":"p2","tagId":"t2"}`,
	} {
		entity, body, _ := strings.Cut(row, " ")
		if got := call("admin", entity+".create", "", `{"fields":"id"}`, body); !strings.HasPrefix(got, `{"id"`) {
			t.Fatalf("create %s: %s", row, got)
		}
	}
	for _, c := range []struct{ name, who, method, query, want string }{
		{
			"all rows", "admin", "product.list", `{"fields":"id,tags.name","total":false}`,
			`{"items":[{"id":"p1","tags":{"items":[{"name":"red"},{"name":"blue"},{"name":"dark"}],"hasMore":false}},{"id":"p2","tags":{"items":[{"name":"red"},{"name":"blue"}],"hasMore":false}},{"id":"p3","tags":{"items":[],"hasMore":false}}]`,
		},
		{
			"a limit", "admin", "product.list", `{"fields":"id,tags(limit:1).id","limit":1,"total":false}`,
			`{"items":[{"id":"p1","tags":{"items":[{"id":"t1"}],"hasMore":true}}]`,
		},
		{
			"no hidden link and no hidden row", "member", "product.list", `{"fields":"id,tags.name","total":false}`,
			`{"items":[{"id":"p1","tags":{"items":[{"name":"red"},{"name":"blue"}],"hasMore":false}},{"id":"p2","tags":{"items":[{"name":"blue"}],"hasMore":false}},{"id":"p3","tags":{"items":[],"hasMore":false}}]`,
		},
		{"no relation without the rows in between", "guest", "product.list", `{"fields":"id,tags.name"}`, `VALIDATION_FAILED /query/fields/1:unknown_key`},
		{"no filter without them", "guest", "product.list", `{"filter":{"tags":{"some":{}}}}`, `VALIDATION_FAILED /query/filter/tags:unknown_key`},
		{"some", "admin", "product.list", `{"fields":"id","filter":{"tags":{"some":{"name":{"eq":"red"}}}},"total":false}`, `{"items":[{"id":"p1"},{"id":"p2"}]`},
		{"some, without hidden links", "member", "product.list", `{"fields":"id","filter":{"tags":{"some":{"name":{"eq":"red"}}}},"total":false}`, `{"items":[{"id":"p1"}]`},
		{"some, without hidden rows", "member", "product.list", `{"fields":"id","filter":{"tags":{"some":{"name":{"eq":"dark"}}}},"total":false}`, `{"items":[]`},
		{"none", "member", "product.list", `{"fields":"id","filter":{"tags":{"none":{"name":{"eq":"red"}}}},"total":false}`, `{"items":[{"id":"p2"},{"id":"p3"}]`},
		{"every", "admin", "product.list", `{"fields":"id","filter":{"tags":{"every":{"name":{"in":["red","blue"]}}}},"total":false}`, `{"items":[{"id":"p2"},{"id":"p3"}]`},
		{"every, of those that are there", "member", "product.list", `{"fields":"id","filter":{"tags":{"every":{"name":{"eq":"blue"}}}},"total":false}`, `{"items":[{"id":"p2"},{"id":"p3"}]`},
		{"the other side", "member", "tag.list", `{"fields":"id,products.name","filter":{"products":{"some":{}}},"total":false}`, `{"items":[{"id":"t1","products":{"items":[{"name":"One"}],"hasMore":false}},{"id":"t2","products":{"items":[{"name":"One"},{"name":"Two"}],"hasMore":false}}]`},
		{"two levels", "member", "product.findById", `{"fields":"tags.products.id"}`, `{"tags":{"items":[{"products":{"items":[{"id":"p1"},{"id":"p2"}],"hasMore":false}}],"hasMore":false}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			id := ""
			if strings.HasSuffix(c.method, "findById") {
				id = `"p2"`
			}
			got := call(c.who, c.method, id, c.query, "")
			if i := strings.Index(got, `,"total"`); i > 0 {
				got = got[:i]
			} else if i := strings.LastIndex(got, `,"hasMore"`); i > 0 && strings.HasPrefix(got, `{"items"`) {
				got = got[:i]
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestConnect writes rows in between with one of their sides. Each step has the answer and the links
// afterwards.
func TestConnect(t *testing.T) {
	call := linkedCaller(t)
	for _, row := range []string{`tag {"id":"t1","name":"red"}`, `tag {"id":"t2","name":"blue"}`, `tag {"id":"t3","name":"dark","secret":true}`} {
		entity, body, _ := strings.Cut(row, " ")
		call("admin", entity+".create", "", "", body)
	}
	links := func() string {
		page := call("admin", "productTag.list", "", `{"fields":"productId,tagId","sort":"productId,tagId","total":false}`, "")
		items, _, _ := strings.Cut(strings.TrimPrefix(page, `{"items":`), `,"total"`)
		if i := strings.LastIndex(items, `,"hasMore"`); i > 0 {
			items = items[:i]
		}
		return strings.NewReplacer(`"productId":`, "", `,"tagId":`, "-", `"`, "", "{", "", "}", "").Replace(items)
	}
	for _, c := range []struct{ name, who, method, id, body, want, links string }{
		{"create connects", "member", "product.create", "", `{"id":"p1","name":"One","tags":{"connect":["t1"]}}`, `{"id":"p1"}`, `[p1-t1]`},
		{"one that is connected stays, one that is not stays away", "member", "product.update", `"p1"`, `{"tags":{"connect":["t1","t2"],"disconnect":["t9"]}}`, `{"id":"p1"}`, `[p1-t1,p1-t2]`},
		{"an unknown row, and one that is hidden, are the same", "member", "product.update", `"p1"`, `{"name":"Uno","tags":{"connect":["t9","t1","t3"]}}`, `VALIDATION_FAILED /body/tags/connect/0:reference /body/tags/connect/2:reference`, `[p1-t1,p1-t2]`},
		{"nothing of a refused body is written", "member", "product.update", `"p1"`, `{"name":"U","tags":{"disconnect":["t1"]}}`, `VALIDATION_FAILED /body/name:minLength`, `[p1-t1,p1-t2]`},
		{"a row is named once", "member", "product.update", `"p1"`, `{"tags":{"connect":["t1"],"disconnect":["t1"]}}`, `VALIDATION_FAILED /body/tags/disconnect/0:reference`, `[p1-t1,p1-t2]`},
		{"the form", "member", "product.update", `"p1"`, `{"tags":{"connect":"t1","create":[]}}`, `VALIDATION_FAILED /body/tags/connect:type /body/tags/create:unknown_key`, `[p1-t1,p1-t2]`},
		{"an id of another type", "member", "product.update", `"p1"`, `{"tags":{"set":[7]}}`, `VALIDATION_FAILED /body/tags/set/0:type`, `[p1-t1,p1-t2]`},
		{"set is alone", "member", "product.update", `"p1"`, `{"tags":{"set":[],"connect":["t1"]}}`, `VALIDATION_FAILED /body/tags:set`, `[p1-t1,p1-t2]`},
		{"the rows in between keep their rules", "reader", "product.update", `"p1"`, `{"tags":{"disconnect":["t1"]}}`, `FORBIDDEN`, `[p1-t1,p1-t2]`},
		{"there too", "reader", "product.create", "", `{"id":"p2","name":"Two","tags":{"connect":["t1"]}}`, `FORBIDDEN`, `[p1-t1,p1-t2]`},
		{"those without the rows in between have no relation", "guest", "product.update", `"p1"`, `{"tags":{"connect":["t1"]}}`, `VALIDATION_FAILED /body/tags:unknown_key`, `[p1-t1,p1-t2]`},
		{"an admin connects a secret tag", "admin", "product.update", `"p1"`, `{"tags":{"connect":["t3"]}}`, `{"id":"p1"}`, `[p1-t1,p1-t2,p1-t3]`},
		{"a hidden row is unknown where it is connected already", "member", "product.update", `"p1"`, `{"tags":{"connect":["t3"]}}`, `VALIDATION_FAILED /body/tags/connect/0:reference`, `[p1-t1,p1-t2,p1-t3]`},
		{"a hidden row is not disconnected", "member", "product.update", `"p1"`, `{"tags":{"disconnect":["t3"]}}`, `{"id":"p1"}`, `[p1-t1,p1-t2,p1-t3]`},
		{"set removes only rows that the caller sees", "member", "product.update", `"p1"`, `{"tags":{"set":["t2"]}}`, `{"id":"p1"}`, `[p1-t2,p1-t3]`},
		{"the other side", "admin", "tag.update", `"t1"`, `{"products":{"connect":["p1"]}}`, `{"id":"t1"}`, `[p1-t1,p1-t2,p1-t3]`},
		{"set of all", "admin", "product.update", `"p1"`, `{"tags":{"set":["t1","t2"]}}`, `{"id":"p1"}`, `[p1-t1,p1-t2]`},
		{"createMany connects each row", "member", "product.createMany", "", `[{"id":"p3","name":"Three","tags":{"connect":["t1","t2"]}},{"id":"p4","name":"Four"},{"id":"p5","name":"Five","tags":{"set":["t1"]}}]`, `{"items":[{"id":"p3"},{"id":"p4"},{"id":"p5"}]}`, `[p1-t1,p1-t2,p3-t1,p3-t2,p5-t1]`},
		{"an unknown row of createMany has its place", "member", "product.createMany", "", `[{"id":"p6","name":"Six","tags":{"connect":["t1","t9"]}},{"id":"p7","name":"Seven","tags":{"set":["t3"]}}]`, `VALIDATION_FAILED /body/0/tags/connect/1:reference /body/1/tags/set/0:reference`, `[p1-t1,p1-t2,p3-t1,p3-t2,p5-t1]`},
		{"the rows in between keep their rules there", "reader", "product.createMany", "", `[{"id":"p6","name":"Six","tags":{"connect":["t1","t2"]}}]`, `FORBIDDEN`, `[p1-t1,p1-t2,p3-t1,p3-t2,p5-t1]`},
		{"createMany without the rows in between has no relation", "guest", "product.createMany", "", `[{"id":"p6","name":"Six","tags":{"connect":["t1"]}}]`, `VALIDATION_FAILED /body/0/tags:unknown_key`, `[p1-t1,p1-t2,p3-t1,p3-t2,p5-t1]`},
		{"updateMany connects all rows", "member", "product.updateMany", "", `{"tags":{"connect":["t2"],"disconnect":["t1"]}}`, `{"count":3,"items":[{"id":"p3"},{"id":"p4"},{"id":"p5"}]}`, `[p1-t1,p1-t2,p3-t2,p4-t2,p5-t2]`},
		{"upsert connects a row that is there", "member", "product.upsert", "", `{"id":"p5","name":"Cinq","tags":{"set":["t1"]}}`, `{"created":false,"item":{"id":"p5"}}`, `[p1-t1,p1-t2,p3-t2,p4-t2,p5-t1]`},
		{"and one that is new", "member", "product.upsert", "", `{"id":"p6","name":"Six","tags":{"connect":["t1"]}}`, `{"created":true,"item":{"id":"p6"}}`, `[p1-t1,p1-t2,p3-t2,p4-t2,p5-t1,p6-t1]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			query := `{"fields":"id"}`
			switch c.method {
			case "product.updateMany":
				query = `{"fields":"id","where":{"id":{"gte":"p3"}}}`
			case "product.upsert":
				query = `{"fields":"id","by":"id"}`
			}
			if got := call(c.who, c.method, c.id, query, c.body); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if got := links(); got != c.links {
				t.Errorf("links are %s\nwant      %s", got, c.links)
			}
		})
	}
}

// TestFaultsOfRowsAndLinks: a body has its faults at once, those of rows and those of links, whichever relation is
// written first. Nothing of it is written.
func TestFaultsOfRowsAndLinks(t *testing.T) {
	for _, order := range []string{"[lines, tags]", "[tags, lines]"} {
		p, err := linkedProject(t, func(files map[string]string) {
			files["entities/product.yaml"] = strings.Replace(files["entities/product.yaml"], "required:", "  lines: {type: array, items: {type: string}, x-kit: {role: {relation: {to: line, kind: many, by: productId}}}}\nrequired:", 1)
			files["entities/line.yaml"] = "title: line\ntype: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n" +
				"  productId: {type: string, x-kit: {role: {relation: {to: product, kind: one, onDelete: cascade}, unique: [[productId, n]]}}}\n  n: {type: integer, minimum: 0}\nrequired: [id, productId, n]\n"
			files["frond.yaml"] = strings.NewReplacer("product: [tags]", "product: "+order, "  product: open", "  product: open\n  line:\n    - when: user.role == \"admin\"\n    - {rows: {n: {lt: 8}}}").Replace(files["frond.yaml"])
		})
		if err != nil {
			t.Fatal(err)
		}
		call := linkedCalls(storetest.New(t, p, storetest.NewStore(), nil))
		call("admin", "tag.create", "", "", `{"id":"t1","name":"red"}`)
		const first = `{"items":[{"id":"p1","lines":{"items":[{"id":"l1","n":1},{"id":"l2","n":2}],"hasMore":false},"tags":{"items":[{"id":"t1"}],"hasMore":false}}],`
		call("admin", "product.create", "", "", `{"id":"p1","name":"One","lines":{"create":[{"id":"l1","n":1},{"id":"l2","n":2}]},"tags":{"connect":["t1"]}}`)
		for _, c := range []struct{ name, method, id, body, want string }{
			{
				"create", "product.create", "", `{"id":"p2","name":"Two","lines":{"create":[{"id":"x","n":-1},{"id":"y","n":2}]},"tags":{"connect":["t9","t1","t1"]}}`,
				`/body/lines/create/0/n:minimum /body/tags/connect/0:reference /body/tags/connect/2:reference`,
			},
			{
				"createMany", "product.createMany", "", `[{"id":"p2","name":"Two","lines":{"create":[{"id":"x","n":-1}]}},{"id":"p3","name":"Three","lines":{"create":[{"id":"y","n":"no"}]},"tags":{"set":["t1","t8"]}}]`,
				`/body/0/lines/create/0/n:minimum /body/1/lines/create/0/n:type /body/1/tags/set/1:reference`,
			},
			{
				"update", "product.update", `"p1"`, `{"lines":{"update":[{"id":"l1","n":-2},{"id":"l7","n":3}],"delete":["l2","l8"],"create":[{"id":"x","n":-1},{"id":"y","n":2}]},"tags":{"connect":["t9"],"disconnect":["t1",7]}}`,
				`/body/lines/update/0/n:minimum /body/lines/update/1:reference /body/lines/delete/1:reference /body/lines/create/0/n:minimum /body/tags/connect/0:reference /body/tags/disconnect/1:type`,
			},
			{
				"set", "product.update", `"p1"`, `{"lines":{"set":[{"id":"l9","n":1},{"id":"y","n":-4}]},"tags":{"set":["t9"]}}`,
				`/body/lines/set/0:reference /body/lines/set/1:reference /body/tags/set/0:reference`,
			},
			{
				"the key of another owner", "product.update", `"p1"`, `{"lines":{"create":[{"id":"x","productId":"p9","n":4}]},"tags":{"connect":["t9"]}}`,
				`/body/lines/create/0/productId:read_only /body/tags/connect/0:reference`,
			},
			{
				"a conflict beside a fault", "product.update", `"p1"`, `{"lines":{"update":[{"id":"l9","n":2}],"create":[{"id":"x","n":2}]}}`,
				`/body/lines/update/0:reference`,
			},
			{
				"a refused row beside a fault", "product.update", `"p1"`, `{"lines":{"update":[{"id":"l9","n":2}],"create":[{"id":"x","n":9}]}}`,
				`/body/lines/update/0:reference`,
			},
			{
				"upsert", "product.upsert", "", `{"id":"p1","name":"One","lines":{"update":[{"id":"l1","n":-1}]},"tags":{"connect":["t9"]}}`,
				`/body/lines/update/0/n:minimum /body/tags/connect/0:reference`,
			},
		} {
			query := ""
			if c.method == "product.upsert" {
				query = `{"by":"id"}`
			}
			got, want := strings.Fields(call("member", c.method, c.id, query, c.body)), strings.Fields("VALIDATION_FAILED "+c.want)
			slices.Sort(got)
			if slices.Sort(want); !slices.Equal(got, want) {
				t.Errorf("%s, %s\ngot  %s\nwant %s", order, c.name, got, want)
			}
			if got := call("admin", "product.list", "", `{"fields":"id,lines.id,lines.n,tags.id","total":false}`, ""); !strings.HasPrefix(got, first) {
				t.Errorf("%s, %s: there is %s", order, c.name, got)
			}
		}
	}
}

// TestManyToManyElsewhere reads and writes through rows in between that another host keeps: a gateway in
// front has the relation, and the other host its rules.
func TestManyToManyElsewhere(t *testing.T) {
	p, err := linkedProject(t, func(map[string]string) {})
	if err != nil {
		t.Fatal(err)
	}
	there := served(t, storetest.New(t, p, storetest.NewStore(), nil))
	document, err := there.Discover(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	known, err := schema.ReadDiscovery(document)
	if err != nil {
		t.Fatal(err)
	}
	gateway := func(rules string) func(who, method, id, query, body string) string {
		p := &facade.Project{Registry: schema.Builtins(), Fronds: []*project.Frond{project.Discovered(&known.Fronds[0], "rpc.discover")}}
		p.Fronds[0].Remote = "http://there.example"
		if rules != "" {
			p.Fronds[0].Config = project.Text{File: "frond.yaml", Data: []byte(rules)}
		}
		remotes := map[string]facade.Caller{"shop": there}
		f, err := facade.New(storetest.Compiled(t, p), nil, &facade.Options{Remotes: remote.New(remotes)})
		if err != nil {
			t.Fatal(err)
		}
		remotes["shop"] = there.With(f.Catalog())
		return linkedCalls(f)
	}
	call, ruled := gateway(""), gateway("collectors: {productTag: [{rows: {hidden: {eq: false}}}], tag: open, product: open}")
	for _, c := range []struct {
		name                     string
		call                     func(who, method, id, query, body string) string
		who, method, query, body string
		want                     string
	}{
		{"a tag", call, "admin", "tag.create", `{"fields":"id"}`, `{"id":"t1","name":"red"}`, `{"id":"t1"}`},
		{"connected at create", call, "admin", "product.create", `{"fields":"id"}`, `{"id":"p1","name":"One","tags":{"connect":["t1"]}}`, `{"id":"p1"}`},
		{"a fault has its place", call, "admin", "product.create", "", `{"id":"p2","name":"Two","tags":{"connect":["t1","t9"]}}`, `VALIDATION_FAILED /body/tags/connect/1:reference`},
		{"the rows", call, "admin", "product.list", `{"fields":"id,tags.name","limit":1,"total":false}`, "", `{"items":[{"id":"p1","tags":{"items":[{"name":"red"}],"hasMore":false}}],`},
		{"the other side", call, "admin", "tag.list", `{"fields":"id,products.name","limit":1,"total":false}`, "", `{"items":[{"id":"t1","products":{"items":[{"name":"One"}],"hasMore":false}}],`},
		{"a filter", call, "admin", "product.list", `{"fields":"id","filter":{"tags":{"some":{"name":{"eq":"red"}}}},"total":false}`, "", `{"items":[{"id":"p1"}],`},
		{"rules here", ruled, "admin", "product.list", `{"fields":"id","filter":{"tags":{"some":{"name":{"eq":"red"}}}},"total":false}`, "", `{"items":[{"id":"p1"}],`},
		{"writes past rules here", ruled, "admin", "product.create", "", `{"id":"p3","name":"Three","tags":{"connect":["t1"]}}`, `NOT_IMPLEMENTED`},
		{"pages past rules here", ruled, "admin", "product.list", `{"fields":"id,tags.name","total":false}`, "", `{"items":[{"id":"p1","tags":{"items":[{"name":"red"}],"hasMore":false}}],`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.call(c.who, c.method, "", c.query, c.body); !strings.HasPrefix(got, c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestManyToManyWithoutInverse: a gateway follows the relation of a remote also where it has no field that leads back.
func TestManyToManyWithoutInverse(t *testing.T) {
	for _, inverse := range []string{", inverse: products", ""} {
		p, err := linkedProject(t, func(files map[string]string) {
			files["frond.yaml"] = strings.NewReplacer(", inverse: products", inverse, ", tag: [products]", "").Replace(files["frond.yaml"])
		})
		if err != nil {
			t.Fatal(err)
		}
		there := served(t, storetest.New(t, p, storetest.NewStore(), nil))
		document, err := there.Discover(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		known, err := schema.ReadDiscovery(document)
		if err != nil {
			t.Fatal(err)
		}
		p = &facade.Project{Registry: schema.Builtins(), Fronds: []*project.Frond{project.Discovered(&known.Fronds[0], "rpc.discover")}}
		p.Fronds[0].Remote = "http://there.example"
		remotes := map[string]facade.Caller{}
		f, err := facade.New(storetest.Compiled(t, p), nil, &facade.Options{Remotes: remote.New(remotes)})
		if err != nil {
			t.Fatal(err)
		}
		remotes[p.Fronds[0].Name] = there.With(f.Catalog())
		for _, note := range f.Catalog().Notes {
			t.Errorf("with %q: %s %s", inverse, note.Pointer, note.Message)
		}
		call := linkedCalls(f)
		call("admin", "tag.create", "", "", `{"id":"t1","name":"red"}`)
		call("admin", "product.create", "", "", `{"id":"p1","name":"One","tags":{"connect":["t1"]}}`)
		const want = `{"items":[{"id":"p1","tags":{"items":[{"name":"red"}],"hasMore":false}}],`
		if got := call("admin", "product.list", "", `{"fields":"id,tags.name","total":false}`, ""); !strings.HasPrefix(got, want) {
			t.Errorf("with %q:\n%s, want\n%s", inverse, got, want)
		}
	}
}

// TestManyToManyFaults names the line to write for a relation that cannot be.
func TestManyToManyFaults(t *testing.T) {
	link := linkedFiles["entities/productTag.yaml"]
	for _, c := range []struct{ name, file, text, want string }{
		{"no rows in between", "frond.yaml", "relations: {product.tags: {through: label}}", "write entities/label.yaml in this Frond, with a one relation to product and one to the other side"},
		{"no such side", "frond.yaml", "relations: {shelf.tags: {through: productTag}}", "name an entity of this Frond: relations: {product.tags: {through: productTag}}"},
		{"a name that is taken", "frond.yaml", "relations: {product.name: {through: productTag}}", "give the relation another name"},
		{"no through", "frond.yaml", "relations: {product.tags: {inverse: products}}", "write product.tags: {through: productTag}"},
		{"no field", "frond.yaml", "relations: {product: {through: productTag}}", "write product.tags: {through: productTag}"},
		{"no way back", "entities/productTag.yaml", strings.Replace(link, "to: product", "to: tag", 1), "write productId: {x-kit: {role: {relation: {to: product, kind: one, onDelete: cascade}}}} in the card of productTag"},
		{"no way on", "entities/productTag.yaml", strings.Replace(link, "{relation: {to: tag, kind: one}}", "{index: true}", 1), "write tagId: {x-kit: {role: {relation: {to: tag, kind: one, onDelete: cascade}}}} in the card of productTag"},
		{"two ways back", "entities/productTag.yaml", strings.Replace(link, "  hidden:", "  otherId: {x-kit: {role: {relation: {to: product, kind: one}}}}\n  hidden:", 1), "keep one of them, or list the rows of productTag instead"},
		{"two ways on", "entities/productTag.yaml", strings.Replace(link, "  hidden:", "  otherId: {x-kit: {role: {relation: {to: producttag, kind: one}}}}\n  hidden:", 1), "write to: tag or producttag"},
		{"no key over both", "entities/productTag.yaml", strings.Replace(link, "unique: [[productId, tagId]]", "index: true", 1), "write unique: [[productId, tagId]] under role at productId in the card of productTag"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := linkedProject(t, func(files map[string]string) { files[c.file] = c.text })
			if err == nil {
				_, err = compile.Project(p, nil)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the fault is\n%v\nwant %s", err, c.want)
			}
		})
	}
}
