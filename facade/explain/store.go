package explain

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// explainedStore is the store of an explained call: it records its calls, and does not write if
// it could not undo the write.
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

// Abilities implements [facade.Store].
func (s explainedStore) Abilities() facade.Abilities {
	own := s.Store.Abilities()
	if write := own.WriteAll; write != nil {
		own.WriteAll = func(ctx context.Context, e *schema.Entity, ids []json.RawMessage, sets []facade.Record, terms *facade.Terms, sel *rows.Layout) (*rows.Rows, error) {
			does := "update"
			if sets == nil {
				does = "delete"
			}
			ctx, c := s.asked(ctx, does, e, nil, sel)
			c.Note = fmt.Sprintf("of %d rows", len(ids))
			return write(ctx, e, ids, sets, terms, sel) // the store undoes it
		}
	}
	return own
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
		if p := missing(q); p != nil {
			c.Index = line(p)
		}
	}
	return found, err
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

// Call implements [facade.Caller]. It sends queries alone: a host does not undo a command.
func (c explainedRemote) Call(ctx context.Context, call *facade.Call) (*facade.Result, error) {
	c.explanation.Store = append(c.explanation.Store, &StoreCall{
		Does: "send", Entity: call.Entity + "." + call.Operation, Filter: jsontext.Get(call.Invocation.Query, "filter"),
		Columns: call.Select, Statements: []facade.Statement{}, Note: "to " + c.to,
	})
	if c.explanation.Kind == catalog.Command && strings.EqualFold(call.Entity, c.explanation.Entity) && call.Operation == c.explanation.Operation {
		c.explanation.Store[len(c.explanation.Store)-1].Note = "to " + c.to + ", and was left out"
		return &facade.Result{Form: facade.FormValue}, nil
	}
	return c.Caller.Call(ctx, call)
}
