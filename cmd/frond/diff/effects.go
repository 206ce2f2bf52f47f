package diff

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// The rights of single callers are compared over the rows of a store. The store counts them: a caller gains the rows that meet the
// new rule and not the old one.

// Caller is a caller whose rights are compared.
type Caller struct {
	Name  string
	State access.State
}

// effectRules are tried on every caller and every door.
var effectRules = []rule[*Rights]{
	{changeKind{"access-caller-gains", Dangerous, onAccess, "a caller gains rows, fields or operations of a store", wasClosed, ""}, func(e *Rights) *change {
		return changed(e.gains(), "", e.text())
	}},
	{changeKind{"access-caller-loses", Breaking, onAccess, "a caller loses rows, fields or operations of a store", wasOpen, ""}, func(e *Rights) *change {
		return changed(!e.gains(), "", e.text())
	}},
}

// effects compares the rights of callers over the rows of one store.
type effects struct {
	*comparison
	f     *facade.Facade
	known map[string]tally // by the two conditions
	out   []Finding
	notes []string
}

// tally is the answer of the store for two conditions of a door.
type tally struct {
	rows RowsEffect
	both int64 // rows that meet both
}

// mostExamples is the number of keys that are named.
const mostExamples = 5

// Effects adds the effects on callers to a report of was and is. f is one of the two versions over the store that the other one is going to
// serve or has served. Nothing is written. Doors and filters that the store cannot count are notes.
func (r *Report) Effects(ctx context.Context, was, is *Version, f *facade.Facade, callers []Caller) error {
	if max(was.Form, is.Form) != wholeProject {
		return fmt.Errorf("rights are compared over rows of two folders; a bundle and a host have no access rules")
	}
	c := &comparison{was: was, is: is, pair: newPairing(was.catalog.Set, is.catalog.Set, is.changes.Renamed)}
	x := &effects{comparison: c, f: f, known: map[string]tally{}}
	for _, p := range c.doors() {
		for i := range callers {
			if err := x.compare(ctx, p, &callers[i]); err != nil {
				return err
			}
		}
	}
	all := findings{all: append(r.Findings, x.out...)}
	r.Findings, r.Notes = all.merged(), append(r.Notes, x.notes...)
	return nil
}

// side is a door for a caller in one version.
type side struct {
	*Version
	door  *catalog.Door // nil: the version has none
	scope access.Scope
	rows  *filter.Filter // over the cards of the store; holds for no row where list is refused
}

// compare adds the effect on one caller of one door.
func (x *effects) compare(ctx context.Context, p pair[catalog.Door], caller *Caller) error {
	sides := [2]side{{Version: x.was, door: p.was}, {Version: x.is, door: p.is}}
	e := &Rights{Caller: caller.Name, Door: p.either().Name, Fields: []FieldEffect{}, Operations: OperationsEffect{[]string{}, []string{}}}
	e.Rows.Examples = ExampleTexts{[]string{}, []string{}}
	entity := x.stored(p)
	for i := range sides {
		if missing := x.scoped(ctx, &sides[i], caller); missing != nil {
			x.note(fmt.Sprintf("%s for %s: rows are not counted: the store has no %s.%s yet", e.Door, caller.Name, missing.Owner.Name, missing.Name))
			entity = nil
		}
	}
	x.operations(ctx, sides, caller, e)
	if entity != nil {
		fields := x.fields(p, sides)
		n, err := x.count(ctx, entity, sides[0].rows, sides[1].rows, len(fields) > 0)
		if err != nil {
			if ctx.Err() != nil || kiterror.CodeOf(err) == kiterror.ServiceUnavailable && len(x.known) == 0 {
				return err
			}
			x.note(fmt.Sprintf("%s for %s: rows are not counted: %s", e.Door, caller.Name, kiterror.AsError(err).Message))
		}
		e.Rows = n.rows
		for _, f := range fields {
			if f.Rows = n.both; n.both > 0 {
				e.Fields = append(e.Fields, f)
			}
		}
	}
	if e.text() == "" {
		return nil
	}
	var out findings
	try(&out, effectRules, e, place{surface: accessSurface, at: e.Door, member: caller.Name})
	for i := range out.all {
		out.all[i].Rights = e
	}
	x.out = append(x.out, out.all...)
	return nil
}

func (x *effects) note(text string) {
	if !slices.Contains(x.notes, text) {
		x.notes = append(x.notes, text)
	}
}

// stored returns the entity of a door in the store; nil: its rows are not there.
func (x *effects) stored(p pair[catalog.Door]) *schema.Entity {
	for _, d := range []*catalog.Door{p.was, p.is} {
		if d == nil {
			continue
		}
		if d.Entity == nil || d.Entity.Primary == nil {
			return nil
		}
		if d.Frond.Remote != "" {
			x.note(d.Name + ": rows are not counted: they are kept by another host")
			return nil
		}
	}
	if e := p.either().Entity; x.entity(e.Key) != nil {
		return x.entity(e.Key)
	}
	return nil
}

// entity returns the entity of the store by its key in either version.
func (x *effects) entity(key string) *schema.Entity {
	for _, k := range []string{key, x.pair.newName(key), x.pair.oldName(key)} {
		if e := x.f.Catalog().Set.Entity(k); e != nil {
			return e
		}
	}
	return nil
}

// field returns the field of the store for a field of either version.
func (x *effects) field(p *schema.Property) *schema.Property {
	e := x.entity(p.Owner.Key)
	if e == nil {
		return nil
	}
	if found := e.Property(x.pair.newField(p.Owner, p.Name)); found != nil {
		return found
	}
	for from, to := range x.pair.field[x.pair.oldName(p.Owner.Key)] {
		if to == p.Name {
			return e.Property(from)
		}
	}
	return e.Property(p.Name)
}

// scoped asks the rules of a side about a list of the caller. It returns the field of its condition that the store does not have.
func (x *effects) scoped(ctx context.Context, s *side, caller *Caller) (missing *schema.Property) {
	if s.rows = filter.Nothing(); s.door == nil {
		return nil
	}
	scope, may := s.may(ctx, s.door.Reading(), caller)
	if s.scope = scope; may && s.door.Operation("list") != nil {
		s.rows, missing = scope.Rows.Moved(x.field)
	}
	return missing
}

// may returns the scope of an operation for a caller; false: the rules refuse it.
func (v *Version) may(ctx context.Context, op *catalog.Operation, caller *Caller) (access.Scope, bool) {
	collector := v.collectors[op.Door]
	if collector == nil {
		return access.Scope{}, true
	}
	scope, err := access.ScopeOf(ctx, collector, time.Now, caller.State, op.Door, op)
	return scope, err == nil
}

// operations adds the operations that the caller gains and loses. An operation with the rights of others is left out beside these.
func (x *effects) operations(ctx context.Context, sides [2]side, caller *Caller, e *Rights) {
	may := func(s side, name string) bool {
		if s.door == nil || s.door.Operation(name) == nil {
			return false
		}
		_, may := s.may(ctx, s.door.Operation(name), caller)
		return may
	}
	for i, list := range []*[]string{&e.Operations.Lost, &e.Operations.Gained} {
		if sides[i].door == nil {
			continue
		}
		for _, op := range sides[i].door.Operations {
			named := func(other *catalog.Operation) bool { return slices.Contains(*list, other.Name) }
			if op.Name != "findByIds" && may(sides[i], op.Name) && !may(sides[1-i], op.Name) && !slices.ContainsFunc(op.Needs, named) {
				*list = append(*list, op.Name)
			}
		}
	}
}

// fields returns the fields of both versions that one side alone shows.
func (x *effects) fields(p pair[catalog.Door], sides [2]side) (all []FieldEffect) {
	if p.was == nil || p.is == nil {
		return nil
	}
	shows := func(s *side, name string) bool {
		if f := s.door.Entity.Property(name); f != nil {
			return s.scope.Readable(f)
		}
		hidden := func(f *schema.Property) bool { return !s.scope.Readable(f) }
		return !s.scope.Hides(name) && !slices.ContainsFunc(s.door.ComputedField(name).Inputs, hidden)
	}
	for _, name := range p.was.FieldNames() {
		to := x.pair.newField(p.was.Entity, name)
		if !has(p.is, to) {
			continue
		}
		if was, is := shows(&sides[0], name), shows(&sides[1], to); was != is {
			all = append(all, FieldEffect{Field: to, Gained: is})
		}
	}
	return all
}

// count asks the store for the rows that meet one of two conditions alone, and with both for those that meet both.
func (x *effects) count(ctx context.Context, e *schema.Entity, was, is *filter.Filter, both bool) (n tally, err error) {
	n.rows.Examples = ExampleTexts{[]string{}, []string{}}
	texts := [2]string{string(was.AppendJSON(nil)), string(is.AppendJSON(nil))}
	key := fmt.Sprint(e.Key, both, texts)
	if known, is := x.known[key]; is {
		return known, nil
	}
	if texts[0] != texts[1] {
		if n.rows.Gained, n.rows.Examples.Gained, err = x.find(ctx, e, except(is, was)); err == nil {
			n.rows.Lost, n.rows.Examples.Lost, err = x.find(ctx, e, except(was, is))
		}
	}
	if both && err == nil {
		n.both, _, err = x.find(ctx, e, filter.Both(was, is))
	}
	if err == nil {
		x.known[key] = n
	}
	return n, err
}

// except returns the condition of the rows that meet a and not b.
func except(a, b *filter.Filter) *filter.Filter {
	if b == nil {
		return filter.Nothing()
	}
	return filter.Both(a, &filter.Filter{Op: filter.Not, Sub: []*filter.Filter{b}})
}

// find counts the rows that meet a condition, and returns the keys of the first ones.
func (x *effects) find(ctx context.Context, e *schema.Entity, where *filter.Filter) (n int64, keys []string, err error) {
	keys = []string{}
	if where.Never() {
		return 0, keys, nil
	}
	key := e.Primary.Name
	found, err := x.f.Store().Find(ctx, &facade.Find{Entity: e, Select: rows.NewLayout([]string{key}), Where: where, Sort: []facade.SortKey{{Field: e.Primary}}, Limit: mostExamples, Count: true})
	if err != nil {
		return 0, keys, err
	}
	for i := range found.Rows.Len() {
		value := found.Rows.Row(i).Get(key)
		text := string(value)
		if jsontext.KindOf(value) == jsontext.String {
			text = jsontext.Unquote(value)
		}
		keys = append(keys, text)
	}
	return found.Total, keys, nil
}
