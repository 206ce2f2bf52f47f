package leak

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// graphs asks through GraphQL: relations to a depth of three, with conditions,
// orders and pages on the way.
func (p *proof) graphs() {
	for _, e := range p.garden.entities {
		for range 4 {
			p.graph(e, p.listing(e, 2), p.IntN(4))
		}
		for range 2 {
			p.node(e)
			p.graphGroups(e)
		}
		p.rawGraph(e)
		p.untold(e)
	}
}

// document is a GraphQL document being written, with what the oracle expects of it.
type document struct {
	p     *proof
	decls []string
	vars  map[string]any
	after string // a cursor that is sent along wherever one may be
	loose bool   // it asks for something the caller may not have; the oracle does not say what becomes of the rest
}

func (p *proof) document() *document { return &document{p: p, vars: map[string]any{}} }

// variable declares a variable and answers its name.
func (d *document) variable(typ string, value any) string {
	name := fmt.Sprintf("$v%d", len(d.decls))
	d.decls = append(d.decls, name+": "+typ)
	d.vars[name[1:]] = value
	return name
}

func (d *document) request(fields string) request {
	head := "query"
	if len(d.decls) > 0 {
		head += "(" + strings.Join(d.decls, ", ") + ")"
	}
	return inGraphQL(head+" { "+fields+" }", d.vars)
}

func typeName(e *entity) string { return strings.ToUpper(e.name[:1]) + e.name[1:] }

// wanted is what the oracle expects of one row, member by member.
type wanted func(r row) map[string]any

// row is a selection over rows of an entity.
func (d *document) row(e *entity, depth int) (string, wanted) {
	p, v := d.p, d.p.view
	text := " id"
	members := map[string]func(row) any{"id": func(r row) any { return r.id() }}
	if p.chance(30) {
		text += " nodeId"
		members["nodeId"] = func(r row) any { return nodeID(e, r.id()) }
	}
	if e.dump != "" && !v.hides(e, e.dump) && p.chance(40) {
		text += " " + e.dump
	}
	for _, f := range e.fields[1:] {
		if f.shut || !p.chance(70) {
			continue
		}
		if !v.readable(f) {
			if !p.chance(4) {
				continue
			}
			d.loose = true
		}
		switch f.kind {
		case one:
			text += " " + f.key
			members[f.key] = func(r row) any { return r[f.name] }
			if depth > 0 {
				sub, want := d.row(f.to, depth-1)
				text += " " + f.rel + " {" + sub + " }"
				d.loose = d.loose || v.denied(f.to)
				members[f.rel] = func(r row) any {
					if o := v.w.related(f, r, v.shows); len(o) > 0 {
						return want(o[0])
					}
					return nil
				}
			}
		case ids:
			text += " " + f.key
			members[f.key] = func(r row) any { return r[f.name] }
			if depth > 0 {
				sub, want := d.connection(f, nil, depth-1)
				text += " " + sub
				members[f.rel] = func(r row) any { return want(v.w.related(f, r, v.shows)) }
			}
		case many:
			if f.back.shut || depth == 0 {
				continue
			}
			d.loose = d.loose || !v.reachable(f)
			l := p.listing(f.to, 1)
			d.loose = d.loose || !v.allowed(l)
			sub, want := d.connection(f, l, depth-1)
			text += " " + sub
			members[f.rel] = func(r row) any {
				var rows []row
				for _, o := range v.w.related(f, r, v.shows) {
					if l.where == nil || l.where.holds(v.w, v.shows, o) {
						rows = append(rows, o)
					}
				}
				return want(l.sorted(rows))
			}
		case object:
			text += " " + f.name + " { a b }"
			members[f.name] = func(r row) any { return r[f.name] }
		default:
			text += " " + f.name
			members[f.name] = func(r row) any { return r[f.name] }
		}
	}
	return text, func(r row) map[string]any {
		out := map[string]any{}
		for name, member := range members {
			if m := member(r); m != nil {
				out[name] = m
			}
		}
		return out
	}
}

// connection is the selection of a page of rows behind a relation, or of a list at
// the root where f has no owner. l nil: the rows have an order of their own.
func (d *document) connection(f *field, l *listing, depth int) (string, func([]row) any) {
	p, e := d.p, f.to
	d.loose = d.loose || p.view.denied(e)
	own := &listing{e: e}
	if l == nil {
		l = own
		if p.chance(40) {
			l.limit = 1 + p.IntN(3)
		}
		l.offset = p.IntN(2)
	}
	var args []string
	if l.where != nil {
		args = append(args, "filter: "+d.variable(typeName(e)+"Filter", l.where.filter(nil)))
	}
	if l.sort != nil {
		var keys []any
		for _, k := range l.sort {
			keys = append(keys, map[string]string{k.f.filterKey(): map[bool]string{false: "ASC", true: "DESC"}[k.desc]})
		}
		args = append(args, "orderBy: "+d.variable("["+typeName(e)+"OrderBy!]", keys))
	}
	if l.limit > 0 {
		args = append(args, fmt.Sprintf("first: %d", l.limit))
	}
	if d.after != "" {
		args = append(args, "after: "+d.variable("String", d.after))
	} else if l.offset > 0 {
		args = append(args, fmt.Sprintf("offset: %d", l.offset))
	}
	text := f.rel
	if len(args) > 0 {
		text += "(" + strings.Join(args, ", ") + ")"
	}
	sub, want := d.row(e, depth)
	text += " { items {" + sub + " } hasMore"
	total, edges, info := p.chance(60), p.chance(40), p.chance(30)
	if total {
		text += " total"
	}
	counted := p.chance(40)
	if counted {
		text += " aggregate { count }"
	}
	node, wantNode := "", wanted(nil)
	if edges {
		node, wantNode = d.row(e, min(depth, 1))
		text += " endCursor edges { cursor node {" + node + " } }"
	}
	if info {
		text += " pageInfo { hasNextPage hasPreviousPage startCursor endCursor }"
	}
	return text + " }", func(all []row) any {
		rows, more := l.page(all)
		items, list := []any{}, []any{}
		for _, r := range rows {
			items = append(items, want(r))
			if edges {
				list = append(list, map[string]any{"node": wantNode(r)})
			}
		}
		out := map[string]any{"items": items, "hasMore": more}
		if total {
			out["total"] = len(all)
		}
		if counted {
			out["aggregate"] = map[string]any{"count": len(all)}
		}
		if edges {
			out["edges"] = list
		}
		if info {
			out["pageInfo"] = map[string]any{"hasNextPage": more, "hasPreviousPage": l.offset > 0 && len(all) > 0}
		}
		return out
	}
}

// graphGroups asks for groups by random fields and for functions of others, hidden ones among them, of a list
// and behind a relation.
func (p *proof) graphGroups(e *entity) {
	d := p.document()
	groups := func(e *entity) string {
		some := func() string {
			for {
				if f := pick(p.maker, e.fields); !f.shut && f.sortable() {
					return f.filterKey()
				}
			}
		}
		by, of, sorted := some(), some(), some()
		fn := pick(p.maker, []string{"min", "max", "countDistinct"})
		return fmt.Sprintf(` { groups(by: {%s: VALUE}, orderBy: {%s: {%s: DESC}}, having: {%s: {%s: {isNull: false}}}) { items { key { %[1]s } count %[6]s { %[3]s } } endCursor } aggregate { %[2]s { %[3]s } } }`,
			by, sorted, fn, of, fn, of)
	}
	p.probe(d.request(e.plural+groups(e)), nil)
	for _, f := range e.fields {
		if f.kind == many && !f.back.shut && !f.shut {
			p.probe(d.request(e.plural+" { items { id "+f.rel+groups(f.to)+" } }"), nil)
		}
	}
}

// uncursored drops cursors: their text is not the oracle's, and what is in them the
// search for secrets sees.
func uncursored(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, member := range v {
			if name != "cursor" && name != "startCursor" && name != "endCursor" && !strings.HasSuffix(name, "Dump") {
				out[name] = uncursored(member)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = uncursored(v[i])
		}
		return out
	}
	return v
}

var cursorText = regexp.MustCompile(`"(?:endCursor|startCursor|cursor)":"([^"]+)"`)

// graph asks for a listing with everything behind it; then again with a cursor from
// somewhere in the answer.
func (p *proof) graph(e *entity, l *listing, depth int) {
	l.fields = nil
	if l.where != nil && shuts(l.where) || slices.ContainsFunc(l.sort, func(k sortKey) bool { return k.f.shut }) {
		return // the schema does not have it
	}
	d := p.document()
	d.loose = !p.view.allowed(l)
	root := &field{to: e, rel: e.plural, kind: many}
	text, want := d.connection(root, l, depth)
	r := d.request(text)
	a := p.probe(r, func(a answer) error {
		if d.loose {
			return nil
		}
		return p.isData(a, map[string]any{e.plural: want(p.view.rowsOf(l))})
	})
	if found := cursorText.FindAllSubmatch(a.body, -1); len(found) > 0 {
		d := p.document()
		d.after = string(pick(p.maker, found)[1])
		text, _ := d.connection(root, l, depth)
		p.probe(d.request(text), nil)
	}
}

// shuts says whether a condition names a field that is closed to everybody.
func shuts(c *cond) bool {
	shut := false
	c.walk(func(c *cond) {
		shut = shut || c.field != nil && (c.field.shut || c.field.back != nil && c.field.back.shut)
	})
	return shut
}

func (p *proof) isData(a answer, want any) error {
	v, err := decode(a.body)
	if err != nil {
		return err
	}
	o := v.(map[string]any)
	if o["errors"] != nil {
		return fmt.Errorf("what the caller may ask is refused: %s", encode(o["errors"]))
	}
	return agree(uncursored(o["data"]), want)
}

// node asks for one row by its id and by its global id, with relations behind it.
func (p *proof) node(e *entity) {
	if len(p.view.w.rows[e]) == 0 {
		return
	}
	r := pick(p.maker, p.view.w.rows[e])
	d := p.document()
	sub, want := d.row(e, 2)
	id := d.variable("ID!", r.id())
	global := d.variable("ID!", nodeID(e, r.id()))
	ids := d.variable("[ID!]!", []string{r.id(), p.absent()})
	fields := fmt.Sprintf("one: %s(id: %s) {%s } node(nodeId: %s) { ... on %s {%s } } all: %sByIds(ids: %s) {%s }",
		e.name, id, sub, global, typeName(e), sub, e.plural, ids, sub)
	p.probe(d.request(fields), func(a answer) error {
		switch {
		case d.loose || p.view.denied(e):
			return nil
		case !p.view.shows(e, r):
			return p.isData(a, map[string]any{"all": []any{}})
		}
		return p.isData(a, map[string]any{"one": want(r), "node": want(r), "all": []any{want(r)}})
	})
}

// rawGraph asks the operations whose handlers answer more than they may, and goes
// on from their rows.
func (p *proof) rawGraph(e *entity) {
	d := p.document()
	sub, want := d.row(e, 2)
	page, wantPage := d.row(e, 1)
	d.loose = d.loose || p.view.denied(e)
	cut := ""
	for _, name := range e.cut {
		switch f := e.field(name); {
		case f.shut || !p.view.readable(f):
		case f.kind == object:
			cut += " " + name + " { a b }"
		default:
			cut += " " + f.filterKey()
		}
	}
	r := d.request(fmt.Sprintf("%sListRaw {%s } %sGetPage { items {%s } total } %sListCut {%s }", e.name, sub, e.name, page, e.name, cut))
	p.probe(r, func(a answer) error {
		if d.loose {
			return nil
		}
		raw, items, cuts := []any{}, []any{}, []any{}
		for _, r := range p.view.rows[e] {
			raw = append(raw, want(r))
			items = append(items, wantPage(r))
			c := map[string]any{}
			for _, name := range e.cut {
				if f := e.field(name); p.view.readable(f) {
					c[f.filterKey()] = r[name]
				}
			}
			cuts = append(cuts, c)
		}
		return p.isData(a, map[string]any{
			e.name + "ListRaw": raw, e.name + "ListCut": cuts,
			e.name + "GetPage": map[string]any{"items": items, "total": len(items)},
		})
	})
}

// untold asks for each field the caller may not read, by itself: that is refused,
// on the page as on the row.
func (p *proof) untold(e *entity) {
	r := p.visible(e)
	if r == nil {
		return
	}
	ask := func(selection string) {
		d := p.document()
		id := d.variable("ID!", r.id())
		for _, fields := range []string{
			e.plural + " { items { id " + selection + " } }",
			e.name + "(id: " + id + ") { id " + selection + " }",
		} {
			d := *d
			if !strings.Contains(fields, id) {
				d.decls, d.vars = nil, nil
			}
			p.probe(d.request(fields), func(a answer) error {
				v, err := decode(a.body)
				if err == nil && v.(map[string]any)["errors"] == nil {
					err = fmt.Errorf("a field that is hidden is answered")
				}
				return err
			})
		}
	}
	for _, f := range e.fields {
		if f.shut || !p.view.hides(e, f.name) {
			continue
		}
		switch f.kind {
		case one:
			ask(f.key)
			ask(f.rel + " { id }")
		case ids:
			ask(f.key)
			ask(f.rel + " { total }")
		case many:
			if !f.back.shut {
				ask(f.rel + " { total }")
			}
		case object:
			ask(f.name + " { a }")
		default:
			ask(f.name)
		}
	}
	if e.dump != "" && p.view.hides(e, e.dump) {
		ask(e.dump)
	}
}
