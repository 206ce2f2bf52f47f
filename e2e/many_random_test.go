package e2e_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
)

var (
	modelFrom  = flag.Uint64("model-from", 1, "the first seed of TestManyModel")
	modelSeeds = flag.Uint64("model-seeds", 2, "how many seeds TestManyModel runs")
	modelSteps = flag.Int("model-steps", 250, "how many writes TestManyModel makes for each seed")
)

// modelFiles are orders with unique keys, lines that belong to them, and tags through rows in between. A
// customer sees the orders with their name, lines below 8, and tags that are not secret.
var modelFiles = map[string]string{
	"frond.yaml": `
name: depot
many: {order: '*'}
nested: {order: [lines, tags]}
relations: {order.tags: {through: orderTag}}
changes: [order, line]
collectors:
  order:
    - when: '"staff" in user.roles'
    - when: user.id != nil
      rows: {owner: {eq: $user.id}}
  line:
    - when: '"staff" in user.roles'
    - when: user.id != nil
      rows: {n: {lt: 8}}
  tag:
    - when: '"staff" in user.roles'
    - when: user.id != nil
      rows: {secret: {eq: false}}
  orderTag: open
`,
	"entities/order.yaml": `
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  sku: {type: string, x-kit: {role: {unique: [[sku]]}}}
  shop: {type: string, x-kit: {role: {unique: [[shop, number]]}}}
  number: {type: integer, minimum: 0, maximum: 9}
  stock: {type: integer, minimum: 0, maximum: 9}
  owner: {type: string}
  parentId: {type: [string, 'null'], x-kit: {role: {relation: {to: order, kind: one, onDelete: cascade}, index: true}}}
  lines: {type: array, items: {type: string}, x-kit: {role: {relation: {to: line, kind: many}}}}
required: [id, sku, shop, number, stock, owner, parentId]
`,
	"entities/line.yaml": `
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: nanoid}}}}
  orderId: {type: string, x-kit: {role: {relation: {to: order, kind: one, onDelete: cascade}, unique: [[orderId, pos]]}}}
  pos: {type: integer}
  n: {type: integer, minimum: 0, maximum: 9}
required: [orderId, pos, n]
`,
	"entities/tag.yaml": `
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  secret: {type: boolean}
required: [id, secret]
`,
	"entities/orderTag.yaml": `
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: nanoid}}}}
  orderId: {type: string, x-kit: {role: {relation: {to: order, kind: one, onDelete: cascade}, unique: [[orderId, tagId]]}}}
  tagId: {type: string, x-kit: {role: {relation: {to: tag, kind: one, onDelete: cascade}}}}
required: [orderId, tagId]
`,
}

var modelHost = host{
	doors: map[string]doorShape{
		"order":    {frond: "depot", plural: "orders", one: "order", many: "orders", typ: "Order"},
		"line":     {frond: "depot", plural: "lines", one: "line", many: "lines", typ: "Line"},
		"ordertag": {frond: "depot", plural: "orderTags", one: "orderTag", many: "orderTags", typ: "OrderTag"},
		"tag":      {frond: "depot", plural: "tags", one: "tag", many: "tags", typ: "Tag"},
	},
	types: map[string]bool{"Order": true, "Line": true, "OrderTag": true, "Tag": true},
}

// TestManyModel makes random writes of many, nested and linked rows, and atomic ones, over all wires, and
// compares their answers and the rows with those of a model in maps.
func TestManyModel(t *testing.T) {
	t.Parallel()
	total := map[string]int{}
	for seed := *modelFrom; seed < *modelFrom+*modelSeeds; seed++ {
		difference, did := runModel(t, seed, *modelSteps, "")
		if difference != "" {
			t.Errorf("seed %d: %s", seed, difference)
		}
		for what, n := range did {
			total[what] += n
		}
	}
	t.Logf("%v", total)
	for _, op := range []string{"createMany", "updateMany", "deleteMany", "upsert", "atomic over rest", "atomic over graphql", "create", "update", "delete"} {
		if total[op] < *modelSteps/120 {
			t.Errorf("only %d of %s succeeded", total[op], op)
		}
	}
	for _, code := range []string{"VALIDATION_FAILED", "CONFLICT", "FORBIDDEN", "UNPROCESSABLE_ENTITY"} {
		if total[code] < *modelSteps/60 {
			t.Errorf("only %d writes were refused with %s", total[code], code)
		}
	}
}

// TestManyModelFinds shows that the comparison fails: a model with one wrong rule differs from the gateway.
func TestManyModelFinds(t *testing.T) {
	t.Parallel()
	for _, flaw := range []string{"max", "unique", "compound", "owner", "rollback", "cascade", "hidden lines", "hidden tags", "set", "keeps"} {
		t.Run(flaw, func(t *testing.T) {
			t.Parallel()
			found := ""
			for seed := uint64(1); seed < 6 && found == ""; seed++ {
				found, _ = runModel(t, seed, 250, flaw)
			}
			if found == "" {
				t.Error("no difference is found")
			}
		})
	}
}

// call is the write as wires carry it.
func (w modelWrite) call(t *testing.T, user string) call {
	c := call{Method: "order." + w.op, User: user}
	if strings.Contains(w.op, ".") {
		c.Method = w.op
	}
	if w.op == "update" || w.op == "delete" {
		c.Params = encode(t, anObject{"id": w.id})
	}
	if w.query != nil {
		c.Query = encode(t, w.query)
	}
	switch {
	case w.op == "createMany":
		c.Body = encode(t, w.bodies)
	case w.bodies != nil:
		c.Body = encode(t, w.bodies[0])
	case w.op == "atomic":
		var calls []any
		for i, call := range w.calls {
			inner := call.call(t, "")
			if call.op == "line.create" && call.id == "0" { // of the order before it
				inner.Body = strings.Replace(inner.Body, encode(t, call.bodies[0]["orderId"]), fmt.Sprintf(`{"$result":"%d.id"}`, i-1), 1)
			}
			calls = append(calls, anObject{"method": inner.Method, "params": json.RawMessage(inner.invocation())})
		}
		c.Body = encode(t, anObject{"calls": calls})
	}
	return c
}

// runModel makes random writes, and returns the first difference between the gateway and the model, and how
// many writes of each kind succeeded and were refused.
func runModel(t *testing.T, seed uint64, steps int, flaw string) (difference string, did map[string]int) {
	t.Helper()
	store := openRows(t)
	project, err := facade.Read(os.DirFS(folder(t, modelFiles)))
	if err != nil {
		t.Fatal(err)
	}
	g, err := gateway.New(project, &gateway.Options{Config: gateway.Config{Identity: gateway.Identity{Dev: true}, Mode: gateway.Development}, Store: store, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(g.Handler())
	defer func() {
		server.Close()
		_ = g.Close()
	}()
	wires := map[string]wire{"rest": restWire{server.URL, modelHost}, "graphql": newGraphQLWire(t, server.URL, modelHost), "envelope": envelopeWire{server.URL}}
	for i := range 4 {
		wires["envelope"].do(t, call{Method: "tag.create", Body: fmt.Sprintf(`{"id":"t%d","secret":%t}`, i, i == 3), User: staff})
	}
	d := &dealer{rand.New(rand.NewPCG(seed, 11)), &model{modelState: &modelState{orders: map[string]modelOrder{}, links: map[[2]string]bool{}}, flaw: flaw}}
	did = map[string]int{}
	for range steps {
		d.m.caller = d.pick("", "", "a", "a", "b")
		op := d.pick("create", "createMany", "createMany", "update", "update", "delete", "updateMany", "updateMany", "deleteMany", "upsert", "upsert", "atomic", "atomic")
		w := d.write(op)
		user := staff
		if d.m.caller != "" {
			user = `{"id":"` + d.m.caller + `"}`
		}
		c := w.call(t, user)
		name := d.pick("rest", "graphql", "envelope")
		var got answer
		ok := true
		switch {
		case op != "atomic":
			got, ok = wires[name].do(t, c)
		case name == "rest":
			got = restAtomic(t, server.URL, c)
		case name == "graphql" && !w.refers():
			got = graphqlAtomic(t, wires[name].(*graphqlWire), w, c)
		default:
			name, got = "envelope", sendFrame(t, server.URL, "rpc.atomic", c.Body, c.userHeader()...)
		}
		if !ok {
			t.Fatalf("%s cannot say %+v", name, c)
		}
		tried := &model{modelState: d.m.clone(), flaw: flaw, caller: d.m.caller, roots: name == "graphql"}
		want, failed := tried.do(w, "")
		where := fmt.Sprintf("%s %s %s %s %s as %s is answered with %s", name, c.Method, c.Params, c.Query, c.Body, user, show(got))
		if why := tried.differs(op, len(w.calls), want, failed, got); why != "" {
			return where + "\n" + why, did
		}
		if len(tried.faults) == 0 {
			d.m.modelState = tried.modelState
			did[op]++
			if op == "atomic" {
				did["atomic over "+name]++
			}
		} else {
			did[got.Err.Code]++
			if flaw == "rollback" && op == "atomic" {
				d.m.modelState = tried.modelState
			}
		}
		if diff := d.m.compare(t, wires["envelope"]); diff != "" {
			return where + "\nthe rows differ (-model +gateway):\n" + diff, did
		}
	}
	return "", did
}

// restAtomic makes an atomic request over REST.
func restAtomic(t *testing.T, url string, c call) answer {
	res := send(t, "POST", url+"/api/atomic", c.Body, c.userHeader()...)
	if res.Status == 200 {
		return answer{Value: decode(t, res.Body)}
	}
	return answer{Err: decodeError(t, []byte(encode(t, decode(t, res.Body).(anObject)["data"])))}
}

// refers reports whether a call of an atomic request refers to the answer of another one.
func (w modelWrite) refers() bool {
	return slices.ContainsFunc(w.calls, func(call modelWrite) bool { return call.op == "line.create" && call.id == "0" })
}

// graphqlAtomic makes an atomic request as one mutation.
func graphqlAtomic(t *testing.T, w *graphqlWire, of modelWrite, c call) answer {
	t.Helper()
	variables := map[string]json.RawMessage{}
	var declared, roots []string
	for i, each := range of.calls {
		inner := each.call(t, "")
		params, query := members(t, inner.Params), members(t, inner.Query)
		field := map[string]string{"create": "createOrder", "createMany": "createOrders", "update": "updateOrder", "updateMany": "updateOrders", "delete": "deleteOrder", "upsert": "upsertOrder", "line.create": "createLine"}[each.op]
		input := map[bool]string{true: "set", false: "input"}[each.op == "updateMany"]
		var used []string
		for _, a := range w.fields[field].Args {
			v, sent := query[a.Name]
			switch a.Name {
			case "id":
				v, sent = params["id"]
			case input:
				v, sent = json.RawMessage(inner.Body), true
			case "by":
				v = json.RawMessage(strings.ReplaceAll(strings.ToUpper(string(v)), ",", "_"))
			}
			if sent {
				name := fmt.Sprintf("%s%d", a.Name, i)
				variables[name] = v
				declared, used = append(declared, "$"+name+": "+a.Type.String()), append(used, a.Name+": $"+name)
			}
		}
		selected := map[string]string{"delete": "", "updateMany": "{ count }", "upsert": "{ created }"}
		fields, known := selected[each.op]
		if !known {
			fields = "{ id }"
		}
		roots = append(roots, fmt.Sprintf("r%d: %s%s %s", i, field, parens(used), fields))
	}
	data, errs := w.post(t, "mutation All"+parens(declared)+" @atomic { "+strings.Join(roots, " ")+" }", variables, c.userHeader()...)
	if len(errs) == 0 {
		results := []any{}
		for _, each := range decode(t, data).(anObject) {
			results = append(results, each)
		}
		return answer{Value: anObject{"results": results}}
	}
	e := w.failure(t, errs)
	if len(errs[0].Path) > 0 {
		at := 0
		if _, err := fmt.Sscanf(fmt.Sprint(errs[0].Path[0]), "r%d", &at); err == nil {
			e.Call = &at
		}
	}
	return answer{Err: e}
}

// differs is how an answer differs from that of the model.
func (m *model) differs(op string, calls int, want modelAnswer, failed int, got answer) string {
	if len(m.faults) > 0 || got.Err != nil {
		var codes, pointers []string
		for _, f := range m.faults {
			codes, pointers = append(codes, f.code), append(pointers, f.pointer)
		}
		switch {
		case got.Err == nil || !slices.Contains(codes, got.Err.Code):
			return fmt.Sprintf("want one of the faults %v", m.faults)
		case op == "atomic" && (got.Err.Call == nil || *got.Err.Call != failed):
			return fmt.Sprintf("want the failure of call %d", failed)
		case got.Err.Code == "VALIDATION_FAILED":
			for _, fault := range failure(got.Err)[1:] {
				if pointer, _, _ := strings.Cut(fault, ":"); !slices.Contains(pointers, pointer) {
					return fmt.Sprintf("want faults among %v", m.faults)
				}
			}
		}
		return ""
	}
	value, _ := got.Value.(anObject)
	id := func(row any) string { text, _ := row.(anObject)["id"].(string); return text }
	var ids []string
	same := true
	switch op {
	case "delete":
		same = got.Value == (want.Count == 1)
	case "updateMany", "deleteMany":
		same = fmt.Sprint(value["count"]) == fmt.Sprint(want.Count)
	case "create", "update":
		ids = []string{id(value)}
	case "upsert":
		ids, same = []string{id(value["item"])}, value["created"] == want.Created
	case "atomic":
		results, _ := value["results"].([]any)
		same = len(results) == calls
	case "createMany":
		items, _ := value["items"].([]any)
		for _, item := range items {
			ids = append(ids, id(item))
		}
	}
	if !same || !slices.Equal(ids, want.IDs) {
		return fmt.Sprintf("want %+v", want)
	}
	return ""
}

// compare is how the rows of the gateway differ from those of the model. Lines get the ids that the gateway
// made.
func (m *model) compare(t *testing.T, w wire) string {
	rows := func(entity string) (all []anObject) {
		got, _ := w.do(t, call{Method: entity + ".list", Query: `{"limit":500,"total":false}`, User: staff})
		if got.Err != nil {
			t.Fatal(show(got))
		}
		for _, row := range got.Value.(anObject)["items"].([]any) {
			all = append(all, row.(anObject))
		}
		return all
	}
	number := func(v any) (n int) { _, _ = fmt.Sscan(fmt.Sprint(v), &n); return n }
	text := func(v any) string { s, _ := v.(string); return s }
	stored := &modelState{orders: map[string]modelOrder{}, links: map[[2]string]bool{}}
	for _, row := range rows("order") {
		o := modelOrder{text(row["id"]), text(row["sku"]), text(row["shop"]), text(row["owner"]), text(row["parentId"]), number(row["number"]), number(row["stock"])}
		stored.orders[o.ID] = o
	}
	for _, row := range rows("line") {
		l := modelLine{text(row["id"]), text(row["orderId"]), number(row["pos"]), number(row["n"])}
		stored.lines = append(stored.lines, l)
		for i, own := range m.lines {
			if own.ID[0] == '?' && own.Order == l.Order && own.Pos == l.Pos {
				m.lines[i].ID = l.ID
			}
		}
	}
	for _, row := range rows("orderTag") {
		stored.links[[2]string{text(row["orderId"]), text(row["tagId"])}] = true
	}
	for _, s := range []*modelState{m.modelState, stored} {
		slices.SortFunc(s.lines, func(a, b modelLine) int { return cmp.Or(strings.Compare(a.Order, b.Order), a.Pos-b.Pos) })
	}
	return gocmp.Diff(m.orders, stored.orders) + gocmp.Diff(m.lines, stored.lines, cmpopts.EquateEmpty()) + gocmp.Diff(m.links, stored.links)
}
