package evolution

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing/fstest"
)

// model is a project that can be changed and written as files.
type model struct {
	entities []*entity
	facts    []string // entities that a fact carries
	// except are the operations that a surface does not show.
	except map[string][]string
	// renamed are the declared renames, old name to new.
	renamed map[string]string
}

// entity is a card with its door and its rules.
type entity struct {
	name    string
	fields  []*field
	off     map[string]bool // built-in operations that the door does not have
	plural  string
	graphql string
	noDoor  bool
	max     int
	def     int
	named   []string // operations that nothing answers: name and kind
	// rules: what a customer has; staff has everything, nobody else anything. nil is open.
	rules    *rules
	computed map[string]string // an expression by name, all of type string
	uniques  [][]string
}

// rules are what a customer may do.
type rules struct {
	rows     map[string]string // a field of text to the value that it must not have
	hide     []string
	readOnly []string
	deny     []string
	set      map[string]string
}

// field is a field of a card.
type field struct {
	name       string
	kind       string // string, integer, number, boolean, date-time, date, enum, object, array, id
	to         string // of id: an entity
	onDelete   string
	nullable   bool
	create     string // "": it is required; optional, or value
	value      any
	update     string // "" or forbidden
	in, out    bool   // closed
	decode     string // a conversion inward
	index      bool
	unique     bool
	enum       []string
	most       int // maxLength, or maximum; 0 is none
	least      int // minLength, or minimum
	pattern    string
	format     string
	deprecated bool
	about      string
	members    []*field // of an object
}

// names of things; a field of any name is of any kind.
var (
	entityNames = []string{"book", "author", "shop", "parcel"}
	fieldNames  = []string{"title", "code", "size", "grade", "since", "due", "weight", "open", "notes", "kind", "extra", "labels", "place", "amount", "colour", "phone"}
	enumWords   = []string{"red", "green", "blue", "grey", "pink"}
)

// newModel makes up a project.
func newModel(r *rand.Rand) *model {
	m := &model{except: map[string][]string{}, renamed: map[string]string{}}
	n := 2 + r.IntN(2)
	for i := range n {
		e := &entity{name: entityNames[i], off: map[string]bool{}, computed: map[string]string{}}
		e.fields = append(e.fields, &field{name: "id", kind: "key"})
		e.fields = append(e.fields, &field{name: "name", kind: "string", most: 60})
		names := r.Perm(len(fieldNames))
		for _, k := range names[:3+r.IntN(4)] {
			e.fields = append(e.fields, newField(r, fieldNames[k]))
		}
		if r.IntN(3) == 0 {
			e.rules = &rules{rows: map[string]string{"name": "hidden"}}
			if r.IntN(2) == 0 {
				e.rules.deny = []string{"delete"}
			}
		}
		if r.IntN(3) == 0 {
			e.computed["label"] = `name + "!"`
		}
		m.entities = append(m.entities, e)
	}
	// The second entity belongs to the first, so that there is a relation to follow.
	m.entities[1].fields = append(m.entities[1].fields, &field{name: m.entities[0].name + "Id", kind: "id", to: m.entities[0].name, nullable: true, create: "optional", onDelete: "set null"})
	m.entities[0].fields = append(m.entities[0].fields, &field{name: m.entities[1].name + "s", kind: "many", to: m.entities[1].name})
	if r.IntN(2) == 0 {
		m.facts = append(m.facts, m.entities[0].name)
	}
	return m
}

// newField makes up a field.
func newField(r *rand.Rand, name string) *field {
	kinds := []string{"string", "integer", "number", "boolean", "date-time", "date", "enum", "object", "array", "decimal"}
	f := &field{name: name, kind: kinds[r.IntN(len(kinds))]}
	switch f.kind {
	case "string":
		f.most = 10 + 10*r.IntN(5)
	case "integer", "number":
		f.most = 100 * (1 + r.IntN(5))
	case "enum":
		f.enum = append([]string{}, enumWords[:2+r.IntN(2)]...)
	case "object":
		f.members = []*field{{name: "a", kind: "string"}, {name: "b", kind: "integer", create: "optional"}}
	}
	switch r.IntN(3) {
	case 0:
		f.nullable, f.create = true, "optional"
	case 1:
		if v := f.sample(r); f.kind != "object" {
			f.create, f.value = "value", v
		}
	}
	return f
}

// sample is a value that a field accepts.
func (f *field) sample(r *rand.Rand) any {
	switch f.kind {
	case "string":
		if f.format == "email" {
			return fmt.Sprintf("x%d@x.eu", r.IntN(10))
		}
		s := strings.Repeat("x", max(f.least, 1)) + fmt.Sprint(r.IntN(10))
		if f.most > 0 && len(s) > f.most {
			s = s[:f.most]
		}
		return s
	case "integer":
		return max(f.least, 1) + r.IntN(5)
	case "number":
		return float64(max(f.least, 1)) + 0.5
	case "boolean":
		return r.IntN(2) == 0
	case "date-time":
		return fmt.Sprintf("2026-01-0%dT10:00:00.000000Z", 1+r.IntN(9))
	case "date":
		return fmt.Sprintf("2026-01-0%d", 1+r.IntN(9))
	case "decimal":
		return fmt.Sprintf("%d.50", 1+r.IntN(9))
	case "enum":
		return f.enum[r.IntN(len(f.enum))]
	case "array":
		return []string{"one", "two"}[:1+r.IntN(2)]
	case "object":
		value := object{}
		for _, m := range f.members {
			value[m.name] = m.sample(r)
		}
		return value
	}
	return nil
}

// clone is a copy that shares nothing.
func (m *model) clone() *model {
	out := &model{facts: append([]string{}, m.facts...), except: map[string][]string{}, renamed: map[string]string{}}
	for k, v := range m.renamed {
		out.renamed[k] = v
	}
	for k, v := range m.except {
		out.except[k] = append([]string{}, v...)
	}
	for _, e := range m.entities {
		c := *e
		c.fields = cloneFields(e.fields)
		c.off, c.computed = map[string]bool{}, map[string]string{}
		for k, v := range e.off {
			c.off[k] = v
		}
		for k, v := range e.computed {
			c.computed[k] = v
		}
		c.named = append([]string{}, e.named...)
		c.uniques = append([][]string{}, e.uniques...)
		if e.rules != nil {
			c.rules = &rules{rows: map[string]string{}, hide: append([]string{}, e.rules.hide...), readOnly: append([]string{}, e.rules.readOnly...), deny: append([]string{}, e.rules.deny...)}
			c.rules.set = map[string]string{}
			for k, v := range e.rules.rows {
				c.rules.rows[k] = v
			}
			for k, v := range e.rules.set {
				c.rules.set[k] = v
			}
		}
		out.entities = append(out.entities, &c)
	}
	return out
}

// cloneFields copies fields at every depth.
func cloneFields(list []*field) []*field {
	out := make([]*field, len(list))
	for i, f := range list {
		c := *f
		c.enum = append([]string(nil), f.enum...)
		c.members = cloneFields(f.members)
		out[i] = &c
	}
	return out
}

// object is JSON with its members in any order; a card's fields are in order (see card).
type object = map[string]any

// schema is a field as JSON Schema with its axes.
func (f *field) schema() object {
	s, axes := object{}, object{}
	typ := map[string]string{"key": "string", "enum": "string", "date-time": "string", "date": "string", "decimal": "string", "id": "string", "many": "array"}[f.kind]
	if typ == "" {
		typ = f.kind
	}
	s["type"] = typ
	if f.nullable {
		s["type"] = []string{typ, "null"}
	}
	role, lifecycle, boundary := object{}, object{}, object{}
	switch f.kind {
	case "key":
		role["primary"] = true
		lifecycle["create"] = object{"generate": "cuid2"}
	case "date-time", "date", "decimal":
		s["format"] = f.kind
	case "enum":
		values := []any{}
		for _, v := range f.enum {
			values = append(values, v)
		}
		if f.nullable {
			values = append(values, nil)
		}
		s["enum"] = values
	case "array":
		s["items"] = object{"type": "string"}
	case "id":
		role["relation"] = object{"to": f.to, "kind": "one", "onDelete": f.onDelete}
	case "many":
		s["items"] = object{"type": "string"}
		role["relation"] = object{"to": f.to, "kind": "many"}
	case "object":
		properties, required := object{}, []string{}
		for _, m := range f.members {
			inner := m.schema()
			delete(inner, "x-kit") // a nested field has no axes
			properties[m.name] = inner
			if m.create == "" {
				required = append(required, m.name)
			}
		}
		s["properties"], s["required"] = properties, required
	}
	switch {
	case f.kind == "string" && f.most > 0:
		s["maxLength"] = f.most
	case f.most > 0:
		s["maximum"] = f.most
	}
	switch {
	case f.kind == "string" && f.least > 0:
		s["minLength"] = f.least
	case f.least > 0:
		s["minimum"] = f.least
	}
	if f.pattern != "" {
		s["pattern"] = f.pattern
	}
	if f.format != "" {
		s["format"] = f.format
	}
	if f.deprecated {
		s["deprecated"] = true
	}
	if f.about != "" {
		s["description"] = f.about
	}
	switch f.create {
	case "optional":
		lifecycle["create"] = "optional"
	case "value":
		lifecycle["create"] = object{"value": f.value}
	}
	if f.update != "" {
		lifecycle["update"] = f.update
	}
	if f.in {
		boundary["in"] = "closed"
		delete(lifecycle, "create")
	}
	if f.decode != "" && !f.in {
		boundary["in"] = object{"decode": f.decode}
	}
	if f.out {
		boundary["out"] = "closed"
	}
	if f.index {
		role["index"] = true
	}
	if f.unique {
		role["unique"] = [][]string{{f.name}}
	}
	for name, axis := range map[string]object{"role": role, "lifecycle": lifecycle, "boundary": boundary} {
		if len(axis) > 0 {
			axes[name] = axis
		}
	}
	if len(axes) > 0 {
		s["x-kit"] = axes
	}
	return s
}

// card is an entity's card as text, its fields in order.
func (e *entity) card() string {
	var properties []string
	required := []string{}
	for _, f := range e.fields {
		text, _ := json.Marshal(f.schema())
		properties = append(properties, fmt.Sprintf("%q: %s", f.name, text))
		if f.create == "" && !f.in && f.kind != "key" && f.kind != "many" {
			required = append(required, f.name)
		}
	}
	must, _ := json.Marshal(required)
	return fmt.Sprintf("{\"type\": \"object\", \"properties\": {%s}, \"required\": %s}", strings.Join(properties, ", "), must)
}

// files are the files of the project.
func (m *model) files() fstest.MapFS {
	fsys := fstest.MapFS{}
	doors, collectors, computed := object{}, object{"*": "open"}, object{}
	var facts []any
	for _, e := range m.entities {
		fsys["entities/"+e.name+".json"] = &fstest.MapFile{Data: []byte(e.card())}
		ops := object{}
		for op := range e.off {
			ops[op] = false
		}
		for _, n := range e.named {
			name, kind, _ := strings.Cut(n, " ")
			ops[name] = object{"kind": kind}
		}
		door := object{"operations": ops}
		if e.plural != "" {
			door["plural"] = e.plural
		}
		if e.graphql != "" {
			door["graphql"] = e.graphql
		}
		if e.max > 0 || e.def > 0 {
			limits := object{}
			if e.max > 0 {
				limits["max"] = e.max
			}
			if e.def > 0 {
				limits["default"] = e.def
			}
			door["list"] = limits
		}
		doors[e.name] = door
		if e.noDoor {
			doors[e.name] = false
		}
		if e.rules != nil && !e.noDoor {
			collectors[e.name] = e.rules.list()
		}
		if len(e.computed) > 0 && !e.noDoor {
			all := object{}
			for name, value := range e.computed {
				all[name] = object{"type": "string", "value": value}
			}
			computed[e.name] = all
		}
	}
	for _, name := range m.facts {
		facts = append(facts, object{"name": name + "Changed", "schema": name})
	}
	config := object{"doors": doors, "collectors": collectors}
	if len(computed) > 0 {
		config["computed"] = computed
	}
	if facts != nil {
		config["facts"] = facts
	}
	surfaces := object{}
	for name, list := range m.except {
		surfaces[name] = object{"except": list}
	}
	if len(surfaces) > 0 {
		config["surfaces"] = surfaces
	}
	if len(m.renamed) > 0 {
		config["renamed"] = m.renamed
	}
	text, _ := json.Marshal(config)
	fsys["frond.json"] = &fstest.MapFile{Data: text}
	return fsys
}

// list is the rules as a collector.
func (r *rules) list() []any {
	customer := object{"when": "user != nil"}
	rows := object{}
	for name, value := range r.rows {
		rows[name] = object{"ne": value}
	}
	if len(rows) > 0 {
		customer["rows"] = rows
	}
	if len(r.set) > 0 {
		customer["set"] = r.set
	}
	for key, list := range map[string][]string{"hide": r.hide, "readOnly": r.readOnly, "deny": r.deny} {
		if len(list) > 0 {
			sort.Strings(list)
			customer[key] = list
		}
	}
	return []any{object{"when": `"staff" in user.roles`}, customer, object{"deny": "all"}}
}

// entity is one by its name; nil: there is none.
func (m *model) entity(name string) *entity {
	for _, e := range m.entities {
		if e.name == name {
			return e
		}
	}
	return nil
}

// field is one by its name; nil: there is none.
func (e *entity) field(name string) *field {
	for _, f := range e.fields {
		if f.name == name {
			return f
		}
	}
	return nil
}
