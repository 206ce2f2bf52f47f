package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/frondhost/frond/schema/jsontext"
)

// The last step of Compile judges the rules that need all cards linked. Messages name the
// problem and remedies the text to write. Most go through compiler.beyond, so that the same
// finding ends the start of a project and is ignored in a remote's card
// (docs/decisions/card-language.md).

// finish reports the faults of a unit, once all units are linked, and builds its judge. It
// skips fields that a view took over: their faults are reported at the entity.
func (c *compiler) finish(u *unit) {
	e := u.entity
	if e == nil || u.card == nil {
		return
	}
	c.required(u)
	for _, p := range e.Fields {
		if !u.taken[p.Name] {
			c.field(u, p)
		}
	}
	if !u.src.View {
		c.primary(u)
	}
	c.uniques(u)
	if !u.src.View && !c.remote(u) {
		boundKeys(e)
	}
	b := &builder{lenient: c.remote(u), shared: c.set.shared}
	// The builder counts its faults, so that a checker with one is not shared; the count
	// includes the unreported ones.
	b.fault = func(at, message, remedy string) {
		b.faults++
		if !u.takenAt(at) {
			c.fault(u, at, message, remedy)
		}
	}
	b.engine = engine{doc: func() []byte { return u.card.AppendJSON(nil) }, lenient: b.lenient, fault: b.fault}
	e.judge = newJudge(e, b)
	c.examples(u)
}

// takenAt says whether a pointer, such as /properties/price/pattern, leads into a field that
// the view took over.
func (u *unit) takenAt(at string) bool {
	name, ok := strings.CutPrefix(at, "/properties/")
	if !ok {
		return false
	}
	name, _, _ = strings.Cut(name, "/")
	return u.taken[untoken.Replace(name)]
}

// required reports names in the list of required fields that no caller could send (spec 2.3,
// docs/decisions/judge.md). A view may require a field that a rule fills, so only a closed one is
// reported there. In a remote's card the names are taken off the list instead: plain JSON
// Schema lists everything that is always there.
func (c *compiler) required(u *unit) {
	kept := []string{}
	for i, name := range u.card.Required {
		at := fmt.Sprintf("/required/%d", i)
		p := u.entity.byName[name]
		switch {
		case p == nil && u.card.Fields != nil:
			c.beyond(u, at, fmt.Sprintf("required names %q; the card has no such field", name), fieldNames(u.card.Fields))
		case p != nil && (p.Axes.In.Closed || !u.src.View && answered(p.Field) != ""):
			// spec 2.3: required are the fields no lifecycle.create rule answers for.
			c.beyond(u, at, fmt.Sprintf("required names %q, but the field has an answer of its own: %s", name, answered(p.Field)), "take it off the list")
		default:
			kept = append(kept, name)
			continue
		}
		if p != nil && c.remote(u) {
			p.required = false
		}
	}
	if len(kept) < len(u.card.Required) { // of a remote: plain JSON Schema lists all that is always there
		u.card.Required = kept
	}
}

// field reports the faults of one field: its name, unknown keys of x-kit, generators and
// conversions, a time of an unfit type, and an enum that refuses the null that the type allows
// (docs/decisions/judge.md).
func (c *compiler) field(u *unit, p *Property) {
	at := child("/properties", p.Name)
	if !IsName(p.Name) {
		c.fault(u, at, fmt.Sprintf("%q cannot be the name of a field", p.Name), "write a letter, then letters, digits, - or _: unitPrice")
	}
	a := &p.Axes
	if len(a.Extra) > 0 && !c.remote(u) {
		for _, kw := range a.Extra {
			c.fault(u, at+"/x-kit/"+kw.Name, "this key of x-kit is unknown", meantAxis(kw.Name)+"the axes are role {primary, unique, index, relation {to, kind, onDelete, by, through}}, lifecycle {create, update}, boundary {in, out}")
		}
	}
	if !c.remote(u) {
		c.registered(u, p, at)
		if a.Create != nil && a.Create.Now || a.Update == UpdateNow {
			switch p.Kind {
			case KindDateTime, KindDate, KindString:
			default:
				c.fault(u, at+"/x-kit/lifecycle", "now writes a moment, which this field cannot hold", "write type: string and format: date-time")
			}
		}
		// JSON Schema to the letter: the field could never be null, and its author would learn
		// that from a caller.
		if p.Shape.Nullable && p.Shape.Type != "" && p.Shape.Enum != nil && !slices.ContainsFunc(p.Shape.Enum, func(v json.RawMessage) bool { return jsontext.IsNull(v) }) {
			c.fault(u, at+"/enum", "the type lets null through, but the enum does not", "add null to the enum, or take it off the type")
		}
	}
	c.shape(u, &p.Shape, at)
}

// shape reports, at any depth, repetition and contradiction in a shape: equal values in an
// enum, required names that the object refuses.
func (c *compiler) shape(u *unit, s *Shape, at string) {
	seen := map[string]bool{}
	for i, v := range s.Enum {
		key := string(canonical(nil, v))
		if seen[key] {
			c.beyond(u, fmt.Sprintf("%s/enum/%d", at, i), "this value occurs twice in the enum", "leave the second one out")
		}
		seen[key] = true
	}
	for i, name := range s.Required {
		if s.Properties != nil && !engineNeeded(s.Extra) && !slices.ContainsFunc(s.Properties, func(f Field) bool { return f.Name == name }) {
			// The object accepts its named keys only, so a caller could never send this one.
			c.beyond(u, fmt.Sprintf("%s/required/%d", at, i), fmt.Sprintf("required names %q; the object has no such field", name), fieldNames(s.Properties))
		}
	}
	if s.Items != nil {
		c.shape(u, s.Items, at+"/items")
	}
	for i := range s.Properties {
		c.shape(u, &s.Properties[i].Shape, child(at+"/properties", s.Properties[i].Name))
	}
}

// registered reports generators and conversions missing from the registry (spec 2.2.3), each
// with the nearest registered name. CompileOptions.Unregistered takes the faults if it is set.
func (c *compiler) registered(u *unit, p *Property, at string) {
	a, reg := &p.Axes, c.set.reg
	unknown := func(at, message, remedy string) {
		if report := c.set.opts.Unregistered; report != nil {
			report(Fault{File: u.src.File, Pointer: u.src.At + at, Message: message, Remedy: remedy})
			return
		}
		c.fault(u, at, message, remedy)
	}
	if a.Create != nil && a.Create.Generate != "" && reg.Generators[a.Create.Generate] == nil {
		unknown(at+"/x-kit/lifecycle/create/generate", fmt.Sprintf("unknown generator %q", a.Create.Generate), DidYouMean(a.Create.Generate, sortedKeys(reg.Generators))+"register it, or use "+keysOf(reg.Generators))
	}
	if a.In.Name != "" && reg.Conversions[a.In.Name].Decode == nil {
		unknown(at+"/x-kit/boundary/in/decode", fmt.Sprintf("unknown generator or conversion %q", a.In.Name), DidYouMean(a.In.Name, sortedKeys(reg.Conversions))+"register a conversion that decodes, or use "+keysOf(reg.Conversions))
	}
	if a.Out.Name != "" && reg.Conversions[a.Out.Name].Encode == nil {
		unknown(at+"/x-kit/boundary/out/encode", fmt.Sprintf("unknown generator or conversion %q", a.Out.Name), DidYouMean(a.Out.Name, sortedKeys(reg.Conversions))+"register a conversion that encodes, or use "+keysOf(reg.Conversions))
	}
}

// keysOf lists the names of a registry for a message: cuid2, nanoid, uuid or uuidv7.
func keysOf[V any](m map[string]V) string {
	if len(m) == 0 {
		return "none: the registry is empty"
	}
	return orList(sortedKeys(m))
}

// axisNames are the keys of the objects in x-kit, by the pointer of the object as Axes.Extra
// has it.
var axisNames = map[string]string{
	"": "role lifecycle boundary", "role/": "primary unique index relation", "role/relation/": "to kind onDelete by through", "lifecycle/": "create update", "boundary/": "in out",
}

// meantAxis returns the beginning of a remedy for an unknown key of x-kit, by its pointer: for
// role/relation/kin it names kind.
func meantAxis(pointer string) string {
	i := strings.LastIndexByte(pointer, '/') + 1
	return DidYouMean(pointer[i:], strings.Fields(axisNames[pointer[:i]]))
}

// primary reports an entity with no primary key, with several, or with one whose value is an
// object or a list. A partial set may have cards without one: a remote chooses which fields it
// publishes.
func (c *compiler) primary(u *unit) {
	var all []string
	for _, p := range u.entity.Fields {
		if p.Axes.Primary {
			all = append(all, p.Name)
			if p.Axes.Relation != nil && p.Axes.Relation.Many || p.Kind == KindJSON || p.Shape.Nullable {
				c.fault(u, child("/properties", p.Name), "a primary key has to be one plain value, never null", "write type: string, say")
			}
		}
	}
	switch {
	case len(all) > 1:
		c.fault(u, child("/properties", all[1])+"/x-kit/role/primary", "the card has several primary keys: "+strings.Join(all, ", "), "keep one; say the others with role.unique")
	case len(all) == 0 && !c.set.opts.Partial:
		c.fault(u, "/properties", "the entity has no primary key", "add id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}")
	}
}

// uniques resolves the member lists to fields. Each member of a compound constraint carries the
// full list (spec 2.2); [completeUniques] copies it for authors who write it once.
func (c *compiler) uniques(u *unit) {
	e := u.entity
	seen := map[string]bool{}
	for _, p := range e.Fields {
		for i, members := range p.Axes.Unique {
			at := fmt.Sprintf("%s/x-kit/role/unique/%d", child("/properties", p.Name), i)
			props, sound := []*Property{}, true
			for j, name := range members {
				q := e.byName[name]
				switch {
				case q == nil && u.src.View:
					sound = false // the view dropped a member; the entity keeps the constraint
				case q == nil:
					sound = false
					c.beyond(u, fmt.Sprintf("%s/%d", at, j), fmt.Sprintf("unique names %q; the card has no such field", name), fieldNames(u.card.Fields))
				default:
					props = append(props, q)
				}
			}
			if !slices.Contains(members, p.Name) && !u.src.View {
				sound = false
				c.beyond(u, at, fmt.Sprintf("this constraint of %s does not name %[1]s", p.Name), "write it at its members only")
			}
			// Each member carries the constraint; the first one seen makes the index.
			id := strings.Join(members, "\x00")
			if sound && !seen[id] {
				seen[id] = true
				e.Uniques = append(e.Uniques, props)
			}
		}
	}
}

// maxKey is the largest length, in code points, of a primary or unique text whose card gives no
// bound. A key is part of indexes, cursors and addresses: one caller writes it, and every
// caller reads it (docs/decisions/judge.md).
const maxKey = 255

// boundKeys adds maxLength [maxKey] to the primary and unique texts of an entity that have no bound: no
// enum, no const, no UUID and no maxLength. The card of another host says its own bounds.
func boundKeys(e *Entity) {
	for _, p := range e.Fields {
		unique := slices.ContainsFunc(e.Uniques, func(members []*Property) bool { return slices.Contains(members, p) })
		s := &p.Shape
		if p.Kind != KindString || !p.Axes.Primary && !unique || s.Enum != nil || s.Format == "uuid" || s.Extra.Get("maxLength") != nil || s.Extra.Get("const") != nil {
			continue
		}
		s.Extra = append(slices.Clone(s.Extra), Keyword{Name: "maxLength", Value: json.RawMessage(strconv.Itoa(maxKey)), Implied: true})
	}
}

// completeUniques writes each compound constraint at every member (spec 2.2). Authors may
// write it at one. Where members have it in different orders, the first one's order holds,
// since it is the order of the index.
func completeUniques(card *Card) {
	for i := range card.Fields {
		for _, members := range card.Fields[i].Axes.Unique {
			if slices.ContainsFunc(append(members[:len(members):len(members)], card.Fields[i].Name), func(name string) bool {
				return card.Field(name) == nil || !slices.Contains(members, name)
			}) {
				continue // a fault of its own
			}
			for k := range card.Fields {
				if f := &card.Fields[k]; k != i && slices.Contains(members, f.Name) {
					f.Axes.Unique = slices.Clone(f.Axes.Unique)
					n := slices.IndexFunc(f.Axes.Unique, func(m []string) bool { return sameMembers(m, members) })
					if n < 0 {
						f.Axes.Unique = append(f.Axes.Unique, members)
					} else if k > i {
						f.Axes.Unique[n] = members
					}
				}
			}
		}
	}
}

// sameMembers says whether two constraints have the same members in any order.
func sameMembers(a, b []string) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(name string) bool { return !slices.Contains(b, name) })
}

// examples reports examples and defaults that their own field refuses.
func (c *compiler) examples(u *unit) {
	for i, p := range u.entity.Fields {
		if u.taken[p.Name] {
			continue
		}
		at := child("/properties", p.Name)
		// The field's own checker judges the value, so a wrong value has the sentence that a
		// caller would get.
		check := func(where string, v json.RawMessage) {
			j, field := judging{}, u.entity.judge.card.props[i].checker
			j.value(field, v)
			j.keys(field, v)
			for _, d := range j.details() {
				c.beyond(u, at+where+d.Pointer, "the card gives a value that the field itself refuses: it "+d.Message, "change the value or the shape")
			}
		}
		if r := p.Axes.Create; r != nil && r.Value != nil {
			check("/x-kit/lifecycle/create/value", r.Value)
		}
	}
}
