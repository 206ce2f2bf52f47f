package e2e_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

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
			m.refuse("VALIDATION_FAILED", at+"/query/where/and")
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
