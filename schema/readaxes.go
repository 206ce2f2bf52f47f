package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema/jsontext"
)

// axes reads a field's x-kit (spec 2.2). Unknown keys are kept in Axes.Extra, named by
// their path in x-kit (role/relation/eager), so that a card is written back without loss.
func (r *reader) axes(text json.RawMessage, at string) Axes {
	var a Axes
	r.each(text, at, func(name string, value json.RawMessage, here string) bool {
		switch name {
		case "role":
			r.each(value, here, func(name string, value json.RawMessage, here string) bool {
				switch name {
				case "primary":
					a.Primary = r.onlyTrue(value, here)
				case "index":
					a.Index = r.onlyTrue(value, here)
				case "unique":
					a.Unique = r.unique(value, here)
				case "relation":
					a.Relation = r.relation(value, here, &a)
				default:
					return false
				}
				return true
			}, &a.Extra, "role/")
		case "lifecycle":
			r.each(value, here, func(name string, value json.RawMessage, here string) bool {
				switch name {
				case "create":
					a.Create = r.create(value, here)
				case "update":
					a.Update = UpdateRule(r.word(value, here, "now", "forbidden"))
				default:
					return false
				}
				return true
			}, &a.Extra, "lifecycle/")
		case "boundary":
			r.each(value, here, func(name string, value json.RawMessage, here string) bool {
				switch name {
				case "in":
					a.In = r.boundary(value, here, "decode")
				case "out":
					a.Out = r.boundary(value, here, "encode")
				default:
					return false
				}
				return true
			}, &a.Extra, "boundary/")
		default:
			return false
		}
		return true
	}, &a.Extra, "")
	// In the order of the text: the innermost objects first, the keys of one object in their
	// order.
	slices.SortStableFunc(a.Extra, func(x, y Keyword) int { return axisRank(x.Name) - axisRank(y.Name) })
	return a
}

// axisRank orders the unknown keys of x-kit for writing: the keys of the innermost objects
// first.
func axisRank(pointer string) int {
	for i, prefix := range []string{"role/relation/", "role/", "lifecycle/", "boundary/"} {
		if strings.HasPrefix(pointer, prefix) {
			return i
		}
	}
	return 4
}

// each calls read with the members of an object of x-kit. It puts those for which read returns
// false into extra, with prefix before their names: eager under role/relation/ is
// role/relation/eager.
func (r *reader) each(text json.RawMessage, at string, read func(name string, value json.RawMessage, here string) bool, extra *Keywords, prefix string) {
	if jsontext.KindOf(text) != jsontext.Object {
		r.beyond(at, lastToken(at)+" has to be an object", axesForms[lastToken(at)])
		return
	}
	for name, value := range jsontext.Members(text) {
		if !read(name, value, child(at, name)) {
			*extra = append(*extra, Keyword{Name: prefix + jsontext.Token(name), Value: compact(value)})
		}
	}
}

// axesForms has the remedy for an object of x-kit that has another form.
var axesForms = map[string]string{
	"x-kit":     "write the axes under it: role, lifecycle, boundary",
	"role":      "write primary: true, index: true, unique: [[ … ]] or relation: {to: author, kind: one} under it",
	"relation":  "write {to: author, kind: one}",
	"lifecycle": "write create: and update: under it",
	"boundary":  "write in: and out: under it",
}

// onlyTrue reads a flag that is either true or absent (spec 2.2.1).
func (r *reader) onlyTrue(value json.RawMessage, at string) bool {
	if jsontext.KindOf(value) != jsontext.True {
		r.beyond(at, lastToken(at)+" can only be true", "write true, or leave the key out")
		return false
	}
	return true
}

// word reads one of the words; for any other value it reports the allowed ones and returns "".
func (r *reader) word(value json.RawMessage, at string, words ...string) string {
	if jsontext.KindOf(value) == jsontext.String {
		if w := jsontext.Unquote(value); slices.Contains(words, w) {
			return w
		}
	}
	r.beyond(at, lastToken(at)+" does not know this value", "write "+orList(words))
	return ""
}

// unique reads a list of member lists, [[slug], [tenantId, number]]: members are always named
// (spec 2.2.2).
func (r *reader) unique(value json.RawMessage, at string) [][]string {
	const remedy = "write a list of member lists, such as [[slug]] or [[tenantId, slug]]"
	if jsontext.KindOf(value) != jsontext.Array {
		r.beyond(at, "unique has to be a list of member lists", remedy)
		return nil
	}
	var all [][]string
	for i, list := range jsontext.Elements(value) {
		here := fmt.Sprint(at, "/", i)
		if jsontext.KindOf(list) != jsontext.Array {
			r.beyond(here, "a unique constraint has to be a list of field names", remedy)
			continue
		}
		members := r.strings(list, here)
		if len(members) == 0 {
			r.fault(here, "a unique constraint has to name its members", remedy)
			continue
		}
		all = append(all, members)
	}
	return all
}

// deleteRules are the values of onDelete in a card. The specification does not show them
// (docs/decisions/card-language.md); set-null, which other hosts write, is read too.
var deleteRules = []string{"cascade", "restrict", SetNull}

// SetNull is the onDelete that empties the field of the rows that point at a deleted row.
const SetNull = "set null"

// relation reads role.relation. It returns nil where the relation names no entity: in the
// document of another host the field is a plain one then.
func (r *reader) relation(value json.RawMessage, at string, a *Axes) *Relation {
	rel := &Relation{}
	kind := ""
	r.each(value, at, func(name string, value json.RawMessage, here string) bool {
		switch name {
		case "to":
			rel.To = EntityKey(r.beyondString(value, here))
		case "kind":
			kind = r.word(value, here, "one", "many")
			rel.Many = kind == "many"
		case "onDelete":
			if rel.OnDelete = SetNull; jsontext.KindOf(value) != jsontext.String || jsontext.Unquote(value) != "set-null" {
				rel.OnDelete = r.word(value, here, deleteRules...)
			}
		case "by":
			rel.By = r.beyondString(value, here)
		case "through":
			rel.Through = EntityKey(r.beyondString(value, here))
		default:
			return false
		}
		return true
	}, &a.Extra, "role/relation/")
	if jsontext.KindOf(value) != jsontext.Object {
		return nil
	}
	whole := true
	if to := jsontext.KindOf(jsontext.Get(value, "to")); rel.To == "" && (r.foreign || to == jsontext.Invalid || to == jsontext.String) {
		whole = false
		r.beyond(at, "the relation does not say where it points", "write to: with the name of an entity in lower case")
	}
	if kind == "" && jsontext.Get(value, "kind") == nil {
		whole = false
		r.beyond(at, "the relation does not say its kind", "write kind: one or kind: many")
	}
	if r.foreign && (!whole || kind == "") {
		return nil
	}
	return rel
}

// create reads lifecycle.create (spec 2.2); nil for any other value than
//
//	now   optional   {value: draft}   {generate: cuid2}
func (r *reader) create(value json.RawMessage, at string) *CreateRule {
	switch jsontext.KindOf(value) {
	case jsontext.String:
		switch jsontext.Unquote(value) {
		case "now":
			return &CreateRule{Now: true}
		case "optional":
			return &CreateRule{Optional: true}
		}
	case jsontext.Object:
		var names []string
		for name := range jsontext.Members(value) {
			names = append(names, name)
		}
		if len(names) == 1 && names[0] == "value" {
			return &CreateRule{Value: compact(jsontext.Get(value, "value"))}
		}
		if len(names) == 1 && names[0] == "generate" {
			if g := r.string(jsontext.Get(value, "generate"), child(at, "generate")); g != "" {
				return &CreateRule{Generate: g}
			}
			return nil
		}
	}
	r.beyond(at, "lifecycle.create does not know this rule", "write {value: …}, now, {generate: name} or optional")
	return nil
}

// boundary reads one direction of boundary: closed, or a conversion under verb (decode or
// encode), {decode: trim}. For anything else the direction is open.
func (r *reader) boundary(value json.RawMessage, at, verb string) BoundaryRule {
	switch jsontext.KindOf(value) {
	case jsontext.String:
		if jsontext.Unquote(value) == "closed" {
			return BoundaryRule{Closed: true}
		}
	case jsontext.Object:
		n := 0
		for range jsontext.Members(value) {
			n++
		}
		if name := jsontext.Get(value, verb); n == 1 && name != nil {
			return BoundaryRule{Name: r.string(name, child(at, verb))}
		}
	}
	r.beyond(at, "boundary."+lastToken(at)+" does not know this rule", "write closed, or {"+verb+": name of a conversion}")
	return BoundaryRule{}
}

// orList joins words for a message: a, b or c.
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
