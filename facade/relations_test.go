package facade_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/storetest"
)

// related is a project with relations of every kind. Ada sees reviews of one star and more, no
// costs, and no notes; Bob sees no suppliers.
var related = map[string]string{
	"entities/category.yaml": `{type: object, required: [name], properties: {id: {type: string, x-kit: {role: {primary: true}}}, name: {type: string},
		parentId: {type: [string, 'null'], x-kit: {role: {relation: {to: category, kind: one, onDelete: set null}}, lifecycle: {create: optional}}},
		products: {x-kit: {role: {relation: {to: product, kind: many}}}}}}`,
	"entities/product.yaml": `{type: object, required: [name], properties: {id: {type: string, x-kit: {role: {primary: true}}}, name: {type: string},
		cost: {type: integer, x-kit: {lifecycle: {create: optional}}}, secret: {type: string, x-kit: {boundary: {out: closed}, lifecycle: {create: optional}}},
		size: {type: object, properties: {width: {type: integer}}, x-kit: {lifecycle: {create: optional}}},
		categoryId: {type: [string, 'null'], x-kit: {role: {relation: {to: category, kind: one, onDelete: set null}}, lifecycle: {create: optional}}},
		supplier: {type: [string, 'null'], x-kit: {role: {relation: {to: supplier, kind: one, onDelete: set null}}, lifecycle: {create: optional}}},
		tagIds: {x-kit: {role: {relation: {to: tag, kind: many}}}},
		notes: {x-kit: {role: {relation: {to: note, kind: many}}}},
		reviews: {x-kit: {role: {relation: {to: review, kind: many}}}}}}`,
	"entities/review.yaml": `{type: object, required: [rating, productId], properties: {id: {type: string, x-kit: {role: {primary: true}}}, rating: {type: integer},
		productId: {type: string, x-kit: {role: {relation: {to: product, kind: one, onDelete: cascade}}}}}}`,
	"entities/note.yaml": `{type: object, required: [productId], properties: {id: {type: string, x-kit: {role: {primary: true}}},
		productId: {type: string, x-kit: {role: {relation: {to: product, kind: one, onDelete: cascade}}}}}}`,
	"entities/tag.yaml":      `{type: object, required: [name], properties: {id: {type: string, x-kit: {role: {primary: true}}}, name: {type: string}}}`,
	"entities/supplier.yaml": `{type: object, required: [name], properties: {id: {type: string, x-kit: {role: {primary: true}}}, name: {type: string}}}`,
	"frond.yaml": `
renamed:
  product.kindId: {to: product.categoryId, until: 2999-01-01}
doors: {product: {operations: {dear: {kind: query, output: product, cardinality: many}}}}
collectors:
  category: open
  tag: open
  product:
    - {when: user.id == "ada", hide: [cost, size], deny: [delete]}
    - {allow: all}
  review:
    - {when: user.id == "ada", rows: {rating: {gte: 1}}}
    - {allow: all}
  note:
    - {when: user.id == "ada", hide: [productId]}
    - {allow: all}
  supplier:
    - {when: user.id == "bob", deny: all}
    - {allow: all}
`,
}

func relatedHost(t *testing.T, attach func(*facade.Project)) *facade.Facade {
	t.Helper()
	f := facadeOf(t, related, func(p *facade.Project) {
		facade.Handle(p.Door("product"), "dear", func(ctx context.Context, _ *facade.Call) (any, error) {
			page, err := facade.Do[facade.List[map[string]any]](ctx, facade.From(ctx), "product.list", facade.Invocation{Query: raw(`{"filter":{"cost":{"gt":5}}}`)})
			return page.Items, err
		})
		if attach != nil {
			attach(p)
		}
	})
	root := as(f, access.State{"user": map[string]any{"id": "root"}})
	for _, row := range []string{
		`category {"id":"c1","name":"Tools"}`, `category {"id":"c2","name":"Saws","parentId":"c1"}`,
		`tag {"id":"t1","name":"new"}`, `tag {"id":"t2","name":"hot"}`, `tag {"id":"t3","name":"old"}`,
		`supplier {"id":"s1","name":"Acme"}`,
		`product {"id":"p1","name":"Saw","cost":7,"categoryId":"c2","supplier":"s1","tagIds":["t2","t1","t3"]}`,
		`product {"id":"p2","name":"Axe","cost":2,"categoryId":"c1","tagIds":[]}`, `product {"id":"p3","name":"Jig","categoryId":"c2","tagIds":["t1"]}`,
		`review {"id":"r1","productId":"p1","rating":5}`, `review {"id":"r2","productId":"p1","rating":0}`, `review {"id":"r3","productId":"p1","rating":3}`, `review {"id":"r4","productId":"p3","rating":1}`,
		`note {"id":"n1","productId":"p1"}`,
	} {
		entity, body, _ := strings.Cut(row, " ")
		must(t, root, entity+".create", "", "", body)
	}
	return f
}

// TestFieldsOfRelations: a list of fields leads through relations, each level under the rules of its
// own door. What does not exist for the caller is an unknown key, also where no row leads there.
func TestFieldsOfRelations(t *testing.T) {
	f := relatedHost(t, nil)
	for _, c := range []struct {
		user, method, params, fields, want string
	}{
		// To one row: an object, or null. The key is not answered beside it unless it is named.
		{"root", "product.findById", `{"id":"p1"}`, `"id,category.name"`, `{"id":"p1","category":{"name":"Saws"}}`},
		{"root", "product.findById", `{"id":"p1"}`, `"category.name,categoryId"`, `{"categoryId":"c2","category":{"name":"Saws"}}`},
		{"root", "product.findById", `{"id":"p1"}`, `["category.parent.name","category.id"]`, `{"category":{"id":"c2","parent":{"name":"Tools"}}}`},
		{"root", "product.findById", `{"id":"p2"}`, `"supplier.name,category.parent.name"`, `{"supplier":null,"category":{"parent":null}}`},
		{"root", "product.findById", `{"id":"p9"}`, `"category.name"`, `null`},
		// The object takes the place of a key of the same name.
		{"root", "product.findById", `{"id":"p1"}`, `"*,supplier.name"`, `{"id":"p1","name":"Saw","cost":7,"categoryId":"c2","tagIds":["t2","t1","t3"],"supplier":{"name":"Acme"}}`},
		{"root", "product.findById", `{"id":"p1"}`, `"supplier,supplier.name"`, `/query/fields/0 uniqueItems: names supplier as a field and as a relation; write supplier.id for its key`},
		// To many rows: a page of its own.
		{"root", "product.list", "", `"id,reviews.rating"`, `{"items":[{"id":"p1","reviews":{"items":[{"rating":5},{"rating":0},{"rating":3}],"hasMore":false}},{"id":"p2","reviews":{"items":[],"hasMore":false}},{"id":"p3","reviews":{"items":[{"rating":1}],"hasMore":false}}],"total":3,"hasMore":false,"endCursor":"…"}`},
		{"ada", "product.findByIds", "", `"reviews(limit:1).rating,reviews.id"`, `[{"reviews":{"items":[{"id":"r1","rating":5}],"hasMore":true}},{"reviews":{"items":[{"id":"r4","rating":1}],"hasMore":false}}]`},
		{"ada", "product.findById", `{"id":"p1"}`, `"reviews.id"`, `{"reviews":{"items":[{"id":"r1"},{"id":"r3"}],"hasMore":false}}`},
		{"root", "product.findById", `{"id":"p1"}`, `"tags(limit:2).name"`, `{"tags":{"items":[{"name":"hot"},{"name":"new"}],"hasMore":true}}`},
		{"root", "category.findById", `{"id":"c2"}`, `"products.reviews(limit:1).rating,products.tags.name"`, `{"products":{"items":[{"reviews":{"items":[{"rating":5}],"hasMore":true},"tags":{"items":[{"name":"hot"},{"name":"new"},{"name":"old"}],"hasMore":false}},{"reviews":{"items":[{"rating":1}],"hasMore":false},"tags":{"items":[{"name":"new"}],"hasMore":false}}],"hasMore":false}}`},
		{"root", "product.findById", `{"id":"p1"}`, `"reviews.*"`, `{"reviews":{"items":[{"id":"r1","rating":5,"productId":"p1"},{"id":"r2","rating":0,"productId":"p1"},{"id":"r3","rating":3,"productId":"p1"}],"hasMore":false}}`},
		// The author's own queries, and old names.
		{"root", "product.dear", "", `"name,category.name"`, `[{"name":"Saw","category":{"name":"Saws"}}]`},
		{"root", "product.findById", `{"id":"p1"}`, `"kind.name"`, `{"kind":{"name":"Saws"}}`},
		// What does not exist for the caller.
		{"ada", "product.findById", `{"id":"p1"}`, `"reviews.stars"`, `/query/fields/0 unknown_key: names stars, which review does not have; there is id, rating, productId, etag`},
		{"root", "product.list", "", `"id,category.nme,reviews.rating"`, `/query/fields/1 unknown_key: names nme, which category does not have; did you mean name?; there is id, name, parentId, etag`},
		{"root", "category.findById", `{"id":"c9"}`, `"products.secret"`, `/query/fields/0 unknown_key: names secret, which product does not have; there is id, name, cost, size, categoryId, supplier, tagIds, kindId, etag`},
		{"ada", "category.findById", `{"id":"c1"}`, `"products.name,products.cost"`, `/query/fields/1 unknown_key: names cost, which product does not have; there is id, name, categoryId, supplier, tagIds, kindId, etag`},
		{"root", "category.findById", `{"id":"c1"}`, `"products.cost"`, `{"products":{"items":[{"cost":2}],"hasMore":false}}`},
		{"ada", "product.findById", `{"id":"p1"}`, `"notes.id"`, `/query/fields/0 unknown_key: names the relation notes, which product does not have; there is category, supplier, tags, reviews`},
		{"ada", "product.findById", `{"id":"p1"}`, `"nothing.id"`, `/query/fields/0 unknown_key: names the relation nothing, which product does not have; there is category, supplier, tags, reviews`},
		{"ada", "product.findById", `{"id":"p1"}`, `"size.width"`, `/query/fields/0 unknown_key: names the relation size, which product does not have; there is category, supplier, tags, reviews`},
		{"root", "product.findById", `{"id":"p1"}`, `"size.width"`, `/query/fields/0 unknown_key: leads through size, which is a field and is answered whole; write size`},
		{"root", "product.findById", `{"id":"p1"}`, `"id,reviews"`, `/query/fields/1 unknown_key: names the relation reviews alone; write which fields of review, such as reviews.id`},
		{"root", "product.findById", `{"id":"p1"}`, `"id,category"`, `/query/fields/1 unknown_key: names the relation category alone; write which fields of category, such as category.id`},
		{"ada", "product.findById", `{"id":"p1"}`, `"id,notes"`, `/query/fields/1 unknown_key: names notes, which product does not have; there is id, name, categoryId, supplier, tagIds, kindId, etag`},
		{"root", "product.findById", `{"id":"p1"}`, `"reviews(limit:3)"`, `/query/fields/0 syntax: reviews(limit:3) is no path; write reviews.rating, or reviews(limit:3).rating`},
		{"bob", "product.list", "", `"supplier.name"`, `/query/fields/0 unknown_key: names the relation supplier, which product does not have; there is category, tags, notes, reviews`},
		// What is no path, and bounds.
		{"root", "product.findById", `{"id":"p1"}`, `"reviews(3).rating"`, `/query/fields/0 syntax: reviews(3).rating is no path; write reviews.rating, or reviews(limit:3).rating`},
		{"root", "product.findById", `{"id":"p1"}`, `["category.",".name","reviews..id"]`, `/query/fields/0 syntax: category. is no path; write reviews.rating, or reviews(limit:3).rating
/query/fields/1 syntax: .name is no path; write reviews.rating, or reviews(limit:3).rating
/query/fields/2 syntax: reviews..id is no path; write reviews.rating, or reviews(limit:3).rating`},
		{"root", "product.findById", `{"id":"p1"}`, `"reviews(limit:51).id"`, `/query/fields/0 limit: the limit of reviews must be a whole number from 1 to 50; list review for more`},
		{"root", "product.findById", `{"id":"p1"}`, `"reviews(limit:1).id,reviews(limit:2).rating"`, `/query/fields/1 limit: reviews has two limits; send one`},
		{"root", "product.findById", `{"id":"p1"}`, `"category(limit:1).id"`, `/query/fields/0 limit: category leads to one row; leave the limit out`},
		{"root", "category.findById", `{"id":"c2"}`, `"` + strings.Repeat("parent.", 12) + `id"`, `{"parent":{"parent":null}}`},
		{"root", "category.findById", `{"id":"c2"}`, `"` + strings.Repeat("parent.", 13) + `id"`, `/query/fields/0 maxLevels: leads more than 12 levels deep, a relation to many counted twice; ask for less at a time`},
		{"root", "category.findById", `{"id":"c2"}`, `"` + strings.Repeat("products(limit:1).category.", 4) + `id"`, `{"products":{"items":[{"category":{"products":{"items":[{"category":{"products":{"items":[{"category":{"products":{"items":[{"category":{"id":"c2"}}],"hasMore":true}}}],"hasMore":true}}}],"hasMore":true}}}],"hasMore":true}}`},
		{"root", "category.findById", `{"id":"c2"}`, `"` + strings.Repeat("products.category.", 5) + `id"`, `/query/fields/0 maxLevels: leads more than 12 levels deep, a relation to many counted twice; ask for less at a time`},
		{"root", "category.findById", `{"id":"c2"}`, `"` + strings.Repeat("parent.", 100000) + `id"`, `/query/fields maxItems: leads through more than 50 relations; ask for less at a time`},
	} {
		query := `{"fields":` + c.fields + `}`
		if c.method == "product.findByIds" {
			query = `{"ids":["p1","p3"],"fields":` + c.fields + `}`
		}
		var got string
		call := as(f, access.State{"user": map[string]any{"id": c.user}})
		if c.method == "product.dear" {
			got = selected(t, call, c.method, strings.Split(strings.Trim(c.fields, `"`), ","))
		} else if text, err := do(t, call, c.method, c.params, query, ""); err == nil {
			got = withoutCursor(text)
		} else if got = refusals(err); err.Details == nil {
			got = fmt.Sprintf("%s %s", err.Code, err.Message)
		}
		if got != c.want {
			t.Errorf("%s %s %.80s\n got %s\nwant %s", c.user, c.method, c.fields, got, c.want)
		}
	}
}

// selected is the answer of a call that selects fields.
func selected(t *testing.T, c facade.Caller, method string, fields []string) string {
	t.Helper()
	entity, op, _ := strings.Cut(method, ".")
	res, err := c.Call(t.Context(), &facade.Call{Entity: entity, Operation: op, Select: fields})
	if err != nil {
		return err.Error()
	}
	return string(res.AppendJSON(nil))
}

// withoutCursor is a page without the text of its cursor.
func withoutCursor(page string) string {
	if at := strings.Index(page, `"endCursor":"`); at >= 0 {
		return page[:at] + `"endCursor":"…"}`
	}
	return page
}

// TestRelationsOfCommands: a command answers its own row, and is refused before it runs where a
// relation is selected of it.
func TestRelationsOfCommands(t *testing.T) {
	f := relatedHost(t, nil)
	c := as(f, access.State{"user": map[string]any{"id": "root"}})
	_, err := do(t, c, "product.create", "", `{"fields":["id","category.name"]}`, `{"id":"p9","name":"New","tagIds":[]}`)
	if got, want := refusals(err), `/query/fields/1 unknown_key: leads through category, and create answers its own row alone; read relations with findById`; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got := must(t, c, "product.findById", `{"id":"p9"}`, "", ""); got != "null" {
		t.Errorf("the refused create wrote %s", got)
	}
}

// TestRelationsAreOneCallALevel: whatever the number of rows, each relation is one call and one
// statement, and every call goes through the middleware.
func TestRelationsAreOneCallALevel(t *testing.T) {
	var calls []string
	p := projectOf(t, related)
	store := &statements{Store: storetest.NewStore()}
	f := storetest.New(t, p, store, &facade.Options{Middleware: []facade.Middleware{func(next facade.Caller) facade.Caller {
		return facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
			n := 0
			if c.Each != nil {
				n = len(c.Each.Keys)
			}
			calls = append(calls, fmt.Sprintf("%s.%s %d", c.Entity, c.Operation, n))
			return next.Call(ctx, c)
		})
	}}})
	root := as(f, access.State{"user": map[string]any{"id": "root"}})
	must(t, root, "category.create", "", "", `{"id":"c1","name":"Tools"}`)
	for i := range 20 {
		must(t, root, "product.create", "", "", fmt.Sprintf(`{"id":"p%02d","name":"Saw","categoryId":"c1","tagIds":[]}`, i))
		must(t, root, "review.create", "", "", fmt.Sprintf(`{"id":"r%02d","productId":"p%02d","rating":1}`, i, i))
	}
	calls, store.finds = nil, 0
	must(t, root, "product.list", "", `{"total":false,"fields":["category.name","category.products(limit:2).reviews.rating"]}`, "")
	if got, want := strings.Join(calls, ", "), "product.list 0, category.findById 1, product.list 1, review.list 2"; got != want || store.finds != 4 {
		t.Errorf("%d statements, calls %s; want %s", store.finds, got, want)
	}
}

// statements counts what is read of a store.
type statements struct {
	facade.Store
	finds int
}

func (s *statements) Find(ctx context.Context, q *facade.Find) (*facade.Found, error) {
	s.finds++
	return s.Store.Find(ctx, q)
}

// TestRelationsOnASurface: a relation leads to what the surface shows, and nowhere else.
func TestRelationsOnASurface(t *testing.T) {
	files := map[string]string{}
	for name, text := range related {
		files[name] = text
	}
	files["frond.yaml"] += "surfaces: {audiences: {partner: {rest: {only: [product.list, review.list]}}}}\n"
	f := facadeOf(t, files, func(p *facade.Project) {
		facade.Handle(p.Door("product"), "dear", func(context.Context, *facade.Call) (any, error) { return nil, nil })
	})
	view, err := f.Catalog().Surface("partner/rest")
	if err != nil {
		t.Fatal(err)
	}
	c := as(f.On(view), access.State{"user": map[string]any{"id": "root"}})
	if _, err := do(t, c, "product.list", "", `{"fields":["reviews.rating"]}`, ""); err != nil {
		t.Errorf("reviews: %v", err)
	}
	_, failed := do(t, c, "product.list", "", `{"fields":["category.name"]}`, "")
	if kiterror.CodeOf(failed) != kiterror.ValidationFailed || !strings.Contains(refusals(failed), `names the relation category, which product does not have; there is reviews`) {
		t.Errorf("category: %v", refusals(failed))
	}
}
