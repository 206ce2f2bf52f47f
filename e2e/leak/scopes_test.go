package leak

import (
	"fmt"
	"slices"
	"time"
)

// caller is someone who asks: a name, and what each door shows to it.
type caller struct {
	name   string
	rest   string // what '*' says of doors without a scope: "" nothing, open, or rules
	scopes map[*entity]*scope
	user   map[string]any // state.user, where YAML collectors take operands from

	timeless bool // its rules do not say $now, which is another moment in the hosts of a spread garden
}

// scope is what one door shows to one caller. A door without one is open, or what '*' says.
type scope struct {
	deny  bool // the whole door
	rows  *cond
	hide  []string
	fixed []string       // seen, and not to be sent
	set   map[string]any // stamped at creation
	allow []string       // these operations and no others; nil: all but named commands, [all]: all
}

// opens says whether a scope opens an operation of its door: the command touch where an
// allow names it alone.
func (s *scope) opens(op string) bool {
	switch {
	case s.deny:
		return false
	case s.allow == nil:
		return op != touch
	}
	return slices.Contains(s.allow, "all") || slices.Contains(s.allow, op) || op == "findByIds" && slices.Contains(s.allow, "findById")
}

// touch is a command that each door has: it answers a row by its id.
const touch = "touch"

// reading are the operations that look at rows.
var reading = []string{"list", "findById", "listRaw", "listCut", "getPage"}

// now is the time of every call, with microseconds, as all moments here have them.
var now = time.UnixMicro(1_900_000_000_123_000).UTC()

const nowText = "2030-03-17T17:46:40.123Z"

// newCaller makes up what someone may see of a world. Conditions are such that some
// rows are seen and some are not, where a condition like that comes up.
// The entities in left have no scope of their own.
func newCaller(m *maker, w *world, name string, asYAML bool, first map[*entity]bool) *caller {
	c := &caller{name: name, scopes: map[*entity]*scope{}, user: map[string]any{"name": name}}
	for _, e := range w.garden.entities {
		if first[e] || m.chance(15) {
			continue
		}
		s := &scope{deny: m.chance(8)}
		c.scopes[e] = s
		switch m.IntN(6) {
		case 0:
			s.allow = []string{"all"}
		case 1:
			s.allow = slices.Clone(reading)
		case 2:
			s.allow = append(slices.Clone(reading), "create", "update", "delete")
		case 3:
			s.allow = append(slices.Clone(reading), "update", touch)
		}
		for range 6 {
			rows := w.condition(m, e, m.IntN(3), nil)
			if m.chance(40) {
				rows = &cond{op: pick(m, []string{"and", "or"}), sub: []*cond{rows, w.timely(m, e)}}
			}
			n := 0
			for _, r := range w.rows[e] {
				if rows.holds(w, nil, r) {
					n++
				}
			}
			if asYAML && !rows.speaks() {
				continue // frond.yaml takes no condition that says nothing
			}
			if all := len(w.rows[e]); n*5 >= all && n*5 <= 4*all {
				s.rows = rows
				break
			}
		}
		for _, f := range e.fields[1:] {
			if m.chance(22) && !(f.kind == many && asYAML) { // frond.yaml takes no other side of a relation
				s.hide = append(s.hide, f.name)
			}
		}
		if e.dump != "" && m.chance(20) {
			s.hide = append(s.hide, e.dump)
		}
		if m.chance(30) {
			f := pick(m, e.fields)
			if f.stored() && f.kind <= enum && f != e.id() && !f.unique {
				s.set = map[string]any{f.name: m.value(f.kind)}
				if f.kind == moment && m.chance(60) {
					s.set[f.name] = nowText
				}
			}
		}
		for _, f := range e.fields[1:] {
			if m.chance(12) && f.stored() && !slices.Contains(s.hide, f.name) {
				s.fixed = append(s.fixed, f.name)
			}
		}
	}
	return c
}

// askable leaves conditions out that another host cannot be asked: those that go by
// a field which is closed outward.
func (c *caller) askable() {
	for _, s := range c.scopes {
		if s.rows == nil {
			continue
		}
		shut := false
		s.rows.walk(func(c *cond) { shut = shut || c.field != nil && c.field.shut })
		if shut {
			s.rows = nil
		}
	}
}

// view is what one caller may see of one world, worked out from the scopes alone.
type view struct {
	w      *world
	caller *caller
	rows   map[*entity][]row // in the order of their ids
	ids    map[*entity]map[string]bool
}

func (w *world) seenBy(c *caller) *view {
	v := &view{w: w, caller: c, rows: map[*entity][]row{}, ids: map[*entity]map[string]bool{}}
	for _, e := range w.garden.entities {
		v.ids[e] = map[string]bool{}
		s := c.scopes[e]
		for _, r := range w.rows[e] {
			if s != nil && (s.deny || s.rows != nil && !s.rows.holds(w, nil, r)) {
				continue
			}
			v.rows[e] = append(v.rows[e], r)
			v.ids[e][r.id()] = true
		}
	}
	return v
}

func (v *view) shows(e *entity, r row) bool { return v.ids[e][r.id()] }

func (v *view) denied(e *entity) bool { s := v.caller.scopes[e]; return s != nil && s.deny }

// closed says whether a collector refuses the caller an operation.
func (v *view) closed(e *entity, op string) bool {
	if s := v.caller.scopes[e]; s != nil {
		return !s.opens(op)
	}
	return op == touch && v.caller.rest == "rules"
}

// fixed says whether the caller may see a field and not send it.
func (v *view) fixed(f *field) bool {
	s := v.caller.scopes[f.of]
	return s != nil && slices.Contains(s.fixed, f.name)
}

// hides says whether a collector takes the field; readable whether it may leave.
func (v *view) hides(e *entity, name string) bool {
	s := v.caller.scopes[e]
	return s != nil && slices.Contains(s.hide, name)
}

func (v *view) readable(f *field) bool { return !f.shut && !v.hides(f.of, f.name) }

// reachable says whether a relation leads anywhere for the caller: they may read
// it, the door behind it, and there the field that points back.
func (v *view) reachable(f *field) bool {
	return v.readable(f) && !v.denied(f.to) && (f.back == nil || v.readable(f.back))
}

// may says whether the caller may ask for a condition.
func (v *view) may(c *cond) bool {
	ok := true
	c.walk(func(c *cond) {
		switch {
		case c.field == nil:
		case slices.Contains([]string{"one", "some", "none", "every"}, c.op):
			ok = ok && v.reachable(c.field)
		default:
			ok = ok && v.readable(c.field)
		}
	})
	return ok
}

// cells are the fields of a row that the caller may read.
func (v *view) cells(e *entity, r row) row {
	out := row{}
	for _, f := range e.fields {
		if f.stored() && v.readable(f) && r[f.name] != nil {
			out[f.name] = r[f.name]
		}
	}
	return out
}

// text is all of the view: two worlds with the same text are the same to the caller.
func (v *view) text() string {
	all := map[string]any{}
	for _, e := range v.w.garden.entities {
		rows := []any{}
		for _, r := range v.rows[e] {
			rows = append(rows, v.cells(e, r))
		}
		all[e.name] = rows
	}
	return encode(all)
}

// secrets are the tokens of the world that stand nowhere the caller may read.
func (v *view) secrets() []string {
	shown := map[string]bool{}
	for _, e := range v.w.garden.entities {
		for _, r := range v.rows[e] {
			for _, value := range v.cells(e, r) {
				for _, t := range tokens(value) {
					shown[t] = true
				}
			}
		}
		if s := v.caller.scopes[e]; s != nil {
			for _, value := range s.set {
				for _, t := range tokens(value) {
					shown[t] = true
				}
			}
		}
	}
	var all []string
	for _, e := range v.w.garden.entities {
		for _, r := range v.w.rows[e] {
			for _, f := range e.fields {
				for _, t := range tokens(r[f.name]) {
					if !shown[t] {
						shown[t] = true
						all = append(all, t)
					}
				}
			}
		}
	}
	slices.Sort(all)
	return all
}

// String describes a caller's scopes, for a failure.
func (c *caller) String() string {
	out := "  all others: " + c.rest + "\n"
	for e, s := range c.scopes {
		out += fmt.Sprintf("  %s: deny %v, allow %v, hide %v, read-only %v, set %s", e.name, s.deny, s.allow, s.hide, s.fixed, encode(s.set))
		if s.rows != nil {
			out += ", rows " + encode(s.rows.filter(nil))
		}
		out += "\n"
	}
	return out
}
