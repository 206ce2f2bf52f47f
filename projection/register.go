package projection

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
)

// Options of [RegisterAll]; nil is fine.
type Options struct {
	// Surface names the surface the schema is for: of each Frond it has what that
	// shows (spec 4.3.3), so its calls have to go to the façade as the surface sees
	// it, [facade.Facade.On]. "": everything, as in process.
	Surface catalog.Surface
	// Filter says whether a door is in the schema (spec 4.3.3); nil: all are.
	Filter func(*catalog.Door) bool
	// Files describes files, by their ids; nil: none has a description. FileURL returns the path of
	// the file of a row, by the row's key, or "" where it has none.
	Files   func(ctx context.Context, ids []string) (map[string]*facade.File, error)
	FileURL func(d *catalog.Door, f *catalog.File, key json.RawMessage) string
	// SemanticNonNull prints @semanticNonNull at the fields whose null always comes with an
	// error: clients that turn errors into exceptions need not handle their null.
	SemanticNonNull bool
}

// RegisterAll registers every door of cat that opts allows: its type, its inputs, one field for
// each operation, and a field of Subscription for each visible fact. Relations connect the
// types of doors that are both in the schema (spec 4.3.2). The error is schema.Faults: every
// name that is claimed twice and every name that is illegal in GraphQL. An unknown opts.Surface
// is an error of the catalog. A Builder takes one catalog; a second call returns an error and
// changes nothing.
func RegisterAll(b *Builder, cat *catalog.Catalog, opts *Options) error {
	if b.built {
		return errBuilt
	}
	if b.doors.catalog != nil {
		return errors.New("this Builder has a catalog already; make one Builder for each")
	}
	if opts != nil {
		b.options = *opts
	}
	if b.options.Surface != "" {
		view, err := cat.Surface(b.options.Surface)
		if err != nil {
			return err
		}
		cat = view
	}
	b.doors.catalog = cat
	b.rows.files = &files{options: b.options}
	claims := b.types.claims
	before := len(claims.faults)
	for _, frond := range cat.Fronds {
		claims.remote[frond.Name] = frond.Remote != ""
		for _, door := range frond.Doors {
			if b.options.Filter == nil || b.options.Filter(door) {
				b.doors.add(door)
			}
		}
	}
	for _, d := range b.doors.all { // after all have a type: relations go both ways
		b.rows.fillObject(d)
	}
	for _, d := range b.doors.all {
		b.operations.add(d)
	}
	for f := range cat.Facts() {
		b.facts.add(f)
	}
	b.facts.addLive()
	return claims.since(before)
}

// RegisterType adds fields to the object type called name: to a generated type (call
// RegisterAll first), or to a new one. [binding.Fields] documents the source and the result of
// their Resolve; a field without Resolve reads the member of its name from its parent's value.
// Types of other kinds are added with the fields that use them.
func RegisterType(b *Builder, name string, fields graphql.Fields) error {
	if b.built {
		return errBuilt
	}
	by := &origin{what: fmt.Sprintf("RegisterType(%q)", name)}
	o := b.types.objects[name]
	if o == nil {
		before := len(b.types.claims.faults)
		if !b.types.claims.claim(typeNames, name, by) {
			return b.types.claims.since(before)
		}
		o = b.types.newObject(name, "")
	}
	return addByHand(b.types.claims, o, by, fields)
}

// RegisterOperations adds fields to Query or, with facade.Command, to Mutation.
// Each needs its own Resolve; it gives what [binding.Fields] says. Generated root
// fields are nullable, so that one that fails leaves the others; a field with a
// non-null Type stays as it is given, and one that fails makes data null.
func RegisterOperations(b *Builder, kind catalog.Kind, fields graphql.Fields) error {
	if b.built {
		return errBuilt
	}
	o := b.roots.of(kind)
	return addByHand(b.types.claims, o, &origin{what: fmt.Sprintf("RegisterOperations in %s", o.name)}, fields)
}

// addByHand adds an author's fields to o, in the order of their names. A field without a type
// or with a name that is taken is left out and is an error; the others are added. A field
// without Resolve gets graphql-go's default one.
func addByHand(c *claims, o *object, by *origin, fields graphql.Fields) error {
	before := len(c.faults)
	for _, name := range slices.Sorted(maps.Keys(fields)) { // a map has a random order
		f := fields[name]
		if f == nil || f.Type == nil {
			c.fault(by, fmt.Sprintf("the field %s.%s has no type", o.name, name), "register its type first: Builder.Type returns nil for an unknown type")
			continue
		}
		if !c.claim(space{"field", o.name}, name, by) {
			continue
		}
		own := &field{name: name, description: f.Description, deprecated: f.DeprecationReason, typ: f.Type, resolve: f.Resolve, subscribe: f.Subscribe}
		if own.resolve == nil {
			own.resolve = graphql.DefaultResolveFn
		}
		for _, a := range slices.Sorted(maps.Keys(f.Args)) {
			if given := f.Args[a]; given != nil {
				own.args = append(own.args, &arg{name: a, description: given.Description, typ: given.Type, value: given.DefaultValue})
			}
		}
		o.fields = append(o.fields, own)
	}
	return c.since(before)
}

// claimByHand claims the names of the types that hand-written fields bring along, as deep as
// they go. It runs in Build, since only then are all generated types known. A generated type
// that such a field uses is not claimed again.
func claimByHand(ts *typeSet) {
	known := map[graphql.Type]bool{}
	for _, t := range ts.made {
		known[typeOf(t)] = true
	}
	for _, t := range scalars {
		known[t] = true
	}
	for _, t := range ts.made {
		o, ok := t.(*object)
		if !ok {
			continue
		}
		for _, f := range o.fields {
			if f.binding != nil {
				continue
			}
			w := walker{claims: ts.claims, known: known, by: &origin{what: fmt.Sprintf("the types of the hand-written field %s.%s", o.name, f.name)}}
			w.walk(f.typ)
			for _, a := range f.args {
				w.walk(a.typ)
			}
		}
	}
}

// walker claims the types that one hand-written field leads to. known are those that are
// claimed already; all walkers share it, so each type is visited once.
type walker struct {
	claims *claims
	known  map[graphql.Type]bool
	by     *origin
}

// walk claims t, lists and non-null removed, and everything it refers to: the types of fields
// and arguments, interfaces, members of a union, fields of an input. Types are visited in the
// order of their fields' names, so that errors have the same order at every start.
func (w walker) walk(t graphql.Type) {
	t, _ = graphql.GetNamed(t).(graphql.Type)
	if t == nil || w.known[t] {
		return
	}
	w.known[t] = true
	// graphql-go keeps the first error of a type and reports it when the schema is made, one
	// at a time. Here it is reported with the others.
	if err := t.Error(); err != nil {
		w.claims.fault(w.by, fmt.Sprintf("%s: %s", w.by, err), "correct the registered type")
		return
	}
	w.claims.claim(typeNames, t.Name(), w.by)
	fields := func(m graphql.FieldDefinitionMap) {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			w.walk(m[name].Type)
			for _, a := range m[name].Args {
				w.walk(a.Type)
			}
		}
	}
	switch t := t.(type) {
	case *graphql.Object:
		fields(t.Fields())
		for _, i := range t.Interfaces() {
			w.walk(i)
		}
	case *graphql.Interface:
		fields(t.Fields())
	case *graphql.Union:
		for _, o := range t.Types() {
			w.walk(o)
		}
	case *graphql.InputObject:
		for _, name := range slices.Sorted(maps.Keys(t.Fields())) {
			w.walk(t.Fields()[name].Type)
		}
	}
}

// Type is the generated or registered type called name, for the fields of
// [RegisterType] and [RegisterOperations]; nil where there is none.
func (b *Builder) Type(name string) graphql.Type { return b.types.byName(name) }

// errBuilt is the error of a second use of a Builder.
var errBuilt = errors.New("this Builder has built its schema; make another Builder for another")
