package diff

import (
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// shownOperation is an operation as one surface shows it.
type shownOperation struct {
	*catalog.Operation
	rest bool     // the surface is REST
	at   []string // its routes, or its method
	runs string   // where it runs
	// Of the new version: lost are the places of the old one that it does not have, gained those
	// that are new.
	lost, gained []string
	// conflicts are the new reasons to refuse a write.
	conflicts string
	// until is the last day on which an alias answers the old name, or "".
	until string
}

// operations compares the operations of REST and of the methods, with their requests and
// results.
func (c *comparison) operations() {
	for _, p := range c.doors() {
		for _, ops := range operationsOf(p) {
			places := c.operation(ops)
			if ops.was == nil || ops.is == nil {
				continue
			}
			c.requests(ops, places)
			c.results(ops, places)
			c.lists(ops, places)
		}
	}
}

// operationsOf pairs the operations of two doors by their names.
func operationsOf(p pair[catalog.Door]) []pair[catalog.Operation] {
	of := func(d *catalog.Door) []*catalog.Operation {
		if d == nil {
			return nil
		}
		return d.Operations
	}
	return pairUp(of(p.was), of(p.is), func(op *catalog.Operation) *catalog.Operation {
		if p.is == nil {
			return nil
		}
		return p.is.Operation(op.Name)
	})
}

// operation compares an operation itself on every surface that shows it, and returns the
// places where both versions have it.
func (c *comparison) operation(ops pair[catalog.Operation]) (places []place) {
	for _, kind := range []catalog.Surface{catalog.OnREST, catalog.OnEnvelope} {
		surface := restSurface
		if kind == catalog.OnEnvelope {
			surface = rpcSurface
		}
		for _, s := range c.surfacesOf(kind) {
			p := pair[shownOperation]{c.was.shownOn(s, ops.was), c.is.shownOn(s, ops.is)}
			if p.was == nil && p.is == nil {
				continue
			}
			var lost []string
			if p.was != nil && p.is != nil {
				lost = without(p.was.at, p.is.at)
				p.is.gained = without(p.is.at, p.was.at)
				p.is.conflicts = c.conflicts(ops.was, ops.is)
				p.is.until = until(p)
			}
			for _, at := range p.either().at {
				here := place{surface: surface, at: at, audience: audienceOf(s)}
				if p.was != nil && p.is != nil {
					places = append(places, here)
					// A route that is gone is where its loss is seen; a rule of the whole operation
					// is seen at each of its routes.
					if p.is.lost = lost; !slices.Contains(lost, at) {
						p.is.lost = nil
					}
				}
				try(&c.out, operationRules, p, here)
			}
		}
	}
	return places
}

// shownOn is an operation as a surface shows it, or nil.
func (v *Version) shownOn(s catalog.Surface, op *catalog.Operation) *shownOperation {
	out := &shownOperation{Operation: shown(v.of(s), op), rest: s.Kind() == catalog.OnREST, runs: "here"}
	if out.Operation == nil {
		return nil
	}
	if out.at = v.of(s).at[keyOf(op)]; !out.rest {
		out.at = []string{op.Door.Name + "." + op.Name}
	}
	if slices.Contains(v.Remotes, op.Door.Frond.Name) {
		out.runs = elsewhere
	}
	return out
}

// until is the last day on which an alias of the new version answers the old name or path of an
// operation, or "".
func until(p pair[shownOperation]) string {
	was, is := p.was.Door, p.is.Door
	for _, a := range is.Aliases {
		if p.is.rest && strings.EqualFold(a.Plural, was.Plural) && is.Frond.Name == was.Frond.Name ||
			!p.is.rest && schema.EntityKey(a.Name) == doorKey(was) {
			return a.Day()
		}
	}
	return ""
}

// shown is the operation as a surface shows it, or nil.
func shown(s *surface, op *catalog.Operation) *catalog.Operation {
	if op == nil {
		return nil
	}
	d := s.view.Door(op.Door.Name)
	if d == nil {
		return nil
	}
	return d.Operation(op.Name)
}

// conflicts names the new reasons to refuse a write of these doors: a constraint of the rows,
// or rows that reference them.
func (c *comparison) conflicts(was, is *catalog.Operation) string {
	if !is.Builtin || is.Kind != catalog.Command || was.Door.Entity == nil || is.Door.Entity == nil {
		return ""
	}
	if is.Name == "delete" {
		before := c.references(c.was, was.Door.Entity)
		return strings.Join(without(c.references(c.is, is.Door.Entity), before), "; ")
	}
	var added []string
	for _, u := range without(c.uniquesOf(is.Door.Entity, false), c.uniquesOf(was.Door.Entity, true)) {
		added = append(added, "unique "+u)
	}
	return strings.Join(added, "; ")
}

// references are the fields that hold ids of an entity's rows and keep them from being deleted,
// "referenced by line.orderId", in the names of the new version.
func (c *comparison) references(v *Version, to *schema.Entity) (all []string) {
	for _, e := range v.tables() {
		for _, p := range e.Fields {
			l := p.Link
			if l == nil || l.Many || l.Target != to || p.Axes.Relation.OnDelete == "cascade" || p.Axes.Relation.OnDelete == schema.SetNull {
				continue
			}
			entity, field := e.Key, p.Name
			if v == c.was {
				entity, field = c.pair.newName(e.Key), c.pair.newField(e, p.Name)
			}
			all = append(all, "referenced by "+entity+"."+field)
		}
	}
	return all
}

// uniquesOf are the unique constraints of an entity as texts, "tenantId, number"; with renamed
// in the names of the new version.
func (c *comparison) uniquesOf(e *schema.Entity, renamed bool) (all []string) {
	for _, members := range e.Uniques {
		names := make([]string, len(members))
		for i, p := range members {
			if names[i] = p.Name; renamed {
				names[i] = c.pair.newField(e, p.Name)
			}
		}
		slices.Sort(names)
		all = append(all, strings.Join(names, ", "))
	}
	return all
}

// operationRules are tried on every operation that REST or the envelope shows.
var operationRules = []rule[pair[shownOperation]]{
	{changeKind{"operation-removed", Breaking, onCalls, "an operation is gone, or hidden on a surface", "keep it and write deprecated: in frond.yaml until no client calls it", ""}, gone(kindOf)},
	{changeKind{"operation-kind-changed", Breaking, onCalls, "a query is a command now, or the reverse, with its verb, retries and access", "add an operation of another name, and deprecate this one", ""}, differs(kindOf)},
	{changeKind{"rest-path-changed", Breaking, onREST, "an operation is called by another verb or path", "keep the path with plural: in frond.yaml; frond.lock pins it", ""}, both(func(_, is *shownOperation) *change {
		return changed(is.rest && len(is.lost) > 0 && is.until == "", "", strings.Join(is.gained, ", "))
	})},
	{changeKind{"method-renamed", Breaking, onRPC, "a method has the new name of its door", "keep the name of the entity until its callers use the new one", ""}, both(func(_, is *shownOperation) *change {
		return changed(!is.rest && len(is.lost) > 0 && is.until == "", strings.Join(is.lost, ", "), strings.Join(is.gained, ", "))
	})},
	{changeKind{"old-name-until", Dangerous, onCalls, "an operation has another name or path; the old one is answered until a day (until: under renamed)", "have the callers use the new name before that day", ""}, both(func(_, is *shownOperation) *change {
		return changed(is.until != "" && len(is.lost) > 0, "", strings.Join(is.gained, ", ")+"; the old one until "+is.until)
	})},
	{changeKind{"result-cardinality-changed", Breaking, onCalls, "an operation answers another number of values", "add an operation of another name", ""}, turned(func(was, is *shownOperation) bool {
		return was.Cardinality != is.Cardinality && !alwaysAnswers(was, is)
	}, cardinality)},
	{changeKind{"result-cardinality-narrowed", safe, onCalls, "an operation no longer answers null", noAction, ""}, turned(alwaysAnswers, cardinality)},
	{changeKind{"operation-may-conflict", Dangerous, onCalls, "a write may be CONFLICT for a new constraint or reference", "have the callers handle 409", ""}, both(func(_, is *shownOperation) *change { return changed(is.conflicts != "", "", is.conflicts) })},
	{changeKind{"operation-moved", Dangerous, onCalls, "the operation runs in another process, or here again, with or without SERVICE_UNAVAILABLE, GATEWAY_TIMEOUT and transactions over several doors", "have the callers handle 503 and 504", ""}, differs(func(op *shownOperation) string { return op.runs })},
	{changeKind{"operation-added", safe, onCalls, "an operation is new, or new on a surface", noAction, ""}, added(kindOf)},
	{changeKind{"operation-deprecated", safe, onCalls, "the deprecation of an operation has changed", noAction, ""}, differs(func(op *shownOperation) string { return op.Deprecated })},
}

func kindOf(op *shownOperation) string { return string(op.Kind) }

func cardinality(op *shownOperation) string { return string(op.Cardinality) }

// alwaysAnswers reports whether an operation that could answer null has become one that always
// answers a value.
func alwaysAnswers(was, is *shownOperation) bool {
	return was.Cardinality == catalog.Maybe && is.Cardinality == catalog.One
}
