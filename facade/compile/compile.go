// Package compile makes the catalog of a project. It reports all faults of a project at once, each
// with its file, the place in it and a remedy.
package compile

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// compile makes the catalog, in the order in which one thing needs another: cards, doors
// with their operations, what links them, computed fields, attached Go code, what remotes
// say of themselves, facts, collectors, and last the runner of each operation. It returns nil where
// cards are at fault, since everything later needs the entities.
func (b *compiler) compile() *catalog.Catalog {
	b.doors = map[string]*catalog.Door{}
	if b.registry = b.source.Registry; b.registry == nil {
		b.registry = schema.Builtins()
	}
	var sources []schema.Source
	opts := schema.CompileOptions{Vendor: b.source.Vendor, Remote: map[string]bool{}, Unknown: b.incomplete, Unregistered: b.unregistered}
	opts.Ignored = func(f schema.Fault) { b.ignored = append(b.ignored, f) }
	configs := make([]project.Config, len(b.source.Fronds))
	for i, f := range b.source.Fronds {
		b.named(i, f)
		for _, s := range f.Cards {
			s.Frond = f.Name
			sources = append(sources, s)
		}
		opts.Remote[f.Name] = f.Remote != ""
		var faults schema.Faults
		configs[i], faults = project.ReadConfig(f.Config)
		b.faults = append(b.faults, faults...)
		mapped(sources[len(sources)-len(f.Cards):], configs[i].Tables)
	}
	var err error
	if b.set, err = schema.Compile(sources, b.registry, &opts); err != nil {
		b.keep(err)
		b.inlineCards(configs, opts)
		return nil // without entities there are no doors to go on with
	}
	for i, f := range b.source.Fronds {
		b.frond(f, configs[i])
	}
	b.link()
	for i, f := range b.source.Fronds {
		b.computedFields(f, configs[i].Computed)
	}
	b.attach()
	for _, f := range b.source.Fronds {
		b.known(f)
	}
	for i, f := range b.source.Fronds {
		b.tables(f, configs[i].Tables)
		b.facts(f, configs[i])
		b.collectors(f, configs[i].Collectors)
		b.readSeeds(f)
	}
	cascades := b.cascades()
	b.transactions(cascades)
	served := catalog.New(cmp.Or(b.source.Vendor, schema.DefaultVendor), b.fronds, b.set, b.changes(configs), cascades)
	b.presets()
	b.showing(served, configs)
	if len(b.faults) == 0 {
		served.Access, served.FactAccess = access.Table(served, b.collected), access.FactTable(served, b.collected)
	}
	b.notes(served)
	return served
}

// named reports Fronds with the same name, and names that a path cannot hold.
func (b *compiler) named(i int, f *project.Frond) {
	at := cmp.Or(f.Config.File, f.Dir, f.Name)
	if !schema.IsName(f.Name) {
		b.fault(at, "", fmt.Sprintf("%q cannot be the name of a Frond", f.Name), "write a letter, then letters, digits, - or _: catalog")
	}
	for _, other := range b.source.Fronds[:i] {
		if strings.EqualFold(other.Name, f.Name) {
			b.fault(at, "", fmt.Sprintf("two Fronds are called %s: %s and %s", f.Name, cmp.Or(other.Dir, "the root"), cmp.Or(f.Dir, "the root")), "rename one of them")
		}
	}
}

// frond makes the doors of a Frond: one for each of its entities, then those that store
// nothing.
func (b *compiler) frond(src *project.Frond, config project.Config) {
	frond := &catalog.Frond{Name: src.Name, Remote: src.Remote, File: cmp.Or(src.Config.File, path.Join(src.Dir, "frond.yaml"))}
	b.fronds = append(b.fronds, frond)
	file := src.Config.File
	configured := map[string]*project.Door{}
	for _, d := range config.Doors {
		key := schema.EntityKey(d.Name)
		if configured[key] != nil {
			b.fault(file, d.At, fmt.Sprintf("the door %s is written twice", d.Name), "write it once")
			continue
		}
		configured[key] = d
	}
	opened := openedMany(b, src, config)
	for _, e := range b.set.Entities {
		if e.Frond != src.Name {
			continue
		}
		d := configured[e.Key]
		delete(configured, e.Key)
		switch {
		case d == nil:
			d = &project.Door{Name: e.Name}
		case d.Off:
			continue // no façade: absent from discovery, REST and GraphQL (spec 2.5.2)
		}
		d.Many = opened[e.Key]
		b.door(frond, src, d, e)
	}
	for _, d := range config.Doors {
		if configured[schema.EntityKey(d.Name)] != d || d.Off {
			continue
		}
		switch e := b.set.Entity(d.Name); {
		case e != nil && e.View:
			b.fault(file, d.At, fmt.Sprintf("%s is a view, and a view has no door", d.Name), "name the door after an entity, or give it a name of its own")
		case e != nil:
			b.fault(file, d.At, fmt.Sprintf("%s is an entity of the Frond %s", e.Name, e.Frond), "configure its door in that Frond's frond.yaml")
		default:
			b.door(frond, src, d, nil)
		}
	}
	b.plurals(frond, file)
}

// plurals reports two doors whose REST paths are equal without regard to case.
func (b *compiler) plurals(frond *catalog.Frond, file string) {
	taken := map[string]*catalog.Door{}
	for _, d := range frond.Doors {
		key := strings.ToLower(d.Plural) // a path is found without regard to case
		if other := taken[key]; other != nil {
			b.fault(cmp.Or(file, d.Origin), d.At, fmt.Sprintf("the plural %s is claimed twice, by %s (%s) and %s (%s)", d.Plural, other.Name, other.Origin, d.Name, d.Origin),
				fmt.Sprintf("write doors: {%s: {plural: …}} in the frond.yaml of %s", d.Name, frond.Name))
			continue
		}
		taken[key] = d
	}
}

// door makes one door; e is nil for a door that stores nothing. A second owner of a name
// is a fault that names both, since a method is entity.op for the whole host.
func (b *compiler) door(frond *catalog.Frond, src *project.Frond, c *project.Door, e *schema.Entity) {
	name := c.Name
	if e != nil {
		name = e.Name
	}
	d := &catalog.Door{
		Name: c.Name, Frond: frond, Entity: e, GraphQL: c.GraphQL, At: c.At,
		Plural: cmp.Or(c.Plural, schema.Plural(name)),
		Origin: b.origin(src, c.Name),
		Limits: c.Limits.Or(b.limits),
	}
	key := schema.EntityKey(d.Name)
	if other := b.doors[key]; other != nil {
		b.fault(d.Origin, c.At, fmt.Sprintf("the door %s "+schema.TwoOwners+": %s and %s", d.Name, other.Origin, d.Origin), "rename one of them: the method is entity.op, for the whole host")
		return
	}
	b.doors[key] = d
	frond.Doors = append(frond.Doors, d)
	if e != nil {
		d.Name = e.Name
		p, _ := filter.Field(e, catalog.ETag)
		d.ETag = p == nil
		b.builtins(d, src, c)
	}
	b.namedOperations(d, src, c)
	if len(d.Operations) == 0 {
		b.fault(cmp.Or(src.Config.File, d.Origin), c.At, fmt.Sprintf("the door %s has no operation", d.Name), "declare one under operations, or write "+d.Name+": false")
	}
}

// Options are options of a compilation.
type Options struct {
	// Limits are how many rows a page holds where a door does not say.
	Limits project.ListLimits
	// Unregistered receives generators and conversions that are not registered; nil: they are faults.
	Unregistered func(schema.Fault)
	// Incomplete says that there are remotes that have not been discovered.
	Incomplete bool
	// User says which members of user rules may name.
	User access.UserMembers
	// Now is the clock.
	Now func() time.Time
}

// Compiled is a catalog, with the other results of compiling a project.
type Compiled struct {
	Catalog  *catalog.Catalog
	Registry *schema.Registry
	// Collectors are those of doors and of facts without one; a door without a collector is open.
	Collectors map[*catalog.Door]access.Collector
	// Presenters make the computed fields of a door, in the order of its Computed.
	Presenters map[*catalog.Door][]*access.Presenter
	Seeds      []SeedFile
}

// Compile makes the catalog of a project. The error is [schema.Faults]: all that is wrong with it.
func Compile(src *Source, opts *Options) (*Compiled, error) {
	b := &compiler{
		source: src, unregistered: opts.Unregistered, limits: opts.Limits, incomplete: opts.Incomplete, user: opts.User, now: opts.Now,
		authored: map[*catalog.Operation]bool{}, presenters: map[*catalog.Door][]*access.Presenter{}, collected: map[*catalog.Door]access.Collector{}, idCards: map[*catalog.Door]*schema.Entity{},
	}
	catalog := b.compile()
	if len(b.faults) > 0 {
		slices.SortStableFunc(b.faults, func(x, y schema.Fault) int { return strings.Compare(x.File, y.File) })
		return nil, b.faults
	}
	return &Compiled{Catalog: catalog, Registry: b.registry, Collectors: b.collected, Presenters: b.presenters, Seeds: b.seeds}, nil
}
