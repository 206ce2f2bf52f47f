package facade_test

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// nestedProject has orders with lines that belong to them. A seller writes their own orders and the
// lines without a gift; nobody but an admin deletes a line.
var nestedFiles = map[string]string{
	"entities/order.yaml": `
title: order
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: nanoid}}}}
  title: {type: string, minLength: 2}
  seller: {type: string}
  lines: {type: array, items: {type: string}, x-kit: {role: {relation: {to: line, kind: many, by: orderId}}}}
required: [title, seller]
`,
	"entities/line.yaml": `
title: line
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: nanoid}}}}
  orderId: {type: string, x-kit: {role: {relation: {to: order, kind: one, onDelete: cascade}, unique: [[orderId, sku]]}, lifecycle: {update: forbidden}}}
  sku: {type: string, minLength: 2}
  count: {type: integer, minimum: 1, x-kit: {lifecycle: {create: {value: 1}}}}
  gift: {type: boolean, x-kit: {lifecycle: {create: {value: false}}}}
required: [orderId, sku]
`,
	"frond.yaml": `
name: shop
nested: {order: [lines]}
changes: [order, line]
collectors:
  order:
    - when: user.role == "admin"
    - when: user.role == "clerk"
      hide: [lines]
    - when: user != nil
      rows: {seller: {eq: $user.id}}
      set: {seller: $user.id}
    - deny: all
  line:
    - when: user.role == "admin"
    - when: user != nil
      rows: {gift: {eq: false}}
      deny: [delete]
    - deny: all
`,
}

func nestedFacade(t *testing.T) *facade.Facade {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range nestedFiles {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	p, err := facade.Read(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return storetest.New(t, p, storetest.NewStore(), nil)
}

// TestNested writes lines with their orders. Each step has the whole answer, or the code of the failure
// and the place of each fault, and then the rows afterwards.
func TestNested(t *testing.T) {
	f := nestedFacade(t)
	call := func(who, method, id, query, body string) string {
		in := facade.Invocation{ID: raw(id), Query: raw(query), Body: raw(body)}
		switch who {
		case "":
		case "admin", "clerk":
			in.State = access.State{"user": map[string]any{"id": who, "role": who}}
		default:
			in.State = access.State{"user": map[string]any{"id": who, "role": "seller"}}
		}
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
		if e.Entity != entity || e.Operation != op {
			text += " at " + e.Entity + "." + e.Operation
		}
		return text
	}
	there := func() string {
		orders := call("admin", "order.list", "", `{"fields":"id,title","sort":"id","total":false}`, "")
		lines := call("admin", "line.list", "", `{"fields":"id,orderId,sku,count","sort":"id","total":false}`, "")
		cut := func(page string) string {
			items, _, _ := strings.Cut(strings.TrimPrefix(page, `{"items":`), `,"total"`)
			return items
		}
		return cut(orders) + cut(lines)
	}
	const first = `[{"id":"o1","title":"One"}][{"id":"l1","orderId":"o1","sku":"aa","count":1},{"id":"l2","orderId":"o1","sku":"bb","count":2}]`
	for _, c := range []struct{ name, who, method, id, query, body, want, there string }{
		{
			"create writes lines with the order", "admin", "order.create", "", `{"fields":"id,title"}`,
			`{"id":"o1","title":"One","seller":"ann","lines":{"create":[{"id":"l1","sku":"aa"},{"id":"l2","sku":"bb","count":2}]}}`,
			`{"id":"o1","title":"One"}`, first,
		},
		{
			"every fault of a line has its place, and nothing is written", "admin", "order.create", "", "",
			`{"id":"o2","title":"Two","seller":"ann","lines":{"create":[{"sku":"aa"},{"sku":"b","count":0},{"sku":"cc","colour":"red"}]}}`,
			`VALIDATION_FAILED /body/lines/create/1/sku:minLength /body/lines/create/1/count:minimum /body/lines/create/2/colour:unknown_key`, first,
		},
		{
			"a conflict of a line has its place", "admin", "order.update", `"o1"`, "",
			`{"title":"Uno","lines":{"create":[{"sku":"cc"},{"sku":"aa"}]}}`,
			`CONFLICT /body/lines/create/1/orderId:unique /body/lines/create/1/sku:unique`, first,
		},
		{
			"faults of the form are those of the order", "admin", "order.update", `"o1"`, "",
			`{"title":"U","lines":{"create":{},"update":[{"sku":"xx"},3],"remove":[]}}`,
			`VALIDATION_FAILED /body/lines/create:type /body/lines/update/0/id:required /body/lines/update/1:type /body/lines/remove:unknown_key /body/title:minLength`, first,
		},
		{
			"set is alone", "admin", "order.update", `"o1"`, "", `{"lines":{"set":[],"delete":["l1"]}}`,
			`VALIDATION_FAILED /body/lines:set`, first,
		},
		{
			"a line of another order is none", "admin", "order.create", "", "",
			`{"title":"Two","seller":"ann","lines":{"update":[{"id":"l1","count":5}]}}`,
			`VALIDATION_FAILED /body/lines/update/0:reference`, first,
		},
		{
			"a line is named once", "admin", "order.update", `"o1"`, "",
			`{"lines":{"update":[{"id":"l1","count":5}],"delete":["l1","l9"]}}`,
			`VALIDATION_FAILED /body/lines/delete/0:reference /body/lines/delete/1:reference`, first,
		},
		{
			"the key of the owner may be sent as it is, and no other", "admin", "order.update", `"o1"`, "",
			`{"lines":{"update":[{"id":"l1","orderId":"o1"},{"id":"l2","orderId":"o2"}]}}`,
			`VALIDATION_FAILED /body/lines/update/1/orderId:read_only`, first,
		},
		{
			"those who may not read the relation do not write through it", "clerk", "order.update", `"o1"`, "", `{"lines":{"delete":["l1"]}}`,
			`VALIDATION_FAILED /body/lines:unknown_key`, first,
		},
		{
			"each line is under the rules of its door", "ann", "order.update", `"o1"`, "", `{"lines":{"create":[{"sku":"cc","gift":true}]}}`,
			`FORBIDDEN`, first,
		},
		{
			"a line that may not be deleted stays", "ann", "order.update", `"o1"`, "", `{"title":"Uno","lines":{"delete":["l1"]}}`,
			`FORBIDDEN`, first,
		},
		{
			"an order that is not theirs has no lines for them", "bob", "order.update", `"o1"`, "", `{"lines":{"create":[{"sku":"cc"}]}}`,
			`NOT_FOUND`, first,
		},
		{
			"update writes lines of each kind", "admin", "order.update", `"o1"`, `{"fields":"title"}`,
			`{"title":"Uno","lines":{"create":[{"id":"l3","sku":"aa"}],"update":[{"id":"l2","count":7}],"delete":["l1"]}}`,
			`{"title":"Uno"}`, `[{"id":"o1","title":"Uno"}][{"id":"l2","orderId":"o1","sku":"bb","count":7},{"id":"l3","orderId":"o1","sku":"aa","count":1}]`,
		},
		{
			"an id of set is that of a line", "admin", "order.update", `"o1"`, "",
			`{"lines":{"set":[{"id":"l4","sku":"dd"},{"id":"l3","count":9}]}}`,
			`VALIDATION_FAILED /body/lines/set/0:reference`, `[{"id":"o1","title":"Uno"}][{"id":"l2","orderId":"o1","sku":"bb","count":7},{"id":"l3","orderId":"o1","sku":"aa","count":1}]`,
		},
		{
			"set states the lines", "admin", "order.update", `"o1"`, `{"fields":"id"}`,
			`{"lines":{"set":[{"id":"l3","count":9}]}}`,
			`{"id":"o1"}`, `[{"id":"o1","title":"Uno"}][{"id":"l3","orderId":"o1","sku":"aa","count":9}]`,
		},
		{
			"lines are an object", "admin", "order.create", "", "", `{"title":"Two","seller":"ann","lines":null}`,
			`VALIDATION_FAILED /body/lines:type`, `[{"id":"o1","title":"Uno"}][{"id":"l3","orderId":"o1","sku":"aa","count":9}]`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := call(c.who, c.method, c.id, c.query, c.body); got != c.want {
				t.Errorf("%s %s %s\n got %s\nwant %s", c.who, c.method, c.body, got, c.want)
			}
			if got := there(); got != c.there {
				t.Errorf("there is\n     %s\nwant %s", got, c.there)
			}
		})
	}
}
