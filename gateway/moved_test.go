package gateway_test

import (
	"fmt"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/gateway"
)

// pointedFronds are two Fronds whose relations lead to each other's rows, with rules that read through them.
var pointedFronds = map[string]string{
	"fronds/shop/entities/product.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
  state: {type: string, enum: [draft, active]}
  makerId: {type: [string, 'null'], x-kit: {role: {relation: {to: maker, kind: one, onDelete: set null}}, lifecycle: {create: optional}}}
  lines: {x-kit: {role: {relation: {to: line, kind: many}}}}
  tags: {x-kit: {role: {relation: {to: tag, kind: many, through: label}}}}
required: [id, name, state]
x-kit-version: 1
`,
	"fronds/shop/entities/label.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  productId: {type: string, x-kit: {role: {relation: {to: product, kind: one, onDelete: cascade}}}}
  tagId: {type: string, x-kit: {role: {relation: {to: tag, kind: one, onDelete: cascade}}}}
required: [id, productId, tagId]
x-kit-version: 1
`,
	"fronds/shop/entities/seal.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  markId: {type: string, x-kit: {role: {relation: {to: mark, kind: one, onDelete: restrict}}}}
required: [id, markId]
x-kit-version: 1
`,
	"fronds/shop/frond.yaml": `
many: {product: '*'}
collectors:
  product:
    - when: '"staff" in user.roles'
    - rows: {maker: {name: {ne: hidden}}}
  label: open
  seal: open
`,
	"fronds/desk/entities/maker.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
  products: {x-kit: {role: {relation: {to: product, kind: many}}}}
required: [id, name]
x-kit-version: 1
`,
	"fronds/desk/entities/tag.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
required: [id, name]
x-kit-version: 1
`,
	"fronds/desk/entities/line.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  n: {type: integer}
  productId: {type: string, x-kit: {role: {relation: {to: product, kind: one, onDelete: restrict}}}}
required: [id, n, productId]
x-kit-version: 1
`,
	"fronds/desk/entities/mark.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  productId: {type: string, x-kit: {role: {relation: {to: product, kind: one, onDelete: cascade}}}}
required: [id, productId]
x-kit-version: 1
`,
	"fronds/desk/frond.yaml": `
many: {maker: '*', line: '*'}
collectors:
  line:
    - when: '"staff" in user.roles'
    - rows: {product: {state: {eq: active}}}
  '*': open
`,
}

// pointedCalls are made one after the other, by staff and (with a *) by somebody else. A store of each Frond begins empty. A call
// with a ! is atomic, or sees what an atomic call did: that is refused if its Frond runs elsewhere.
var pointedCalls = []string{
	`POST /api/desk/makers {"id": "m1", "name": "Ada"}`,
	`POST /api/desk/makers {"id": "m2", "name": "hidden"}`,
	`POST /api/desk/tags {"id": "t1", "name": "red"}`,
	`POST /api/shop/products {"id": "p1", "name": "cup", "state": "active", "makerId": "m1"}`,
	`POST /api/shop/products {"id": "p2", "name": "pot", "state": "draft", "makerId": "m2"}`,
	`POST /api/shop/products {"id": "p3", "name": "jug", "state": "active"}`,
	`POST /api/shop/products {"id": "p9", "name": "jar", "state": "active", "makerId": "m9"}`,
	`PATCH /api/shop/products/p3 {"makerId": "m9"}`,
	`POST /api/desk/lines {"id": "l1", "n": 1, "productId": "p1"}`,
	`POST /api/desk/lines {"id": "l2", "n": 2, "productId": "p2"}`,
	`POST /api/desk/lines {"id": "l9", "n": 2, "productId": "p9"}`,
	`POST /api/desk/marks {"id": "k1", "productId": "p3"}`,
	`POST /api/desk/marks {"id": "k2", "productId": "p3"}`,
	`POST /api/shop/labels {"id": "b1", "productId": "p1", "tagId": "t1"}`,
	`POST /api/shop/labels {"id": "b2", "productId": "p1", "tagId": "t9"}`,
	`GET /api/desk/lines?filter[product][state]=active`,
	`GET /api/desk/lines?filter[product][maker][name]=hidden`,
	`GET /api/desk/lines?filter[not][product][state]=active`,
	`GET /api/shop/products?filter[lines][some][n][gte]=2`,
	`GET /api/shop/products?filter[lines][none][n][gte]=2`,
	`GET /api/shop/products?filter[lines][every][n][gte]=2`,
	`GET /api/shop/products?filter[maker][name]=Ada`,
	`GET /api/shop/products?filter[or][0][maker][name]=Ada&filter[or][1][state]=draft`,
	`GET /api/shop/products?filter[tags][some][name]=red`,
	`GET /api/shop/products?filter[tags][none][name]=red`,
	`GET /api/desk/makers?filter[products][some][lines][some][n]=1`,
	`POST /graphql {"query": "{ lines(filter: {product: {state: {eq: active}}}) { total items { id product { name maker { name } } } } products(filter: {lines: {some: {n: {gt: 0}}}}) { items { id lines { items { n } } } } }"}`,
	`* GET /api/desk/lines`,
	`* GET /api/desk/lines/l2`,
	`* GET /api/shop/products`,
	`* GET /api/shop/products/p2`,
	`* GET /api/desk/lines?filter[product][name]=pot`,
	`* POST /api/desk/lines {"id": "l3", "n": 3, "productId": "p2"}`,
	`* POST /api/desk/lines {"id": "l3", "n": 3, "productId": "p1"}`,
	`* PATCH /api/desk/lines/l3 {"productId": "p2"}`,
	`* PATCH /api/shop/products/p1 {"makerId": "m2"}`,
	`* DELETE /api/desk/lines/l2`,
	`DELETE /api/shop/products/p1`,
	`PATCH /api/shop/products?filter[id]=p3 {"makerId": "m9"}`,
	`POST /_kit/call {"jsonrpc": "2.0", "id": 1, "method": "product.createMany", "params": {"body": [{"id": "p4", "name": "a", "state": "draft"}, {"id": "p5", "name": "b", "state": "draft", "makerId": "m9"}]}}`,
	`POST /_kit/call {"jsonrpc": "2.0", "id": 1, "method": "product.updateMany", "params": {"query": {"where": {"id": {"eq": "p3"}}}, "body": {"makerId": "m9"}}}`,
	`POST /_kit/call {"jsonrpc": "2.0", "id": 1, "method": "product.upsert", "params": {"query": {"by": "id"}, "body": {"id": "p6", "name": "a", "state": "draft", "makerId": "m9"}}}`,
	`POST /_kit/call {"jsonrpc": "2.0", "id": 1, "method": "product.upsert", "params": {"query": {"by": "id"}, "body": {"id": "p6", "name": "a", "state": "draft", "makerId": "m1"}}}`,
	`POST /_kit/call {"jsonrpc": "2.0", "id": 1, "method": "product.deleteMany", "params": {"query": {"where": {"id": {"in": ["p1", "p6"]}}}}}`,
	`POST /_kit/call {"jsonrpc": "2.0", "id": 1, "method": "product.deleteMany", "params": {"query": {"where": {"id": {"eq": "p6"}}}}}`,
	`DELETE /api/shop/products/p3`,
	`DELETE /api/shop/products/p3`,
	`GET /api/desk/marks`,
	`DELETE /api/desk/makers/m1`,
	`GET /api/shop/products`,
	`GET /schema.graphql`,
	`POST /api/desk/makers {"id": "m3", "name": "Bo"}`,
	`POST /api/desk/makers {"id": "m4", "name": "Bo"}`,
	`POST /api/desk/makers {"id": "m5", "name": "Cy"}`,
	`POST /api/shop/products {"id": "p7", "name": "pan", "state": "active", "makerId": "m3"}`,
	`POST /api/shop/products {"id": "p8", "name": "lid", "state": "active", "makerId": "m4"}`,
	`POST /api/shop/products {"id": "q1", "name": "mug", "state": "active", "makerId": "m5"}`,
	`POST /api/desk/marks {"id": "k8", "productId": "p8"}`,
	`POST /api/shop/seals {"id": "s8", "markId": "k8"}`,
	`DELETE /api/shop/products/p8`,
	`GET /api/desk/marks`,
	`DELETE /api/shop/seals/s8`,
	`POST /_kit/call {"jsonrpc": "2.0", "id": 1, "method": "maker.deleteMany", "params": {"query": {"where": {"name": {"eq": "Bo"}}}}}`,
	`GET /api/shop/products`,
	`DELETE /api/shop/products/p8`,
	`GET /api/desk/marks`,
	`POST /_kit/call {"jsonrpc": "2.0", "id": 1, "method": "product.import", "params": {"query": {"by": "id"}, "body": [{"id": "r1", "name": "a", "state": "active", "makerId": "m2"}, {"id": "r4", "name": "d", "state": "bad"}, {"id": "r2", "name": "b", "state": "active", "makerId": "m99"}, {"id": "r3", "name": "c", "state": "active"}]}}`,
	`POST /_kit/call {"jsonrpc": "2.0", "id": 1, "method": "product.import", "params": {"query": {"by": "id"}, "body": [{"id": "r5", "name": "g", "state": "active", "makerId": "m99"}, {"id": "r3", "name": "f", "state": "active", "makerId": "m2"}, {"id": "r1", "name": "e", "state": "active", "makerId": "m98"}]}}`,
	`POST /_kit/call {"jsonrpc": "2.0", "id": 1, "method": "product.import", "params": {"query": {"by": "id"}, "body": [{"id": "r6", "name": "g", "state": "active", "makerId": "m99"}]}}`,
	`POST /_kit/call {"jsonrpc": "2.0", "id": 1, "method": "product.import", "params": {"query": {"by": "id", "dryRun": true}, "body": [{"id": "r7", "name": "g", "state": "active", "makerId": "m2"}, {"id": "r8", "name": "g", "state": "active", "makerId": "m99"}]}}`,
	`POST /_kit/call {"jsonrpc": "2.0", "id": 1, "method": "product.import", "params": {"query": {"by": "id", "faults": 1}, "body": [{"id": "s1", "name": "g", "state": "active", "makerId": "m99"}, {"id": "s2", "name": "g", "state": "active", "makerId": "m2"}]}}`,
	`POST /_kit/call {"jsonrpc": "2.0", "id": 1, "method": "line.import", "params": {"query": {"by": "id"}, "body": [{"id": "i1", "n": 1, "productId": "r1"}, {"id": "i2", "n": 1, "productId": "r9"}]}}`,
	`GET /api/shop/products`,
	`GET /api/desk/lines`,
	`! POST /api/atomic {"calls": [{"method": "maker.delete", "params": {"params": {"id": "m5"}}}, {"method": "maker.create", "params": {"body": {"id": "m6", "name": "Di"}}}]}`,
	`! GET /api/desk/makers`,
	`! GET /api/shop/products`,
	`POST /_kit/call {"jsonrpc": "2.0", "id": 1, "method": "maker.deleteMany", "params": {"query": {"where": {"name": {"eq": "hidden"}}}}}`,
}

// TestMovedFrondsAnswerAlike makes the same calls of a gateway over two Fronds that run in its process, and of gateways that have
// moved one of them or both to other hosts. The answers are equal.
func TestMovedFrondsAnswerAlike(t *testing.T) {
	private, public := keysIn(t, t.TempDir())
	signed := gateway.Signing{Key: private, Keys: []string{public}}
	answers := func(moved ...string) []string {
		front, remotes := newElsewhere(t), map[string]gateway.Remote{}
		places := map[string]*elsewhere{}
		for _, frond := range moved {
			places[frond] = newElsewhere(t)
			remotes[frond] = gateway.Remote{URL: places[frond].url(), Attempt: time.Minute, Timeout: time.Minute} // the machine may be busy
		}
		for frond, place := range places {
			others := map[string]gateway.Remote{"shop": {URL: front.url(), Timeout: time.Minute}, "desk": {URL: front.url(), Timeout: time.Minute}}
			maps.Copy(others, remotes)
			r, err := gateway.NewReceiver(folderOf(t, pointedFronds), frond, &gateway.ReceiverOptions{Options: gateway.Options{
				Config: gateway.Config{Store: "memory", Signing: signed, Remotes: others}, Logger: silence, Undecided: true,
			}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = r.Close() })
			place.stand(r.Handler())
		}
		gw, err := gateway.New(folderOf(t, pointedFronds), &gateway.Options{Config: gateway.Config{Store: "memory", Signing: signed, Remotes: remotes, Identity: gateway.Identity{Dev: true}}, Logger: silence, Undecided: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = gw.Close() })
		front.stand(gw.Handler())
		var all []string
		for _, call := range pointedCalls {
			user := `{"id": "s", "roles": ["staff"]}`
			line, other := strings.CutPrefix(strings.TrimPrefix(call, "! "), "* ")
			if other {
				user = `{"id": "u"}`
			}
			method, rest, _ := strings.Cut(line, " ")
			path, body, _ := strings.Cut(rest, " ")
			r := httptest.NewRequestWithContext(t.Context(), method, strings.NewReplacer("[", "%5B", "]", "%5D").Replace(path), strings.NewReader(body))
			r.RemoteAddr, r.Host = "127.0.0.1:1", "127.0.0.1"
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("X-Frond-User", user)
			w := httptest.NewRecorder()
			gw.Handler().ServeHTTP(w, r)
			all = append(all, fmt.Sprintf("%d %s", w.Code, strings.TrimSpace(w.Body.String())))
		}
		return all
	}
	want := answers()
	for _, moved := range [][]string{{"shop"}, {"desk"}, {"shop", "desk"}} {
		t.Run(strings.Join(moved, " and "), func(t *testing.T) {
			got := answers(moved...)
			for i, call := range pointedCalls {
				if strings.HasPrefix(call, "! ") && slices.Contains(moved, "desk") {
					continue
				}
				if got[i] != want[i] {
					t.Errorf("%s:\n%s\nwant\n%s", call, got[i], want[i])
				}
			}
		})
	}
}
