// Package compile makes the catalog of a project. It reports all faults of a project at once, each
// with its file, the place in it and a remedy.
package compile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

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
func Compile(source *Source, opts *Options) (*Compiled, error) {
	r := &report{}
	out := compile(r, source, opts)
	if len(r.faults) > 0 {
		slices.SortStableFunc(r.faults, func(x, y schema.Fault) int { return strings.Compare(x.File, y.File) })
		return nil, r.faults
	}
	return out, nil
}

// compile makes the catalog, in the order in which one thing needs another: cards, doors
// with their operations, what links them, computed fields, attached Go code, what remotes
// say of themselves, facts, collectors, and last the runner of each operation. It returns nil where
// cards are at fault, since everything later needs the entities.
func compile(r *report, source *Source, opts *Options) *Compiled {
	registry := source.Registry
	if registry == nil {
		registry = schema.Builtins()
	}
	texts := convertSeeds(source.Fronds)
	defer texts.beside.Wait()
	configs := readConfigs(r, source.Fronds)
	set := compileCards(r, source, configs, registry, opts)
	if set == nil {
		return nil // without entities there are no doors to go on with
	}
	m := &model{set: set, doors: map[string]*catalog.Door{}, incomplete: opts.Incomplete}
	k := &bindings{authored: map[*catalog.Operation]bool{}, presenters: map[*catalog.Door][]*access.Presenter{}, collected: map[*catalog.Door]access.Collector{}}
	for i, f := range source.Fronds {
		searches(r, m, f, configs[i])
	}
	doors := doorBuilder{report: r, model: m, limits: opts.Limits, listCards: map[queryCard]*schema.Entity{}, rowCards: map[string]*schema.Entity{}, idCards: map[*catalog.Door]*schema.Entity{}}
	for i, f := range source.Fronds {
		doors.frond(f, configs[i])
	}
	linkOutputs(r, m)
	for i, f := range source.Fronds {
		nestedRows(r, m, f, configs[i])
		fileFields(r, m, f, configs[i])
	}
	for i, f := range source.Fronds {
		computedFields(r, m, k, f, configs[i].Computed)
		headlines(r, m, k, f, configs[i].Search)
	}
	attach(r, m, k, &source.Attached)
	closeAggregates(m)
	for _, f := range source.Fronds {
		fitToDiscovery(r, m, k, f)
	}
	rules := &access.Compiler{Fronds: m.fronds, User: opts.User, Fault: r.fault, Advise: r.advise}
	var seeds []SeedFile
	for i, f := range source.Fronds {
		checkTables(r, m, f, configs[i].Tables)
		compileFacts(r, m, f, configs[i])
		compileJobs(r, m, f, configs[i])
		compileCollectors(r, m, k, rules, f, configs[i].Collectors)
		seeds = append(seeds, readSeeds(r, m, texts, f)...)
	}
	cascades := cascades(m)
	transactions(m, k, cascades)
	served := catalog.New(cmp.Or(source.Vendor, schema.DefaultVendor), m.fronds, m.set, schemaChanges(r, m, opts.Now, source.Fronds, configs), cascades)
	presets(m, k)
	showSurfaces(r, m, served, source.Fronds, configs)
	withoutMany(m, source.Fronds)
	if len(r.faults) == 0 {
		served.Access, served.FactAccess = access.Table(served, k.collected), access.FactTable(served, k.collected)
	}
	addNotes(r, m, k, served, source.Fronds)
	return &Compiled{Catalog: served, Registry: registry, Collectors: k.collected, Presenters: k.presenters, Seeds: seeds}
}

// readConfigs reads the frond.yaml of every Frond.
func readConfigs(r *report, fronds []*project.Frond) []project.Config {
	configs := make([]project.Config, len(fronds))
	for i, f := range fronds {
		checkName(r, fronds, i)
		var faults schema.Faults
		configs[i], faults = project.ReadConfig(f.Config)
		r.faults = append(r.faults, faults...)
	}
	return configs
}

// checkName reports Fronds with the same name, and names that a path cannot hold.
func checkName(r *report, fronds []*project.Frond, i int) {
	f := fronds[i]
	at := cmp.Or(f.Config.File, f.Dir, f.Name)
	if !schema.IsName(f.Name) {
		r.fault(at, "", fmt.Sprintf("%q cannot be the name of a Frond", f.Name), "write a letter, then letters, digits, - or _: catalog")
	}
	for _, other := range fronds[:i] {
		if strings.EqualFold(other.Name, f.Name) {
			r.fault(at, "", fmt.Sprintf("two Fronds are called %s: %s and %s", f.Name, cmp.Or(other.Dir, "the root"), cmp.Or(f.Dir, "the root")), "rename one of them")
		}
	}
}
