package e2e_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"maps"
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

// modelOrder, modelLine and modelState are the rows of the model.
type modelOrder struct {
	ID, Sku, Shop, Owner, Parent string
	Number, Stock                int
}

type modelLine struct {
	ID, Order string
	Pos, N    int
}

type modelState struct {
	orders map[string]modelOrder
	lines  []modelLine
	links  map[[2]string]bool // of an order and a tag
}

func (s *modelState) clone() *modelState {
	return &modelState{maps.Clone(s.orders), slices.Clone(s.lines), maps.Clone(s.links)}
}

// model makes writes as the pages of docs say. A write that has faults leaves no rows.
type model struct {
	*modelState
	flaw   string
	caller string // "": staff
	faults []modelFault
	made   int  // ids
	roots  bool // whether the calls of an atomic request are fields of GraphQL, whose faults have their path
}

// modelFault is one reason to refuse a write. Which of several is reported is not modelled.
type modelFault struct{ code, pointer string }

type anObject = map[string]any

func (m *model) refuse(code, pointer string) { m.faults = append(m.faults, modelFault{code, pointer}) }

func (m *model) visible(o modelOrder) bool { return m.caller == "" || o.Owner == m.caller }

func (m *model) visibleLine(l modelLine) bool {
	return m.caller == "" || l.N < 8 || m.flaw == "hidden lines"
}

func (m *model) visibleTag(tag string) bool {
	return slices.Contains([]string{"t0", "t1", "t2"}, tag) || tag == "t3" && (m.caller == "" || m.flaw == "hidden tags")
}

// put judges an order and keeps it.
func (m *model) put(o modelOrder, change string, at string) {
	for name, n := range map[string]int{"number": o.Number, "stock": o.Stock} {
		if n < 0 || n > 9 {
			m.refuse("VALIDATION_FAILED", at+"/"+name)
		}
	}
	if !m.visible(o) && m.flaw != "owner" {
		m.refuse("FORBIDDEN", "")
	}
	for _, other := range m.orders {
		if other.ID == o.ID && change == "create" || other.ID != o.ID &&
			(other.Sku == o.Sku && m.flaw != "unique" || other.Shop == o.Shop && other.Number == o.Number && m.flaw != "compound") {
			m.refuse("CONFLICT", "")
		}
	}
	m.orders[o.ID] = o
}

// parented refuses an order whose parent the caller may not see.
func (m *model) parented(o modelOrder) {
	if parent, there := m.orders[o.Parent]; o.Parent != "" && (!there || !m.visible(parent)) {
		m.refuse("CONFLICT", "")
	}
}

// patched is an order with members of a body.
func patched(o modelOrder, body anObject) modelOrder {
	for name, to := range map[string]*string{"id": &o.ID, "sku": &o.Sku, "shop": &o.Shop, "owner": &o.Owner, "parentId": &o.Parent} {
		if v, sent := body[name]; sent {
			*to, _ = v.(string)
		}
	}
	for name, to := range map[string]*int{"number": &o.Number, "stock": &o.Stock} {
		if v, sent := body[name]; sent {
			*to = v.(int)
		}
	}
	return o
}

// createAll creates orders, then what belongs to them. at points to the bodies.
func (m *model) createAll(bodies []anObject, at []string) {
	for i, body := range bodies {
		m.put(patched(modelOrder{}, body), "create", at[i])
	}
	for _, body := range bodies {
		m.parented(patched(modelOrder{}, body))
	}
	var fresh []func()
	for i, body := range bodies {
		fresh = append(fresh, m.nested(body["id"].(string), body, at[i]))
	}
	for _, create := range fresh {
		create()
	}
}

func (m *model) update(id string, body anObject, at string) {
	o, there := m.orders[id]
	if !there || !m.visible(o) {
		m.refuse("NOT_FOUND", "")
		m.judgePatch(body, at)
		return
	}
	o = patched(o, body)
	m.put(o, "update", at)
	if _, sent := body["parentId"]; sent {
		m.parented(o)
	}
	m.nested(id, body, at)()
}

// judgePatch judges a patch without a row.
func (m *model) judgePatch(body anObject, at string) {
	for _, name := range []string{"number", "stock"} {
		if n, sent := body[name].(int); sent && n > 9 {
			m.refuse("VALIDATION_FAILED", at+"/"+name)
		}
	}
}

// remove deletes an order with everything that goes with it.
func (m *model) remove(id string) {
	delete(m.orders, id)
	m.lines = slices.DeleteFunc(m.lines, func(l modelLine) bool { return l.Order == id && m.flaw != "cascade" })
	maps.DeleteFunc(m.links, func(link [2]string, _ bool) bool { return link[0] == id })
	for _, o := range m.orders {
		if o.Parent == id {
			m.remove(o.ID)
		}
	}
}

// nested changes the lines and tags of an order. New lines follow with the answer.
func (m *model) nested(order string, body anObject, at string) (create func()) {
	var fresh []func()
	if lines, sent := body["lines"].(anObject); sent {
		fresh = m.changeLines(order, lines, at+"/lines")
	}
	tags, linked := body["tags"].(anObject)
	return func() {
		for _, create := range fresh {
			create()
		}
		if linked {
			m.changeTags(order, tags, at+"/tags")
		}
	}
}

func (m *model) changeLines(order string, lists anObject, at string) (fresh []func()) {
	known, named := map[string]bool{}, map[string]bool{}
	for _, l := range m.lines {
		if l.Order == order && m.visibleLine(l) {
			known[l.ID] = true
		}
	}
	name := func(id, at string) bool {
		if !known[id] || named[id] {
			m.refuse("VALIDATION_FAILED", at)
		}
		named[id] = true
		return known[id]
	}
	drop := func(id string) {
		m.lines = slices.DeleteFunc(m.lines, func(l modelLine) bool { return l.ID == id })
	}
	each := func(list string, do func(row anObject, at string)) {
		rows, _ := lists[list].([]anObject)
		for i, row := range rows {
			do(row, fmt.Sprintf("%s/%s/%d", at, list, i))
		}
	}
	ids, _ := lists["delete"].([]string)
	for i, id := range ids {
		if name(id, fmt.Sprintf("%s/delete/%d", at, i)) {
			drop(id)
		}
	}
	if rows, _ := lists["set"].([]anObject); rows != nil && m.flaw != "set" {
		for id := range known {
			if !slices.ContainsFunc(rows, func(row anObject) bool { return row["id"] == id }) {
				drop(id)
			}
		}
	}
	write := func(row anObject, at string) {
		id, _ := row["id"].(string)
		if !strings.Contains(at, "/create/") && id != "" {
			if name(id, at) {
				i := slices.IndexFunc(m.lines, func(l modelLine) bool { return l.ID == id })
				if i >= 0 {
					l := lineOf(m.lines[i], row)
					m.lines = slices.Delete(m.lines, i, i+1)
					m.putLine(l, at)
				}
			}
			return
		}
		fresh = append(fresh, func() { m.putLine(lineOf(modelLine{Order: order}, row), at) })
	}
	each("update", write)
	each("set", write)
	each("create", write)
	return fresh
}

func lineOf(l modelLine, row anObject) modelLine {
	if id, sent := row["id"].(string); sent {
		l.ID = id
	}
	if order, sent := row["orderId"].(string); sent {
		l.Order = order
	}
	for name, to := range map[string]*int{"pos": &l.Pos, "n": &l.N} {
		if v, sent := row[name]; sent {
			*to = v.(int)
		}
	}
	return l
}

// putLine judges a line and keeps it.
func (m *model) putLine(l modelLine, at string) {
	if l.N < 0 || l.N > 9 {
		m.refuse("VALIDATION_FAILED", at+"/n")
	}
	if !m.visibleLine(l) {
		m.refuse("FORBIDDEN", "")
	}
	for _, other := range m.lines {
		if other.ID == l.ID || other.Order == l.Order && other.Pos == l.Pos {
			m.refuse("CONFLICT", "")
		}
	}
	if l.ID == "" { // the gateway makes one
		m.made++
		l.ID = fmt.Sprintf("?%d", m.made)
	}
	m.lines = append(m.lines, l)
}

func (m *model) changeTags(order string, lists anObject, at string) {
	named := map[string]bool{}
	for _, list := range []string{"connect", "disconnect", "set"} {
		ids, _ := lists[list].([]string)
		for i, tag := range ids {
			if named[tag] || list != "disconnect" && !m.visibleTag(tag) {
				m.refuse("VALIDATION_FAILED", fmt.Sprintf("%s/%s/%d", at, list, i))
			}
			named[tag] = true
			if list != "disconnect" {
				m.links[[2]string{order, tag}] = true
			} else if m.visibleTag(tag) {
				delete(m.links, [2]string{order, tag})
			}
		}
	}
	if set, _ := lists["set"].([]string); set != nil {
		maps.DeleteFunc(m.links, func(link [2]string, _ bool) bool { return link[0] == order && !named[link[1]] && m.visibleTag(link[1]) })
	}
}

// write is a call of the model.
type modelWrite struct {
	op     string // of order, or line.create, or atomic
	id     string
	bodies []anObject
	where  func(m *model, o modelOrder) bool
	empty  bool // the condition
	query  anObject
	max    int
	by     []string
	calls  []modelWrite
}

// modelAnswer is the answer of a write that has no faults.
type modelAnswer struct {
	Count   int
	Created bool
	IDs     []string
}

// do makes a write. at points to its call.
func (m *model) do(w modelWrite, at string) (a modelAnswer, failed int) {
	body := anObject{}
	if len(w.bodies) > 0 {
		body = w.bodies[0]
	}
	id, _ := body["id"].(string)
	switch w.op {
	case "create":
		m.createAll(w.bodies, []string{at + "/body"})
		a.IDs = []string{id}
	case "createMany":
		var pointers []string
		for i, body := range w.bodies {
			pointers = append(pointers, fmt.Sprintf("%s/body/%d", at, i))
			a.IDs = append(a.IDs, body["id"].(string))
		}
		m.createAll(w.bodies, pointers)
	case "update":
		m.update(w.id, body, at+"/body")
		a.IDs = []string{w.id}
	case "delete":
		if o, there := m.orders[w.id]; there && m.visible(o) {
			m.remove(w.id)
			a.Count = 1
		}
	case "updateMany", "deleteMany":
		if w.empty {
			m.refuse("VALIDATION_FAILED", at+"/query/where")
			m.judgePatch(body, at+"/body")
			return a, 0
		}
		var ids []string
		for _, id := range slices.Sorted(maps.Keys(m.orders)) {
			if m.visible(m.orders[id]) && w.where(m, m.orders[id]) {
				ids = append(ids, id)
			}
		}
		if len(ids) > w.max && m.flaw != "max" {
			m.refuse("UNPROCESSABLE_ENTITY", "")
		}
		a.Count = len(ids)
		m.judgePatch(body, at+"/body")
		for _, id := range ids {
			if w.op == "updateMany" {
				m.update(id, body, at+"/body")
			} else if _, there := m.orders[id]; there {
				m.remove(id)
			}
		}
	case "upsert":
		sent := patched(modelOrder{}, body)
		var known *modelOrder
		for _, o := range m.orders {
			if !slices.ContainsFunc(w.by, func(name string) bool { return o.member(name) != sent.member(name) }) {
				known = &o
			}
		}
		switch {
		case known == nil:
			m.createAll(w.bodies, []string{at + "/body"})
			a.Created, a.IDs = true, []string{id}
		case !m.visible(*known):
			m.refuse("CONFLICT", "")
			m.clone().judge(m, sent, at)
		default:
			if id != known.ID {
				m.refuse("VALIDATION_FAILED", at+"/body/id")
			}
			if m.flaw == "keeps" {
				known.Stock = 0
				m.orders[known.ID] = *known
				delete(body, "stock")
			}
			m.update(known.ID, withoutMember(body, "id"), at+"/body")
			a.IDs = []string{known.ID}
		}
	case "line.create":
		l := lineOf(modelLine{}, body)
		if o, there := m.orders[l.Order]; !there || !m.visible(o) {
			m.refuse("CONFLICT", "")
		}
		m.putLine(l, at+"/body")
	case "atomic":
		for i, call := range w.calls {
			place := fmt.Sprintf("/calls/%d", i)
			if m.roots {
				place = ""
			}
			if m.do(call, place); len(m.faults) > 0 {
				return a, i
			}
		}
	}
	return a, 0
}

// judge adds the faults that a new order has by itself.
func (s *modelState) judge(m *model, o modelOrder, at string) {
	own := &model{modelState: s, caller: m.caller}
	own.put(o, "update", at+"/body")
	m.faults = append(m.faults, own.faults...)
}

func (o modelOrder) member(name string) any {
	return map[string]any{"id": o.ID, "sku": o.Sku, "shop": o.Shop, "number": o.Number}[name]
}

func withoutMember(body anObject, name string) anObject {
	rest := maps.Clone(body)
	delete(rest, name)
	return rest
}

// dealer draws writes.
type dealer struct {
	*rand.Rand
	m *model
}

func (d *dealer) rarely(n int) bool { return d.IntN(n) == 0 }

func (d *dealer) pick(of ...string) string { return of[d.IntN(len(of))] }

func (d *dealer) shop() string { return d.pick("u", "v", "w", "x", "y", "z") }

func (d *dealer) anyID() string { return fmt.Sprintf("o%d", d.IntN(20)) }

// level is a number that is mostly in its bounds.
func (d *dealer) level() int {
	if d.rarely(50) {
		return 10
	}
	return d.IntN(10)
}

func (d *dealer) owner() string {
	if d.m.caller != "" && !d.rarely(12) {
		return d.m.caller
	}
	return d.pick("a", "b")
}

// fresh is the body of a new order, mostly with keys that are not taken.
func (d *dealer) fresh() anObject {
	body := anObject{"id": d.anyID(), "sku": fmt.Sprintf("s%d", d.IntN(100)), "shop": d.shop(), "number": d.level(), "stock": d.level(), "owner": d.owner(), "parentId": nil}
	for range 30 {
		if _, taken := d.m.orders[body["id"].(string)]; !taken {
			break
		}
		body["id"] = d.anyID()
	}
	if d.rarely(8) {
		body["parentId"] = d.anyID()
	}
	d.belongings(body, "")
	return body
}

// patch is the body of an update of an order; "" is several ones, whose lines are not named.
func (d *dealer) patch(id string) anObject {
	body := anObject{}
	keys := 4
	if id == "" { // several orders with one key are a conflict
		keys = 24
	}
	add := func(name string, n int, value any) {
		if d.rarely(n) {
			body[name] = value
		}
	}
	add("owner", 4, d.owner())
	add("parentId", 6, nil)
	add("parentId", 12, d.anyID())
	add("number", keys, d.level())
	add("sku", keys, fmt.Sprintf("s%d", d.IntN(100)))
	add("shop", keys, d.shop())
	add("stock", 1+d.IntN(2), d.level())
	if len(body) == 0 {
		body["stock"] = d.level()
	}
	d.belongings(body, id)
	return body
}

// belongings adds lines and tags to the body of an order.
func (d *dealer) belongings(body anObject, id string) {
	line := func() anObject {
		l := anObject{"pos": d.IntN(12), "n": d.level()}
		if d.rarely(4) {
			l["id"] = fmt.Sprintf("l%d", d.IntN(200))
		}
		return l
	}
	fresh := func() (all []anObject) {
		for range d.IntN(3) {
			all = append(all, line())
		}
		return all
	}
	var there []string
	for _, l := range d.m.lines {
		if l.Order == id || d.rarely(60) {
			there = append(there, l.ID)
		}
	}
	d.Shuffle(len(there), func(i, j int) { there[i], there[j] = there[j], there[i] })
	var change []anObject
	for len(there) > 1 && d.rarely(2) {
		row := anObject{"id": there[0], "n": d.level()}
		if d.rarely(3) {
			row["pos"] = d.IntN(12)
		}
		change, there = append(change, row), there[1:]
	}
	switch d.IntN(6) {
	case 0, 1:
		body["lines"] = anObject{"create": fresh()}
	case 2:
		body["lines"] = anObject{"set": append(change, fresh()...)}
	case 3:
		body["lines"] = anObject{"update": change, "delete": there[:min(len(there), d.IntN(3))], "create": fresh()}
	}
	tags := func() (all []string) {
		for i := range 4 {
			if d.rarely(3) && (i < 3 || d.rarely(3)) {
				all = append(all, fmt.Sprintf("t%d", i))
			}
		}
		if d.rarely(30) {
			all = append(all, d.pick("t0", "t9"))
		}
		return all
	}
	switch d.IntN(6) {
	case 0, 1:
		body["tags"] = anObject{"connect": tags()}
	case 2:
		body["tags"] = anObject{"set": tags()}
	case 3:
		all := tags()
		cut := d.IntN(len(all) + 1)
		body["tags"] = anObject{"connect": all[:cut], "disconnect": all[cut:]}
	}
}

// where is a condition on orders, and its meaning.
func (d *dealer) where(depth int) (query anObject, meets func(m *model, o modelOrder) bool) {
	switch n := d.IntN(6 + 3*depth); n {
	case 0:
		ids := []string{d.anyID(), d.anyID(), d.anyID()}
		return anObject{"id": anObject{"in": ids}}, func(_ *model, o modelOrder) bool { return slices.Contains(ids, o.ID) }
	case 1:
		least := d.IntN(10)
		return anObject{"stock": anObject{"gte": least}}, func(_ *model, o modelOrder) bool { return o.Stock >= least }
	case 2:
		shop := d.shop()
		return anObject{"shop": anObject{"eq": shop}}, func(_ *model, o modelOrder) bool { return o.Shop == shop }
	case 3:
		owner := d.pick("a", "b")
		return anObject{"owner": anObject{"eq": owner}}, func(_ *model, o modelOrder) bool { return o.Owner == owner }
	case 4:
		least := d.IntN(10)
		return anObject{"lines": anObject{"some": anObject{"n": anObject{"gte": least}}}}, func(m *model, o modelOrder) bool {
			return slices.ContainsFunc(m.lines, func(l modelLine) bool { return l.Order == o.ID && l.N >= least && m.visibleLine(l) })
		}
	case 5:
		tag := fmt.Sprintf("t%d", d.IntN(4))
		return anObject{"tags": anObject{"some": anObject{"id": anObject{"eq": tag}}}}, func(m *model, o modelOrder) bool {
			return m.links[[2]string{o.ID, tag}] && m.visibleTag(tag)
		}
	case 6:
		inner, meets := d.where(0)
		return anObject{"not": inner}, func(m *model, o modelOrder) bool { return !meets(m, o) }
	default:
		a, meetsA := d.where(0)
		b, meetsB := d.where(0)
		if n == 7 {
			return anObject{"and": []anObject{a, b}}, func(m *model, o modelOrder) bool { return meetsA(m, o) && meetsB(m, o) }
		}
		return anObject{"or": []anObject{a, b}}, func(m *model, o modelOrder) bool { return meetsA(m, o) || meetsB(m, o) }
	}
}

// write draws a write of an operation.
func (d *dealer) write(op string) modelWrite {
	w := modelWrite{op: op, id: d.anyID(), max: 100}
	for _, id := range slices.Sorted(maps.Keys(d.m.orders)) {
		if d.m.visible(d.m.orders[id]) && !d.rarely(4) { // mostly one that is there
			w.id = id
			if d.rarely(3) {
				break
			}
		}
	}
	switch op {
	case "create":
		w.bodies = []anObject{d.fresh()}
	case "createMany":
		for range 1 + d.IntN(4) {
			w.bodies = append(w.bodies, d.fresh())
		}
	case "update":
		w.bodies = []anObject{d.patch(w.id)}
	case "upsert":
		w.bodies = []anObject{d.fresh()}
		w.by = [][]string{{"id"}, {"sku"}, {"shop", "number"}}[d.IntN(3)]
		if known, there := d.m.orders[w.id]; there && !d.rarely(4) { // one that is there
			w.bodies[0]["id"] = w.id
			for _, name := range w.by {
				w.bodies[0][name] = known.member(name)
			}
			if owner := d.owner(); d.rarely(2) {
				w.bodies[0]["owner"] = owner
			} else {
				w.bodies[0]["owner"] = known.Owner
			}
		}
		w.query = anObject{"by": strings.Join(w.by, ",")}
	case "updateMany", "deleteMany":
		query, meets := d.where(1)
		if w.empty = d.rarely(30); w.empty {
			query = anObject{"and": []anObject{}}
		}
		w.query, w.where = anObject{"where": query}, meets
		if !d.rarely(3) {
			w.max = 1 + d.IntN(5)
			w.query["max"] = w.max
		}
		if op == "updateMany" {
			w.bodies = []anObject{d.patch("")}
		}
	case "line.create":
		w.bodies = []anObject{{"orderId": d.anyID(), "pos": d.IntN(12), "n": d.level()}}
	case "atomic":
		before := d.m.modelState
		d.m.modelState = before.clone()
		for range 2 + d.IntN(3) {
			call := d.write(d.pick("create", "createMany", "update", "updateMany", "delete", "upsert", "line.create"))
			w.calls = append(w.calls, call)
			if call.op == "create" && d.rarely(2) {
				w.calls = append(w.calls, modelWrite{op: "line.create", id: "0", bodies: []anObject{{"orderId": call.bodies[0]["id"], "pos": 12, "n": d.IntN(8)}}})
			}
		}
		d.m.modelState = before
	}
	return w
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
