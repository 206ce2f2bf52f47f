package facade

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// crossing is the store of this host for a caller, in a project with Fronds that run elsewhere. It makes a condition through a
// relation to rows elsewhere one on the keys of the rows that meet it now. A write looks before its transaction.
type crossing struct {
	Store
	filter.Crossing
}

// store is the store of this host, as the trace of the call wraps it. It takes conditions on rows elsewhere.
func (x *viewer) store() Store {
	s := x.host.store
	if x.trace != nil && x.trace.Store != nil {
		s = x.trace.Store(s)
	}
	if x.host.crosses {
		return newCrossing(x, s)
	}
	return s
}

func newCrossing(x *viewer, s Store) crossing {
	return crossing{s, filter.Crossing{
		Apart: func(l *schema.Link) bool { return catalog.Apart(x.host.catalog.Fronds, l) },
		Keys: func(ctx context.Context, field *schema.Property, where *filter.Filter, rule bool) ([]any, error) {
			return allKeys(ctx, seenBy(x, rule), field, where)
		},
		Most: maxKeys,
		Aggregate: func(ctx context.Context, f *filter.Filter) (*filter.Filter, error) {
			return aggregatedAnywhere(ctx, seenBy(x, f.Rule), f)
		},
	}}
}

// crosses reports whether a relation of a local row leads to a row elsewhere.
func crosses(c *catalog.Catalog) bool {
	for _, e := range c.Set.Entities {
		if c.RemoteOf(e) != "" {
			continue
		}
		for _, p := range e.Fields {
			if l := p.Link; l != nil && l.Target != nil && catalog.Apart(c.Fronds, l) {
				return true
			}
		}
	}
	return false
}

// Find implements [Store].
func (c crossing) Find(ctx context.Context, q *Find) (*Found, error) {
	own := *q
	own.Sort = slices.Clone(q.Sort)
	var err error
	for i, key := range q.Sort {
		if own.Sort[i].Derived, err = c.Derived(ctx, key.Derived); err != nil {
			return nil, err
		}
	}
	if own.Where, err = c.Filter(ctx, q.Where); err != nil {
		return nil, err
	}
	if q.Each != nil && q.Each.Via != nil {
		each := *q.Each
		if each.Via, err = c.Filter(ctx, each.Via); err != nil {
			return nil, err
		}
		own.Each = &each
	}
	return c.Store.Find(ctx, &own)
}

// Insert implements [Store].
func (c crossing) Insert(ctx context.Context, e *schema.Entity, records []Record, terms *Terms, sel *rows.Layout) (*rows.Rows, error) {
	terms, err := c.terms(ctx, terms)
	if err != nil {
		return nil, err
	}
	return c.Store.Insert(ctx, e, records, terms, sel)
}

// Update implements [Store].
func (c crossing) Update(ctx context.Context, e *schema.Entity, id json.RawMessage, where *filter.Filter, set Record, terms *Terms, sel *rows.Layout) (*rows.Rows, error) {
	where, err := c.Filter(ctx, where)
	if err != nil {
		return nil, err
	}
	if terms, err = c.terms(ctx, terms); err != nil {
		return nil, err
	}
	return c.Store.Update(ctx, e, id, where, set, terms, sel)
}

// Delete implements [Store].
func (c crossing) Delete(ctx context.Context, e *schema.Entity, id json.RawMessage, where *filter.Filter, terms *Terms) (bool, error) {
	where, err := c.Filter(ctx, where)
	if err != nil {
		return false, err
	}
	if terms, err = c.terms(ctx, terms); err != nil {
		return false, err
	}
	return c.Store.Delete(ctx, e, id, where, terms)
}

// Abilities implements [Store].
func (c crossing) Abilities() Abilities {
	can := c.Store.Abilities()
	if all := can.WriteAll; all != nil {
		can.WriteAll = func(ctx context.Context, e *schema.Entity, ids []json.RawMessage, sets []Record, terms *Terms, sel *rows.Layout) (*rows.Rows, error) {
			terms, err := c.terms(ctx, terms)
			if err != nil {
				return nil, err
			}
			return all(ctx, e, ids, sets, terms, sel)
		}
	}
	return can
}

// terms returns the terms of a write with conditions on local rows.
func (c crossing) terms(ctx context.Context, t *Terms) (*Terms, error) {
	if t == nil || t.After == nil && t.Points == nil {
		return t, nil
	}
	own := *t
	var err error
	if own.After, err = c.Filter(ctx, t.After); err != nil {
		return nil, err
	}
	own.Points = make([]Points, len(t.Points))
	for i, p := range t.Points {
		if p.Where, err = c.Filter(ctx, p.Where); err != nil {
			return nil, err
		}
		own.Points[i] = p
	}
	return &own, nil
}
