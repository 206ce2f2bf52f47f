package leak

import (
	"maps"
	"slices"
	"strings"
)

// row is one row: its stored fields. A null is absent, or nil.
type row map[string]any

func (r row) id() string { return r["id"].(string) }

// world is the rows of a garden.
type world struct {
	garden *garden
	rows   map[*entity][]row // in the order of their ids
}

// plant makes up the rows of a garden.
func plant(m *maker, g *garden, size int) *world {
	w := &world{g, map[*entity][]row{}}
	for _, e := range g.entities {
		for range 2 + m.IntN(4+3*size) {
			w.rows[e] = append(w.rows[e], w.grow(m, e))
		}
	}
	for _, e := range g.entities { // what points forward, once all are there
		for _, r := range w.rows[e] {
			w.point(m, e, r, true)
		}
	}
	w.sort()
	return w
}

// grow makes up one row.
func (w *world) grow(m *maker, e *entity) row {
	r := row{"id": m.id()}
	for _, f := range e.fields[1:] {
		switch {
		case f.kind == many:
		case f.kind == ids:
			r[f.name] = []any{}
		case f.kind == one:
		case f.null && m.chance(35):
		default:
			r[f.name] = m.value(f.kind)
		}
	}
	w.point(m, e, r, false)
	return r
}

// point sets the relations of a row: those that may not be null always, the others
// only where all.
func (w *world) point(m *maker, e *entity, r row, all bool) {
	for _, f := range e.fields {
		switch {
		case f.kind == one && (!f.null || all) && !(f.null && m.chance(25)):
			r[f.name] = pick(m, w.rows[f.to]).id()
		case f.kind == ids && all:
			list := []any{}
			for range m.IntN(4) {
				if id := pick(m, w.rows[f.to]).id(); !slices.Contains(list, any(id)) {
					list = append(list, id)
				}
			}
			if m.chance(20) {
				list = append(list, m.id()) // of a row that is no more
			}
			r[f.name] = list
		}
	}
}

func (w *world) sort() {
	for _, rows := range w.rows {
		slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.id(), b.id()) })
	}
}

func (w *world) row(e *entity, id any) row {
	for _, r := range w.rows[e] {
		if r["id"] == id {
			return r
		}
	}
	return nil
}

// related are the rows behind a relation of a row, as far as they are seen.
func (w *world) related(f *field, r row, seen func(*entity, row) bool) []row {
	var all []row
	add := func(o row) {
		if o != nil && (seen == nil || seen(f.to, o)) {
			all = append(all, o)
		}
	}
	switch f.kind {
	case one:
		if r[f.name] != nil {
			add(w.row(f.to, r[f.name]))
		}
	case ids:
		list, _ := r[f.name].([]any)
		for _, id := range list {
			add(w.row(f.to, id))
		}
	case many:
		for _, o := range w.rows[f.to] {
			if o[f.back.name] == r["id"] {
				add(o)
			}
		}
	}
	return all
}

func (w *world) clone() *world {
	out := &world{w.garden, map[*entity][]row{}}
	for e, rows := range w.rows {
		for _, r := range rows {
			out.rows[e] = append(out.rows[e], maps.Clone(r))
		}
	}
	return out
}

// pointedAt says whether a row's key stands in some other row.
func (w *world) pointedAt(e *entity, id string) bool {
	for _, o := range w.garden.entities {
		for _, f := range o.fields {
			if f.kind == one && f.to == e && slices.ContainsFunc(w.rows[o], func(r row) bool { return r[f.name] == id }) {
				return true
			}
		}
	}
	return false
}

// counterpart is another world that is the same to a caller: hidden values, hidden rows
// and how many of them there are differ. A change by which the caller would see
// something else (rows are also hidden for what stands behind their relations) is
// taken back.
func (w *world) counterpart(m *maker, c *caller) *world {
	want := w.seenBy(c).text()
	t := w
	try := func(change func(*world)) {
		next := t.clone()
		change(next)
		next.sort()
		if next.seenBy(c).text() == want {
			t = next
		}
	}
	for _, e := range w.garden.entities {
		for _, old := range w.rows[e] {
			id := old.id()
			hidden := !t.seenBy(c).ids[e][id]
			if hidden && m.chance(35) && !t.pointedAt(e, id) {
				try(func(n *world) {
					n.rows[e] = slices.DeleteFunc(n.rows[e], func(r row) bool { return r.id() == id })
				})
				continue
			}
			v := t.seenBy(c)
			for _, f := range e.fields[1:] {
				if !f.stored() || !hidden && v.readable(f) || m.chance(15) {
					continue
				}
				try(func(n *world) { n.change(m, f, n.row(e, id)) })
			}
		}
		for range m.IntN(4) {
			if slices.ContainsFunc(e.fields, func(f *field) bool { return f.to != nil && f.kind != many && len(t.rows[f.to]) == 0 }) {
				break // a new row would have nothing to point at
			}
			try(func(n *world) {
				r := n.grow(m, e)
				n.rows[e] = append(n.rows[e], r)
				n.point(m, e, r, true)
			})
		}
	}
	return t
}

// change gives one field of a row another value, or none.
func (w *world) change(m *maker, f *field, r row) {
	switch {
	case r == nil:
	case f.null && m.chance(25):
		delete(r, f.name)
	case f.to != nil && len(w.rows[f.to]) == 0: // all of them were hidden, and are gone
	case f.kind == one:
		r[f.name] = pick(m, w.rows[f.to]).id()
	case f.kind == ids:
		r[f.name] = []any{pick(m, w.rows[f.to]).id()}
	default:
		r[f.name] = m.value(f.kind)
	}
}
