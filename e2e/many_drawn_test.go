package e2e_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

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
