// Package compile makes the catalog of a project. It reports all faults of a project at once, each
// with its file, the place in it and a remedy.
package compile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// Options of [Project]; nil is fine.
type Options struct {
	// List is how many rows a page holds where a door's frond.yaml does not say;
	// the zero value is 50, at most 500.
	List project.ListLimits
	// Unregistered receives each generator and conversion that a card names without a
	// registration, which is then no fault: for those who look at a project that another
	// program runs. A call that needs one fails.
	Unregistered func(schema.Fault)
	// Incomplete says that there are unknown remotes: relations may name their entities, and
	// appear when the entities do.
	Incomplete bool
	// CloseUndecided shows the doors of remotes without access rules and without the word open on no
	// surface, and notes them.
	CloseUndecided bool
	// User says which members of user rules may name.
	User access.UserMembers
	// Now is the clock of aliases; nil is time.Now.
	Now func() time.Time
}

// Project compiles a project. The error is [schema.Faults]: every fault of every file and of everything
// attached, at once. p is not changed and can be compiled again.
func Project(p *facade.Project, opts *Options) (*facade.Compiled, error) {
	if opts == nil {
		opts = &Options{}
	}
	r := &report{}
	out := compile(r, p, opts)
	if len(r.faults) > 0 {
		slices.SortStableFunc(r.faults, func(x, y schema.Fault) int { return strings.Compare(x.File, y.File) })
		return nil, r.faults
	}
	return out, nil
}

// Usable reports why no project can make a Frond of a discovery document: its cards contradict
// themselves, or have illegal names. nil means that a project can. from is the origin of the
// document, for messages.
func Usable(d *schema.DiscoveredFrond, from string) error {
	src := project.Discovered(d, from)
	src.Remote = from
	p := &facade.Project{Fronds: []*project.Frond{src}, Registry: schema.Builtins()}
	_, err := Project(p, &Options{Incomplete: true, Unregistered: func(schema.Fault) {}})
	return err
}

// compile makes the catalog, in the order in which one thing needs another: cards, doors
// with their operations, what links them, computed fields, attached Go code, what remotes
// say of themselves, facts, collectors, and last the runner of each operation. It returns nil where
// cards are at fault, since everything later needs the entities.
func compile(r *report, source *facade.Project, opts *Options) *facade.Compiled {
	registry := cmp.Or(source.Registry, schema.Builtins())
	texts := convertSeeds(source.Fronds)
	defer texts.beside.Wait()
	configs, beside := readConfigs(r, source.Fronds)
	set := compileCards(r, source, configs, registry, opts)
	if set == nil {
		return nil // without entities there are no doors to go on with
	}
	m := &model{set: set, doors: map[string]*catalog.Door{}, incomplete: opts.Incomplete}
	k := newBindings(registry)
	for i, f := range source.Fronds {
		searches(r, m, f, configs[i])
	}
	for _, b := range beside {
		searchesOff(r, m, b.src, b.config.Search)
	}
	doors := doorBuilder{report: r, model: m, limits: opts.List.Or(project.ListLimits{Default: 50, Max: 500}), listCards: map[queryCard]*schema.Entity{}, rowCards: map[string]*schema.Entity{}, idCards: map[idCard]*schema.Entity{}, ownCards: map[*catalog.Door]*schema.Entity{}}
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
	for _, b := range beside {
		computedFields(r, m, k, b.src, b.config.Computed)
		deprecate(r, m, b.src, b.config.Doors)
	}
	attach(r, m, k, source)
	closeAggregates(m)
	for _, f := range source.Fronds {
		fitToDiscovery(r, m, k, f)
	}
	for i, f := range source.Fronds {
		checkTables(r, m, f, configs[i].Tables)
		compileFacts(r, m, f, configs[i])
		compileJobs(r, m, f, configs[i])
		k.Seeds = append(k.Seeds, readSeeds(r, m, texts, f)...)
	}
	compileRules(r, m, k, &access.Compiler{Fronds: m.fronds, User: opts.User, Fault: r.fault, Advise: r.advise}, source.Fronds, configs, beside)
	cascades := cascades(m)
	transactions(m, k, cascades)
	served := catalog.New(cmp.Or(source.Vendor, schema.DefaultVendor), m.fronds, m.set, schemaChanges(r, m, clockOf(opts), source.Fronds, configs), cascades)
	presets(m, k)
	actors(m, k)
	showSurfaces(r, m, served, k, source.Fronds, configs, beside, opts.CloseUndecided)
	withoutMany(m, source.Fronds)
	if len(r.faults) == 0 {
		served.Access, served.FactAccess = access.Table(served, k.Collectors), access.FactTable(served, k.Collectors)
	}
	addNotes(r, m, k, served, source.Fronds)
	k.Catalog = served
	return k.Compiled
}

// clockOf returns the clock of a compilation.
func clockOf(opts *Options) func() time.Time {
	if opts.Now != nil {
		return opts.Now
	}
	return time.Now
}

// compileRules compiles the access rules of every Frond, and those beside the cards of remotes.
func compileRules(r *report, m *model, k *bindings, rules *access.Compiler, fronds []*project.Frond, configs []project.Config, beside []beside) {
	for i, f := range fronds {
		compileCollectors(r, m, k, rules, f, configs[i].Collectors)
	}
	for _, b := range beside {
		openFacts(r, m, b.src, b.config.OpenFacts)
		compileCollectors(r, m, k, rules, b.src, b.config.Collectors)
	}
}

// readConfigs reads the frond.yaml of every Frond, and of remotes the one beside their cards.
func readConfigs(r *report, fronds []*project.Frond) (configs []project.Config, all []beside) {
	configs = make([]project.Config, len(fronds))
	for i, f := range fronds {
		checkName(r, fronds, i)
		var faults schema.Faults
		configs[i], faults = project.ReadConfig(f.Config)
		r.faults = append(r.faults, faults...)
		if f.Beside.File == "" {
			continue
		}
		config, faults := project.ReadBeside(f.Beside)
		if r.faults = append(r.faults, faults...); len(f.Cards) == 0 && f.Known == nil {
			continue // there are no doors until the remote is discovered
		}
		src := *f
		src.Config = f.Beside
		all = append(all, beside{i, &src, config})
	}
	return configs, all
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
