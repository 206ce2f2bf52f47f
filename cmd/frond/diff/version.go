package diff

import (
	"fmt"
	"maps"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/rest"
	"github.com/frondhost/frond/schema"
)

// Form is how much is known of a version.
type Form int

// The forms, the fullest first. Two versions are compared in the lesser form of the two.
const (
	// wholeProject is a folder: everything.
	wholeProject Form = iota
	// Discovery is the answer of a host: doors, operations, cards and facts. Rights, plurals,
	// GraphQL names, surfaces and entities without a door are not known.
	Discovery
	// Bundle is cards alone. Every entity counts as having all built-in operations.
	Bundle
)

// Source is the source of a version.
type Source struct {
	// Name is how the user names the version, for messages.
	Name    string
	Form    Form
	Project *facade.Project
	// List is the page size of doors without one of their own; the zero value is the default.
	List project.ListLimits
	// Audiences are the paths of audiences that settings name, by audience.
	Audiences map[string]string
	// Documents are the texts of the trusted documents, by id. Enforced says that the gateway
	// refuses all others.
	Documents map[string]string
	Enforced  bool
	// Limits are settings that bound a request, by their keys.
	Limits map[string]int64
	// Remotes are the Fronds of other hosts.
	Remotes []string
}

// Version is a compiled [Source]. It never changes.
type Version struct {
	*Source
	catalog *catalog.Catalog
	// collectors are the access rules by door.
	collectors map[*catalog.Door]access.Collector
	surfaces   map[catalog.Surface]*surface
	// changes are the renames and backfills that its frond.yaml declares.
	changes catalog.SchemaChanges
	// computed are the expressions of computed fields, by door key and field.
	computed map[[2]string]string
}

// surface is what one surface shows of a version.
type surface struct {
	view  *catalog.Catalog
	types *ast.Schema // of GraphQL; nil without doors there
	bound *binding.Schema
	// at are the places of each operation on REST, "GET /api/catalog/products", by operation
	// key (see keyOf).
	at map[string][]string
}

// of is a version as a surface shows it.
func (v *Version) of(s catalog.Surface) *surface {
	if shown := v.surfaces[s]; shown != nil {
		return shown
	}
	return &surface{view: &catalog.Catalog{}}
}

// New compiles a version. The error is schema.Faults where its cards or its frond.yaml have
// any: a version that cannot start cannot be compared.
func New(src *Source) (*Version, error) {
	compiled, err := compile.Project(src.Placed(), &compile.Options{
		List: src.List,
		// A remote may have what cards refer to, and it is not asked.
		Incomplete:   src.Form != wholeProject || len(src.Remotes) > 0,
		Unregistered: func(schema.Fault) {}, // a program of the author's may have it
	})
	if err != nil {
		return nil, fmt.Errorf("%s cannot be compared:\n%w", src.Name, err)
	}
	v := &Version{Source: src, catalog: compiled.Catalog, collectors: compiled.Collectors, changes: compiled.Catalog.Changes, surfaces: map[catalog.Surface]*surface{}, computed: map[[2]string]string{}}
	for _, s := range v.catalog.Surfaces() {
		if v.surfaces[s], err = v.show(s); err != nil {
			return nil, fmt.Errorf("%s cannot be compared:\n%w", src.Name, err)
		}
	}
	for _, frond := range src.Project.Fronds {
		config, _ := project.ReadConfig(frond.Config) // its faults were those of the project
		for _, c := range config.Computed {
			v.computed[[2]string{schema.EntityKey(c.Door), c.Name}] = c.Value
		}
	}
	return v, nil
}

// elsewhere is the address of a Frond that does not run here; it is never called.
const elsewhere = "elsewhere"

// Placed is the project with its remote Fronds marked as such.
func (src *Source) Placed() *facade.Project {
	if len(src.Remotes) == 0 {
		return src.Project
	}
	p := *src.Project
	p.Fronds = slices.Clone(p.Fronds)
	for i, f := range p.Fronds {
		if slices.Contains(src.Remotes, f.Name) {
			remote := *f
			remote.Remote = elsewhere
			p.Fronds[i] = &remote
		}
	}
	return &p
}

// show projects the doors that a surface shows.
func (v *Version) show(s catalog.Surface) (*surface, error) {
	view, err := v.catalog.Surface(s)
	if err != nil {
		return nil, err
	}
	out := &surface{view: view}
	if !slices.ContainsFunc(view.Fronds, func(f *catalog.Frond) bool { return len(f.Doors) > 0 }) {
		return out, nil
	}
	switch s.Kind() {
	case catalog.OnGraphQL:
		b := projection.NewBuilder()
		if err := projection.RegisterAll(b, v.catalog, &projection.Options{Surface: s}); err != nil {
			return nil, err
		}
		if out.bound, err = b.Build(); err != nil {
			return nil, err
		}
		out.types = out.bound.AST
	case catalog.OnREST:
		table, err := rest.Derive(view, v.base(s)+"/api")
		if err != nil {
			return nil, err
		}
		out.at = map[string][]string{}
		for _, r := range table.Routes() {
			key := keyOf(r.Operation)
			out.at[key] = append(out.at[key], r.Verb+" "+r.Path)
		}
	}
	return out, nil
}

// base is the path in front of a surface.
func (v *Version) base(s catalog.Surface) string {
	audience := audienceOf(s)
	if audience == "" {
		return ""
	}
	if base, ok := v.Audiences[audience]; ok {
		return base
	}
	return "/" + audience
}

// audienceOf is the audience of a surface; "" is everybody.
func audienceOf(s catalog.Surface) string {
	if s == s.Kind() {
		return ""
	}
	return string(s[:len(s)-len(s.Kind())-1])
}

// keyOf names an operation across versions: product.list, the door's name in lower case.
func keyOf(op *catalog.Operation) string { return schema.EntityKey(op.Door.Name) + "." + op.Name }

// doorKey is how doors are compared.
func doorKey(d *catalog.Door) string { return schema.EntityKey(d.Name) }

// reduced is the version in a lesser form, made in the same way as a version given in that
// form: equal versions are then equal, wherever each comes from. fronds are the Fronds that the
// other side knows entities of, by entity key.
func (v *Version) reduced(form Form, fronds map[string]string) (*Version, error) {
	if v.Form == form && form != Bundle {
		return v, nil
	}
	src := &Source{Name: v.Name, Form: form}
	switch form {
	case Discovery:
		view, err := v.catalog.Surface(catalog.OnEnvelope)
		if err != nil {
			return nil, err
		}
		document, err := schema.ReadDiscovery(view.Discovery().AppendJSON(nil))
		if err != nil {
			return nil, err
		}
		src.Project = OfDiscovery(document)
	default:
		cards, err := schema.ReadBundle(v.catalog.Set.Bundle())
		if err != nil {
			return nil, err
		}
		src.Project = OfBundle(cards, fronds)
	}
	return New(src)
}

// OfDiscovery is the project of a discovery document. Its operations are remote.
func OfDiscovery(document *schema.Discovery) *facade.Project {
	p := &facade.Project{}
	for i := range document.Fronds {
		frond := project.Discovered(&document.Fronds[i], document.Fronds[i].Name)
		frond.Remote = elsewhere
		p.Fronds = append(p.Fronds, frond)
	}
	return p
}

// OfBundle is a project of the cards of a bundle. fronds names the Frond of each, by entity
// key; those that it does not name are in a Frond called app.
func OfBundle(cards []schema.Source, fronds map[string]string) *facade.Project {
	by := map[string]*project.Frond{}
	for _, card := range cards {
		name := fronds[schema.EntityKey(card.Name)]
		if name == "" {
			name = "app"
		}
		if by[name] == nil {
			by[name] = &project.Frond{Name: name}
		}
		card.Frond = name
		by[name].Cards = append(by[name].Cards, card)
	}
	p := &facade.Project{Registry: schema.Builtins()}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		p.Fronds = append(p.Fronds, by[name])
	}
	return p
}

// frondsOf are the Fronds of the entities, by entity key.
func frondsOf(v *Version) map[string]string {
	of := map[string]string{}
	for _, e := range v.catalog.Set.Entities {
		of[e.Key] = e.Frond
	}
	return of
}
