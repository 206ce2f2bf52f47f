package validation

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/resolvers/language"
)

// use is one use of a variable in an operation or a fragment.
type use struct {
	value    *ast.Value
	typ      *language.Type // the expected type; nil: any
	fallback bool           // the place has a default that is not null
	oneOf    string         // the one-of input object around it, or ""
}

// set is a set of fragments by their numbers, one bit for each. All sets of a validation have
// the same length.
type set []uint64

// add adds the fragment with number n.
func (b set) add(n int) { b[n/64] |= 1 << (n % 64) }

// has reports whether the fragment with number n is in the set.
func (b set) has(n int) bool { return b[n/64]>>(n%64)&1 == 1 }

// join adds all of c.
func (b set) join(c set) {
	for i, w := range c {
		b[i] |= w
	}
}

// each calls f for the numbers that are in both.
func (b set) each(c set, f func(n int)) {
	for i, w := range b {
		for w &= c[i]; w != 0; w &= w - 1 {
			f(64*i + bits.TrailingZeros64(w))
		}
	}
}

// circles is the rule "Fragment Spreads Must Not Form Cycles" (GraphQL 5.5.2.2). It reports
// whether there is a cycle. Without a cycle it has set reach of every definition; with one,
// reach is not complete.
func (v *validation) circles() bool {
	words := (len(v.list) + 63) / 64
	// One allocation for the sets of all definitions: a document may have thousands of
	// fragments.
	all := make([]uint64, words*(len(v.list)+len(v.operated)))
	empty := func() set {
		s := all[:words:words]
		all = all[words:]
		return set(s)
	}
	var path []*ast.FragmentSpread
	entered := map[*definition]int{} // where the path was when it came
	found := false
	var visit func(d *definition)
	visit = func(d *definition) {
		d.reach = empty()
		entered[d] = len(path)
		for _, s := range d.spreads {
			v.steps++
			to := v.fragments[s.Name]
			if at, open := entered[to]; open {
				found = true
				v.add(s.Position, "Cannot spread fragment %q within itself%s.", s.Name, via(path[at:]))
				continue
			}
			// A visited fragment is not visited again; its reach is complete, as it is not on
			// the path.
			if to.reach == nil {
				path = append(path, s)
				visit(to)
				path = path[:len(path)-1]
			}
			d.reach.add(to.number)
			d.reach.join(to.reach)
		}
		delete(entered, d)
	}
	for _, d := range v.list {
		if d.reach == nil {
			visit(d)
		}
	}
	if found {
		return true
	}
	for _, d := range v.operated {
		visit(d)
	}
	return false
}

// via returns the fragments on the way round a cycle, for the message: ' via "B", "C"'. Of a
// long way it names the first ten. "" is a fragment that spreads itself.
func via(path []*ast.FragmentSpread) string {
	if len(path) == 0 {
		return ""
	}
	var names []string
	for _, s := range path {
		if len(names) == 10 {
			names = append(names, "…")
			break
		}
		names = append(names, fmt.Sprintf("%q", s.Name))
	}
	return " via " + strings.Join(names, ", ")
}

// across applies the rules on unused fragments and on variables. They depend on all fragments
// that an operation reaches (GraphQL 5.5.1.4, 5.8).
func (v *validation) across() {
	words := (len(v.list) + 63) / 64
	spread, using := make(set, words), make(set, words)
	for _, d := range v.list {
		if len(d.uses) > 0 {
			using.add(d.number)
		}
	}
	for _, d := range v.operated {
		spread.join(d.reach)
		v.uses(d, using)
	}
	for _, d := range v.list {
		if !spread.has(d.number) {
			v.add(d.fragment.Position, "Fragment %q is never used.", d.fragment.Name)
		}
	}
}

// uses checks the variables of an operation and of the fragments it reaches (GraphQL 5.8.3 to
// 5.8.5): each is declared and fits its place, and each declared one is used. using has the
// fragments that contain variables; the others are skipped.
func (v *validation) uses(d *definition, using set) {
	of := ""
	if d.op.Name != "" {
		of = fmt.Sprintf(" operation %q", d.op.Name)
	}
	declared := make(map[string]*ast.VariableDefinition, len(d.op.VariableDefinitions))
	for _, def := range d.op.VariableDefinitions {
		// Of two declarations the first one counts; the second is an error already.
		if declared[def.Variable] == nil {
			declared[def.Variable] = def
		}
	}
	check := func(list []use) {
		for i := range list {
			v.steps++
			u := &list[i]
			def := declared[u.value.Raw]
			if def == nil {
				by := ""
				if of != "" {
					by = " by" + of
				}
				v.addAt(language.Positions(u.value.Position, d.op.Position), "Variable \"$%s\" is not defined%s.", u.value.Raw, by)
				continue
			}
			def.Used = true
			v.position(u, def)
		}
	}
	check(d.uses)
	using.each(d.reach, func(n int) { check(v.list[n].uses) })
	for _, def := range d.op.VariableDefinitions {
		if !def.Used && declared[def.Variable] == def {
			in := ""
			if of != "" {
				in = " in" + of
			}
			v.add(def.Position, "Variable \"$%s\" is never used%s.", def.Variable, in)
		}
	}
}

// position is the rule "All Variable Usages Are Allowed" (specification 5.8.5): a nullable
// variable is allowed in a nullable place, or in one with a default.
func (v *validation) position(u *use, def *ast.VariableDefinition) {
	if u.typ == nil || def.Definition == nil {
		return
	}
	saved := u.fallback || def.DefaultValue != nil && def.DefaultValue.Kind != ast.NullValue
	if !fits(def.Type, u.typ, saved) {
		v.addAt(language.Positions(def.Position, u.value.Position), "Variable \"$%s\" of type %q used in position expecting type %q.",
			u.value.Raw, def.Type.String(), u.typ.Text)
	}
	if u.oneOf != "" && !def.Type.NonNull {
		v.addAt(language.Positions(def.Position, u.value.Position), "Variable \"$%s\" is of type %q but must be non-nullable to be used for OneOf Input Object %q.",
			u.value.Raw, def.Type.String(), u.oneOf)
	}
}

// fits is AreTypesCompatible (GraphQL 5.8.5): it reports whether values of a declared type fit
// a place of type t. saved says that a default replaces a missing value, so that a nullable
// variable fits a non-null place.
//
//	declared  expected  saved
//	Int!      Int       any      fits
//	Int       Int!      true     fits
//	Int       Int!      false    does not
//	[Int]     [Int!]    true     does not: a default saves the outermost level only
func fits(declared *ast.Type, t *language.Type, saved bool) bool {
	for {
		switch {
		case t.NonNull && !declared.NonNull && !saved, (declared.Elem == nil) != (t.Elem == nil):
			return false
		case t.Elem == nil:
			return declared.NamedType == t.Named.Name
		}
		declared, t, saved = declared.Elem, t.Elem, false
	}
}
