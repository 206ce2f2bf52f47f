package diff

import (
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// operationPair is an operation as one surface shows it in both versions; one of them may be
// nil.
type operationPair struct {
	was, is *catalog.Operation
	// rest says that the surface is REST. lost and gained are then the routes of one version
	// that the other has not, else wasAt and isAt are its methods.
	rest         bool
	lost, gained []string
	wasAt, isAt  string
	// conflicts are the new reasons to refuse a write.
	conflicts string
	// until is the last day on which an alias answers the old name; "": none does.
	until string
	// wasRuns and isRuns are where it runs.
	wasRuns, isRuns string
}

// operations compares the operations of REST and of the methods, with their requests and
// results.
func (c *comparison) operations() {
	for _, p := range c.doors() {
		for _, pair := range c.operationsOf(p) {
			pair.wasRuns, pair.isRuns = c.was.runs(pair.was), c.is.runs(pair.is)
			places := c.operation(pair)
			if pair.was == nil || pair.is == nil {
				continue
			}
			c.requests(pair, places)
			c.results(pair, places)
			c.lists(pair, places)
		}
	}
}

// runs is where an operation runs.
func (v *Version) runs(op *catalog.Operation) string {
	if op != nil && slices.Contains(v.Remotes, op.Door.Frond.Name) {
		return elsewhere
	}
	return "here"
}

// operationsOf pairs the operations of two doors by their names.
func (c *comparison) operationsOf(p doorPair) (all []operationPair) {
	if p.was != nil {
		for _, op := range p.was.Operations {
			pair := operationPair{was: op}
			if p.is != nil {
				pair.is = p.is.Operation(op.Name)
			}
			all = append(all, pair)
		}
	}
	if p.is != nil {
		for _, op := range p.is.Operations {
			if p.was == nil || p.was.Operation(op.Name) == nil {
				all = append(all, operationPair{is: op})
			}
		}
	}
	return all
}

// operation compares an operation itself on every surface that shows it, and returns the
// places where both versions have it.
func (c *comparison) operation(pair operationPair) (places []place) {
	for _, kind := range []catalog.Surface{catalog.OnREST, catalog.OnEnvelope} {
		for _, s := range c.surfacesOf(kind) {
			here := pair
			here.was, here.is = shown(c.was.of(s), pair.was), shown(c.is.of(s), pair.is)
			if here.was == nil && here.is == nil {
				continue
			}
			at := place{surface: rpcSurface, audience: audienceOf(s)}
			var was, is []string
			if kind == catalog.OnREST {
				at.surface, here.rest = restSurface, true
				was, is = c.was.of(s).at[keyOr(here.was)], c.is.of(s).at[keyOr(here.is)]
				here.lost, here.gained = without(was, is), without(is, was)
			} else {
				was, is = method(here.was), method(here.is)
				here.wasAt, here.isAt = strings.Join(was, ""), strings.Join(is, "")
			}
			here.conflicts = c.conflicts(here.was, here.is)
			here.until = until(here)
			all := was
			if here.was == nil {
				all = is
			}
			for _, at.at = range all {
				// A route that is gone is where its loss is seen; a rule of the whole operation
				// is seen at each of its routes.
				if here.rest && here.is != nil && here.was != nil && len(here.lost) > 0 && !slices.Contains(here.lost, at.at) {
					one := here
					one.lost = nil
					try(&c.out, operationRules, one, at)
				} else {
					try(&c.out, operationRules, here, at)
				}
				if here.was != nil && here.is != nil {
					places = append(places, at)
				}
			}
		}
	}
	return places
}

// until is the last day on which an alias of the new version answers the old name or path of an
// operation; "" where none does.
func until(p operationPair) string {
	if p.was == nil || p.is == nil {
		return ""
	}
	for _, a := range p.is.Door.Aliases {
		if p.rest && strings.EqualFold(a.Plural, p.was.Door.Plural) && p.is.Door.Frond.Name == p.was.Door.Frond.Name ||
			!p.rest && schema.EntityKey(a.Name) == doorKey(p.was.Door) {
			return a.Day()
		}
	}
	return ""
}

// shown is the operation as a surface shows it; nil where it does not.
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

// keyOr is the key of an operation; "" of nil.
func keyOr(op *catalog.Operation) string {
	if op == nil {
		return ""
	}
	return keyOf(op)
}

// method is how the envelope names an operation; nil of nil.
func method(op *catalog.Operation) []string {
	if op == nil {
		return nil
	}
	return []string{op.Door.Name + "." + op.Name}
}

// without returns the elements of a that are not in b.
func without(a, b []string) (out []string) {
	for _, s := range a {
		if !slices.Contains(b, s) {
			out = append(out, s)
		}
	}
	return out
}

// conflicts names the new reasons to refuse a write of these doors: a constraint of the rows,
// or rows that reference them.
func (c *comparison) conflicts(was, is *catalog.Operation) string {
	if was == nil || is == nil || !is.Builtin || is.Kind != catalog.Command || was.Door.Entity == nil || is.Door.Entity == nil {
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
var operationRules = []rule[operationPair]{
	{
		changeKind{"operation-removed", Breaking, onCalls, "an operation is gone, or hidden on a surface", "keep it and write deprecated: in frond.yaml until no client calls it", ""},
		func(p operationPair) *change {
			return changed(p.is == nil, kindOf(p.was), "")
		},
	},
	{
		changeKind{"operation-kind-changed", Breaking, onCalls, "a query is a command now, or the reverse: its verb, its retries and its access follow the kind", "add an operation of another name, and deprecate this one", ""},
		func(p operationPair) *change {
			return changed(p.was != nil && p.is != nil && p.was.Kind != p.is.Kind, kindOf(p.was), kindOf(p.is))
		},
	},
	{
		changeKind{"rest-path-changed", Breaking, []Surface{restSurface}, "an operation is called by another verb or path", "keep the path with plural: in frond.yaml; frond.lock pins it", ""},
		func(p operationPair) *change {
			if p.was == nil || p.is == nil || !p.rest || len(p.lost) == 0 || p.until != "" {
				return nil
			}
			return &change{"", strings.Join(p.gained, ", ")}
		},
	},
	{
		changeKind{"method-renamed", Breaking, []Surface{rpcSurface}, "a method has another name, since its door has", "keep the name of the entity until its callers use the new one", ""},
		func(p operationPair) *change {
			return changed(p.was != nil && p.is != nil && !p.rest && p.wasAt != p.isAt && p.until == "", p.wasAt, p.isAt)
		},
	},
	{
		changeKind{"old-name-until", Dangerous, onCalls, "an operation has another name or path; the old one is answered until a day (until: under renamed)", "have the callers use the new name before that day", ""},
		func(p operationPair) *change {
			to := p.isAt
			if p.rest {
				to = strings.Join(p.gained, ", ")
			}
			ok := p.until != "" && (p.rest && len(p.lost) > 0 || !p.rest && p.wasAt != p.isAt)
			return changed(ok, "", to+"; the old one until "+p.until)
		},
	},
	{
		changeKind{"result-cardinality-changed", Breaking, onCalls, "an operation answers another number of values", "add an operation of another name", ""},
		func(p operationPair) *change {
			ok := p.was != nil && p.is != nil && p.was.Cardinality != p.is.Cardinality && !(p.was.Cardinality == catalog.Maybe && p.is.Cardinality == catalog.One)
			return changed(ok, cardinality(p.was), cardinality(p.is))
		},
	},
	{
		changeKind{"result-cardinality-narrowed", safe, onCalls, "an operation that could answer null always answers a value", "no action needed", ""},
		func(p operationPair) *change {
			ok := p.was != nil && p.is != nil && p.was.Cardinality == catalog.Maybe && p.is.Cardinality == catalog.One
			return changed(ok, cardinality(p.was), cardinality(p.is))
		},
	},
	{
		changeKind{"operation-may-conflict", Dangerous, onCalls, "a write may be refused with CONFLICT for a constraint or a reference that is new", "have the callers handle 409", ""},
		func(p operationPair) *change {
			return changed(p.conflicts != "", "", p.conflicts)
		},
	},
	{
		changeKind{"operation-moved", Dangerous, onCalls, "the operation runs in another process, or here again, with or without SERVICE_UNAVAILABLE, GATEWAY_TIMEOUT and transactions over several doors", "have the callers handle 503 and 504", ""},
		func(p operationPair) *change {
			return changed(p.was != nil && p.is != nil && p.wasRuns != p.isRuns, p.wasRuns, p.isRuns)
		},
	},
	{
		changeKind{"operation-added", safe, onCalls, "an operation is new, or new on a surface", "no action needed", ""},
		func(p operationPair) *change {
			return changed(p.was == nil, "", kindOf(p.is))
		},
	},
	{
		changeKind{"operation-deprecated", safe, onCalls, "the deprecation of an operation has changed", "no action needed", ""},
		func(p operationPair) *change {
			if p.was == nil || p.is == nil {
				return nil
			}
			return changed(p.was.Deprecated != p.is.Deprecated, p.was.Deprecated, p.is.Deprecated)
		},
	},
}

// kindOf is the kind of an operation; "" of nil.
func kindOf(op *catalog.Operation) string {
	if op == nil {
		return ""
	}
	return string(op.Kind)
}

// cardinality is that of an operation; "" of nil.
func cardinality(op *catalog.Operation) string {
	if op == nil {
		return ""
	}
	return string(op.Cardinality)
}
