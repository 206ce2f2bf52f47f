package evolution

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// changer changes a model in one way, and reports false where it found nothing to change.
type changer struct {
	name string
	do   func(r *rand.Rand, m *model) bool
}

// some is a field of a model that holds; nil: there is none.
func some(r *rand.Rand, m *model, holds func(*entity, *field) bool) (*entity, *field) {
	type pair struct {
		e *entity
		f *field
	}
	var all []pair
	for _, e := range m.entities {
		for _, f := range e.fields {
			if f.kind != "key" && f.kind != "many" && f.name != "name" && holds(e, f) {
				all = append(all, pair{e, f})
			}
		}
	}
	if all == nil {
		return nil, nil
	}
	p := all[r.IntN(len(all))]
	return p.e, p.f
}

// onField is a changer of one field that holds.
func onField(name string, holds func(*field) bool, do func(r *rand.Rand, f *field)) changer {
	return changer{name, func(r *rand.Rand, m *model) bool {
		_, f := some(r, m, func(_ *entity, f *field) bool { return holds(f) })
		if f == nil {
			return false
		}
		do(r, f)
		return true
	}}
}

// onEntity is a changer of any entity.
func onEntity(name string, do func(r *rand.Rand, m *model, e *entity) bool) changer {
	return changer{name, func(r *rand.Rand, m *model) bool { return do(r, m, m.entities[r.IntN(len(m.entities))]) }}
}

// freeName is a name of a field that an entity does not have.
func freeName(r *rand.Rand, e *entity) string {
	for _, i := range r.Perm(len(fieldNames)) {
		if e.field(fieldNames[i]) == nil {
			return fieldNames[i]
		}
	}
	return fmt.Sprint("more", r.IntN(1000))
}

func any1(*field) bool      { return true }
func plain(f *field) bool   { return f.kind != "id" && f.kind != "object" }
func isText(f *field) bool  { return f.kind == "string" }
func bounded(f *field) bool { return f.most > 0 }
func filled(f *field) bool  { return f.create == "value" }

// changes are all changes, the harmless ones among them.
var changes = []changer{
	onEntity("add an optional field", func(r *rand.Rand, _ *model, e *entity) bool {
		f := newField(r, freeName(r, e))
		f.nullable, f.create, f.value = true, "optional", nil
		e.fields = append(e.fields, f)
		return true
	}),
	onEntity("add a field with a value", func(r *rand.Rand, _ *model, e *entity) bool {
		f := &field{name: freeName(r, e), kind: "string", create: "value", value: "new"}
		e.fields = append(e.fields, f)
		return true
	}),
	onEntity("add a required field", func(r *rand.Rand, _ *model, e *entity) bool {
		f := newField(r, freeName(r, e))
		f.nullable, f.create, f.value = false, "", nil
		e.fields = append(e.fields, f)
		return true
	}),
	onEntity("add a field that never leaves", func(r *rand.Rand, _ *model, e *entity) bool {
		e.fields = append(e.fields, &field{name: freeName(r, e), kind: "string", nullable: true, create: "optional", out: true})
		return true
	}),
	onEntity("remove a field", func(r *rand.Rand, m *model, e *entity) bool {
		if len(e.fields) < 4 {
			return false
		}
		i := 2 + r.IntN(len(e.fields)-2)
		if e.fields[i].kind == "id" || e.fields[i].kind == "many" {
			return false
		}
		e.fields = slices.Delete(e.fields, i, i+1)
		return true
	}),
	onEntity("rename a field without saying so", func(r *rand.Rand, _ *model, e *entity) bool {
		if len(e.fields) < 3 || e.fields[2].kind == "id" || e.fields[2].kind == "many" {
			return false
		}
		e.fields[2].name = freeName(r, e)
		return true
	}),
	onEntity("rename a field and declare it", func(r *rand.Rand, m *model, e *entity) bool {
		if len(e.fields) < 3 {
			return false
		}
		f := e.fields[2]
		if f.kind == "id" || f.kind == "many" || f.kind == "key" || f.name == "name" {
			return false
		}
		to := freeName(r, e)
		m.renamed[e.name+"."+f.name], f.name = e.name+"."+to, to
		return len(m.renamed) == 1
	}),
	onEntity("rename an entity and declare it", func(_ *rand.Rand, m *model, e *entity) bool {
		was := e.name
		e.name = "new" + was
		m.renamed[was] = e.name
		for _, other := range m.entities {
			for _, f := range other.fields {
				if f.to == was {
					f.to = e.name
				}
			}
		}
		for i, fact := range m.facts {
			if fact == was {
				m.facts[i] = e.name
			}
		}
		return len(m.renamed) == 1 && len(m.except) == 0
	}),
	onEntity("reorder the fields", func(r *rand.Rand, _ *model, e *entity) bool {
		slices.Reverse(e.fields)
		return true
	}),
	onField("null is taken", plain, func(_ *rand.Rand, f *field) { f.nullable = true }),
	onField("null is refused", func(f *field) bool { return f.nullable && f.kind != "id" }, func(r *rand.Rand, f *field) {
		f.nullable = false
		if f.create == "optional" {
			f.create, f.value = "value", f.sample(r)
			if f.kind == "object" {
				f.create, f.value = "", nil
			}
		}
	}),
	onField("may be left out", func(f *field) bool { return f.create == "" && plain(f) }, func(r *rand.Rand, f *field) {
		f.create, f.value = "value", f.sample(r)
	}),
	onField("has to be sent", func(f *field) bool { return f.create != "" && f.kind != "id" }, func(_ *rand.Rand, f *field) { f.create, f.value = "", nil }),
	onField("another value where none is sent", filled, func(r *rand.Rand, f *field) { f.value = f.sample(r) }),
	onField("a value more", func(f *field) bool { return f.kind == "enum" }, func(_ *rand.Rand, f *field) { f.enum = append(f.enum, enumWords[len(f.enum)%5]+"ish") }),
	onField("a value less", func(f *field) bool { return f.kind == "enum" && len(f.enum) > 1 }, func(_ *rand.Rand, f *field) {
		f.enum = f.enum[1:]
		if f.create == "value" {
			f.value = f.enum[0]
		}
	}),
	onField("a wider bound", bounded, func(_ *rand.Rand, f *field) { f.most *= 2 }),
	onField("a wider bound of what never leaves", func(f *field) bool { return f.most > 0 && f.out }, func(_ *rand.Rand, f *field) { f.most *= 2 }),
	onField("no bound", bounded, func(_ *rand.Rand, f *field) { f.most = 0 }),
	onField("a tighter bound", bounded, func(_ *rand.Rand, f *field) { f.most = max(f.most/2, 7) }),
	onField("a bound below", func(f *field) bool { return isText(f) && f.create != "value" }, func(_ *rand.Rand, f *field) { f.least = 2 }),
	onField("a pattern", func(f *field) bool { return isText(f) && f.pattern == "" && f.create != "value" }, func(_ *rand.Rand, f *field) { f.pattern = "^x" }),
	onField("a format", func(f *field) bool { return isText(f) && f.create != "value" }, func(_ *rand.Rand, f *field) { f.format = "email" }),
	onField("whole numbers become numbers", func(f *field) bool { return f.kind == "integer" }, func(_ *rand.Rand, f *field) { f.kind = "number" }),
	onField("numbers become whole", func(f *field) bool { return f.kind == "number" && f.create != "value" }, func(_ *rand.Rand, f *field) { f.kind = "integer" }),
	onField("another type", func(f *field) bool { return plain(f) && f.create != "value" }, func(r *rand.Rand, f *field) {
		f.kind, f.most, f.least, f.pattern, f.format, f.enum = []string{"string", "boolean", "integer", "array"}[r.IntN(4)], 0, 0, "", "", nil
	}),
	onField("dates become texts", func(f *field) bool { return f.kind == "date" || f.kind == "date-time" || f.kind == "decimal" }, func(_ *rand.Rand, f *field) { f.kind = "string" }),
	onField("read-only", func(f *field) bool { return f.kind != "id" && f.nullable }, func(_ *rand.Rand, f *field) { f.in = true }),
	onField("not read-only", func(f *field) bool { return f.in }, func(_ *rand.Rand, f *field) { f.in = false }),
	onField("write-only", plain, func(_ *rand.Rand, f *field) { f.out = true }),
	onField("not write-only", func(f *field) bool { return f.out }, func(_ *rand.Rand, f *field) { f.out = false }),
	onField("never changes", any1, func(_ *rand.Rand, f *field) { f.update = "forbidden" }),
	onField("may change", func(f *field) bool { return f.update != "" }, func(_ *rand.Rand, f *field) { f.update = "" }),
	onField("unique", func(f *field) bool { return isText(f) && f.create != "value" && !f.unique }, func(_ *rand.Rand, f *field) { f.unique = true }),
	onField("an index", func(f *field) bool { return plain(f) && f.kind != "array" }, func(_ *rand.Rand, f *field) { f.index = !f.index }),
	onField("deprecated", any1, func(_ *rand.Rand, f *field) { f.deprecated = !f.deprecated }),
	onField("described", any1, func(_ *rand.Rand, f *field) { f.about = "Described now." }),
	onField("another word on deletion", func(f *field) bool { return f.kind == "id" }, func(r *rand.Rand, f *field) {
		f.onDelete = []string{"restrict", "cascade", "set null"}[r.IntN(3)]
	}),
	onField("another target", func(f *field) bool { return f.kind == "id" }, func(_ *rand.Rand, f *field) { f.kind, f.to = "string", "" }),
	onField("a member more", func(f *field) bool { return f.kind == "object" }, func(r *rand.Rand, f *field) {
		f.members = append(f.members, &field{name: fmt.Sprint("m", len(f.members)), kind: "string", create: []string{"", "optional"}[r.IntN(2)]})
	}),
	onField("a member less", func(f *field) bool { return len(f.members) > 1 }, func(_ *rand.Rand, f *field) { f.members = f.members[:len(f.members)-1] }),
	{"an entity more", func(_ *rand.Rand, m *model) bool {
		if m.entity("crate") != nil {
			return false
		}
		m.entities = append(m.entities, &entity{name: "crate", off: map[string]bool{}, computed: map[string]string{}, fields: []*field{{name: "id", kind: "key"}, {name: "name", kind: "string"}}})
		return true
	}},
	{"an entity less", func(_ *rand.Rand, m *model) bool {
		if len(m.entities) < 3 {
			return false
		}
		m.entities = m.entities[:len(m.entities)-1]
		return true
	}},
	onEntity("an operation less", func(r *rand.Rand, _ *model, e *entity) bool {
		e.off[[]string{"list", "create", "update", "delete", "findById"}[r.IntN(5)]] = true
		return true
	}),
	onEntity("an operation more", func(r *rand.Rand, _ *model, e *entity) bool {
		e.named = append(e.named, fmt.Sprintf("more%d %s", len(e.named), []string{"query", "command"}[r.IntN(2)]))
		return true
	}),
	onEntity("no door", func(_ *rand.Rand, m *model, e *entity) bool {
		e.noDoor = true
		return e != m.entities[0] && !slices.Contains(m.facts, e.name)
	}),
	onEntity("another path", func(_ *rand.Rand, _ *model, e *entity) bool { e.plural = e.name + "-list"; return true }),
	onEntity("another name in GraphQL", func(_ *rand.Rand, _ *model, e *entity) bool { e.graphql = "My" + e.name; return true }),
	onEntity("larger pages", func(_ *rand.Rand, _ *model, e *entity) bool { e.max = 900; return true }),
	onEntity("smaller pages", func(_ *rand.Rand, _ *model, e *entity) bool { e.max, e.def = 3, 2; return true }),
	onEntity("rules", func(_ *rand.Rand, _ *model, e *entity) bool {
		had := e.rules == nil
		e.rules = &rules{rows: map[string]string{}}
		return had
	}),
	onEntity("open", func(_ *rand.Rand, _ *model, e *entity) bool { had := e.rules != nil; e.rules = nil; return had }),
	onRules("another condition", func(_ *rand.Rand, _ *entity, r *rules) bool { r.rows["name"] = "n2"; return true }),
	onRules("no condition", func(_ *rand.Rand, _ *entity, r *rules) bool { had := len(r.rows) > 0; clear(r.rows); return had }),
	onRules("a field is hidden", func(r *rand.Rand, e *entity, to *rules) bool {
		if len(e.fields) < 3 {
			return false
		}
		to.hide = []string{e.fields[2].name}
		return e.fields[2].kind != "id" && e.fields[2].kind != "many"
	}),
	onRules("nothing is hidden", func(_ *rand.Rand, _ *entity, r *rules) bool { had := r.hide != nil; r.hide = nil; return had }),
	onRules("a field is read-only to customers", func(_ *rand.Rand, e *entity, to *rules) bool {
		if len(e.fields) < 3 {
			return false
		}
		to.readOnly = []string{e.fields[2].name}
		return e.fields[2].create != "" && e.fields[2].kind != "many"
	}),
	onRules("an operation is closed to customers", func(r *rand.Rand, _ *entity, to *rules) bool {
		to.deny = []string{[]string{"create", "update", "list", "delete"}[r.IntN(4)]}
		return true
	}),
	onRules("every operation is open to customers", func(_ *rand.Rand, _ *entity, r *rules) bool { had := r.deny != nil; r.deny = nil; return had }),
	onRules("a field is set for customers", func(_ *rand.Rand, _ *entity, r *rules) bool {
		had := len(r.set) > 0
		r.set = map[string]string{"name": "n7"}
		return !had
	}),
	onRules("no field is set for customers", func(_ *rand.Rand, _ *entity, r *rules) bool { had := len(r.set) > 0; clear(r.set); return had }),
	onField("converted on the way in", func(f *field) bool { return isText(f) && f.create != "value" }, func(_ *rand.Rand, f *field) { f.decode = "uppercase" }),
	onEntity("a surface shows less", func(r *rand.Rand, m *model, e *entity) bool {
		name := []string{"rest", "graphql", "envelope"}[r.IntN(3)]
		m.except[name] = append(m.except[name], e.name+".delete")
		return len(m.except[name]) == 1 && !e.noDoor && !e.off["delete"]
	}),
	{"every surface shows all", func(_ *rand.Rand, m *model) bool { had := len(m.except) > 0; clear(m.except); return had }},
	onEntity("a computed field more", func(_ *rand.Rand, _ *model, e *entity) bool {
		e.computed["shout"] = `name + "?"`
		return !e.noDoor
	}),
	onEntity("another expression", func(_ *rand.Rand, _ *model, e *entity) bool {
		_, had := e.computed["label"]
		if had {
			e.computed["label"] = `name + "."`
		}
		return had
	}),
	{"a fact more or less", func(_ *rand.Rand, m *model) bool {
		if len(m.facts) > 0 {
			m.facts = nil
		} else {
			m.facts = []string{m.entities[0].name}
		}
		return true
	}},
}

// onRules is a changer of the rules of an entity that has some.
func onRules(name string, do func(r *rand.Rand, e *entity, to *rules) bool) changer {
	return onEntity(name, func(r *rand.Rand, _ *model, e *entity) bool { return e.rules != nil && do(r, e, e.rules) })
}
