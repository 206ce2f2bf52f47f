package remote

import (
	"context"
	"slices"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// A filter in the words of a host's list, which the card of the list names:
//
//	two fields                      one object of both
//	a field that is known already   decided here, for the batch of a relation too
//	a relation that the card lacks  its rows are listed first, and their keys compared
//	and that the card lacks         NOT_IMPLEMENTED, where a name has to occur twice
//
// A host without a known card gets the words of this program.

// hostFilter is a filter on the rows of r.Door in the words of its host's list. The state of r says so where the filter has conditions
// of access rules here.
func (h *Hosts) hostFilter(ctx context.Context, r *facade.RemoteRequest, f *filter.Filter) (*filter.Filter, error) {
	op := r.Door.Operation("list")
	if op == nil {
		if d := narrowed(f); d != nil {
			return nil, kiterror.Errorf(kiterror.NotImplemented, "%s is computed at the host of %s without your rules; leave it out", d.As.Name, r.Door.Name)
		}
		return f.Joined(), nil
	}
	f, err := h.inOnePlace(ctx, r, f, func(f *filter.Filter) bool {
		return op.FilterWords == nil || slices.Contains(op.FilterWords, f.Link.Name)
	})
	if err != nil {
		return nil, err
	}
	if op.TakesRules {
		marked, changed := f.ForRules()
		if f = marked; changed {
			r.State = r.State.WithRules()
		}
	}
	if f = f.Joined(); op.FilterWords != nil && f.NeedsAnd() && !slices.Contains(op.FilterWords, "and") {
		return nil, kiterror.Errorf(kiterror.NotImplemented,
			"the list of %s takes no and in its filter where it runs, and two conditions here, with those of your access rules, have one name; send one condition for each field", r.Door.Name)
	}
	return f, nil
}

// Where implements [facade.Remotes]. The host reads the condition of a write as one of the caller: rows by which access rules here narrow it
// are listed first.
func (h *Hosts) Where(ctx context.Context, r facade.RemoteRequest, f *filter.Filter) (*filter.Filter, error) {
	f, err := h.inOnePlace(ctx, &r, f, func(f *filter.Filter) bool {
		_, narrowed := f.ForRules()
		return !narrowed
	})
	return f.Spelled(r.Door.Entity), err
}

// inOnePlace is a filter without the relations to rows elsewhere, and without the relations to the host's own rows
// that it does not take.
func (h *Hosts) inOnePlace(ctx context.Context, r *facade.RemoteRequest, f *filter.Filter, takes func(*filter.Filter) bool) (*filter.Filter, error) {
	across := filter.Crossing{
		Apart: func(l *schema.Link) bool { return catalog.Apart(r.Catalog.Fronds, l) },
		Keys:  r.Elsewhere, Most: maxOperands, Aggregate: r.Aggregated,
	}
	f, err := across.Filter(ctx, f)
	if err != nil {
		return nil, err
	}
	return h.withoutRelations(ctx, r, takes, f)
}

// narrowed is a value of rows that access rules narrow here, which the filter's text does not say, or
// nil.
func narrowed(f *filter.Filter) *filter.Derived {
	if f == nil {
		return nil
	}
	if f.Derived != nil && f.Derived.Where != nil {
		return f.Derived
	}
	for _, sub := range f.Sub {
		if d := narrowed(sub); d != nil {
			return d
		}
	}
	return nil
}

// withoutRelations is a filter without the relations that the host does not take.
func (h *Hosts) withoutRelations(ctx context.Context, r *facade.RemoteRequest, takes func(*filter.Filter) bool, f *filter.Filter) (*filter.Filter, error) {
	if f == nil || f.Op == filter.OfRule || f.Link == nil && len(f.Sub) == 0 {
		return f, nil
	}
	if f.Op == filter.Aggregate {
		if op := r.Door.Operation("list"); f.Derived.Where != nil || f.Derived.Via != nil || op != nil && op.FilterWords != nil && !slices.Contains(op.FilterWords, f.Link.Name+"."+f.Derived.Func.String()) {
			return r.Aggregated(ctx, f)
		}
		return f, nil
	}
	if f.Link != nil {
		if !f.ReadsBetween() && takes(f) {
			return f, nil
		}
		return h.byKeys(ctx, r, f.Hops())
	}
	out := *f
	out.Sub = make([]*filter.Filter, len(f.Sub))
	for i, sub := range f.Sub {
		var err error
		if out.Sub[i], err = h.withoutRelations(ctx, r, takes, sub); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// byKeys is a filter through a relation as one on the keys of the rows that meet it now.
func (h *Hosts) byKeys(ctx context.Context, r *facade.RemoteRequest, f *filter.Filter) (*filter.Filter, error) {
	field, where := f.Behind()
	keys, err := r.Elsewhere(ctx, field, where, f.Rule)
	return f.OnKeys(keys, maxOperands), err
}

// maxOperands is how many values an in of a host takes.
const maxOperands = 500

// withoutSearch takes the search out of a filter, as a key of its own in the query of a list.
func withoutSearch(f *filter.Filter) (rest *filter.Filter, key schema.Object) {
	if f == nil {
		return nil, nil
	}
	for _, c := range f.Conditions() {
		if c.Op == filter.Search {
			key = schema.Object{{Name: catalog.SearchKey, Value: jsontext.Quote(c.Search.Text)}}
		} else {
			rest = filter.Both(rest, c)
		}
	}
	return rest, key
}

// Rows implements [facade.Remotes], page by page.
func (h *Hosts) Rows(ctx context.Context, r facade.RemoteRequest, fields []string, f *filter.Filter, limit int, visit func(rows.Row) bool) error {
	if err := filtered(r.Door, f); err != nil {
		return err
	}
	f, search := withoutSearch(f)
	f, err := h.hostFilter(ctx, &r, f)
	if err != nil {
		return err
	}
	l := facade.RemoteList{Op: r.Door.Operation("list"), Filter: f, Limit: min(limit, r.Door.Limits.Max), Layout: rows.NewLayout(fields), Query: search.AppendJSON(nil)}
	for {
		res, err := h.List(ctx, r, &facade.Call{
			Entity: r.Door.Name, Operation: "list", Select: l.Layout.Fields,
			Invocation: facade.Invocation{State: r.State, Trace: r.Trace},
		}, l)
		if err != nil {
			return err
		}
		for i := range res.Rows.Len() {
			if !visit(res.Rows.Row(i)) {
				return nil
			}
		}
		switch {
		case !res.HasMore:
			return nil
		case res.EndCursor() == "" || !l.Op.Takes("after"):
			return kiterror.Errorf(kiterror.NotImplemented, "a condition concerns over %d rows of %s without cursors; narrow the condition", res.Rows.Len(), r.Door.Name)
		}
		l.Query = append(slices.Clip(search), schema.Member{Name: "after", Value: jsontext.Quote(res.EndCursor())}).AppendJSON(nil)
	}
}
