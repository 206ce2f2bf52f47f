package facade

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// The rows that point at a deleted row may be kept elsewhere. No foreign key does what onDelete says of them: the host in front of
// both does (docs/remotes.md).
//
//	restrict   CONFLICT, before the row is deleted
//	set null   the key is emptied once the row is deleted
//	cascade    they are deleted once the row is deleted

// pointing returns, by entity, the relations of rows of another place than the rows of the entity.
func pointing(c *catalog.Catalog) map[*schema.Entity][]*schema.Property {
	all := map[*schema.Entity][]*schema.Property{}
	for _, e := range c.Set.Entities {
		for _, p := range e.Fields {
			if l := p.Link; l == nil || !p.Stored || l.Many || !catalog.Apart(c.Fronds, l) || c.RemoteOf(e) == catalog.Elsewhere || c.RemoteOf(l.Target) == catalog.Elsewhere {
				continue
			}
			all[p.Link.Target] = append(all[p.Link.Target], p)
		}
	}
	return all
}

// pointers returns, by entity, the relations of rows to rows of the entity, wherever either are kept.
func pointers(c *catalog.Catalog) map[*schema.Entity][]*schema.Property {
	all := map[*schema.Entity][]*schema.Property{}
	for _, e := range c.Set.Entities {
		if place := c.RemoteOf(e); place == catalog.Elsewhere || place != "" && c.Door(e.Key) == nil {
			continue
		}
		for _, p := range e.Fields {
			if p.Link != nil && p.Stored && !p.Link.Many {
				all[p.Link.Target] = append(all[p.Link.Target], p)
			}
		}
	}
	return all
}

// following returns, by entity, the relations of rows that go with a row of the entity, where the store or the host that keeps both
// deletes them, and rows elsewhere point at them, or at rows that go with them in turn.
func following(c *catalog.Catalog, pointing map[*schema.Entity][]*schema.Property) map[*schema.Entity][]*schema.Property {
	all := map[*schema.Entity][]*schema.Property{}
	known := map[*schema.Entity]bool{}
	for more := true; more; {
		more = false
		for _, e := range c.Set.Entities {
			for _, p := range e.Fields {
				l := p.Link
				if l == nil || !p.Stored || l.Many || p.Axes.Relation.OnDelete != "cascade" || known[e] && slices.Contains(all[l.Target], p) || catalog.Apart(c.Fronds, l) {
					continue
				}
				if pointing[e] != nil || all[e] != nil {
					all[l.Target] = append(all[l.Target], p)
					known[e], more = true, true
				}
			}
		}
	}
	return all
}

// deletesPointed returns a runner that deletes a row by run, and does what onDelete says of the rows elsewhere.
func deletesPointed(run func(context.Context, *execution) (*Result, error)) func(context.Context, *execution) (*Result, error) {
	return func(ctx context.Context, x *execution) (*Result, error) {
		e := x.door.Entity
		key, why := e.Primary.Kind.Value(x.id)
		if why != "" || x.transaction.followed(e, key) {
			return run(ctx, x)
		}
		there, err := x.door.keeper.visibleRow(ctx, x, []string{e.Primary.Name})
		if err != nil || there.Len() == 0 {
			return run(ctx, x) // which says what a delete of no row says
		}
		if x.door.Frond.Remote == "" {
			if _, met, err := beforeHandler(ctx, x); err != nil || !met { // hidden rows may point at it
				return run(ctx, x) // which refuses it in the words of the store
			}
		} else if x.condition != nil {
			own := filter.Both(targetOf(x), &filter.Filter{Op: filter.Eq, Field: e.Primary, Values: []any{key}})
			met, err := keysAnywhere(ctx, &x.viewer, e.Primary, own, 1)
			if err != nil || len(met) == 0 {
				return run(ctx, x) // which says that the row does not meet the condition; hidden rows may point at it
			}
		}
		follow, _, err := pointed(ctx, x, e, []any{key}, map[any]bool{})
		switch {
		case err != nil && x.door.Frond.Remote != "" && kiterror.CodeOf(err) == kiterror.Conflict && isOtherVersion(ctx, &x.viewer, x.id, x.precondition):
			return run(ctx, x) // whose host refuses the version
		case err != nil:
			return nil, err
		case follow == nil:
			return run(ctx, x)
		}
		return deleteWith(ctx, x, follow, run)
	}
}

// isOtherVersion reports whether a row of a remote has another version than a precondition names.
func isOtherVersion(ctx context.Context, x *viewer, id json.RawMessage, named *Precondition) bool {
	if named == nil || named.any() {
		return false
	}
	res, err := x.host.Call(ctx, &Call{Entity: x.door.Name, Operation: "findById", Version: true, Partial: true, Invocation: Invocation{ID: id, State: x.state, Trace: x.call.Invocation.Trace}})
	if err != nil || len(res.Versions) != 1 || res.Versions[0] == "" {
		return false
	}
	holds, err := named.holds(func(omitted string) (string, error) {
		if hash, _, _ := strings.Cut(res.Versions[0], omittedMark); res.Versions[0] == hash+omitted {
			return res.Versions[0], nil
		}
		return "", nil
	})
	return err == nil && !holds
}

// manyDeletesPointed is deletesPointed for a deleteMany. More rows than the call may delete are for run to refuse.
func manyDeletesPointed(run func(context.Context, *execution) (*Result, error)) func(context.Context, *execution) (*Result, error) {
	return func(ctx context.Context, x *execution) (*Result, error) {
		keys, err := keysAnywhere(ctx, &x.viewer, x.door.Entity.Primary, targetOf(x), x.many.max)
		if err != nil || len(keys) > x.many.max {
			return run(ctx, x)
		}
		e := x.door.Entity
		follow, at, err := pointed(ctx, x, e, keys, map[any]bool{})
		if err != nil && at == nil && kiterror.CodeOf(err) == kiterror.Conflict { // a row that goes with one of them is pointed at
			for _, key := range keys {
				if _, _, one := pointed(ctx, x, e, []any{key}, map[any]bool{}); one != nil {
					err, at = one, key
					break
				}
			}
		}
		switch {
		case kiterror.CodeOf(err) == kiterror.Conflict && at != nil:
			return nil, ofRow(err, keyText(at))
		case err != nil:
			return nil, err
		}
		defer x.transaction.follows(e, keys)()
		if follow == nil {
			return run(ctx, x)
		}
		return deleteWith(ctx, x, follow, run)
	}
}

// pointed returns the rows elsewhere that point at rows of e with these keys, or at rows that go with them, and
// have to follow them. The error is CONFLICT if they keep a row; at is then the key of the row, if it is one of
// keys. seen has the keys of earlier rows, by entity and key.
func pointed(ctx context.Context, x *execution, e *schema.Entity, keys []any, seen map[any]bool) (follow []pointedRows, at any, err error) {
	for _, by := range x.host.pointing[e] {
		op, follows := changeOf(x.host, by), false
		for some := range slices.Chunk(keys, 500) {
			where := &filter.Filter{Op: filter.In, Field: by, Values: some}
			if op == nil { // one is enough to know
				kept, err := keysAnywhere(ctx, asHost(&x.viewer), by, where, 0)
				if err == nil && len(kept) > 0 {
					err = pointedConflict(ctx, x, by, where)
					at = firstPointed(ctx, x, by, some, kept[0])
				}
				if err != nil {
					return nil, at, err
				}
				continue
			}
			ids, err := goneWith(ctx, x, by, where)
			if err == nil && len(ids) > 0 && op.Name == "delete" {
				err = kept(ctx, x, by.Owner, ids, map[any]bool{})
			}
			if err != nil {
				return nil, nil, err
			}
			follows = follows || len(ids) > 0
		}
		if !follows {
			continue
		}
		if x.transaction != nil && (x.door.Frond.Remote != "" || !x.host.keepsFollowUps()) {
			return nil, nil, errFollowing(x.host, by)
		}
		follow = append(follow, pointedRows{by, keys})
	}
	for _, by := range x.host.following[e] {
		var gone []any
		for some := range slices.Chunk(keys, 500) {
			ids, err := allKeys(ctx, asHost(&x.viewer), by.Owner.Primary, &filter.Filter{Op: filter.In, Field: by, Values: some})
			if err != nil {
				return nil, nil, err
			}
			for _, id := range ids {
				if row := [2]any{by.Owner, id}; !seen[row] {
					seen[row] = true
					gone = append(gone, id)
				}
			}
		}
		if len(gone) == 0 {
			continue
		}
		more, _, err := pointed(ctx, x, by.Owner, gone, seen)
		if err != nil {
			return nil, nil, err
		}
		follow = append(follow, more...)
	}
	return follow, nil, nil
}

// errFollowing is the refusal of a delete within a transaction, after which rows that point at the row by a relation have to follow it.
func errFollowing(h *host, by *schema.Property) error {
	return kiterror.Errorf(kiterror.NotImplemented, "rows of %s point at it, and %s is served %s; delete it separately", by.Owner.Name, by.Owner.Name, h.servedAt(by.Owner))
}

// servedAt says where an entity is served.
func (h *host) servedAt(e *schema.Entity) string {
	if h.catalog.RemoteOf(e) == "" {
		return "here"
	}
	return "at the host of " + e.Frond
}

// firstPointed returns the first of some keys that a row elsewhere points at, which one of them is known to be.
func firstPointed(ctx context.Context, x *execution, by *schema.Property, keys []any, known any) any {
	for _, key := range keys {
		kept, err := keysAnywhere(ctx, asHost(&x.viewer), by, &filter.Filter{Op: filter.Eq, Field: by, Values: []any{key}}, 0)
		if key == known || err != nil || len(kept) > 0 {
			return key
		}
	}
	return known
}

// pointedConflict is the error for a row that rows elsewhere keep. If the host of either side alone has the access rules, it says first
// whether the caller may delete rows, and rows that it hides from the caller have no name.
func pointedConflict(ctx context.Context, x *execution, by *schema.Property, where *filter.Filter) error {
	if x.runner.by == byRemote && x.door.collector == nil && x.op.Takes("where") {
		none := (&filter.Filter{Op: filter.IsNull, Field: x.door.Entity.Primary, Values: []any{true}}).AppendJSON(nil)
		r, err := remoteRequest(&x.viewer, x.door.Door)
		if err != nil {
			return err
		}
		in := Invocation{ID: x.call.Invocation.ID, Params: x.call.Invocation.Params, Query: schema.Object{{Name: "where", Value: none}}.AppendJSON(nil)}
		_, err = x.host.remotes.Call(ctx, r, sentCall(ctx, x, in))
		if code := kiterror.CodeOf(err); code == kiterror.Forbidden || code == kiterror.Unauthorized {
			return err
		}
	}
	conflict := kiterror.InUse(by)
	if d := x.host.catalog.Door(by.Owner.Key); d != nil && d.Frond.Remote != "" && x.host.doors.of(d).collector == nil && !x.inside {
		seen, err := keysAnywhere(ctx, &x.viewer, by, where, 0)
		if err != nil || len(seen) == 0 {
			return veiledConflict(conflict)
		}
	}
	return maskedConflict(ctx, &x.viewer, conflict)
}

// goneWith returns the keys of the rows that meet where, which point at a row by the relation by: all of them if rows may point at
// them in turn, else one.
func goneWith(ctx context.Context, x *execution, by *schema.Property, where *filter.Filter) ([]any, error) {
	if by.Axes.Relation.OnDelete == "cascade" && x.host.pointers[by.Owner] != nil {
		return allKeys(ctx, asHost(&x.viewer), by.Owner.Primary, where)
	}
	return keysAnywhere(ctx, asHost(&x.viewer), by.Owner.Primary, where, 0)
}

// kept returns CONFLICT if a row points at rows of e with these keys, or at rows that go with them, and keeps them.
func kept(ctx context.Context, x *execution, e *schema.Entity, keys []any, seen map[any]bool) error {
	keys = slices.DeleteFunc(slices.Clone(keys), func(key any) bool {
		row := [2]any{e, key}
		was := seen[row]
		seen[row] = true
		return was
	})
	for _, by := range x.host.pointers[e] {
		if by.Axes.Relation.OnDelete == schema.SetNull {
			continue
		}
		for some := range slices.Chunk(keys, 500) {
			where := &filter.Filter{Op: filter.In, Field: by, Values: some}
			ids, err := goneWith(ctx, x, by, where)
			switch {
			case err != nil:
				return err
			case len(ids) == 0:
			case by.Axes.Relation.OnDelete != "cascade":
				return pointedConflict(ctx, x, by, where)
			default:
				if err := kept(ctx, x, by.Owner, ids, seen); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
