package leak

import (
	"strings"
	"testing"
	"testing/fstest"
)

// newLinkWorld has products with tags, and with notes of their own. Members see neither secret tags nor
// hidden links nor private notes.
func newLinkWorld(t *testing.T) *smallWorld {
	t.Helper()
	card := func(fields string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: nanoid}}}}\n" + fields)}
	}
	const closed = "{type: boolean, x-kit: {lifecycle: {create: optional}}}\n"
	return newWorld(t, fstest.MapFS{
		"fronds/shop/entities/product.yaml": card("  name: {type: string}\n  notes: {x-kit: {role: {relation: {to: note, kind: many}}}}\n"),
		"fronds/shop/entities/tag.yaml":     card("  name: {type: string}\n  secret: " + closed),
		"fronds/shop/entities/productTag.yaml": card("  productId: {x-kit: {role: {relation: {to: product, kind: one, onDelete: cascade}, unique: [[productId, tagId]]}}}\n" +
			"  tagId: {x-kit: {role: {relation: {to: tag, kind: one}}}}\n  hidden: " + closed),
		"fronds/shop/entities/note.yaml": card("  productId: {x-kit: {role: {relation: {to: product, kind: one, onDelete: cascade}}}}\n" +
			"  text: {type: string}\n  private: " + closed),
		"fronds/shop/frond.yaml": {Data: []byte(`
relations: {product.tags: {through: productTag, inverse: products}}
nested: {product: [tags, notes]}
collectors:
  product: open
  tag:
    - when: '"staff" in user.roles'
    - rows: {secret: {ne: true}}
  productTag:
    - when: '"staff" in user.roles'
    - rows: {hidden: {ne: true}}
      set: {hidden: false}
  note:
    - when: '"staff" in user.roles'
    - rows: {private: {ne: true}}
      set: {private: false}
`)},
	})
}

// TestLeakOfLinks: two worlds differ only in tags, links and notes that the member may not see. The same
// requests of a member get the same answers from both; the hidden rows stay unchanged.
func TestLeakOfLinks(t *testing.T) {
	t.Parallel()
	one, other := newLinkWorld(t), newLinkWorld(t)
	const media = "application/json"
	plant := func(w *smallWorld, path, body string) { w.plant("POST", "/api/shop/"+path, media, []byte(body)) }
	for _, w := range []*smallWorld{one, other} {
		for _, tag := range []string{"t1", "t2", "t3"} {
			plant(w, "tags", `{"id":"`+tag+`","name":"of `+tag+`","secret":false}`)
		}
		for _, product := range []string{"p", "q"} {
			plant(w, "products", `{"id":"`+product+`","name":"of `+product+`"}`)
			plant(w, "productTags", `{"productId":"`+product+`","tagId":"t1","hidden":false}`)
			plant(w, "notes", `{"id":"`+product+`1","productId":"`+product+`","text":"plain","private":false}`)
		}
	}
	plant(one, "tags", `{"id":"s","name":"classified","secret":true}`)
	plant(one, "productTags", `{"productId":"p","tagId":"s","hidden":false}`)
	plant(one, "productTags", `{"productId":"p","tagId":"t2","hidden":true}`)
	plant(one, "notes", `{"id":"n","productId":"p","text":"classified","private":true}`)
	for _, c := range []struct{ method, path, body string }{
		{"GET", "/api/shop/products?fields=id,tags.name,notes.text", ""},
		{"GET", "/api/shop/products/p?fields=id,tags(limit:1).name", ""},
		{"GET", "/api/shop/tags?fields=id,products.name", ""},
		{"GET", "/api/shop/products?filter[tags][some][name]=classified", ""},
		{"GET", "/api/shop/products?filter[tags][none][name][contains]=t2", ""},
		{"GET", "/api/shop/products?filter[tags][every][name][contains]=t1", ""},
		{"GET", "/api/shop/products?filter[tags][count][gte]=2", ""},
		{"GET", "/api/shop/products?filter[notes][count][gte]=2", ""},
		{"GET", "/api/shop/products?sort=-tags.count&limit=1", ""},
		{"GET", "/api/shop/products?sort=notes.text.max&limit=1", ""},
		{"POST", "/graphql", `{"query":"{ products { items { id tags { totalCount items { name } aggregate { count name { max } } groups(by: [{name: VALUE}]) { items { key { name } count } } } notes { aggregate { count } } } } }"}`},
		{"POST", "/graphql", `{"query":"{ tags { items { id products(filter: {tags: {some: {name: {eq: \"classified\"}}}}) { items { id } } } } }"}`},
		{"PATCH", "/api/shop/products/p", `{"tags":{"connect":["s"]}}`},
		{"PATCH", "/api/shop/products/p", `{"tags":{"connect":["nope"]}}`},
		{"PATCH", "/api/shop/products/p", `{"tags":{"disconnect":["s"]}}`},
		{"PATCH", "/api/shop/products/p", `{"tags":{"disconnect":["t2"]}}`},
		{"PATCH", "/api/shop/products/p", `{"tags":{"set":["t1","t3"]}}`},
		{"PATCH", "/api/shop/products/p", `{"tags":{"set":[]}}`},
		{"PATCH", "/api/shop/products/p", `{"notes":{"update":[{"id":"n","text":"mine"}]}}`},
		{"PATCH", "/api/shop/products/p", `{"notes":{"delete":["n"]}}`},
		{"PATCH", "/api/shop/products/p", `{"notes":{"set":[{"id":"n","text":"mine"}]}}`},
		{"PATCH", "/api/shop/products/p", `{"notes":{"set":[]}}`},
		{"POST", "/api/shop/products", `{"id":"x","name":"new","tags":{"connect":["s"]}}`},
		{"POST", "/graphql", `{"query":"mutation { updateProduct(id: \"q\", input: {tags: {connect: [\"s\"]}}) { id } }"}`},
	} {
		var answers []string
		for _, w := range []*smallWorld{one, other} {
			answers = append(answers, w.request(worldMember, c.method, c.path, media, []byte(c.body)))
		}
		if answers[0] != answers[1] {
			t.Errorf("%s %s %s tells the worlds apart:\n%s\n---\n%s", c.method, c.path, c.body, answers[0], answers[1])
		}
		if c.method == "GET" && !strings.HasPrefix(answers[0], "200") {
			t.Errorf("%s is %s", c.path, answers[0])
		}
		if strings.Contains(answers[0], `"classified"`) || strings.Contains(answers[0], "of t2") {
			t.Errorf("%s %s shows it: %s", c.method, c.path, answers[0])
		}
	}
	after := one.request(worldStaff, "GET", "/api/shop/products/p?fields=id,tags.name,notes.text", "", nil)
	for _, hidden := range []string{`"name":"classified"`, `"name":"of t2"`, `"text":"classified"`} {
		if !strings.Contains(after, hidden) {
			t.Errorf("%s is gone: %s", hidden, after)
		}
	}
	if strings.Contains(after, "of t1") || strings.Contains(after, "plain") {
		t.Errorf("set kept rows that the member sees: %s", after)
	}
}
