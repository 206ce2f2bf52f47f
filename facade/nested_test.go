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
many: {order: '*'}
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
			if e.Code == kiterror.Conflict && e.Message != kiterror.Sentence(details[0]) {
				t.Errorf("the message of %s is %q", text, e.Message)
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
	const fifth = `[{"id":"o1","title":"Uno"},{"id":"o2","title":"Due"},{"id":"o3","title":"Tri"},{"id":"o4","title":"Qua"},{"id":"o5","title":"Cin"}][{"id":"l3","orderId":"o1","sku":"aa","count":9},{"id":"l5","orderId":"o2","sku":"aa","count":4},{"id":"l9","orderId":"o5","sku":"aa","count":1}]`
	const third = `[{"id":"o1","title":"Uno"}][{"id":"l3","orderId":"o1","sku":"aa","count":9}]`
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
			"a line at fault makes no conflict with another", "admin", "order.update", `"o1"`, "",
			`{"lines":{"update":[{"id":"l1","sku":"dd","count":0}],"create":[{"sku":"aa"}]}}`,
			`VALIDATION_FAILED /body/lines/update/0/count:minimum`, first,
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
			"a list of null is as good as none", "admin", "order.update", `"o1"`, `{"fields":"id"}`,
			`{"lines":{"set":null,"delete":null,"update":[{"id":"l2","count":7}]}}`,
			`{"id":"o1"}`, `[{"id":"o1","title":"Uno"}][{"id":"l2","orderId":"o1","sku":"bb","count":7},{"id":"l3","orderId":"o1","sku":"aa","count":1}]`,
		},
		{
			"set states the lines", "admin", "order.update", `"o1"`, `{"fields":"id"}`,
			`{"lines":{"set":[{"id":"l3","count":9}]}}`,
			`{"id":"o1"}`, `[{"id":"o1","title":"Uno"}][{"id":"l3","orderId":"o1","sku":"aa","count":9}]`,
		},
		{
			"lines are an object", "admin", "order.create", "", "", `{"title":"Two","seller":"ann","lines":null}`,
			`VALIDATION_FAILED /body/lines:type`, third,
		},
		{
			"lines have no rows of their own", "admin", "order.update", `"o1"`, "", `{"lines":{"create":[{"sku":"xx","order":{}},{"sku":"yy"}],"update":[{"id":"l3","order":{}}]}}`,
			`VALIDATION_FAILED /body/lines/update/0/order:unknown_key /body/lines/create/0/order:unknown_key`, third,
		},
		{
			"every fault of a row of createMany and of its lines has its place", "admin", "order.createMany", "", "",
			`[{"title":"T","seller":"ann"},{"title":"Two","seller":"ann","lines":{"create":[{"sku":"aa"}],"remove":[]}},{"title":"Two","seller":"ann","lines":3}]`,
			`VALIDATION_FAILED /body/0/title:minLength /body/1/lines/remove:unknown_key /body/2/lines:type`, third,
		},
		{
			"every fault of the lines of createMany has its place, and nothing is written", "admin", "order.createMany", "", "",
			`[{"title":"Two","seller":"ann","lines":{"create":[{"sku":"aa"},{"sku":"b","count":0}]}},{"title":"Tri","seller":"ann"},{"title":"Qua","seller":"ann","lines":{"set":[{"sku":"c"}]}}]`,
			`VALIDATION_FAILED /body/0/lines/create/1/sku:minLength /body/0/lines/create/1/count:minimum /body/2/lines/set/0/sku:minLength`, third,
		},
		{
			"lines of new orders are new", "admin", "order.createMany", "", "",
			`[{"title":"Two","seller":"ann"},{"title":"Tri","seller":"ann","lines":{"update":[{"id":"l3","count":1}],"delete":["l2"]}}]`,
			`VALIDATION_FAILED /body/1/lines/update/0:reference /body/1/lines/delete/0:reference`, third,
		},
		{
			"a conflict of a line of createMany has its place", "admin", "order.createMany", "", "",
			`[{"title":"Two","seller":"ann","lines":{"create":[{"sku":"aa"}]}},{"title":"Tri","seller":"ann","lines":{"create":[{"sku":"bb"},{"sku":"aa"},{"sku":"bb"}]}}]`,
			`CONFLICT /body/1/lines/create/2/orderId:unique /body/1/lines/create/2/sku:unique`, third,
		},
		{
			"each line of createMany is under the rules of its door", "ann", "order.createMany", "", "",
			`[{"title":"Two","lines":{"create":[{"sku":"aa"}]}},{"title":"Tri","lines":{"create":[{"sku":"aa"},{"sku":"bb","gift":true}]}}]`,
			`FORBIDDEN`, third,
		},
		{
			"createMany does not know a relation that the caller may not read", "clerk", "order.createMany", "", "", `[{"title":"Two","seller":"ann","lines":{"create":[]}}]`,
			`VALIDATION_FAILED /body/0/lines:unknown_key`, third,
		},
		{
			"upsert creates an order with its lines", "admin", "order.upsert", "", `{"by":"id","fields":"id"}`,
			`{"id":"o2","title":"Two","seller":"ann","lines":{"create":[{"id":"l5","sku":"aa"},{"id":"l6","sku":"bb"}]}}`,
			`{"created":true,"item":{"id":"o2"}}`,
			`[{"id":"o1","title":"Uno"},{"id":"o2","title":"Two"}][{"id":"l3","orderId":"o1","sku":"aa","count":9},{"id":"l5","orderId":"o2","sku":"aa","count":1},{"id":"l6","orderId":"o2","sku":"bb","count":1}]`,
		},
		{
			"upsert updates an order with its lines", "admin", "order.upsert", "", `{"by":"id","fields":"id"}`,
			`{"id":"o2","title":"Due","seller":"ann","lines":{"delete":["l6"],"update":[{"id":"l5","count":4}]}}`,
			`{"created":false,"item":{"id":"o2"}}`,
			`[{"id":"o1","title":"Uno"},{"id":"o2","title":"Due"}][{"id":"l3","orderId":"o1","sku":"aa","count":9},{"id":"l5","orderId":"o2","sku":"aa","count":4}]`,
		},
		{
			"the faults of upsert have their places", "admin", "order.upsert", "", `{"by":"id","fields":"id"}`,
			`{"id":"o2","title":"D","seller":"ann","lines":{"remove":[]}}`,
			`VALIDATION_FAILED /body/lines/remove:unknown_key /body/title:minLength`,
			`[{"id":"o1","title":"Uno"},{"id":"o2","title":"Due"}][{"id":"l3","orderId":"o1","sku":"aa","count":9},{"id":"l5","orderId":"o2","sku":"aa","count":4}]`,
		},
		{
			"and so have those of its lines", "admin", "order.upsert", "", `{"by":"id","fields":"id"}`,
			`{"id":"o2","title":"Duo","seller":"ann","lines":{"set":[{"id":"l5"},{"id":"l3"}]}}`,
			`VALIDATION_FAILED /body/lines/set/1:reference`,
			`[{"id":"o1","title":"Uno"},{"id":"o2","title":"Due"}][{"id":"l3","orderId":"o1","sku":"aa","count":9},{"id":"l5","orderId":"o2","sku":"aa","count":4}]`,
		},
		{
			"createMany writes lines with each order", "admin", "order.createMany", "", `{"fields":"title"}`,
			`[{"id":"o3","title":"Tri","seller":"ann","lines":{"create":[{"id":"l7","sku":"aa"},{"id":"l8","sku":"bb"}]}},{"id":"o4","title":"Qua","seller":"ann"},{"id":"o5","title":"Cin","seller":"bob","lines":{"create":[{"id":"l9","sku":"aa"}]}}]`,
			`{"items":[{"title":"Tri"},{"title":"Qua"},{"title":"Cin"}]}`,
			`[{"id":"o1","title":"Uno"},{"id":"o2","title":"Due"},{"id":"o3","title":"Tri"},{"id":"o4","title":"Qua"},{"id":"o5","title":"Cin"}][{"id":"l3","orderId":"o1","sku":"aa","count":9},{"id":"l5","orderId":"o2","sku":"aa","count":4},{"id":"l7","orderId":"o3","sku":"aa","count":1},{"id":"l8","orderId":"o3","sku":"bb","count":1},{"id":"l9","orderId":"o5","sku":"aa","count":1}]`,
		},
		{
			"updateMany writes lines of each order", "admin", "order.updateMany", "", `{"where":{"id":{"in":["o3","o4"]}}}`,
			`{"lines":{"set":[]}}`, `{"count":2}`, fifth,
		},
		{
			"the faults of the lines of updateMany have their places", "admin", "order.updateMany", "", `{"where":{"seller":{"eq":"ann"}}}`,
			`{"title":"Sei","lines":{"create":[{"sku":"b"},{"sku":"cc"}]}}`, `VALIDATION_FAILED /body/lines/create/0/sku:minLength`, fifth,
		},
		{
			"and so have those of the form", "admin", "order.updateMany", "", `{"where":{"seller":{"eq":"ann"}}}`,
			`{"title":"S","lines":{"add":[]}}`, `VALIDATION_FAILED /body/lines/add:unknown_key /body/title:minLength`, fifth,
		},
		{
			"an import writes the lines of each row that is right", "admin", "order.import", "", `{"by":"id"}`,
			`[{"id":"o3","title":"Tre","seller":"ann","lines":{"create":[{"id":"l7","sku":"aa"},{"id":"l8","sku":"bb"}]}},
			  {"id":"o6","title":"Sei","seller":"ann","lines":{"create":[{"id":"m1","sku":"aa"}]}},
			  {"id":"o7","title":"Set","seller":"ann","lines":{"create":[{"id":"m2","sku":"aa"},{"id":"m3","sku":"aa"}]}},
			  {"id":"o8","title":"Ott","seller":"ann","lines":{"add":[]}}]`,
			`{"created":1,"updated":1,"rows":4,"complete":true,"faults":[{"row":3,"column":"lines.add","code":"unknown_key","message":"must be an object with create, update and delete, or with set"},` +
				`{"row":2,"column":"lines.create.1.orderId","code":"unique","message":"is already taken together with the others of orderId, sku; change one of them"},{"row":2,"column":"lines.create.1.sku","code":"unique","message":"is already taken together with the others of orderId, sku; change one of them"}]}`,
			`[{"id":"o1","title":"Uno"},{"id":"o2","title":"Due"},{"id":"o3","title":"Tre"},{"id":"o4","title":"Qua"},{"id":"o5","title":"Cin"},{"id":"o6","title":"Sei"}]` +
				`[{"id":"l3","orderId":"o1","sku":"aa","count":9},{"id":"l5","orderId":"o2","sku":"aa","count":4},{"id":"l7","orderId":"o3","sku":"aa","count":1},{"id":"l8","orderId":"o3","sku":"bb","count":1},{"id":"l9","orderId":"o5","sku":"aa","count":1},{"id":"m1","orderId":"o6","sku":"aa","count":1}]`,
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
