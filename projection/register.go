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
	// Files describes files of a Frond's rows, by their ids; nil: files have no descriptions. FileURL returns the
	// path of the file of a row, by the row's key, or "".
	Files   func(ctx context.Context, frond *catalog.Frond, ids []string) (map[string]*facade.File, error)
	FileURL func(d *catalog.Door, f *catalog.File, key json.RawMessage) string
	// FileLink returns another address of a file, or of a smaller image, in place of its path, or "". It
	// may be nil.
	FileLink func(ctx context.Context, d *catalog.Door, file *facade.File, size *catalog.FileSize) (string, error)
	// SemanticNonNull prints @semanticNonNull at the fields whose null always comes with an
	// error: clients that turn errors into exceptions need not handle their null.
	SemanticNonNull bool
}

// RegisterAll registers every door of cat that opts allows: its type, its inputs, one field for
// each operation, and a field of Subscription for each visible fact. Relations connect the
// types of doors that are both in the schema (spec 4.3.2). The error is schema.Faults: every
// name with two claims and every name that is illegal in GraphQL. An unknown opts.Surface is an
// error of the catalog. A Builder takes one catalog; a second call returns an error without a
// change.
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
	b.doors.catalog, b.types.semantic = cat, b.options.SemanticNonNull
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
	return b.register(o, by, fields)
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
	return b.register(o, &origin{what: "RegisterOperations in " + o.Name}, fields)
}

// register adds an author's fields to o, in the order of their names. A field without a type or
// with a taken name is left out and is an error; the others are added.
func (b *Builder) register(o *definition, by *origin, fields graphql.Fields) error {
	b.registered = true
	claims := b.types.claims
	before := len(claims.faults)
	for _, name := range slices.Sorted(maps.Keys(fields)) { // a map has a random order
		f := fields[name]
		if f == nil || f.Type == nil {
			claims.fault(by, fmt.Sprintf("the field %s.%s has no type", o.Name, name), "register its type first: Builder.Type returns nil for an unknown type")
			continue
		}
		if claims.claim(space{"field", o.Name}, name, by) {
			b.types.addByHand(o, name, f)
		}
	}
	return claims.since(before)
}

// Type is the generated or registered type called name, for the fields of [RegisterType] and
// [RegisterOperations], or nil.
func (b *Builder) Type(name string) graphql.Type {
	if b.built || name == "Node" {
		return nil
	}
	return b.types.library.named(name)
}

// errBuilt is the error of a second use of a Builder.
var errBuilt = errors.New("this Builder has built its schema; make another Builder for another")
