package leak

import (
	"slices"
	"strings"
)

// cond is a condition on the rows of one entity, written for this test alone: it
// becomes the filter that is sent, and it is what the oracle evaluates.
type cond struct {
	op    string // and, or, not; one, some, none, every; else an operator on field
	field *field
	value any
	sub   []*cond
}

// filter is the condition as the filter grammar has it. user, where given, may
// take an operand and answer what to write in its place.
func (c *cond) filter(user func(any) any) map[string]any {
	of := func(v any) any {
		if user != nil {
			return user(v)
		}
		return v
	}
	switch c.op {
	case "and", "or":
		subs := []any{}
		for _, s := range c.sub {
			subs = append(subs, s.filter(user))
		}
		return map[string]any{c.op: subs}
	case "not":
		return map[string]any{"not": c.sub[0].filter(user)}
	case "one":
		return map[string]any{c.field.rel: c.sub[0].filter(user)}
	case "some", "none", "every":
		return map[string]any{c.field.rel: map[string]any{c.op: c.sub[0].filter(user)}}
	}
	return map[string]any{c.field.filterKey(): map[string]any{c.op: of(c.value)}}
}

// holds says whether a row meets the condition. seen says which rows exist for
// whoever asks; nil: all do.
func (c *cond) holds(w *world, seen func(*entity, row) bool, r row) bool {
	switch c.op {
	case "and":
		return !slices.ContainsFunc(c.sub, func(s *cond) bool { return !s.holds(w, seen, r) })
	case "or":
		return slices.ContainsFunc(c.sub, func(s *cond) bool { return s.holds(w, seen, r) })
	case "not":
		return !c.sub[0].holds(w, seen, r)
	case "one", "some":
		return slices.ContainsFunc(w.related(c.field, r, seen), func(o row) bool { return c.sub[0].holds(w, seen, o) })
	case "none":
		return !slices.ContainsFunc(w.related(c.field, r, seen), func(o row) bool { return c.sub[0].holds(w, seen, o) })
	case "every":
		return !slices.ContainsFunc(w.related(c.field, r, seen), func(o row) bool { return !c.sub[0].holds(w, seen, o) })
	}
	return c.compares(r[c.field.name])
}

func (c *cond) compares(v any) bool {
	k := c.field.kind
	among := func() bool {
		return v != nil && slices.ContainsFunc(c.value.([]any), func(o any) bool { return compare(k, v, o) == 0 })
	}
	switch c.op {
	case "isNull":
		return (v == nil) == c.value.(bool)
	case "in":
		return among()
	case "notIn":
		return !among()
	case "ne":
		return v == nil || compare(k, v, c.value) != 0
	case "has":
		items, _ := v.([]any)
		return slices.Contains(items, c.value)
	}
	if v == nil {
		return false
	}
	switch c.op {
	case "eq":
		return compare(k, v, c.value) == 0
	case "lt":
		return compare(k, v, c.value) < 0
	case "lte":
		return compare(k, v, c.value) <= 0
	case "gt":
		return compare(k, v, c.value) > 0
	case "gte":
		return compare(k, v, c.value) >= 0
	case "contains":
		return strings.Contains(v.(string), c.value.(string))
	case "startsWith":
		return strings.HasPrefix(v.(string), c.value.(string))
	case "endsWith":
		return strings.HasSuffix(v.(string), c.value.(string))
	case "icontains":
		return strings.Contains(strings.ToLower(v.(string)), strings.ToLower(c.value.(string)))
	}
	panic("no operator " + c.op)
}

// operators are those a field takes on every surface.
func operators(f *field) []string {
	ordered := []string{"eq", "ne", "in", "notIn", "lt", "lte", "gt", "gte", "isNull"}
	switch {
	case f.kind == list || f.kind == ids:
		return []string{"has", "isNull"}
	case f.kind == object:
		return []string{"isNull"}
	case f.kind == boolean:
		return []string{"eq", "ne", "isNull"}
	case f.kind == enum:
		return []string{"eq", "ne", "in", "notIn", "isNull"}
	case f.kind == text && f != f.of.id():
		return append(ordered, "contains", "startsWith", "endsWith", "icontains")
	}
	return ordered
}

// comparison is a condition on one field, with an operand that stands in some
// row: also one that is hidden from whoever is going to ask.
func (w *world) comparison(m *maker, f *field, op string) *cond {
	c := &cond{op: op, field: f}
	sample := func() any {
		if rows := w.rows[f.of]; len(rows) > 0 && m.chance(85) {
			if v := pick(m, rows)[f.name]; v != nil {
				return v
			}
		}
		if f.kind == one {
			return m.id()
		}
		if f.kind == ids {
			return []any{m.id()}
		}
		return m.value(f.kind)
	}
	switch op {
	case "isNull":
		c.value = m.chance(50)
	case "in", "notIn":
		all := []any{}
		for range m.IntN(4) {
			all = append(all, sample())
		}
		c.value = all
	case "has":
		items := sample().([]any)
		if len(items) == 0 {
			items = []any{m.text()}
		}
		c.value = pick(m, items)
	case "contains", "icontains":
		s := sample().(string)
		at := m.IntN(len(s) - 2)
		c.value = s[at : at+1+m.IntN(3)]
		if op == "icontains" {
			c.value = strings.ToUpper(c.value.(string))
		}
	case "startsWith":
		s := sample().(string)
		c.value = s[:1+m.IntN(len(s)-1)]
	case "endsWith":
		s := sample().(string)
		c.value = s[1+m.IntN(len(s)-1):]
	default:
		c.value = sample()
	}
	return c
}

// condition is a random condition on an entity, through relations as far as depth.
// allow, where given, says which fields may stand in it.
func (w *world) condition(m *maker, e *entity, depth int, allow func(*field) bool) *cond {
	var fields []*field
	for _, f := range e.fields {
		if allow == nil || allow(f) {
			fields = append(fields, f)
		}
	}
	if depth > 0 {
		switch m.IntN(6) {
		case 0, 1:
			op := pick(m, []string{"and", "or"})
			c := &cond{op: op}
			for range 1 + m.IntN(3) {
				c.sub = append(c.sub, w.condition(m, e, depth-1, allow))
			}
			return c
		case 2:
			return &cond{op: "not", sub: []*cond{w.condition(m, e, depth-1, allow)}}
		}
	}
	f := pick(m, fields)
	if f.to != nil && (f.kind == many || m.chance(60)) {
		op := "one"
		if f.kind != one {
			op = pick(m, []string{"some", "none", "every"})
		}
		sub := &cond{op: "and"} // {} holds for every row
		if depth > 0 && m.chance(80) {
			sub = w.condition(m, f.to, depth-1, allow)
		} else if m.chance(60) && (allow == nil || allow(f.to.id())) {
			sub = w.comparison(m, f.to.id(), pick(m, operators(f.to.id())))
		}
		return &cond{op: op, field: f, sub: []*cond{sub}}
	}
	if f.kind == many {
		f = e.id()
	}
	return w.comparison(m, f, pick(m, operators(f)))
}

// timely is a condition on an entity by the time of the call, where it has moments.
func (w *world) timely(m *maker, e *entity) *cond {
	for _, f := range e.fields {
		if f.kind == moment {
			return &cond{op: pick(m, []string{"lt", "lte", "gt", "gte", "ne"}), field: f, value: nowText}
		}
	}
	return w.condition(m, e, 0, nil)
}

// walk goes through all parts of a condition, as deep as it goes.
func (c *cond) walk(each func(*cond)) {
	each(c)
	for _, s := range c.sub {
		s.walk(each)
	}
}

// speaks says whether every part of a condition says something.
func (c *cond) speaks() bool {
	ok := true
	c.walk(func(c *cond) {
		values, several := c.value.([]any)
		ok = ok && !((c.op == "and" || c.op == "or") && len(c.sub) == 0) && !(several && len(values) == 0)
	})
	return ok
}
