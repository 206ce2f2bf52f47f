package gateway

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/explain"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/facade/rehearse"
	"github.com/frondhost/frond/facade/remote"
	"github.com/frondhost/frond/gateway/identity"
	"github.com/frondhost/frond/schema"
)

// compileFirst makes the first façade, over the store that own or the settings name; faults are
// the settings' faults. The error has all faults at once. The store is not open yet.
func (h *Host) compileFirst(own facade.Store, as opening, faults schema.Faults) (f *facade.Facade, complete bool, err error) {
	var unusable error
	if own != nil || len(faults) == 0 {
		h.store, unusable = storeOf(own, &h.config, h.log, as.serves, h.telemetry.Statements())
		h.ways.outbox, h.ways.shared = h.store.can.Outbox, h.config.shared(own)
		h.feeds.copies, h.schedule.values = h.store.can.Copies, h.store.can.KeyValues
		if as.serves {
			h.feeds.outbox = h.store.can.Outbox
		}
		if as.serves && h.store.can.KeyValues != nil {
			h.advice = explain.NewWatch(h.store.can.KeyValues, h.log)
		}
	}
	f, complete, err = h.compile()
	if err == nil && unusable == nil {
		if as.serves && as.migrate == nil {
			faults = append(faults, h.ways.plan(f.Catalog())...)
		}
		faults = append(faults, h.withoutTables(f)...)
		if as.serves && as.migrate == nil {
			unusable = openFiles(h, f)
		}
	}
	if err = errors.Join(faults.Err(), as.elsewhere, err, unusable); err != nil && h.store.close != nil {
		err = errors.Join(err, h.store.close())
	}
	return f, complete, err
}

// Replace puts another project in the place of the one that runs; requests under way
// finish on the old one. Settings and the store stay the same. The error is as of [Open],
// and leaves everything as it was.
func (h *Host) Replace(ctx context.Context, project *facade.Project) error {
	h.renewing.Lock()
	defer h.renewing.Unlock()
	old := h.project
	if h.config.Vendor != "" {
		project.Vendor = h.config.Vendor
	}
	h.project = project
	err := h.renew(ctx, true)
	if err != nil {
		h.project = old
	}
	return err
}

// renew compiles a façade of the known catalogs and puts it in the place of the old one, after
// the surfaces over it are built. With seeds, it first writes the seeds of entities without
// rows, as a start does. The caller holds h.renewing.
func (h *Host) renew(ctx context.Context, seeds bool) error {
	f, _, err := h.compile() //nolint:contextcheck // compiling a project waits for nothing
	take := func() {}
	if err == nil && h.swap != nil {
		take, err = h.swap(f)
	}
	if err == nil {
		err = h.prepare(ctx, f)
	}
	if err == nil {
		err = openFiles(h, f)
	}
	if err == nil && seeds {
		err = h.seed(ctx, f)
	}
	if err == nil {
		take()
		h.compiled.Store(f)
		h.feeds.relay(f.Catalog())     //nolint:contextcheck // Close ends it
		h.schedule.follow(f.Catalog()) //nolint:contextcheck // Close ends it
	}
	return err
}

// compile makes a façade of the project with its Fronds local or remote, as far as that is
// known. complete is false if generators or conversions are missing in this program.
func (h *Host) compile() (f *facade.Facade, complete bool, err error) {
	complete = true
	unregistered := h.options.Unregistered
	if unregistered != nil {
		unregistered = func(f schema.Fault) {
			complete = false
			h.options.Unregistered(f)
		}
	}
	clients := h.topology.Clients()
	watch := h.telemetry.Calls()
	f, err = h.topology.WithoutClaims(func() (*facade.Facade, error) {
		source, incomplete := h.topology.Project(h.served(h.project))
		options := h.compileOptions()
		options.Unregistered, options.Incomplete = unregistered, incomplete || h.options.Incomplete
		// A start is refused; a door that its remote adds later is left out.
		options.CloseUndecided = h.compiled.Load() != nil && h.frond == "" && !h.options.Undecided && !h.Development()
		compiled, err := compile.Project(source, options)
		if err != nil {
			return nil, err
		}
		var made *facade.Facade
		made, err = facade.New(compiled, h.advice.Store(h.store.Store), &facade.Options{
			Middleware: watch.Middleware(h.shadows.copies.Middleware(h.options.Middleware, compiled.Catalog)),
			Rehearse:   rehearse.Middleware(func() *facade.Facade { return made }),
			Remotes:    remote.New(clients),
			Position:   h.feeds.position,
			Suggest:    h.Development(),
		})
		return made, err
	})
	if err == nil {
		err = errors.Join(h.undecided(f.Catalog()), h.ways.check(f.Catalog()))
	}
	if err == nil {
		h.note("a part of a card or a remote is ignored", f.Catalog().Notes)
		h.note("an old name is not answered any more", f.Catalog().Ended)
		h.topology.Bind(clients, f.Catalog())
		h.telemetry.Remotes(clients, func(frond string) string { return h.config.Remotes[frond].URL })
		watch.Bind(f.Catalog())
		h.compileShadow()
	}
	return f, complete, err
}

// compileOptions are the options of every façade of the host.
func (h *Host) compileOptions() *compile.Options {
	return &compile.Options{
		List: project.ListLimits{Default: h.config.Limits.List.Default, Max: h.config.Limits.List.Max}, User: h.userMembers(),
	}
}

// served returns p with the Fronds that a receiver does not serve elsewhere.
func (h *Host) served(p *facade.Project) *facade.Project {
	if h.frond == "" {
		return p
	}
	own := *p
	own.Fronds = make([]*project.Frond, len(p.Fronds))
	for i, src := range p.Fronds {
		if src.Name != h.frond {
			moved := *src
			moved.Remote, src = catalog.Elsewhere, &moved
		}
		own.Fronds[i] = src
	}
	return &own
}

// userMembers are the members of state.user: tokens have these alone, and the header of development
// may have others. A receiver gets the user of another host, and a session of Go code its own.
func (h *Host) userMembers() access.UserMembers {
	id := &h.config.Identity
	if h.frond != "" || h.options.Session != nil || id.Anonymous() {
		return access.UserMembers{}
	}
	return access.UserMembers{Names: identity.Members(), Open: id.Dev}
}

// maxNoted is how many notes one compile logs: a remote may cause any number of them.
const maxNoted = 100

// note logs notes on cards and remotes, each once.
func (h *Host) note(message string, notes []schema.Fault) {
	if h.noted == nil {
		h.noted = map[string]bool{}
	}
	for i, note := range notes {
		if i == maxNoted {
			h.log.Warn("more: "+message, "notes", len(notes)-i)
			break
		}
		if text := note.Error(); !h.noted[text] {
			h.noted[text] = true
			h.log.Warn(message, "note", text)
		}
	}
}

// undecided reports, as faults, the doors that have no collector and are not declared
// open. In development they are logged once and are no error (docs/decisions/access-rules.md).
func (h *Host) undecided(c *catalog.Catalog) error {
	if h.options.Undecided {
		return nil
	}
	table := slices.Concat(c.Access, c.FactAccess)
	if h.frond != "" { // a receiver serves its complete Frond
		table = slices.DeleteFunc(table, func(a catalog.Access) bool { return !strings.EqualFold(a.Frond, h.frond) })
		for i := range table {
			table[i].Surfaces = []catalog.Surface{catalog.OnEnvelope}
		}
	}
	faults := catalog.Undecided(table)
	if !h.Development() || len(faults) == 0 {
		return faults.Err()
	}
	h.warned.Do(func() {
		for _, f := range faults {
			h.log.Warn("a door is open; mode: production does not start so", "file", f.File, "says", f.Message, "write", f.Remedy)
		}
	})
	return nil
}

// mapped reports whether frond.yaml maps an entity whose rows are kept here to a table that
// another program made.
func (h *Host) mapped(f *facade.Facade) bool {
	return slices.ContainsFunc(here(f.Catalog()), func(e *schema.Entity) bool { return e.Table != nil })
}

// openFiles opens the storage of files where a field holds them.
func openFiles(h *Host, f *facade.Facade) error {
	err := h.files.open(&h.config, h.options.Store != nil, h.compiled.Load, f.Catalog(), h.budget, h.log)
	if kept := h.files.Load(); err == nil && kept != nil {
		h.schedule.sweep = kept.Job()
	}
	return err
}

// withoutTables are the faults of facts and jobs that no store keeps: the rows are in another program's
// SQLite database, in which this one makes no tables (docs/decisions/outbox.md).
func (h *Host) withoutTables(f *facade.Facade) (faults schema.Faults) {
	_, memory, err := h.config.storeFile() // an error: it is on PostgreSQL, or open reports it
	foreign := h.options.Store == nil && !memory && err == nil && h.mapped(f)
	faults = h.schedule.storeFaults(f.Catalog(), foreign)
	if !foreign {
		return faults
	}
	for d := range f.Catalog().Doors() {
		for _, file := range d.Files {
			faults = append(faults, schema.Fault{
				File: d.Frond.File, Pointer: "/files", Message: fmt.Sprintf("%s.%s cannot hold files: its rows are in another program's SQLite database, in which this program makes no tables", d.Name, file.Field.Name),
				Remedy: "leave it out, or copy the rows into a store of this program",
			})
		}
	}
	for fact := range f.Catalog().Facts() {
		if fact.Frond.Remote == "" && (fact.On != nil || fact.Changes) {
			faults = append(faults, schema.Fault{
				File: "fronds/" + fact.Frond.Name + "/frond.yaml", Pointer: "/facts",
				Message: fmt.Sprintf("the fact %s cannot be kept: its rows are in another program's SQLite database, in which this program makes no tables", fact.Name),
				Remedy:  "leave the fact out, or copy the rows into a store of this program",
			})
		}
	}
	return faults
}
