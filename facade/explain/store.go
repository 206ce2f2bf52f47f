package explain

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// explainedStore is the store of an explained call: it records its calls, and
// does not write where that could not be undone.
type explainedStore struct {
	facade.Store
	explanation *Explanation
}

// asked records a call of the store, and has its statements recorded.
func (s explainedStore) asked(ctx context.Context, does string, e *schema.Entity, where *filter.Filter, sel *rows.Layout) (context.Context, *StoreCall) {
	c := &StoreCall{Does: does, Entity: e.Name, Statements: []facade.Statement{}}
	if where != nil {
		c.Filter = where.AppendJSON(nil)
	}
	if sel != nil {
		c.Columns = sel.Fields
	}
	s.explanation.Store = append(s.explanation.Store, c)
	return facade.ObservePlans(ctx, func(st facade.Statement) { c.Statements = append(c.Statements, st) }), c
}

// writes reports whether the store can be called to write: whether it undoes a dry run.
func (s explainedStore) writes(c *StoreCall) bool {
	if s.Abilities().DryRuns {
		return true
	}
	c.Note = notAsked
	return false
}

// Find implements [facade.Store].
func (s explainedStore) Find(ctx context.Context, q *facade.Find) (*facade.Found, error) {
	ctx, c := s.asked(ctx, "find", q.Entity, q.Condition(), q.Select)
	if q.Each != nil {
		c.Note = fmt.Sprintf("for %d values of %s", len(q.Each.Values), q.Each.Field.Name)
	}
	found, err := s.Store.Find(ctx, q)
	if reads := func(st facade.Statement) bool {
		return st.Plan != nil && slices.ContainsFunc(st.Plan.Scans, func(s facade.Scan) bool { return s.Whole })
	}; slices.ContainsFunc(c.Statements, reads) {
		c.Index = missingIndex(q)
	}
	return found, err
}

// missingIndex says which index would spare a read that goes through a whole table or sorts; "":
// none that is known. It is the first field of these without one: that of the keys, those that
// the filter compares, the first of the order or of the keys of groups.
func missingIndex(q *facade.Find) string {
	var fields []*schema.Property
	if q.Each != nil {
		fields = append(fields, q.Each.Field)
	}
	fields = append(fields, compared(nil, q.Condition())...)
	switch g := q.Group; {
	case g != nil && g.Keys > 0 && g.Columns[0].Unit.String() == "": // no index has an order of groups
		fields = append(fields, g.Columns[0].Of)
	case g == nil && len(q.Sort) > 0:
		fields = append(fields, q.Sort[0].Field)
	}
	for _, p := range fields {
		switch {
		case p == p.Owner.Primary || !p.Stored:
		case p.Owner.Table != nil: // another program's, whose indexes are not those of the card
			return fmt.Sprintf("CREATE INDEX ON %s (%s)", p.Owner.Table.Name, p.Owner.Table.Column(p.Name))
		case p.Axes.Index || p.Link != nil && !p.Link.Many || slices.ContainsFunc(p.Owner.Uniques, func(u []*schema.Property) bool { return u[0] == p }):
		default:
			return fmt.Sprintf("write x-kit: {role: {index: true}} at the field %s of the card %s", p.Name, p.Owner.Name)
		}
	}
	return ""
}

// compared appends the fields whose values a filter compares in a way that an index helps with.
func compared(all []*schema.Property, f *filter.Filter) []*schema.Property {
	if f == nil {
		return all
	}
	switch f.Op {
	case filter.Eq, filter.In, filter.Lt, filter.Lte, filter.Gt, filter.Gte, filter.StartsWith, filter.IsNull:
		all = append(all, f.Field)
	case filter.And, filter.Some:
		for _, sub := range f.Sub {
			all = compared(all, sub)
		}
	}
	return all
}

// Insert implements [facade.Store].
func (s explainedStore) Insert(ctx context.Context, e *schema.Entity, found []facade.Record, terms *facade.Terms, sel *rows.Layout) (*rows.Rows, error) {
	ctx, c := s.asked(ctx, "insert", e, nil, sel)
	if !s.writes(c) {
		return rows.New(sel, 0), nil
	}
	return s.Store.Insert(ctx, e, found, terms, sel)
}

// Update implements [facade.Store]. A write that cannot be undone reads the row instead.
func (s explainedStore) Update(ctx context.Context, e *schema.Entity, id json.RawMessage, where *filter.Filter, set facade.Record, terms *facade.Terms, sel *rows.Layout) (*rows.Rows, error) {
	does := "update"
	if len(set) == 0 {
		does = "read"
	}
	ctx, c := s.asked(ctx, does, e, where, sel)
	if len(set) > 0 && !s.writes(c) {
		set, terms = nil, nil // the row as it is
	}
	return s.Store.Update(ctx, e, id, where, set, terms, sel)
}

// Delete implements [facade.Store].
func (s explainedStore) Delete(ctx context.Context, e *schema.Entity, id json.RawMessage, where *filter.Filter, terms *facade.Terms) (bool, error) {
	ctx, c := s.asked(ctx, "delete", e, where, nil)
	if !s.writes(c) {
		return true, nil
	}
	return s.Store.Delete(ctx, e, id, where, terms)
}

// explainedRemote records the calls to a remote.
type explainedRemote struct {
	facade.Caller
	explanation *Explanation
	to          string
}

// Call implements [facade.Caller].
func (c explainedRemote) Call(ctx context.Context, call *facade.Call) (*facade.Result, error) {
	c.explanation.Store = append(c.explanation.Store, &StoreCall{
		Does: "send", Entity: call.Entity + "." + call.Operation, Filter: jsontext.Get(call.Invocation.Query, "filter"),
		Columns: call.Select, Statements: []facade.Statement{}, Note: "to " + c.to,
	})
	return c.Caller.Call(ctx, call)
}
