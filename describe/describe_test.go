package describe_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/frondhost/frond/describe"
	"github.com/frondhost/frond/describe/sample"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/seed"
	"github.com/frondhost/frond/rest"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/storetest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// projects are those of the repository that need no Go code.
var projects = map[string]fs.FS{
	"fixture": storetest.FS(), "people": storetest.People(), "shop": os.DirFS("../examples/shop"), "blog": os.DirFS("../examples/blog/site"),
	"weather": os.DirFS("../examples/weather/site"), "press": os.DirFS("../e2e/testdata/press"), "cards": os.DirFS("testdata/cards"),
}

// compiled is a façade over a project and a store in memory. Names that Go code registers stand
// for themselves.
func compiled(t *testing.T, fsys fs.FS) *facade.Facade {
	t.Helper()
	project, err := facade.Read(fsys)
	if err != nil {
		t.Fatal(err)
	}
	c, err := compile.Project(project, &compile.Options{Incomplete: true, Unregistered: func(schema.Fault) {}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := facade.New(c, storetest.NewStore(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// documents are the three documents of a surface.
func documents(t *testing.T, cat *catalog.Catalog, base string) map[string]json.RawMessage {
	t.Helper()
	table, err := rest.Derive(cat, base+"/api")
	if err != nil {
		t.Fatal(err)
	}
	var routes []describe.Route
	for _, r := range table.Routes() {
		routes = append(routes, describe.Route(r))
	}
	info := describe.Info{REST: base + "/api", RPC: base + "/_kit/call"}
	return map[string]json.RawMessage{
		"openapi":  describe.OpenAPI(cat, routes, info),
		"openrpc":  describe.OpenRPC(cat, info),
		"asyncapi": describe.AsyncAPI(cat, info),
	}
}

// schemasIn compiles the schemas of a document as a tool would, references followed.
type schemasIn struct {
	*jsonschema.Compiler
	t *testing.T
}

func compilerOf(t *testing.T, doc json.RawMessage) schemasIn {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	if err := c.AddResource("doc.json", value); err != nil {
		t.Fatal(err)
	}
	return schemasIn{c, t}
}

// fits judges a value by the schema at a pointer.
func (c schemasIn) fits(pointer string, value json.RawMessage) {
	c.t.Helper()
	s, err := c.Compile("doc.json#" + pointer)
	if err != nil {
		c.t.Errorf("%s: %v", pointer, err)
		return
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		c.t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		c.t.Errorf("%s does not fit: %v\n%s", pointer, err, value)
	}
}

// walk visits every value of a document with its pointer.
func walk(v json.RawMessage, at string, visit func(at string, v json.RawMessage)) {
	visit(at, v)
	switch jsontext.KindOf(v) {
	case jsontext.Object:
		for name, member := range jsontext.Members(v) {
			walk(member, at+"/"+jsontext.Token(name), visit)
		}
	case jsontext.Array:
		for i, e := range jsontext.Elements(v) {
			walk(e, at+"/"+strconv.Itoa(i), visit)
		}
	}
}

// TestExamplesFit: every example of a body is accepted by the judge, and every example fits the
// schema beside it as any other validator reads it. Every component can be compiled.
func TestExamplesFit(t *testing.T) {
	for name, fsys := range projects {
		t.Run(name, func(t *testing.T) {
			f := compiled(t, fsys)
			doc := documents(t, f.Catalog(), "")["openapi"]
			c := compilerOf(t, doc)
			bodies, examples := 0, 0
			for schemaName := range jsontext.Members(jsontext.Get(jsontext.Get(doc, "components"), "schemas")) {
				if _, err := c.Compile("doc.json#/components/schemas/" + jsontext.Token(schemaName)); err != nil {
					t.Errorf("%s: %v", schemaName, err)
				}
			}
			for path, item := range jsontext.Members(jsontext.Get(doc, "paths")) {
				for verb, operation := range jsontext.Members(item) {
					entity, rest, _ := strings.Cut(jsontext.Unquote(jsontext.Get(operation, "operationId")), ".")
					opName, _, _ := strings.Cut(rest, ".")
					var op *catalog.Operation
					if opName != "facts" && entity != "atomic" && entity != "files" {
						op = f.Catalog().Door(entity).Operation(opName)
					}
					at := "/paths/" + jsontext.Token(path) + "/" + verb
					walk(operation, at, func(at string, v json.RawMessage) {
						beside, is := strings.CutSuffix(at, "/example")
						if !is || strings.Contains(at, "/example/") {
							return
						}
						examples++
						if content := jsontext.Get(sample.At(doc, beside+"/schema"), "contentSchema"); content != nil {
							c.fits(beside+"/schema/contentSchema", json.RawMessage(jsontext.Unquote(v)))
						}
						c.fits(beside+"/schema", v)
						if !strings.Contains(at, "/requestBody/") {
							return
						}
						if bodies++; op == nil {
							return
						}
						mode := schema.Create
						if op.Patch {
							mode = schema.Update
						}
						if op.Input == nil { // nothing is sent but the media type
							if string(v) != "{}" {
								t.Errorf("%s.%s takes no body, and its example is %s", entity, opName, v)
							}
							return
						}
						if op.IsMany() && opName == "import" { // a list of rows
							for _, row := range jsontext.Elements(v) {
								v = row
							}
						}
						if _, details := op.Input.Judge(mode, v, ""); len(details) > 0 {
							t.Errorf("%s.%s: the judge refuses %s: %v", entity, opName, v, details)
						}
					})
				}
			}
			if examples == 0 {
				t.Error("no example was found")
			}
			t.Logf("%d examples, %d of them bodies", examples, bodies)
		})
	}
}

// TestResultExamplesFit: the result of every example of OpenRPC fits the schema of the result.
func TestResultExamplesFit(t *testing.T) {
	for name, fsys := range projects {
		t.Run(name, func(t *testing.T) {
			doc := documents(t, compiled(t, fsys).Catalog(), "")["openrpc"]
			c := compilerOf(t, doc)
			for i, method := range jsontext.Elements(jsontext.Get(doc, "methods")) {
				for _, e := range jsontext.Elements(jsontext.Get(method, "examples")) {
					c.fits("/methods/"+strconv.Itoa(i)+"/result/schema", jsontext.Get(jsontext.Get(e, "result"), "value"))
				}
			}
		})
	}
}

// TestEventExamplesFit: the example of every fact fits the schema of its event.
func TestEventExamplesFit(t *testing.T) {
	found := 0
	for name, fsys := range projects {
		doc := documents(t, compiled(t, fsys).Catalog(), "")["asyncapi"]
		c := compilerOf(t, doc)
		for message, m := range jsontext.Members(jsontext.Get(jsontext.Get(doc, "components"), "messages")) {
			for _, e := range jsontext.Elements(jsontext.Get(m, "examples")) {
				found++
				t.Log(name, message)
				c.fits("/components/messages/"+jsontext.Token(message)+"/payload", jsontext.Get(e, "payload"))
			}
		}
	}
	if found < 4 {
		t.Errorf("%d facts were found", found)
	}
}

// TestEveryBodyHasAnExample: of the shop, whose cards are ordinary ones, and of cards with
// references of every kind.
func TestEveryBodyHasAnExample(t *testing.T) {
	for _, name := range []string{"shop", "cards"} {
		doc := documents(t, compiled(t, projects[name]).Catalog(), "")["openapi"]
		walk(jsontext.Get(doc, "paths"), "", func(at string, v json.RawMessage) {
			if strings.HasSuffix(at, "/requestBody/content/application~1json") && jsontext.Get(v, "example") == nil {
				t.Errorf("%s: %s has no example", name, at)
			}
		})
	}
}

// TestAnswersFit: what the doors of the shop answer is what the document says.
func TestAnswersFit(t *testing.T) {
	f := compiled(t, projects["shop"])
	ctx := context.Background()
	if _, err := seed.Write(ctx, f); err != nil {
		t.Fatal(err)
	}
	c := compilerOf(t, documents(t, f.Catalog(), "")["openapi"])
	staff := access.State{"user": map[string]any{"id": "ada", "roles": []any{"staff"}}}
	for _, frond := range f.Catalog().Fronds {
		for _, door := range frond.Doors {
			page, err := f.Call(ctx, &facade.Call{Entity: door.Name, Operation: "list", Invocation: facade.Invocation{State: staff, Query: json.RawMessage(`{"cursors":true}`)}})
			if err != nil {
				t.Fatal(err)
			}
			if page.Rows.Len() == 0 {
				t.Errorf("%s has no rows", door.Name)
			}
			c.fits("/components/schemas/"+schema.GraphQLType(door.Name)+"Page", page.AppendJSON(nil))
		}
	}
}

// TestStable: the same cards have the same documents, and other cards other versions.
func TestStable(t *testing.T) {
	version := func(doc json.RawMessage) string {
		return jsontext.Unquote(jsontext.Get(jsontext.Get(doc, "info"), "version"))
	}
	for name, fsys := range projects {
		one, two := documents(t, compiled(t, fsys).Catalog(), ""), documents(t, compiled(t, fsys).Catalog(), "")
		for format := range one {
			if !bytes.Equal(one[format], two[format]) {
				t.Errorf("%s: %s was written twice, and differently", name, format)
			}
		}
	}
	card := func(about string) fs.FS {
		return fstest.MapFS{"fronds/a/entities/note.yaml": {Data: []byte(about + "\nproperties: {id: {type: string, x-kit: {role: {primary: true}}}}\n")}, "fronds/a/frond.yaml": {Data: []byte("collectors: {note: open}\n")}}
	}
	was, is := documents(t, compiled(t, card("description: One.")).Catalog(), ""), documents(t, compiled(t, card("description: Two.")).Catalog(), "")
	if version(was["openapi"]) == version(is["openapi"]) {
		t.Error("another description has the same version")
	}
}

// TestGolden holds the documents of a small project to the letter; -update writes them.
func TestGolden(t *testing.T) {
	fsys := fstest.MapFS{
		"fronds/store/entities/product.yaml": {Data: []byte(`
description: What the store sells.
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}, update: forbidden}}}
  name: {type: string, minLength: 1, examples: [Tea]}
  price: {type: integer, minimum: 0, maximum: 900}
  size: {$ref: '#/$defs/size'}
  cost: {type: [integer, 'null'], x-kit: {boundary: {out: closed}}}
  createdAt: {type: string, format: date-time, x-kit: {lifecycle: {create: now}, boundary: {in: closed}}}
required: [name, price, size]
$defs: {size: {type: string, enum: [small, large]}}
`)},
		"fronds/store/views/label.yaml": {Data: []byte("properties: {text: {type: string, examples: [Tea small]}}\n")},
		"fronds/store/frond.yaml": {Data: []byte(`
doors: {product: {operations: {
  label: {kind: query, params: {type: object, properties: {id: {type: string}}, required: [id]}, output: label},
  reprice: {kind: command, input: {type: object, properties: {factor: {type: number, minimum: 1, maximum: 2}}, required: [factor]}}}}}
collectors: {product: open}
facts: [{name: productRetired, schema: product}, {name: counted}]
changes: [product]
`)},
	}
	for format, doc := range documents(t, compiled(t, fsys).Catalog(), "") {
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, doc, "", "  "); err != nil {
			t.Fatal(err)
		}
		pretty.WriteByte('\n')
		file := filepath.Join("testdata", format+".json")
		if *update {
			if err := os.WriteFile(file, pretty.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, pretty.Bytes()) {
			t.Errorf("%s has changed; look at it, then run go test ./describe -run Golden -update", file)
		}
	}
}

// TestAudience: a document of an audience names what the audience is shown.
func TestAudience(t *testing.T) {
	fsys := fstest.MapFS{
		"fronds/store/entities/product.yaml": {Data: []byte("properties: {id: {type: string, x-kit: {role: {primary: true}}}, name: {type: string}}\n")},
		"fronds/store/entities/secret.yaml":  {Data: []byte("properties: {id: {type: string, x-kit: {role: {primary: true}}}, productId: {type: string, x-kit: {role: {relation: {to: product, kind: one}}}}}\n")},
		"fronds/store/frond.yaml":            {Data: []byte("collectors: {product: open, secret: open}\nsurfaces: {audiences: {partner: {rest: {only: [product.list]}, envelope: {only: [product.list]}}}}\n")},
	}
	f := compiled(t, fsys)
	for format, surface := range map[string]catalog.Surface{"openapi": "partner/rest", "openrpc": "partner/envelope"} {
		cat, err := f.Catalog().Surface(surface)
		if err != nil {
			t.Fatal(err)
		}
		doc := string(documents(t, cat, "/partner")[format])
		for _, hidden := range []string{"secret", "Secret", "findById", "ProductCreate"} {
			if strings.Contains(doc, hidden) {
				t.Errorf("%s for partners has %s", format, hidden)
			}
		}
		if !strings.Contains(doc, "product.list") || format == "openapi" && !strings.Contains(doc, "/partner/api/store/products") {
			t.Errorf("%s for partners does not have what they are shown:\n%s", format, doc)
		}
	}
}

// TestPresetsAreNotRequired: a rule that opens create and sets a field makes it optional. A rule that
// opens no create, or is never reached, leaves it required.
func TestPresetsAreNotRequired(t *testing.T) {
	for rules, want := range map[string]string{
		`[{set: {ownerId: $user.id}}]`:                                                              `["name"]`,
		`[{when: "user.role == 'staff'"}, {set: {ownerId: $user.id, name: x}}]`:                     "",
		`[{for: [list], set: {ownerId: $user.id}}, {for: [create]}]`:                                `["name","ownerId"]`,
		`[{when: "user.role == 'guest'", deny: [create], set: {ownerId: guest}}, {set: {name: x}}]`: `["ownerId"]`,
		`[{for: [create]}, {set: {ownerId: $user.id}}]`:                                             `["name","ownerId"]`,
	} {
		cat := compiled(t, fstest.MapFS{
			"entities/product.yaml": {Data: []byte("required: [name, ownerId]\nproperties: {id: {type: string, x-kit: {role: {primary: true}}}, name: {type: string}, ownerId: {type: string}}\n")},
			"frond.yaml":            {Data: []byte("collectors: {product: " + rules + "}\n")},
		}).Catalog()
		doc := documents(t, cat, "")["openapi"]
		if got := string(sample.At(doc, "/components/schemas/ProductCreate/required")); got != want {
			t.Errorf("%s: required is %s, want %s", rules, got, want)
		}
	}
}

// TestStreamsAreOnPathsOfTheirOwn: no operation answers rows or an event stream, of which
// generators make a type that is both; and each door that announces changes says where.
func TestStreamsAreOnPathsOfTheirOwn(t *testing.T) {
	doc := documents(t, compiled(t, projects["shop"]).Catalog(), "")["openapi"]
	streams := 0
	for path, item := range jsontext.Members(jsontext.Get(doc, "paths")) {
		for verb, op := range jsontext.Members(item) {
			content := jsontext.Get(jsontext.Get(jsontext.Get(op, "responses"), "200"), "content")
			stream, rows := jsontext.Get(content, "text/event-stream"), jsontext.Get(content, "application/json")
			if stream != nil && rows != nil {
				t.Errorf("%s %s answers both", verb, path)
			}
			if stream != nil {
				streams++
			}
		}
	}
	list := jsontext.Get(jsontext.Get(jsontext.Get(doc, "paths"), "/api/catalog/products"), "get")
	about := jsontext.Unquote(jsontext.Get(jsontext.Get(jsontext.Get(list, "responses"), "200"), "description"))
	if streams == 0 || !strings.Contains(about, "/api/catalog/facts/productChanged") {
		t.Errorf("%d streams; the list says %s", streams, about)
	}
}

// TestRelationsInRows: a row has the relations that a call may select fields of.
func TestRelationsInRows(t *testing.T) {
	doc := documents(t, compiled(t, projects["shop"]).Catalog(), "")["openapi"]
	product := jsontext.Get(jsontext.Get(jsontext.Get(jsontext.Get(doc, "components"), "schemas"), "Product"), "properties")
	for name, want := range map[string]string{
		"category": `"anyOf":[{"$ref":"#/components/schemas/Category"},{"type":"null"}]`,
		"reviews":  `"items":{"type":"array","items":{"$ref":"#/components/schemas/Review"}}`,
	} {
		if got := string(jsontext.Get(product, name)); !strings.Contains(got, want) {
			t.Errorf("%s is %s", name, got)
		}
	}
}
